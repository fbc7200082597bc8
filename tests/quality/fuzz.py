"""Looks for texts that break a law of reading traces: `python -m tests.quality.fuzz --minutes 30`.

libFuzzer (atheris) mutates the golden traces and the cases of the hostile files, guided by the branches of `kb` that a text
reaches; half of the mutations move whole lines and pieces of traces (`Mutator`), the other half bytes. Each text must keep every
law of `tests.quality.laws`. What breaks one is made small, written into the folder of findings beside its traceback, and the search goes on.
Exit status 1 when there are findings. Needs the dependency group ``fuzz``.
"""

import argparse
import contextlib
import hashlib
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.quality.laws import BrokenLawError, check

TESTS = Path(__file__).resolve().parents[1]
LONGEST = 24_000
"""Bytes of a text that is tried."""
MOST_A_KIND = 5
"""Findings kept for one place in the code: the others tell the same."""
SECONDS_TO_SHRINK = 10.0
SECONDS_TO_START = 5.0
_LARGEST_SEED = 12_000


def seeds() -> list[str]:
    """The golden traces and the hostile texts, each short enough to be mutated often."""
    files = [path for folder in ("traces", "mangled") for path in sorted((TESTS / "golden" / folder).rglob("*.txt"))]
    golden = [path.read_text(encoding="utf-8", errors="replace") for path in files]
    rows = [row for file in hostile() for row in file["hostile"].values()]
    grown = [
        row.get("before", "") + row["unit"] * max(1, 600 // len(row["unit"])) + row.get("after", "") for row in rows
    ]
    return [text[:_LARGEST_SEED] for text in [*golden, *grown]]


def shards() -> list[str]:
    """Pieces of traces of every runtime."""
    return list(dict.fromkeys(shard for file in hostile() for shard in file["shards"]))


def hostile() -> list[dict[str, dict[str, dict[str, str]]]]:
    """The hostile files."""
    return [
        json.loads(path.read_text(encoding="utf-8")) for path in sorted((TESTS / "kb/trace/hostile").glob("*.json"))
    ]


class Mutator:
    """Mutations that keep a text looking like traces: lines and pieces are moved, doubled, mixed, dressed and cut."""

    def __init__(self, texts: Sequence[str], pieces: Sequence[str]) -> None:
        self._texts = [text.splitlines(keepends=True) or [""] for text in texts]
        self._pieces = pieces

    def mutated(self, text: str, chance: random.Random) -> str:
        """The text after one to four mutations."""
        lines = text.splitlines(keepends=True) or [""]
        for _ in range(chance.randint(1, 4)):
            chance.choice(self._ways())(lines, chance)
            lines = lines or [""]
        return "".join(lines)

    def _ways(self) -> tuple[Callable[[list[str], random.Random], None], ...]:
        return (_dropped, _doubled, _swapped, _dressed, _joined, _cut, self._spliced, self._interleaved, self._planted)

    def _spliced(self, lines: list[str], chance: random.Random) -> None:
        other = chance.choice(self._texts)
        first = chance.randrange(len(other))
        at = chance.randrange(len(lines) + 1)
        lines[at:at] = other[first : first + chance.randint(1, 12)]

    def _interleaved(self, lines: list[str], chance: random.Random) -> None:
        """Two logs written at once."""
        other = list(chance.choice(self._texts)[:20])
        mixed = [(chance.random(), line) for line in other]
        for place, line in sorted(mixed):
            lines.insert(int(place * len(lines)), line)

    def _planted(self, lines: list[str], chance: random.Random) -> None:
        at = chance.randrange(len(lines))
        place = chance.randrange(len(lines[at]) + 1)
        lines[at] = lines[at][:place] + chance.choice(self._pieces) + lines[at][place:]


def _dropped(lines: list[str], chance: random.Random) -> None:
    at = chance.randrange(len(lines))
    del lines[at : at + chance.randint(1, 3)]


def _doubled(lines: list[str], chance: random.Random) -> None:
    at = chance.randrange(len(lines))
    lines[at:at] = lines[at : at + chance.randint(1, 5)] * chance.choice((1, 2, 30))


def _swapped(lines: list[str], chance: random.Random) -> None:
    a, b = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]


def _dressed(lines: list[str], chance: random.Random) -> None:
    """Every line, or one, behind what loggers, chats and collectors put there."""
    dress = chance.choice(
        (
            "> ",
            "    ",
            "\t",
            "2024-05-01 10:00:00,123 ERROR [main] a.B - ",
            "[pod/x-1/y] ",
            "\x1b[31m",
            "| ",
            "\ufeff",
            "\u3000",
        )
    )
    only = chance.randrange(len(lines)) if chance.random() < 0.5 else None
    lines[:] = [dress + line if only in (None, at) else line for at, line in enumerate(lines)]


def _joined(lines: list[str], chance: random.Random) -> None:
    """The whole as one line, or as the string of a JSON record."""
    text = "".join(lines)
    forms = (
        " ".join(text.split("\n")),
        json.dumps({"message": text}),
        text.replace("\n", "\\n"),
        text.replace("\n", "\r\n"),
    )
    lines[:] = chance.choice(forms).splitlines(keepends=True)


def _cut(lines: list[str], chance: random.Random) -> None:
    """Head or tail cut off, in the middle of a line."""
    text = "".join(lines)
    at = chance.randrange(len(text) + 1)
    lines[:] = (text[at:] if chance.random() < 0.5 else text[:at]).splitlines(keepends=True)


class Findings:
    """The folder of what broke a law."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def keep(self, text: str, broken: BrokenLawError) -> None:
        """Writes the text, made small, and why; nothing when its place in the code has enough of them."""
        kind = f"{broken.law}-{hashlib.sha256(broken.place.encode()).hexdigest()[:8]}"
        if len(list(self._folder.glob(f"{kind}-*.txt"))) >= MOST_A_KIND:
            return
        small = shrunk(text, lambda tried: _is_same(tried, broken))
        name = self._folder / f"{kind}-{hashlib.sha256(small.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
        name.with_suffix(".txt").write_bytes(small.encode("utf-8", "surrogatepass"))
        why = f"{broken.law} at {broken.place}\n{broken}\n\nminimal: {small!a}\n"
        name.with_suffix(".why").write_text(why, encoding="utf-8", errors="backslashreplace")

    def names(self) -> list[str]:
        """What was found."""
        return sorted(path.name for path in self._folder.glob("*.txt"))


def _is_same(text: str, broken: BrokenLawError) -> bool:
    try:
        check(text)
    except BrokenLawError as other:
        return (other.law, other.place) == (broken.law, broken.place)
    return False


def shrunk(text: str, is_bad: Callable[[str], bool]) -> str:
    """A text as small as is quickly found that is still bad: halves, lines, then single characters taken away."""
    until = time.monotonic() + SECONDS_TO_SHRINK
    for split in (str.splitlines, list):
        parts = text.splitlines(keepends=True) if split is str.splitlines else list(text)
        size = max(1, len(parts) // 2)
        while size and time.monotonic() < until:
            at = 0
            while at < len(parts) and time.monotonic() < until:
                fewer = parts[:at] + parts[at + size :]
                if is_bad("".join(fewer)):
                    parts = fewer
                else:
                    at += size
            size //= 2
        text = "".join(parts)
    return text


def fuzz(folder: Path, minutes: float, seed: int) -> None:
    """Fuzzes in this process, which libFuzzer ends."""
    import atheris

    with atheris.instrument_imports(include=["kb"], enable_loader_override=False):
        for name in [name for name in sys.modules if name == "kb" or name.startswith(("kb.", "tests.quality"))]:
            del sys.modules[name]
        from tests.quality import laws
    findings = Findings(folder)
    mutator = Mutator(seeds(), shards())

    def try_one(data: bytes) -> None:
        text = _text(data)
        try:
            laws.check(text, patience=8)  # counting branches makes everything slower
        except laws.BrokenLawError as broken:
            with contextlib.suppress(BrokenLawError):
                check(text, patience=3)
                if broken.law == "time":
                    return  # fast enough where nothing is counted
            findings.keep(text, BrokenLawError(broken.law, broken.place, str(broken)))

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        if seed % 2:
            return bytes(atheris.Mutate(data, len(data)))
        return mutator.mutated(_text(data), random.Random(seed)).encode("utf-8", "surrogatepass")[:most]

    with tempfile.TemporaryDirectory(prefix="kb-fuzz-") as scratch:
        corpus = Path(scratch) / "corpus"
        corpus.mkdir()
        for number, text in enumerate(seeds()):
            (corpus / f"{number:04}").write_bytes(text.encode("utf-8", "surrogatepass"))
        words = Path(scratch) / "words.dict"
        words.write_text("".join(f'"{_escaped(shard)}"\n' for shard in shards()), encoding="ascii")
        limits = [
            f"-max_total_time={int(minutes * 60)}",
            f"-max_len={LONGEST}",
            "-timeout=120",
            "-report_slow_units=600",
            "-rss_limit_mb=4096",
        ]
        arguments = [
            sys.argv[0],
            *limits,
            f"-seed={seed}",
            f"-dict={words}",
            f"-artifact_prefix={folder}/",
            str(corpus),
        ]
        atheris.Setup(arguments, try_one, custom_mutator=mutate)
        atheris.Fuzz()


def _text(data: bytes) -> str:
    """Any text: bytes that are no UTF-8 become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def _escaped(shard: str) -> str:
    """As libFuzzer's dictionaries want it."""
    data = shard.encode("utf-8", "surrogatepass")[:60]
    return "".join(chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\' else f"\\x{byte:02x}" for byte in data)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz for some minutes and tell what was found; the exit status."""
    asked = argparse.ArgumentParser(prog="python -m tests.quality.fuzz", description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("--minutes", type=float, default=30)
    asked.add_argument("--folder", type=Path, default=Path("artifacts/fuzz"), help="where findings go")
    asked.add_argument("--seed", type=int, default=int(time.time()))
    asked.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = asked.parse_args(arguments)
    if options.child:
        fuzz(options.folder, options.minutes, options.seed)
        return 0
    findings, until, seed = Findings(options.folder), time.monotonic() + options.minutes * 60, options.seed
    while (
        left := until - time.monotonic()
    ) > 1:  # libFuzzer ends at a text that hangs or eats memory; the others go on
        told = ["--minutes", str(left / 60), "--folder", str(options.folder), "--seed", str(seed), "--child"]
        done = subprocess.run([sys.executable, "-m", "tests.quality.fuzz", *told], check=False)
        if done.returncode and until - time.monotonic() > left - SECONDS_TO_START:
            print("the fuzzer does not start: install it with `pip install --group fuzz`")
            return 2
        seed += 1
    for kind in ("timeout-*", "oom-*", "crash-*"):
        for path in options.folder.glob(kind):
            print(f"libFuzzer: {path}")
    names = findings.names()
    print(f"{len(names)} findings in {options.folder}: {', '.join(names) or 'none'}")
    return 1 if names or any(options.folder.glob("timeout-*")) or any(options.folder.glob("oom-*")) else 0


if __name__ == "__main__":
    sys.exit(main())
