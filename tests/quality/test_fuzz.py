"""The parts of the fuzzer that need no libFuzzer: mutations, shrinking, and that a broken law is noticed and kept."""

import random
from pathlib import Path

import pytest

from tests.quality import fuzz, laws
from tests.quality.laws import BrokenLawError, check

TRACE = "a.b.E: order 17\n\tat a.b.C.run(C.java:4)\nCaused by: java.io.IOException: gone\n\tat a.b.H.one(H.java:5)\n"


def test_there_is_something_to_start_from() -> None:
    assert len(fuzz.seeds()) > 100
    assert len(fuzz.shards()) > 50
    assert all(fuzz._escaped(shard).isascii() for shard in fuzz.shards())


@pytest.mark.parametrize("text", ["", "\n", TRACE, "\ud800"])
def test_any_text_can_be_mutated_any_number_of_times(text: str) -> None:
    mutator = fuzz.Mutator([TRACE, ""], ["Caused by: ", "\t"])
    found = {mutator.mutated(text, random.Random(seed)) for seed in range(200)}
    assert len(found) > 20
    assert mutator.mutated(text, random.Random(1)) == mutator.mutated(text, random.Random(1))


@pytest.mark.parametrize(
    "text", ["", TRACE, f"log\n{TRACE * 50}", "password=hunter2hunter2", "\udc80 at a.b.c(D.java:1)"]
)
def test_good_texts_keep_every_law(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    ("name", "broken", "law", "place"),
    [
        ("parse", lambda text: 1 / len(text[3:3]), "raises", "ZeroDivisionError"),
        ("parse", lambda _: (), "stream", "stream"),
        ("template", lambda text: text + "x", "template", "template"),
        ("normalize", lambda chain: type(chain)(chain.runtime, chain.exceptions, thread=f"{chain.thread}x"), "normal", "normal jvm"),
    ],
    ids=["raises", "stream", "template", "normal"],
)  # fmt: skip
def test_a_broken_law_is_noticed_made_small_and_kept(
    name: str, broken: object, law: str, place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(laws, name, broken)
    with pytest.raises(BrokenLawError) as raised:
        check(TRACE)
    assert raised.value.law == law
    assert place in raised.value.place
    findings = fuzz.Findings(tmp_path)
    for _ in range(3):
        findings.keep(f"noise\n{TRACE}", raised.value)
    (kept,) = findings.names()
    small = (tmp_path / kept).read_text()
    assert len(small) < len(TRACE)
    assert law in (tmp_path / kept).with_suffix(".why").read_text()


def test_shrinking_ends_at_what_is_needed() -> None:
    assert fuzz.shrunk("aaa\nb needle b\nccc\n" * 20, lambda text: "needle" in text) == "needle"
