"""A secret that is pasted is told by kind and place, and stands in nothing that goes out: answers, pages, commands, logs."""

import json
import logging
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from kb.redact.words import PLACEHOLDER, Redaction
from tests.api.command import kb
from tests.api.knowledge import HDFS_TRACE
from tests.kb.redact_table import Row, hidden

# the longest of each kind, and the people: what is as short as a word would be found in any page
_LONGEST = {row.kind: row for row in sorted(hidden(), key=lambda row: max(end - start for start, end in row.spans))}
ROWS = [
    row for row in _LONGEST.values() if all(end - start >= 9 and row.text[start:end].isascii() for start, end in row.spans)
]  # fmt: skip


def secrets_of(row: Row) -> list[str]:
    """What must not be seen, line by line."""
    return [line for start, end in row.spans for line in row.text[start:end].splitlines() if len(line) >= 9]


def test_most_kinds_are_asked_at_the_doors() -> None:
    assert len(ROWS) >= 25


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.kind)
def test_no_door_shows_it(client: TestClient, row: Row, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    text = f"{row.text}\n\n{HDFS_TRACE}"
    parsed = client.post("/v1/parse", json={"text": text})
    out = [parsed, client.post("/v1/search", json={"text": text, "k": 2})]
    out += [client.post("/?lang=en", data={"text": text}), client.get("/", params={"text": row.text, "lang": "zh"})]
    for response in out:
        assert response.status_code == 200, response.text
        for secret in secrets_of(row):
            assert secret not in response.text
            assert json.dumps(secret)[1:-1] not in response.text
            assert quote(secret) not in response.text or quote(secret).isalpha()
    # the client that asks here logs its own addresses
    logged = "\n".join(one.getMessage() for one in caplog.records if not one.name.startswith("http"))
    assert not [secret for secret in secrets_of(row) if secret in logged]
    found = [(one["kind"], one["start"], one["end"]) for one in parsed.json()["redactions"]]
    assert [(row.kind, *span) for span in row.spans] == found


@pytest.mark.parametrize("row", ROWS[::4], ids=lambda row: row.kind)
def test_the_command_says_kinds_and_places(row: Row, home: Path) -> None:
    text = f"{row.text}\n\n{HDFS_TRACE}"
    told = kb("parse", "--json", home=home, paste=text)
    reading = json.loads(told.stdout)
    assert [(one["start"], one["end"]) for one in reading["redactions"]] == list(row.spans)
    assert set(reading["redactions"][0]) == {"kind", "start", "end"}
    shown = kb("parse", home=home, paste=text)
    for secret in secrets_of(row):
        for stream in (told.stdout, told.stderr, shown.stdout, shown.stderr):
            assert secret.encode() not in stream


def test_personal_data_becomes_its_kind(client: TestClient) -> None:
    """A reader sees that a name stood there; what hides a password says no more than that."""
    reading = client.post("/v1/parse", json={"text": "java.io.IOException: bob@corp.com, password=hunter2xyz"}).json()
    assert reading["chains"][0]["exceptions"][0]["message"] == f"<email>, password={PLACEHOLDER}"
    assert Redaction("email", 0, 1).placeholder == "<email>"
