"""The lasting names of Rust functions: demangled, without hashes, crate ids and closure numbers."""

from functools import lru_cache

from kb.patterns import lazy
from kb.trace.model import Frame
from kb.trace.rules import names
from kb.trace.runtimes.rust.mangling import demangled

_HASH = lazy(r"::h[0-9a-f]{16}$")
_CRATE_ID = lazy(r"(?<=\w)(?:\[[0-9a-f]{4,16}\])++")
# e.g. acme::load::{{closure}}
_CLOSURE = lazy(
    r"\{\{?closure(?:#\d{1,6}|\[\d{1,6}\])?\}\}?"
    r"|\{(?:closure|async_fn|async_block|async_closure|gen_fn|gen_block|async_gen_fn|async_gen_block|coroutine)(?:_env)?#\d{1,6}\}"
)
_CLONE = lazy(r"(?:\.(?:llvm|part|isra|constprop)\.\d{1,20}|\.cold(?:\.\d{1,9})?)$")
_IMPL = lazy(r"\{\{?impl(?:#\d{1,6}|\[\d{1,6}\])?\}\}?")
# e.g. core::ops::function::FnOnce::call_once{{vtable.shim}}
_SHIM = lazy(r"(?:::)?\{\{?(?:vtable\.shim|shim:\w{1,20}(?:#\d{1,6})?|reify\.shim[\w-]{0,40}|shim)\}\}?$")
_COMMA = lazy(r",[ \t]++")
_TURBOFISH = lazy(r"::<(?!impl )")  # the newer mangling prints f::<T> for f<T>
_INHERENT = lazy(r"^<(?P<type>[\w:]{1,300})>(?=::)")
# e.g. /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/rt.rs
_RUSTC = lazy(
    r"^.{0,400}?/rustc/[\w.-]{4,80}/+|^.{0,400}?/(?:checkout|rust-src|rust)/(?=(?:src/lib)?(?:core|std|alloc)|library/)|^.{0,400}?/lib/rustlib/src/rust/"
)
# e.g. /home/u/.cargo/git/checkouts/acme-0a1b2c3d/4e5f6a7/src/lib.rs
_REGISTRY = lazy(
    r"^.{0,600}?[/\\](?:registry[/\\]src[/\\][^/\\]{1,100}|git[/\\]checkouts[/\\][^/\\]{1,100}[/\\][0-9a-f]{4,40}|vendor)[/\\](?P<path>[^\n]{1,600})$"
)
# e.g. `tokio-1.28.0/src/task.rs`
_VERSION = lazy(r"^(?P<crate>[\w-]{1,100}?)-\d{1,9}\.\d{1,9}(?:\.\d{1,9})?[\w.+-]{0,60}(?=/)")
_OLD_LIBRARY = lazy(r"^(?:src/)?lib(?:std|core|alloc|panic_unwind|panic_abort|test|backtrace)/")
_OWN = lazy(r"^.{0,600}/(?=(?:src|tests|benches|examples|fuzz_targets)/)")
_TRAIT_IMPL = lazy(r"^<(?P<type>.{1,600}?) as (?P<trait>.{1,600}?)>::")
_PARAMETER = lazy(r"^(?:[&*]|mut |const |dyn |\[|\()*(?:[A-Z]\w?|[A-Z])(?:$|[^\w:])")
_FOR = lazy(r"<impl (?P<trait>.{1,600}?) for (?P<type>.{1,600}?)>")
_LEADING = lazy(r"^(?:[<&*(\[ ]|mut |const |dyn |impl |_<|_::)+")


@lru_cache(maxsize=16_384)
def printed_name(name: str) -> str:
    """Return the name as the runtime means it: demangled, without the hash of the legacy mangling."""
    plain = demangled(_CLONE.sub("", name.strip()))
    while "[" in plain and (shorter := _CRATE_ID.sub("", plain)) != plain:  # one may be within another
        plain = shorter
    return _HASH.sub("", plain)


@lru_cache(maxsize=16_384)
def lasting_name(name: str) -> str:
    """Return the function under its lasting name; idempotent."""
    plain = printed_name(name)
    plain = _CLOSURE.sub("{{closure}}", plain)
    plain = _IMPL.sub("{{impl}}", plain)
    plain = _COMMA.sub(",", plain)
    plain = _SHIM.sub("", plain)
    plain = _TURBOFISH.sub("<", plain)
    return _INHERENT.sub(lambda found: found["type"], plain)


def without_arguments(name: str) -> str:
    """Type arguments as <T>, the trait of an implementation kept: ``acme::Cache<u32>::get`` → ``acme::Cache<T>::get``."""
    if "<" not in name:
        return name
    if name.startswith("<") or "::<impl " in name:
        return _collapsed(name)
    return _collapsed(name).replace("::<T>", "")


def _collapsed(name: str) -> str:
    """Angle brackets as ``<T>``, but those that hold ``A as B`` or ``impl B for A``: theirs are collapsed inside."""
    kept: list[str] = []
    open_: list[tuple[int, bool]] = []
    for at, char in enumerate(name):
        if char == "<":
            outer = not open_
            is_kept = outer and (at == 0 or name.startswith("impl ", at + 1))
            if all(kept_ for _, kept_ in open_):
                kept.append("<")
            open_.append((at, is_kept))
        elif char == ">" and open_ and name[at - 1] not in "-=":
            _, is_kept = open_.pop()
            if all(kept_ for _, kept_ in open_):
                kept.append(">" if is_kept else "T>")
        elif all(kept_ for _, kept_ in open_):
            kept.append(char)
    return "".join(kept)


@lru_cache(maxsize=16_384)
def rank_of(function: str) -> int:
    """0 the application, 1 a crate of others, 2 the standard library or C; by the bundled lists."""
    key = _owner(function)
    if key in names("rust_platform") or function.startswith("{"):
        return 2
    return 1 if key in names("rust_framework") else 0


def _owner(function: str) -> str:
    """Return the path by which a function belongs to a crate, with dots: of ``<A as B>::f`` the type, of ``<F as B>::f`` the trait."""
    path = function
    found = _TRAIT_IMPL.match(function) if function.startswith("<") else _FOR.search(function)
    if found is not None:
        own = _LEADING.sub("", found["type"])
        is_open = _PARAMETER.match(found["type"]) or "::" not in own
        path = _LEADING.sub("", found["trait"]) if is_open else own
        path = path.partition("<")[0] + "::"
    plain = _collapsed(_LEADING.sub("", path)).replace("::<T>", "").replace("<T>", "")
    return plain.replace("::", ".").replace("{{closure}}", "").replace(" ", "")


def is_installed(filename: str | None) -> bool:
    """Whether a file belongs to the toolchain or to a crate that cargo fetched."""
    if not filename:
        return False
    path = filename.replace("\\", "/")
    return bool(
        _RUSTC.match(path)
        or _REGISTRY.match(path)
        or _OLD_LIBRARY.match(path)
        or path.startswith(("library/", "./csu/", "./nptl/", "../sysdeps/"))
    )


@lru_cache(maxsize=16_384)
def lasting_file(filename: str) -> str:
    """Return the file below its crate: no toolchain, registry or folder of the build; idempotent."""
    path = filename.replace("\\", "/")
    compiler = _RUSTC.match(path)
    if compiler is not None:
        return path[compiler.end() :]
    registry = _REGISTRY.match(path)
    if registry is not None:
        return _VERSION.sub(lambda found: found["crate"], registry["path"])
    own = _OWN.match(path) if path.startswith("/") or path[1:2] == ":" else None
    return path[own.end() :] if own is not None else path.removeprefix("./")


def normal_frame(frame: Frame) -> Frame:
    """Return the frame under its lasting name; a place without a function keeps its file as its name."""
    function = lasting_name(frame.function) if frame.function else None
    filename = lasting_file(frame.filename) if frame.filename else None
    is_own = frame.in_app and not (function and rank_of(function) != 0)
    return Frame(function=function, module=None, filename=filename, in_app=is_own)


def is_machinery(frame: Frame) -> bool:
    """How a panic is raised, how threads and programs begin, how an error captures its backtrace."""
    if not frame.function:
        return not frame.filename
    return _owner(frame.function) in names("rust_machinery") or frame.function == "main"


def rank(frame: Frame) -> int:
    """0 the application, 1 a crate of others, 2 the standard library."""
    if frame.in_app:
        return 0
    return max(1, rank_of(frame.function)) if frame.function else 2


def loose_key(frame: Frame) -> str:
    """Return the function without type arguments and closures; of a mere place the file."""
    if not frame.function:
        return frame.filename or "?"
    return without_arguments(frame.function).replace("::{{closure}}", "")


def normal_type(name: str) -> str:
    """``panic`` lasts as it is."""
    return name


# e.g. _ZN4acme4load17h0123456789abcdefE
_TELLING = lazy(
    r"::h[0-9a-f]{16}$|^_R[A-Za-z]|^_ZN\d.*17h[0-9a-f]{16}E|^<.{1,400} as .{1,400}>::|\{\{?closure|::<impl |\{\{?impl"
)


def function_name(raw: str) -> str | None:
    """Return the lasting name of a Rust function printed alone; None unless its spelling is Rust's."""
    name = raw.strip()
    if len(name) > 2_000 or _TELLING.search(name) is None:
        return None
    found = lasting_name(name)
    return found if found != name or "::" in found else None
