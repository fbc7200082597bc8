"""The table: what becomes which placeholder, tried from top to bottom wherever a token begins."""

from dataclasses import dataclass

from kb.redact.words import STANDING
from kb.trace.template.codes import CODES, MARKED, NUMBERS, RETURNED, WORDS
from kb.trace.template.shapes import (
    BEGIN,
    BEGIN_WORD,
    CONSONANT,
    DATA_WORD,
    DATA_WORD_ZH,
    DOUBLE,
    END,
    END_WORD,
    FILE_ENDING,
    HEX,
    IPV4,
    IPV6,
    LABEL,
    MODULE,
    NAME,
    NUMERIC_DATE,
    PACKAGE,
    SCHEME,
    SINGLE,
    TLD,
    WORDED_DATE,
)

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
"""The names in angle brackets; what stands there already is kept."""


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
