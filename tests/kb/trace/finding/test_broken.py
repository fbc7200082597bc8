"""Lines that a terminal or a mail program broke at a page's width: frames, heads and messages are whole again, lines of their own stay apart."""

from pathlib import Path

import pytest

from kb.trace import parse
from kb.trace.page_breaks import broken_at
from tests.kb.trace.reading import only

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "traces"
COLUMNS = 80
LEAST = {"same types": 175, "same frames": 175}
"""Of 223 golden traces with lines of more than 80 columns; 133 and 119 before broken lines were known, 182 and 184 on 2026-11-29."""


def broken(text: str) -> str:
    """A text as a terminal shows it: no line has more columns."""
    lines = (line[at : at + COLUMNS] for line in text.split("\n") for at in range(0, max(len(line), 1), COLUMNS))
    return "\n".join(lines)


def test_most_golden_traces_are_read_as_a_terminal_shows_them() -> None:
    held = dict.fromkeys(LEAST, 0)
    for path in sorted(GOLDEN.rglob("*.txt")):
        text = path.read_text(encoding="utf-8")
        shown = broken(text)
        if shown == text or len(text) > 60_000:
            continue
        whole, parts = parse(text), parse(shown)
        held["same types"] += [[e.type for e in c.exceptions] for c in whole] == [
            [e.type for e in c.exceptions] for c in parts
        ]
        held["same frames"] += [len(e.stack.frames) for c in whole for e in c.exceptions] == [
            len(e.stack.frames) for c in parts for e in c.exceptions
        ]
    assert all(held[name] >= least for name, least in LEAST.items()), held


JVM = """Exception in thread "main" org.acme.shop.tills.TillHasNoDrawerAtAllException: th
e till in the front of the shop has no drawer
        at org.acme.shop.tills.registry.AbstractTillRegistryOfAllTheShopsOfTheTo
wn.find(AbstractTillRegistryOfAllTheShopsOfTheTown.java:542)
        at org.acme.shop.Till.open(Till.java:5)
"""
PYTHON = """Traceback (most recent call last):
  File "/usr/local/lib/python3.10/site-packages/acme/shop/till.py", line 90, in
open_drawer
    lock.release()
  File
"/usr/local/lib/python3.10/site-packages/acme/shop/lock.py",
line 9, in release
    go()
acme.TillError: the drawer of the till in the front of the shop is locked and
nobody has the key
"""
RUST = """thread 'main' panicked at /home/acme/.cargo/registry/src/index.crates.io-6f17d22/till-0.18.0/src/
backend/drawer.rs:3056:5:
no drawer
"""


@pytest.mark.parametrize(
    ("text", "type_", "message", "frames"),
    [
        (JVM, "org.acme.shop.tills.TillHasNoDrawerAtAllException", "the till in the front of the shop has no drawer", 2),
        (PYTHON, "acme.TillError", "the drawer of the till in the front of the shop is locked and nobody has the key", 2),
        (RUST, "panic", "no drawer", 1),
    ],
    ids=["terminal", "mail", "panic"],
)  # fmt: skip
def test_broken_lines_are_whole(text: str, type_: str, message: str, frames: int) -> None:
    chain = only(text)
    root = chain.root
    assert (root.type, root.message, len(root.stack.frames)) == (type_, message, frames)
    assert chain.span[1] == len(text.rstrip())


FULL = "the drawer of the till in the front of the shop could not be opened, since noone"
MAIL = "the drawer of the till in the front of the shop could not be opened,"


@pytest.mark.parametrize(
    ("above", "below", "between"),
    [
        (FULL, "body has the key", ""),
        (FULL, "is here", " "),
        (FULL, "Please help", None),
        (FULL, "2026-11-29 10:00:00 INFO bye", None),
        (MAIL, "since the key is lost", " "),
        (MAIL, "a", None),
        (MAIL, "Since when?", None),
        (MAIL + " no.", "since then", None),
        (MAIL, "    at a.B.c(B.java:1)", None),
        ("short", "and on", None),
        ("till-1 | " + FULL[9:], "till-1 | body has", None),
        ("", "and on", None),
        (MAIL, "", None),
    ],
)
def test_what_is_between_two_lines(above: str, below: str, between: str | None) -> None:
    assert len(FULL) == COLUMNS
    assert broken_at(above, below) == between


def test_a_message_ends_where_the_writer_goes_on() -> None:
    text = f"acme.TillError: {MAIL[:55]}\nI have no idea what to do about that at all, do you?\n"
    assert only(text).root.message == MAIL[:55]


def test_a_rule_and_a_frame_are_no_broken_lines() -> None:
    head = f"{'acme.TillError':<42}Traceback (most recent call last)"
    text = f"{'-' * len(head)}\n{head}\nCell In[1], line 1\n----> 1 open_till()\n\nacme.TillError: no key\n"
    prefixed = "\n".join(f"ERR {line}" for line in text.splitlines())
    assert only(prefixed).root.message == "no key"
