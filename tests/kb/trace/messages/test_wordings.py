"""The table of frameworks' own sentences: its lines are well-formed, each is found in a paste, and hostile text takes linear time."""

import time
from importlib.resources import files

import pytest

from kb.errors import RulesError
from kb.trace import parse
from kb.trace.messages.wordings import read_wordings, wording_in

LINES = [
    line
    for line in files("kb.trace").joinpath("rules/wordings.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("# ")
]


def filled(wording: str) -> str:
    """A sentence that has the wording, with something in the place of what varies."""
    subject = "Till " + wording[2:] if wording.startswith("* ") else wording
    return subject.replace("\\<", "<").replace("<>", "till-3").replace("*", "4 of 7")


@pytest.mark.parametrize("wording", LINES)
def test_each_wording_is_found(wording: str) -> None:
    text = f"since Monday the shop is down 总是报 {filled(wording)}"
    found = wording_in(text, 0, len(text))
    assert found is not None
    assert text.find("总是报") < found[0] <= text.find(filled(wording))
    assert found[1] == len(text)


@pytest.mark.parametrize("wording", LINES)
def test_each_wording_is_found_between_other_letters(wording: str) -> None:
    """What passes over a line must not ask for its first and its last word: they may be parts of longer ones."""
    text = f"xy{filled(wording)}yz"
    assert wording_in(text, 0, len(text)) is not None


@pytest.mark.parametrize("wording", LINES)
def test_each_wording_is_read_from_a_line_of_its_own(wording: str) -> None:
    (chain, *_) = parse(f"The shop is down since Monday.\n\n{filled(wording)}\n\nVersion 3.2, in a container")
    assert filled(wording).rstrip(" :.([")[-20:] in (chain.root.message or "")


@pytest.mark.parametrize(
    ("line", "before", "begins"),
    [
        (
            "Field till in shop.Desk required a bean of type 'shop.Till' that could not be found.",
            "启动就 ",
            "Field till",
        ),
        ("The `Row` widget's children must not contain any null values", "", "The `Row`"),
        ("Incompatible: tensors and weights were compiled with different CUDA versions", "", "tensors and"),
    ],
)
def test_a_predicate_begins_with_its_subject(line: str, before: str, begins: str) -> None:
    found = wording_in(before + line, 0, len(before + line))
    assert found is not None
    assert (before + line)[found[0] :].startswith(begins)


@pytest.mark.parametrize(
    ("text", "wrong"), [("too short", "2: 'too short' is too short"), ("Torch not compiled\nTorch not compiled", "3: 'Torch not compiled' is listed twice")]
)  # fmt: skip
def test_a_wrong_line_is_named(text: str, wrong: str) -> None:
    with pytest.raises(RulesError, match=f"list.txt:{wrong}"):
        read_wordings(f"# a comment\n{text}\n", "list.txt")


def test_hostile_lines_take_linear_time() -> None:
    took = []
    for count in (2_000, 16_000):
        text = "The instance of entity type cannot be tracked Target class [ expected:<1> " * count
        began = time.perf_counter()
        wording_in(text, 0, len(text))
        took.append(time.perf_counter() - began)
    assert took[1] < 8 * 3 * max(took[0], 0.002)
