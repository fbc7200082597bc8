"""Thread dumps: the lines, the threads, what is told of them, what stays the same from run to run."""

import pytest

from kb.trace import ExceptionChain, Frame, Level, Relation, fingerprints, normalize, parse
from kb.trace.lines import Lines
from kb.trace.runtimes import jstack
from kb.trace.runtimes.jstack.deadlock import begins_deadlock
from kb.trace.runtimes.jstack.javacore import tag_of
from kb.trace.runtimes.jstack.model import Lock
from kb.trace.runtimes.jstack.names import is_idle
from kb.trace.runtimes.jstack.syntax import read_bare_frame, read_frame, read_head, read_lock, read_state

SYNC = "java.util.concurrent.CountDownLatch$Sync"

# id, line, name, state
HEADS = [
    ("jdk-8", '"main" #1 prio=5 os_prio=0 tid=0x00007f nid=0x1a waiting on condition [0x00007f]', "main", "WAITING"),
    ("jdk-6", '"main" prio=10 tid=0x00007fbe nid=0x4cb1 runnable [0x00007fbe4ff7c000]', "main", "RUNNABLE"),
    ("jdk-17", '"订单-worker-1" #12 daemon prio=5 os_prio=0 cpu=1.02ms elapsed=5.1s tid=0x0 nid=0x6 waiting for monitor entry  [0x0]', "订单-worker-1", "BLOCKED"),
    ("jdk-21", '"main" #3 [30212] prio=5 os_prio=0 cpu=41.28ms elapsed=2.58s tid=0x0 nid=30212 in Object.wait()  [0x0]', "main", "WAITING"),
    ("vm", '"VM Thread" os_prio=0 cpu=0.84ms elapsed=2.19s tid=0x0 nid=0x7551 runnable  ', "VM Thread", "RUNNABLE"),
    ("quotes-in-name", '"pool "a" 1" #3 prio=5 tid=0x0 nid=0x1 runnable', 'pool "a" 1', "RUNNABLE"),
    ("android", '"main" prio=5 tid=1 Blocked', "main", "BLOCKED"),
    ("android-daemon", '"Signal Catcher" daemon prio=10 tid=6 Runnable', "Signal Catcher", "RUNNABLE"),
    ("android-odd", '"X" prio=0 tid=8 WaitingInMainDebuggerLoop', "X", "WaitingInMainDebuggerLoop"),
    ("thread-info", '"main" Id=1 TIMED_WAITING on java.lang.Object@1b', "main", "TIMED_WAITING"),
    ("thread-info-9", '"main" daemon prio=5 Id=1 RUNNABLE', "main", "RUNNABLE"),
    ("dumped-21", '#21 "订单-vt-1" virtual', "订单-vt-1", None),
    ("dumped-25", '#22 "a" virtual WAITING 2026-11-21T06:40:58.476879288Z', "a", "WAITING"),
    ("dumped-unnamed", '#29 "" virtual', "", None),
    ("mounted", '   Mounted virtual thread "vt" #22', "vt", None),
    ("hadoop", "Thread 61 (IPC Server handler 3 on 8020):", "IPC Server handler 3 on 8020", None),
    ("written", 'Thread "main" #1 prio=5 os_prio=0 tid=0x0 nid=0x2a8 runnable [0x0]', "main", "RUNNABLE"),
    ("logged", '2024-05-01 10:00:00 "main" #1 prio=5 tid=0x0 nid=0x1 runnable', "main", "RUNNABLE"),
]  # fmt: skip
NO_HEADS = [
    '"seller":',
    'he said "main" is prio=5',
    '"a" : 1',
    "# 21 main",
    '"x" prio',
    "Thread 3 (a)",
    'Issue #12 "title" is open',
]

# id, line, lock
LOCKS = [
    ("waiting", "\t- waiting to lock <0x0a1b> (a com.acme.Lock)", Lock("waiting to lock", "com.acme.Lock", "0x0a1b")),
    ("held-by", "  - waiting to lock <0x0a1b> (a com.acme.Lock) held by thread 7", Lock("waiting to lock", "com.acme.Lock", "0x0a1b", "7")),
    ("locked", "\t- locked <0x0a1b> (a java.lang.Class for shop.Shop)", Lock("locked", "java.lang.Class for shop.Shop", "0x0a1b")),
    ("parked", f"\t- parking to wait for  <0x0a> (a {SYNC})", Lock("parking to wait for", SYNC, "0x0a")),
    ("waiting-on", "\t- waiting on <0x0a> (a java.lang.Object)", Lock("waiting on", "java.lang.Object", "0x0a")),
    ("no-reference", "\t- waiting on <no object reference available>", Lock("waiting on", None)),
    ("relock", "\t- waiting to re-lock in wait() <0x0a> (a a.B)", Lock("waiting on", "a.B", "0x0a")),
    ("dumped", f"    - parking to wait for <{SYNC}@74f1d7ac>", Lock("parking to wait for", SYNC, "74f1d7ac")),
    ("thread-info", "\t-  blocked on java.lang.Object@5acf9800", Lock("waiting to lock", "java.lang.Object", "5acf9800")),
    ("owned", "\t- <0x0a> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)", Lock("owned", "java.util.concurrent.locks.ReentrantLock$NonfairSync", "0x0a")),
    ("hadoop", "  Waiting on java.lang.Object@5e6f", Lock("waiting on", "java.lang.Object", "5e6f")),
    ("none", "\t- None", None),
    ("eliminated", "\t- eliminated <owner is scalar replaced> (a a.B)", None),
    ("list-item", "- locked out of my account", None),
]  # fmt: skip

# id, line, module, function, line number
FRAMES = [
    ("java", "\tat shop.Shop.sell(Shop.java:34)", "shop.Shop", "sell", 34),
    ("module", "\tat java.lang.Thread.run(java.base@17.0.15/Thread.java:840)", "java.lang.Thread", "run", 840),
    ("android-native", "  at java.lang.Thread.sleep(Native method)", "java.lang.Thread", "sleep", None),
    ("native", "  native: #00 pc 00000000000a33b8  /apex/lib64/bionic/libc.so (__epoll_pwait+8) (BuildId: 01331f74)", "libc.so", "__epoll_pwait", None),
    ("native-arguments", "  native: #01 pc 000000000001018c  /system/lib64/libutils.so (android::Looper::pollInner(int)+180)", "libutils.so", "android::Looper::pollInner", None),
    ("native-deleted", "  native: #01 pc 00000000000b1234  /system/lib64/libc.so (deleted) (__ioctl+4)", "libc.so", "__ioctl", None),
    ("native-anonymous", "  native: #00 pc 000000000004c35c  [anon:dalvik-classes.dex extracted in memory from /data/app/base.apk] (offset 1000)", "/data/app/base.apk", None, None),
    ("native-unknown", "  native: #02 pc 00000000000ec474  /apex/com.android.art/javalib/core-oj.jar (???)", "/apex/com.android.art/javalib/core-oj.jar", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("line", "name", "state"), [row[1:] for row in HEADS], ids=[row[0] for row in HEADS])
def test_heads(line: str, name: str, state: str | None) -> None:
    head = read_head(line)
    assert head is not None
    assert (head.name, head.state) == (name, state)


@pytest.mark.parametrize("line", NO_HEADS)
def test_what_is_no_head(line: str) -> None:
    assert read_head(line) is None


@pytest.mark.parametrize(("line", "lock"), [row[1:] for row in LOCKS], ids=[row[0] for row in LOCKS])
def test_locks(line: str, lock: Lock | None) -> None:
    assert read_lock(line) == lock


@pytest.mark.parametrize(("line", "module", "function", "lineno"), [r[1:] for r in FRAMES], ids=[r[0] for r in FRAMES])
def test_frames(line: str, module: str, function: str | None, lineno: int | None) -> None:
    frame = read_frame(line)
    assert frame is not None
    assert (frame.module, frame.function, frame.lineno, frame.raw) == (module, function, lineno, line.strip())


@pytest.mark.parametrize(
    ("line", "function"),
    [
        ("      java.base/java.lang.VirtualThread.park(VirtualThread.java:582)", "park"),
        ("    sun.misc.Unsafe.park(Native Method)", "park"),
        ("  (no managed stack frames)", None),
        ("  he called run (twice)", None),
    ],
)
def test_frames_without_at(line: str, function: str | None) -> None:
    frame = read_bare_frame(line)
    assert (frame.function if frame is not None else None) == function


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("   java.lang.Thread.State: BLOCKED (on object monitor)", "BLOCKED"),
        ("   java.lang.Thread.State: TIMED_WAITING (sleeping)", "TIMED_WAITING"),
        ("  State: WAITING", "WAITING"),
        ("the State: of things", None),
    ],
)
def test_states(line: str, state: str | None) -> None:
    assert read_state(line) == state


@pytest.mark.parametrize(
    ("line", "tag"),
    [
        ("1LKDEADLOCK    Deadlock detected !!!", "1LKDEADLOCK"),
        ("4XESTACKTRACE                at a/B.c(B.java:1)", "4XESTACKTRACE"),
        ("NULL", "NULL"),
        ("NULLABLE x", None),
        ("2024-05-01 x", None),
        ("", None),
    ],
)
def test_tags_of_javacores(line: str, tag: str | None) -> None:
    tagged = tag_of(line)
    assert (tagged[0] if tagged is not None else None) == tag


def test_where_deadlocks_begin() -> None:
    assert begins_deadlock("Found one Java-level deadlock:")
    assert begins_deadlock("Found 2 Java-level deadlocks:")
    assert not begins_deadlock("a Java-level deadlock is when two threads")


@pytest.mark.parametrize(
    ("modules", "is_told"),
    [
        ((("java.lang.Object", "wait"), ("java.lang.ref.ReferenceQueue", "remove")), False),
        ((("jdk.internal.misc.Unsafe", "park"), ("java.util.concurrent.ThreadPoolExecutor", "getTask")), False),
        ((("sun.nio.ch.EPoll", "wait"), ("io.netty.channel.nio.NioEventLoop", "select")), False),
        ((("java.lang.Thread", "sleep"), ("shop.Shop", "hold")), True),
        ((("sun.misc.Unsafe", "park"), ("com.zaxxer.hikari.util.ConcurrentBag", "borrow")), True),
    ],
    ids=["finalizer", "pool", "netty", "application", "connection-pool"],
)
def test_idle_threads(modules: tuple[tuple[str, str], ...], is_told: bool) -> None:  # noqa: FBT001
    assert is_idle([Frame(function, module) for module, function in modules]) is not is_told


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


def test_a_deadlock_is_the_same_whatever_its_threads_are_called_and_whoever_is_printed_first() -> None:
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
    assert jstack.RUNTIME.read(Lines.of("\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\n", 0)) is None


def test_too_many_frames_are_told() -> None:
    (chain,) = parse(thread("deep", *["at a.B.c(B.java:1)"] * 2_000))
    assert len(chain.root.stack.frames) == 1_024
    assert chain.notes == ("976 more frames of the thread were not kept",)
