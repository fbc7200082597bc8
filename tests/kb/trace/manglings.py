"""What happens to a trace between the program that printed it and the text box it is pasted into, as a table."""

import html
import json
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

Kept = Literal["root", "loose", "found"]


@dataclass(frozen=True, slots=True)
class Mangling:
    """One way in which a trace is mangled."""

    name: str
    apply: Callable[[str], str]
    kept: Kept = "root"
    """What has to be read all the same: the ROOT_CAUSE, the LOOSE fingerprint, or at least a trace of the runtime."""
    keeps_lines: bool = False
    """Whether line n of the trace is line n of the mangled text."""


def _each(prefix: str, suffix: str = "") -> Callable[[str], str]:
    return lambda trace: "\n".join(f"{prefix}{line}{suffix}" for line in trace.splitlines())


def _numbered(form: str) -> Callable[[str], str]:
    return lambda trace: "\n".join(form.format(at) + line for at, line in enumerate(trace.splitlines(), start=7))


def _joined(glue: str) -> Callable[[str], str]:
    return lambda trace: glue.join(line.strip() for line in trace.splitlines() if line.strip())


def _broken_at(width: int) -> Callable[[str], str]:
    """A terminal copied with its line ends: every line cut at its width, wherever that is."""
    return lambda trace: "\n".join(
        line[at : at + width] for line in trace.splitlines() for at in range(0, max(len(line), 1), width)
    )


def _filled(width: int) -> Callable[[str], str]:
    """A mail program: long lines are broken at a blank."""

    def fill(line: str) -> list[str]:
        return textwrap.wrap(
            line, width, break_long_words=False, break_on_hyphens=False, drop_whitespace=True, expand_tabs=False
        ) or [line]

    return lambda trace: "\n".join(part for line in trace.splitlines() for part in fill(line))


def _json_records(trace: str) -> str:
    return "\n".join(
        json.dumps({"time": "2024-05-01T10:00:00Z", "level": "error", "msg": line}) for line in trace.splitlines()
    )


def _docker(trace: str) -> str:
    record = {"stream": "stderr", "time": "2024-05-01T10:00:00.123456789Z"}
    return "\n".join(json.dumps({"log": line + "\n", **record}) for line in trace.splitlines())


def _page(trace: str) -> str:
    escaped = html.escape(trace).replace("\t", "&nbsp;&nbsp;&nbsp; ").replace("  ", "&nbsp; ")
    return "<br>\n".join(escaped.splitlines())


def _table_cell(trace: str) -> str:
    return "| 1 | " + "<br>".join(line.replace("|", "\\|") for line in trace.splitlines()) + " | open |"


def _csv_cell(trace: str) -> str:
    return '7,"pay, eu","' + trace.replace('"', '""') + '",2024-05-01\n'


def _full_width(table: str) -> Callable[[str], str]:
    marks = str.maketrans({mark: chr(ord(mark) + 0xFEE0) for mark in table})
    return lambda trace: trace.translate(marks)


def _heads_full_width(trace: str) -> str:
    return "\n".join(
        line if line.startswith((" ", "\t")) else line.replace(": ", "：", 1) for line in trace.splitlines()
    )


def _beyond_middle(trace: str) -> str:
    lines = trace.splitlines()
    return "\n".join(lines[2:] if len(lines) > 5 else lines)


def _up_to_middle(trace: str) -> str:
    lines = trace.splitlines()
    return "\n".join(lines[: max(len(lines) * 3 // 4, min(3, len(lines)))])


def _spaced(trace: str) -> str:
    return "\n\n".join(trace.splitlines())


def _left(trace: str) -> str:
    return "\n".join(line.lstrip() for line in trace.splitlines())


def _boxed(trace: str) -> str:
    lines = [line.expandtabs(4) for line in trace.splitlines()]
    width = max(map(len, lines), default=0)
    return "\n".join(f"│ {line:{width}} │" for line in lines)


def _coloured(trace: str) -> str:
    return "\n".join(f"\x1b[1;31m{line}\x1b[0m" for line in trace.splitlines())


def _fenced(trace: str) -> str:
    escaped = trace.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"see this:\n```{escaped}```\nany idea?"


def _behind_a_head(trace: str) -> str:
    return f"May 01, 2024 10:00:00 AM com.acme.shop.Pay run\nSEVERE: could not pay\n{trace}"


def _in_json(trace: str) -> str:
    return json.dumps({"level": "ERROR", "message": "call failed", "stack_trace": trace, "n": 3})


def _in_json_twice(trace: str) -> str:
    return json.dumps({"time": "2024-05-01T10:00:00Z", "log": json.dumps({"message": "call failed", "error": trace})})


def _searched(path: str, *, is_numbered: bool) -> Callable[[str], str]:
    """What ``grep -A`` prints: the line that was found with colons, the lines behind it with hyphens."""

    def search(trace: str) -> str:
        lines = []
        for at, line in enumerate(trace.splitlines()):
            mark = "-" if at else ":"
            lines.append((path + mark if path else "") + (f"{at + 12}{mark}" if is_numbered else "") + line)
        return "\n".join(lines)

    return search


def _of_two_processes(trace: str) -> str:
    """Each line in turns with one of another process, which prints no trace."""
    return "\n".join(
        f"05-01 10:00:00.{at:03}  4242  4250 E AndroidRuntime: {line}\n05-01 10:00:00.{at:03}  5353  5360 I Choreographer: Skipped {at} frames"
        for at, line in enumerate(trace.splitlines())
    )


def _record(prefix: str) -> Callable[[str], str]:
    """A logger's prefix before the first line only, as loggers of most runtimes print a trace."""
    return lambda trace: f"{prefix}call failed\n{trace}"


_PREFIXES = (
    ("log4j", "2024-05-01 10:00:00,123 ERROR [main] com.acme.shop.Pay - "),
    ("log4j-line", "2024-05-01 10:00:00,123 ERROR Pay:42 - "),
    ("logback", "10:00:00.123 [http-nio-8080-exec-3] ERROR com.acme.shop.Pay - "),
    ("spring-boot", "2024-05-01T10:00:00.123+08:00 ERROR 4242 --- [nio-8080-exec-3] c.a.shop.Pay : "),
    ("spark", "24/05/01 10:00:00 ERROR Executor: "),
    ("yarn-stdout", "[2024-05-01 10:00:00.123]"),
    ("jul", "[2024-05-01 10:00:00] [SEVERE ] "),
    ("maven", "[ERROR] "),
    ("python-logging", "2024-05-01 10:00:00,123 - shop.pay - ERROR - "),
    ("python-basic", "ERROR:shop.pay:"),
    ("loguru", "2024-05-01 10:00:00.123 | ERROR    | shop.pay:run:42 - "),
    ("celery", "[2024-05-01 10:00:00,123: ERROR/ForkPoolWorker-1] "),
    ("airflow", "[2024-05-01, 10:00:00 UTC] {taskinstance.py:1824} ERROR - "),
    ("gunicorn", "[2024-05-01 10:00:00 +0000] [4242] [ERROR] "),
    ("zap", "2024-05-01T10:00:00.123Z\tERROR\tshop/pay.go:42\t"),
    ("go-log", "2024/05/01 10:00:00 "),
    ("go-log-file", "2024/05/01 10:00:00 pay.go:42: "),
    ("klog", "E0501 10:00:00.123456       1 pay.go:42] "),
    ("winston", "2024-05-01T10:00:00.123Z error: "),
    ("pm2", "0|pay  | 2024-05-01T10:00:00: "),
    ("nlog", "2024-05-01 10:00:00.1234|ERROR|Acme.Shop.Pay|"),
    ("serilog", "[10:00:00 ERR] "),
    ("serilog-file", "2024-05-01 10:00:00.123 +08:00 [ERR] "),
    ("env-logger", "[2024-05-01T10:00:00Z ERROR shop::pay] "),
    ("rails", "E, [2024-05-01T10:00:00.123456 #4242] ERROR -- : "),
    ("nginx", "2024/05/01 10:00:00 [error] 4242#4242: *1 "),
    ("dmesg", "[12345.678901] "),
    ("syslog", "May  1 10:00:00 web pay[4242]: "),
    ("journald", "May 01 10:00:00 web.example pay[4242]: "),
    ("syslog-5424", "<11>1 2024-05-01T10:00:00.123Z web pay 4242 - - "),
    ("cri", "2024-05-01T10:00:00.123456789Z stderr F "),
    ("compose", "web-1  | "),
    ("kubectl", "[pod/pay-7d9f8c6b5-x2x4z/pay] "),
    ("stern", "pay-7d9f8c6b5-x2x4z pay "),
    ("heroku", "2024-05-01T10:00:00.123456+00:00 app[web.1]: "),
    ("cloudwatch", "2024-05-01T10:00:00.123Z\t8f5b5c1e-17c9-4f0b-a5c6-0c1d2e3f4a5b\tERROR\t"),
    ("cloudwatch-tail", "2024-05-01T10:00:00.123000+00:00 2024/05/01/[$LATEST]8f5b5c1e17c94f0ba5c60c1d2e3f4a5b "),
    ("actions", "2024-05-01T10:00:00.1234567Z "),
    ("jenkins", "[2024-05-01T10:00:00.123Z] "),
    ("logcat", "05-01 10:00:00.123  4242  4250 E AndroidRuntime: "),
    ("logcat-brief", "E/AndroidRuntime( 4242): "),
    ("logcat-time", "05-01 10:00:00.123 E/AndroidRuntime(4242): "),
)

MANGLINGS: tuple[Mangling, ...] = (
    Mangling("as-it-is", lambda trace: trace, keeps_lines=True),
    *(Mangling(f"every-line-{name}", _each(prefix), keeps_lines=True) for name, prefix in _PREFIXES),
    *(
        Mangling(f"record-{name}", _record(prefix))
        for name, prefix in _PREFIXES
        if name in ("log4j", "logback", "spring-boot", "python-logging", "loguru", "winston", "serilog-file", "zap")
    ),
    Mangling("record-jul", _behind_a_head),
    # escaped
    Mangling("json", _in_json),
    Mangling("json-twice", _in_json_twice),
    Mangling("json-indented", lambda trace: json.dumps({"stack_trace": trace, "n": 1}, indent=2)),
    Mangling("json-string", json.dumps),
    Mangling("json-records", _json_records),
    Mangling("docker", _docker),
    Mangling("escaped-breaks", lambda trace: trace.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")),
    Mangling("html", html.escape, keeps_lines=True),
    Mangling("html-quotes-kept", lambda trace: html.escape(trace, quote=False), keeps_lines=True),
    Mangling("html-twice", lambda trace: html.escape(html.escape(trace)), keeps_lines=True),
    Mangling("page", _page, keeps_lines=True),
    Mangling("table-cell", _table_cell),
    Mangling("csv-cell", _csv_cell, keeps_lines=True),
    Mangling("tsv-cell", lambda trace: "7\tpay\t" + trace + "\t2024-05-01", keeps_lines=True),
    # quoted, fenced, framed
    Mangling("quoted", _each("> "), keeps_lines=True),
    Mangling("quoted-thrice", _each("> > > "), keeps_lines=True),
    Mangling("quoted-tight", _each(">>"), keeps_lines=True),
    Mangling("fenced", lambda trace: f"see this:\n```java\n{trace}\n```\nany idea?"),
    Mangling("fenced-slack", _fenced),
    Mangling("code-indented", _each("    "), keeps_lines=True),
    Mangling("bullets", _each("* "), keeps_lines=True),
    Mangling("dashes", _each("- "), keeps_lines=True),
    Mangling("dots", _each("• "), keeps_lines=True),
    Mangling("table-borders", _each("| ", " |"), keeps_lines=True),
    Mangling("boxed", _boxed, keeps_lines=True),
    Mangling("line-numbers-colon", _numbered("{}: "), keeps_lines=True),
    Mangling("line-numbers-bar", _numbered("{:4} | "), keeps_lines=True),
    Mangling("line-numbers-tab", _numbered("{:6}\t"), keeps_lines=True),
    Mangling("line-numbers-dot", _numbered("{}. "), keeps_lines=True),
    Mangling("comment", _each("// "), keeps_lines=True),
    Mangling("comment-hash", _each("# "), keeps_lines=True),
    # whatever else stands before each line
    Mangling("grep-named", _searched("app.log", is_numbered=False), keeps_lines=True),
    Mangling("grep-numbered", _searched("", is_numbered=True), keeps_lines=True),
    Mangling("grep-named-numbered", _searched("/var/log/app-1.log", is_numbered=True), keeps_lines=True),
    Mangling("constant-word", _each("ERR "), keeps_lines=True),
    Mangling("constant-pair", _each("srv=pay "), keeps_lines=True),
    Mangling("chinese-label", _each("订单服务："), keeps_lines=True),
    Mangling("diff-added", _each("+"), keeps_lines=True),
    Mangling("bullets-numbered", lambda trace: "\n".join(f"({at}) {line}" for at, line in enumerate(trace.splitlines(), 1)), keeps_lines=True),
    Mangling("logcat-two-processes", _of_two_processes),
    Mangling("escaped-in-quotes", lambda trace: 'level=error err="' + trace.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '" n=1'),
    # blanks, line breaks, colours
    Mangling("crlf", lambda trace: trace.replace("\n", "\r\n"), keeps_lines=True),
    Mangling("trailing-blanks", _each("", "   "), keeps_lines=True),
    Mangling("two-blanks-markdown", _each("", "  \\"), keeps_lines=True),
    Mangling("blank-lines-between", _spaced),
    Mangling("left-aligned", _left, kept="loose", keeps_lines=True),
    Mangling("tabs-expanded", lambda trace: trace.expandtabs(4), keeps_lines=True),
    Mangling("no-break-spaces", lambda trace: trace.replace("\t", "\xa0\xa0\xa0\xa0").replace("  ", "\xa0 "), keeps_lines=True),
    Mangling("byte-order-mark", lambda trace: "\ufeff" + trace, keeps_lines=True),
    Mangling("ansi", _coloured, keeps_lines=True),
    Mangling("broken-at-80", _broken_at(80)),
    Mangling("broken-at-100", _broken_at(100)),
    Mangling("filled-to-80", _filled(80)),
    Mangling("filled-to-100", _filled(100)),
    # one line
    Mangling("joined-by-blanks", _joined(" ")),
    Mangling("joined-by-bars", _joined(" | ")),
    Mangling("joined-by-semicolons", _joined("; ")),
    Mangling("joined-by-nothing", lambda trace: trace.replace("\n", "")),
    Mangling("joined-by-br", _joined("<br>")),
    Mangling("joined-by-arrows", _joined(" ↵ ")),
    # full width
    Mangling("full-width-colon", _heads_full_width, keeps_lines=True),
    Mangling("full-width-brackets", _full_width("()"), keeps_lines=True),
    Mangling("full-width-all", _full_width("():,;"), kept="loose", keeps_lines=True),
    # lost
    Mangling("head-lost", _beyond_middle, kept="found"),
    Mangling("tail-lost", _up_to_middle, kept="found"),
)  # fmt: skip


def interleaved(traces: Sequence[str]) -> str:
    """Several traces line by line in turns, each line with the name of its thread, as a busy log has them."""
    split = [trace.splitlines() for trace in traces]
    return "\n".join(
        f"2024-05-01 10:00:00,{at:03} ERROR [worker-{number}] shop.Pay - {lines[at]}"
        for at in range(max(map(len, split)))
        for number, lines in enumerate(split, start=1)
        if at < len(lines)
    )
