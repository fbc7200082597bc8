"""The runtimes whose traces are read, in the order in which they are tried. A further one is a folder, its import and its place."""

from kb.trace.runtimes import (
    beam,
    dotnet,
    go,
    javascript,
    jstack,
    jvm,
    kernel,
    lua,
    native,
    php,
    python,
    ruby,
    rust,
    sql,
)
from kb.trace.runtimes.base import Runtime

RUNTIMES: tuple[Runtime, ...] = (
    python.RUNTIME,
    dotnet.RUNTIME,
    jstack.RUNTIME,
    jvm.RUNTIME,
    javascript.RUNTIME,
    beam.RUNTIME,
    go.RUNTIME,
    rust.RUNTIME,
    native.RUNTIME,
    kernel.RUNTIME,
    ruby.RUNTIME,
    php.RUNTIME,
    lua.RUNTIME,
    sql.RUNTIME,
)


_BY_NAME = {runtime.name: runtime for runtime in RUNTIMES}


def runtime_named(name: str) -> Runtime | None:
    """Return the runtime of a chain; None for ``text`` and for runtimes that are not read yet."""
    return _BY_NAME.get(name)
