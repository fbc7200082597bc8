"""What a change of reading moves: fingerprints of the same texts by two versions of the code, compared.

``PYTHONPATH=CHECKOUT python tests/quality/moved.py dump FILE... > before.jsonl`` with each version (FILE: JSON lines with ``id`` and ``trace`` or ``text``, packed or not), then
``python tests/quality/moved.py compare before.jsonl after.jsonl``. Compared are the bases, which hold no VERSION: whether a fingerprint says something else, which
groups of equal ones come together, and which come apart.
"""

import argparse
import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from kb.trace import Level, fingerprints, parse

_SHOWN = 5


def dump(paths: Iterable[Path]) -> None:
    """Print a JSON line of each text: its id, and of each chain the basis by level."""
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                chains = parse(row.get("trace") or row.get("text") or "")
                prints = [{level: one.basis for level, one in fingerprints(chain).items()} for chain in chains]
                print(json.dumps({"id": row["id"], "chains": prints}, ensure_ascii=False))


def bases(path: Path, level: Level) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Of each text its id and the bases of its chains at a level, as one."""
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        yield row["id"], tuple("\n".join(chain[level]) for chain in row["chains"])


def compare(before: Path, after: Path) -> None:
    """Print how many texts changed by level, how many groups merge and split, and the first changes."""
    for level in Level:
        old, new = dict(bases(before, level)), dict(bases(after, level))
        changed = [name for name in old if old[name] != new.get(name)]
        newly = sum(not old[name] for name in changed)
        print(
            f"{level:11} {len(old)} texts, {len(changed)} changed, of them {newly} without a chain before; "
            f"groups {len(set(old.values()))} -> {len(set(new.values()))}, {_joined(old, new)} merge, {_joined(new, old)} split"
        )
        for name in [name for name in changed if old[name]][:_SHOWN]:
            print(f"  {name}: {_short(old[name])} -> {_short(new[name])}")


def _joined(one: dict[str, tuple[str, ...]], other: dict[str, tuple[str, ...]]) -> int:
    """The groups of the other in which several groups of the one come together; texts without a chain are no group."""
    found: defaultdict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
    for name, basis in one.items():
        if basis and other.get(name):
            found[other[name]].add(basis)
    return sum(len(group) > 1 for group in found.values())


def _short(basis: tuple[str, ...]) -> str:
    return " | ".join(part.replace("\n", " / ")[:120] for part in basis) or "none"


def main() -> None:
    """Run one of the two commands."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("dump").add_argument("files", type=Path, nargs="+")
    two = commands.add_parser("compare")
    two.add_argument("before", type=Path)
    two.add_argument("after", type=Path)
    given = parser.parse_args()
    if given.command == "dump":
        dump(given.files)
    else:
        compare(given.before, given.after)


if __name__ == "__main__":
    sys.exit(main())
