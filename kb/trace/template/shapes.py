"""The pieces that the rows of the table are made of."""

BEGIN = r"(?<![A-Za-z0-9])"
"""A token begins: not ``\\b``, for digits beside Chinese are numbers."""
END = r"(?![A-Za-z0-9])"
BEGIN_WORD = r"(?<![A-Za-z0-9_])"
END_WORD = r"(?![A-Za-z0-9_])"
HEX = r"[0-9a-fA-F]"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
IPV4 = rf"(?<![\d.]){_OCTET}(?:\.{_OCTET}){{3}}(?![\d]|\.\d)"
IPV6 = (
    rf"(?:(?:{HEX}{{1,4}}:){{7}}{HEX}{{1,4}}"
    rf"|(?:{HEX}{{1,4}}(?::{HEX}{{1,4}}){{0,6}})?::(?:{HEX}{{1,4}}(?::{HEX}{{1,4}}){{0,6}}:)?(?:{IPV4}|{HEX}{{1,4}})?)"
)

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}"
_HOUR = r"(?:[01]?\d|2[0-3])"
_SIXTY = r"[0-5]\d"
_CLOCK = rf"{_HOUR}:{_SIXTY}:(?:{_SIXTY}|60)(?:[.,]\d{{1,9}})?(?: ?[AaPp][Mm]{END})?"
_ZONE = rf"(?:Z(?:\d{{2}}:?\d{{2}})?{END}| ?(?:UTC|GMT)?[+-]\d{{2}}:?\d{{2}}\b(?: \([A-Z][A-Za-z ]{{2,40}}\))?| ?(?:Z|UTC|GMT|CST|MST|EST|PST|EDT|PDT|CEST|CET|BST|JST)\b)?"
_M, _D = r"(?:1[0-2]|0?[1-9])", r"(?:3[01]|[12]\d|0?[1-9])"
_YMD = rf"\d{{4}}(?:-{_M}-{_D}|/{_M}/{_D}|\.{_M}\.{_D})"
_COMPACT = r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_ZH_TIME = r"(?: ?(?:上午|下午|凌晨|晚上|中午)? ?\d{1,2}[时点:]\d{1,2}[分:]?(?:\d{1,2}秒?)?)?"

NUMERIC_DATE = (
    rf"(?<!\d){_YMD}(?:[T _]{_CLOCK}|[T ]{_HOUR}:{_SIXTY}(?![\d:]))?{_ZONE}(?![\d])"
    rf"|(?<!\d)\d{{4}}年\d{{1,2}}月(?:\d{{1,2}}[日号])?{_ZH_TIME}"
    rf"|(?<!\d)\d{{1,2}}月\d{{1,2}}[日号]{_ZH_TIME}"
    rf"|(?<!\d)\d{{1,2}}[时点]\d{{1,2}}分(?:\d{{1,2}}秒)?"
    rf"|(?<![\d./-])(?:3[01]|[12]\d|0?[1-9])/(?:(?:1[0-2]|0?[1-9])|{_MONTH})/\d{{4}}(?:[: ]{_CLOCK})?{_ZONE}(?![\d/.])"
    rf"|{BEGIN}{_COMPACT}[T ](?:{_HOUR}:?{_SIXTY}:?{_SIXTY}(?:\.\d{{1,9}})?){_ZONE}(?![\d:])"
    rf"|{BEGIN}(?:3[01]|[12]\d|0?[1-9])[ -]{_MONTH}[ -](?:\d{{4}}|\d{{2}})(?![\d])(?: {_CLOCK}| {_HOUR}:{_SIXTY})?{_ZONE}"
    rf"|(?<![\d:.]){_CLOCK}{_ZONE}(?![\d:])"
    rf"|(?<![\d:.]){_HOUR}:{_SIXTY} ?[AaPp][Mm]{END}"
    rf"|(?<![A-Za-z0-9:._/-])(?<![Ll]ine )(?<!code )(?<!olumn )(?:[01]\d|2[0-3]):{_SIXTY}(?![\d:.A-Za-z_/-])"
)
WORDED_DATE = (
    rf"{_DAY},? (?:\d{{1,2}}[ -]{_MONTH}[ -](?:\d{{4}}|\d{{2}})(?!\d)|{_MONTH} +\d{{1,2}}(?:,? \d{{4}}(?!\d))?)(?: {_CLOCK}| {_HOUR}:{_SIXTY}(?!\d))?{_ZONE}(?: \d{{4}}(?!\d))?"
    rf"|{_MONTH} \d{{1,2}},? \d{{4}}(?!\d)(?: {_CLOCK})?{_ZONE}"
    rf"|{_MONTH} +\d{{1,2}} {_CLOCK}{_ZONE}(?: \d{{4}}(?!\d))?"
    r"|datetime\.(?:datetime|date|time)\([^()\n]{1,80}\)"
)

LABEL = r"[a-z][a-z0-9-]{0,62}"
TLD = (
    r"(?:com|net|org|edu|gov|mil|info|biz|co|cn|io|de|fr|jp|kr|uk|eu|ru|hk|tw|sg|au|cloud"
    r"|local|localdomain|internal|intranet|lan|example|invalid|corp|svc|cluster)"
)
FILE_ENDING = (
    r"py|js|ts|tsx|jsx|go|rs|cc?|cpp|h|hpp|rb|php|java|kt|scala|groovy|xml|ya?ml|json|properties|sql|sh|conf|cfg|ini|log|txt"
    r"|html?|jsp|jar|war|zip|gz|csv|parquet|orc|avro|proto|lua|exe|dll|so|class|md"
)
PACKAGE = r"(?:java|javax|org|com|net|io|sun|scala|akka|kotlin|cn|jdk|edu|gov|de|fr|uk|ru|jp|co)\."
"""What a Java package begins with, and hardly ever a host."""
NAME = r"(?<![A-Za-z0-9$])(?<![A-Za-z0-9_$>)\]]\.)"
"""A name begins, and is not the rest of a longer one: the ``net`` of ``java.net``, the ``example.com`` of ``org.example.com``."""
MODULE = (
    r"(?:(?:_?threading|_threading_local|asyncio|werkzeug|flask|gevent|eventlet)\.local"
    r"|(?:akka|socket|engine|pandas|scipy|skimage|imageio|torchvision|tornado)\.io|(?:log|logger|logging|console)\.info)(?![A-Za-z0-9-])"
)
"""Modules and methods that are spelled like hosts."""
SINGLE, DOUBLE = r"'[^'\n]{0,400}'(?![A-Za-z])", r'"[^"\n]{0,400}"'
"""Quotations; the apostrophe of ``doesn't`` closes none."""
DATA_WORD = r"(?:entry|key|value|input|string|text|literal|token|near|got|but was|received|user(?:name)?)"
"""Words whose quoted neighbour is data."""
DATA_WORD_ZH = r"(?:找不到|用户|参数|值|键)"
SCHEME = (
    r"(?:https?|wss?|ftps?|tcp|udp|amqps?|rediss?|mongodb(?:\+srv)?|ldaps?|dubbo|tri|grpcs?|zookeeper|nacos|nats|mqtts?|pulsar(?:\+ssl)?|smtps?|imaps?"
    r"|ssh|sftp|git|spark|thrift|(?:akka|pekko)(?:\.ssl)?(?:\.tcp)?)://"
)
CONSONANT = r"[bcdfghjklmnpqrstvwxz2456789]"
"""The letters of Kubernetes' random suffixes."""
