"""Run in /tmp: cp celery-tasks.py shop.py; python -c "import shop; shop.send()"; celery -A shop worker -c 1 (Python 3.11, Celery 5.4)."""

import os
import signal
from pathlib import Path

from celery import Celery

Path("/tmp/celery-repro").mkdir(exist_ok=True)
folders = {"data_folder_in": "/tmp/celery-repro", "data_folder_out": "/tmp/celery-repro"}
app = Celery("shop", broker="filesystem://", broker_transport_options=folders)


@app.task
def resize() -> None:
    """Die as a worker that the kernel kills for memory."""
    os.kill(os.getpid(), signal.SIGKILL)


def send() -> None:
    """Queue a task that no worker knows, and one that kills its worker."""
    app.send_task("orders.tasks.send_mail", (7,))
    resize.delay()
