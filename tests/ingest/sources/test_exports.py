"""Exports of every tracker, written for these tests, as they are cut and read. The readings lie beside them."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from ingest.reading import read_document
from ingest.sources.exports.records import Record
from ingest.sources.formats import DocumentFormat
from kb.record import to_record
from tests.ingest.sources.cuts import cut

EXPORTS = Path(__file__).parents[2] / "golden" / "exports"
FILES = sorted(path for path in EXPORTS.iterdir() if not path.name.endswith(".read.json"))


def reading(file: Path, record: Record) -> dict[str, object]:
    if record.reason is not None:
        return {"name": record.name, "refused": record.reason, "detail": record.detail}
    outcome = read_document(record.data, file.name + record.name, record.format)
    if outcome.reason is not None:
        return {"name": record.name, "refused": outcome.reason, "detail": outcome.detail}
    return {"name": record.name, "incidents": [to_record(incident) for incident in outcome.incidents]}


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_what_is_read_of_an_export(file: Path, golden: Callable[[Path, str], None], tmp_path: Path):
    readings = [reading(file, record) for record in cut(file.read_bytes(), file.name, scratch=tmp_path)]
    text = json.dumps(readings, ensure_ascii=False, indent=1, default=asdict)
    golden(file.with_name(f"{file.name}.read.json"), text + "\n")


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_the_content_tells_the_form_where_the_name_does_not(file: Path, tmp_path: Path):
    data = file.read_bytes()
    named = [record for record in cut(data, file.name, scratch=tmp_path) if not record.reason]
    form = (
        DocumentFormat.JIRA if file.suffix == ".csv" else DocumentFormat.AUTO
    )  # rows of words are told from prose by the name alone
    assert [record for record in cut(data, "dump", form, scratch=tmp_path) if not record.reason] == named


@pytest.mark.parametrize("form", [DocumentFormat.JIRA, DocumentFormat.AUTO])
def test_settings_are_no_export(form: DocumentFormat, tmp_path: Path):
    (record,) = cut(b'{"name": "web", "scripts": {"title": "x"}}', "package.json", form, scratch=tmp_path)
    if form is DocumentFormat.AUTO:
        assert (record.reason, record.detail[:11]) == ("unsupported", ".json files")
    else:
        assert read_document(record.data, "package.json", record.format).reason == "invalid_record"
