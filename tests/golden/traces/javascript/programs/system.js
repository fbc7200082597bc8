// What Node's own functions throw: a file that is not there, an argument of a wrong type, a failed assertion.
const fs = require('fs');
const assert = require('assert');
function readConfig(path) { return fs.readFileSync(path, 'utf8'); }
const attempt = (f) => { try { f(); } catch (e) { console.error(e); } };
attempt(() => readConfig('/etc/shop/prices.json'));
attempt(() => Buffer.from(undefined));
attempt(() => assert.deepStrictEqual({ a: 1, b: [2] }, { a: 1, b: [3] }));
attempt(() => new URL('//nowhere'));
readConfig('/etc/shop/taxes.json');
