"""The lasting names of Ruby files and methods: without gem homes, versions, deploy folders and counters."""

import re
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.model import Frame, RaisedException
from kb.trace.rules import names

# block in, block (2 levels) in, rescue in, ensure in: in whatever order they are nested
_WITHIN = lazy(r"(?:(?:block(?: \(\d{1,4} levels\))?|rescue|ensure|else) in )*+")
# e.g. #<Class:0x00007f1a2b3c4d5e>#run
_OWNER = lazy(
    r"^(?:(?:[A-Z]\w{0,120}|#<Class:[^>\n]{1,200}>|#<[^>\n]{1,200}>)(?:::\w{1,120}){0,12}+|[A-Z]\w{0,120}\(\w{1,120}\))[#.](?=[^\s#.])"
)
_ERB = lazy(r"_{2,3}\d{1,20}_\d{1,12}$")
_COUNTER = lazy(r"(?:_+\d{3,20})+(?=_|$)")
_ADDRESS = lazy(r"0x[0-9a-f]{4,16}(?: [^>\n]{1,200}(?=>))?")
# e.g. /a/gems/rails-7.0.4/exe/rails
_GEM = lazy(
    r"^.{0,800}[/\\](?:gems|bundler[/\\]gems|specs)[/\\](?P<gem>[\w.-]{1,100}?)-(?:\d[\w.]{0,40}(?:-(?:x86|x64|java|arm|aarch|universal|mswin|mingw)[\w.-]{0,30})?|[0-9a-f]{7,12})[/\\](?P<path>[^\n]{1,600})$"
)
_CLEANED_GEM = lazy(r"^(?P<gem>[\w.-]{1,80}) \([\w.-]{1,40}\) (?P<path>[^\n]{1,600})$")
# e.g. /usr/lib/ruby/3.1.0/erb.rb
_STANDARD = lazy(
    r"^.{0,800}[/\\](?:lib(?:64)?|share)[/\\](?:j?ruby[/\\])?(?:ruby|stdlib|vendor_ruby)[/\\](?:(?:site_ruby|vendor_ruby|stdlib)[/\\])?(?:\d\.\d{1,2}(?:\.\d{1,2})?(?:\+\d)?[/\\])?(?:x86_64-linux(?:-gnu)?[/\\])?(?P<path>(?!gems[/\\])[^\n]{1,600})$"
)
_EXTENSION = lazy(r"\.(?:rb|so|bundle)$")
_ANCHORS = frozenset(
    [
        "app",
        "lib",
        "config",
        "db",
        "spec",
        "test",
        "tests",
        "features",
        "bin",
        "exe",
        "script",
        "engines",
        "packs",
        "components",
        "initializers",
        "tasks",
    ]
)
"""Folders that a Ruby project has at its top: what is before them says where it is deployed."""
_PATH = lazy(r"(?<![\w.<>/-])(?:[A-Za-z]:)?(?:/[\w.@+<>-]{1,120}+){2,30}+")
_OPENED = lazy(r"`(?=[^'`\n]{1,200}')")
# e.g. undefined method `prise' for #<struct Item price=3>
_RECEIVER = lazy(
    r" for (?:an instance of |#<(?:struct )?(?=[A-Z]))([A-Z]\w{0,100}+(?:::[A-Z]\w{0,100}+){0,10}+)(?::?(?:0x|<hex>)[^>\n]{0,600}>?|[: ][^\n]{0,600}>|>)?$"
)
_SHARED_NAMES = frozenset(
    ["main", "index", "app", "application", "version", "base", "config", "init", "run", "server", "helper"]
)


@lru_cache(maxsize=8_192)
def label_function(label: str) -> str:
    """Return the method of a label: without ``block in``, ``rescue in``; the class that Ruby 3.4 prints stays."""
    label = label.strip()
    return label[_WITHIN.match(label).end() :] or label  # type: ignore[union-attr]


@lru_cache(maxsize=16_384)
def place(filename: str) -> tuple[str, int]:
    """Return the path to require, wherever the file is installed, and its rank: 0 application, 1 gem, 2 standard library."""
    found = _installed(filename)
    if found is not None:
        path = found["path"].replace("\\", "/")
        # below lib/ stands what is required; elsewhere only the gem's name tells whose file it is
        return _EXTENSION.sub("", path.removeprefix("lib/") if path.startswith("lib/") else f"{found['gem']}/{path}"), 1
    standard = _standard(filename)
    if standard is not None:
        return _EXTENSION.sub("", standard), 2
    if filename.startswith("(eval"):
        return "(eval)", 0
    return _EXTENSION.sub("", _below_root(filename)), 0


def _installed(filename: str) -> re.Match[str] | None:
    return _GEM.match(filename) or _CLEANED_GEM.match(filename)


def _standard(filename: str) -> str | None:
    if filename.startswith(("<", "org/jruby/", "internal:")):
        return filename
    found = _STANDARD.match(filename)
    return found["path"].replace("\\", "/") if found is not None else None


def _below_root(filename: str) -> str:
    """Return an application's file from the project's top on; its name alone where nothing tells where that is."""
    parts = [part for part in filename.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    for at, part in enumerate(parts[:-2]):
        if part in _ANCHORS and not (parts[at + 1] in _ANCHORS and part == "app"):
            return "/".join(parts[at:])
    if len(parts) > 1 and parts[-2] in _ANCHORS and parts[-2] != "app":
        return "/".join(parts[-2:])
    if not parts:
        return filename
    stem = parts[-1].partition(".")[0]
    return "/".join(parts[-2:]) if stem in _SHARED_NAMES and len(parts) > 1 else parts[-1]


def normal_function(name: str) -> str:
    """Return the method without class, addresses and counters: Ruby before 3.4 names no class."""
    name = _OWNER.sub("", name)
    name = _COUNTER.sub("", _ERB.sub("", name)) or name
    return _ADDRESS.sub("", name).replace("Class:>", "Class>")


def normal_frame(frame: Frame) -> Frame:
    """Return the path to require and the method; a block is its method's."""
    function = normal_function(frame.function) if frame.function else frame.function
    return Frame(function, frame.module, frame.module or frame.filename, in_app=frame.in_app)


def is_machinery(frame: Frame) -> bool:
    """Loaders, iterators of the core, thread pools and job runners."""
    module = frame.module or ""
    if module.startswith("<internal:"):
        return True
    return f"{module.replace('/', '.')}.{frame.function}" in names("ruby_machinery") or (
        frame.function in names("ruby_iterators")
    )


def rank(frame: Frame) -> int:
    """0 the application, 1 a gem, 2 the standard library."""
    if frame.in_app:
        return 0
    module = (frame.module or "").replace("/", ".")
    return 2 if module.startswith(("<", "org.jruby")) or f"{module}." in names("ruby_platform") else 1


def loose_key(frame: Frame) -> str:
    """File and method, without its blocks."""
    function = label_function(frame.function) if frame.function else None
    return ".".join(part for part in (frame.module, function) if part)


def normal_type(name: str) -> str:
    """Return the class; a nameless one without its address."""
    return _ADDRESS.sub("", name).replace("Class:>", "Class>").removeprefix("::")


def function_name(raw: str) -> str | None:
    """Return a label as a backtrace prints it; None for what could be any runtime's."""
    if _ERB.search(raw):
        return _ERB.sub("", raw)
    within = _WITHIN.match(raw)
    if within is not None and within.end():
        return _OWNER.sub("", raw[within.end() :])
    return raw if raw in ("<main>", "<top (required)>") else None


def normal_message(exception: RaisedException) -> str | None:
    """Return the message without suggestions; ``nil:NilClass`` and ``nil`` are the same since Ruby 3.4."""
    message = exception.message
    if not message:
        return message
    first, _, rest = message.partition("\n")
    if first.startswith("undefined "):
        first = _RECEIVER.sub(r" for \1", _OPENED.sub("'", first))
        first = first.replace(" for nil:NilClass", " for nil").replace(" for main:Object", " for main")
    if "/" in first:
        first = _PATH.sub(lambda found: place(found[0])[0] if found[0].endswith((".rb", ".erb")) else found[0], first)
    rest = "\n".join(line for line in rest.split("\n") if not line.startswith("Did you mean?")).strip()
    return f"{first}\n{rest}".strip() or None
