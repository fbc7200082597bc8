"""The Linux kernel: whole reports, where they begin and end, what is the same fault."""

from functools import partial
from pathlib import Path

import pytest

from kb.trace import Level, fingerprints, parse
from kb.trace.lines import Lines
from kb.trace.runtimes import kernel
from tests.kb.trace import reading

only = partial(reading.only, runtime="kernel")

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "traces" / "kernel"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("BUG: soft lockup - CPU#1 stuck for 22s! [x:1]\nRIP: 0010:f+0x1/0x2", "watchdog: BUG: soft lockup - CPU#3 stuck for 48s! [y:99]\nRIP: 0010:f+0x3/0x4"),
        ("INFO: task a:1 blocked for more than 120 seconds.\nCall Trace:\n f+0x1/0x2", "INFO: task kworker/2:1:77 blocked for more than 241 seconds.\nCall Trace:\n [<ffffffff81>] ? g+0x1/0x2\n [<ffffffff81>] f+0x3/0x4"),
        ("Out of memory: Killed process 4 (java) total-vm:1kB", "Out of memory: Kill process 77 (java) score 900 or sacrifice child"),
        ("BUG: unable to handle kernel NULL pointer dereference at 0018\nIP: f+0x1/0x2", "BUG: kernel NULL pointer dereference, address: 0000000000000020\nRIP: 0010:f+0x1/0x2"),
        ("EXT4-fs error (device sda1): f:12: inode #7: x", "EXT4-fs error (device nvme0n1p2): f:99: inode #8: x"),
        ("kernel BUG at a/b.c:12!\nRIP: 0010:f+0x1/0x2", "kernel BUG at a/b.c:99!\nRIP: 0010:f.isra.0+0x1/0x2"),
    ],
    ids=["lockup", "hung", "oom", "null", "disk", "bug"],
)  # fmt: skip
def test_what_is_the_same_fault(one: str, other: str) -> None:
    assert fingerprints(only(one))[Level.EXACT] == fingerprints(only(other))[Level.EXACT]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "BUG: soft lockup - CPU#1 stuck for 22s! [x:1]\nRIP: 0010:f+0x1/0x2",
            "INFO: task x:1 blocked for more than 120 seconds.\n f+0x1/0x2",
        ),
        ("Out of memory: Killed process 4 (java) total-vm:1kB", "Out of memory: Killed process 4 (nginx) total-vm:1kB"),
        (
            "Out of memory: Killed process 4 (java) total-vm:1kB",
            "Memory cgroup out of memory: Killed process 4 (java) total-vm:1kB",
        ),
        ("NVRM: Xid (PCI:0000:3b:00): 79, x", "NVRM: Xid (PCI:0000:3b:00): 48, x"),
        ("BUG: KASAN: use-after-free in f+0x1/0x2", "BUG: KASAN: use-after-free in g+0x1/0x2"),
    ],
    ids=["kind", "process", "cgroup", "code", "function"],
)
def test_what_is_another_fault(one: str, other: str) -> None:
    assert fingerprints(only(one))[Level.EXACT] != fingerprints(only(other))[Level.EXACT]


def test_stacks_of_others_are_passed_over() -> None:
    chain = only((GOLDEN / "kasan-by-hand.txt").read_text(encoding="utf-8"))
    assert chain.notes == ('the stack "Allocated by task" was passed over', 'the stack "Freed by task" was passed over')
    assert not any("acme_open" in (f.function or "") for f in chain.exceptions[0].stack.frames)


def test_what_follows_an_oops_belongs_to_it() -> None:
    text = (GOLDEN / "oops-by-hand.txt").read_text(encoding="utf-8")
    chain = only(text)
    assert (chain.exceptions[0].type, chain.notes) == (
        "NULL pointer dereference",
        ("then the kernel panicked: Fatal exception",),
    )
    assert chain.exceptions[0].stack.frames[0].function == "acme_queue_pop"


def test_a_report_ends_where_other_lines_begin() -> None:
    text = (
        "INFO: task a:1 blocked for more than 120 seconds.\nCall Trace:\n f+0x1/0x2\n"
        + "an ordinary line\n" * 50
        + " g+0x1/0x2\n"
    )
    assert [[f.function for f in c.exceptions[0].stack.frames] for c in parse(text)] == [["f"], ["g"]]
    assert parse(text)[0].span == (0, text.index("\nan ordinary"))


def test_a_warning_says_what_stands_above_it() -> None:
    chain = only(
        "------------[ cut here ]------------\nrefcount_t: underflow; use-after-free.\nWARNING: CPU: 1 PID: 2 at lib/refcount.c:28 f+0x1/0x2\n"
    )
    exception = chain.exceptions[0]
    assert (exception.type, exception.message, chain.span[0]) == (
        "WARNING",
        "refcount_t: underflow; use-after-free.",
        0,
    )
    assert (
        exception.stack.frames[0].function,
        exception.stack.frames[0].filename,
        exception.stack.frames[0].lineno,
    ) == ("f", "lib/refcount.c", 28)


@pytest.mark.parametrize(
    "text",
    [
        "#0  0x00007f1a in f () at a.c:3\n#1  0x2 in main ()",
        "goroutine 1 [running]:\nmain.f()\n\t/a.go:3 +0x1d",
        "INFO: task finished\nBUG: x\n",
    ],
    ids=["gdb", "go", "words"],
)
def test_what_is_not_the_kernels(text: str) -> None:
    assert all(chain.runtime != "kernel" for chain in parse(text))
    assert kernel.RUNTIME.reader.read(Lines.of(text, 0)) is None


@pytest.mark.parametrize(
    ("one", "again", "told"),
    [
        pytest.param(
            "[    1.500000] pay[21]: segfault at 20 ip 0000562032002178 sp 00007fff3c83f950 error 4 in libpay.so[1178,562032002000+1000] likely on CPU 1 (core 1, socket 0)",
            "[    9.500000] pay[7]: segfault at fa8 ip 00007f41d2e0b178 sp 00007ffc0d1a2b30 error 4 in libpay.so[1178,7f41d2e0a000+1000]",
            "segfault: pay: segfault error 4 in libpay.so",
            id="segfault",
        ),
        pytest.param(
            "traps: pay[21] trap divide error ip:55881829c2a9 sp:7ffd711fec00 error:0 in pay[12a9,55881829c000+1000]",
            "traps: pay[8] trap divide error ip:5621269bf2a9 sp:7fff56154e90 error:0 in pay[12a9,5621269bf000+1000]",
            "trap: pay: trap divide error error 0 in pay",
            id="trap",
        ),
    ],
)
def test_addresses_of_a_fault_are_no_identity(one: str, again: str, told: str) -> None:
    prints = [fingerprints(parse(text)[0])[Level.EXACT] for text in (one, again)]
    assert prints[0] == prints[1]
    assert prints[0].basis == (told,)
