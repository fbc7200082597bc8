"""The lasting names of PHP files and functions: without deploy folders, arguments, hashes of compiled templates."""

import re
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.model import Frame, RaisedException
from kb.trace.rules import names

# e.g. /srv/shop-php/vendor/acme/http/src/Client.php
_VENDOR = lazy(r"^.{0,800}[/\\](?:vendor|node_modules|bower_components)[/\\](?P<path>[^\n]{1,600})$")
_VENDOR_RELATIVE = lazy(r"^vendor[/\\](?P<path>[^\n]{1,600})$")
# e.g. phar:///usr/local/bin/tool.phar/src/X.php
_PHAR = lazy(r"^(?:phar:)?.{0,800}?/(?P<path>[\w.-]{1,80}(?:\.phar|(?<=bin/composer)|(?<=bin/drush))/[^\n]{1,600})$")
# e.g. `/usr/share/php/PEAR/Exception.php`
_SYSTEM = lazy(r"^.{0,200}[/\\](?:share|lib|local[/\\]lib)[/\\](?:php\d?|pear)[/\\](?P<path>[^\n]{1,600})$")
# e.g. /var/www/html/wp-content/plugins/acme/a.php
_WORDPRESS = lazy(
    r"^.{0,800}[/\\](?P<path>(?P<part>wp-content|wp-includes|wp-admin)[/\\][^\n]{1,600}|wp-[a-z-]{3,30}\.php)$"
)
# e.g. /srv/src/a.php(3) : eval()'d code
_CODE = lazy(r"\(\d{1,9}\) : (?:eval\(\)'d code|runtime-created function|assert code|regexp code)")
_EXTENSION = lazy(r"\.(?:php\d?|phtml|inc|module|phar|twig)$")
_ANCHORS = frozenset(
    [
        "app",
        "src",
        "lib",
        "public",
        "routes",
        "bootstrap",
        "config",
        "database",
        "tests",
        "test",
        "resources",
        "storage",
        "web",
        "application",
        "thinkphp",
        "modules",
        "packages",
        "controllers",
        "controller",
        "model",
        "templates",
        "inc",
        "includes",
        "sites",
        "core",
        "bin",
        "generated",
        "var",
        "runtime",
        "framework",
        "protected",
        "system",
        "plugins",
        "themes",
        "view",
        "views",
    ]
)
"""Folders that a PHP project has at its top: what is before them says where it is deployed."""
_SHARED_NAMES = frozenset(
    [
        "index",
        "main",
        "app",
        "config",
        "init",
        "functions",
        "bootstrap",
        "common",
        "base",
        "core",
        "helper",
        "helpers",
        "run",
    ]
)

# e.g. /srv/x/storage/framework/views/0123456789abcdef0123456789abcdef01234567.php
_HASHED_FILE = lazy(r"(?<=/)[0-9a-f]{2}/[0-9a-f]{40,64}\.php|(?<=/)[0-9a-f]{32,64}(?=\.php|$)|(?<=/)\d{4,}(?=\.php)")
_ANONYMOUS = lazy(r"(@anonymous)(?:[\x00 %$/][^\n]{0,600}?)?(?=->|::|$)")
_CLOSURE = lazy(r"\{closure:(?P<where>[^\n]{1,400}?):\d{1,9}\}")
_GENERATED = (
    (lazy(r"__TwigTemplate_[0-9a-f]{20,80}(?:___\d{1,12})?"), "__TwigTemplate"),
    (
        lazy(
            r"(?<![A-Za-z])Container(?=[A-Za-z0-9]{7}(?![a-z]))(?=[A-Za-z]{0,6}\d|[a-z]{0,6}[A-Z])[A-Za-z0-9]{7}(?=[\\/])"
        ),
        "Container",
    ),
    (lazy(r"(Composer(?:AutoloaderInit|StaticInit))[0-9a-f]{32}"), r"\1"),
    (lazy(r"(Mockery)_\d{1,6}_"), r"\1_"),
    (lazy(r"^(Double\\[\w\\]{1,200}\\P)\d{1,6}(?=->|::|$)"), r"\1"),  # Prophecy
    (lazy(r"\bcontent_[0-9a-f]{12,40}(?:_\d{1,12})?"), "content"),
    (lazy(r"\x00?lambda_\d{1,9}"), "lambda"),
    (lazy(r"(?<=[A-Za-z])_[0-9a-f]{7,8}(?=(?:->|::|$|_Proxy))(?<=[0-9a-f])"), ""),
    (lazy(r"(?<=Mock_)(\w{1,200})_[0-9a-f]{8}"), r"\1"),
    (lazy(r"Ghost[0-9a-f]{7}"), "Ghost"),
)


@lru_cache(maxsize=16_384)
def place(filename: str) -> tuple[str, int]:
    """Return the file wherever it is deployed, without extension; 0 the application, 1 a package or framework, 2 PHP."""
    path = _CODE.sub("", filename).replace("\\", "/")
    found = _VENDOR.match(path) or _VENDOR_RELATIVE.match(path)
    if found is not None:
        return _named(found["path"]), 1
    wordpress = _WORDPRESS.match("/" + path.lstrip("/"))
    if wordpress is not None:
        return _named(wordpress["path"]), 0 if wordpress["part"] == "wp-content" else 1
    found = _PHAR.match(path) or _SYSTEM.match(path)
    if found is not None:
        return _named(found["path"]), 1
    file = _named(_below_root(path))
    return file, 1 if f"{file.replace('/', '.')}." in names("php_framework_files") else 0


def _named(path: str) -> str:
    path = _HASHED_FILE.sub("view", path)
    for pattern, name in _GENERATED[1:2]:
        path = pattern.sub(name, path)
    return _EXTENSION.sub("", path)


def _below_root(path: str) -> str:
    """Return an application's file from the project's top on; its name alone where nothing tells where that is."""
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    if path.startswith("/") and "current" in parts[:-1]:  # the link to the release in use, whatever folder it is in
        path = "/".join(parts[parts.index("current") + 1 :])
        parts = path.split("/")
    for at, part in enumerate(parts[:-1]):
        if at == 0 and path.startswith("/"):  # /app, /var, /web: the machine's folders
            continue
        is_root = part in ("app", "web", "application", "public") and (
            at + 2 == len(parts) or parts[at + 1] in _ANCHORS
        )
        if part.lower() in _ANCHORS and not (is_root and path.startswith("/")):
            return "/".join(parts[at:])
    if not parts:
        return path
    stem = parts[-1].partition(".")[0]
    return "/".join(parts[-2:]) if stem in _SHARED_NAMES and len(parts) > 2 else parts[-1]


@lru_cache(maxsize=16_384)
def normal_function(name: str) -> str:
    """Return the function without what a compiler of templates, a mock or a closure's line put into its name."""
    name = _ANONYMOUS.sub(r"\1", name)
    for _ in range(3):  # closures within closures
        name, count = _CLOSURE.subn(lambda found: "{closure in " + found["where"].removesuffix("()") + "}", name)
        if not count:
            break
    for pattern, lasting in _GENERATED:
        name = pattern.sub(lasting, name)
    return name


def normal_frame(frame: Frame) -> Frame:
    """Return the frame as file of the call and function called."""
    function = normal_function(frame.function) if frame.function else frame.function
    return Frame(function, frame.module, frame.module or frame.filename, in_app=frame.in_app)


def in_app_function(name: str) -> bool:
    """Whether a function that PHP itself called is the application's: in a namespace, and in no framework's."""
    return "\\" in name.lstrip("\\") and _dotted(name) not in names("php_framework")


def _dotted(name: str) -> str:
    return re.sub(r"\\|->|::", ".", name.lstrip("\\"))


def is_machinery(frame: Frame) -> bool:
    """Pipelines, front controllers, loaders."""
    if frame.function is None:
        return False
    return _dotted(frame.function) in names("php_machinery")


def rank(frame: Frame) -> int:
    """0 called from the application, 1 from a package, 2 from PHP itself."""
    if frame.in_app:
        return 0
    return 1 if frame.module else 2


def loose_key(frame: Frame) -> str:
    """File and function; of a closure only the file, for releases of PHP name them differently."""
    function = frame.function
    if function is not None and "{closure" in function:
        function = "{closure}"
    return ".".join(part for part in (frame.module, function) if part) or "?"


def normal_type(name: str) -> str:
    """Return the class without the leading backslash and what makes an anonymous class unique."""
    return normal_function(name).lstrip("\\")


_CALLED_IN = lazy(r",? called in [^\n]{1,600}? on line (?:\d{1,9}|<int>)(?: and defined)?")
_PATH = lazy(r"(?<![\w.<>/\\-])(?:[A-Za-z]:)?(?:/[\w.@+<>-]{1,120}+){2,30}+")


def normal_message(exception: RaisedException) -> str | None:
    """Return the message without the caller's place, and with files as they are known wherever they are deployed."""
    message = exception.message
    if message and exception.type == "WordPress database error":
        message = message.partition(" for query ")[0]
    if not message or ("/" not in message and "called in" not in message):
        return message
    return _PATH.sub(lambda found: _lasting_path(found[0]), _CALLED_IN.sub("", message))


def _lasting_path(path: str) -> str:
    """Return a file that a message names, wherever it is deployed; a folder stays."""
    name, dot, _ = path.rpartition("/")[2].rpartition(".")
    if not dot or not name:
        return path
    lasting, extension = place(path)[0], path[path.rindex(".") :]
    return lasting if extension == ".php" or lasting.endswith(extension) else lasting + extension


def function_name(raw: str) -> str | None:
    r"""Return the lasting name of what only PHP spells so: ``A\\B->c``, ``{closure}``, a namespaced ``A\\B::c``."""
    name = raw.strip().removesuffix("()")
    if re.fullmatch(r"[\w\\@{}:()$./>-]{1,400}", name) and (
        "->" in name or "{closure" in name or ("\\" in name and "::" in name)
    ):
        return normal_function(name)
    return None
