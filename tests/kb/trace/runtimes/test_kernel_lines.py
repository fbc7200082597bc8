"""The Linux kernel: what stands before a line, frames of every architecture, kinds of fault, lasting names."""

from functools import partial

import pytest

from kb.trace import Frame, normalize, parse
from kb.trace.runtimes import kernel
from kb.trace.runtimes.kernel.names import normal_frame, normal_function, rank_of
from kb.trace.runtimes.kernel.syntax import bare, begins_trace, crash_frame, frame_of, head_of, marks
from tests.kb.trace import reading

only = partial(reading.only, runtime="kernel")

PREFIXES = [
    "", "[12345.678901] ", "[    0.000001] ", "<4>[   12.345678] ", "[   12.345678][ T1234] ", "[   12.345678] [  C3] ", "[Tue May  7 10:00:00 2024] ",
    "May  7 10:00:00 node-3 kernel: ", "May  7 10:00:00 node-3 kernel: [12345.678901] ", "2024-05-07T10:00:00+08:00 node kernel: <3>[  1.000001] ",
    "kern  :warn  : [  12.345678] ", "Message from syslogd: kernel:[12345.678901] ", "[  12.345678] (3)[99:java]",
]  # fmt: skip
# id, line, function, module
FRAMES = [
    ("x86", " do_work+0x1/0x20", "do_work", None),
    ("address-lost", "[] ? do_work+0x1/0x20", "do_work", None),
    ("address-hidden", "[<0>] do_work+0x1/0x20 [m]", "do_work", "m"),
    ("module", " xfs_log_force+0x1/0x2 [xfs]", "xfs_log_force", "xfs"),
    ("build-id", " xfs_log_force+0x1/0x2 [xfs 0123456789abcdef0123456789abcdef01234567]", "xfs_log_force", "xfs"),
    ("address", " [<ffffffff81107f5a>] do_work+0x1/0x20", "do_work", None),
    ("guess", " [<ffffffff81107f5a>] ? do_work+0x1/0x20 [m]", "do_work", "m"),
    ("powerpc", "[c000000012345a90] [c0000000003b2c3d] sys_ioctl+0xd0/0x130 (unreliable)", "sys_ioctl", None),
    ("s390", "([<00000000001a2b3c>] do_work+0x1/0x20)", "do_work", None),
    ("arm", "[<c0234567>] (acme_probe) from [<c0345678>] (g+0x18/0x1c)", "acme_probe", None),
    ("arm-offset", "[<c0234567>] (acme_probe+0x0/0x10 [m]) from [<c0345678>] (g+0x18/0x1c)", "acme_probe", "m"),
    ("arm-5.18", " acme_probe from g+0x18/0x1c", "acme_probe", None),
    ("arm64-p", " do_work+0x1/0x20 (P)", "do_work", None),
    ("symbolized", " do_work+0x1/0x20 mm/slab.c:123", "do_work", None),
    ("inline", " do_work mm/slab.c:123 [inline]", "do_work", None),
    ("clone", " do_work.isra.0.constprop.3+0x1/0x20", "do_work.isra.0.constprop.3", None),
]
CRASHES = [
    ("rip", "RIP: 0010:f+0x20a/0x270", "f"),
    ("rip-address", "RIP: 0010:[<ffffffff81107f5a>]  [<ffffffff81107f5a>] f+0x20a/0x270 [m]", "f"),
    ("rip-end", "RIP  [<ffffffffa00a1b2c>] f+0x2cc/0x340 [m]", "f"),
    ("eip", "EIP: f+0x1/0x2", "f"),
    ("eip-is-at", "EIP is at f+0x1/0x2", "f"),
    ("ip", "IP: [<ffffffff81107f5a>] f+0x1/0x2", "f"),
    ("arm64", "pc : f+0x1/0x2 [m]", "f"),
    ("arm", "PC is at f+0x1/0x2", "f"),
    ("powerpc", "NIP [c0000000004a1b2c] f+0x4c/0x120", "f"),
    ("riscv", "epc : f+0x1/0x2", "f"),
    ("mips", "epc   : 80123456 f+0x1/0x2", "f"),
    ("s390", "Krnl PSW : 0704c00180000000 0000000000123456 (f+0x1/0x2)", "f"),
]
# id, line, kind, message
HEADS = [
    ("soft-lockup", "watchdog: BUG: soft lockup - CPU#12 stuck for 22s! [java:15]", "soft lockup", "CPU#12 stuck for 22s! [java:15]"),
    ("hard-lockup", "NMI watchdog: Watchdog detected hard LOCKUP on cpu 7", "hard lockup", "Watchdog detected hard LOCKUP on cpu 7"),
    ("hung", "INFO: task kworker/u16:3:99 blocked for more than 120 seconds.", "hung task", "task kworker/u16:3:99 blocked for more than 120 seconds."),
    ("rcu", "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:", "rcu stall", "rcu_preempt detected stalls on CPUs/tasks"),
    ("null-old", "BUG: unable to handle kernel NULL pointer dereference at 0000000000000018", "NULL pointer dereference", "at 0000000000000018"),
    ("null-new", "BUG: kernel NULL pointer dereference, address: 0000000000000018", "NULL pointer dereference", "address: 0000000000000018"),
    ("null-arm", "Unable to handle kernel NULL pointer dereference at virtual address 00000018", "NULL pointer dereference", "at virtual address 00000018"),
    ("null-powerpc", "BUG: Kernel NULL pointer dereference on read at 0x00000010", "NULL pointer dereference", "on read at 0x00000010"),
    ("paging", "BUG: unable to handle page fault for address: ffff888", "paging request", "for address: ffff888"),
    ("gpf", "general protection fault, probably for non-canonical address 0xdead: 0000 [#1] SMP", "general protection fault", "probably for non-canonical address 0xdead: 0000 [#1] SMP"),
    ("gpf-6.10", "Oops: general protection fault, probably for non-canonical address 0xdead: 0000 [#1] SMP", "general protection fault", "probably for non-canonical address 0xdead: 0000 [#1] SMP"),
    ("divide", "divide error: 0000 [#1] SMP", "divide error", "0000 [#1] SMP"),
    ("bug", "kernel BUG at fs/ext4/inode.c:2721!", "kernel BUG", "at fs/ext4/inode.c:2721"),
    ("warning", "WARNING: CPU: 3 PID: 12 at net/core/dev.c:2500 skb_warn+0x10/0x20", "WARNING", "at net/core/dev.c:2500 skb_warn+0x10/0x20"),
    ("panic", "Kernel panic - not syncing: VFS: Unable to mount root fs", "Kernel panic", "VFS: Unable to mount root fs"),
    ("kasan", "BUG: KASAN: use-after-free in f+0x1/0x2 [m]", "KASAN: use-after-free", "in f+0x1/0x2 [m]"),
    ("kasan-bounds", "BUG: KASAN: slab-out-of-bounds in f+0x1/0x2", "KASAN: slab-out-of-bounds", "in f+0x1/0x2"),
    ("kcsan", "BUG: KCSAN: data-race in f / g", "KCSAN: data-race", "in f / g"),
    ("kfence", "BUG: KFENCE: use-after-free read in f+0x1/0x2", "KFENCE: use-after-free read", "in f+0x1/0x2"),
    ("kmsan", "BUG: KMSAN: uninit-value in f+0x1/0x2", "KMSAN: uninit-value", "in f+0x1/0x2"),
    ("ubsan", "UBSAN: shift-out-of-bounds in fs/x.c:12:3", "UBSAN: shift-out-of-bounds", "fs/x.c:12:3"),
    ("atomic", "BUG: scheduling while atomic: java/42/0x2", "scheduling while atomic", "java/42/0x2"),
    ("lockdep", "WARNING: possible circular locking dependency detected", "possible circular locking dependency", "detected"),
    ("oom", "java invoked oom-killer: gfp_mask=0x100cca, order=0", "oom kill", "java invoked oom-killer: gfp_mask=0x100cca, order=0"),
    ("oom-kill", "Out of memory: Killed process 4242 (java) total-vm:1kB", "oom kill", "Out of memory: Killed process 4242 (java) total-vm:1kB"),
    ("allocation", "java: page allocation failure: order:4, mode:0x1", "page allocation failure", "order:4, mode:0x1"),
    ("disk", "blk_update_request: I/O error, dev sda, sector 1 op 0x0:(READ)", "I/O error", "blk_update_request: I/O error, dev sda, sector 1 op 0x0:(READ)"),
    ("ext4", "EXT4-fs error (device sda1): f:12: x", "EXT4-fs error", "(device sda1): f:12: x"),
    ("xfs", "XFS (dm-2): Metadata corruption detected at f+0x1/0x2 [xfs]", "XFS", "(dm-2): Metadata corruption detected at f+0x1/0x2 [xfs]"),
    ("nvme", "nvme nvme0: I/O 12 QID 3 timeout, aborting", "nvme timeout", "nvme0: I/O 12 QID 3 timeout, aborting"),
    ("gpu", "NVRM: Xid (PCI:0000:3b:00): 79, pid=42, GPU has fallen off the bus.", "Xid 79", "pid=42, GPU has fallen off the bus."),
    ("segfault", "java[1]: segfault at 18 ip 00 sp 00 error 4 in l.so[7+d]", "segfault", "java[1]: segfault at 18 ip 00 sp 00 error 4 in l.so[7+d]"),
    ("mce", "mce: [Hardware Error]: Machine check events logged", "Hardware Error", "Machine check events logged"),
]  # fmt: skip
NO_HEADS = [
    "BUG: the button does nothing", "WARNING: app.py:12 deprecated", "Oops: something went wrong", "INFO: task done", "Out of memory", "a rcu story", "XFS is a file system",
    "WARNING: CPU usage is high", "the job is blocked for more than an hour", "I/O error: disk full",
]  # fmt: skip


@pytest.mark.parametrize("prefix", PREFIXES)
def test_what_stands_before_a_line(prefix: str) -> None:
    assert bare(prefix + "BUG: x [m]") == "BUG: x [m]"


@pytest.mark.parametrize(("line", "function", "module"), [row[1:] for row in FRAMES], ids=[row[0] for row in FRAMES])
def test_frames(line: str, function: str, module: str | None) -> None:
    frame = frame_of(line)
    assert frame is not None
    assert (frame.function, frame.module, frame.raw) == (function, module, line.strip())


@pytest.mark.parametrize(
    "line",
    [
        "/lib/libc.so.6(+0x29d90) [0x7f1a]",
        "a+0x1 is the sum",
        "main.f(0xc000) /a.go:3 +0x1d",
        "Code: 0f 0b <f3>",
        "RAX: 0000000000000000",
        "see a.c:12 for it",
        " f mm",
    ],
)
def test_what_is_no_frame(line: str) -> None:
    assert frame_of(line) is None


@pytest.mark.parametrize(("line", "function"), [row[1:] for row in CRASHES], ids=[row[0] for row in CRASHES])
def test_where_the_processor_stood(line: str, function: str) -> None:
    frame = crash_frame(line)
    assert frame is not None
    assert frame.function == function


def test_a_program_is_no_crash_of_the_kernel() -> None:
    assert crash_frame("RIP: 0033:0x7f2b1c0d1a17") is None


@pytest.mark.parametrize(("line", "kind", "message"), [row[1:] for row in HEADS], ids=[row[0] for row in HEADS])
def test_heads(line: str, kind: str, message: str) -> None:
    head = head_of(line)
    assert head is not None
    assert (head.kind, head.message) == (kind, message)


@pytest.mark.parametrize("line", NO_HEADS)
def test_what_is_no_head(line: str) -> None:
    assert head_of(line) is None
    assert all(chain.runtime != "kernel" for chain in parse(line + "\n" + line))


@pytest.mark.parametrize(
    ("printed", "lasting"),
    [
        ("do_work.isra.0", "do_work"),
        ("do_work.constprop.3.cold", "do_work"),
        ("do_work.llvm.1234567890", "do_work"),
        ("__x64_sys_read", "sys_read"),
        ("__se_sys_read", "sys_read"),
        ("SyS_read", "sys_read"),
        ("__arm64_sys_read", "sys_read"),
        ("do_sys_open", "sys_open"),
        ("sysfs_create", "sysfs_create"),
        ("vfs_read", "vfs_read"),
    ],
)
def test_lasting_functions(printed: str, lasting: str) -> None:
    assert normal_function(printed) == lasting
    assert normal_function(lasting) == lasting


def test_functions_printed_alone() -> None:
    assert kernel.RUNTIME.names.function_name("do_work.isra.0+0x1/0x20 [m]") == "do_work"
    assert kernel.RUNTIME.names.function_name("do_work") is None


def test_a_guess_is_kept_and_marked() -> None:
    frame = only(" ? worker+0x0/0x3a0").exceptions[0].stack.frames[0]
    lasting = normal_frame(frame)
    assert (frame.function, frame.raw, lasting.raw) == ("worker", "? worker+0x0/0x3a0", "?")
    assert normal_frame(lasting) == lasting
    assert kernel.RUNTIME.names.is_machinery(lasting)
    assert normal_frame(Frame("a", raw="[c00] [c01] a+0x1/0x2 (unreliable)")).raw == "?"


@pytest.mark.parametrize(
    ("function", "module", "rank"),
    [("__schedule", None, 2), ("io_schedule", None, 2), ("do_syscall_64", None, 2), ("mutex_lock", None, 1), ("xfs_log_force", "xfs", 0), ("schedule", "acme", 0), ("vfs_read", None, 0)],
)  # fmt: skip
def test_ranks(function: str, module: str | None, rank: int) -> None:
    assert rank_of(function, module) == rank


def test_marks_and_trace_heads() -> None:
    assert marks(" <IRQ> f+0x1/0x2") == " f+0x1/0x2"
    assert begins_trace("Call trace:") == ""
    assert begins_trace("no Call Trace: here") is None
    frames = only("Call Trace:\n <IRQ>\n a+0x1/0x2\n </IRQ>\n <TASK>\n b+0x3/0x4\n").exceptions[0].stack.frames
    assert [f.function for f in frames] == ["a", "b"]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_crash_comes_first_behind_every_prefix(prefix: str) -> None:
    lines = [
        "BUG: soft lockup - CPU#1 stuck for 22s! [java:15]",
        "Modules linked in: x",
        "RIP: 0010:f+0x1/0x2",
        "Call Trace:",
        " <TASK>",
        " g+0x1/0x2",
        " ? h+0x1/0x2",
        " </TASK>",
    ]
    chain = only("\n".join(prefix + line for line in lines))
    assert [f.function for f in chain.exceptions[0].stack.frames] == ["f", "g", "h"]
    assert [f.function for f in normalize(chain).exceptions[0].stack.frames] == ["f", "g"]
    assert chain.thread == "java"
