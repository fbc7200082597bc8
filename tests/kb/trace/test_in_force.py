"""What rules of the house do to chains, and that nothing of it stays behind."""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.trace import ExceptionChain, Level, RaisedException, Relation, fingerprints, normalize, template
from kb.trace.custom import NONE, CustomRules, read_custom
from kb.trace.in_force import LONGEST_LINE, ReadyRules, activate, adopted, made_ready, rules_in_force
from tests.kb.trace.reading import only

TRACE = """com.acme.RemoteError: rpc 5 failed
\tat com.acme.rpc.Stub.call(Stub.java:3)
\tat com.acme.shop.Orders.pay(Orders.java:31)
\tat org.apache.flink.mine.Patch.run(Patch.java:8)
"""
RULES = read_custom(
    {
        "in_app.txt": "!com.acme.rpc.\norg.apache.flink.mine.\n",
        "wrappers.txt": "com.acme.RemoteError\nWrapError\nGroupError\n",
        "noise.txt": "com.acme.shop.Orders.pay$\n",
        "messages.txt": "<order> ORD-\\d+\n<shop> \\bfoo\n<sku> #(a|b)c\n",
    }
)


@pytest.fixture(autouse=True)
def _no_rules_are_left() -> Iterator[None]:
    yield
    assert rules_in_force() == NONE


def of_house(number: int) -> CustomRules:
    """Rules of one of many homes: as many as a large home has."""
    prefixes = "\n".join(f"com.h{number}.p{at}." for at in range(300))
    patterns = "\n".join(f"<{chr(97 + at // 26)}{chr(97 + at % 26)}> ORD{number}x{at}-\\d+" for at in range(60))
    return read_custom({"in_app.txt": prefixes, "messages.txt": patterns})


def many_frames(number: int) -> str:
    """A trace that no other has a line of."""
    frames = "".join(f"\tat com.t{number}.p{at}.C.d(C.java:{at})\n" for at in range(40))
    return f"java.lang.IllegalStateException: order {number} is gone\n{frames}"


def test_eight_homes_in_turns_take_no_longer_than_one() -> None:
    """What an engine keeps is not made again, however many are asked meanwhile."""
    kept = [made_ready(of_house(number)) for number in range(8)]
    chain = only(many_frames(0))

    def seconds(ready: Sequence[ReadyRules]) -> float:
        started = time.process_time()
        for rules in islice(cycle(ready), 80):
            with adopted(rules):
                fingerprints(chain)
        return time.process_time() - started

    seconds(kept)
    assert min(seconds(kept) for _ in range(3)) < 4 * min(seconds(kept[:1]) for _ in range(3)) + 0.02


def test_rules_that_nobody_keeps_are_forgotten() -> None:
    """What was read under them is forgotten with them."""

    def alive() -> int:
        gc.collect()
        # not isinstance: it reads `__class__`, which some objects of other packages answer with a warning
        return sum(type(one) is ReadyRules for one in gc.get_objects())

    made_ready.cache_clear()
    before = alive()
    for number in range(20, 32):
        with adopted(of_house(number)):
            fingerprints(only(many_frames(number)))
    assert alive() - before <= made_ready.cache_parameters()["maxsize"]


def in_app(chain: ExceptionChain) -> list[tuple[str | None, bool]]:
    return [(frame.function, frame.in_app) for frame in normalize(chain).exceptions[0].stack.frames]


def test_the_longest_prefix_decides_what_is_the_application() -> None:
    chain = only(TRACE)
    assert in_app(chain) == [("call", True), ("pay", True), ("run", False)]
    assert fingerprints(chain)[Level.LOOSE].basis[1] == "  com.acme.rpc.Stub.call"
    with adopted(read_custom({"in_app.txt": "!com.acme.\ncom.acme.shop.\norg.apache.flink.mine.\n"})):
        assert in_app(chain) == [("call", False), ("pay", True), ("run", True)]
        assert fingerprints(chain)[Level.LOOSE].basis[1] == "  com.acme.shop.Orders.pay"
    assert in_app(chain) == [("call", True), ("pay", True), ("run", False)]


def test_noise_is_dropped_unless_nothing_else_is_left() -> None:
    with adopted(read_custom({"noise.txt": "com.acme.\n"})):
        assert fingerprints(only(TRACE))[Level.EXACT].basis[1:] == ("  org.apache.flink.mine.Patch.run",)
    with adopted(read_custom({"noise.txt": "com.acme.\norg.apache.\n"})):
        assert len(fingerprints(only(TRACE))[Level.EXACT].basis) == 4
    with adopted(read_custom({"noise.txt": "com.acme.shop.Orders.pa$\n"})):
        assert len(fingerprints(only(TRACE))[Level.EXACT].basis) == 4
    with adopted(read_custom({"noise.txt": "com.acme.shop.Orders.pay$\n"})):
        assert len(fingerprints(only(TRACE))[Level.EXACT].basis) == 3


CONTEXT = """Traceback (most recent call last):
  File "/srv/shop/a.py", line 1, in f
    g()
KeyError: 'k'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/srv/shop/b.py", line 1, in h
    f()
WrapError: failed
"""


@pytest.mark.parametrize(
    ("text", "without", "within"),
    [
        (CONTEXT, "WrapError", "KeyError"),
        ("com.acme.RemoteError: b.DiskError: full\n\tat a.B.c(B.java:1)", "b.DiskError", "b.DiskError"),
        ("com.acme.RemoteError: com.acme.RemoteError: b.DiskError\n\tat a.B.c(B.java:1)", "com.acme.RemoteError", "b.DiskError"),
        ("com.acme.RemoteError: no exception named\n\tat a.B.c(B.java:1)", "com.acme.RemoteError", "com.acme.RemoteError"),
        ("com.acme.RemoteError: x\n\tat a.B.c(B.java:1)\nCaused by: a.E: y\n\tat a.B.d(B.java:1)", "a.E", "a.E"),
    ],
    ids=["context", "named-in-message", "twice", "nothing-named", "has-a-cause"],
)  # fmt: skip
def test_wrappers_are_looked_through(text: str, without: str, within: str) -> None:
    chain = only(text)
    assert normalize(chain).root.type == without
    with adopted(RULES):
        assert normalize(chain).root.type == within
        assert fingerprints(chain)[Level.ROOT_CAUSE].basis[0].partition(":")[0] == within
        assert normalize(normalize(chain)) == normalize(chain)


def test_a_group_of_one_is_looked_through_and_one_of_two_is_not() -> None:
    def group(members: int) -> ExceptionChain:
        inner = [RaisedException(f"E{n}", "x", relation=Relation.GROUPED, parent=0) for n in range(members)]
        return ExceptionChain("python", (RaisedException("GroupError", "g"), *inner))

    with adopted(RULES):
        assert normalize(group(1)).root.type == "E0"
        assert normalize(group(2)).root.type == "GroupError"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("no ORD-17 in 10.0.0.3", "no <order> in <ip>"),
        ("1foo", "<int><shop>"),  # the number gone, a word begins there
        ("ORD-1\nORD-2 #bc", "<order>\n<order> <sku>"),
        ("<order> stays", "<order> stays"),
        ("\ud800 ORD-1", "\ud800 <order>"),
        ("订单ORD-1失败", "订单<order>失败"),
        ("x" * 2_001 + "ORD-1", "x" * 2_001 + "ORD-<int>"),
        ("password=ORD-1abcdefgh", "password=<secret>"),
    ],
    ids=["beside-built-in", "second-round", "lines", "kept", "surrogate", "cjk", "dump", "secret-first"],
)
def test_message_patterns(message: str, expected: str) -> None:
    with adopted(RULES):
        assert template(message) == expected
        assert template(expected) == expected


@given(st.text(st.sampled_from("ORD-foabc0123456789 =:'\"<>\n\ud800失")))
def test_templates_stay_templates_under_rules(text: str) -> None:
    with adopted(RULES):
        assert template(template(text)) == template(text)


def test_adopting_and_giving_back_leaves_no_trace() -> None:
    chain = only(TRACE)
    before, said = fingerprints(chain), template("ORD-1")
    activate(RULES)
    changed = fingerprints(chain)
    activate(NONE)
    assert changed != before
    assert (fingerprints(chain), template("ORD-1")) == (before, said)


def test_a_failing_trial_gives_the_rules_back() -> None:
    with pytest.raises(ValueError, match="x"), adopted(RULES):
        raise ValueError("x")
    assert rules_in_force() == NONE


@pytest.mark.parametrize("pattern", ["(x+x+)+y", "(.*a){12}", "x(.*y)?", "([a-z]+)*\\d"])
def test_no_pattern_is_super_linear(pattern: str, takes_linear_time: Callable[..., None]) -> None:
    line = "x" * (LONGEST_LINE - 1) + "\n"
    with adopted(CustomRules(messages=(("<order>", pattern),))):
        takes_linear_time(lambda lines: template(line * lines), 4, 40)
        assert template("x" * 500_000) == "x" * 500_000
