// Failures as test runners print them (mocha and jest read the same file).
const assert = require('assert');
const total = (items) => items.reduce((sum, i) => sum + i.price.amount, 0);
const same = (a, b) => (typeof expect === 'function' ? expect(a).toEqual(b) : assert.deepStrictEqual(a, b));
describe('cart', () => {
  it('adds prices', () => { same({ total: total([{ price: { amount: 1 } }]) }, { total: 2 }); });
  it('空购物车', async () => { await null; total([{}]); });
});
