"""`kb roles train` on a small data folder: the whole way, from headings and marks to weights that the reader takes."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.commands.roles import app
from index.training.roles.pieces import digest_of

THINGS = ("disk", "queue", "lamp", "door", "fridge", "scale", "shelf", "till", "cable", "clock", "valve", "pump")
ARTICLE = """# The {thing} stops

It stops every night.

## Cause

The {thing} is blocked because nobody cleans it. That was seen late.

## Fix

To fix this, clean the {thing} every day. Then go home.
"""
MANUAL = """# Guide to the {thing}

## Overview

Every house has one, and this page tells how it is set up and kept.

## Installation

Unpack the {thing} and put it on a level floor.

## Parameters

The {thing} has a switch for its speed.
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
    pieces = [f"a{at}.md\t{digest_of(f'The {thing} stops')}\tincident\t1" for at, thing in enumerate(THINGS)]
    for at, thing in enumerate(THINGS):
        (tmp_path / f"articles/c{at}.md").write_text(MANUAL.format(thing=thing) * 3, encoding="utf-8")
        pieces.append(f"c{at}.md\t{digest_of(f'Guide to the {thing}')}\tnone\t1")
    pieces += ["gone.md\t000000000000\tnone\t1", "a1.md\t000000000000\tnone\t1"]
    (tmp_path / "pieces.tsv").write_text("\n".join(["# labels", *pieces]) + "\n", encoding="utf-8")
    (tmp_path / "marks.tsv").write_text("\n".join(marks) + "\n", encoding="utf-8")
    return tmp_path


def test_from_headings_and_marks_to_weights(data: Path) -> None:
    out = data / "rules"
    out.mkdir()
    options = ["train", str(data), "--out", str(out)]
    options += ["--marks", str(data / "marks.tsv"), "--pieces", str(data / "pieces.tsv")]
    done = CliRunner().invoke(app, options)
    assert done.exit_code == 0, done.output
    assert "29 articles" in done.output, "the labelled one teaches nothing"
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
    assert "declined: 1.000 of 12 pieces that state no problem, 0.000 of 12 that state one" in done.output
    learned = {
        (kind, name): float(weight)
        for kind, name, weight in (
            line.split("\t") for line in (out / "declining.tsv").read_text(encoding="utf-8").splitlines()[2:]
        )
    }
    assert learned["heading", "installation"] > 0 > learned["feature", "cause section"]
    written = [path.read_bytes() for path in sorted(out.iterdir())]
    assert CliRunner().invoke(app, options).exit_code == 0
    assert [path.read_bytes() for path in sorted(out.iterdir())] == written, "the same data teach the same"
