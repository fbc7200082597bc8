"""A message as a template: its variable parts become named placeholders, its meaning stays.

One alternation, tried from left to right: placeholders that stand there already and codes that are meaning
(``ORA-00942``, ``errno 111``, ``utf-8``) are kept, everything variable is named. So a template is its own template.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from kb.redact import redact

PLACEHOLDERS = frozenset(
    [
        "int",
        "float",
        "hex",
        "ip",
        "hostname",
        "uuid",
        "date",
        "duration",
        "url",
        "email",
        "quoted",
        "md5",
        "sha1",
        "git_sha",
        "hash",
        "traceparent",
        "id",
        "pod",
        "user",
        "bool",
        "local",
        "secret",
        "path",
    ]
)

_L = r"(?<![A-Za-z0-9])"  # a token begins: not \b, for digits beside Chinese are numbers
_LU = r"(?<![A-Za-z0-9_])"
_R = r"(?![A-Za-z0-9])"
_RU = r"(?![A-Za-z0-9_])"
_HEX = r"[0-9a-fA-F]"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_IPV4 = rf"(?<![\d.]){_OCTET}(?:\.{_OCTET}){{3}}(?![\d]|\.\d)"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}"
_CLOCK = r"\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?"
_ZONE = r"(?: ?(?:Z|UTC|GMT|CST|[+-]\d{2}:?\d{2})\b)?"
_TLD = r"(?:com|net|org|edu|gov|info|biz|co|cn|io|de|fr|jp|kr|uk|eu|ru|local|localdomain|internal|intranet|lan|example|invalid|corp|svc|cluster)"
_FILE = r"py|js|ts|tsx|jsx|go|rs|cc?|cpp|h|hpp|rb|php|java|kt|scala|groovy|xml|ya?ml|json|properties|sql|sh|conf|cfg|ini|log|txt|html?|jsp|jar|war|zip|gz|csv|parquet|orc|avro|proto|lua|exe|dll|so|class|md"
_PACKAGE = r"(?:java|javax|org|com|net|io|sun|scala|akka|kotlin|cn|jdk|edu|gov|de|fr|uk|ru|jp|co)\."
# A name begins, and is not the rest of a longer one: the net of java.net, the example.com of org.example.com
_NAME = r"(?<![A-Za-z0-9$])(?<![A-Za-z0-9_$>)\]]\.)"
_MODULE = r"(?:(?:_?threading|_threading_local|asyncio|werkzeug|flask|gevent|eventlet)\.local|(?:akka|socket|engine|pandas|scipy|skimage|imageio|torchvision|tornado)\.io|(?:log|logger|logging|console)\.info)(?![A-Za-z0-9-])"
_LABEL = r"[a-z][a-z0-9-]{0,62}"
# Words whose quoted neighbour is data.
_DATA_WORD = r"(?:entry|key|value|input|string|text|literal|token|near|got|but was|received|找不到|用户|参数|值|键)"
_UNIT_ZH = r"(?:毫秒|微秒|纳秒|秒钟?|分钟|小时)"

_KEPT = "|".join(
    (
        # error codes, by who gives them
        rf"{_L}(?:ORA|TNS|PLS|RMAN|CRS|SP2|DPI|DPY|JAVA|DBD|UDT|LRM|IMP|EXP|KUP|NZ|CVE|RFC|BEA|ISO|CP|GB|UCS|UTF|utf|ucs|iso|AES|aes|SHA|sha|RSA|HTTP|SSL|TLS)[-_/]\d[\d.-]{{0,14}}",
        rf"{_L}[A-Z]{{2,12}}\d{{4,6}}[A-Z]?{_R}",
        r"(?i:SQL ?STATE|SQLCODE|SQLERRMC)(?:[ =:]{0,3}|\[)-?[0-9A-Z]{1,6}\]?",
        r"\((?:HY|[0-9A-Z]{2})[0-9A-Z]?\d{2}\)",
        r"(?i:errno|error|err|winerror|hresult|status|exit|return|reason|vendor|response|http|result)(?i:[ _-]?(?:code|status|value|no|number))?(?i: is| was)?[\]\) ]?[ =:(\[#]{0,3}-?\d{1,6}(?![\d.])",
        r"(?i:code|status|错误码|状态码|返回码|退出码|错误代码)[ =:：]{1,3}-?\d{1,6}(?![\d.:])",
        r"(?i:HTTP/[\d.]{1,3} \d{3})",
        r"(?i:signal|SIG[A-Z]{2,6}) ?\(?\d{1,2}\)?",
        rf"{_L}0x(?:80[01][0-9A-Fa-f]{{5}}|[Cc]0000[0-9A-Fa-f]{{3}}){_R}",
        # names that end in or hold a number
        rf"{_LU}(?i:utf\d{{1,2}}|ucs\d|ipv[46]|base\d\d|md[245]|sha\d{{1,3}}|crc32c?|log4j2?|slf4j|oauth2?|http2|h2|x86_64|x86|x64|amd64|arm64|aarch64|win32|u?int\d{{1,3}}|float\d\d|double\d|i18n|l10n|k8s|s3[an]?|ec2|gb2312|gb18030|big5|latin1|cp\d{{3,5}}|es6|py[34]j?|python[23]|java\d\d?|jdk\d\d?|v\d{{1,2}}|p2p|mp[34]|db2|neo4j|lz4|bz2|gz2|r2dbc|c3p0|rs256|hs256|tls1|sqlite3|boto3|psycopg[23]|urllib[23]|jinja2|http[12]|log2|utf8mb[34]){_R}",
        r"(?<=://)[A-Za-z][A-Za-z0-9_-]{0,62}(?=/)",  # a name service or bucket: hdfs://ns1/
        # a module: urllib3.connection, but not the host node1.prod:9092 or node1.prod/10.0.0.2
        rf"{_L}[A-Za-z]{{3,40}}\d(?=\.[A-Za-z_])(?!(?:\.{_LABEL}+){{1,9}}(?::\d{{2,5}}(?!\d)|/(?:(?:\d{{1,3}}\.){{3}}\d|<ip>)))",
        r"(?<=[A-Za-z])\d{1,3}(?=[A-Za-z]{3})",
    )
)
_QUOTED = (
    r"""(?<=[=])(?:'[^'\n]{0,400}'|"[^"\n]{0,400}")"""
    r"""|(?<=: )(?:'[^'\n]{0,400}'|"[^"\n]{0,400}")|(?<=[:：\u4e00-\u9fff])(?:'[^'\n]{0,400}'|"[^"\n]{0,400}"|“[^”\n]{0,400}”)"""
    r"""|^(?:'[^'\n]{0,400}'|"[^"\n]{0,400}")$"""
)
_DATA_QUOTED = rf"""(?i:{_DATA_WORD}) ?(?:'[^'\n]{{0,400}}'|"[^"\n]{{0,400}}"|`[^`\n]{{0,400}}`)"""

_DATE = (
    rf"(?<!\d)\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?:[T _]{_CLOCK})?{_ZONE}(?![\d])"
    rf"|(?<!\d)\d{{4}}年\d{{1,2}}月(?:\d{{1,2}}[日号])?(?: ?\d{{1,2}}[时点:]\d{{1,2}}[分:]?(?:\d{{1,2}}秒?)?)?"
    rf"|{_L}(?:{_DAY},? )?(?:\d{{1,2}} {_MONTH} \d{{4}}|{_MONTH} \d{{1,2}},? \d{{4}}|{_MONTH} +\d{{1,2}}(?= {_CLOCK}))(?: {_CLOCK})?{_ZONE}(?: \d{{4}}(?!\d))?"
    rf"|(?<![\d:]){_CLOCK}{_ZONE}(?![\d:])"
)

TABLE: tuple[tuple[str, str], ...] = (
    ("known", "<(?:" + "|".join(sorted(PLACEHOLDERS)) + ")>"),
    ("local", r"<local\d{1,6}>"),
    (
        "url",
        r"(?i:(?:https?|wss?|ftps?|tcp|udp|amqps?|rediss?|mongodb(?:\+srv)?|ldaps?)://)[^\s'\"<>()\[\]{},;，。；、）”]*(?:<secret>[^\s'\"<>()\[\]{},;，。；、）”]*)?",
    ),
    (
        "email",
        r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}\.[A-Za-z]{2,12}(?![A-Za-z0-9-])",
    ),
    (
        "traceparent",
        rf"{_L}(?:[0-9a-f]{{2}}-[0-9a-f]{{32}}-[0-9a-f]{{16}}-[0-9a-f]{{2}}|1-[0-9a-f]{{8}}-[0-9a-f]{{24}}){_R}",
    ),
    ("uuid", rf"(?<![0-9a-fA-F]){_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}(?![0-9a-fA-F])"),
    ("date", _DATE),
    (
        "ip",
        rf"{_IPV4}|(?<![0-9A-Za-z:.])(?=[0-9a-fA-F:]{{0,40}}\d)(?:(?:{_HEX}{{1,4}}:){{7}}{_HEX}{{1,4}}|(?:{_HEX}{{1,4}}(?::{_HEX}{{1,4}}){{0,6}})?::(?:{_HEX}{{1,4}}(?::{_HEX}{{1,4}}){{0,6}}:)?(?:{_IPV4}|{_HEX}{{1,4}})?)(?![0-9A-Za-z:(])",
    ),
    (
        "module",
        r"(?:[Mm]odule named ['\"]?|[Mm]odule ['\"]|[Pp]ackage )[A-Za-z_]\w{0,80}+(?:\.[A-Za-z_]\w{0,80}+){1,12}+(?![\w.-]|:\d)",
    ),
    (
        "hostname",
        rf"{_NAME}(?!{_PACKAGE}|{_MODULE})(?:[A-Za-z0-9](?:[A-Za-z0-9-]{{0,62}})\.){{1,8}}{_TLD}(?![A-Za-z0-9_-]|\.[A-Za-z0-9_<-]|\()",
    ),
    ("kept", _KEPT),
    (
        "segfault",
        r"segfault at [0-9a-f]{1,16} ip [0-9a-f]{8,16} sp [0-9a-f]{8,16} error \d{1,3} in [^\s\[]{1,80}\[[0-9a-f]{1,16}\+[0-9a-f]{1,16}\]",
    ),
    ("dataquoted", _DATA_QUOTED),
    ("quoted", _QUOTED),
    ("hex", rf"{_L}0[xX]{_HEX}{{1,64}}{_R}"),
    ("hash", rf"(?<=@)(?=[a-f]{{0,7}}\d){_HEX}{{1,8}}{_RU}|{_L}{_HEX}{{64}}{_R}|{_L}{_HEX}{{128}}{_R}"),
    ("sha1", rf"{_L}{_HEX}{{40}}{_R}"),
    ("md5", rf"{_L}{_HEX}{{32}}{_R}"),
    (
        "pod",
        rf"{_L}[a-z][a-z0-9]{{0,62}}(?:-[a-z0-9]{{1,40}}){{0,8}}-(?=[a-z0-9]{{0,9}}\d)[bcdfghjklmnpqrstvwxz2456789]{{8,10}}-[bcdfghjklmnpqrstvwxz2456789]{{5}}{_R}",
    ),
    (
        "address",
        rf"{_NAME}(?!{_PACKAGE})[a-z0-9][a-z0-9-]{{0,62}}(?:\.{_LABEL}){{0,8}}\.(?!(?:{_FILE}):)(?:{_LABEL}(?=:\d{{2,5}}(?!\d))|{_LABEL}(?=/(?:(?:\d{{1,3}}\.){{3}}\d|<ip>)))",
    ),
    ("git_sha", rf"{_L}(?=[a-f]{{0,6}}\d)(?=\d{{0,6}}[a-f])[0-9a-f]{{7}}{_RU}"),
    ("longhex", rf"{_L}(?=[a-fA-F]{{0,63}}\d)(?=\d{{0,63}}[a-fA-F]){_HEX}{{8,63}}{_RU}"),
    (
        "duration",
        rf"(?<![A-Za-z0-9.])(?:\d{{1,12}}(?:\.\d{{1,9}})?(?:ns|us|µs|μs|ms|s|secs?|mins?|hrs?|h){_RU}|(?:\d{{1,6}}h)?\d{{1,6}}m(?:\d{{1,6}}(?:\.\d{{1,9}})?s){_RU}|\d{{1,12}}(?:\.\d{{1,9}})? ?{_UNIT_ZH})",
    ),
    ("bool", r"(?<=[=:])(?:true|false|True|False|TRUE|FALSE)(?![A-Za-z0-9_])"),
    (
        "user",
        r"(?<=\buser=)[A-Za-z][\w.-]{0,63}|(?<=/home/)[\w.-]{1,64}(?=/)|(?<=/Users/)[\w.-]{1,64}(?=/)|(?<=\\Users\\)[\w.-]{1,64}(?=\\)",
    ),
    (
        "float",
        r"(?<![A-Za-z0-9.])(?:(?<=[\s(\[=:,])-|^-)?\d{1,40}\.\d{1,40}(?:[eE][+-]?\d{1,4})?(?![\d])|(?<![A-Za-z0-9.])\d{1,20}[eE][+-]?\d{1,4}(?![A-Za-z0-9])",
    ),
    ("int", r"(?:(?<=[\s(\[=:,])-|^-)?(?:\d{1,3}(?:,\d{3}){1,12}(?!\d|,\d)|\d+)"),
)
_ALL = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in TABLE))
_TELLING = re.compile(
    r"[0-9'\"“@<`]|://|[=:](?:[tT]rue|TRUE|[fF]alse|FALSE)|user=|/home/|[/\\]Users[/\\]|::"
    rf"|\.{_TLD}(?![A-Za-z0-9_-])"
)
_TYPE_NAMES = frozenset(
    [
        "int",
        "long",
        "short",
        "byte",
        "char",
        "float",
        "double",
        "boolean",
        "bool",
        "str",
        "string",
        "bytes",
        "dict",
        "list",
        "tuple",
        "set",
        "object",
        "none",
        "nonetype",
        "null",
        "void",
        "unicode",
        "number",
        "function",
        "type",
        "module",
    ]
)
_HEX_GROUPS = re.compile(
    r"(?<![A-Za-z])[0-9a-f]{6,16}(?![A-Za-z])|(?<=segfault at )[0-9a-f]{1,16}|(?<=\+)[0-9a-f]{1,16}(?=\])"
)


@lru_cache(maxsize=4_096)
def template(message: str) -> str:
    """The message with its variable parts named: ``user 42 gone`` → ``user <int> gone``. Idempotent."""
    text = message if message.isascii() else unicodedata.normalize("NFKC", message)
    text = redact(text).text
    if _TELLING.search(text) is None:
        return text
    return _ALL.sub(_name, text)


def _name(found: re.Match[str]) -> str:
    group = found.lastgroup or ""
    return _SPECIAL.get(group, _placeholder)(found)


def _placeholder(found: re.Match[str]) -> str:
    return f"<{found.lastgroup}>"


def _itself(found: re.Match[str]) -> str:
    return found[0]


def _quoted(found: re.Match[str]) -> str:
    """A quoted value; a type's name, code and an address keep their quotes."""
    text = found[0]
    content = text[1:-1]
    if not content or content.lower() in _TYPE_NAMES or re.match(r"[\w.$]{1,200}\(", content):
        return text
    inner = _ALL.sub(_name, content)
    if (re.fullmatch(r"<[a-z_0-9]{2,12}>", inner) and inner not in ("<int>", "<float>")) or (
        inner in ("<int>", "<float>") and content == inner
    ):
        return f"{text[0]}{inner}{text[-1]}"
    return "<quoted>"


def _data_quoted(found: re.Match[str]) -> str:
    text = found[0]
    at = min(position for quote in "'\"`" if (position := text.find(quote)) >= 0)
    return text[:at] + "<quoted>" if text[at:].strip("'\"`").lower() not in _TYPE_NAMES else text


def _segfault(found: re.Match[str]) -> str:
    return _HEX_GROUPS.sub("<hex>", found[0])


_SPECIAL: dict[str, Callable[[re.Match[str]], str]] = {
    "known": _itself,
    "kept": _itself,
    "module": _itself,
    "local": lambda _: "<local>",
    "longhex": lambda _: "<hex>",
    "address": lambda _: "<hostname>",
    "quoted": _quoted,
    "dataquoted": _data_quoted,
    "segfault": _segfault,
}
