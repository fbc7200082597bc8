"""The table of placeholders: what varies from run to run, what is a code and stays."""

from dataclasses import dataclass

from kb.redact.words import STANDING

# The pieces that the rows of the table are made of.

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
    # sources of the runtimes by github-linguist's languages.yml (2026-08-20), without those that are domains of countries
    r"|kts|clj[cs]?|sbt|py[iwx]|pxd|[cm][jt]s|vue|svelte|coffee|csx?|cshtml|vb|vbhtml|fs[ix]?|ps1|psm1|exs?|[hl]?eex|[ehxy]rl|gleam"
    r"|dart|c\+\+|cxx|cppm|cuh?|hh|hxx|h\+\+|inl|ipp|ixx|tcc|mm?|swift|zig|asm|s|erb|rake|gemspec|rabl|phpt|phtml|moon|pgsql|plsql|pk[bs]"
)
"""What names of files end in; ``cart.cs:12`` is no host."""
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


# Numbers that are meaning and stay: one code asks for another fix than the next one.
#
# A row whose letters may be of either case looks at its first one first: most words are passed over so.

_ENTITY = (
    r"(?:ORDER|USER|CUST(?:OMER)?|ACC(?:OUN)?T|JOB|TASK|REQ(?:UEST)?|RES|TXN?|TRX|TRACE|SPAN|SKU|ID|UID|INV(?:OICE)?|BILL|PAY|PO|SO|SN|NO"
    r"|TICKET|CASE|BUG|ISSUE|NODE|HOST|WORKER|THREAD|POOL|APP|SESSION|BATCH|PART|ITEM|DOC|FILE|MSG|EVENT|ROOM|SHOP|STORE|DEVICE|DEV|PROD|TEST)-"
)
"""What numbers of things, and not of faults, begin with."""
_PRODUCTS_CODE = rf"(?<![A-Za-z0-9_-])(?!{_ENTITY})[A-Z]{{2,12}}(?:-[A-Z]{{2,8}})?-\d{{3,6}}(?![A-Za-z0-9_-]|\.\d)"
_TELLS_CODE = (
    r"(?:^|(?<=[\[(【])|(?<=rror )|(?<=rror: )|(?<=RROR )|(?<=RROR: )|(?<=ode )|(?<=ode: )|(?<=ode:)|(?<=ode=)"
    r"|(?<=错误)|(?<=错误 )|(?<=错误码)|(?<=错误码 )|(?<=错误码:)|(?<=错误码: )|(?<=告警)|(?<=告警 )|(?<=告警:)|(?<=告警: ))"
)
_NUMBERED = (
    # encodings, digests, ciphers, signatures
    r"utf\d{1,2}|utf8mb[34]|ucs\d|base\d\d|latin1|cp\d{3,5}|windows-125\d|gb2312|gb18030|big5|md[245]|sha3-\d{3}|sha\d{1,3}|crc\d\d?c?"
    r"|adler32|murmur\d|xxh(?:ash)?\d{1,3}|fnv1a?|blake[23][bs]?|argon2[id]{0,2}|aes(?:128|192|256)|rc4|des3|chacha20|poly1305|x?25519|[ex]d?25519"
    r"|secp\d{3}[rk]1|[hrep]s(?:256|384|512)|pkcs\d{1,2}|x509"
    # machines and their systems
    r"|x86_64|x86|x64|amd64|arm64|aarch64|armv\d[a-z]{0,2}|v[78]a|i[3-6]86|ppc64(?:le)?|s390x?|riscv(?:32|64)|mips64|loong(?:arch)?64|win(?:32|64)|ext[234]"
    # types, standards, formats
    r"|u?int\d{1,3}|float\d\d|double\d|n?varchar2|i18n|l10n|a11y|k8s|e2e|p2p|b2b|es6|es20\d\d|c\+\+\d\d|jsr\d{2,3}|mp[34]|h26[45]|lz4|bz2|gz2|bzip2|zip64"
    # protocols
    r"|ipv[46]|http[123]|h2c?|oauth2?|socks[45]h?|ntlmv\d|smbv?\d|snmpv\d|pop3|imap4|nfsv?\d|tls1|v\d{1,2}(?:(?:alpha|beta)\d{1,2})?"
    # products
    r"|log4j2?|slf4j|s3[an]?|ec2|py[34]j?|python[23]|java\d\d?|jdk\d\d?|junit\d|db2|neo4j|r2dbc|c3p0|sqlite3|boto3|psycopg[23]|urllib[23]|jinja2|log2"
)
"""Names that end in or hold a number."""
CODES: tuple[tuple[str, str], ...] = (
    (
        "codes of products, where a code is told: GAUSS-52502 at the beginning, in brackets, behind error or before a colon",
        rf"{_TELLS_CODE}{_PRODUCTS_CODE}|{_PRODUCTS_CODE}(?=\]? ?:)",
    ),
    (
        "codes with the initials of who gives them, standards, ciphers: ORA-00942, RFC-2616, utf-8, AES-256",
        rf"{BEGIN}ISO_?8859[-_]\d{{1,2}}|{BEGIN}(?:ORA|TNS|PLS|RMAN|CRS|SP2|DPI|DPY|JAVA|DBD|UDT|LRM|IMP|EXP|KUP|NZ|CVE|RFC|BEA|ISO|CP|GB|UCS|UTF|utf|ucs|iso|AES|aes|SHA|sha|RSA|HTTP|SSL|TLS|WFLY|HHH|SQL|MY)[-_/]\d[\d.-]{{0,14}}",
    ),
    (
        "codes of servers and compilers: WFLYCTL0348, SRVE0255E, MSB3073",
        rf"{BEGIN}(?:[A-Z]{{2,12}}\d{{4,6}}[A-Z]?|E\d{{5}}(?= duplicate)){END}",
    ),
    (
        "names that end in or hold a number",
        rf"{BEGIN_WORD}(?i:{_NUMBERED}){END_WORD}",
    ),
    (
        "suites of ciphers and codes of messages: TLS_AES_128_GCM_SHA256, ECDHE-RSA-AES256-GCM-SHA384, HmacSHA256",
        rf"{BEGIN_WORD}(?:(?:TLS|SSL)_[A-Z0-9_]{{4,60}}|(?:EC)?DHE?-(?:RSA|ECDSA|DSS|PSK)-[A-Z0-9-]{{4,60}}|(?:Hmac|PBE|PBKDF2)[A-Za-z]{{0,20}}(?:SHA|MD)\d{{1,3}}){END_WORD}",
    ),
    (
        "shared libraries and the versions of their symbols: libssl.so.3, GLIBC_2.34",
        rf"{BEGIN_WORD}(?:lib[A-Za-z0-9_+-]{{1,60}}\.so(?:\.\d{{1,6}}){{1,4}}|(?:GLIBC|GLIBCXX|CXXABI|GCC|OPENSSL|LIBXML2)_\d{{1,3}}(?:\.\d{{1,4}}){{0,3}}[a-z]?){END_WORD}",
    ),
    (
        "collations and character sets: utf8mb4_0900_ai_ci, latin1_swedish_ci",
        rf"{BEGIN_WORD}(?:utf8|utf8mb[34]|utf16(?:le)?|utf32|ucs2|latin[1257]|cp\d{{3,4}}|gb(?:2312|18030)|big5|koi8[ru]|macce)_[a-z0-9_]{{2,40}}{END_WORD}",
    ),
    ("codes of linters and compilers before what they say: E1101: no member", rf"{BEGIN}[EWCF]\d{{3,5}}(?=: )"),
    ("a name service or bucket: hdfs://ns1/", r"(?<=://)[A-Za-z][A-Za-z0-9_-]{0,62}(?=/)"),
    (
        "a module, urllib3.connection, but not the host node1.prod:9092 or node1.prod/10.0.0.2",
        rf"{BEGIN}[A-Za-z]{{3,40}}\d(?=\.[A-Za-z_])(?!(?:\.{LABEL}+){{1,9}}(?::\d{{2,5}}(?!\d)|/(?:(?:\d{{1,3}}\.){{3}}\d|<ip>)))",
    ),
    (
        "a qualified class: a.b.Http2Client, and not a.b.Http1Client",
        rf"{BEGIN}(?:[a-z][a-z0-9_]{{0,40}}\.){{1,12}}[A-Z](?:[A-Za-z_]|\d{{1,2}}(?!\d)){{0,120}}(?![A-Za-z0-9_.-]|:\d)",
    ),
)
"""Tokens that begin with a letter and hold the number: why they stay, the pattern."""
RETURNED: tuple[tuple[str, str], ...] = (
    (
        "what a call returned: errno 111, exit code 137, status=503, HRESULT: 0x…",
        r"(?=[ehrsvwEHRSVW])(?i:errno|error|err|winerror|hresult|status|exit|return|reason|vendor|response|http|result)(?i:[ _-]?(?:code|status|value|no|number))?(?i: is| was)?[\]\) ]?[ =:(\[#]{0,3}-?(?!0[xX])\d{1,6}(?![\d.]|[A-Z]\d{2}: )",
    ),
    (
        "what a call returned, by its short name: rc=-9",
        r"(?=[re])(?:rc|ret|retval|errorlevel) ?[=:] ?-?\d{1,6}(?![\d.])",
    ),
    (
        "a code by its name, in quotes: code: 'ECONNREFUSED', sqlState: '42S02'",
        (
            r"(?=[cesCES])(?:code|errno|errorCode|error_code|Code|ErrorCode)['\"]?[:=] ?['\"](?:E[A-Z0-9]{3,20}|[A-Z]{2,20}(?:_[A-Z0-9]{1,30}){1,8})['\"]"
            r"|(?=[sS])(?i:sqlState)['\"]?[:=] ?['\"][0-9A-Z]{5}['\"]"
        ),
    ),
    ("a code by its name", r"(?=[csCS])(?i:code|status)[ =:：]{1,3}-?\d{1,6}(?![\d.:])"),
)
"""Words with the number behind them; they may be the rest of a longer word: ``lastErrorCode=5``."""
WORDS: tuple[tuple[str, str], ...] = (
    *RETURNED,
    (
        "codes of compilers, where they say error: error C2065, error[E0308], error TS2304",
        rf"{BEGIN}(?:error|warning)[ \[][A-Z]{{1,3}}\d{{4}}{END}",
    ),
    (
        "states of SQL, and the server's code behind them: SQLSTATE[HY000] [2002], SQLSTATE[42S02]: Base table not found: 1146 Table",
        r"(?=[sS])(?i:SQL ?STATE|SQLCODE|SQLERRMC)(?:[ =:]{0,3}|\[)-?[0-9A-Z]{1,6}\]?(?: ?\[\d{1,5}\]|: [A-Z][A-Za-z ,()/-]{3,80}: \d{4,5}(?= ))?",
    ),
    ("versions of HTTP with their status", r"(?=[hH])(?i:HTTP/[\d.]{1,3} \d{3})"),
    ("signals", r"(?=[sS])(?i:signal|SIG[A-Z]{2,6})[:=]? ?\(?\d{1,2}\)?(?!\d)"),
    (
        "numbers of messages of SQL Server and codes of IBM MQ: Msg 1205, Level 13; Reason '2009'",
        r"(?=[MCR])(?:Msg \d{1,5}(?=, Level)|(?:Completion Code|Reason) '\d{1,4}')",
    ),
    ("standards by their number: RFC 7231, PKCS#8", r"(?=[RP])(?:RFC ?\d{3,5}|PKCS ?# ?\d{1,2})(?!\d)"),
    (
        "the version of class files: class file major version 61, class file version 55.0",
        r"(?=[cC])(?i:class file (?:major )?versions? (?:up to )?)\d{2}(?:\.\d)?(?![\d.])",
    ),
    (
        "the platform that is asked for: Java 11, Python 3.8",
        r"(?:(?:Java|JDK|JRE|Python|PHP|Ruby|Scala|Kotlin|Node\.js|TLS|SSL|OAuth) (?:version )?|TLSv|SSLv)\d{1,2}(?:\.\d{1,2})?(?![\d.A-Za-z])",
    ),
)
"""Words with the number behind them."""
_STATE = r"(?:0[0-9ABFLPZ]|2[0-8BDF]|3[489BDF]|4[0-4]|5[3-8])[0-9A-Z]{3}"
"""A state of SQL: the classes of the standard and of PostgreSQL that begin with a digit, and what they hold."""
NUMBERS: tuple[tuple[str, str], ...] = (
    (
        "statuses of HTTP by their phrase",
        rf"{BEGIN}(?:200 OK|201 Created|202 Accepted|302 Found|423 Locked)|{BEGIN}[1-5]\d{{2}} (?:No Content|Partial Content|Moved Permanently|See Other|Not Modified|(?:Temporary|Permanent) Redirect|Payment Required|Proxy Authentication Required|Request Timeout|Length Required|URI Too Long|Request-URI Too Long|Content Too Large|Unsupported Media Type|Range Not Satisfiable|Expectation Failed|I'm a teapot|Misdirected Request|Failed Dependency|Too Early|Upgrade Required|Precondition Required|Request Header Fields Too Large|Unavailable For Legal Reasons|Not Implemented|HTTP Version Not Supported|Variant Also Negotiates|Insufficient Storage|Loop Detected|Network Authentication Required|Switching Protocols|Bad Request|Unauthorized|Forbidden|Not Found|Method Not Allowed|Not Acceptable|Conflict|Gone|Precondition Failed|Payload Too Large|Request Entity Too Large|Unprocessable|Too Many Requests|Internal Server Error|Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?out)",
    ),
    (
        "results of COM and of Windows: 0x80070005, 0xC0000005",
        rf"{BEGIN}0x(?:80[01][0-9A-Fa-f]{{5}}|[Cc]0000[0-9A-Fa-f]{{3}}){END}",
    ),
    (
        "states of SQL before what they say: 23505: duplicate key",
        rf"(?:^|(?<=ERROR: )|(?<=ERROR:  )|(?<=FATAL:  )|(?<=FATAL: )){_STATE}(?=: )",
    ),
    ("classes of statuses of HTTP: 5xx", rf"{BEGIN}[1-5]xx{END}"),
    ("digits within a word: the 2 of Http2Server", r"(?<=[A-Za-z])\d{1,3}(?=[A-Za-z]{3})"),
)
"""Those that begin with a digit."""
MARKED: tuple[tuple[str, str], ...] = (
    ("states of SQL in parentheses: (HY000)", r"\((?:HY|[0-9A-Z]{2})[0-9A-Z]?\d{2}\)"),
    (
        'a server\'s code before its sentence: (1062, "Duplicate entry …")',
        r"\(\d{4,5}(?=, b?[\"'][A-Z][A-Za-z'-]{0,30} )",
    ),
    ("a code by its Chinese name", r"(?:错误码|状态码|返回码|退出码|错误代码|错误号)[ =:：]{1,3}-?\d{1,6}(?![\d.:])"),
)
"""Those that begin with neither."""


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
        "version",
    ]
)
"""The names in angle brackets; what is there already is kept."""


@dataclass(frozen=True, slots=True)
class TemplateRule:
    """One kind of variable part, or of meaning that stays."""

    name: str
    """The placeholder, or what `rewrite` knows it by."""
    starts: str
    """What a match begins with: ``d`` a digit, ``t`` a letter of a token that holds more than letters, ``w`` a letter of a
    telling word, ``c`` one in the middle of a word, where a capital begins a new one (``lastErrorCode``), ``o`` another character. Only rows of the right kind are tried at a place, which is what makes it fast."""
    pattern: str


def _any(rows: tuple[tuple[str, str], ...]) -> str:
    return "|".join(pattern for _, pattern in rows)


_UNIT = r"(?:ns|us|µs|μs|ms|s|secs?|mins?|hrs?|h)"
_UNIT_WORD = r"(?:nano|micro|milli)?(?:seconds?|secs)|millis|minutes?|mins|hours?|days?|weeks?"
_UNIT_ZH = r"(?:毫秒|微秒|纳秒|秒钟?|分钟|小时|天)"
_HAN = r"[\u4e00-\u9fff]"
_URL_END = r"[^\s'\"<>()\[\]{},;，。；、）”]*"

TABLE: tuple[TemplateRule, ...] = (
    TemplateRule("known", "o", "<(?:" + "|".join(sorted(PLACEHOLDERS)) + ")>"),
    TemplateRule("local", "o", r"<local\d{1,6}>"),
    TemplateRule("url", "t", rf"(?i:{SCHEME})(?:[^\s'\"<>()\[\]{{}}@/]{{0,200}}@)?(?:\[[0-9a-fA-F:.]{{2,45}}\])?{_URL_END}(?:<(?:{STANDING})>{_URL_END}){{0,20}}+"),
    TemplateRule("person", "o", "<(?:phone|identity|card)>"),
    TemplateRule("email", "td", r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}\.[A-Za-z]{2,12}(?![A-Za-z0-9-])"),
    TemplateRule("traceparent", "td", rf"{BEGIN}(?:[0-9a-f]{{2}}-[0-9a-f]{{32}}-[0-9a-f]{{16}}-[0-9a-f]{{2}}|1-[0-9a-f]{{8}}-[0-9a-f]{{24}}){END}"),
    TemplateRule("uuid", "td", rf"(?<![0-9a-fA-F]){HEX}{{8}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{12}}(?![0-9a-fA-F])"),
    TemplateRule("date", "d", rf"(?=\d{{1,4}}[-/.:年月时点 ]|\d{{8}}[T ])(?:{NUMERIC_DATE})"),
    TemplateRule("date", "w", rf"(?=[MTWFSJAONDd][a-z]{{2}})(?:{WORDED_DATE})"),
    TemplateRule("mac", "td", rf"(?={HEX}{{2}}[:-]{HEX}{{2}}[:-])(?:(?<![0-9A-Za-z:-])(?:{HEX}{{2}}:){{5}}{HEX}{{2}}(?![0-9A-Za-z:])|(?<![0-9A-Za-z:-])(?:{HEX}{{2}}-){{5}}{HEX}{{2}}(?![0-9A-Za-z-]))"),
    TemplateRule("ip", "d", IPV4),
    TemplateRule("ip", "tdo", rf"(?={HEX}{{0,4}}:)(?<![0-9A-Za-z:.])(?=[0-9a-fA-F:]{{0,40}}\d){IPV6}(?:%[a-z][a-z0-9]{{1,15}})?(?:/\d{{1,3}})?(?![0-9A-Za-z:(])"),
    TemplateRule("ip", "o", r"(?<![^\s\[(=/@])::(?![^\s\]),;/])"),
    TemplateRule("module", "w", r"(?=[MmPp])(?:[Mm]odule named ['\"]?|[Mm]odule ['\"]|[Pp]ackage )[A-Za-z_]\w{0,80}+(?:\.[A-Za-z_]\w{0,80}+){1,12}+(?![\w.-]|:\d)"),
    TemplateRule("hostname", "td", rf"(?=[A-Za-z0-9-]{{1,63}}\.){NAME}(?!{PACKAGE}|{MODULE})(?:[A-Za-z0-9](?:[A-Za-z0-9-]{{0,62}})\.){{1,8}}{TLD}(?![A-Za-z0-9_-]|\.[A-Za-z0-9_<-]|\()"),
    TemplateRule("version", "t", r"(?<![A-Za-z0-9_.])[vV]\d{1,4}(?:\.\d{1,6}){1,4}(?:-(?:rc|alpha|beta|SNAPSHOT|RELEASE|GA|M)[.-]?\d{0,4})?(?:\+[a-z0-9.]{1,20})?(?![A-Za-z0-9_]|\.\d)"),
    TemplateRule("kept", "t", _any(CODES)),
    TemplateRule("kept", "w", _any(WORDS)),
    TemplateRule("kept", "c", _any(RETURNED)),
    TemplateRule("kept", "d", _any(NUMBERS)),
    TemplateRule("kept", "o", _any(MARKED)),
    TemplateRule("segfault", "w", r"segfault at [0-9a-f]{1,16} ip [0-9a-f]{8,16} sp [0-9a-f]{8,16} error \d{1,3} in [^\s\[]{1,80}\[[0-9a-f]{1,16}\+[0-9a-f]{1,16}\]"),
    TemplateRule("account", "w", rf"(?=[uU]){BEGIN_WORD}(?i:user(?:name)?) ?{SINGLE}@{SINGLE}"),
    TemplateRule("dataquoted", "w", rf"(?=[begiklnrstuvBEGIKLNRSTUV]){BEGIN_WORD}(?i:{DATA_WORD})(?=[ '\"`]) ?(?:{SINGLE}|{DOUBLE}|`[^`\n]{{0,400}}`)"),
    TemplateRule("dataquoted", "o", rf"{DATA_WORD_ZH} ?(?:{SINGLE}|{DOUBLE}|`[^`\n]{{0,400}}`)"),
    TemplateRule("jsonid", "o", r"""(?<=[iI][dD]['"]: )(?:"[\w.:-]{1,80}"|'[\w.:-]{1,80}')|(?<=[iI][dD]['"]:)(?:"[\w.:-]{1,80}"|'[\w.:-]{1,80}')"""),
    TemplateRule("quoted", "o", rf"(?<=[=])(?:{SINGLE}|{DOUBLE})|(?<=: )(?:{SINGLE}|{DOUBLE})|(?<=[:：\u4e00-\u9fff])(?:{SINGLE}|{DOUBLE}|“[^”\n]{{0,400}}”)|^(?:{SINGLE}|{DOUBLE})$"),
    TemplateRule("quoted", "o", rf"(?:(?<={_HAN})|(?<={_HAN} ))(?:【[^【】\n]{{1,60}}】|「[^「」\n]{{1,60}}」|『[^『』\n]{{1,60}}』)(?= ?{_HAN})"),
    TemplateRule("hex", "d", rf"{BEGIN}0[xX]{HEX}{{1,128}}{END}"),
    TemplateRule("hash", "td", rf"(?<=@)(?=[a-f]{{0,7}}\d){HEX}{{1,8}}{END_WORD}|{BEGIN}{HEX}{{64}}(?:{HEX}{{64}})?{END}"),
    TemplateRule("sha1", "td", rf"{BEGIN}{HEX}{{40}}{END}"),
    TemplateRule("md5", "td", rf"{BEGIN}{HEX}{{32}}{END}"),
    TemplateRule("pod", "t", rf"{BEGIN}[a-z][a-z0-9]{{0,62}}(?:-[a-z0-9]{{1,40}}){{0,8}}-(?:(?=[a-z0-9]{{0,9}}\d){CONSONANT}{{8,10}}-|\d{{8}}-(?=\d{{0,4}}[a-z])(?=[a-z]{{0,4}}\d)){CONSONANT}{{5}}{END}"),
    TemplateRule("pod", "t", r"(?<=[Pp]od )(?=[a-z-]{1,60}\d)(?=[a-z0-9]{1,60}-)[a-z0-9-]{2,250}(?![a-z0-9.-])"),
    TemplateRule("address", "td", rf"(?=[a-z0-9-]{{1,63}}\.){NAME}(?!{PACKAGE})[a-z0-9][a-z0-9-]{{0,62}}(?:\.{LABEL}){{0,8}}\.(?!(?:{FILE_ENDING}):)(?:{LABEL}(?=:\d{{2,5}}(?!\d))|{LABEL}(?=/(?:(?:\d{{1,3}}\.){{3}}\d|<ip>)))"),
    TemplateRule("git_sha", "td", rf"{BEGIN}(?=[a-f]{{0,6}}\d)(?=\d{{0,6}}[a-f])[0-9a-f]{{7}}{END_WORD}"),
    TemplateRule("longhex", "td", rf"{BEGIN}(?=[a-fA-F]{{0,127}}\d)(?=\d{{0,127}}[a-fA-F]){HEX}{{8,127}}{END_WORD}"),
    TemplateRule("hex", "d", rf"{BEGIN}(?=[0-9a-f]{{4,6}}{END_WORD})(?!\d{{1,5}}e\d{{1,5}}{END})\d{{1,4}}[a-f]{{1,4}}\d[0-9a-f]{{0,4}}"),
    TemplateRule("id", "td", r"(?<![A-Za-z0-9_$.])tx[0-9a-f]{21}-[0-9a-f]{10}(?![A-Za-z0-9])[\w-]{0,40}|(?<![A-Za-z0-9$./])(?<![A-Z0-9_]_)(?=[A-Za-z0-9]{0,62}[A-Za-z]\d{1,62}[A-Za-z][A-Za-z0-9]{0,62}\d|\d{1,62}[A-Za-z]{1,62}\d)(?=[A-Za-z0-9]{0,63}[a-z])(?=[A-Za-z0-9]{0,63}[A-Z])(?![A-Za-z0-9]{0,60}(?:[a-z]{4}|[A-Z]{4}))[A-Za-z0-9]{8,64}(?![A-Za-z0-9_$.(])"),
    TemplateRule("blob", "td", r"(?=[A-Za-z0-9_+/-]{24})(?<![A-Za-z0-9_+/=-])(?=[A-Za-z0-9_-]{0,60}\d)(?=[A-Za-z0-9_-]{0,60}[a-z])(?=[A-Za-z0-9_-]{0,60}[A-Z])(?![A-Za-z0-9_-]{0,200}(?:[a-z]{6}|[A-Z]{6}|\d{8}|[0-9a-f]{4}-[0-9a-f]{4}-))(?:[A-Za-z0-9_-]{40,4000}|(?=[A-Za-z0-9/]{0,200}[+=])[A-Za-z0-9+/]{24,4000})={0,2}(?![A-Za-z0-9_+/=.-])"),
    TemplateRule("duration", "t", rf"{BEGIN}P(?=\d|T\d)(?:\d{{1,6}}D)?(?:T(?:\d{{1,6}}H)?(?:\d{{1,6}}M)?(?:\d{{1,9}}(?:\.\d{{1,9}})?S)?)?{END}"),
    TemplateRule("duration", "d", rf"(?<![A-Za-z0-9.])(?:\d{{1,12}}(?:\.\d{{1,9}})?(?:{_UNIT}{END_WORD}| ?(?:{_UNIT_WORD}){END_WORD}| ms{END_WORD}| ?{_UNIT_ZH})|(?:\d{{1,6}}h)?\d{{1,6}}m(?:\d{{1,6}}(?:\.\d{{1,9}})?s){END_WORD})"),
    TemplateRule("bool", "w", r"(?=[tfTF])(?:(?<=[=:])|(?<=['\"]: ))(?:true|false|True|False|TRUE|FALSE)(?![A-Za-z0-9_])"),
    TemplateRule("user", "wd", r"(?<=[=/\\])(?:(?<=\buser=)[A-Za-z][\w.-]{0,63}|(?<=/home/)[A-Za-z0-9][\w.-]{0,63}(?=/)|(?<=/Users/)[A-Za-z0-9][\w.-]{0,63}(?=/)|(?<=\\Users\\)[A-Za-z0-9][\w.-]{0,63}(?=\\))"),
    TemplateRule("path", "o", r"(?<=/data/app/)~~[\w=-]{10,60}"),
    TemplateRule("float", "do", r"(?=-?\d{1,40}[.eE])(?:(?<![A-Za-z0-9.])(?:(?<=[\s(\[=:,])-|^-)?\d{1,40}\.\d{1,40}(?:[eE][+-]?\d{1,4})?(?![\d])|(?<![A-Za-z0-9.])\d{1,20}[eE][+-]?\d{1,4}(?![A-Za-z0-9]))"),
    TemplateRule("int", "do", r"(?:(?<=[\s(\[=:,])-|^-)?(?:\d{1,3}(?:,\d{3}){1,12}(?!\d|,\d)|\d+)"),
)  # fmt: skip
