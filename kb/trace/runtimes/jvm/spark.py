"""Spark's driver quotes the exception of an executor inside a message: the quoted one is the cause."""

import re
from dataclasses import replace

from kb.trace.runtimes.jvm.headers import JvmHead, plain_head

_LOST_TASK = re.compile(r"Lost task [^\n]{1,300}?\)(?P<cut>: )(?=[a-z][\w$]{0,60}\.)")


def executor_failure(head: JvmHead) -> tuple[JvmHead, JvmHead | None]:
    """The exception without the quoted one, and the quoted one: ``… Lost task 3.3 in stage 12.0 (TID 57, host, executor 2): a.E: m``."""
    message = head.message or ""
    found = _LOST_TASK.search(message) if "Lost task" in message else None
    if found is None:
        return head, None
    inner = plain_head(message[found.end("cut") :])
    if inner is None or not inner.is_sure:
        return head, None
    return replace(head, message=message[: found.start("cut")]), inner
