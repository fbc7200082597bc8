"""Every kind against the clock: texts made of its own rows, beside those of `hostile.json`, which say what its pattern repeats."""

from collections.abc import Callable

import pytest

from kb.redact import KINDS, SecretKind, redact
from kb.redact.shapes import tokens
from tests.kb.redact_table import hidden
from tests.security.test_secrets import HOSTILE


def heads(kind: SecretKind) -> set[str]:
    """What a kind reads of a row before its value, and of a row that begins with its value all: one text for each of its anchors."""
    found: dict[str, str] = {}
    for row in hidden():
        if row.kind != kind.name or (match := kind.pattern.search(row.text)) is None:
            continue
        value = match.start("secret") if "secret" in kind.pattern.groupindex else match.end()
        for piece in (row.text[match.start() : value], match[0], row.text):
            lowered = (piece * 2).lower()
            for anchor in kind.anchors:
                if anchor in lowered:
                    found.setdefault(anchor, piece)
    return set(found.values())


ANCHORED = [kind for kind in KINDS if kind.anchors and kind not in tokens()]
PIECES = {kind: heads(kind) for kind in ANCHORED}
"""By kind; tokens have none, since each is read by the same code."""
REPEATED = "\n".join(piece * 3 for piece in HOSTILE).lower()
TIMED = sorted({piece for found in PIECES.values() for piece in found if piece.lower() not in REPEATED})


def test_every_kind_has_a_text_against_the_clock() -> None:
    """One that holds an anchor of it: what no anchor begins is never tried."""
    bare = [
        (kind.name, kind.anchors[:3])
        for kind, found in PIECES.items()
        if not found and not any(anchor in REPEATED for anchor in kind.anchors)
    ]
    assert bare == [], "write a row of it into tests/golden/redact/hidden.txt that holds an anchor"
    assert len(TIMED) > 200


@pytest.mark.parametrize("piece", TIMED)
@pytest.mark.slow
def test_the_time_of_a_row_is_linear(piece: str, takes_linear_time: Callable[..., None]) -> None:
    """Its head again and again, and once with a value behind it that never ends."""
    takes_linear_time(lambda size: redact(piece * (size // len(piece))), small=6_000, large=48_000)
    for value in ("aB1", "a-", '"', "\\", "(", "a "):
        takes_linear_time(lambda size, value=value: redact(piece + value * (size // len(value))), 6_000, 48_000)
