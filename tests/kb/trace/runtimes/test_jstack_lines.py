"""Thread dumps: heads, locks, frames, states and tags line by line."""

import pytest

from kb.trace import Frame
from kb.trace.runtimes.jstack.chains import is_idle
from kb.trace.runtimes.jstack.formats import tag_of
from kb.trace.runtimes.jstack.syntax import (
    Lock,
    begins_deadlock,
    read_bare_frame,
    read_frame,
    read_head,
    read_lock,
    read_state,
)

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
