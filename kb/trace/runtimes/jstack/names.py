"""The lasting names of the frames of thread dumps: those of the JVM, and libraries without their place on the device."""

from kb.patterns import lazy
from kb.trace.model import Frame
from kb.trace.rules import names
from kb.trace.runtimes.jvm import names as jvm

# e.g. `/system/lib64/libc.so`
_LIBRARY = lazy(r"\.(?:so|jar|apk|dex|oat|odex|vdex)(?:\.\d{1,4}){0,3}(?:![\w.]{1,80})?$|^\[|^/|^base\.apk")


def is_native(frame: Frame) -> bool:
    """Whether the frame names a library and no class."""
    return frame.module is not None and frame.filename is None and _LIBRARY.search(frame.module) is not None


def normal_frame(frame: Frame) -> Frame:
    """Return the frame under its lasting name: a class as the JVM runtime names it, a library by its file's name."""
    if not is_native(frame):
        return jvm.normal_frame(frame)
    name = (frame.module or "").rpartition("/")[2].rpartition("!")[2]
    # a name that would not be known for a library's keeps its place
    return Frame(function=frame.function, module=name if _LIBRARY.search(name) else frame.module, in_app=frame.in_app)


def is_machinery(frame: Frame) -> bool:
    """Return what the JVM runtime passes over, and how a thread is put to sleep: the state of the thread says that it is."""
    return jvm.is_machinery(frame) or f"{frame.module}.{frame.function}" in names("jstack_machinery")


def rank(frame: Frame) -> int:
    """0 the application, 1 a framework, 2 the platform and its native libraries."""
    if is_native(frame):
        return 0 if frame.in_app else 2
    return jvm.rank(frame)


def loose_key(frame: Frame) -> str:
    """As of a JVM frame; a native function keeps its library."""
    return f"{frame.module}.{frame.function}" if is_native(frame) else jvm.loose_key(frame)


def normal_type(name: str) -> str:
    """Return the state or ``deadlock`` as it is."""
    return name


def function_name(raw: str) -> str | None:  # noqa: ARG001
    """Return None: a Java function alone is the JVM's."""
    return None
