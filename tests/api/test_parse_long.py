"""`kb parse` on a file that is too large to hold: every trace, as it is found, without the secrets."""

import json
from pathlib import Path

import pytest

from api.render import console
from api.render.console import read_blocks
from index.reading import LongReading
from index.wire import parse_to_dict
from kb.redact import redact
from kb.redact.blocks import redacted_blocks
from kb.trace import parse
from kb.trace.stream import StreamLimits
from tests.api.command import kb

TRACE = "java.io.IOException: {n}\n\tat com.acme.A.b(A.java:{n})\n\tat com.acme.C.d(C.java:1)\n"
LINE = "2026-03-01 10:00:07,{n:03} INFO  org.example.Service - request {n} with password=hunter{n} took 12 ms 成功\n"


def log(traces: int, between: int) -> str:
    return "".join(TRACE.format(n=n) + "".join(LINE.format(n=i) for i in range(between)) for n in range(traces))


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16"])
def test_in_blocks_or_whole_the_reading_is_the_same(tmp_path: Path, encoding: str) -> None:
    text = log(40, 12)
    path = tmp_path / "app.log"
    path.write_text(text, encoding=encoding)
    blocks = list(read_blocks(str(path), 10_000))
    assert "".join(blocks) == text
    assert (len(blocks) > 1) == (encoding != "utf-16")
    reading = LongReading(blocks, StreamLimits(block=12_000))
    chains = list(reading.chains())
    assert {"chains": chains, **reading.rest()} == parse_to_dict(text)


def test_a_secret_at_the_end_of_a_block_is_seen_whole() -> None:
    key = (
        "-----BEGIN RSA PRIVATE KEY-----\n"
        + "MIIEpAIBAAKCAQEAabcdefabcdefhunter2hunter2\n" * 5
        + "-----END RSA PRIVATE KEY-----\n"
    )
    text = ("x" * 90 + "\n") * 9 + key
    for size in (100, 333, 900, 950, 1_000, 5_000):
        found = []
        shown = "".join(redacted_blocks((text[at : at + size] for at in range(0, len(text), size)), found.append, 500))
        assert "hunter2" not in shown, size
        assert [text[one.start : one.end][:10] for one in found][:1] == ["-----BEGIN"]
    assert shown == redact(text).text


def test_more_redactions_than_are_listed_are_counted() -> None:
    reading = LongReading(["password=hunter2\n" * 5], most_redactions=3)
    assert list(reading.chains()) == []
    rest = reading.rest()
    assert len(rest["redactions"]) == 3  # type: ignore[arg-type]
    assert rest["notes"] == ["no stack trace found", "only the first 3 of 5 redactions are listed"]


@pytest.mark.slow
def test_more_traces_than_a_whole_text_is_read_for() -> None:
    text = "".join(TRACE.format(n=n) + "INFO nothing happened\n" for n in range(10_050))
    assert len(parse(text)) == 10_000
    assert sum(1 for _ in LongReading([text]).chains()) == 10_050


def test_a_large_file_on_the_command_line(tmp_path: Path) -> None:
    """Every trace, in JSON and on a terminal."""
    text = "".join(TRACE.format(n=n) + "INFO nothing happened\n" * 200 for n in range(150))
    assert len(text) > console.BLOCK
    path = tmp_path / "app.log"
    path.write_text(text, encoding="utf-8")
    read = json.loads(kb("parse", "--json", str(path), home=tmp_path).stdout)
    assert list(read) == ["chains", "redactions", "lang", "notes"]
    assert len(read["chains"]) == 150
    shown = kb("parse", "-", home=tmp_path, paste=text).stdout.decode()
    assert "Trace 150: jvm" in shown
