"""Numbers that are meaning and stay: one code asks for another fix than the next one.

A row whose letters may be of either case looks at its first one first: most words are passed over so.
"""

from kb.trace.template.shapes import BEGIN, BEGIN_WORD, END, END_WORD, LABEL

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
