"""An incident in two languages over HTTP, in a chat, at the terminal and in a store of either database."""

import io
from typing import Any

import pytest
from rich.console import Console

from api.chat.compose import AnswerContext, answer_card
from api.incidents.screens import print_incident
from api.render.console import print_answer
from api.render.language import terminal_language
from api.render.view import find
from tests.api.writing.conftest import Desk

MARKDOWN = {"content-type": "text/markdown"}
CHINESE = {"title": "写入卡在月末", "symptom": "写入一直不返回。", "root_cause": "日志盘满了。", "fix": "清理日志盘。"}
SECRET = "password=hunter2Zx91"


def trace(name: str) -> str:
    kind = f"com.acme.{name.title().replace('-', '')}"
    return f"{kind}Exception: {name} broke\n\tat {kind}.run({name}.java:12)\n\tat {kind}.main({name}.java:4)"


def saved(desk: Desk, name: str, **more: Any) -> dict[str, Any]:
    told = {"lang": "en", "root_cause": "The log disk is full.", "fix": "Clean the log disk.", "traces": [trace(name)]}
    found: dict[str, Any] = desk.add(name, **told, **{"translations": {"zh": CHINESE}, **more}).json()
    return found


def best(desk: Desk, text: str, headers: dict[str, str] | None = None, **more: str) -> dict[str, Any]:
    answer = desk.client.post("/v1/search", json={"text": text, **more}, headers=headers or {}).json()
    found: dict[str, Any] = answer["matches"][0]["incident"]
    return found


def test_it_is_kept_with_the_revision_without_secrets(desk: Desk) -> None:
    told = saved(desk, "two-kept", translations={"zh": {**CHINESE, "fix": SECRET}})

    assert told["incident"]["translations"]["zh"]["fix"] == "password=<secret>"
    assert [one["field"] for one in told["redactions"]] == ["/translations/zh/fix"]
    assert desk.ask("GET", "/two-kept").json()["translations"]["zh"]["title"] == CHINESE["title"]
    assert desk.ask("GET", "/two-kept/history/1").json()["incident"]["translations"] == told["incident"]["translations"]


READERS: dict[str, tuple[dict[str, str], dict[str, str], str]] = {
    "lang": ({}, {"lang": "zh"}, "zh"),
    "the header": ({"accept-language": "zh-CN,zh;q=0.9,en;q=0.8"}, {}, "zh"),
    "lang before the header": ({"accept-language": "zh-CN"}, {"lang": "en"}, "en"),
    "a header of other languages": ({"accept-language": "fr"}, {}, "en"),
    "neither": ({}, {}, "en"),
}


@pytest.mark.parametrize(("headers", "more", "lang"), READERS.values(), ids=READERS)
def test_an_answer_is_in_the_language_of_the_reader(
    desk: Desk, headers: dict[str, str], more: dict[str, str], lang: str
) -> None:
    if "two-told" not in desk.found(trace("two-told")):
        saved(desk, "two-told")
    incident = best(desk, trace("two-told"), headers, **more)

    assert (incident["id"], incident["lang"], incident["languages"]) == ("two-told", lang, ["en", "zh"])
    assert incident["root_cause"] == (CHINESE["root_cause"] if lang == "zh" else "The log disk is full.")


def test_an_unsupported_language_is_refused(desk: Desk) -> None:
    response = desk.client.post("/v1/search", json={"text": "x", "lang": "fr"})

    assert response.status_code == 422
    assert response.json()["errors"][0]["pointer"] == "#/lang"


def test_a_batch_and_reasons_are_in_it_too(desk: Desk) -> None:
    saved(desk, "two-batch")
    body = {"items": [{"id": "a", "text": trace("two-batch")}], "lang": "zh"}
    (answer,) = desk.client.post("/v1/search/batch", json=body).json()["answers"]

    assert answer["matches"][0]["incident"]["title"] == CHINESE["title"]
    assert all(
        any("\u4e00" <= one <= "\u9fff" for one in piece["summary"]) for piece in answer["matches"][0]["evidence"]
    )


def test_as_a_write_up_there_and_back(desk: Desk) -> None:
    saved(desk, "two-parts")
    text = desk.ask("GET", "/two-parts", headers={"accept": "text/markdown"}).text
    assert text.count("\nid: two-parts\n") == 2
    assert f"lang: zh\ntranslates: ''\n---\n## 现象\n\n{CHINESE['symptom']}\n" in text
    changed = text.replace("清理日志盘。", "清理日志盘，再重启。").encode()
    again = desk.ask("PUT", "/two-parts", etag='"1"', headers=MARKDOWN, content=changed)

    assert again.status_code == 200, again.text
    assert again.json()["incident"]["translations"]["zh"]["fix"] == "清理日志盘，再重启。"
    assert again.json()["incident"]["fix"] == "Clean the log disk."
    (one,) = desk.ask("GET", "/two-parts/diff?from=1&to=2").json()["fields"]
    assert (one["field"], one["change"]) == ("/translations/zh/fix", "changed")
    assert best(desk, "日志盘满了怎么清理再重启")["lang"] == "zh"


def test_a_mistake_in_a_translation_has_its_line(desk: Desk) -> None:
    saved(desk, "two-mistaken")
    text = desk.ask("GET", "/two-mistaken", headers={"accept": "text/markdown"}).text
    wrong = desk.ask(
        "PUT", "/two-mistaken", etag='"1"', headers=MARKDOWN, content=text.replace("lang: zh", "lang: fr").encode()
    )

    assert wrong.status_code == 422
    assert [one["line"] for one in wrong.json()["errors"]][:1] != [1]


def test_its_words_are_searched_as_soon_as_it_is_saved(desk: Desk) -> None:
    saved(desk, "two-found", translations={"zh": {"title": "鸭嘴兽孵化失败", "fix": "等待。"}})

    assert "two-found" in desk.found("鸭嘴兽 孵化 失败")


def test_a_chat_answers_in_the_language_of_the_question(desk: Desk) -> None:
    saved(desk, "two-chat")
    with desk.client.app.state.service.live.lease() as engine:  # type: ignore[attr-defined]
        _, chinese = find(engine, f"这个报错怎么处理？\n{trace('two-chat')}", 3)
        _, english = find(engine, trace("two-chat"), 3)
    cards = [answer_card(one, lang, AnswerContext("ref", None)) for one, lang in ((chinese, "zh"), (english, "en"))]

    assert [card.best and card.best.title for card in cards] == [CHINESE["title"], "About two-chat"]


def test_an_incident_in_the_other_language_only_says_so(desk: Desk) -> None:
    saved(desk, "two-alone", translations={})
    with desk.client.app.state.service.live.lease() as engine:  # type: ignore[attr-defined]
        _, found = find(engine, trace("two-alone"), 3, "zh")
    card, out = answer_card(found, "zh", AnswerContext("ref", None)), io.StringIO()
    answer = desk.client.post("/v1/search", json={"text": trace("two-alone"), "lang": "zh"}).json()
    print_answer(answer, Console(width=120, file=out), lang="zh")

    assert card.best is not None
    assert card.best.title == "About two-alone (仅有英文)"
    assert "来源: two-alone · 仅有英文" in out.getvalue()


LOCALES = {
    "a Chinese terminal": ({"LC_ALL": "zh_CN.UTF-8"}, trace("x"), "zh"),
    "LANG, where LC_ALL is empty": ({"LC_ALL": "", "LANG": "zh_TW"}, trace("x"), "zh"),
    "an English one": ({"LC_ALL": "en_US.UTF-8", "LANG": "zh_CN.UTF-8"}, trace("x"), "en"),
    "a Chinese question elsewhere": ({"LC_ALL": "en_US.UTF-8"}, "写入为什么卡住", "zh"),
    "no language": ({"LC_ALL": "C.UTF-8"}, trace("x"), "en"),
}


@pytest.mark.parametrize(("locale", "text", "lang"), LOCALES.values(), ids=LOCALES)
def test_a_terminal_answers_in_the_language_of_the_question_or_its_own(
    monkeypatch: pytest.MonkeyPatch, locale: dict[str, str], text: str, lang: str
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.setenv(name, locale.get(name, ""))

    assert terminal_language(text) == lang


def test_one_incident_on_a_terminal_has_its_headings(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    record = saved(desk, "two-shown")["incident"]
    out = io.StringIO()
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    print_incident(record, Console(width=120, file=out))

    assert out.getvalue().index("根因") < out.getvalue().index(CHINESE["root_cause"]) < out.getvalue().index("解决")
