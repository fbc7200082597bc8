"""How an answer speaks: its headline, one error with several causes, several problems in one paste."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, permutations

import pytest

from index import Engine, Verdict
from index.answer import FineVerdict
from index.ranking.groups import together
from index.ranking.problems import MATCHES, MOST_PARTS, block_parts, error_parts, headline, parts
from index.ranking.rank import RankModel
from index.reading import read
from index.wire import answer_to_dict
from tests.bundled import corpus_home

from .test_engine import RECORDS, STRANGER_NPE, TRACES

EngineOf = Callable[[Sequence[dict[str, object]]], Engine]
FULL = "java.io.IOException: No space left on device while spilling segment 17\n\tat com.acme.spill.Spiller.write({0}.java:88)\n\tat com.acme.spill.Spiller.flush({0}.java:41)"
BROKER, TILL = TRACES["kafka-rebalance"], TRACES["hikari-pool"]
IDLE = '"worker-{0}" #1{0} prio=5 tid=0x1 nid=0x1 waiting on condition [0x1]\n   java.lang.Thread.State: WAITING (parking)\n\tat jdk.internal.misc.Unsafe.park(Native Method)\n\tat com.acme.Pool{0}.take(Pool.java:1)'


def spill(name: str, cause: str, **more: object) -> dict[str, object]:
    told = {
        "id": name,
        "title": f"Spilling fails with No space left on device ({name})",
        "symptom": "No space left on device while spilling a segment",
        "root_cause": cause,
        "fix": f"See {name}",
        "distinguish": f"Look at {name}",
        "traces": [FULL.format(name.title().replace("-", ""))],
    }
    return told | more


@pytest.fixture(scope="module")
def spilling(engine_of: EngineOf) -> Iterator[Engine]:
    opened = engine_of(
        [
            *RECORDS.values(),
            spill("disk", "The volume is full: old checkpoints were never deleted"),
            spill("inodes", "Millions of tiny temporary files used up the inode table"),
            spill("silent", ""),
        ]
    )
    yield opened
    opened.close()


def judged_by(engine: Engine, standing: FineVerdict) -> Engine:
    """The engine with a model that only compares messages, and limits under which an error with two causes comes to ``standing``: known by the first alone, else together."""
    engine.model = RankModel(-4.0, 0.0, 0.0, weights := {"root_message": 6.0}, weights, 1.0, 0.9, 0.3, 0.01)
    first, second = (one.probability for one in engine.search(FULL.format("Other")).matches[:2])
    both = together([first, second])
    limit = (first + both) / 2
    assert first < limit < both
    limits = {
        FineVerdict.KNOWN: {"known": first, "probable": first},
        FineVerdict.PROBABLE: {"probable": limit},
        FineVerdict.RELATED: {"probable": (both + 1) / 2},
    }
    engine.model = replace(engine.model, **limits[standing])
    return engine


@pytest.mark.parametrize(
    ("lang", "standing", "causes", "said"),
    [
        ("en", FineVerdict.KNOWN, 0, "Known incident"),
        ("en", FineVerdict.PROBABLE, 0, "Probably this one; check: Title"),
        ("en", FineVerdict.RELATED, 0, "Related incidents; none is clearly this problem"),
        ("en", FineVerdict.UNKNOWN, 0, "No known incident"),
        ("en", FineVerdict.KNOWN, 2, "Known error, two known causes"),
        ("en", FineVerdict.PROBABLE, 3, "Probably a known error with three known causes; check which one"),
        ("zh", FineVerdict.KNOWN, 0, "已知故障"),
        ("mixed", FineVerdict.PROBABLE, 0, "很可能是这一条，请核对：Title"),
        ("zh", FineVerdict.RELATED, 0, "有相关故障，但无法确定是同一个"),
        ("zh", FineVerdict.KNOWN, 2, "已知错误，已知有两种原因"),
        ("zh", FineVerdict.PROBABLE, 4, "很可能是已知错误，已知有四种原因，请核对是哪一种"),
    ],
)
def test_the_sentence_fits_the_number(lang: str, standing: FineVerdict, causes: int, said: str) -> None:
    assert headline(lang, standing, causes, "Title") == said


@pytest.mark.parametrize(
    ("probability", "standing", "verdict"),
    [
        (0.9, FineVerdict.KNOWN, Verdict.KNOWN),
        (0.89, FineVerdict.PROBABLE, Verdict.RELATED),
        (0.6, FineVerdict.PROBABLE, Verdict.RELATED),
        (0.59, FineVerdict.RELATED, Verdict.RELATED),
        (0.29, FineVerdict.UNKNOWN, Verdict.UNKNOWN),
    ],
)
def test_what_is_probable_is_related_on_the_wire(probability: float, standing: FineVerdict, verdict: Verdict) -> None:
    model = RankModel(0.0, 0.0, 0.0, {}, {}, known=0.9, probable=0.6, related=0.3, shown=0.01)
    assert (model.fine_verdict(probability), model.verdict(probability)) == (standing, verdict)


def test_one_error_with_two_causes_is_one_answer(spilling: Engine) -> None:
    answer = judged_by(spilling, FineVerdict.KNOWN).search(FULL.format("Other"))
    assert set(answer.causes) == {"disk", "inodes"}
    assert (answer.verdict, answer.headline) == (Verdict.KNOWN, "Known error, two known causes")
    told = {one["incident"]["id"]: one["incident"] for one in answer_to_dict(answer)["matches"]}  # type: ignore[attr-defined]
    assert [told[name]["distinguish"] for name in ("disk", "inodes")] == ["Look at disk", "Look at inodes"]


def test_causes_together_are_not_known_where_none_is(spilling: Engine) -> None:
    engine = judged_by(spilling, FineVerdict.PROBABLE)
    engine.model = replace(engine.model, known=engine.model.probable)
    assert engine.search(FULL.format("Other")).fine_verdict is FineVerdict.PROBABLE


@pytest.mark.parametrize("k", [1, 2, 5])
def test_causes_do_not_hang_on_how_many_matches_are_asked_for(spilling: Engine, k: int) -> None:
    answer = judged_by(spilling, FineVerdict.KNOWN).search(FULL.format("Other"), k)
    assert (len(answer.causes), answer.verdict) == (2, Verdict.KNOWN)
    assert len(answer.matches) <= k


@pytest.mark.parametrize(("standing", "count"), [(FineVerdict.PROBABLE, 2), (FineVerdict.RELATED, 0)])
def test_causes_that_are_not_likely_together_are_not_told(spilling: Engine, standing: FineVerdict, count: int) -> None:
    answer = judged_by(spilling, standing).search(FULL.format("Other"))
    assert (answer.fine_verdict, len(answer.causes), answer.verdict) == (standing, count, Verdict.RELATED)


def test_another_error_has_not_these_causes(spilling: Engine) -> None:
    assert judged_by(spilling, FineVerdict.KNOWN).search(TILL).causes == ()


PAIRS = [pytest.param(*pair, id="+".join(pair)) for pair in permutations(sorted(TRACES), 2)]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_two_texts_one_under_the_other_are_answered_as_each_alone(engine: Engine, one: str, other: str) -> None:
    alone = [engine.search(TRACES[key]) for key in (one, other)]
    answer = engine.search(f"{TRACES[one]}\n\n{TRACES[other]}")
    if not any(each.fine_verdict.is_likely for each in alone):
        assert len(answer.problems) == 1
        return
    told = {problem.matches[0].incident.id: problem for problem in answer.problems}
    expected = {each.matches[0].incident.id: each for each in alone}
    assert set(told) == set(expected)
    for name, each in expected.items():
        assert told[name].fine_verdict == each.fine_verdict
        assert told[name].matches[0].probability == pytest.approx(each.matches[0].probability)


@pytest.mark.parametrize("key", sorted(RECORDS))
def test_a_text_with_one_problem_has_one(engine: Engine, key: str) -> None:
    record = RECORDS[key]
    for text in (
        "\n\n".join(record.get("traces", ())),
        record["symptom"],
        "",
        "x",
        *([TRACES[key] * 3] if key in TRACES else []),
    ):
        answer = engine.search(str(text or ""))
        assert len(answer.problems) == 1
        (first,) = answer.problems
        assert (first.verdict, first.headline, first.causes) == (answer.verdict, answer.headline, answer.causes)
        assert first.matches == answer.matches[:MATCHES]


def test_the_fields_of_the_answer_are_those_of_the_first_problem(engine: Engine) -> None:
    text = f"03:11 worker gave up\n{STRANGER_NPE}\n\n{BROKER}"
    answer = engine.search(text, k=2)
    first, second = answer.problems
    assert first.matches[0].incident.id == "kafka-rebalance"
    assert answer.matches[:MATCHES] == first.matches
    assert second.verdict is not Verdict.KNOWN
    start, end = first.span
    assert text[start:end].strip() == BROKER.strip()
    assert answer_to_dict(answer)["query"]["exceptions"][0]["type"] == BROKER.split(":")[0]  # type: ignore[index]
    wire = json.loads(json.dumps(answer_to_dict(answer)))
    assert [set(one) for one in wire["problems"]] == [{"span", "verdict", "headline", "causes", "matches"}] * 2


LOGGED = {
    "kafka-rebalance": "2026-11-01 10:00:01 ERROR worker - Commit cannot be completed since the group has already rebalanced and assigned the partitions to another member",
    "hikari-pool": "2026-11-01 10:00:09 ERROR pool - HikariPool-1 - Connection is not available, request timed out after 30001ms.",
    "k8s-watch": "2026-11-01 10:00:17 ERROR watch - io.fabric8.kubernetes.client.KubernetesClientException: too old resource version: 17 (23)",
    "mysql-deadlock": "2026-11-01 10:00:23 ERROR orders - MySQLTransactionRollbackException: Deadlock found when trying to get lock; try restarting transaction",
}
BEAT = "2026-11-01 10:00:{0} INFO beat - still here\n"
FOREIGN = "2026-11-01 10:00:31 ERROR printer - tray 2 cannot be opened while the lid of the copier is up"


@pytest.mark.parametrize(("one", "other"), list(permutations(sorted(LOGGED), 2)))
def test_two_error_lines_in_a_log_are_answered_each(engine: Engine, one: str, other: str) -> None:
    text = f"{BEAT.format('00')}{LOGGED[one]}\n{BEAT.format('05') * 3}{LOGGED[other]}\n{BEAT.format('40')}"
    told = {problem.matches[0].incident.id: problem for problem in engine.search(text).problems}
    assert set(told) == {one, other}
    for name, problem in told.items():
        assert problem.fine_verdict.is_likely
        start, end = problem.span
        assert text[start:end] in LOGGED[name]


@pytest.mark.parametrize("key", sorted(LOGGED))
@pytest.mark.parametrize("log", ["{0}\n{1}", "{1}\n{0}", "{2}{1}\n{2}{0}\n{1}\n{2}"])
def test_an_error_line_that_nothing_explains_takes_nothing_from_another(engine: Engine, key: str, log: str) -> None:
    alone = engine.search(LOGGED[key])
    (problem,) = engine.search(log.format(LOGGED[key], FOREIGN, BEAT.format("00"))).problems
    assert problem.matches[0].incident.id == key
    assert problem.fine_verdict.is_likely
    assert problem.matches[0].probability >= alone.matches[0].probability - 0.02


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param(LOGGED["hikari-pool"], 0, id="one"),
        pytest.param("\n".join(LOGGED.values()), 4, id="four"),
        pytest.param("\n".join([*LOGGED.values(), FOREIGN]), 4, id="the most telling of five"),
        pytest.param(f"{LOGGED['hikari-pool']}\n{LOGGED['hikari-pool'].replace('30001', '30002')}", 0, id="once more with another number"),
        pytest.param(f"{LOGGED['hikari-pool']}\n{BROKER}", 0, id="beside a trace"),
        pytest.param(f"{LOGGED['hikari-pool']}\n{LOGGED['k8s-watch'].replace('ERROR', 'INFO').replace('Exception', '')}", 0, id="one is no error"),
    ],
)  # fmt: skip
def test_error_lines(text: str, count: int) -> None:
    assert len(error_parts(read(text))) == count


PROSE = "Our shop has {0} trouble today, which looks like this:"


def test_words_count_for_the_trace_they_stand_next_to() -> None:
    above, below = f"{PROSE.format('broker')}\n{BROKER}\nThe broker was restarted.", f"{PROSE.format('till')}\n{TILL}"
    first, second = parts(read(f"{above}\n\n{below}"))
    for part, text in ((first, above), (second, below)):
        alone = read(text)
        assert (part.prose, set(part.units), part.embedded) == (alone.prose, set(alone.units), alone.embedded)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param(BROKER, 0, id="one trace"),
        pytest.param(f"{BROKER}\n{BROKER}", 0, id="repeated"),
        pytest.param(f"{BROKER}\n{TILL}", 2, id="two"),
        pytest.param(f"{BROKER}\n{TILL}\n{BROKER}", 2, id="the first once more"),
        pytest.param(f"com.acme.Wrapped: gave up\n\tat com.acme.A.b(A.java:1)\nCaused by: {BROKER}\n\n{BROKER}", 0, id="its wrapper"),
        pytest.param(f"{BROKER.splitlines()[0]}\nsomething else\n\n{BROKER}", 0, id="its error line"),
        pytest.param("\n\n".join([BROKER, *(IDLE.format(n) for n in range(5))]), 0, id="threads that wait"),
        pytest.param("\n\n".join(f"com.acme.E{n}xception: broke {'abcdefghijkl'[n]}\n\tat com.acme.C{n}.m(C.java:1)" for n in range(12)), MOST_PARTS, id="many"),
    ],
)  # fmt: skip
def test_parts(text: str, count: int) -> None:
    found = parts(read(text))
    assert len(found) == count
    assert all(part.text == text for part in found)


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Over the bundled write-ups."""
    opened = Engine.open(corpus_home(tmp_path_factory.mktemp("corpus")))
    yield opened
    opened.close()


MAP_COUNT = "max virtual memory areas vm.max_map_count [65530] likely too low, increase to at least [262144]"
ONLY_FULL = "数据库查询报错：this is incompatible with sql_mode=only_full_group_by"
ADDRESSES = "执行docker-compose up就报错了\nERROR: could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network"
METASTORE = "Caused by: MetaException(message:Version information not found in metastore.)\n\tat org.apache.hadoop.hive.metastore.ObjectStore.checkSchema(ObjectStore.java:7564)\n\tat org.apache.hadoop.hive.metastore.ObjectStore.verifySchema(ObjectStore.java:7542)"
NOBODYS = "ERROR: ledger-sync stopped, batch 77 holds a voucher that no journal names"


def of_known(engine: Engine, text: str) -> set[str]:
    return {one.matches[0].incident.id for one in engine.search(text).problems if one.verdict is Verdict.KNOWN}


@pytest.mark.parametrize("both", list(permutations([MAP_COUNT, ONLY_FULL, ADDRESSES, METASTORE], 2)))
def test_two_errors_with_an_empty_line_between_are_two_problems(bundled: Engine, both: tuple[str, str]) -> None:
    alone = [of_known(bundled, one) for one in both]
    assert [len(one) for one in alone] == [1, 1]
    assert of_known(bundled, "\n\n".join(both)) == alone[0] | alone[1]


FULL_TABLE = "ERROR 1114 (HY000) at line 1: The table 'x' is full"
GLIBC = "\n".join(
    f"node: /lib64/{name}: version `{needed}' not found (required by node)"
    for name, needed in (("libm.so.6", "GLIBC_2.27"), ("libc.so.6", "GLIBC_2.25"), ("libc.so.6", "GLIBC_2.28"), ("libstdc++.so.6", "CXXABI_1.3.9"))
)  # fmt: skip
WORKERS = "2026/11/28 00:22:40 [alert] 17190#17190: 20 worker_connections are not enough"
QUEUE = "pika.exceptions.ChannelClosedByBroker: (406, \"PRECONDITION_FAILED - inequivalent arg 'durable' for queue 'mails' in vhost '/': received 'false' but current is 'true'\")"
PASSWORD = "pymongo.errors.OperationFailure: Authentication failed., full error: {'ok': 0.0, 'errmsg': 'Authentication failed.', 'code': 18, 'codeName': 'AuthenticationFailed'}"
MERGE = (
    "ValueError\nYou are trying to merge on object and int64 columns. If you wish to proceed you should use pd.concat"
)
DEADLINE = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
CLIENTS = 'django.db.utils.OperationalError: connection to server at "10.2.0.9", port 5432 failed: FATAL:  remaining connection slots are reserved for non-replication superuser connections'


@pytest.mark.parametrize(
    "errors",
    [
        pytest.param((FULL_TABLE, GLIBC), id="an error line that is known and a block"),
        pytest.param((WORKERS, QUEUE, PASSWORD), id="two traces and a line"),
        pytest.param((MERGE, DEADLINE), id="a type without a message"),
        pytest.param((MAP_COUNT, CLIENTS, PASSWORD, ADDRESSES, WORKERS), id="five"),
    ],
)
def test_known_errors_with_empty_lines_between_are_all_problems_in_any_order(
    bundled: Engine, errors: tuple[str, ...]
) -> None:
    alone = [of_known(bundled, one) for one in errors]
    assert [len(one) for one in alone] == [1] * len(errors)
    for order in islice(permutations(errors), 12):
        assert of_known(bundled, "\n\n".join(order)) == set().union(*alone)


@pytest.mark.parametrize("known", [MAP_COUNT, ONLY_FULL, ADDRESSES, METASTORE])
@pytest.mark.parametrize("is_first", [True, False])
def test_an_error_that_nobody_knows_hides_none_that_is_known(bundled: Engine, known: str, *, is_first: bool) -> None:
    assert not of_known(bundled, NOBODYS)
    answer = bundled.search(f"{known}\n\n{NOBODYS}" if is_first else f"{NOBODYS}\n\n{known}")
    assert answer.problems[0].fine_verdict.is_likely
    assert {answer.matches[0].incident.id} == of_known(bundled, known)
    explained = bundled.explain(f"{NOBODYS}\n\n{known}", answer.matches[0].incident.id)
    assert explained is not None
    assert explained.probability == bundled.search(f"{NOBODYS}\n\n{known}").matches[0].probability


def test_a_known_block_is_probable_where_the_whole_text_is_not_known(bundled: Engine) -> None:
    answer = bundled.search(f"{ONLY_FULL}\n\n{NOBODYS}")
    assert [one.fine_verdict for one in answer.problems] == [FineVerdict.PROBABLE]
    assert answer.matches[0].probability < bundled.model.known
    assert of_known(bundled, ONLY_FULL) == {answer.matches[0].incident.id}


def test_known_errors_among_many_that_nobody_knows_are_all_found(bundled: Engine) -> None:
    strangers = ["error: cannot splice the tachyon ledger", "fatal: quux daemon lost its hat", NOBODYS]
    known = [MAP_COUNT, ONLY_FULL, ADDRESSES]
    text = "\n\u3000\n".join(one for pair in zip(strangers, known, strict=True) for one in pair)
    assert of_known(bundled, text) == set().union(*(of_known(bundled, one) for one in known))


LOCK_WAIT, AREAS = "数据库报错 Lock wait timeout exceeded", "vm.max_map_count is too low"
RELATION = "error: relation does not exist"


def test_probable_blocks_are_two_problems_where_the_whole_is_not_likely(bundled: Engine) -> None:
    answer = bundled.search(f"{RELATION}\n\n{AREAS}")
    assert [one.fine_verdict for one in answer.problems] == [FineVerdict.PROBABLE] * 2
    assert {one.matches[0].incident.id for one in answer.problems} == {
        "postgres-relation-does-not-exist",
        "elasticsearch-vm-max-map-count",
    }


def test_a_text_that_is_likely_as_a_whole_has_no_probable_blocks(bundled: Engine) -> None:
    text = f"{LOCK_WAIT}\n\nERROR: only_full_group_by is incompatible"
    assert [one.fine_verdict for one in bundled.search(text).problems] == [FineVerdict.PROBABLE]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("\n\n".join(f"error: the {name} is lost" for name in ("flux", "quux", "gadget", "ledger", "hat")), 5),
        ("\n\n".join(f"error: the {chr(97 + at) * 5} is lost" for at in range(12)), MOST_PARTS),
        ("\n\n".join(f"error: the {chr(97 + at) * 5} is lost" for at in range(13)), 0),
        ("error: the flux is lost\n\nerror: the quux is gone" + "\n" * 101, 2),
        ("error: the flux is lost\n\n" + "error: the quux is gone\n\n" * 100, 0),
    ],
)
def test_blocks_are_looked_at_up_to_a_bound(text: str, count: int) -> None:
    assert len(block_parts(read(text))) == count


def test_blocks_that_say_one_thing_or_no_error_are_no_parts() -> None:
    assert len(block_parts(read(f"{MAP_COUNT}\n\n{ONLY_FULL}"))) == 2
    assert block_parts(read(f"{MAP_COUNT}\n\nPlease tell me what to do.\n\nThank you")) == []
    assert block_parts(read(f"{MAP_COUNT}\n\n{MAP_COUNT}")) == []
    assert block_parts(read(f"{MAP_COUNT}\n{ONLY_FULL}")) == []
    assert block_parts(read(f"{MAP_COUNT}\n\n{ONLY_FULL}\n\n" + "x " * 10_000)) == []
    trace = METASTORE.replace("\n\tat", "\n\n\tat", 1)  # one trace over an empty line
    assert block_parts(read(trace)) == []
