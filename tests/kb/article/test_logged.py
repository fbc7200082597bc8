"""The error lines that an article shows outside of stack traces."""

from collections.abc import Callable

import pytest

from kb.article import read_article
from kb.article.formats import take_apart
from kb.article.logged import logged
from kb.article.sections import sections
from kb.trace import Level, fingerprints, parse

DISK = "write failed: No space left on device"
HOOK = "Error: Hook execution failed: requests to the local network are not allowed"
FRAMES = "java.io.IOException: disk is gone\n\tat a.b.C.d(C.java:1)\n\tat a.b.C.e(C.java:2)"


def kept(text: str) -> list[str]:
    (one,) = read_article(
        f"# Export stops\n\nThe nightly export stops half way.\n\n{text}\n".encode(), "x.md"
    ).incidents
    return list(one.traces)


def test_output_without_an_exception_is_searched_as_words() -> None:
    """No chain would find it; what has one stands in no prose."""
    line = "The ledger control failed to setup its handler in the config file."
    (one,) = read_article(
        f"# Export stops\n\nThe nightly export stops.\n\n```\n{line}\n```\n\n```\n{HOOK}\n```\n".encode(), "x.md"
    ).incidents
    assert (line in one.prose, HOOK in one.prose) == (line in one.traces, False)
    assert HOOK in one.traces


KEPT = {
    "output in code": (f"```\n$ export --all\n{HOOK}\n```", [HOOK]),
    "output among progress": (f"```\nReading table 1\nReading table 2\n{HOOK}\n```", [HOOK]),
    "a line of a log, whole": (
        f"```\n2024-05-01 10:00:00,001 INFO  a.b.C - started\n2024-05-01 10:00:01,001 ERROR a.b.C - {DISK}\n```",
        [f"2024-05-01 10:00:01,001 ERROR a.b.C - {DISK}"],
    ),
    "a log in a paragraph": (
        f"2024-05-01 10:00:01 ERROR a.b.C - {DISK}",
        [f"2024-05-01 10:00:01 ERROR a.b.C - {DISK}"],
    ),
    "each line of output that fails": (
        "```\ncopy failed: table 3 is locked by another job\nThe underlying connection was closed: an unexpected error occurred on a send.\n```",
        [
            "copy failed: table 3 is locked by another job",
            "The underlying connection was closed: an unexpected error occurred on a send.",
        ],
    ),
    "a message of the system alone": (
        "```\nopen /data/a.tmp: no such file or directory\n```",
        ["open /data/a.tmp: no such file or directory"],
    ),
    "quoted in the symptom": (f"## Symptom\n\n> {DISK}\n\nNothing else is printed.", [DISK]),
    "in back-ticks in the symptom": (f"## Symptom\n\nThe console shows `{HOOK}` and stops.", [HOOK]),
    "the same with another number once": (
        "```\nerror: worker 17 failed to start\nerror: worker 18 failed to start\n```",
        ["error: worker 17 failed to start"],
    ),
    "Chinese": ("```\n错误：无法连接到数据库服务器\n```", ["错误：无法连接到数据库服务器"]),
    "beside a trace with frames": (
        f"```\n{FRAMES}\n```\n\n```\n{HOOK}\n```",
        [FRAMES, HOOK],
    ),
    "said by the trace": (f"```\n{FRAMES}\n```\n\n```\nERROR java.io.IOException: disk is gone\n```", [FRAMES]),
    "in back-ticks elsewhere": (f"## Background\n\nOthers may see `{HOOK}` then.", []),
    "a sentence of prose": ("The export failed because the disk was full and the connection was refused.", []),
    "configuration": ("```yaml\nretry:\n  tag_on_failure: datefail\n  fail.fast: false\n```", []),
    "source": ('```java\nif (rows == 0) {\n  throw new ExportException("export failed");\n}\n```', []),
    "a logger in source": ('```python\nlogger.error("failed to open %s", path)\n```', []),
    "commands": ("```\nkubectl get pods --field-selector status.phase=Failed\n```", []),
    "code that sounds like it": (
        '```vb\nPrivate Sub Report_Error(sender As Object) Handles MyBase.Error\nThrow New Exception("failed again today")\nEnd Sub\n```',
        [],
    ),
    "a command that sounds like it": ("```\nledger-ctl --config a.toml --checkpoint-error-destroy=all\n```", []),
    "calls in source": ('```go\nklog.V(2).Infof("config file not found: %v", err)\n```', []),
    "a diagram": ("```\nA --> B[write failed: disk is full]\n```", []),
    "advice of Maven": ("```\n[ERROR] Re-run Maven using the -X switch to enable full debug logging.\n```", []),
    "success": ("```\nBUILD SUCCESS\nTotal time: 3 s, 0 errors\n```", []),
    "a query": ('```\nwhere Log_s == "Error: ImagePullBackOff"\nor Log_s == "Error: cannot pull the image"\n```', []),
    "what the fix prints": ("## Fix\n\n```\n# vgreduce data\nLogical volume failed over to node 2\n```", []),
}


@pytest.mark.parametrize(("text", "lines"), KEPT.values(), ids=KEPT)
def test_error_lines_are_the_incidents_traces(text: str, lines: list[str]) -> None:
    assert kept(text) == lines


def test_a_kept_line_has_the_fingerprint_of_a_paste() -> None:
    (line,) = kept(f"```\nexporting\n{HOOK}\n```")
    ours, theirs = (fingerprints(parse(text)[0]) for text in (line, f"$ export --all\n{HOOK}\n"))
    assert ours[Level.LOOSE] == theirs[Level.LOOSE]


def test_the_most_telling_lines_are_kept() -> None:
    """Six of a long log, in its order; lines that merely sound bad are not among them."""
    causes = ("disk", "queue", "socket", "lock", "cache", "index", "table", "view")
    bad = [f"2024-05-01 10:00:0{at} ERROR a.b.C - cannot open the {name}" for at, name in enumerate(causes)]
    log = "\n".join(["2024-05-01 09:59:59 INFO a.b.C - last run was aborted", *bad])
    assert kept(f"```\n{log}\n```") == bad[:6]


def test_secrets_are_taken_out() -> None:
    (line,) = kept("```\nError: login failed for root, password=hunter2secret\n```")
    assert "hunter2secret" not in line


def test_time_is_linear(takes_linear_time: Callable[..., None]) -> None:
    def read(size: int) -> None:
        text = "Error: cannot open /a/b `x y` {;\n" * (size // 32)
        document = take_apart(f"# T\n\n## Symptom\n\n```\n{text}```\n\n{'`a b' * (size // 4)}\n", "x.md")
        logged(sections(document.blocks, "T"), ())

    takes_linear_time(read)
