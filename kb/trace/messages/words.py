"""The words by which a program's line about a fault is distinguished from what a person writes, in English and Chinese."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import islice
from typing import Any

import re2

from kb.patterns import lazy
from kb.trace.lines import holds_time
from kb.trace.messages.form import widen
from kb.trace.messages.word_lists import failure_automaton, may_announce, may_be_personal, words_of

# e.g. NATIVE
_STRUCTURE = lazy(
    r"\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|`[^`\n]{1,200}`|‘[^’\n]{1,200}’|\[[^\]\n]{0,200}\]|[\w.-]{0,80}/[\w./-]{2,200}|\w_\w|\w\.\w|\d|[a-z][A-Z]|[A-Z]{3,}|="
)
_STOP = lazy(r"[.!;。！；][\s\"”]+\S|[。；，]")


_CHINESE = lazy(r"[\u4e00-\u9fff]")
_END = 40  # characters of a sentence's end
LONG = 160
"""Characters of a sentence that a program seldom prints without a colon."""
QUESTION = lazy(r"[?？](?:[\s\"'”’)）]|$)")


@lru_cache(maxsize=64)
def mentions_failure(text: str) -> bool:
    """Whether a text says that something went wrong. Cached: whatever looks for a line and whatever reads it call this."""
    begin = failure_from(text)  # from its beginning it takes 40 to 110 µs
    return begin >= 0 and words_of("failure").search(text, begin) is not None


def failure_from(text: str) -> int:
    """Return the first place where a word of failure may begin; -1 where none does, as in most lines of a log."""
    data = text.encode("utf-8", "surrogatepass")
    found = failure_automaton().search(data)
    if found is None or len(data) == len(text):
        return -1 if found is None else int(found.start())
    return len(data[: found.start()].decode("utf-8", "surrogatepass"))


@lru_cache(maxsize=64)
def announces(text: str) -> bool:
    """Whether a sentence ends so that the words of a program may follow. Cached: a line is looked at for itself and for the line below."""
    end = text[-_END:]
    return may_announce().search(end.encode("utf-8", "surrogatepass")) is not None and (
        words_of("announces").search(end) is not None
    )


def is_personal(text: str) -> bool:
    """Whether a text is what a person writes: it speaks of somebody, tells a story or asks."""
    if may_be_personal().search(text.encode("utf-8", "surrogatepass")) is None:
        return False
    return words_of("person").search(text) is not None or QUESTION.search(text) is not None


def is_human(text: str) -> bool:
    """Whether the beginning of a sentence is a person's: it is personal, narrates or is Chinese."""
    return (
        is_personal(text) or words_of("narrates").search(text.lstrip()) is not None or _CHINESE.search(text) is not None
    )


@cache
def signs() -> Mapping[str, re.Pattern[str]]:
    """Return what the form of a sentence says of who wrote it; what each weighs is learned."""
    lists = {name: words_of(name) for name in ("system", "starts", "narrates", "person", "tells-on")}
    return lists | _FORM


_FORM = {
    "structure": _STRUCTURE,
    "colon": lazy(r": |："),
    "open-end": lazy(r"\A(?s:.*)(?<=[^.。!！?？，,])$"),
    "stops": _STOP,
    "long": lazy(rf"^[^:]{{{LONG},}}$"),
    "question": QUESTION,
    "quoted-name": lazy(r"['\"`‘“][\w.:/$-]{1,200}['\"`’”]"),
    "number": lazy(r"\d\d"),
    "links": lazy(r"\*\*|\]\(|https?:"),
    "reference": lazy(r"(?<![\w/])#\d{1,6}(?![\w.])"),
    "exit": lazy(r"(?i)\bexit(?:ed|s)?(?: with)?(?: a)?(?: non-?zero)? (?:status|code)\b|\bstatus \d{1,3}$"),
    "few": lazy(r"^\S+(?: \S+){0,2}$"),
    "particles": lazy(
        r"(?:[的了在是会就都把被让后时中这那要也还对从到给并和与][^的了在是会就都把被让后时中这那要也还对从到给并和与\n]{0,40}){3}"
    ),
}
"""Signs that are no words."""


_SCRIPT = lazy(r"[，。；、！？,;（(]?[ \t]{0,4}[\u4e00-\u9fff]")
_BORDER = lazy(r"[.!?] {1,2}(?=[A-Z`'\"])|[。！？；]")
_NEAR = 120  # characters of the next sentence that tell whose it is
_MOST_PLACES = 40  # places of one message that are looked at
_OTHERS = lazy(
    r"(?<![\w'])(?:I|I'm|I've|I'd|I'll|[Mm]y|[Mm]e|[Ww]e|[Ww]e're|[Ww]e've|[Oo]ur|[Tt]hanks|[Tt]hank|[Pp]lease help|[Ss]orry|[Aa]ny(?:body|one)|[Ss]ome(?:body|one)|Tried (?:everything|all|it)|[Yy]esterday|[Tt]oday)(?![\w'-])"
    r"|^(?:[Aa]ny |[Hh]ow |[Ww]hat |[Ww]hy |[Ww]here |Is (?:it|this|that|there) |Should |Could |Can )[^\n]{0,110}[?？]"
    r"|^(?:(?:It|This|That|Everything|All|The same|Same)(?: \w+)? (?:works?|worked|happens|happened|comes|came|is fine|was fine|only|still|used)|But|And|So|Still|Since|Restarting|Reinstalling) "
    r"|我|咱|大家|请问|请教|求助|怎么|为啥|为什么|吗|呢[？。]|谢谢|是不是|有没有|今天|昨天|楼主|这个问题"
)
"""How a sentence begins with which the writer goes on; programs advise, and ask *Did you mean 'pay'?*, too."""
_GOES_ON = lazy(
    r"(?:[ ]?[,;，；-] | )(?:(?:and|but|so|because|since|although|though|while|when|whenever|if|as soon as|every time|each time|after|before|once|until|which|then|even|only|or|behind|during|inside|outside|within|through|via|under|across) ){0,2}(?:I|i|I'm|I've|I'd|my|we|our)(?![\w'/-])"
    r"|(?:[,;] | (?:hinter|in|auf|bei|mit|von|aus|vor|für|nach|unter|über|während|wenn|seit|sobald|weil|obwohl|als|und|aber) )(?:unser(?:e[mnrs]?)?|mein(?:e[mnrs]?)?|wir|ich)(?![\w'/-])"
    r"|(?:[,;，；]| [-–—]) (?:how|what|why|where|any (?:idea|help|hint|clue)|please help|does any|has any|is (?:there|it|this)|and (?:then|after|before|now|nothing|the (?:app|page|server|job))|but (?:it(?! (?:is|was|has|had)(?: been)? (?:currently|not|no longer|already|never|unable)(?! (?:been )?work))|the app|the page|when)|only (?:in|at|on|when|with|after)|even (?:though|if|after)|although|though|nothing)(?![\w'])"
    r"| (?:although|even though|whenever|as soon as|every time|each time|since (?:the|yesterday|last|this|today|upgrading|updating|we|I))(?![\w'])"
    r"| (?:after|since|when|while) (?:moving|upgrading|updating|switching|installing|reinstalling|migrating|restarting|deploying) "
    r"| and (?:then|restarts|exits|stops|dies|hangs|crashes|quits|nothing|that's)(?![\w'-])"
    r"| (?:ninja: build stopped: |make(?:\[\d{1,3}\])?: \*\*\* |\(Background on this error at: )"
    r"|[，,；;。] ?(?:可是|但是|但|不过|然后|而且|怎么|为什么|为啥|请问|求|是不是|有没有|我|咱|这是|重启|试了|换了|明明|已经|该怎么|如何)"
    r"| (?:could it be|is it (?:because|possible|that)|does any(?:one|body)|has any(?:one|body)|can any(?:one|body)|any ideas?|please help)(?![\w'])"
)
"""How the writer goes on within the same sentence: *, how can I*, *when I*, *could it be*; and what a build's last line says where lines were joined."""
_DANGLES = lazy(r" (?:on|in|of|to|for|with|by|the|a|an|and|or|at|from|as|than|is|are)$")
"""How no message ends: *not a bug on* our side."""
_PAIRS = {"`": "`", '"': '"', "“": "”", "「": "」", "『": "』"}
_OPENS = lazy(r"[`\"“「『]")
_BACK = 200  # characters before a message in which its quotation may begin
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("“", "”"), ("「", "」"), ("‘", "’"))
_ENDS_IN_PATH = ("\\", "/", "_", "-", "=", "$")


def end_of_words(text: str, begin: int, end: int) -> int:
    """Return where the words of a program end that begin at a place within somebody's sentence; ``end`` where they go on to there.

    They end with the quotation that they are in, at the other script where they are Latin in a Chinese sentence, and where the writer goes on.
    """
    words = text[begin:end]
    closed = _closed(text, begin, words)
    is_quoted, words = closed < len(words), words[:closed]
    words = words[: _bracketed(text, begin, words)]
    if _may_go_on().search(words.encode("utf-8", "surrogatepass")) is None:
        return _end_in_question(text, begin, words)
    if _CHINESE.search(words[:12]) is None:
        words = words[: _other_script(words)]
    for border in islice(_BORDER.finditer(words), _MOST_PLACES):
        if _OTHERS.search(words[border.end() : border.end() + _NEAR]):
            words = words[: border.start() + 1]
            break
    going = _GOES_ON.search(words)
    if going is not None and _is_whole(words[: going.start()]) and _DANGLES.search(words, 0, going.start()) is None:
        words = words[: going.start()].rstrip(" ,;，；")
    return _end_in_question(text, begin, words if is_quoted else _before_telling(text, begin, words))


def _end_in_question(text: str, begin: int, words: str) -> int:
    """Return where words end, before the end of the question that they are in."""
    words = words.rstrip()
    if words.endswith(_QUESTION_ENDS) and _QUESTION_BEGINS.search(
        text, text.rfind("\n", max(begin - _BACK, 0), begin) + 1, begin
    ):
        words = words.rstrip("?？ ")
        words = words.removesuffix(next((one for one in _QUESTION_ENDS if words.endswith(one)), ""))
    return begin + len(words)


_QUESTION_ENDS = (
    "?", "？", " mean", " means", " is", " before", " again", " occur", " occurs", " happen", " happens", " appear", " about"
)  # fmt: skip
ASKS_BEHIND = lazy(
    r"(?i)[\"'`”]?(?: ?[,;.!?，。；！？-]|[ –—]){1,4}(?:how (?:do|can|to|should|would)|what (?:is|does|can|should|could)|why (?:is|does|do|am|are)|any(?:one|body|thing| (?:idea|help|hint|clue|suggestion))|please help|can any|does any|has any|any ideas?|help(?=[ !?.]|$))"
)
"""How somebody asks behind a program's words in their line: *Permission denied (publickey) - how do I fix this?*"""
_QUESTION_BEGINS = lazy(
    r"(?i)(?<![\w'])(?:what|why|how|any(?:one|body)|some(?:one|body)|can|could|is|does|did|has|have|who)(?![\w'])"
)
"""How a question begins whose mark stands behind a program's words: *why does it say Java heap space?*"""


def _before_telling(text: str, begin: int, words: str) -> str:
    """Return the words of a message up to where somebody tells when, or where, it comes."""
    places = [found.start() for found in islice(_TELLS_ON.finditer(words), _MOST_PLACES)]
    fixed = _FIXED.match(words) if places else None
    if not places or ((fixed is None or fixed.end() != places[0]) and not _is_in_prose(text, begin)):
        return words
    heads = (words[:at] for at in places if _is_whole(words[:at]))
    return next((head for head in heads if not _OPEN.search(head) and not _DANGLES.search(head)), words)


def _is_whole(head: str) -> bool:
    """Return whether words may be all of a message: several, or the name of a class or a method."""
    return " " in head.strip() or _QUALIFIED.fullmatch(head.strip()) is not None


_QUALIFIED = lazy(r"[A-Za-z_$][\w$]{0,100}(?:[./:#][\w$<>]{1,100}){1,14}(?:\([^()]{0,300}\)\S{0,200})?")


def _is_in_prose(text: str, begin: int) -> bool:
    """Return whether somebody reports the error in a sentence: their words are before its type in the line, and no log's."""
    least = max(begin - _BACK, 0)
    before = _TYPE_BEFORE.sub("", text[max(text.rfind("\n", least, begin) + 1, least) : begin])
    is_sentence = len(before.split()) > 1 and (is_human(before) or announces(before))
    return (is_sentence or GETTING.fullmatch(before) is not None) and not holds_time(before)


GETTING = lazy(r"[ \t]{0,8}(?:[Gg]etting|[Rr]eceiving|[Ss]eeing|[Gg]ot|[Hh]aving|[Hh]itting) (?:an? |the )?")
"""How somebody begins who met an error."""
_FIXED = lazy(
    r"(?:Connection (?:refused|reset(?: by peer)?|timed out)|Broken pipe|Java heap space|Metaspace|PermGen space|GC overhead limit exceeded|Too many open files|database is locked|Read timed out|Socket closed|Segmentation fault|unexpected EOF)(?= )"
)
"""Messages that are always the same: what follows is somebody's, wherever they stand."""
_TYPE_BEFORE = lazy(r"(?:[Cc]aused by:? )?[\"'`]?[\w.$:\\\[\]]{3,300}[:：][ \t]{0,4}[\"'`]?$")
_TELLS_ON = lazy(
    r" (?:(?:right|just|shortly|directly) )?(?:when(?:ever)?|during|after|once|since|even though|although|as soon as|every time|each time) (?!(?:\d|'|\"|`))(?=[A-Za-z])"
    r"| and (?:it|this|that|then|only|nothing|the) "
    r"| every (?:few|day|hour|night|minute|morning|\d)"
    r"| (?:in|on|at|with|for|from|under) (?:my|our|every|each|both|production|prod|staging|dev|startup|boot|version|v?\d+\.\d|\d{1,4} ?[GM]B|some|random|a (?:fresh|new|clean)|all (?:our|my|of)|the (?:app|logs?|console|server|browser|terminal|tests?|build|[a-z]{3,16} (?:logs?|console|view|page|node|server))|[Jj]enkins|[Dd]ocker|[Hh]eroku|CI|GitLab|GitHub|AWS|Azure|Kubernetes|k8s|Windows|Linux|Ubuntu|CentOS|Debian|mac ?OS|Mac|Android|iOS|Chrome|Firefox|Safari|Eclipse|eclipse|IntelliJ|Tomcat|tomcat)(?![\w-])"
    r"|(?<!format)(?<!yntax)(?<!parse)(?<!erver)(?<!nternal)(?<!utput)(?<!rotocol)(?<!etwork)(?<! [Bb]us)(?<!I/O) (?:problem|issue|error|exception)s?(?= (?:on|in|with|when|at|after|from|since)\b|[.,?!]|$)"
    r"| is (?:what|shown|thrown|raised|printed|logged) "
    r"| \((?:[a-z]{2,20} ){1,2}v?\d+\.\d[\w.]{0,10}\)"
)
"""How a sentence goes on that tells of an error: when it comes, and where; a program says some of that, too, in a line of its own."""
_OPEN = lazy(
    r"(?i)\b(?:errors?|exceptions?|occurr(?:ed|s)|happen(?:ed|s)|fail(?:ed|s|ure)?|thrown|raised|only|not|be|is|are|was|been|set|used|required|allowed|supported|specified|expected|enabled|called|invoked|waiting|(?:must|should|cannot|may) (?:not )?be \w{2,30})$"
)
"""How words end that need what comes behind: *An error occurred* when …, *must be set* when …."""


@cache
def _may_go_on() -> Any:
    """Return how somebody may go on behind a message, as an automaton: most messages of a log it passes over."""
    going = "|".join(f"(?:{widen(one.pattern)})" for one in (_GOES_ON, _TELLS_ON, _BORDER))
    return re2.compile(f"{going}|[\u4e00-\u9fff]".encode())


def _closed(text: str, begin: int, words: str) -> int:
    """Return the length of the words up to the end of a quotation that began before them in their line."""
    least = max(begin - _BACK, 0)
    first = max(text.rfind("\n", least, begin) + 1, least)
    before = text[first:begin]
    opened = ""
    for found in _OPENS.finditer(before):
        mark = found[0]
        if opened:
            opened = "" if mark == _PAIRS[opened] else opened
        elif _PAIRS[mark] == mark or _PAIRS[mark] not in before[found.end() :]:
            opened = mark
    if not opened:
        return len(words)
    closing, at, depth = _PAIRS[opened], -1, 0
    while (at := words.find(closing, at + 1)) >= 0:
        before_it, behind = words[at - 1 : at] if at else "", words[at + 1 : at + 2]
        if closing == '"' and before_it == "\\":
            continue
        if closing == opened and (not before_it or before_it in " (=[,:>{") and behind not in ("", " "):
            depth += 1  # a name in quotation marks apart
        elif depth:
            depth -= 1
        elif at:
            return at
    return len(words)


def _bracketed(text: str, begin: int, words: str) -> int:
    """Return the length of the words up to the end of a bracket that was opened before them: ``[…; nested exception is X: m] with root cause``."""
    least = max(begin - _BACK, 0)
    before = text[max(text.rfind("\n", least, begin) + 1, least) : begin]
    for opening, closing in ("[]", "()"):
        if before.count(opening) > before.count(closing) and words.count(closing) > words.count(opening):
            depth = 0
            for found in islice(re.finditer(r"[\[\]]" if opening == "[" else r"[()]", words), _MOST_PLACES):
                depth += 1 if found[0] == opening else -1
                if depth < 0:
                    return found.start()
    return len(words)


def _other_script(words: str) -> int:
    """Return the length of Latin words up to the Chinese behind them; a Chinese name in brackets, quotation marks or a path belongs to them."""
    for found in islice(_SCRIPT.finditer(words), _MOST_PLACES):
        head = words[: found.start()]
        if len(head.split()) < 2 or (head.endswith(_ENDS_IN_PATH) and found[0][0] not in " \t，。；、！？"):
            continue
        rest = words[found.end() : found.end() + _NEAR]
        if any(head.count(opening) > head.count(closing) and closing in rest for opening, closing in _BRACKETS):
            continue
        if _CHINESE.search(head):  # a message in both languages
            break
        if _IN_QUOTES.search(head) and rest.find(head[-1] if head[-1] in "'\"" else "'") >= 0:
            continue
        return found.start()
    return len(words)


_IN_QUOTES = lazy(r"(?:^|[ =(:,])['\"][^'\"]{0,80}$")


_OF_ONES_OWN = r"(?![^\n,.;:]{0,100}?(?<![\w'])(?:I|i|[Ww]e|[Mm]y|[Oo]ur)(?![\w-]))"
SUPPOSES = lazy(
    r"(?:如果|若|假如|倘若|要是)(?![^\n，。；：,:]{0,30}?我)"
    rf"|(?:If|Whenever|In case) {_OF_ONES_OWN}|(?:HINT|[Hh]int|TIP|[Tt]ip|[Hh]elp)[:：] "
)
"""How a sentence begins that tells what to do when an error comes, and shows none (*If I start it, I get …* reports one); how PostgreSQL and rustc advise."""
EXPLAINS = lazy(r"\b(?:raises?|throws?|catch(?:es)?) (?:an? |the )?[`'\"]{0,3}$")
"""What documentation says before a class: *it raises `X` if …*; who has met one gets it."""
# e.g. assert
_IS_CODE = lazy(
    r"[ \t]{0,40}(?:raise\b|throw\b|assert\b|except\b|catch\b|\}? ?catch ?\(|@\w+\(|print\(|return\b|(?:\w{1,40}\.){0,3}(?:log|logger|logging|console|LOG|_logger)\.\w{1,20}\()"
)
_HOLDS_CODE = lazy(r"[^\n]{0,400}\bthrow new \w|[^\n]{0,400}%[sd]['\"],")


def is_code(line: str) -> bool:
    """Whether a line is source that raises, catches or logs an error: it shows what may come, not what came."""
    may_hold = "throw new " in line or "%" in line
    return _IS_CODE.match(line) is not None or (may_hold and _HOLDS_CODE.match(line) is not None)


def is_mixed(text: str) -> bool:
    """Whether Latin words are in a Chinese sentence."""
    return _CHINESE.search(text) is not None and _LATIN_WORDS.search(text) is not None


_LATIN_WORDS = lazy(r"[A-Za-z][\w'.-]{0,60} [\w'(][^\u4e00-\u9fff]{6}")


_JAVASCRIPT = lazy(
    r"node_modules|\bE(?:CONNREFUSED|CONNABORTED|NOTFOUND|TIMEDOUT|AI_AGAIN)\b|\(in promise\)|\b(?:Next\.js|Nuxt|Angular|Express|TypeScript|Prisma|[Mm]ongoose|axios|[Jj]est|[Vv]ite(?:st)?|esbuild|[Hh]ydration|Svelte|Babel|ESLint|Rollup|PostCSS|Playwright|Puppeteer|Cypress|NestJS|Deno|Bun|pnpm|Gulp|Expo|React Native|Strapi)\b|\bERR_[A-Z]|\b(?:ENOENT|EACCES|EADDRINUSE|EPERM|ECONNRESET|MODULE_NOT_FOUND)\b|Cannot find module|is not a (?:function|constructor)|Cannot read propert|status code \d{3}\b|socket hang up|Maximum call stack|[Ff]ailed to fetch|fetch failed|[Uu]nhandledRejection|Minified React|Invalid hook call|in JSON at position|JSON input|digital envelope routines|Unexpected token|Uncaught |\bElectron\b|\bnpm\b|\byarn\b|\bnode(?::|\.js| v?\d)|\bwebpack\b|\bvite\b|\.[cm]?[jt]sx?\b|\brequire\(|\bReact\b|\bVue\b|\bNG\d{4}|ERROR Error: |浏览器|\bbrowser\b"
)


def is_about_javascript(text: str) -> bool:
    """Whether a text is about JavaScript, whose errors are often called ``Error`` alone."""
    return _JAVASCRIPT.search(text) is not None


_PAGE = (55, 120)
"""Characters of a line of prose that is broken at a page's width."""
_FULL = 40
"""Characters of a line that somebody's sentence fills before it goes on in the next one."""
_NAME_FIRST = lazy(r"[a-z][\w.-]{0,60}(?:[_/:(]\w|: |\(\))")
"""How a program's line begins, with a name, and no sentence goes on: ``proxy_connect: upstream …``."""
_OPEN_END = "abcdefghijklmnopqrstuvwxyz,"
_MID_SENTENCE = lazy(r"['\"`‘“]\w[^\n]*['\"`’”] [a-z]|\d{1,4}-[a-z]|[A-Z]{2,}(?: [A-Z]{2,}){3}")


def is_wrapped_at(words: str, below: str) -> bool:
    """Return whether a line ends where a page's width does, and the line below goes on with its sentence."""
    return _PAGE[0] <= len(words) <= _PAGE[1] and is_continued(words, below)


_MEETS = lazy(
    r"(?<![\w'])(?:I|i|[Ww]e|it|[Ii]t) (?:now |only |just )?(?:gets?|got|sees?|saw|says?|said|prints?|shows?)(?: now)?(?: is)?$"
)
"""How somebody's line ends above a program's words without a colon: *all I get is*."""


def is_continued(above: str, words: str) -> bool:
    """Return whether a line goes on with the sentence of the line above: it begins small, or that line is broken where a page's width ends."""
    if _MEETS.search(above):
        return False
    if above[-1:].isalpha() and words[:1].islower():
        return len(above) >= _FULL and _NAME_FIRST.match(words) is None
    is_full = _PAGE[0] <= len(above) <= _PAGE[1] and above[-1] in _OPEN_END
    return is_full and _MID_SENTENCE.match(words) is not None and not mentions_failure(above)


_CLOSING = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』"}
_TWO_NAMES = lazy(r"(?P<mark>['\"`])[\w.:/$-]{1,80}(?P=mark) [^\n]{0,2000} (?P=mark)[\w.:/$-]{1,80}(?P=mark)$")
"""A sentence that begins with a name in quotation marks and ends with another: ``'Till' object has no attribute 'key'``."""


def unquoted(words: str) -> str:
    """Words without a quotation mark that opens before them and closes behind them, or nowhere."""
    closing = _CLOSING.get(words[:1])
    if closing is None or (closing in words[1:] and not words.endswith(closing)) or _TWO_NAMES.match(words):
        return words
    return words[1:].removesuffix(closing).strip()


def bare(message: str) -> str:
    """Return a message without the marks of the quotation around it."""
    message = message.strip().strip("`")
    if message[:1] in ("*", "_") and message.endswith(message[0]):  # emphasis of Markdown
        message = message.strip("*_")
    return message.rstrip("\"'”’」』") if message.count('"') % 2 else message
