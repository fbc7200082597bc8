"""Where a frame's script lasts: the path that does not change with the machine, the release, the bundle or the address.

A package is known by its path below ``node_modules`` or on its CDN, without version; an application's file by its path
below the folder of sources, or by its name, for where a program is deployed says nothing.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from urllib.parse import unquote

from kb.patterns import lazy
from kb.trace.rules import names

# A script's own name: without ending, version and the content hash that a bundler put into it.

# e.g. index.android.bundle
SCRIPT_END = lazy(
    r"(?:\.(?:bundle|chunk|min|prod|dev|development|production|esm|umd|cjs|global|es5|legacy|d))*"
    r"\.(?:[cm]?[jt]sx?|vue|svelte|astro|jsbundle|bundle|jsc|hbc|coffee|html?|es6?|gs|mdx|marko)$"
)
_EXTENSION = lazy(r"\.[A-Za-z0-9]{1,8}$")
# Hashes and versions in a bundle's name: main.3f2a1c9b.js, index-BxH3k9_a.js, jquery-3.6.0.js, 3f2a1c9b.js
_HEX = r"(?=[a-f]{0,40}\d)[0-9a-f]{6,64}|[a-f]{8}|[a-f]{16}|[a-f]{20}"
_HASHED = lazy(rf"^(?P<stem>.+?)[.~_-](?:{_HEX})(?=$|[.~_-])")
_CODED = lazy(r"^(?P<stem>.+?)[.-](?P<code>[A-Za-z0-9_-]{8})$")
# e.g. Node.js v20.20.2
VERSIONED = lazy(r"[.@_-]v?\d{1,9}(?:\.\d{1,9}){1,4}(?:[-+.](?:alpha|beta|rc|canary|next|dev|pre)[\w.-]{0,40})?$")
_ALL_HASH = lazy(rf"(?:{_HEX}|\d{{1,20}}|[A-Z2-7]{{8}})$")


def ending_of(last: str) -> str:
    """Return the ending of a script's name, with its dot; "" for what is no script."""
    found = _EXTENSION.search(last)
    return found[0] if found is not None and SCRIPT_END.search(last) else ""


def stem_of(last: str, *, is_address: bool) -> str:
    """Return a script's name without its ending, version and content hash."""
    stem = SCRIPT_END.sub("", last)
    if not is_address and stem == last:
        return last
    before = ""
    while stem != before:
        before = stem
        found = _HASHED.match(stem)
        if found is not None:
            stem = found["stem"] + stem[found.end() :]
        coded = _CODED.match(stem)
        if coded is not None and _is_code(coded["code"], is_address=is_address):
            stem = coded["stem"]
        stem = re.sub(r"[.-](?:bundle|chunk|min|prod|dev|development|production)$", "", stem)
        stem = VERSIONED.sub("", stem) or stem
    return "<chunk>" if _ALL_HASH.match(stem) and (is_address or not stem.isdigit()) else stem


def _is_code(code: str, *, is_address: bool) -> bool:
    """Whether eight characters are a hash of esbuild or rollup and not a word."""
    if re.fullmatch(r"[A-Z2-7]{8}", code):
        return any(c.isdigit() for c in code) or is_address
    if not is_address:
        return False
    turns = sum(a.isalpha() and b.isalpha() and a.isupper() != b.isupper() for a, b in pairwise(code))
    has_digit = any(c.isdigit() for c in code)
    return (has_digit and any(c.isupper() for c in code)) or turns >= 3


NATIVE = frozenset(
    {
        "<anonymous>",
        "native",
        "native code",
        "[native code]",
        "unknown location",
        "unknown source",
        "unknown",
        "<native>",
    }
)
"""What engines print for the place of a function that has no script."""
_NATIVE_ELSE = lazy(r"index \d{1,6}$|wasm-function\[\d{1,9}\](?::0x[0-9a-f]{1,16})?$|<wasm>$")

# e.g. http://h/a.js
_SCHEME = lazy(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{1,30}):(?://(?P<host>[^/]{0,300})/?|/{0,3})(?P<path>.*)$", re.DOTALL)
_DRIVE = lazy(r"[A-Za-z]:[\\/]")
_NODE_OWN = lazy(r"(?:node:|internal/)(?P<path>[\w./-]{1,200})$")
_NODE_BARE = lazy(r"(?P<name>_?[a-z_0-9]{2,40})\.js$")
_PLATFORM_SCHEMES = frozenset(
    {
        "node",
        "ext",
        "deno",
        "bun",
        "native",
        "chrome",
        "resource",
        "self-hosted",
        "wasm",
        "jar",
        "electron",
        "about",
        "builtin",
    }
)
_EXTENSION_SCHEMES = frozenset(
    {
        "chrome-extension",
        "moz-extension",
        "safari-extension",
        "safari-web-extension",
        "webkit-masked-url",
        "ms-browser-extension",
        "user-script",
    }
)
# e.g. webpack
_BUNDLER = lazy(r"(?:webpack(?:-internal|-generated)?|turbopac?k|rspack|parcel|vite|metro|meteor|ng|rollup|rsc)$")
# e.g. webpack/webpack/bootstrap
_BUNDLER_OWN = lazy(
    r"(?:webpack/|\(webpack\)|\[turbopack\]|\[next\]|external |delegate |ignored |container/|@vite/|@react-refresh|@id/|vite/)"
)
_QUERY = lazy(r"\?[^/]{0,500}$")
_ROOM = lazy(r"(?:\([\w-]{1,40}\)/|\[project\]/|_N_E/|\./|\.\./)")
# e.g. <eval>
_CONSOLE = lazy(
    r"(?:evalmachine\.<anonymous>|\[(?:eval\d{0,4}|stdin|worker eval)\](?:-wrapper)?|REPL\d{1,6}|VM\d{1,9}|debugger eval code.*|eval code"
    r"|Unknown script code|Web Inspector console|<(?:anonymous|stdin|eval|input|console)>|\((?:anonymous|unknown|native)\))$"
)
_PACKAGES = lazy(r"(?:^|/)(?:node_modules|bower_components|jspm_packages)/(?!\.)")
_STORE = lazy(r"^\.?(?:pnpm|store|yarn|bun|deno|deps|vite|cache)/")
_VITE_DEPS = lazy(r"node_modules/\.vite[\w-]{0,20}/(?:deps[\w-]{0,20}/)?")
# e.g. https://cdnjs.cloudflare.com/ajax/libs/jquery/3.6.0/jquery.min.js
_CDN = lazy(
    r"(?:unpkg\.com|[\w.-]{0,60}jsdelivr\.net/npm|[\w.-]{0,60}jsdelivr\.net/gh/[\w.-]{1,60}|cdnjs\.[\w.]{2,40}/ajax/libs|ajax\.googleapis\.com/ajax/libs"
    r"|ajax\.aspnetcdn\.com/ajax|esm\.sh(?:/v\d{1,4})?|cdn\.skypack\.dev|deno\.land(?:/x)?|jsr\.io|ga\.jspm\.io|code\.jquery\.com|lib\.baomitu\.com"
    r"|cdn\.bootcdn\.net/ajax/libs|cdn\.staticfile\.(?:org|net)|cdn\.bootcss\.com|stackpath\.bootstrapcdn\.com|polyfill\.io|(?:stable/)?npm:)/"
)
# e.g. `v1.2.3-beta.4`
_PASSING = lazy(
    r"(?:v?\d{1,9}(?:[._-]\d{1,9}){0,5}(?:[-+.](?:alpha|beta|rc|canary|next|dev)[\w.-]{0,40})?|(?=[a-f]{0,40}\d)[0-9a-f]{7,64}"
    r"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|v\d{1,5}|build-?\d{1,9}|r\d{1,9}|\d{8}T?\d{4,9}Z?)$"
)
_AT_VERSION = lazy(r"(?<=[\w*])@[\w.^~+-]{1,60}(?=$|[/_(])")
# Folders of an address that hold files of any kind
# Where sources begin in a checkout or a build; the first that is in a path wins
_SOURCES = ("src", "dist", "build", "out", ".output", ".next", "lib-dist", "compiled", "www", "standalone")
_BUILT = frozenset({"server", "static", "chunks", "esm", "cjs", "js", "main", "src"})
_ROOTS = lazy(r"^/?(?:usr/src/|var/task/|var/www/|workspace/|layers/)")
_ROOT_DEPTH = 3  # /srv/shop/index.js
_LASTING = "~/"  # before a path that is lasting already


def is_native_place(text: str | None) -> bool:
    """Whether this is what engines print for the place of a function without script."""
    return text is not None and (text in NATIVE or _NATIVE_ELSE.match(text) is not None)


@dataclass(frozen=True, slots=True)
class ModulePath:
    """Lasting module path, lasting file name, and rank: 0 application, 1 package, 2 platform."""

    module: str | None
    filename: str | None
    rank: int


_IS_NATIVE = ModulePath(None, "<native>", 2)
_IS_CONSOLE = ModulePath("<console>", "<console>", 0)
_WITHOUT_SCRIPT = {
    "<native>": _IS_NATIVE,
    "<console>": _IS_CONSOLE,
    "<page>": ModulePath(None, "<page>", 0),
    "<blob>": ModulePath(None, "<blob>", 0),
}
_REACT_COPY = lazy(r"^about://React/\w{1,40}/")  # React's copies of a server's frames: the file's address follows


@lru_cache(maxsize=8_192)
def place_of(file: str | None, *, is_native: bool = False) -> ModulePath:
    """Return the lasting place of a script."""
    if is_native or not file:
        return _IS_NATIVE if is_native else ModulePath(None, None, 0)
    known = _WITHOUT_SCRIPT.get(file) or (_IS_CONSOLE if _CONSOLE.match(file) else None)
    if known is not None:
        return known
    node = _NODE_OWN.match(file)
    if node is not None:
        return _platform("node:" + _node_path(node["path"], is_internal=file.startswith("internal/")))
    bare = _NODE_BARE.match(file)
    if bare is not None and bare["name"] in names("javascript_node"):
        return _platform(f"node:{bare['name']}")
    return _scripted(_REACT_COPY.sub("", _QUERY.sub("", file.replace("\\", "/"))))


def _platform(module: str) -> ModulePath:
    return ModulePath(module, module, 2)


def _node_path(path: str, *, is_internal: bool) -> str:
    path = path.removesuffix(".js")
    return f"internal/{path}" if is_internal and not path.startswith("internal/") else path


def _scripted(path: str) -> ModulePath:
    if path.startswith("(index)"):
        return ModulePath(None, "<page>", 0)
    found = _SCHEME.match(path) if not _DRIVE.match(path) else None
    if found is None:
        return _local(path)
    scheme, host, rest = found["scheme"].lower(), found["host"] or "", found["path"]
    if scheme in ("http", "https", "ws", "wss"):
        return _address(host, rest)
    if _BUNDLER.match(scheme):
        return _bundled(f"{host}/{rest}" if host.startswith((".", "[", "(")) else rest)
    return _foreign(scheme, host, rest) or _local(("/" + rest) if scheme == "file" and not _DRIVE.match(rest) else rest)


def _foreign(scheme: str, host: str, rest: str) -> ModulePath | None:
    """Return what is no file of the application: a runtime's own scripts, browser extensions, scripts made from data."""
    if scheme in ("blob", "data", "filesystem"):
        return ModulePath(None, "<blob>", 0)
    if scheme in _PLATFORM_SCHEMES:
        return _platform(f"{scheme}:{'/'.join(part for part in (host, rest) if part).removesuffix('.js')}")
    if scheme in _EXTENSION_SCHEMES:
        return ModulePath(f"{scheme}/{_stem_path(rest)}", f"{scheme}:{_file_path(rest)}", 1)
    return None


def _bundled(path: str) -> ModulePath:
    """Return a module as a bundler names it: ``./src/x.ts``, ``(rsc)/./src/page.tsx``, ``./node_modules/…``."""
    if _BUNDLER_OWN.match(path):
        return ModulePath(f"webpack/{_stem_path(path)}", f"webpack:{path}", 1)
    while (room := _ROOM.match(path)) is not None:
        path = path[room.end() :]
    return _local(path)


def _address(host: str, path: str) -> ModulePath:
    whole = f"{host}/{path}"
    if _VITE_DEPS.search(path) or _PACKAGES.search(path):
        return _local(path)
    cdn = _CDN.search(whole) if "." in host else None
    if cdn is not None and cdn.start() <= len(host):
        return _package(whole[cdn.end() :])
    for prefix in ("@fs/", "_next/webpack-internal:/"):
        if path.startswith(prefix):
            return _local("/" + path.removeprefix(prefix))
    if _BUNDLER_OWN.match(path):
        return _bundled(path)
    parts = _lasting(path)
    if not parts or not SCRIPT_END.search(parts[-1]) or parts[-1].endswith((".html", ".htm")):
        return ModulePath(None, "<page>", 0)  # a script within a page, whose address is data
    while len(parts) > 1 and parts[0].lower() in names("javascript_shelves"):
        parts = parts[1:]
    return _ranked(
        "/".join([*(p for p in parts[:-1] if p.lower() not in names("javascript_shelves")), parts[-1]]), is_address=True
    )


def _local(path: str) -> ModulePath:
    """Return a file of a machine, or below a bundler's root."""
    if path.startswith(_LASTING):
        return _ranked(path.removeprefix(_LASTING), is_address=False)
    path = _decoded(path)
    vite = _VITE_DEPS.search(path)
    if vite is not None:
        return _package(re.sub(r"^chunk-[A-Z0-9]{8}", "chunk", path[vite.end() :]))
    ends = [found.end() for found in _PACKAGES.finditer(path)]
    if ends:
        return _package(path[ends[-1] :])
    if path.startswith("npm:"):
        return _package(path.removeprefix("npm:"))
    return _ranked("/".join(_below_sources(path)), is_address=False)


def _package(path: str) -> ModulePath:
    path = _STORE.sub("", _AT_VERSION.sub("", path))
    parts = [
        part for at, part in enumerate(path.split("/")) if part and part != "." and not (at and _PASSING.match(part))
    ]
    if not parts:
        return ModulePath(None, None, 1)
    stem = stem_of(parts[-1], is_address=True) if SCRIPT_END.search(parts[-1]) else parts[-1]
    if len(parts) == 1:
        stem = VERSIONED.sub("", stem)
    return ModulePath("/".join([*parts[:-1], stem]), "node_modules/" + "/".join(parts), 1)


def _below_sources(path: str) -> list[str]:
    """Return the parts of an application's path that last: below its sources, else the file, with its folder if need be."""
    is_whole = path.startswith(("/", "~")) or _DRIVE.match(path) is not None
    cut = _ROOTS.sub("", path)
    parts = _lasting(cut)
    if not parts:
        return []
    for mark in _SOURCES:
        if mark in parts[:-1]:
            parts = parts[parts.index(mark) + 1 :]
            while len(parts) > 1 and parts[0] in _BUILT:
                parts = parts[1:]
            return parts
    if not is_whole:
        return parts
    # the folder helps where the name says little, unless it is the one that everything was put into
    has_folder = len(parts) > _ROOT_DEPTH and parts[-2] not in names("javascript_roots")
    return (
        parts[-2:] if has_folder and stem_of(parts[-1], is_address=False) in names("javascript_stems") else parts[-1:]
    )


def _lasting(path: str) -> list[str]:
    """Return the parts of a path without versions, hashes, releases."""
    parts = [part for part in _decoded(path).split("/") if part not in ("", ".", "..", "~")]
    return [_AT_VERSION.sub("", VERSIONED.sub("", part)) for part in parts[:-1] if not _PASSING.match(part)] + parts[
        -1:
    ]


def _decoded(path: str) -> str:
    return unquote(path, errors="replace") if "%" in path else path


def _ranked(path: str, *, is_address: bool) -> ModulePath:
    """Return the module of a path, and whether its name betrays a library that was copied or bundled."""
    if not path:
        return ModulePath(None, None, 0)
    folder, _, last = path.rpartition("/")
    stem = stem_of(last, is_address=is_address)
    module = f"{folder}/{stem}" if folder else stem
    name = f"{folder}/{stem}{ending_of(last)}" if folder else stem + ending_of(last)
    is_library = (is_address or VERSIONED.search(SCRIPT_END.sub("", last)) or ".min." in last) and stem in names(
        "javascript_framework"
    )
    return ModulePath(module, f"node_modules/{name}", 1) if is_library else ModulePath(module, _LASTING + name, 0)


def _file_path(path: str) -> str:
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def _stem_path(path: str) -> str:
    return SCRIPT_END.sub("", _file_path(path))
