"""`kb chat`: how platforms stand, what could not be answered, and the wait for a first call."""

import json
import re
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from api.chat.setting_up import Counted, counted, metrics, waiting
from api.chat.settings import platform_names
from kb.store import Store
from tests.api.chat.conftest import ChatHouse
from tests.api.command import failed, kb

NOW = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A store with three dead letters."""
    with Store.open(tmp_path / "store.db") as store:
        for at in range(3):
            asked = {"text": f"boom {at}"}
            held = store.messages.take("talk", f"m{at}", "question", asked, NOW.replace(hour=at), hold=60)
            assert held is not None
            store.messages.dead(held, NOW, "Talk \x1b[31msays 404")
    return tmp_path


def states(home: Path) -> list[str]:
    with sqlite3.connect(home / "store.db") as connection:
        return [row[0] for row in connection.execute("SELECT state FROM messages ORDER BY message_id")]


def test_dead_letters_are_listed(place: Path) -> None:
    told = json.loads(kb("chat", "dead", "--json", home=place).stdout)
    assert [(one["message_id"], one["text"], one["tries"]) for one in told] == [
        (f"m{at}", f"boom {at}", 1) for at in range(3)
    ]
    shown = kb("chat", "dead", home=place).stdout.decode()
    assert all(one["ref"] in shown for one in told)
    assert "\x1b[31m" not in shown


def test_one_is_tried_again_one_dropped_and_then_all(place: Path) -> None:
    refs = [one["ref"] for one in json.loads(kb("chat", "dead", "--json", home=place).stdout)]
    assert kb("chat", "retry", refs[0], home=place).returncode == 0
    assert kb("chat", "drop", refs[1], "--json", home=place).returncode == 0
    assert states(place) == ["waiting", "dropped", "dead"]
    assert "`kb chat dead` lists them" in failed(kb("chat", "drop", refs[1], home=place))
    assert kb("chat", "retry", "--all", home=place).returncode == 0
    assert states(place) == ["waiting", "dropped", "waiting"]
    assert kb("chat", "dead", home=place).stderr.decode().strip() == "Nothing: every question was answered."


@pytest.mark.parametrize("arguments", [("retry",), ("drop", "x", "--all")])
def test_which_must_be_said(place: Path, arguments: tuple[str, ...]) -> None:
    assert "say which" in failed(kb("chat", *arguments, home=place))


def test_status_names_every_platform(place: Path) -> None:
    told = json.loads(kb("chat", "status", "--json", home=place).stdout)
    assert [one["name"] for one in told] == list(platform_names())
    assert all((one["set_up"], one["problem"], one["dead"]) == (False, None, 0) for one in told)


def test_a_platform_that_is_none_is_named() -> None:
    assert "there is no chat platform 'nowhere'" in failed(kb("chat", "setup", "nowhere", "--no-wait"))


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", platform_names())
def test_the_steps_name_the_address(name: str, lang: str) -> None:
    env = {"KB_PUBLIC_URL": "https://kb.example.org/"}
    told = kb("chat", "setup", name, "--no-wait", "--lang", lang, env=env).stdout.decode()
    assert f"https://kb.example.org/v1/chat/{name}" in told
    assert "{url}" not in told
    assert "{manifest}" not in told


METRICS = """# HELP kb_chat_received_total Calls taken
kb_chat_received_total{platform="talk",what="check"} 1.0
kb_chat_received_total{platform="talk",what="question"} 2.0
kb_chat_received_total{platform="shout",what="question"} 5.0
kb_chat_refused_total{platform="talk",reason="signature"} 3.0
kb_chat_platforms{platform="talk"} 1.0
"""


def test_what_a_service_has_counted_is_read() -> None:
    assert counted(METRICS, "talk") == Counted(is_set_up=True, received=3.0, refused={"signature": 3.0})
    assert counted(METRICS, "slack") == Counted(is_set_up=False, received=0.0, refused={})


def test_the_first_verified_call_ends_the_wait(house: ChatHouse) -> None:
    """Over the counters of a real service, with its calls made while it is waited; what came before is none of it."""
    assert house.call({"kind": "typing"}).status_code == 200
    steps = iter(
        [
            lambda: house.client.post("/v1/chat/talk", content=b"{}"),
            lambda: house.call({"kind": "typing"}),
        ]
    )
    lines = list(waiting("talk", "here", lambda: house.client.get("/metrics").text, 30, pause=lambda _: next(steps)()))
    earlier, *lines = lines
    assert re.fullmatch(
        r"Since the service began \d+ calls of talk were verified; this waits for one more\.", earlier[0]
    )
    assert lines == [
        (
            "A call came and was refused (signature): the secret that is set here is not the one that the platform signs with.",
            False,
        ),
        ("A call of talk came and was verified.", True),
    ]


def test_a_wait_for_a_service_that_is_not_there() -> None:
    nowhere = "http://127.0.0.1:9"
    lines = list(waiting("talk", nowhere, lambda: metrics(nowhere, None), 0.3, pause=lambda _: None))
    assert lines == [("No service answers at http://127.0.0.1:9 (ConnectError): start it with `kb serve`.", False)]
