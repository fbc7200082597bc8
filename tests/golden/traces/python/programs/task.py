"""A Celery worker logs the error of a task, with the text of the error first."""

from celery import Celery

app = Celery("shop", broker="memory://")
app.conf.update(worker_hijack_root_logger=True, worker_concurrency=1, worker_pool="solo")


@app.task(name="shop.pay")
def pay(order):
    return {7: 10}[order]


pay.delay(42)
app.worker_main(["--quiet", "worker", "--loglevel=INFO", "--without-gossip", "--without-mingle", "--without-heartbeat"])
