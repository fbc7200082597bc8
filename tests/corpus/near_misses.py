"""The write-ups that are easily taken for each other: `python -m tests.corpus.near_misses > tests/quality/near_misses.md`.

Two share a *message* when an outermost exception or a root cause of the one says the same as one of the other, numbers and names taken out;
they share a *type* when only its class is the same.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path

from api.incidents.writeup_checks import read_writeups
from kb.incident import Incident
from kb.trace import normalize, parse

CORPUS = Path(__file__).parents[2] / "corpus"
PLACEHOLDER = re.compile(r"<[^<>\s]{1,60}>")
WORD = re.compile(r"[^\W\d_]{2,}")
LEAST_WORDS = 2
"""A message of one word beside placeholders says too little to be taken for another."""
NAME = re.compile(r"(?<![a-z0-9-])[a-z0-9]++(?:-[a-z0-9]++)++")
CAUSE = re.compile(r"^(?:[-*]|\d+\.) ", re.MULTILINE)
Pair = tuple[str, str]


def shown(incident: Incident) -> tuple[set[str], set[str]]:
    """The types and the messages at both ends of its traces."""
    chains = [normalize(chain) for trace in incident.traces for chain in parse(trace)]
    ends = [end for chain in chains for end in (chain.exceptions[0], chain.root)]
    first = {(end.message or "").split("\n")[0].strip() for end in ends}
    return {end.type for end in ends if end.type}, {said for said in first if says_something(said)}


def says_something(message: str) -> bool:
    return len(WORD.findall(PLACEHOLDER.sub(" ", message))) >= LEAST_WORDS


def sharing(said: Iterable[tuple[str, set[str]]]) -> dict[str, list[Pair]]:
    """What two or more say, with the pairs that say it."""
    users: dict[str, list[str]] = defaultdict(list)
    for name, words in said:
        for word in sorted(words):
            users[word].append(name)
    return {word: list(combinations(sorted(names), 2)) for word, names in sorted(users.items()) if len(names) > 1}


def text_of(incident: Incident) -> str:
    return " ".join(filter(None, (incident.symptom, incident.root_cause, incident.distinguish, incident.fix)))


def named(incidents: Iterable[Incident]) -> set[Pair]:
    """The pairs of which one names the other; `kb corpus check` holds that the other does so, too."""
    words = {one.id: set(NAME.findall(text_of(one))) for one in incidents}
    return {(min(one, other), max(one, other)) for one in words for other in words[one] & words.keys() - {one}}


def several_causes(incident: Incident) -> int:
    """The causes that a write-up lists as one error's."""
    return len(CAUSE.findall(incident.root_cause or ""))


def table(incidents: list[Incident]) -> Iterator[str]:
    both, apart = {one.id: shown(one) for one in incidents}, named(incidents)
    messages = sharing((name, said) for name, (_, said) in both.items())
    types = sharing((name, kinds) for name, (kinds, _) in both.items())
    yield "# Write-ups that are easily taken for each other\n"
    yield "Written by `python -m tests.corpus.near_misses`; [corpus](../../corpus/README.md) says what a write-up does about it.\n"
    yield "## The same message\n\n| message | pair | told apart in both |\n|---|---|---|"
    for said, pairs in messages.items():
        for pair in pairs:
            yield f"| `{said.replace('|', '¦')[:120]}` | {', '.join(pair)} | {'yes' if pair in apart else 'no'} |"
    yield "\n## The same type\n\n| type | write-ups | pairs | told apart | |\n|---|---|---|---|---|"
    for kind, pairs in sorted(types.items(), key=lambda row: -len(row[1])):
        told = [pair for pair in pairs if pair in apart]
        yield f"| `{kind}` | {len({name for pair in pairs for name in pair})} | {len(pairs)} | {len(told)} | {'; '.join(map(' and '.join, told))} |"
    yield "\n## One error, several causes\n\nTheir causes are told apart inside the write-up.\n\n| write-up | causes listed |\n|---|---|"
    for one in sorted(incidents, key=lambda one: one.id):
        if several_causes(one) > 1:
            yield f"| {one.id} | {several_causes(one)} |"


if __name__ == "__main__":
    print("\n".join(table([one.incident for one in read_writeups(CORPUS)[0]])))
