"""An article of several problems, searched: each is found by its own trace; a code weighs as the rare word it is."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from index import Engine
from kb.article import read_article
from kb.record import to_record

OTHERS: list[dict[str, object]] = [
    json.loads(line) for line in (Path(__file__).parent / "incidents.jsonl").read_text(encoding="utf-8").splitlines()
]
Make = Callable[[Sequence[dict[str, object]]], Engine]


def trace(name: str, *calls: str) -> str:
    frames = "".join(f"\tat com.acme.{call}({call.split('.')[0]}.java:{at + 7})\n" for at, call in enumerate(calls))
    return f"com.acme.{name}: the request could not be served\n{frames}\tat java.lang.Thread.run(Thread.java:748)\n"


PROBLEMS = {
    "The ledger is locked": (
        trace("LockedException", "Ledger.post", "Books.close"),
        "nobody released it",
        "release it",
    ),
    "The printer cannot be reached": (
        trace("PrintException", "Spool.send", "Slip.print"),
        "its lease ended",
        "renew it",
    ),
    "The archive rejects a file": (
        trace("ArchiveException", "Vault.keep", "Scan.store"),
        "it has no page",
        "scan it again",
    ),
}
PAGE = "# Errors of the branch office\n\n" + "".join(
    f"## {heading}\n\n```\n{told}```\n\n**Cause:** {cause}.\n\n**Solution:** {fix}.\n\n"
    for heading, (told, cause, fix) in PROBLEMS.items()
)


def records(text: str, name: str) -> list[dict[str, object]]:
    return [to_record(one) for one in read_article(text.encode(), name).incidents]


def test_each_problem_of_a_page_is_found_by_its_own_trace(engine_of: Make):
    engine = engine_of([*OTHERS, *records(PAGE, "branch.md")])

    for heading, (told, _, fix) in PROBLEMS.items():
        answer = engine.search(told.replace(":7)", ":9)"))
        first = answer.matches[0].incident
        assert first.title == f"{heading} — Errors of the branch office"
        assert first.fix == f"{fix}."
        assert answer.verdict == "known"
    engine.close()


CODES = [
    ("ORA-01555", "ORA-30036"),
    ("ERROR 1205 (HY000):", "ERROR 1213 (40001):"),
    ("HTTP 503", "HTTP 504"),
    ("exit code 137", "exit code 143"),
    ("ENOSPC", "EMFILE"),
    ("0x80070005", "0x80040154"),
    ("OOMKilled", "ErrImagePull"),
    ("SQLSTATE[42S02]", "SQLSTATE[42S22]"),
    ("LEADER_NOT_AVAILABLE", "NOT_LEADER_OR_FOLLOWER"),
]
CODED = "# {job} stops\n\nIt ends with {code} and then nothing.\n\n**Cause:** the space is small.\n\n**Solution:** enlarge it.\n"
JOBS = [
    "The nightly load",
    "Billing",
    "The mirror",
    "Printing",
    "The backup",
    "A report",
    "The crawler",
    "Payroll",
    "Search",
]


def test_a_code_tells_two_problems_apart_that_agree_in_every_other_word(engine_of: Make):
    """A code weighs like any rare word, without a feature of its own."""
    pairs = {
        job: [(code, *records(CODED.format(job=job, code=code), f"{job} {code}.md")) for code in codes]
        for job, codes in zip(JOBS, CODES, strict=True)
    }
    told = [record for pair in pairs.values() for _, record in pair]
    engine = engine_of([*OTHERS, *told])

    assert all(record["codes"] for record in told)
    for job, pair in pairs.items():
        for code, record in pair:
            first, *others = engine.search(f"{job} stops with {code} and nothing else").matches
            assert first.incident.id == record["id"], code
            assert all(first.probability > one.probability for one in others)
    engine.close()
