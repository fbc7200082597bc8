// Frames of code that was made from text.
const vm = require('vm');
function build(source) { return eval(`(function rule(order) { ${source} })`); }
const rule = build('return order.total.toFixed(2)');
const made = new Function('order', 'return helper(order)');
globalThis.helper = (order) => rule(order);
try { made({}); } catch (e) { console.log(e.stack); }
console.log();
try { vm.runInThisContext('function check() { missing() }\ncheck()', { filename: 'rules/price.vm.js' }); } catch (e) { console.log(e.stack); }
console.log();
try { vm.runInThisContext('null.x'); } catch (e) { console.log(e.stack); }
