"""logging with a prefix, an error of several lines, and the stack of the call."""

import logging

logging.basicConfig(format="%(asctime)s,%(msecs)03d [%(threadName)s] %(levelname)s %(name)s: %(message)s", datefmt="2024-05-01 10:00:00")
log = logging.getLogger("shop.pay")


def insert(order):
    raise RuntimeError("(1062, \"Duplicate entry '42' for key 'PRIMARY'\")\n[SQL: insert into orders values (?)]\n[parameters: (42,)]")


try:
    insert(42)
except RuntimeError:
    log.exception("订单 42 写入失败")
    log.error("orders are not written", exc_info=True, stack_info=True)
log.warning("going on")
