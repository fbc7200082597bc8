"""Databases' own errors, as their shells, drivers and logs print them: a code and a message, seldom a stack."""

from kb.trace.runtimes.base import Runtime
from kb.trace.runtimes.sql import names, reader

RUNTIME = Runtime(
    name="sql",
    reader=reader,
    names=names,
    needles=reader.NEEDLES,
    is_known_by_words=True,
    is_one_liner=True,
    normal_message=names.normal_message,
)
