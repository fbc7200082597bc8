// Wrapped twice, with codes: Node leaves out what a wrapper shares with its cause.
class PaymentError extends Error {
  constructor(message, options) { super(message, options); this.name = 'PaymentError'; this.code = 'E_PAY'; this.order = { id: 42, lines: [1, 2] }; }
}
function connect(host) {
  const e = new Error(`connect ECONNREFUSED ${host}:6379`);
  Object.assign(e, { errno: -111, code: 'ECONNREFUSED', syscall: 'connect', address: host, port: 6379 });
  throw e;
}
const cache = { get(key) { try { return connect('10.0.0.7'); } catch (cause) { throw new TypeError(`缓存不可用: ${key}`, { cause }); } } };
function pay(order) { try { return cache.get(`order:${order}`); } catch (cause) { throw new PaymentError('支付失败', { cause }); } }
function checkout(order) { return [order].map((o) => pay(o))[0]; }
checkout(42);
