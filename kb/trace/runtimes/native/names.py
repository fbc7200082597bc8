"""The lasting names of native functions, files and libraries: what is left is the same in every build and on every machine."""

import re
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.model import Frame, RaisedException
from kb.trace.rules import names
from kb.trace.runtimes.native.demangle import demangled
from kb.trace.runtimes.native.signature import SIGNAL_HANDLER, function_rank, lasting_library, library_rank, signature

_LONGEST = 8_000
_SYMBOL_VERSION = lazy(r"(?<=\w)@{1,2}[A-Za-z_][\w.]{0,60}$")
# e.g. foo.constprop.0.isra.1
_CLONE = lazy(
    r"(?:\.(?:constprop|isra|part|lto_priv|llvm|cold|clone|cfi|hot|unlikely|localalias|ldproto|resolver|default|warm|exit|startup|__uniq|str|avx2?|sse[\w.]{1,8})(?:\.?\d{1,20})?|\.\d{1,12}| \[clone [^\[\]]{1,100}\]| \(\.[^()]{1,80}\)|\$[A-Za-z_]{1,20}STUB|_unlikely)$"
)
# e.g. __45-[Foo load:]_block_invoke_2
_BLOCK = lazy(
    r"^_{2}(?P<digits>\d{1,5})(?P<name>[-+]\[[^\[\]]{1,400}\]|[A-Za-z_].{0,400}?)_block_invoke(?:[._]\d{1,6})*$"
)
# e.g. -[Foo load:]_block_invoke
_BLOCK_PLAIN = lazy(r"^_{0,3}(?P<name>[-+]\[[^\[\]]{1,400}\]|\w[^\s]{0,400}?)_block_invoke(?:[._]\d{1,6})*$")
# e.g. Foo__ctor_m0123456789abcdef0123456789abcdef01234567
_IL2CPP = lazy(r"^(?P<name>[A-Za-z_]\w{0,400}?)_m[0-9A-Fa-f]{32,40}(?:_gshared|_inline|_AdjustorThunk)?$")
_SELECTOR_CATEGORY = lazy(r"^(?P<head>[-+]\[\w{1,200})\([^()]{0,100}\)")
# e.g. __memcpy_avx_unaligned_erms
_LIBC_VARIANT = lazy(
    r"^_{0,2}(?P<name>(?:mem|str|stp|wcs|wmem|raw)[a-z0-9]{1,12}(?:_chk)?)_(?:(?:sse\d?|sse4_[12]|ssse3|avx\d{0,3}|avx512|evex\d{0,3}|erms|unaligned|aligned|back|rtm|vl|bw|no_vzeroupper|avx_unaligned|generic|neon|sve|mte|falkor|thunderx2?|kunpeng920|a64fx|simd|x86_64|i386|i586|i686|ia32|power\d{1,2}|z13|aarch64|mops|oryon1|vsx|lasx|lsx)_?)+$"
)
# e.g. __GI_raise
_LIBC_ALIAS = lazy(
    r"^(?:__GI_(?=_)|__GI_|__libc_(?!start|init|main|message|fatal)|__interceptor_trampoline_|_*interceptor_|__wrap_|__real_|wrap_|__new_|__old_)(?P<name>_{0,2}[a-z]\w{1,60})$"
)
_SYSTEM_CALL = lazy(
    r"^__(?P<name>p?poll|p?select|p?readv?(?:64)?|p?writev?(?:64)?|(?:clock_)?nanosleep|usleep|sleep|connect|accept4?|bind|listen|send(?:to|m?msg)?|recv(?:from|m?msg)?"
    r"|open(?:at)?(?:64)?|close|fsync|fdatasync|lseek(?:64)?|fcntl(?:64)?|ioctl|wait(?:4|pid|id)?|epoll_p?wait|mmap(?:64)?|munmap|mprotect|madvise|sched_yield|sigsuspend|pause|msync|dup[23]?|stat|fstat(?:at)?|getdents(?:64)?)$"
)
"""The C library's own names of its system calls: ``__poll`` where debug symbols are installed, ``poll`` where they are not."""
# e.g. std::__1::vector<int>::at
_INLINE_NAMESPACE = lazy(
    r"(?<![\w])(?:__1|__2|__ndk1|__cxx11|__cxx1998|__Cr|__fs|_V2|__8|__7|__debug|__ext|__h|_LIBCPP_ABI\w{0,20})::"
)
# e.g. <lambda_8d1c1b8a5e0f4a7f9b0c1d2e3f405162>::operator()
_LAMBDA = lazy(
    r"(?<![\w$])(?:\$_\d{1,6}|lambda_[0-9a-f]{8,40}|_lambda_\w{0,40}_?|__lambda\d{1,6}|lambda\d{1,6})(?![\w])"
)
_SHARED_NAMES = lazy(r"(?:^|::)\(anonymous namespace\)")
_SAYS_NOTHING = frozenset({"operator()", "lambda", "_FUN", "lambda::operator()"})
"""Names that gcc gives every lambda: their file must help."""
_SWIFT_CLOSURE = lazy(r"closure #\d{1,4} ")
# e.g. hg:hg.example.org/shop:src/total.cc:0123abcd
_VCS = lazy(r"^(?:hg|git|svn|s3|cargo|bzr|cvs|src):[^:\n]{1,300}:(?P<path>[^:\n]{1,800})(?::[^:\n]{0,80})?$")
# e.g. libc.so.6
_QUALIFIED = lazy(r"::|^[-+]\[|^[A-Z]\w{0,100}\.[\w.]{1,200}$|^\w{1,60}(?:\.\w{1,100}){2,10}$")
# e.g. 2  libshop.so + 0x1f2e3
_OFFSET_IN_RAW = lazy(
    r"\+ ?0x0*(?P<hex>[0-9a-fA-F]{1,16})\b|[ ]pc[ ]{1,4}(?:0x)?0*(?P<pc>[0-9a-fA-F]{1,16})\b|\b0x[0-9a-f]{6,16} \+ (?P<decimal>\d{1,12})\b"
)
# e.g. SIGSEGV
_SIGNAL_TEXT = lazy(
    r"^(?:Segmentation fault|Aborted|Abort trap|Bus error|Floating point exception|Arithmetic exception|Illegal instruction|Trace/breakpoint trap|SIG\w+|invalid address(?: \(fault address: <?\w+>?\))?|段错误|已放弃|已中止|总线错误|算术异常|非法指令)$"
)


@lru_cache(maxsize=32_768)
def lasting_function(name: str) -> str:
    """Return a function, mangled or printed in full, under its lasting name."""
    if len(name) > _LONGEST:
        return name[:_LONGEST]
    if name.startswith("<") and name.endswith(">"):
        return name
    for _ in range(4):
        shorter = _once(name)
        if shorter == name:
            break
        name = shorter
    return name


def _once(name: str) -> str:
    name = name.strip()
    if not name.startswith("?"):
        name = _SYMBOL_VERSION.sub("", name)
    while (found := _CLONE.search(name, max(len(name) - 130, 0))) is not None and found.start() > 0:
        name = name[: found.start()]
    block = _BLOCK.match(name) or _BLOCK_PLAIN.match(name)
    if block is not None:
        inner = _SELECTOR_CATEGORY.sub(r"\g<head>", block["name"])
        return f"{demangled('_' + inner) or inner if inner.startswith('Z') else inner}_block_invoke"
    if name.startswith(("-[", "+[")):
        return _SELECTOR_CATEGORY.sub(r"\g<head>", name)
    il2cpp = _IL2CPP.match(name)
    if il2cpp is not None:
        return il2cpp["name"]
    for pattern in (_LIBC_VARIANT, _LIBC_ALIAS, _SYSTEM_CALL):
        found = pattern.match(name)
        if found is not None:
            return found["name"]
    plain = demangled(name)
    if plain is None:
        plain = _signature(name)
    plain = _INLINE_NAMESPACE.sub("", plain) if "::" in plain else plain
    return _LAMBDA.sub("lambda", plain) if "$_" in plain or "lambda" in plain else plain


def _signature(name: str) -> str:
    closure = _SWIFT_CLOSURE.search(name) is not None
    if not ("(" in name or "<" in name or " " in name or "`" in name or "[" in name or "{" in name or "'" in name):
        return name
    found = signature(name)
    if found is None or not found.name:
        return name
    return f"{found.name}.closure" if closure else found.name


def file_name(path: str) -> str:
    """Return a source file without folder, revision and host."""
    found = _VCS.match(path)
    if found is not None:
        path = found["path"]
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] or path


def normal_frame(frame: Frame) -> Frame:
    """Return the frame under its lasting name.

    A function that a class qualifies is its own identity. A plain one belongs to its file, else to its library. A nameless
    frame is its file, else library and offset, of the platform the library alone.
    """
    if not frame.raw and frame.lineno is None and _is_normal(frame):
        return (
            frame if frame.column is None else Frame(frame.function, frame.module, frame.filename, in_app=frame.in_app)
        )
    function = lasting_function(frame.function) if frame.function else None
    filename = file_name(frame.filename) if frame.filename else None
    library = lasting_library(frame.module) if frame.module else None
    in_app = frame.in_app and not (function is not None and function_rank(function))
    if function is not None:
        module = None
        if in_app and (not _QUALIFIED.search(function) or _SHARED_NAMES.search(function)):
            module = filename or library
        elif not in_app and library is not None and library_rank(library) == 1:
            module = library
        return Frame(function, module, filename, in_app=in_app)
    if filename is not None:
        return Frame(None, None, filename, in_app=in_app)
    if library is not None and in_app and library != "0x0" and "@0x" not in library:
        library = f"{library}{_offset(frame.raw)}"
    return Frame(None, library, None, in_app=in_app)


def _is_normal(frame: Frame) -> bool:
    if frame.filename is not None and file_name(frame.filename) != frame.filename:
        return False
    if frame.module is not None and lasting_library(frame.module) != frame.module and "@0x" not in frame.module:
        return False
    return frame.function is None or (lasting_function(frame.function) == frame.function and _placed(frame))


def _placed(frame: Frame) -> bool:
    """Whether the module of a named frame is where ``normal_frame`` puts it."""
    return frame.module is None or not (
        _QUALIFIED.search(frame.function or "") and not _SHARED_NAMES.search(frame.function or "") and frame.in_app
    )


def _offset(raw: str) -> str:
    found = _OFFSET_IN_RAW.search(raw)
    if found is None:
        return ""
    digits = found["hex"] or found["pc"] or (f"{int(found['decimal']):x}" if found["decimal"] else "")
    return f"@0x{digits.lower()}"


def is_machinery(frame: Frame) -> bool:
    """Where programs and threads begin, what raises, aborts and throws, what allocates, what a sanitizer intercepts."""
    if frame.function is None:  # one that says nothing, or only that the platform was in it
        return frame.filename is None and (
            frame.module is None or (not frame.in_app and library_rank(frame.module) == 2)
        )
    if frame.function == SIGNAL_HANDLER or (frame.function == "start" and not frame.in_app):  # dyld's
        return True
    if frame.function.startswith(("operator new", "operator delete")):
        return True
    return frame.function in names("native_machinery")


def rank(frame: Frame) -> int:
    """0 the application, 1 a framework, 2 the platform."""
    if frame.in_app:
        return 0
    if frame.function is not None and function_rank(frame.function) == 1:
        return 1
    return 1 if frame.module is not None and library_rank(frame.module) == 1 else 2


def loose_key(frame: Frame) -> str:
    """Return the function without file and library; of a nameless frame the file, else the library without offset."""
    if frame.function is not None:
        return (
            f"{frame.module}.{frame.function}" if frame.module and frame.function in _SAYS_NOTHING else frame.function
        )
    return frame.filename or (frame.module or "?").partition("@0x")[0]


def normal_type(name: str) -> str:
    """Return an exception's class without template arguments and inline namespaces; a signal or a kind of fault as it is."""
    if "::" in name or "<" in name:
        return lasting_function(name)
    return name


def normal_message(exception: RaisedException) -> str | None:
    """Nothing for a signal that is only explained in words: they differ from tool to tool and from language to language."""
    message = exception.message
    if message is not None and (exception.type or "").startswith("SIG") and _SIGNAL_TEXT.match(message):
        return None
    return message


def function_name(raw: str) -> str | None:
    """Return the lasting name of a function printed alone; None if it is not spelled like one of C, C++, Objective-C or Swift."""
    if len(raw) > _LONGEST or "\n" in raw or not _spelled(raw):
        return None
    lasting = lasting_function(raw)
    return lasting if lasting != raw or "::" in raw or raw.startswith(("-[", "+[")) else None


# e.g. (anonymous namespace)::f
_SPELLED = lazy(
    r"_{1,3}Z\w|\?|_?\$[sS]\w|_T0?\w|[-+]\[|_{2}\d{1,5}[-+\[A-Za-z]|\w{1,400}_m[0-9A-Fa-f]{32,40}(?:_gshared)?$|[^\s]{0,300}::|[^\s]{1,300}@{1,2}GLIBC|[^\s]{1,200}\.(?:constprop|isra|part|cold|lto_priv|llvm)\b|[^\n]{0,400}?::|_{0,2}(?:mem|str)\w{1,20}_(?:sse|avx|ssse|evex)"
)


def _spelled(raw: str) -> bool:
    return _SPELLED.match(raw) is not None and not re.search(r"::h[0-9a-f]{16}|\{\{closure\}\}|^<|::<impl", raw)
