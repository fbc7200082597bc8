// Loggers of Node: what each prints as a record. Run by run.sh.
const pino = require("pino");
const winston = require("winston");
const bunyan = require("bunyan");

class PaymentError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = "PaymentError";
    this.code = "E_PAY";
  }
}

function pay(order) {
  throw new PaymentError(`order ${order} is not paid`, { cause: new TypeError("amount is undefined") });
}

function failure() {
  try {
    pay(42);
  } catch (error) {
    return error;
  }
}

const { combine, errors, json, simple, logstash, timestamp } = winston.format;
function byWinston(...formats) {
  const log = winston.createLogger({ format: combine(...formats), transports: [new winston.transports.Console()] });
  log.error("payment of order 42 failed");
  log.error("payment failed", { order: 42, error: failure().message });
  log.error("payment failed", failure());
  log.error(failure());
  log.warn("disk is full", { path: "/data" });
}

console.log("# pino");
let log = pino({ name: "shop" }, pino.destination({ sync: true }));
log.error("payment of order %d failed", 42);
log.error({ order: 42, err: failure().message }, "payment failed");
log.error(failure(), "payment failed");
log.error({ err: failure() });
log.fatal("going down");
log.warn({ path: "/data" }, "disk is full");
console.log("# pino, level as a label");
log = pino({ formatters: { level: (label) => ({ level: label }) }, messageKey: "message", timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ sync: true }));
log.error(failure(), "payment failed");
log.error({ error: { code: "E_PAY", message: "order 42 is not paid" } }, "payment failed");
console.log("# winston json, errors with stack");
byWinston(errors({ stack: true, cause: true }), timestamp(), json());
console.log("# winston json");
byWinston(json());
console.log("# winston logstash");
byWinston(errors({ stack: true }), timestamp(), logstash());
console.log("# winston simple");
byWinston(errors({ stack: false }), simple());
console.log("# bunyan");
const bunyanLog = bunyan.createLogger({ name: "shop" });
bunyanLog.error("payment of order %d failed", 42);
bunyanLog.error({ err: failure() }, "payment failed");
bunyanLog.error(failure());
bunyanLog.warn({ path: "/data" }, "disk is full");
console.log("# an error as JSON");
console.log(JSON.stringify({ ...failure(), message: failure().message, stack: failure().stack.split("\n") }));
