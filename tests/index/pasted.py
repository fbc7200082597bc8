"""The ways in which people paste an incident, and a table of what each finds: `python -m tests.index.pasted > tests/quality/kinds.md`.

*Question* is the first sentence of a write-up's symptom without the code that it quotes, *other language* the same of its translation. Both are the write-up's own words, so
they are an upper bound; *other language, alone* searches an index that lacks the translations.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

from index import Engine, Verdict
from index.encoder import load_encoder
from index.training.cases import articles, engine_of
from index.training.lifelike import error_line
from kb.incident import Incident
from kb.trace import parse
from kb.translations import in_language

CORPUS = Path(__file__).parents[2] / "corpus"

FRAMES = {
    "jvm": (
        "\tat com.example.shop.OrderService.place(OrderService.java:88)",
        "\tat com.example.shop.Main.run(Main.java:17)",
    ),
    "python": (
        '  File "/srv/shop/orders.py", line 88, in place\n    self.send(order)',
        '  File "/srv/shop/main.py", line 17, in run\n    place(order)',
    ),
}
LOG = (
    "2026-03-14 09:12:01 INFO  [main] shop: started in 812 ms",
    "2026-03-14 09:12:02 INFO  [worker-3] shop: 128 orders written",
    "2026-03-14 09:12:04 DEBUG [http-9] shop: GET /health 200",
)
QUESTIONS = (
    "What does {} mean?",
    "Why does it say {}?",
    "how to fix {}",
    "Anyone seen {}?",
    "I'm getting {} when I run the app",
    "If I start the job I get {}",
    "After upgrading we see {} in the logs",
    "The job failed because of {}",
    "{} - how do I fix this?",
    "stuck on {}",
    "{} 怎么解决？",
    "如果我重启服务，就报 {}",
    "升级后日志里一直有 {}",
)


@dataclass(frozen=True)
class Paste:
    """One way to show an incident."""

    incident: str
    kind: str
    text: str


def error_of(incident: Incident) -> tuple[str, str]:
    """(runtime, error line) of the first trace."""
    chain = parse(incident.traces[0])[0]
    return chain.runtime, error_line(chain)


def with_frames(runtime: str, error: str) -> str:
    """The error with two frames of an application that nobody wrote about."""
    if runtime == "python":
        return "\n".join(["Traceback (most recent call last):", *FRAMES["python"], error])
    if runtime == "jvm":
        return "\n".join([error, *FRAMES["jvm"]])
    return "\n".join([LOG[0], error, LOG[1]])  # what prints no frames stands between lines of a log


def in_question(incident: str, error: str) -> str:
    """The error line as somebody asks about it: each write-up in one of the ways."""
    return QUESTIONS[crc32(incident.encode()) % len(QUESTIONS)].format(error.partition("\n")[0].rstrip(":"))


def pastes(incident: Incident) -> Iterator[Paste]:
    trace = incident.traces[0]
    runtime, error = error_of(incident)
    yield Paste(incident.id, "verbatim", trace)
    yield Paste(incident.id, "error line", error)
    yield Paste(incident.id, "in a question", in_question(incident.id, error))
    yield Paste(incident.id, "own frames", with_frames(runtime, error))
    yield Paste(incident.id, "first six", "\n".join(trace.splitlines()[:6]))
    yield Paste(incident.id, "last four", "\n".join(trace.splitlines()[-4:]))


CODE = re.compile(r"`[^`\n]{1,400}`|\*[^*\n]{1,400}\*")
"""```No space left on device```, ``*Address already in use*``: the message, in a symptom."""
SENTENCE = re.compile(r"[^.。]{12,400}(?=[.。]|$)")
ALONE = "other language, alone"
KINDS = (
    "verbatim",
    "error line",
    "in a question",
    "own frames",
    "first six",
    "last four",
    "question",
    "other language",
    ALONE,
)
LEGEND = {
    "K": "first and known",
    "P": "first and probably",
    "F": "first",
    "2-9": "its place",
    "-": "not among the first ten",
    "!": "another one is called known",
}


def question(incident: Incident) -> str:
    """What somebody may ask who does not quote the message: the symptom's first sentence without code."""
    prose = " ".join(CODE.sub(" ", incident.symptom or incident.title).split())
    found = SENTENCE.search(prose)
    return found[0] if found else prose


def asked(incident: Incident) -> Iterator[Paste]:
    """The same as questions, in its own language and in the others."""
    yield Paste(incident.id, "question", question(incident))
    for lang in incident.translations:
        told = question(in_language(incident, lang))
        yield Paste(incident.id, "other language", told)
        yield Paste(incident.id, ALONE, told)


def mark(engine: Engine, paste: Paste) -> str:
    """How the incident stands in the answer, by LEGEND."""
    answer = engine.search(paste.text, 10)
    places = [match.incident.id for match in answer.matches]
    is_known = answer.verdict is Verdict.KNOWN
    if not places or places[0] != paste.incident:
        place = str(places.index(paste.incident) + 1) if paste.incident in places else "-"
        return f"{place}!" if is_known and paste.incident not in answer.causes else place
    if is_known:
        return "K"
    return "P" if answer.matches[0].probability >= engine.model.probable else "F"


def table(marks: dict[str, dict[str, str]]) -> Iterator[str]:
    """The marks as a page of Markdown: what each kind of paste finds in all, and each write-up."""
    yield "# What each kind of paste finds\n"
    yield "Written by `python -m tests.index.pasted`; the rows are the write-ups of [corpus](../../corpus/README.md).\n"
    yield "; ".join(f"`{sign}`: {meaning}" for sign, meaning in LEGEND.items()) + ".\n"
    yield f"| of {len(marks)} | {' | '.join(KINDS)} |\n|---|{'---|' * len(KINDS)}"
    counts = {kind: Counter(row.get(kind, "-") for row in marks.values()) for kind in KINDS}
    for name, signs in (("first", "KPF"), ("first and probably", "KP"), ("first and known", "K")):
        yield f"| {name} | {' | '.join(str(sum(counts[kind][sign] for sign in signs)) for kind in KINDS)} |"
    wrong = (sum(n for sign, n in counts[kind].items() if sign.endswith("!")) for kind in KINDS)
    yield f"| another one known | {' | '.join(map(str, wrong))} |\n"
    yield f"| write-up | {' | '.join(KINDS)} |\n|---|{'---|' * len(KINDS)}"
    for name, row in sorted(marks.items()):
        yield f"| {name} | {' | '.join(row.get(kind, '') for kind in KINDS)} |"


def measure(incidents: Iterable[Incident], *, alone: bool) -> Iterator[tuple[Paste, str]]:
    """Each paste of some incidents with its mark; ``alone`` without translations in the index, and only the kind that asks for it."""
    kept = list(incidents)
    shown = [replace(one, translations={}) for one in kept] if alone else kept
    with TemporaryDirectory(prefix="kb-pasted-") as home:
        engine = engine_of(shown, Path(home), load_encoder(None))
        try:
            for incident in kept:
                for paste in (*pastes(incident), *asked(incident)):
                    if (paste.kind == ALONE) is alone:
                        yield paste, mark(engine, paste)
        finally:
            engine.close()


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    incidents = articles(CORPUS)
    marks: dict[str, dict[str, str]] = {incident.id: {} for incident in incidents}
    for alone in (False, True):
        for paste, sign in measure(incidents, alone=alone):
            marks[paste.incident][paste.kind] = sign
    for line in table(marks):
        print(line)


if __name__ == "__main__":
    main()
