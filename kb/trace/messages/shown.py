"""Errors that clients and runtimes show with a type that is not spelled as an exception's."""

import re
from collections.abc import Iterator
from itertools import islice

from kb.trace.messages.typed import ELASTIC, NamedException, trimmed

_LABELLED = re.compile(
    r"(?i:exception|error_class|exception_class|error\.class)['\"]?(?:=>|=)[ ]?['\"]?(?P<type>[A-Z_a-z][\w$]{0,100}+(?:(?:\.|::|\\{1,2})[A-Za-z_$][\w$]{0,100}+){0,14}+)['\"]?,? {0,3}:?['\"]?(?i:message|error|msg)['\"]?(?:=>|=)[ ]?\"(?P<message>(?:[^\"\\\n]|\\.){1,4000}+)\""
)
"""A class and its message as fields, whatever the class ends with: Logstash's ``{:exception=>A::B, :message=>"m"}``, Fluentd's ``error_class=A::B error="m"``."""
_SYSTEM_CODE = r"E(?:CONN(?:REFUSED|RESET|ABORTED)|TIMEDOUT|NOTFOUND|AI_AGAIN|PIPE|ADDR(?:INUSE|NOTAVAIL)|HOST(?:UNREACH|DOWN)|NETUNREACH|NOENT|ACCES|PERM|MFILE|NFILE|NOSPC|EXIST|ISDIR|NOTDIR|NOTEMPTY|BUSY|ROFS|PROTO|INVAL)"
_SHOWN = (
    # Elixir, Exception.format/3: ** (DBConnection.ConnectionError) tcp recv: closed
    re.compile(r"(?<![\w*])\*\* \((?P<type>[A-Z]\w{0,60}(?:\.[A-Z]\w{0,60}){0,8})\) (?P<message>\S)"),
    # Elasticsearch's clients, each in its way: [parse_exception] m, with { … }; m [type=parse_exception]; [type=parse_exception, reason=m]; Type: parse_exception Reason: "m"
    ELASTIC,
    re.compile(
        r"elastic: Error \d{3} \([A-Z][A-Za-z ]{2,40}\): (?P<message>[^\n]{1,4000}) \[type=(?P<type>[a-z_]{3,80})\]"
    ),
    re.compile(
        r"\[type=(?P<type>[a-z_]{3,80}_exception), reason=(?P<message>(?:[^\[\]\n]|\[[^\[\]\n]{0,500}+\]){1,4000}+)\]"
    ),
    re.compile(r"Type: (?P<type>[a-z_]{3,80}_exception) Reason: \"(?P<message>[^\"\n]{1,4000}+)\""),
    # RabbitMQ: {amqp_error,not_found,"no queue 'pay'",'queue.declare'}; in its new logs: caused a channel exception not_found: no queue
    re.compile(r"\{amqp_error,(?P<type>[a-z_]{3,40}),[ \t]?\"(?P<message>[^\"\n]{1,2000}+)\""),
    re.compile(r"caused a (?:channel|connection) exception (?P<type>[a-z_]{3,40}): (?P<message>[^\n]{2,2000}+)"),
    re.compile(
        r"(?<![\w:.])(?P<type>(?:[A-Z]\w{0,60}::){1,6}[A-Z]\w{1,80}|[A-Z]\w{1,80}Error) \((?P<message>[^\n]{2,2000})\):[ \t]*$",
        re.MULTILINE,
    ),  # Rails' log
    re.compile(r"(?<![\w.-])(?P<type>P\d{4}): (?P<message>(?=[A-Z`])[^\n]{8})"),  # Prisma, "Error message reference"
    re.compile(
        r"(?<![\w.-])(?P<type>(?:MSB|CS|NU|NETSDK|LNK)\d{4}): (?P<message>(?=[A-Z\u4e00-\u9fff'\"])(?:(?! \[[^\]\n]{1,300}proj\])[^\n]){8,4000}+)"
    ),  # MSBuild's "category code: text"
)
"""How clients and runtimes show a type and its message, where no name tells that it is one."""
_LIBUV = re.compile(rf"(?<![\w.-])(?P<type>{_SYSTEM_CODE}): (?P<message>[a-z]{{2}})")
"""``ENOENT: no such file or directory, open '/x'``"""
_WITH_ADDRESS = re.compile(
    rf"(?<![\w.-])(?:(?:connect|read|write|listen|bind|accept|send|getaddrinfo|query[A-Z]\w{{0,4}}|spawn|open) )?(?P<type>{_SYSTEM_CODE}) (?:\[?[\w.-]*[:./\d][\w.:/-]*+\]?(?::\d{{1,5}})?|[\w-]{{1,60}}(?=[\"'`\s]*$))"
)
"""What Node prints of a system call: ``connect ECONNREFUSED 127.0.0.1:5432``; all of it is the message."""
_WINDOWS = re.compile(r"(?<![\w.])(?P<type>(?:EXCEPTION|STATUS)_[A-Z]{2,20}(?:_[A-Z]{2,20}){1,5}) \(0x[0-9a-fA-F]{8}\)")
_MOST_SHOWN = 8


def shown(text: str, begin: int, stop: int) -> Iterator[NamedException]:
    """The errors that clients and runtimes show without the name of an exception."""
    for found in (
        one for form in (*_SHOWN, _LABELLED) for one in islice(form.finditer(text, begin, stop), _MOST_SHOWN)
    ):
        is_whole = found.end() - found.start("message") > 8  # else the pattern only tells where the message begins
        message, end = trimmed(text, found.start("message"), found.end("message") if is_whole else stop)
        yield NamedException(
            found["type"], message, found.start(), max(end, found.end() if is_whole else 0), is_called=True
        )
    for found in islice(_LIBUV.finditer(text, begin, stop), _MOST_SHOWN):
        message, end = trimmed(text, found.start("message"), stop)
        yield NamedException(found["type"], message, found.start(), end)
    for found in islice(_WITH_ADDRESS.finditer(text, begin, stop), _MOST_SHOWN):
        yield NamedException(found["type"], found[0], *found.span())
    for found in islice(_WINDOWS.finditer(text, begin, stop), _MOST_SHOWN):
        yield NamedException(found["type"], None, *found.span())
