"""The page's words: both languages say the same things, and the right one is chosen."""

import ast
import copy
import pickle
import re
import string
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from api.app import create_app
from api.contract.problems import HttpProblem
from api.render.language import LANGUAGES, choose, load_strings, percent
from api.settings import ServiceSettings
from api.writing.incident_input import parse_incident
from kb.trace import parse
from kb.translatable import Translatable
from tests.kb.article import test_mistakes

ROOT = Path(__file__).resolve().parents[3]

MISTAKEN = [
    case.values[0]
    for case in test_mistakes.test_a_mistake_is_told_with_its_place.pytestmark[0].args[1]  # type: ignore[attr-defined]
]
"""Write-ups that provoke every mistake there is."""


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_language_says_everything_with_the_same_places() -> None:
    strings = load_strings()
    told = {lang: {key: places(text) for key, text in strings[lang].words.items()} for lang in LANGUAGES}
    assert told["en"] == told["zh"]
    assert all(text.strip() for lang in LANGUAGES for text in strings[lang].words.values())


def test_every_key_that_is_named_has_words() -> None:
    """In templates and code: ``t("key")``. A page that asks for another fails. Keys that are put together are not looked at."""
    named = re.compile(r"""\b(?:t|words)\(\s*"(\w+)"\s*[,)]""")
    files = [*(ROOT / "api/templates").iterdir(), *(ROOT / "api").rglob("*.py")]
    found = {key: str(path.relative_to(ROOT)) for path in files for key in named.findall(path.read_text("utf-8"))}
    assert len(found) > 400
    words = load_strings()["en"].words
    lacking = {key: path for key, path in found.items() if key not in words}
    assert lacking == {}, "write them into api/strings/en.json and zh.json"


@pytest.mark.parametrize(
    ("wanted", "accepted", "expected"),
    [
        pytest.param("zh", "en", "zh", id="asked by name wins"),
        pytest.param("zh-TW", None, "zh", id="a region falls back on its language"),
        pytest.param("fr", "zh-CN,zh;q=0.9", "zh", id="an unknown name is no wish"),
        pytest.param(None, "zh-CN,zh;q=0.9,en;q=0.8", "zh", id="browser in China"),
        pytest.param(None, "en;q=0.5, zh;q=0.7", "zh", id="quality counts"),
        pytest.param(None, "fr, en;q=0.5, zh;q=0.5", "en", id="first of equals"),
        pytest.param(None, "zh;q=0, en", "en", id="zero means never"),
        pytest.param(None, "zh;q=nan", "en", id="not a quality"),
        pytest.param(None, "zh;q=x", "en", id="not a number"),
        pytest.param(None, "fr", "en", id="neither"),
        pytest.param(None, None, "en", id="nothing said"),
        pytest.param("", ",,;;,=", "en", id="rubbish"),
    ],
)
def test_language_of_the_page(wanted: str | None, accepted: str | None, expected: str) -> None:
    assert choose(wanted, accepted) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0, "1 %"), (0.004, "1 %"), (0.5, "50 %"), (0.934, "93 %"), (0.9999, "99 %"), (1.0, "99 %")],
)
def test_nothing_is_certain_or_impossible(value: float, expected: str) -> None:
    assert percent(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.0, "almost certain"),
        (0.93, "almost certain"),
        (0.92, "very likely"),
        (0.6, "likely"),
        (0.3, "possible"),
        (0.0, "unlikely"),
    ],
)
def test_probability_in_words(value: float, expected: str) -> None:
    assert load_strings()["en"].probability_word(value) == expected


@pytest.mark.parametrize(
    "text", [*MISTAKEN, "---\ntitle: " + "x" * 501 + "\n---\n## Symptom\n\nx\n", "\0", "x" * 2_000_001]
)
def test_mistakes_are_told_in_chinese(text: str) -> None:
    strings = load_strings()
    with pytest.raises(HttpProblem) as raised:
        parse_incident(text.encode(), markdown=True)
    for error in raised.value.errors:
        said = str(error["detail"])
        here, tag = strings["zh"].sentence(error["detail"])  # type: ignore[arg-type]  # a problem's members are any JSON
        assert (tag, here != said) == ("zh-CN", True), said
        assert (
            not (set(here.encode("ascii", "ignore").decode().split()) & {"is", "are", "a", "the"}) or "YAML" in here
        ), here
        assert strings["en"].sentence(said) == (said, "en")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (Translatable("signal {}", "SIGSEGV: {0}"), ("信号 SIGSEGV: {0}", "zh-CN")),
        (Translatable("{} more frames of {} were not kept", 3, "a.B"), ("另有 3 个栈帧未保留（a.B）", "zh-CN")),
        (
            Translatable("{} is read as {}: put it in quotes", "`a`", Translatable("a number")),
            ("`a` 会被读作数字：请加上引号", "zh-CN"),
        ),
        (Translatable("what nobody translated: {}", 1), ("what nobody translated: 1", "en")),
        ("signal SIGSEGV", ("signal SIGSEGV", "en")),
        ("第一条结果对应第 5 行的堆栈：a.B", ("第一条结果对应第 5 行的堆栈：a.B", "zh-CN")),
    ],
)
def test_a_sentence_is_in_the_language_of_the_page(said: str, expected: tuple[str, str]) -> None:
    assert load_strings()["zh"].sentence(said) == expected
    assert load_strings()["en"].sentence(said)[0] == said


def test_notes_of_a_trace_reach_the_page_in_its_language() -> None:
    (chain,) = parse(
        "panic: boom\n\ngoroutine 7 [running]:\nmain.f()\n\t/a/b.go:3 +0x1\ncreated by main.main\n\t/a/b.go:9 +0x1\n"
    )
    assert [load_strings()["zh"].sentence(note)[0] for note in chain.notes] == ["这个 goroutine 由 main.main 启动"]


def words_of_routes() -> set[str]:
    """What the API description says of each route and of each of its answers in one line."""
    routes = [one for methods in create_app(ServiceSettings()).openapi()["paths"].values() for one in methods.values()]
    answers = {answer["description"] for one in routes for answer in one["responses"].values()}
    return answers | {one["summary"] for one in routes}


def test_every_sentence_of_the_code_has_a_chinese_form_and_no_form_is_left_over() -> None:
    """The first argument of these calls is a form, and of `not_kept` the second."""
    place = {"Translatable": 0, "_note": 0, "not_kept": 1}
    stated: set[str] = set()
    texts: set[str] = set()
    sources = [
        path.read_text(encoding="utf-8") for room in ("kb", "index", "api") for path in (ROOT / room).rglob("*.py")
    ]
    for source in (one for one in sources if any(f"{name}(" in one for name in place)):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                given = node.args[place[name] :][:1] if name in place else []
                stated.update(
                    one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)
                )
    forms = load_strings()["zh"].sentences
    assert len(stated) > 60
    assert stated - forms.keys() == set()
    assert forms.keys() - texts - words_of_routes() == set()
    assert {form for form, here in forms.items() if form.count("{}") != here.count("{}")} == set()


def test_every_route_and_what_it_answers_is_told_in_chinese(client: TestClient) -> None:
    """On `/docs`; the details of a route are in English, and the page says so."""
    page = LexborHTMLParser(client.get("/docs?lang=zh").text)
    told = page.css(".route > summary span:not(.chip), .route > .plain-list span")
    assert len(told) > 60
    assert [one.text() for one in told if not re.search(r"[\u4e00-\u9fff]", one.text())] == []
    assert not page.css(".route > summary [lang=en]")
    assert "详细说明为英文" in page.css_first(".hint").text()  # type: ignore[union-attr]
    assert "in English" not in LexborHTMLParser(client.get("/docs?lang=en").text).css_first(".hint").text()  # type: ignore[union-attr]


def test_a_sentence_survives_copies() -> None:
    said = Translatable("{} has code {}", "Error", 7)
    for copied in (copy.deepcopy(said), pickle.loads(pickle.dumps(said))):
        assert (copied, copied.form, copied.values) == ("Error has code 7", "{} has code {}", ("Error", 7))
