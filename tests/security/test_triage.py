"""Crash reports that somebody made up to end a triage: no line and no file of them stops the others from being read."""

import json
import os
from pathlib import Path

import pytest

from ingest.triage.crashes import CrashReader, find_files
from ingest.triage.records import read_record
from kb.errors import SourceError
from kb.trace.custom import NONE

STACK = "java.lang.IllegalStateException: gone\n\tat com.acme.Pay.run(Pay.java:3)"


@pytest.mark.parametrize(
    "time", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+23:59"]
)
def test_a_time_at_the_end_of_all_times_is_none(time: str) -> None:
    """In UTC it would be before the first day that there is, or behind the last."""
    record = read_record(json.dumps({"text": STACK, "time": time}))
    assert record is not None
    assert record.at is None


@pytest.mark.parametrize("name", ["text", "message", "version", "host"])
def test_half_a_character_ends_no_job(name: str) -> None:
    """JSON may hold one half of a pair of surrogates, and no column of text takes it."""
    record = read_record(json.dumps({"text": STACK, name: f"{STACK} \ud800"}))
    assert record is not None
    for part in (record.text, record.version, record.host):
        assert (part or "").encode().decode() == (part or "")


@pytest.mark.parametrize("name", ["version", "host"])
def test_a_secret_in_a_name_is_hidden(name: str) -> None:
    """Versions and hosts are stored and shown as the text is, whose secrets are taken out."""
    row = CrashReader(NONE).row(read_record(json.dumps({"text": STACK, name: "1.2 password=Xk9mmQp2Zz"})))
    assert "Xk9mmQp2Zz" not in str(row)
    assert row[name] == "1.2 password=<secret>"


@pytest.mark.parametrize("name", ["version", "host"])
def test_half_a_secret_is_not_kept(name: str) -> None:
    """A name was cut first, and what was left of a secret at its end was not known for one."""
    secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    row = CrashReader(NONE).row(read_record(json.dumps({"text": STACK, name: f"{'a' * 100} {secret}"})))
    assert row[name] is not None
    assert "ghp_16C7" not in row[name]
    assert len(row[name]) <= 120


def test_a_pipe_or_a_device_among_the_reports_is_not_opened(tmp_path: Path) -> None:
    """It would be read for ever."""
    (tmp_path / "app.log").write_text(STACK)
    os.mkfifo(tmp_path / "pipe.log")
    files = find_files([str(tmp_path)])
    assert files.logs == [str(tmp_path / "app.log")]
    assert files.refused == [("pipe.log", "not read: not a regular file")]
    for source in (tmp_path / "pipe.log", Path("/dev/zero")):
        with pytest.raises(SourceError):
            find_files([str(source)])


def test_a_link_out_of_the_reports_is_not_followed(tmp_path: Path) -> None:
    """What lies elsewhere on the machine is nobody's crash report."""
    secret = tmp_path / "secret.log"
    secret.write_text(STACK)
    reports = tmp_path / "reports"
    reports.mkdir()
    (reports / "app.log").write_text(STACK)
    (reports / "link.log").symlink_to(secret)
    (reports / "links").symlink_to(tmp_path)
    files = find_files([str(reports)])
    assert files.logs == [str(reports / "app.log")]
    why = "not read: a link that leads out of the source; --follow-links reads it"
    assert files.refused == [("link.log", why), ("links", why)]
    (reports / "app.log").unlink()
    with pytest.raises(SourceError, match=r"link\.log is not read: a link that leads out"):
        find_files([str(reports)])
    followed = find_files([str(reports)], follow_links=True)
    assert followed.logs == [str(reports / "link.log")]
    assert followed.refused == []
