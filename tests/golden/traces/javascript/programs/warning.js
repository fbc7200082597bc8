// A warning with a trace, an error event nobody listens to, and console.trace.
const { EventEmitter } = require('events');
function subscribe(bus) { for (let i = 0; i < 11; i++) bus.on('order', () => {}); }
subscribe(new EventEmitter());
console.trace('who calls %s', 'subscribe');
process.nextTick(() => setImmediate(() => new EventEmitter().emit('error', new Error('Kafka: broker 3 gone\nlast offset 99'))));
