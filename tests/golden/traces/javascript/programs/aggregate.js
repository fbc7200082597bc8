// Members of a group, one of them with a cause of its own.
async function replica(name) {
  await null;
  if (name === 'b') { try { JSON.parse('{"a":'); } catch (cause) { throw new RangeError('replica b: bad answer', { cause }); } }
  throw new Error(`replica ${name}: timed out after 300ms`);
}
async function readAny() { return Promise.any(['a', 'b', 'c'].map(replica)); }
readAny();
