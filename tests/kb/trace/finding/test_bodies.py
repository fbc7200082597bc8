"""Answers of services, row by row: errors in the forms that their documentation shows, and answers that tell no error.

``bodies.jsonl``: ``of`` names who answers so; ``type`` and ``message`` where a reader would copy them; ``differs`` the forms that are read otherwise. Written on
2026-11-30 before the rules that read them: at the first try 123 of 165 errors were read on a line, 139 over several lines, 114 quoted; 36, 34 and 37 of 43 successes were silent.
Of 55 more forms, written on the same day before any rule changed for them, 46 were read rightly in every form.
"""

import html
import json
from pathlib import Path
from typing import Any

import pytest

from kb.trace import parse
from tests.quality.readings import overlap

ROWS = [json.loads(line) for line in Path(__file__).with_name("bodies.jsonl").read_text(encoding="utf-8").splitlines()]
FORMS = ("in a line", "over lines", "quoted", "escaped")


def shown(body: object, form: str) -> str:
    text = json.dumps(body, ensure_ascii=False, indent=2 if form == "over lines" else None)
    text = html.escape(text) if form == "escaped" else text
    return f"接口返回：{text}" if form == "quoted" else text


def is_as_labelled(row: dict[str, Any], form: str) -> bool:
    chains = parse(shown(row["body"], form))
    if not row["is_error"]:
        return not chains
    is_type = "type" not in row or any(chain.root.type == row["type"] for chain in chains)
    is_message = "message" not in row or any(overlap(chain.root.message, row["message"]) >= 0.8 for chain in chains)
    return bool(chains) and is_type and is_message


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["of"])
def test_an_answer_is_an_error_or_none(row: dict[str, Any]) -> None:
    assert [form for form in FORMS if not is_as_labelled(row, form)] == row.get("differs", [])


def test_no_answer_is_listed_twice() -> None:
    assert len({row["of"] for row in ROWS}) == len(ROWS) >= 200


@pytest.mark.parametrize("name", ["result", "data", "payload", "response", "resp", "body", "pay_response", "header"])
@pytest.mark.parametrize(("code", "count"), [(1001, 1), (-5, 1), ("E1203", 1), (0, 0), (200, 0), ("0000", 0), ("ok", 0), ("PENDING", 0)])  # fmt: skip
def test_the_code_of_a_wrapped_answer_tells_whether_it_is_an_error(name: str, code: object, count: int) -> None:
    body = {"request_id": "8f1c", name: {"code": code, "msg": "the order waits at the till"}}
    assert [len(parse(shown(body, form))) for form in FORMS] == [count] * len(FORMS)


@pytest.mark.parametrize("value", ["null", "false", "0", '""', "[]", "{}"])
def test_a_field_that_holds_no_error_beside_an_error(value: str) -> None:
    """The line below it is the one that is read."""
    text = f'{{\n  "error": {value},\n  "rows": [\n    7\n  ]\n}}\ncurl: (28) Connection timed out after 3001 ms'
    assert [chain.root.message for chain in parse(text)] == ["Connection timed out after 3001 ms"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{ code: 500, msg: 'Internal error' }", "Internal error"),
        ("{\n  code: 500,\n  msg: 'Internal error'\n}", "Internal error"),
        ("调用私有接口都是{ code: 500, msg: 'Internal error' }", "Internal error"),
        (
            '小程序报 {errMsg: "request:fail url not in domain list", errno: 600002}',
            "request:fail url not in domain list",
        ),
        ("the api returns { code: 0, msg: 'ok' }", None),
        ("{ success: true, message: 'the till is open' }", None),
        ("res.json({ code: 500, msg: 'Internal error' })", None),
        ("return { code: 500, msg: 'Internal error' }", None),
        ("const ERRORS = [\n  { code: 500, msg: 'Internal error' },\n  { code: 501, msg: 'Bad gate' },\n]", None),
    ],
)
def test_an_answer_as_javascript_shows_it(text: str, message: str | None) -> None:
    assert [chain.root.message for chain in parse(text)] == ([message] if message else [])


def test_a_field_of_a_form_that_is_called_title_is_no_type() -> None:
    (chain,) = parse('{"status": "fail", "data": {"title": "A title is required"}}')
    assert (chain.root.type, chain.root.message) == (None, "A title is required")


def test_a_success_does_not_silence_the_sentence_before_it() -> None:
    assert [
        chain.root.message for chain in parse('连接数据库失败：connection refused，接口返回：{"code": 0, "msg": "ok"}')
    ]


def test_the_class_of_a_drivers_error_in_brackets() -> None:
    (chain,) = parse("the db locks up\n```\n(psycopg2.errors.DeadlockDetected) deadlock detected DETAIL: Process 97 waits\n```\nat night")  # fmt: skip
    assert (chain.root.type, chain.root.message) == ("psycopg2.errors.DeadlockDetected", "deadlock detected DETAIL: Process 97 waits")  # fmt: skip


ACME = '{"type": "urn:ietf:params:acme:error:rateLimited", "detail": "too many certificates (5) already issued", "status": 429}'
AT = "[Tue Dec  1 09:00:46 UTC 2026] "


@pytest.mark.parametrize(
    "text",
    [
        ACME,
        f"{AT}Register account Error: {ACME}",
        f"{AT}Create new order error. Le_OrderFinalize not found. {ACME}",
        f"{AT}Create new order error. Le_OrderFinalize not found. {json.dumps(json.loads(ACME), indent=2)}\n{AT}Please add '--debug' or '--log'.",
        f"{AT}response='{ACME}'",
        f"{AT}till.example:Verify error:{ACME}",
        f'{AT}Error, can not get domain token "type":"http-01","status":"invalid","error":{ACME},"url":"https://acme.example/c/1"',
    ],
    ids=["alone", "account", "order", "lines", "response", "verify", "token"],
)
def test_a_problem_has_its_type_behind_the_words_of_a_client(text: str) -> None:
    (chain,) = parse(text)
    assert (chain.root.type, chain.root.message) == (
        "urn:ietf:params:acme:error:rateLimited",
        "too many certificates (5) already issued",
    )


@pytest.mark.parametrize(
    "words",
    ["call failed: ", "call of the till: ", "[main] shop.Till - call failed: "],
    ids=["failed", "plain", "logger"],
)
@pytest.mark.parametrize("form", ["in a line", "escaped"])
def test_the_level_of_a_line_is_that_of_the_answer_in_it(words: str, form: str) -> None:
    body = shown({"code": 410209, "msg": "The till is not bound"}, form)
    assert [chain.root.message for chain in parse(f"2026-12-01 10:00:00 ERROR {words}{body}")] == [
        "The till is not bound"
    ]
    assert parse(f"2026-12-01 10:00:00 INFO {words}{body}") == ()


def test_a_secret_in_an_escaped_answer_is_hidden() -> None:
    text = shown({"success": False, "msg": "login failed for password=hunter2secret9"}, "escaped")
    (chain,) = parse(text)
    assert "hunter2secret9" not in (chain.root.message or "")
