// The engine itself prints it.
function outer() { const run = () => { [3].forEach(function each(n) { n.price.amount; }); }; run(); }
async function later() { await null; outer(); }
later();
outer();
