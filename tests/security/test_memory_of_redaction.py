"""What redaction takes while it works, of texts that are made to cost; whole requests are measured in `test_bodies.py`."""

import tracemalloc
from itertools import chain
from typing import Self

import pytest

from kb.redact import redact
from kb.redact.words import Redaction, Redactions


class Traced:
    """Within the block memory is traced; ``peak`` is then the most that it took, in bytes."""

    peak = 0

    def __enter__(self) -> Self:
        tracemalloc.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()


def by_place(one: Redaction) -> tuple[int, int]:
    return one.start, -one.end


def test_what_was_found_is_put_in_order_without_a_list_of_it() -> None:
    """A hostile text has a secret for each 11 bytes: a list to sort took 92 bytes for each."""
    kinds = {"a": 1, "b": 0, "c": 1}
    found = Redactions(chain.from_iterable([Redaction(kind, at + shift, at + 5) for at in range(0, 50_000, 10)] for kind, shift in kinds.items()))  # fmt: skip
    with Traced() as memory:
        ordered = found.in_order()
    assert list(ordered) == sorted(found, key=by_place)
    assert memory.peak < 40 * len(found)


def test_what_was_found_backwards_is_put_in_order() -> None:
    found = Redactions(Redaction("a", at, at + 2) for at in range(2_000, 0, -1))
    assert list(found.in_order()) == sorted(found, key=by_place)


def test_a_text_is_searched_in_twice_its_size() -> None:
    """Beyond ASCII, making the text in lower case took five times its bytes."""
    text = "消费者密码提交位移失败了\n" * 8_000
    redact(text[:100])
    with Traced() as memory:
        assert not redact(text).redactions
    assert memory.peak < 2 * len(text.encode())


def test_a_large_text_is_made_lower_case_in_parts() -> None:
    """Beyond ASCII the whole in lower case would take as much as the text, which is 2 bytes a character here."""
    text = "password " + "连接被拒绝\n" * 4_000_000
    redact("password 连\n")
    with Traced() as memory:
        redact(text)
    assert memory.peak < 3.4 * len(text)  # parts of 8 MB and their copies take 2.8, the whole 4


@pytest.mark.parametrize("before", [0, 1, 4, 7, 8, 40])
def test_a_secret_on_the_border_of_two_parts_is_hidden(before: int) -> None:
    """A part has 8 MB: here its border is at, in and behind the name of the secret."""
    text = "ab cd\n" * ((8 << 20) // 6 + 1)
    shown = redact(f"{text[: (8 << 20) - before]}password=Xk9mmQp2Zz\n").text
    assert shown.endswith("password=<secret>\n")


def test_open_braces_before_a_manifest_take_no_multiple() -> None:
    text = "{" * 80_000 + '"kind":"Secret","data":{"a":"q7Rk2ZwB9x"}}'
    redact(text[-60:])
    with Traced() as memory:
        shown = redact(text).text
    assert shown.endswith('"a":"<secret>"}}')
    assert memory.peak < 6 * len(text)
