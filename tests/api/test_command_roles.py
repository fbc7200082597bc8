"""`kb roles train` on a small data folder: the whole way, from headings and marks to weights that the reader takes."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.commands.roles import app

THINGS = ("disk", "queue", "lamp", "door", "fridge", "scale", "shelf", "till", "cable", "clock", "valve", "pump")
ARTICLE = """# The {thing} stops

It stops every night.

## Cause

The {thing} is blocked because nobody cleans it. That was seen late.

## Fix

To fix this, clean the {thing} every day. Then go home.
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "articles").mkdir()
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold/gold.jsonl").write_text(json.dumps({"id": "a0"}) + "\n", encoding="utf-8")
    marks = ["# article, target, offsets"]
    for at, thing in enumerate(THINGS):
        text = ARTICLE.format(thing=thing)
        (tmp_path / f"articles/a{at}.md").write_text(text, encoding="utf-8")
        for target, begins in (("cause", "The {} is"), ("fix", "To fix")):
            start = text.index(begins.format(thing))
            end = text.index("." if at % 3 else "\n", start) + 1
            marks.append(f"a{at}\t{target}\t{start}-{end}")
    plain = "# A walk\n\nWe walked. It rained. We came home.\n"
    for at in range(6):
        (tmp_path / f"articles/b{at}.md").write_text(plain, encoding="utf-8")
        marks += [f"b{at}\tcause\tnone", f"b{at}\tfix\tnone"]
    (tmp_path / "marks.tsv").write_text("\n".join(marks) + "\n", encoding="utf-8")
    return tmp_path


def test_from_headings_and_marks_to_weights(data: Path) -> None:
    out = data / "rules"
    out.mkdir()
    options = ["train", str(data), "--marks", str(data / "marks.tsv"), "--out", str(out)]
    done = CliRunner().invoke(app, options)
    assert done.exit_code == 0, done.output
    assert "17 articles" in done.output, "the labelled one teaches nothing"
    assert all(float(found) > 0.8 for found in re.findall(r"token F1 ([\d.]+) of 11", done.output))
    assert done.output.count("nothing said where nothing is stated 1.00 of 6") == 2

    written_words = (out / "wording.tsv").read_text(encoding="utf-8").splitlines()
    words = dict(line.split("\t", 1) for line in written_words if "\t" in line)
    cause, fix, causing, fixing = map(int, words["because"].split("\t"))
    assert cause > 0 > fix
    assert causing > 0 >= fixing
    weights = {
        tuple(line.split("\t")[:3]): float(line.split("\t")[3])
        for line in (out / "roles.tsv").read_text(encoding="utf-8").splitlines()[1:]
    }
    assert weights["fix", "all", "cue 3"] > 0
    relations = {name: weight for (target, _, name), weight in weights.items() if target == "relation"}
    assert max(relations, key=relations.__getitem__) == "section 1 after"
    written = [path.read_bytes() for path in sorted(out.iterdir())]
    assert CliRunner().invoke(app, options).exit_code == 0
    assert [path.read_bytes() for path in sorted(out.iterdir())] == written, "the same data teach the same"
