"""Where readers see the fields of an incident: every door shows an incident that states all of them; a failure names door and field."""

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from api.chat.compose import AnswerContext, answer_card
from api.chat.message import AnswerCard, CardMatch
from api.chat.settings import platform_names
from api.incidents.screens import print_incident
from api.mcp.tools import answer_text, incident_text
from api.pages.editor import FORM
from api.render.console import print_answer
from api.render.language import LANGUAGES, load_strings
from api.render.view import AnswerView
from index.answer import Answer, Match, Query, Verdict
from index.wire import incident_to_dict
from kb.article.writeups.parts import PARTS
from kb.article.writeups.writeup import render
from kb.incident import Front, Incident, IncidentField, Kind, fields_of
from kb.record import from_record, to_record
from kb.store import Role
from tests.api.knowledge import RECORDS, build_home
from tests.api.pages.tabs import FORM as EDITOR
from tests.api.pages.tabs import Tab, button, opened

ROOT = Path(__file__).resolve().parents[2]
TABLE = fields_of(Incident)
BEST, OTHER = "best", "other"
TRACE = (
    "com.acme.{word}Exception: no lease\n\tat com.acme.Lease.take(Lease.java:4)\n\tat com.acme.Main.main(Main.java:9)"
)


def word_of(name: str, whose: str = BEST) -> str:
    """What the field of an incident states, and no other field of any."""
    if name == "created":
        return {BEST: "1999-12-31", OTHER: "1998-12-31"}[whose]
    return f"Q{whose}{name.replace('_', '')}"


def stated(field: IncidentField, whose: str) -> object:
    word = word_of(field.name, whose)
    match field.kind:
        case Kind.LIST:
            return [TRACE.format(word=word) if field.name == "traces" else word]
        case Kind.QUOTES:
            return {field.names[0]: [{"start": 0, "end": 1, "line": 1, "heading": word}]}
        case Kind.MARKDOWN:
            # below a field stands its section, or else what it announces: of sections that of the whole article is stated
            return {field.names[-1] if field.name == "sections" else field.names[0]: word}
        case Kind.TRANSLATIONS:
            return {"zh": {"title": word}}
        case Kind.REPOSTS:
            return [{"id": word, "title": word, "url": word}]
    return word


def whole_record(whose: str) -> dict[str, object]:
    """An incident that states every field."""
    fields = {field.name: stated(field, whose) for field in TABLE}
    return {"id": whose, "title": f"About {whose}", "lang": "en", "url": "https://example.org/a", **fields}


def searched(whose: str, **other: object) -> dict[str, object]:
    """The same as it is searched: nothing merges it into another."""
    return whole_record(whose) | {"duplicate_of": None} | other


WHOLE = from_record(whole_record(BEST))
EVERY = [field.name for field in TABLE]
WRITTEN = [field.name for field in TABLE if field.heading or field.front is Front.ABOUT]
ANSWERED = [field.name for field in TABLE if field.in_answer]
FROM_WRITER = [field.name for field in TABLE if field.from_writer]


@dataclass(frozen=True, slots=True)
class Door:
    """What readers are shown, and of which fields."""

    place: str
    due: list[str]
    show: Callable[[Tab], str]


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    home = tmp_path_factory.mktemp("whole")
    again = {
        "id": "again",
        "title": word_of("reposts"),
        "duplicate_of": BEST,
        "traces": ["com.acme.AgainException: again"],
    }
    build_home(home, [searched(BEST), searched(OTHER, article=""), again, *RECORDS])
    yield from opened(home, tmp_path_factory.mktemp("store"))


def incident_page(tab: Tab) -> str:
    """In both languages, without an article, and of one that is a copy of another."""
    tab.logout()
    pages = [f"{BEST}?lang=en", f"{BEST}?lang=zh", f"{OTHER}?lang=en", "again?lang=en"]
    shown = "".join(tab.get(f"/incidents/{one}").css_first("main").html or "" for one in pages)
    return shown.replace(f"Q{OTHER}", f"Q{BEST}").replace(f">{BEST}</a>", word_of("duplicate_of"))


def preview(tab: Tab) -> str:
    tab.login(Role.CURATOR)
    page = tab.send(tab.get("/write?lang=en"), EDITOR, button("check"), text=render(WHOLE))
    return page.css_first("#look").html or ""


def answer_page(selector: str, whose: str) -> Callable[[Tab], str]:
    """What the page says of one of the matches, as if it were the best one."""

    def show(tab: Tab) -> str:
        tab.logout()
        text = TRACE.format(word=word_of("traces"))
        page = tab.send(tab.get("/?lang=en"), "#ask", text=text)
        shown = "".join(node.html or "" for node in page.css(selector))
        return shown.replace(f"Q{whose}", f"Q{BEST}")

    return show


def on_terminal(printed: Callable[[Mapping[str, Any], Console], None], document: Mapping[str, Any]) -> str:
    out = io.StringIO()
    printed(document, Console(file=out, width=400))
    return out.getvalue()


def printed_incident() -> str:
    """Also without an article, which is printed in place of its sections."""
    record = to_record(WHOLE)
    return "".join(on_terminal(print_incident, one) for one in (record, record | {"article": ""}))


def answer() -> Answer:
    return Answer(Query((), "en"), Verdict.KNOWN, (Match(WHOLE, 0.99, ()),), (), "snapshot", 1.0)


def answered() -> dict[str, Any]:
    match = {"incident": incident_to_dict(WHOLE), "probability": 0.99, "evidence": []}
    query = {"lang": "en"}
    return {"verdict": "known", "matches": [match], "notes": [], "query": query, "snapshot_id": "a", "took_ms": 1.0}


def card(lang: str = "en") -> AnswerCard:
    return answer_card(AnswerView(answer()), lang, AnswerContext("ref", None))


def drawn(platform: str) -> str:
    return json.dumps(import_module(f"api.chat.{platform}.card").card(card()), default=str)


DOORS = [
    Door("api/templates/incident.html", EVERY, incident_page),
    Door("api/templates/look.html", WRITTEN, preview),
    Door("api/templates/parts.html, the best match", ANSWERED, answer_page(".best", BEST)),
    Door("api/templates/parts.html, the others", ANSWERED, answer_page(".candidate", OTHER)),
    Door("api/incidents/screens.py", EVERY, lambda _: printed_incident()),
    Door("api/render/console.py", ANSWERED, lambda _: on_terminal(print_answer, answered())),
    Door("api/mcp/tools.py, search_incidents", ANSWERED, lambda _: answer_text(answered())),
    Door("api/mcp/tools.py, get_incident", ANSWERED, lambda _: incident_text(to_record(WHOLE))),
    Door("api/chat/compose.py", ANSWERED, lambda _: str(asdict(card()))),
    *(Door(f"api/chat/{one}/card.py", ANSWERED, lambda _, one=one: drawn(one)) for one in platform_names()),
]


NOT_SHOWN = {
    ("api/incidents/screens.py", "quotes"): "the section that a quotation stands in is printed",
    ("api/incidents/screens.py", "reposts"): "a snapshot finds them; the command prints what is stored",
    (
        "api/incidents/screens.py",
        "translations",
    ): "printed in place of the original where the terminal speaks the language",
}
"""What a door leaves out, and why."""
LABELS = {"prose": "part_prose", "traces": "part_traces"}
"""The labels of the editor's form that are no names of fields."""


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.place.replace("/", "."))
def test_each_door_shows_the_fields(door: Door, tab: Tab) -> None:
    shown = door.show(tab)
    lacking = {name for name in door.due if word_of(name) not in shown}
    left_out = {name for place, name in NOT_SHOWN if place == door.place}
    assert lacking - left_out == set(), f"show it in {door.place}, or say in NOT_SHOWN why not"
    assert left_out - lacking == set(), f"{door.place} shows it: take its row out of NOT_SHOWN"


def test_every_door_stands_in_the_readme() -> None:
    """Whoever adds a field goes by its table."""
    page = (ROOT / "api/README.md").read_text(encoding="utf-8")
    files = {door.place.partition(",")[0] for door in DOORS if not door.place.endswith("/card.py")}
    assert {file for file in files if f"`{file}`" not in page} == set(), "write it into the table of api/README.md"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_text_in_chats_has_its_own_label(lang: str) -> None:
    """A label that `Words` or `compose.py` forgot is '' or another's; of an incident that states every field."""
    match, words = card(lang).best, card(lang).words
    assert isinstance(match, CardMatch)
    labels = [label for label, _ in match.parts(words)]
    assert [name for name, word in asdict(words).items() if not word] == [], (
        "fill it in _message of api/chat/compose.py"
    )
    assert len(labels) == len(set(labels)), "two texts of a match have one label"


def test_the_form_of_the_editor_has_the_fields_of_a_write_up() -> None:
    assert set(PARTS) ^ set(FORM) == set(), "name it in FORM of api/pages/editor.py"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_fields_of_the_form_have_words(lang: str) -> None:
    """A label, and a line below it; without them the page of the editor fails."""
    keys = {key for name in FORM for key in (LABELS.get(name, name), f"about_{name}")}
    assert keys - load_strings()[lang].words.keys() == set(), f"write them into api/strings/{lang}.json"


def test_whoever_writes_a_folder_reads_of_the_fields() -> None:
    """Of the values of the front matter and of the sections, each with both headings."""
    page = (ROOT / "corpus/README.md").read_text(encoding="utf-8")
    front = {f"`{field.name}`" for field in TABLE if field.front}
    sections = {f"| `## {field.heading[0]}` | `## {field.heading[1]}` |" for field in TABLE if field.heading}
    assert {words for words in front | sections if words not in page} == set(), "write it into corpus/README.md"


@pytest.mark.parametrize(
    ("page", "row", "due"),
    [
        ("docs/http.md", "POST /v1/search", ANSWERED),
        ("docs/http.md", "POST /v1/incidents/draft", FROM_WRITER),
        ("api/mcp/README.md", "draft_incident", FROM_WRITER),
    ],
)
def test_programs_read_of_the_fields(page: str, row: str, due: list[str]) -> None:
    (words,) = re.findall(rf"\| `{row}[ `].*", (ROOT / page).read_text(encoding="utf-8"))
    assert set(due) - set(re.findall(r"\w+", words)) == set(), f"write it into the row of `{row}` in {page}"
