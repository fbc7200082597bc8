"""Custom rules: what the files of `KB_HOME/rules/` say, and which of their entries would match too much."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import re2

from kb.entities.codes import CodeRule, read_rule
from kb.entities.components import Component, read_component
from kb.errors import RulesError
from kb.redact.house import HouseRule, read_house_rule

# What a rule of the house may not do: fit names of everybody, or words of any message.
#
# Tried on ordinary names and messages: no list of ours knows a house's names, but every house's names are not these.

MOST_OWNERS = 2
"""Owners of ordinary names whose frames one prefix may fit; ``com.`` fits those of many."""
MOST_MESSAGES = 4
"""Ordinary messages in which one pattern may find something."""
SHORTEST = 4
"""Bytes of a name that is no part of a path."""

NAMES = (
    "com.google.common.base.Preconditions.checkState", "com.fasterxml.jackson.databind.ObjectMapper.readValue", "com.mysql.cj.jdbc.ConnectionImpl.connect",
    "org.apache.kafka.clients.NetworkClient.poll", "org.springframework.web.servlet.DispatcherServlet.doGet", "org.hibernate.Session.flush", "org.junit.Assert.fail",
    "io.netty.channel.AbstractChannel.read", "io.grpc.internal.ServerImpl.start", "io.vertx.core.impl.Future.complete", "net.sf.ehcache.Cache.get", "net.bytebuddy.Agent.install",
    "net.minecraft.server.Main.main", "cn.hutool.core.util.StrUtil.format", "cn.com.bank.pay.Gateway.call", "cn.edu.lab.Job.run", "me.user.bot.Bot.start", "de.firma.shop.Kasse.zahle",
    "java.util.HashMap.put", "java.lang.Thread.run", "javax.servlet.http.HttpServlet.service", "jdk.internal.reflect.Method.invoke", "scala.collection.immutable.List.map", "kotlin.collections.Maps.get",
    "System.Threading.Tasks.Task.Execute", "Microsoft.AspNetCore.Hosting.Start", "Newtonsoft.Json.JsonConvert.Deserialize", "github.com/gin-gonic/gin.(*Context).Next", "github.com/gorilla/mux.ServeHTTP",
    "github.com/spf13/cobra.Execute", "golang.org/x/net/http2.Read", "golang.org/x/sync/errgroup.Go", "golang.org/x/text/width.Fold", "google.golang.org/grpc.Invoke", "main.main", "runtime.goexit",
    "django.core.handlers.base.get_response", "flask.app.dispatch_request", "requests.sessions.send", "numpy.core.multiarray.dot", "tokio::runtime::block_on", "std::panicking::begin_panic", "core::option::unwrap_failed",
    "Illuminate\\Routing\\Router.dispatch", "Symfony\\Component\\HttpKernel\\Kernel.handle", "ActiveRecord::Base.find", "Rack::Builder.call", "node:internal/modules/loader.load", "node_modules/express/lib/router.next",
)  # fmt: skip
"""Names of frames by many hands."""
ORDINARY_MESSAGES = (
    "Connection refused: connect", "Read timed out after 30000 ms", "user 42 not found in table accounts", 'Cannot invoke "String.length()" because "s" is null',
    "Index 5 out of bounds for length 3", "Could not open /var/data/part-00017: no such file or directory", "Failed to parse line 12, column 8 of config.yaml",
    "Job 20240501 was cancelled by root", "disk is full", "Lock wait timeout exceeded; try restarting transaction", "HTTP 503 from http://10.2.3.4:8080/stock/7",
    "invalid character 'x' looking for beginning of value", "Task 0 in stage 3.0 failed 4 times", "cannot import name foo from bar.baz", "Unexpected end of input at offset 1024",
    "SSL handshake failed with db-1.example.com", "permission denied", "expected 3 arguments, got 2", "No space left on device (28)", "key not found: Some(id-9)", "文件 7 不存在", "连接超时，请重试",
    "Deadline exceeded after 9.99 s [remote_addr=10.0.0.7:443]", "duplicate entry 'A-1' for key 'PRIMARY'",
)  # fmt: skip
"""Messages as anybody's programs have them."""
BUILT_IN = frozenset({
    "<bool>", "<card>", "<date>", "<duration>", "<email>", "<float>", "<git_sha>", "<hash>", "<hex>", "<hostname>", "<id>", "<identity>", "<int>", "<ip>", "<local>", "<md5>", "<path>", "<phone>", "<pod>",
    "<quoted>", "<secret>", "<sha1>", "<traceparent>", "<url>", "<user>", "<uuid>", "<version>",
})  # fmt: skip
"""Placeholders that have a meaning already: a template tells by them what was there, and `<secret>` that something was hidden."""

_SEPARATORS = ".:/\\$"


def wrong_width_of_name(name: str, *, is_prefix: bool) -> str | None:
    """Return what is too wide about a name, in words."""
    bare = name.removesuffix("$")
    parts = [
        part
        for part in bare.replace("::", ".").replace("/", ".").replace("\\", ".").replace("$", ".").split(".")
        if part
    ]
    if not parts or (
        len(parts) == 1 and not bare.endswith(tuple(_SEPARATORS)) and len(bare.encode("utf-8", "replace")) < SHORTEST
    ):
        return "is too short: it would fit nearly everything"
    if is_prefix and not name.endswith("$"):
        owners = {_owner(one) for one in NAMES if one.startswith(bare)}
        if len(owners) > MOST_OWNERS:
            return f"is too wide: it fits frames of {len(owners)} ordinary libraries, as {min(one for one in NAMES if one.startswith(bare))}"
    return None


def _owner(name: str) -> str:
    return ".".join(name.replace("/", ".").replace("\\", ".").replace("::", ".").split(".")[:3])


def wrong_width_of_pattern(finds: Callable[[str], bool]) -> str | None:
    """Return what is too wide about a pattern, in words; ``finds`` tells whether it matches anywhere in a text."""
    fitted = [message for message in ORDINARY_MESSAGES if finds(message)]
    if len(fitted) > MOST_MESSAGES:
        return (
            f"is too wide: it matches in {len(fitted)} of {len(ORDINARY_MESSAGES)} ordinary messages, as {fitted[0]!r}"
        )
    return None


IN_APP, WRAPPERS, NOISE, MESSAGES = "in_app.txt", "wrappers.txt", "noise.txt", "messages.txt"
COMPONENTS, CODES, REDACT = "components.txt", "codes.txt", "redact.txt"
FILES = (IN_APP, WRAPPERS, NOISE, MESSAGES, COMPONENTS, CODES, REDACT)
"""The files that there may be, each a list with one entry a line."""
MOST_ENTRIES = {IN_APP: 2_000, WRAPPERS: 2_000, NOISE: 2_000, MESSAGES: 200, COMPONENTS: 2_000, CODES: 200, REDACT: 500}
LONGEST_ENTRY = 500
MOST_REPORTED = 50
"""Mistakes that are reported one by one."""

_PATTERN_MEMORY = 1 << 20
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_MESSAGE_RULE = re.compile(r"(?P<placeholder><[a-z][a-z_]{1,11}>)[ \t]+(?P<pattern>\S.*)")
_PLACEHOLDER = re.compile("<[a-z][a-z_0-9]{1,11}>")
_PROBES = ("", "a", "aa bb", "1 a", " ", "<int>")
_NAME_CURE = "one prefix of module.function a line, as a fingerprint's basis shows it; # begins a comment"
_READERS: Mapping[str, Callable[[str], object]] = {
    COMPONENTS: read_component,
    CODES: read_rule,
    REDACT: read_house_rule,
}
_TYPE_CURE = "one exception type a line, as a fingerprint's basis shows it; # begins a comment"


@dataclass(frozen=True, slots=True)
class CustomRules:
    """The rules as read; plain data, so that they travel."""

    in_app: tuple[tuple[str, bool], ...] = ()
    """Prefixes of ``module.function``, each with whether it is the application. The longest that fits decides."""
    wrappers: tuple[str, ...] = ()
    """Exception types that only wrap another."""
    noise: tuple[str, ...] = ()
    """Prefixes of ``module.function`` (with ``$`` behind it: a whole name) of frames that tell nothing."""
    messages: tuple[tuple[str, str], ...] = ()
    """Placeholders, each with the RE2 pattern of what it stands for, in the order they are tried."""
    components: tuple[Component, ...] = ()
    """Beside the bundled ones, or instead of those of the same name."""
    codes: tuple[CodeRule, ...] = ()
    redact: tuple[HouseRule, ...] = ()
    """What is hidden beside the bundled kinds, and what is left."""

    @property
    def digest(self) -> str:
        """16 hex digits that tell rules for traces apart; empty for none. Comments and the order of names do not matter."""
        parts = (sorted(self.in_app), sorted(self.wrappers), sorted(self.noise), self.messages)
        secrets = sorted(rule.pattern for rule in self.redact if rule.verb == "secret")
        return _digest((*parts, secrets) if secrets else parts)  # hosts read the same in a template, hidden or not

    @property
    def reading_digest(self) -> str:
        """The same of what acts where documents are read: components, codes, and what is hidden."""
        parts = (sorted(map(repr, self.components)), self.codes)
        return _digest((*parts, sorted(map(str, self.redact))) if self.redact else parts)


def _digest(parts: tuple[Sequence[object], ...]) -> str:
    return sha256(repr(parts).encode()).hexdigest()[:16] if any(parts) else ""


NONE = CustomRules()
"""No rules: what is in force until others are adopted."""


def read_custom(texts: Mapping[str, str], place: str = "rules") -> CustomRules:
    """Return the rules of the given files, name → text; ``place`` is the folder. RulesError names file and line of all that is wrong."""
    wrong: list[tuple[str, str]] = [
        (f"{place}/{name} is no rules file", f"call it one of {', '.join(FILES)}, or remove it")
        for name in texts
        if name not in FILES
    ]
    entries = {name: _entries(texts.get(name, ""), name, place, wrong) for name in FILES}
    if wrong:
        raise _joined_error(wrong)
    return CustomRules(
        in_app=tuple((entry.removeprefix("!"), not entry.startswith("!")) for entry in entries[IN_APP]),
        wrappers=entries[WRAPPERS],
        noise=entries[NOISE],
        messages=tuple(rule for entry in entries[MESSAGES] if (rule := _message_rule(entry)) is not None),
        components=tuple(map(read_component, entries[COMPONENTS])),
        codes=tuple(map(read_rule, entries[CODES])),
        redact=tuple(map(read_house_rule, entries[REDACT])),
    )


def _joined_error(wrong: list[tuple[str, str]]) -> RulesError:
    """Return all mistakes as one error: a single one as it is, several in a line each with its own cure."""
    if len(wrong) == 1:
        return RulesError(wrong[0][0], cure=wrong[0][1])
    lines = [f"  {problem} ({cure})" for problem, cure in wrong[:MOST_REPORTED]]
    more = [f"  and {len(wrong) - MOST_REPORTED} more"] if len(wrong) > MOST_REPORTED else []
    return RulesError("\n".join([f"{len(wrong)} mistakes in the rules", *lines, *more]), cure="mend each of them")


def _entries(text: str, name: str, place: str, wrong: list[tuple[str, str]]) -> tuple[str, ...]:
    """Return the entries of one file, each checked; what is wrong is added to ``wrong``, with its cure."""
    found: dict[str, int] = {}
    subjects: dict[str, int] = {}
    for number, entry in _lines(text, name):
        flaw = _flaw(entry, name)
        subject = _subject(entry, name)
        if not flaw and subject in subjects:
            flaw = (f"{subject!r} stands in line {subjects[subject]} already", "keep one of the two")
        is_full = not flaw and len(found) == MOST_ENTRIES[name]
        if is_full:
            flaw = (f"more than {MOST_ENTRIES[name]} entries", "say it with fewer: shorter prefixes, wider patterns")
        if flaw:
            wrong.append((f"{place}/{name}:{number}: {flaw[0]}", flaw[1]))
        else:
            found[entry] = subjects[subject] = number
        if is_full:
            break
    return tuple(found)


def _flaw(entry: str, name: str) -> tuple[str, str] | None:
    """Return what is wrong with an entry and how to mend it."""
    if name == MESSAGES:
        return _wrong_in_messages(entry)
    if name not in _READERS:
        return _wrong_name(entry, name)
    if len(entry) > LONGEST_ENTRY:
        return f"an entry of {len(entry)} characters", f"at most {LONGEST_ENTRY} characters an entry"
    try:
        _READERS[name](entry)
    except RulesError as error:
        return error.problem, error.cure
    return None


def _subject(entry: str, name: str) -> str:
    """Return what may be in a file once only."""
    if name == COMPONENTS:
        return re.split(r"[=~]", entry, maxsplit=1)[0].strip(" \t!").lower()
    return entry.removeprefix("!") if name == IN_APP else entry.split(maxsplit=1)[-1]


def _lines(text: str, name: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, numbered. A pattern may hold a ``#``: among patterns only a whole line is a comment."""
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        entry = line.strip() if name in {MESSAGES, CODES, REDACT} else _COMMENT.sub("", line).strip()
        if entry and not entry.startswith("#"):
            yield number, entry


def _wrong_name(entry: str, name: str) -> tuple[str, str] | None:
    """Return what is wrong with a name and how to mend it."""
    cure = _TYPE_CURE if name == WRAPPERS else _NAME_CURE
    bare = entry.removeprefix("!") if name == IN_APP else entry
    if len(bare) > LONGEST_ENTRY:
        return f"an entry of {len(bare)} characters", f"at most {LONGEST_ENTRY} characters an entry"
    if any(character.isspace() for character in bare) or not bare.isprintable():
        return f"{entry!r} holds a blank", cure
    if bare.endswith("*"):
        return f"{entry!r} ends with a star", "leave it out: a type is a whole name, every other entry a prefix"
    width = wrong_width_of_name(bare, is_prefix=name != WRAPPERS)
    return (f"{entry!r} {width}", cure) if width is not None else None


def _message_rule(entry: str) -> tuple[str, str] | None:
    found = _MESSAGE_RULE.fullmatch(entry)
    return (found["placeholder"], found["pattern"]) if found is not None else None


def _wrong_in_messages(entry: str) -> tuple[str, str] | None:
    """Return what is wrong with a rule for messages and how to mend it."""
    if len(entry) > LONGEST_ENTRY:
        return f"a rule of {len(entry)} characters", f"at most {LONGEST_ENTRY} characters a rule"
    rule = _message_rule(entry)
    if rule is None:
        return (
            f"{entry!r} is no rule",
            r"a placeholder of 2 to 12 small letters, a blank, an RE2 pattern: <order> ORD-\d+",
        )
    if rule[0] in BUILT_IN:
        return f"{rule[0]} has a meaning already", "call the placeholder otherwise: a template must tell whose it is"
    try:
        compiled = compiled_pattern(rule[1])
        nothing = any(start == end for probe in _PROBES for start, end in spans(compiled, probe))
    except (re2.error, UnicodeEncodeError) as error:
        problem = error.args[0]
        reason = problem.decode(errors="replace") if isinstance(problem, bytes) else str(problem)
        return f"{rule[1]!r} is no RE2 pattern: {reason}", "RE2 knows no look-around and no back-references"
    if nothing:
        return f"{rule[1]!r} matches where nothing stands, too", "ask for at least one character: + instead of *"
    width = wrong_width_of_pattern(lambda text: next(spans(compiled, text), None) is not None)
    return (f"{rule[1]!r} {width}", r"say what stands around the value: ORD-\d+ instead of \d+") if width else None


def compiled_pattern(pattern: str) -> Any:
    """Return the pattern beside one for the placeholders that are there already: they are never taken apart."""
    options = re2.Options()
    options.max_mem, options.log_errors, options.never_nl = _PATTERN_MEMORY, False, True
    options.never_capture = True  # where a match is takes one pass, what its groups hold takes several
    re2.compile(pattern, options)  # alone, for `)|(` is a mistake and no pattern
    return re2.compile(f"(?:{_PLACEHOLDER.pattern})|(?:{pattern})", options)


def spans(compiled: Any, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a compiled pattern matches, outside placeholders."""
    for found in compiled.finditer(text):
        if _PLACEHOLDER.fullmatch(found[0]) is None:
            yield found.span()
