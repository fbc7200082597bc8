"""The wide patterns that one automaton asks before the forms are asked."""

import json
import re
from pathlib import Path

import pytest
import re2

from kb.trace.messages.form import widen
from kb.trace.messages.forms import FORMS, _likely

GOLDEN = Path(__file__).resolve().parents[4] / "tests" / "golden" / "messages" / "build"
LINES = [
    line.strip()
    for example in (GOLDEN / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    for line in (GOLDEN / json.loads(example)["file"]).read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize(
    ("pattern", "wide"),
    [
        (r"npm (?:ERR!|error) (?!errno )(?P<message>\S.*)", r"npm (?:ERR!|error) (?:..*)"),
        (r"[^\s:]{1,400}:\d{1,7}: x", r"[^\s:]+:[\d\x{80}-\x{10FFFF}]+: x"),
        (r"(?:a(?=b(?:c|d))e){0,3}+f++", r"(?:ae)*f+"),
        (r"\(\[\]\{2,3\}[)(\]]{2}", r"\(\[\]\{2,3\}[)(\]]+"),
        (r"a(?<!b(c))d*?", r"ad*"),
    ],
)
def test_what_re2_lacks_is_left_out(pattern: str, wide: str) -> None:
    assert widen(pattern) == wide


def test_no_line_is_lost() -> None:
    """The set of all forms passes every line that any form matches."""
    fitting = {line: [form for form in FORMS if form.pattern.match(line)] for line in LINES}
    matched = [line for line, forms in fitting.items() if forms]
    assert [line for line in matched if not set(map(id, fitting[line])) <= set(map(id, _likely(line)))] == []
    assert len(matched) > 200


def test_few_other_lines_pass() -> None:
    everything = re2.compile("|".join(widen(form.pattern.pattern) for form in FORMS))
    code = Path(re.__file__).read_text(encoding="utf-8").splitlines() + Path(json.__file__).read_text().splitlines()
    assert sum(everything.match(line.strip()) is not None for line in code) < len(code) / 100
