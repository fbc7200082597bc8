"""Mangled names of every compiler, brought down to what they name."""

from functools import lru_cache

from kb.trace.runtimes.native.demangle.itanium import itanium
from kb.trace.runtimes.native.demangle.microsoft import microsoft
from kb.trace.runtimes.native.demangle.swift import swift


@lru_cache(maxsize=16_384)
def demangled(name: str) -> str | None:
    """Return the lasting name of a mangled one; None if it is not mangled, or not well."""
    if name.startswith("?"):
        return microsoft(name)
    if name.startswith(("_Z", "__Z", "___Z", "____Z")):
        return itanium(name)
    if name.startswith(("$s", "_$s", "$S", "_$S", "_T", "__T")):
        return swift(name)
    return None
