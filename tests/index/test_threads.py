"""Thread dumps: what blocks or fails is what a dump is about; threads that wait are one chance each to agree by accident."""

from collections.abc import Callable, Sequence

import pytest

from index import Verdict
from index.reading import Reading, read
from index.terms.sketch import is_idle_thread, leading, message_of, most_telling
from index.training.measured import MeasuredEngine
from index.wire import answer_to_dict
from kb.trace import parse

DUMP = "Full thread dump OpenJDK 64-Bit Server VM (17.0.8+7 mixed mode, sharing):\n\n"
BLOCKED = """"teller-1" #51 prio=5 os_prio=0 tid=0x00007f1000000001 nid=0x11 waiting for monitor entry  [0x00007f1000001000]
   java.lang.Thread.State: BLOCKED (on object monitor)
\tat com.acme.bank.Account.credit(Account.java:40)
\t- waiting to lock <0x000000061a000118> (a com.acme.bank.Account)
\tat com.acme.bank.Teller.run(Teller.java:12)

"""
FAULT = "java.lang.IllegalStateException: the clock ran backwards\n\tat com.acme.clock.Clock.tick(Clock.java:3)\n\tat com.acme.clock.Hand.move(Hand.java:9)\n"


def waiting(name: str, number: int = 52) -> str:
    """A thread that waits in a place of its own."""
    title = name.title()
    return f""""{name}-1" #{number} prio=5 os_prio=0 tid=0x00007f10000000{number} nid=0x{number} in Object.wait()  [0x00007f1000002000]
   java.lang.Thread.State: WAITING (on object monitor)
\tat java.lang.Object.wait(java.base@17.0.8/Native Method)
\tat com.acme.{name}.{title}Queue.next({title}Queue.java:12)
\tat com.acme.{name}.{title}Reader.drain({title}Reader.java:44)
\tat com.acme.{name}.{title}Loop.turn({title}Loop.java:91)

"""


IDLE = DUMP + waiting("feed")
OTHERS = "".join(
    waiting(name, at) for at, name in enumerate(("mail", "audit", "cache", "quote", "render", "stats"), 60)
)


@pytest.fixture(scope="module")
def engine(engine_of: Callable[[Sequence[dict[str, object]]], MeasuredEngine]) -> MeasuredEngine:
    return engine_of(
        [
            {"id": "feed", "title": "The feed stands still", "traces": [DUMP + waiting("feed")]},
            {"id": "clock", "title": "A clock that ran backwards", "traces": [FAULT]},
            {"id": "teller", "title": "Tellers hang", "traces": [DUMP + waiting("feed") + BLOCKED]},
        ]
    )


@pytest.mark.parametrize(
    ("text", "idle"),
    [
        pytest.param(DUMP + waiting("feed"), True, id="waiting"),
        pytest.param(DUMP + BLOCKED, False, id="blocked"),
        pytest.param(FAULT, False, id="exception"),
    ],
)
def test_what_is_idle(text: str, idle: bool) -> None:  # noqa: FBT001 - a table
    (chain,) = parse(text)
    assert is_idle_thread(chain) is idle


def test_the_state_of_an_idle_thread_is_no_message() -> None:
    (idle,), (blocked,) = parse(DUMP + waiting("feed")), parse(DUMP + BLOCKED)
    assert message_of(idle, idle.root) is None
    assert message_of(blocked, blocked.root) == "BLOCKED waiting to lock com.acme.bank.Account"


def test_faults_come_before_idle_threads_each_in_the_order_of_the_text() -> None:
    chains = parse(DUMP + waiting("feed") + waiting("mail", 53) + BLOCKED + FAULT)
    kinds = [chain.root.type or chain.thread for chain in chains]
    assert [kinds[at] for at in most_telling(chains, 3)] == ["teller-1", "java.lang.IllegalStateException", "feed-1"]
    assert leading(chains) is chains[kinds.index("teller-1")]
    assert leading(()) is None


def test_a_dump_of_one_thread_finds_the_write_up_of_that_thread(engine: MeasuredEngine) -> None:
    assert engine.search(DUMP + waiting("feed", 77)).matches[0].incident.id in {"feed", "teller"}


def test_one_idle_thread_of_many_says_less(engine: MeasuredEngine) -> None:
    alone, among = (read(DUMP + waiting("feed") + others) for others in ("", OTHERS))
    odds = [p / (1 - p) for p in (dict_of(engine, reading)["feed"] for reading in (alone, among))]
    assert odds[0] > 4 * odds[1]


def test_a_fault_below_many_idle_threads_is_what_the_paste_is_about(engine: MeasuredEngine) -> None:
    answer = engine.search(DUMP + OTHERS + waiting("feed") + FAULT)
    assert (answer.matches[0].incident.id, answer.verdict) == ("clock", Verdict.KNOWN)
    assert answer_to_dict(answer)["query"]["exceptions"][0]["type"] == "java.lang.IllegalStateException"


def test_idle_threads_beside_an_unknown_fault_make_nothing_known(engine: MeasuredEngine) -> None:
    other = "java.io.IOException: disk gone\n\tat com.contoso.disk.Disk.read(Disk.java:3)\n"
    alone, beside = (dict_of(engine, read(text))["feed"] for text in (IDLE, IDLE + other))
    assert alone > 0.5
    assert beside == 0.5
    assert engine.search(IDLE + other).verdict is not Verdict.KNOWN


def test_the_blocked_thread_is_what_a_dump_is_about(engine: MeasuredEngine) -> None:
    answer = engine.search(DUMP + OTHERS + BLOCKED)
    assert (answer.matches[0].incident.id, answer.verdict) == ("teller", Verdict.KNOWN)


def dict_of(engine: MeasuredEngine, reading: Reading) -> dict[str, float]:
    return {engine.id_of(found.row): chance for chance, found in engine.ranked(reading)}
