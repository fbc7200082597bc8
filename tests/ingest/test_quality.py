"""What is let in: a problem told in words, a trace, or a cause with its fix; not any advice."""

import pytest

from ingest.quality import Reason
from ingest.reading import read_document
from ingest.sources.formats import DocumentFormat


def test_half_an_emoji_is_no_obstacle():
    record = b'{"id": "x", "title": "the ledger \\ud83d stands", "symptom": "it fails"}'
    assert read_document(record, "a.jsonl", DocumentFormat.JSONL).incidents


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        pytest.param("# Cake\n\nYou can bake a cake. Add sugar.\n", False, id="advice-in-words"),
        pytest.param("# Cake\n\n## Solution\n\nAdd sugar.\n", False, id="advice-under-a-heading"),
        pytest.param("# 蛋糕\n\n## 解决方案\n\n加糖。\n", False, id="advice-in-chinese"),
        pytest.param("# Cake\n\nThe cake fails to rise. Add sugar.\n", True, id="advice-and-a-word-of-failure"),
        pytest.param("# Ledger\n\n## Solution\n\nFixes the missing lock.\n", True, id="the-word-is-in-the-fix"),
        pytest.param("# Ledger\n\n```\nERROR 1045\n```\n\n## Solution\n\nGrant it.\n", True, id="the-word-is-in-code"),
        pytest.param("# Ledger\n\n```\nopened 1045\n```\n\n## Solution\n\nGrant it.\n", False, id="code-without-it"),
        pytest.param("# Ledger\n\n## Root cause\n\nNo lease.\n\n## Fix\n\nRenew it.\n", True, id="cause-and-fix"),
        pytest.param("# Router gives up\n\n## Cause\n\nIts table is full.\n", True, id="a-cause-and-a-word"),
        pytest.param("# 台账打不开，报错\n\n见下文。\n", True, id="a-word-alone"),
    ],
)
def test_what_is_let_in(text: str, *, accepted: bool):
    outcome = read_document(text.encode(), "a.md", DocumentFormat.AUTO)
    assert (outcome.reason, bool(outcome.incidents)) == ((None, True) if accepted else (Reason.NO_PROBLEM, False))


def test_problems_of_a_document_keep_its_own_path_and_their_anchors():
    """Also where the form was asked for, and the document was read under another name."""
    text = "# FAQ\n" + "".join(f"## Start {n} fails\n**Cause:** the disk.\n\n**Solution:** swap it.\n\n" for n in "ab")

    outcome = read_document(text.encode(), "wiki/errors", DocumentFormat.MARKDOWN)

    assert [one.source.url for one in outcome.incidents] == [
        "wiki/errors#start-a-fails",
        "wiki/errors#start-b-fails",
    ]
    assert {one.source.path for one in outcome.incidents} == {"wiki/errors"}


_LINKS = "# Common pages\n\n" + "".join(
    f"- [How are parcels of {day} kept?](parcels.md#{day})\n" for day in ("monday", "friday", "sunday")
)
_FAILS = "".join(f"\n## Start {n} fails\n**Cause:** the disk.\n\n**Solution:** swap it.\n" for n in "ab")
_TAUGHT = (
    "# Tutorial: start it\n\n## Parcels and days\n\nA depot keeps days. " + "Without a key the way fails. " * 60 + "\n"
)


def test_what_states_no_problem_is_refused_and_can_be_forced_in():
    refused = read_document(_LINKS.encode(), "a.md", DocumentFormat.AUTO)
    assert (refused.reason, refused.detail) == (Reason.LINKS, "states no problem; --keep-all takes it")
    assert read_document(_LINKS.encode(), "a.md", DocumentFormat.AUTO, keep_all=True).incidents


def test_of_a_document_only_what_states_a_problem_is_taken():
    text = f"{_TAUGHT}{_FAILS}".encode()
    every = read_document(text, "a.md", DocumentFormat.AUTO, keep_all=True)
    taken = read_document(text, "a.md", DocumentFormat.AUTO)
    assert [one.title.partition(" — ")[0] for one in taken.incidents] == ["Start a fails", "Start b fails"]
    assert (len(every.incidents), every.detail, taken.detail) == (
        2,
        "",
        "",
    )  # what is left of the page states no problem
