"""One table of an incident's fields: a field that is added to it is stored, scrubbed, written, compared, described and answered with."""

import json
from dataclasses import dataclass
from typing import Any, get_type_hints

import pytest

from api.contract.requests import In
from api.contract.responses import Out, answered_fields, shown_fields, with_fields
from api.writing.answers import drafted_fields
from api.writing.shapes import draft_fields, sent_fields
from index.wire import incident_to_dict
from ingest.quality import describes_problem
from kb.article import read_article
from kb.article.vocabulary import heading_roles
from kb.article.writeups.form import form_of, read_form, render
from kb.client import shapes
from kb.client.shapes import MatchedIncident
from kb.incident import Front, Incident, Kind, fields_of, incident_field
from kb.kinds import HANDLING, handling
from kb.record import from_record, known_keys, record_fields, redaction_counts, scrub, stored, to_record


@dataclass(frozen=True, slots=True)
class Extended(Incident):
    """An incident with three fields more: a section, a value of the front matter, and what belongs to quotations."""

    stopgap: str | None = incident_field(
        Kind.TEXT,
        description="What helps until the fix.",
        heading=("Stopgap", "变通"),
        also=("In the meantime",),
        is_prose=True,
        in_answer=True,
        in_draft=True,
        from_writer=True,
    )
    owners: tuple[str, ...] = incident_field(Kind.LIST, front=Front.ABOUT, is_line=True)
    remarks: Any = incident_field(Kind.MARKDOWN, names=("fix",))  # noqa: RUF009 - it gives a `dataclasses.field`


RECORD = {
    "title": "Disk full",
    "id": "disk-full",
    "lang": "en",
    "fix": "Delete logs.",
    "stopgap": "Move the logs. password=hunter2",
    "owners": ["ann", "password=hunter2"],
    "remarks": {"fix": "`df` first. password=hunter2"},
}


def test_it_is_read_scrubbed_written_and_restored():
    incident = from_record(RECORD, Extended)

    assert isinstance(incident, Extended)
    assert incident.stopgap == "Move the logs. password=<secret>"
    assert incident.owners == ("ann", "password=<secret>")
    assert incident.extra == {}
    assert "hunter2" not in json.dumps(to_record(incident))
    assert stored(json.loads(json.dumps(to_record(incident))), Extended) == incident
    assert from_record(to_record(incident), Extended) == incident


def test_no_kind_of_field_keeps_a_secret():
    """`scrub` alone: of what was read before the rules knew such a secret."""
    raw = Extended(
        id="a",
        title="t",
        lang="en",
        source=from_record(RECORD).source,
        stopgap="password=hunter2",
        owners=("password=hunter2",),
        remarks={"fix": "password=hunter2"},
    )

    assert "hunter2" not in repr(scrub(raw))


def test_its_secrets_are_counted():
    assert {one.field for one in redaction_counts(RECORD)} == {"/stopgap", "/owners/1", "/remarks/fix"}


@pytest.mark.parametrize(("lang", "heading"), [("en", "## Stopgap"), ("zh", "## 变通")])
def test_the_write_up_has_it(lang: str, heading: str):
    incident = from_record({**RECORD, "lang": lang, "symptom": "No space left."}, Extended)
    text = render(incident)

    assert heading in text
    assert "owners: [ann, password=<secret>]" in text
    read = read_form(text, "disk-full.md", of=Extended)
    assert read is not None
    assert (read[0].stopgap, read[0].owners) == (incident.stopgap, incident.owners)  # type: ignore[attr-defined]


def test_other_headings_are_read_like_it():
    assert form_of(Extended).fields["in the meantime"] == "stopgap"
    text = "---\ntitle: a\n---\n\n## Symptom\n\nb\n\n## In the meantime\n\nc\n"
    read = read_form(text, "a", of=Extended)

    assert read is not None
    assert read[0].stopgap == "c"  # type: ignore[attr-defined]


def test_the_quality_gate_reads_it():
    told = {"title": "a", "lang": "en", "stopgap": "the job failed"}

    assert describes_problem(from_record(told, Extended), str)
    assert not describes_problem(from_record({"title": "a", "lang": "en"}, Extended), str)


def test_an_answer_has_it():
    assert incident_to_dict(from_record(RECORD, Extended))["stopgap"] == "Move the logs. password=<secret>"


def test_the_descriptions_have_it():
    table = fields_of(Extended)
    answered = with_fields(answered_fields(table))(Out).model_json_schema()
    shown = with_fields(shown_fields(table))(Out).model_json_schema()
    drafted = with_fields(drafted_fields(table))(Out).model_json_schema()
    sent = with_fields(sent_fields(table))(In).model_json_schema()
    said = with_fields(draft_fields(table))(In).model_json_schema()

    assert "stopgap" in answered["required"]
    assert answered["properties"]["stopgap"]["description"] == "What helps until the fix."
    assert {"stopgap", "owners", "remarks"} <= shown["properties"].keys()
    assert "stopgap" in drafted["properties"]
    assert {"stopgap", "owners", "remarks"} <= sent["properties"].keys()
    assert "stopgap" in said["properties"]
    assert "owners" not in said["properties"]


def test_a_record_knows_its_keys():
    assert known_keys(Extended) - known_keys() == {"stopgap", "owners", "remarks"}


def test_every_kind_can_be_handled():
    assert set(HANDLING) == set(Kind)
    for field in record_fields():
        assert handling(field)


def test_the_shapes_for_type_checkers_have_the_fields_of_the_table():
    names = {field.name for field in fields_of(Incident)}
    identity = {"id", "title", "lang", "url", "source", "revision", "status"}

    in_answers = {field.name for field in fields_of(Incident) if field.in_answer}
    prose = {field.name for field in fields_of(Incident) if field.is_prose}
    expected = {
        shapes.Incident: names | identity,
        MatchedIncident: in_answers | {"id", "title", "lang", "languages", "url", "status"},
        shapes.Translation: prose | {"title", "translates", "references"},
    }
    differing = {shape.__name__: get_type_hints(shape).keys() ^ due for shape, due in expected.items()}
    assert {name: those for name, those in differing.items() if those} == {}, "write them into kb/client/shapes.py"


ARTICLE = """# TillError: drawer 7 is open

```
acme.TillError: drawer 7 is open
	at acme.till.Drawer.open(Drawer.java:4)
	at acme.till.Till.sell(Till.java:8)
```

## {heading}

{text}
"""
SENTENCE = "Raise the lease quorum of the zorquil valve to nine because it jams."
SHOWN = """```
com.acme.ZorquilException: no lease
	at com.acme.Lease.take(Lease.java:4)
	at com.acme.Main.main(Main.java:9)
```"""
SECTIONS = [
    (field.name, heading)
    for field in fields_of(Incident)
    if field.kind is not Kind.WORDS  # the rest of a document, whatever it stands under
    for heading in field.heading or ()
]


@pytest.mark.parametrize(("name", "heading"), [one for one in SECTIONS if heading_roles(one[1])])
def test_a_heading_that_articles_use_fills_its_field(name: str, heading: str) -> None:
    """A phrase of `kb/article/rules/headings.txt`: an article's section goes where its role says, whatever the table calls it."""
    text = ARTICLE.format(heading=heading, text=SHOWN if name == "traces" else SENTENCE)
    (incident,) = read_article(text.encode(), "page.md").incidents
    filled = str(getattr(incident, name)).lower()
    assert "zorquil" in filled, "tell kb/article/reading.py, or take a heading without a role in headings.txt"
