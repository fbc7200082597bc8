"""What `kb ingest` prints for people."""

import re
from datetime import datetime

from rich.console import Console

from ingest.summary import Preview, Summary

_CONTROL = re.compile(r"[^\S ]|[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

_EXAMPLES = 3  # of each reason; the report names more


def plain(text: str) -> str:
    """A name or a detail on one line, without what would steer a terminal."""
    return _CONTROL.sub("�", text)


def _console() -> Console:
    return Console(highlight=False, soft_wrap=True, markup=False, emoji=False)


def print_summary(summary: Summary) -> None:
    """What a run did."""
    console = _console()
    rate = f", {summary.articles_per_second:,} a second" if summary.articles_per_second else ""
    start = f" ({summary.spark_start_seconds} s of it Spark's start)" if summary.spark_start_seconds else ""
    console.print(f"read        {summary.read:>9,}   ({summary.done_now:,} now, {summary.unchanged:,} unchanged{rate})")
    console.print(f"accepted    {summary.accepted:>9,}")
    console.print(f"rejected    {summary.rejected:>9,}")
    for reason, count in summary.rejected_by_reason.items():
        console.print(f"  {reason:<10}{count:>9,}")
        for example in summary.rejected_examples[reason][:_EXAMPLES]:
            console.print(f"    {plain(example)}")
    if summary.rejected:
        console.print(f"  all of them: {summary.rejected_table}")
    console.print(f"removed     {summary.removed:>9,}")
    console.print(f"incidents   {summary.incidents:>9,}   ({summary.duplicates:,} near-duplicates of others)")
    state = "published" if summary.published else "nothing to do, still"
    console.print(f"snapshot    {state} {summary.snapshot} in {summary.seconds} s{start}")
    if summary.report:
        console.print(f"report      {summary.report}")
    for note in summary.notes:
        console.print(f"note: {plain(note)}")


def print_run(summary: Summary) -> None:
    """What one of many runs did, on one line."""
    changes = ", ".join(f"{count:,} {change}" for change, count in summary.changes.items() if count)
    holds = f"{summary.accepted:,} of {summary.read:,} documents accepted, {summary.incidents:,} incidents"
    at = datetime.now().astimezone().isoformat(timespec="seconds")
    _console().print(f"{at} {changes or 'nothing'}; {holds}; snapshot {summary.snapshot} in {summary.seconds} s")


_CHANGES = {
    "new": "new",
    "changed": "changed",
    "removed": "removed",
    "reread": "to be read again: other code, another form, or --full",
    "remade": "to be indexed again by other code, rules or another model",
}


def print_preview(seen: Preview) -> None:
    """What a run would do."""
    console = _console()
    for one in seen.sources:
        console.print(plain(one.source))
        for change, sentence in _CHANGES.items():
            if count := one.changes[change]:
                console.print(f"  {count:>9,}   {sentence}")
                names = one.first[change]
                for name in names:
                    console.print(f"              {plain(name)}")
                if count > len(names):
                    console.print(f"              … and {count - len(names):,} more")
    console.print(f"unchanged   {seen.unchanged:>9,}")
    refused = f"   ({seen.refused:,} documents would be refused unopened)" if seen.refused else ""
    console.print(f"to read     {seen.bytes_to_read:>9,} bytes{refused}")
    console.print("a run would publish a new snapshot" if seen.publishes else "a run would do nothing")
