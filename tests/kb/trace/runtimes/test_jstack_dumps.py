"""Thread dumps: the threads, what is told of them, what stays the same from run to run, what is none."""

import pytest

from kb.trace import ExceptionChain, Level, Relation, fingerprints, normalize, parse
from kb.trace.lines import Lines
from kb.trace.runtimes import jstack

SYNC = "java.util.concurrent.CountDownLatch$Sync"


def thread(name: str, *lines: str, number: int = 1, state: str = "BLOCKED (on object monitor)") -> str:
    """One thread as jstack of JDK 17 prints it."""
    head = f'"{name}" #{number} prio=5 os_prio=0 tid=0x00007f{number:06x} nid=0x{number:x} waiting [0x00007f]'
    return "\n".join([head, f"   java.lang.Thread.State: {state}", *(f"\t{line}" for line in lines), "", ""])


WAITS = "- waiting to lock <0x000000069ec0a118> (a shop.Stock)"
BLOCKED = ("at shop.Shop.sell(Shop.java:34)", WAITS, "at java.lang.Thread.run(java.base@17.0.15/Thread.java:840)")
IDLE = ("at java.lang.Object.wait(Native Method)", "at java.lang.ref.ReferenceQueue.remove(ReferenceQueue.java:155)")
WORKING = ("at shop.Shop.hold(Shop.java:3)", "- locked <0x000000069ec0a118> (a shop.Stock)")
DEADLOCK = """
Found one Java-level deadlock:
=============================
"{a}":
  waiting to lock monitor 0x00007f960c0570e0 (object 0x00000000ffd1c890, a shop.Ledger),
  which is held by "{b}"

"{b}":
  waiting to lock monitor 0x00007f96180015a0 (object 0x00000000ffd1bf08, a shop.Stock),
  which is held by "{a}"

Java stack information for the threads listed above:
===================================================
"{a}":
\tat shop.Shop.sell(Shop.java:34)
\t- waiting to lock <0x00000000ffd1c890> (a shop.Ledger)
"{b}":
\tat shop.Shop.settle(Shop.java:43)
\t- waiting to lock <0x00000000ffd1bf08> (a shop.Stock)

Found 1 deadlock.
"""


def functions(chain: ExceptionChain) -> list[str | None]:
    return [frame.function for exception in chain.exceptions for frame in exception.stack.frames]


def test_a_thread_says_its_state_its_lock_and_who_holds_it() -> None:
    text = thread("worker-1", *BLOCKED, number=3) + thread("holder", *WORKING, number=4, state="RUNNABLE")
    blocked, holder = parse(text)
    assert (blocked.runtime, blocked.thread, blocked.root.type) == ("jstack", "worker-1", None)
    assert blocked.root.message == "BLOCKED waiting to lock shop.Stock"
    assert functions(blocked) == ["sell", "run"]
    assert blocked.notes == ("the lock is held by thread 'holder'",)
    assert holder.root.message == "RUNNABLE, holding shop.Stock"
    assert text[slice(*blocked.span)].startswith('"worker-1"')
    assert text[slice(*blocked.span)].endswith("Thread.java:840)")


def test_a_monitor_that_is_waited_for_is_not_held() -> None:
    lines = (
        "at java.lang.Object.wait(Native Method)",
        "- waiting on <0x0a> (a shop.Stock)",
        "at a.B.c(B.java:1)",
        "- locked <0x0a> (a shop.Stock)",
    )
    (chain,) = parse(thread("x", *lines, state="WAITING (on object monitor)"))
    assert chain.root.message == "WAITING on shop.Stock"


def test_threads_of_one_stack_are_one_chain_and_idle_ones_a_note() -> None:
    many = "".join(thread(f"order-{i}", *BLOCKED, number=i) for i in range(40))
    idle = "".join(
        thread(f"Finalizer-{i}", *IDLE, number=100 + i, state="WAITING (on object monitor)") for i in range(30)
    )
    vm = '"VM Thread" os_prio=0 cpu=0.84ms elapsed=2.19s tid=0x0 nid=0x7551 runnable  \n\n'
    (chain,) = parse(many + idle + vm)
    assert chain.thread == "order-0"
    assert chain.notes == (
        "40 threads have this stack; the others: 'order-1', 'order-2', 'order-3', 'order-4', 'order-5', …",
        "left out of this dump: 30 idle threads, 1 thread without Java frames",
    )


def test_idle_threads_alone_are_told() -> None:
    (chain,) = parse(
        thread("a", *IDLE, state="WAITING (on object monitor)")
        + thread("b", *IDLE, number=2, state="WAITING (on object monitor)")
    )
    assert (chain.thread, functions(chain)) == ("a", ["wait", "remove"])


def test_a_blocked_thread_is_never_idle() -> None:
    (chain,) = parse(thread("Finalizer", *IDLE) + thread("b", *IDLE, number=2, state="WAITING (on object monitor)"))
    assert (chain.thread, chain.root.message) == ("Finalizer", "BLOCKED")


def test_a_deadlock_comes_first_with_its_locks_and_stacks() -> None:
    text = thread("main", "at shop.Shop.main(Shop.java:1)", state="RUNNABLE") + DEADLOCK.format(a="seller", b="settler")
    deadlock, main = parse(text)
    assert [(e.type, e.message, e.relation, e.parent) for e in deadlock.exceptions] == [
        ("deadlock", "over shop.Ledger, shop.Stock", None, None),
        ("deadlock", "waiting to lock shop.Stock", Relation.GROUPED, 0),
    ]
    assert functions(deadlock) == ["sell", "settle"]
    assert deadlock.notes == ("a ring: 'seller' waits for shop.Ledger, 'settler' waits for shop.Stock",)
    assert main.thread == "main"
    assert text[slice(*deadlock.span)].endswith("(a shop.Stock)")


def test_a_deadlock_does_not_depend_on_names_or_order_of_threads() -> None:
    turned = DEADLOCK.replace("shop.Ledger", "LOCK").replace("shop.Stock", "shop.Ledger").replace("LOCK", "shop.Stock")
    turned = turned.replace("sell(Shop.java:34)", "CALL").replace("settle(Shop.java:43)", "sell(Shop.java:35)")
    turned = turned.replace("CALL", "settle(Shop.java:44)")
    one, other = parse(DEADLOCK.format(a="t1", b="t2"))[0], parse(turned.format(a="a", b="pool-7-thread-2"))[0]
    assert (one.thread, other.thread) == ("t1", "pool-7-thread-2")
    assert fingerprints(one)[Level.EXACT].digest == fingerprints(other)[Level.EXACT].digest


def test_the_locks_of_a_deadlock_are_its_identity() -> None:
    text = DEADLOCK.format(a="t1", b="t2")
    one, other = parse(text)[0], parse(text.replace("shop.Ledger", "shop.Cache2"))[0]
    for level in (Level.EXACT, Level.ROOT_CAUSE):
        assert fingerprints(one)[level].digest != fingerprints(other)[level].digest


def test_a_dump_of_another_jdk_has_the_same_fingerprints() -> None:
    old = thread("pool-7-thread-42", "at sun.misc.Unsafe.park(Native Method)", f"- parking to wait for  <0x00000007bff0> (a {SYNC})",
                 "at java.util.concurrent.locks.LockSupport.park(LockSupport.java:175)", "at a.B.await(B.java:3)", state="WAITING (parking)")  # fmt: skip
    new = thread("pool-9-thread-3", "at jdk.internal.misc.Unsafe.park(java.base@21/Native Method)", f"- parking to wait for  <0x00000000e001> (a {SYNC})",
                 "at java.util.concurrent.locks.LockSupport.park(java.base@21/LockSupport.java:371)", "at a.B.await(B.java:9)", number=77, state="WAITING (parking)")  # fmt: skip
    (one,), (other,) = parse(old), parse(new)
    assert fingerprints(one) == fingerprints(other)
    assert [frame.function for frame in normalize(one).root.stack.frames] == ["await"]


def test_a_thread_without_its_first_line() -> None:
    (chain,) = parse("\n".join(["   java.lang.Thread.State: BLOCKED (on object monitor)", *BLOCKED]))
    assert (chain.runtime, chain.thread, chain.head_truncated) == ("jstack", None, True)
    assert chain.root.message == "BLOCKED waiting to lock shop.Stock"


def test_a_dump_ends_where_the_log_goes_on() -> None:
    text = (
        thread("main", *BLOCKED)
        + "2024-05-01 10:00:00 INFO started\n\njava.io.IOException: gone\n\tat a.B.c(B.java:1)\n"
    )
    dump, exception = parse(text)
    assert (dump.runtime, exception.runtime, exception.root.type) == ("jstack", "jvm", "java.io.IOException")


@pytest.mark.parametrize(
    "text",
    [
        "java.io.IOException: gone\n\tat a.B.c(B.java:1)\n",
        'Issue #12 "main" is about a thread\nsecond line',
        "a Java-level deadlock is when two threads wait\nfor each other",
        '"VM Thread" os_prio=0 tid=0x0 nid=0x1 runnable\n\n"GC Thread#0" os_prio=0 tid=0x0 nid=0x2 runnable\n',
    ],
    ids=["exception", "issue", "prose", "no-java-frames"],
)
def test_what_is_no_dump(text: str) -> None:
    assert [chain for chain in parse(text) if chain.runtime == "jstack"] == []


def test_a_frame_alone_is_declined() -> None:
    assert jstack.RUNTIME.reader.read(Lines.of("\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\n", 0)) is None


def test_too_many_frames_are_told() -> None:
    (chain,) = parse(thread("deep", *["at a.B.c(B.java:1)"] * 2_000))
    assert len(chain.root.stack.frames) == 1_024
    assert chain.notes == ("976 more frames of the thread were not kept",)
