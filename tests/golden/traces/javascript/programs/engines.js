// Runs in every engine's shell: one fault each as its engine words and prints it.
var say = typeof print === 'function' ? print : console.log;
function Store() { this.items = undefined; }
Store.prototype.first = function () { return this.items[0]; };
var service = { load: function load(store) { return [1].map(function () { return store.first(); })[0]; } };
function caught(what, f) { try { f(); } catch (e) { say(what + ': ' + e + '\n' + e.stack + '\n'); } }
caught('read', function () { service.load(new Store()); });
caught('call', () => service.missing());
caught('name', function named() { return undefinedName + 1; });
caught('json', () => JSON.parse('<html>'));
caught('eval', () => eval('function inner() { null.x } inner()'));
caught('deep', function deep() { deep(); });
caught('sort', () => [2, 1].sort((a, b) => a.price.amount - b.price.amount));
class Cart { get total() { return this.#sum(); } #sum() { throw new RangeError('总额 溢出: 42'); } static of() { return new Cart().total; } }
caught('class', () => Cart.of());
