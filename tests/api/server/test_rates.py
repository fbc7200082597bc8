"""How often one caller may ask: a table, a law, a bound on memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.contract.problems import HttpProblem
from api.server.rates import BURST_SECONDS, CALLERS, Rate, caller_of


class Clock:
    """Time that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def takes(rate: Rate, caller: str = "a") -> bool:
    try:
        rate.take(caller)
    except HttpProblem:
        return False
    return True


def test_two_seconds_worth_at_once_then_the_steady_rate() -> None:
    clock = Clock()
    rate = Rate(5, clock)
    assert [takes(rate) for _ in range(12)] == [True] * 10 + [False] * 2
    clock.now += 0.2
    assert [takes(rate) for _ in range(2)] == [True, False]
    clock.now += 100
    assert [takes(rate) for _ in range(12)] == [True] * 10 + [False] * 2


def test_one_caller_takes_nothing_from_another() -> None:
    rate = Rate(1, Clock())
    while takes(rate, "a"):
        pass
    assert takes(rate, "b")


@pytest.mark.parametrize(("per_second", "expected"), [(5, "1"), (0.1, "10"), (0.01, "100")])
def test_the_refusal_says_when_to_come_back_and_then_it_holds(per_second: float, expected: str) -> None:
    clock = Clock()
    rate = Rate(per_second, clock)
    while takes(rate):
        pass
    with pytest.raises(HttpProblem) as refused:
        rate.take("a")
    assert (refused.value.status_code, refused.value.kind) == (429, "too-many-requests")
    assert refused.value.headers == {"Retry-After": expected}
    clock.now += float(expected)
    assert takes(rate)


@given(st.floats(0.05, 1000), st.lists(st.floats(0, 3), max_size=200))
def test_no_more_than_the_rate_and_the_burst(per_second: float, pauses: list[float]) -> None:
    clock = Clock()
    rate = Rate(per_second, clock)
    taken = 0
    for pause in pauses:
        clock.now += pause
        taken += takes(rate)
    assert taken <= 1 + per_second * (clock.now - 1000.0 + BURST_SECONDS) + 1e-6


def test_callers_beyond_the_bound_are_forgotten_oldest_first() -> None:
    clock = Clock()
    rate = Rate(1, clock)
    for number in range(CALLERS + 10):
        rate.take(str(number))
    assert len(rate._used_up) == CALLERS
    assert "9" not in rate._used_up
    assert "10" in rate._used_up


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("127.0.0.1", None),
        ("127.9.9.9", None),
        ("::1", None),
        ("::ffff:127.0.0.1", None),
        ("unix socket", "unix socket"),
        ("", None),
        (None, None),
    ],
)
def test_under_which_name_an_address_is_counted(address: str | None, expected: str | None) -> None:
    assert caller_of(address) == expected
