"""Documents that are no text on their way into the knowledge base."""

import sys
from pathlib import Path

import pytest

from ingest.quality import Reason
from ingest.reading import read_document
from ingest.sources.formats import DocumentFormat, format_of

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "formats"


@pytest.mark.parametrize("name", ["word.docx", "typeset.pdf", "notebook.ipynb", "big5.html"])
def test_they_are_listed_and_accepted(name: str):
    data = (GOLDEN / name).read_bytes()
    form = format_of(name, DocumentFormat.AUTO)
    assert form is not None

    (incident,) = read_document(data, name, form).incidents

    assert incident.source.path == name
    assert incident.chains
    assert incident.root_cause


@pytest.mark.parametrize(("name", "library"), [("word.docx", "mammoth"), ("typeset.pdf", "pypdf")])
def test_without_the_library_they_are_refused_with_the_cure(name: str, library: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, library, None)

    outcome = read_document((GOLDEN / name).read_bytes(), name, DocumentFormat.AUTO)

    assert outcome.reason is Reason.BINARY
    assert "pip install 'dejastack[documents]'" in outcome.detail
