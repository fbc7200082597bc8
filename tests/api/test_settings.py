"""Settings come from KB_*, are listed whole, and say what is wrong with a bad one."""

import json
import re

import pytest

from api.chat.settings import ChatSettings, settings_classes
from api.commands.settings import listing
from api.hooks.settings import HookSettings
from api.settings import ServiceSettings, masked, variable
from index.settings import HomeSettings
from kb.errors import SettingsError
from tests.structure import SOURCES


def test_every_setting_is_listed_with_its_meaning() -> None:
    rows = {row["name"]: row for row in listing(ServiceSettings())}
    assert {"KB_HOME", "KB_MODEL", "KB_HOST", "KB_PORT", "KB_WORKERS", "KB_URL", "KB_MAX_BODY_BYTES"} <= set(rows)
    assert set(rows) == {variable(name) for name in ServiceSettings.model_fields}
    assert [name for name, row in rows.items() if not row["help"]] == []


EVERY = [ServiceSettings, ChatSettings, *settings_classes(), HookSettings]


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_every_setting_has_a_meaning_and_a_reader(kind: type[HomeSettings]) -> None:
    assert [name for name, field in kind.model_fields.items() if not field.description] == [], "give it a description"
    sources = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    assert [name for name in kind.model_fields if not re.search(rf"\.{name}\b", sources)] == [], "nobody reads it"


def test_the_environment_is_read_and_a_given_value_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_PORT", "7001")
    monkeypatch.setenv("KB_HOST", "::1")
    settings = ServiceSettings.load(port=7002, host=None)
    assert (settings.port, settings.host) == (7002, "::1")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KB_PORT", "99999"),
        ("KB_PORT", "http"),
        ("KB_WORKERS", "0"),
        ("KB_MAX_BODY_BYTES", "1GB"),
        ("KB_POLL_SECONDS", "0"),
    ],
)
def test_a_bad_value_is_named_with_the_cure(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as raised:
        ServiceSettings.load()
    assert name in raised.value.problem
    assert repr(value) in raised.value.problem
    assert "kb settings" in raised.value.cure


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("api_key", "sk-123", "********"),
        ("database_url", "postgresql://kb:hunter2@db/kb", "postgresql://********@db/kb"),
        (
            "database_url",
            "postgresql:///kb?user=kb&password=hunter2&host=db",
            "postgresql:///kb?user=kb&password=********&host=db",
        ),
        ("candidates", "milvus://ann:hunter2/a#b?c@host/x", "milvus://********@host/x"),
        ("url", "http://127.0.0.1:8420", "http://127.0.0.1:8420"),
        (
            "robot_webhook",
            "https://oapi.example/send?access_token=abc&x=1",
            "https://oapi.example/send?access_token=********&x=1",
        ),
        ("teams_tokens", (), ""),
        ("teams_tokens", ("abc",), "********"),
        ("workers", 2, 2),
        ("model", None, None),
    ],
)
def test_secrets_are_masked(name: str, value: object, expected: object) -> None:
    assert masked(name, value) == expected


def test_the_listing_is_json() -> None:
    assert json.loads(json.dumps(listing(ServiceSettings())))
