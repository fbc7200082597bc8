"""Hostile and huge texts: an answer in time that grows with the size and no faster."""

import time
from collections.abc import Callable

import pytest

from kb.trace import fingerprints, parse, template
from kb.trace.parse import MOST_TRACES
from kb.trace.runtimes.jvm.progress import MOST_EXCEPTIONS, MOST_FRAMES

SIZE = 200_000
TEXTS: dict[str, Callable[[int], str]] = {
    "frames": lambda n: "\tat a.b.c(D.java:1)\n" * (n // 20),
    "one-line": lambda n: "x" * n,
    "one-line-of-frames": lambda n: "at a.b.c(D.java:1) " * (n // 19),
    "one-line-of-heads": lambda n: "a.bException: " * (n // 14),
    "escaped-breaks": lambda n: "\\n\\tat x" * (n // 8),
    "caused-by-nothing": lambda n: "Caused by:\n" * (n // 11),
    "caused-by": lambda n: "Caused by: a.B: c\n" * (n // 18),
    "caused-by-deeper": lambda n: "".join(" " * min(i, 200) + "Caused by: a.B: c\n" for i in range(n // 200)),
    "suppressed-deeper": lambda n: "".join("\t" * min(i, 60) + "Suppressed: a.B: c\n" for i in range(n // 60)),
    "heads": lambda n: "a.b.CException: x\n" * (n // 18),
    "heads-and-blanks": lambda n: "a.b.CException: x\n\ny\nz\n\n" * (n // 24),
    "logs": lambda n: "2024-01-01 10:00:00 INFO looked at the thing (b)\n" * (n // 50),
    "brackets": lambda n: ("at a.b(" + "[(" * 50 + "\n") * (n // 110),
    "prefixes": lambda n: "[a]" * (n // 3) + " at a.b.c(D.java:1)",
    "newlines": lambda n: "\n" * n,
    "tracebacks": lambda n: "Traceback (most recent call last):\n" * (n // 35),
    "python-frames": lambda n: '  File "a", line 1, in f\n' * (n // 25),
    "groups": lambda n: "  + Exception Group Traceback (most recent call last):\n" + "".join("  " * min(i, 100) + "| E: x\n" + "  " * min(i, 100) + "+-+---------------- 1 ----------------\n" for i in range(n // 200)),
    "elided": lambda n: "a.b.CException\n\tat a.b.c(D.java:1)\n" + "\t... 1 more\n" * (n // 12),
    "nested": lambda n: "a.b.CException: x" + "; nested exception is a.b.DException: y" * (n // 40),
    "crash": lambda n: "# A fatal error has been detected by the Java Runtime Environment:\n" * (n // 68),
    "wrapped-by": lambda n: "a.b.CException: x\n" + "Wrapped by: a.b.DException: y\n" * (n // 31),
    "three-cycle": lambda n: "".join(f"\tat a.b.c{'xyz'[i % 3]}(D.java:1)\n" for i in range(n // 20)),
    "lost-task": lambda n: "a.b.CException: " + "Lost task (x) " * (n // 14),
}  # fmt: skip
MESSAGES: dict[str, Callable[[int], str]] = {
    "digits": lambda n: "1 " * (n // 2), "one-number": lambda n: "1" * n, "dots": lambda n: "a." * (n // 2), "hex": lambda n: "ab1-" * (n // 4),
    "quotes": lambda n: "='" * (n // 2), "colons": lambda n: "1:" * (n // 2), "addresses": lambda n: "a@" * (n // 2), "commas": lambda n: "1," * (n // 2),
    "hosts": lambda n: ("a" * 60 + ".") * (n // 61), "blanks": lambda n: " " * n, "codes": lambda n: "error error_code " * (n // 16), "marks": lambda n: "<" * n,
}  # fmt: skip


def _seconds(work: Callable[[], object]) -> float:
    return min(_once(work) for _ in range(2))


def _once(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _read(text: str) -> None:
    for chain in parse(text):
        fingerprints(chain)


@pytest.mark.parametrize("name", TEXTS)
def test_time_grows_with_the_size(name: str) -> None:
    small, large = TEXTS[name](SIZE), TEXTS[name](4 * SIZE)
    # four times the text: sixteen times the time if it were quadratic
    assert _seconds(lambda: _read(large)) < 8 * _seconds(lambda: _read(small)) + 0.1


@pytest.mark.parametrize("name", MESSAGES)
def test_time_of_a_template_grows_with_the_size(name: str) -> None:
    small, large = MESSAGES[name](20_000), MESSAGES[name](80_000)
    assert _seconds(lambda: template.__wrapped__(large)) < 8 * _seconds(lambda: template.__wrapped__(small)) + 0.1


def test_a_hundred_thousand_frames_are_one_chain_with_a_note() -> None:
    (chain,) = parse("\tat a.b.c(D.java:1)\n" * 100_000)
    assert len(chain.exceptions[0].stack.frames) == MOST_FRAMES
    assert chain.notes == (f"{100_000 - MOST_FRAMES} more frames of the trace were not kept",)
    assert chain.span[1] == 100_000 * len("\tat a.b.c(D.java:1)\n") - 1


def test_the_root_survives_more_causes_than_are_kept() -> None:
    (chain,) = parse(
        "a.b.E: x\n\tat a.B.y(B.java:1)\n"
        + "Caused by: a.F: y\n" * 500
        + "Caused by: a.Root: z\n\tat a.C.z(C.java:1)\n"
    )
    assert len(chain.exceptions) == MOST_EXCEPTIONS
    assert chain.root.type == "a.Root"
    assert chain.notes == (f"{502 - MOST_EXCEPTIONS} exceptions before the last one were left out",)


def test_only_so_many_traces_of_one_text_are_read() -> None:
    chains = parse("a.b.CException: x\n" * (MOST_TRACES + 5))
    assert len(chains) == MOST_TRACES
    assert chains[-1].notes == (f"only the first {MOST_TRACES} traces of the text were read",)


def test_the_raise_point_of_a_deep_python_stack_is_kept() -> None:
    frames = "".join(f'  File "/app/m{i}.py", line 1, in f\n' for i in range(2_000))
    (chain,) = parse(f"Traceback (most recent call last):\n{frames}E: x\n")
    assert chain.exceptions[0].stack.frames[0].filename == "/app/m1999.py"
    assert chain.notes == ("976 frames were not kept",)
