"""What readers said of the drawn incidents: ``python -m tests.quality.answers.labels`` prints the table and how far they agree; ``… take FILE…`` takes files of theirs."""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from sklearn.metrics import cohen_kappa_score

LABELS = Path(__file__).with_name("labels.jsonl")
STATED = ("right", "partly", "wrong", "missing", "absent")
VALUES: Mapping[str, Sequence[str]] = {
    "one": ("one", "several", "none", "torn"),
    "title": ("yes", "partly", "no"),
    "component": ("ok", "wrong", "none", "missing"),
    "cause": STATED,
    "fix": STATED,
    "helped": ("yes", "partly", "no"),
}
"""The questions and what may be answered; who finds nothing shown says ``gone`` to the first and ``rightly`` alone."""
FIELDS = ("id", "reader", "state", "commit", *VALUES, "rightly", "most")

Label = dict[str, Any]


def labels() -> list[Label]:
    """All labels of the project."""
    return [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]


def check(label: Label) -> None:
    """ValueError where an answer is none that the protocol knows."""
    if unknown := set(label) - set(FIELDS):
        raise ValueError(f"{label.get('id')}: no question is called {', '.join(sorted(unknown))}")
    if label["one"] == "gone":
        if not isinstance(label.get("rightly"), bool) or set(label) & (set(VALUES) - {"one"}):
            raise ValueError(f"{label['id']}: of what is gone `rightly` is asked, and nothing else")
        return
    for question, values in VALUES.items():
        if label.get(question) not in values:
            raise ValueError(f"{label['id']}: {question} is {label.get(question)!r}; it is one of {', '.join(values)}")


def summary(told: Iterable[Label]) -> dict[str, float]:
    """The shares that issue and findings ask for. What is wrongly gone helps nobody; what is rightly gone counts nowhere."""
    told = list(told)
    shown = [label for label in told if label["one"] != "gone"]
    lost = sum(label["one"] == "gone" and not label["rightly"] for label in told)

    def share(question: str, *values: str, of: int = len(shown)) -> float:
        return sum(label[question] in values for label in shown) / of if of else 0.0

    return {
        "helped": share("helped", "yes", of=len(shown) + lost),
        "helped_no": share("helped", "no", of=len(shown) + lost) + (lost / (len(shown) + lost) if lost else 0.0),
        "one": share("one", "one"),
        "title": share("title", "yes"),
        "component": share("component", "ok", "none"),
        "cause": share("cause", "right", "absent"),
        "cause_wrong": share("cause", "wrong"),
        "fix": share("fix", "right", "absent"),
        "fix_wrong": share("fix", "wrong"),
        "gone": len(told) - len(shown),
        "gone_wrongly": lost,
    }


def groups(told: Iterable[Label]) -> dict[tuple[str, str], dict[int, list[Label]]]:
    """The labels by half and state, then by reader."""
    found: dict[tuple[str, str], dict[int, list[Label]]] = defaultdict(lambda: defaultdict(list))
    for label in told:
        found[label["id"].partition("-")[0], label["state"]][label["reader"]].append(label)
    return found


def mean(readers: Mapping[int, Sequence[Label]]) -> dict[str, float]:
    """The shares, each the mean of the readers'."""
    shares = [summary(told) for told in readers.values()]
    return {name: fmean(one[name] for one in shares) for name in shares[0]}


def agreement(first: Iterable[Label], second: Iterable[Label]) -> dict[str, tuple[float, float]]:
    """Of each question how often two readers said the same, and Cohen's kappa; 1 where both said one thing throughout."""
    others = {label["id"]: label for label in second}
    pairs = [(label, others[label["id"]]) for label in first if label["id"] in others]
    found = {}
    for question in VALUES if pairs else ():
        said = [tuple(label.get(question, "gone") for label in pair) for pair in pairs]
        same = fmean(one == other for one, other in said)
        left, right = map(list, zip(*said, strict=True))
        found[question] = same, 1.0 if len({*left, *right}) == 1 else float(cohen_kappa_score(left, right))
    return found


def table(told: Iterable[Label]) -> str:
    """What `python -m` prints."""
    lines = []
    for (half, state), readers in sorted(groups(told).items(), reverse=True):
        columns = {f"reader {number}": summary(rows) for number, rows in sorted(readers.items())}
        if len(readers) > 1:
            columns["mean"] = mean(readers)
        counts = ", ".join(str(len(readers[number])) for number in sorted(readers))
        lines += [f"{half}, {state} ({counts} judged)", f"{'':14}" + "".join(f"{name:>10}" for name in columns)]
        for name in next(iter(columns.values())):
            shown = (
                f"{column[name]:10.1f}" if "gone" in name else f"{column[name]:10.0%}" for column in columns.values()
            )
            lines.append(f"{name:14}{''.join(shown)}")
        if len(readers) == 2:
            lines.append(f"{'agreement':14}{'equal':>10}{'kappa':>10}")
            for name, (same, kappa) in agreement(*(readers[number] for number in sorted(readers))).items():
                lines.append(f"{name:14}{same:10.0%}{kappa:10.2f}")
        lines.append("")
    return "\n".join(lines)


def take(files: Iterable[Path]) -> None:
    """Puts the labels of some files into the project's, in place of the same reader's of the same state; what would help most stays outside but for half *teach*."""
    held = {(label["id"], label["reader"], label["state"]): label for label in labels()} if LABELS.exists() else {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            label = json.loads(line)
            check(label)
            if label["id"].startswith("measure"):
                label.pop("most", None)
            held[label["id"], label["reader"], label["state"]] = label
    rows = (json.dumps(held[key], ensure_ascii=False) for key in sorted(held, key=lambda key: (key[2], key[1], key[0])))
    LABELS.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


def main() -> None:
    """Prints, or takes labels first."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("take", nargs="*", help="the word take, and files of JSON lines")
    told = asked.parse_args().take
    if told and told[0] == "take":
        take(map(Path, told[1:]))
    print(table(labels()))


if __name__ == "__main__":
    main()
