"""Everything the clients can do, told once: each line is done by `Client` and by `AsyncClient`."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from kb.client import AsyncClient, Client, Declined
from tests.api.knowledge import HDFS_TRACE, KAFKA_TRACE

TRACE = "a.b.PaymentException: card refused\n\tat a.b.Pay.take(Pay.java:7)\n\tat a.b.Shop.sell(Shop.java:9)\n"
STEPS = (
    "search", "search_batch", "parse", "create", "create from a write-up", "get", "find", "find nothing", "replace", "attach",
    "move", "restore", "history", "revision", "no revision", "diff", "similar", "draft", "feedback", "votes", "sightings", "remove sighting", "put sighting back", "merge",
    "split", "retire", "listed", "declined", "triage reports", "triage figures", "crash groups", "new groups", "explained", "probable",
    "crash draft", "crash draft of a trace", "damaged report",
)  # fmt: skip


async def story(client: Client | AsyncClient, prefix: str) -> dict[str, Any]:
    """What each step answers; ids of what is written begin with ``prefix``."""
    it, told = client.incidents, {}
    one, two = f"{prefix}/one", f"{prefix}-two"

    async def do(step: str, made: Any) -> Any:
        told[step] = await _whole(made)
        return told[step]

    answer = await do("search", client.search(HDFS_TRACE, 3, {"component": "flink"}))
    await do("search_batch", client.search_batch([("a", KAFKA_TRACE), ("b", "nothing \ud800 known")], 2, explain=False))
    await do("parse", client.parse(TRACE))
    await do(
        "create", it.create({"id": one, "title": "Cards are refused", "traces": [TRACE], "fix": "Pay cash."}, "why")
    )
    written = f"---\nid: {two}\ntitle: 卡被拒绝\nlang: zh\n---\n## 现象\n\n刷卡失败。\n"
    await do("create from a write-up", it.create(written))
    await do("get", it.get(one))
    await do("find", it.find(two))
    await do("find nothing", it.find(f"{prefix}-nobody"))
    await do(
        "replace", it.replace(one, {"id": one, "title": "Cards are refused at night", "traces": [TRACE]}, 1, "found")
    )
    await do("attach", it.attach(one, KAFKA_TRACE, "seen again"))
    await do("move", it.move(two, "retired", 1, "old"))
    await do("restore", it.restore(one, 1, 3))
    await do("history", it.history(one))
    await do("revision", it.revision(one, 2))
    await do("no revision", it.revision(one, 99))
    await do("diff", it.diff(one, 1, 2))
    await do("similar", it.similar({"traces": [HDFS_TRACE]}, 1, one))
    await do("draft", it.draft(TRACE))
    await do("feedback", it.feedback(answer["matches"][0]["incident"]["id"], "yes", answer, text=HDFS_TRACE))
    await do("votes", it.votes(answer["matches"][0]["incident"]["id"]))
    best = answer["matches"][0]["incident"]["id"]
    (seen,) = (await do("sightings", it.sightings(best)))["sightings"]
    await do("remove sighting", it.remove_sighting(best, seen["name"]))
    await do("put sighting back", it.put_back_sighting(best, seen["name"]))
    await do("move back", it.move(two, "published", 2))
    await do("merge", it.merge(two, one, (3, 4), "the same"))
    await do("split", it.split(two, "not the same"))
    await do("retire", it.retire(one, (await _whole(it.get(one)))["revision"], "gone"))
    await do("listed", it.listed(text=prefix, order="id"))
    told["declined"] = await declined(lambda: it.replace(one, {"title": "stale"}, 1))
    await triaged(client, do)
    told["damaged report"] = await declined(lambda: client.triage.figures(told["triage reports"][0]["run"]))
    return told


async def triaged(client: Client | AsyncClient, do: Callable[[str, Any], Awaitable[Any]]) -> None:
    """The part of the story about the reports of `kb triage`."""
    reports = await do("triage reports", client.triage.reports())
    run = reports[1]["run"]
    await do("triage figures", client.triage.figures(run))
    groups = await do("crash groups", client.triage.groups(run))
    await do("new groups", client.triage.groups(run, new=True))
    await do("explained", client.triage.explained(run))
    await do("probable", client.triage.explained(run, "probable"))
    await do("crash draft", client.triage.draft(run, groups[0]["id"]))
    await do("crash draft of a trace", client.triage.draft(run, groups[1]["id"]))


async def declined(call: Callable[[], Any]) -> dict[str, Any]:
    """What the error says of a call that is not done."""
    try:
        await _whole(call())
    except Declined as error:
        return {
            "status": error.status,
            "kind": error.kind,
            "problem": error.problem,
            "cure": error.cure,
            "document": error.document,
        }
    return {}


async def _whole(made: Any) -> Any:
    """What a method gives: a value, one to be awaited, or pages to be gone through."""
    if isinstance(made, Awaitable):
        return await made
    if isinstance(made, AsyncIterator):
        return [one async for one in made]
    if isinstance(made, Iterator):
        return list(made)
    assert not inspect.iscoroutine(made)
    return made
