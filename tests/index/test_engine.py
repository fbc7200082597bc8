"""The search as a whole, on a dozen small incidents (incidents.jsonl)."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index import Engine, Verdict
from index.answer import EvidenceKind
from index.holdings import MAX_READ, MAX_TOKENS
from index.reading import read
from index.wire import answer_to_dict, parse_to_dict

RECORDS = {
    r["id"]: r for r in map(json.loads, (Path(__file__).parent / "incidents.jsonl").read_text("utf-8").splitlines())
}
TRACES = {key: record["traces"][0] for key, record in RECORDS.items() if "traces" in record}
FLINK_WRAPPER = TRACES["ckpt-lease"].split("\nCaused by")[0].replace("42", "99171")
STRANGER_NPE = """java.lang.NullPointerException
\tat com.acme.shop.cart.CartService.total(CartService.java:42)
\tat com.acme.shop.web.CartController.show(CartController.java:17)
\tat java.util.concurrent.FutureTask.run(FutureTask.java:266)
\tat java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1149)
\tat java.lang.Thread.run(Thread.java:748)"""


def innermost(key: str) -> str:
    return "Caused by:" + TRACES[key].split("Caused by:")[-1]


def wrapped(key: str) -> str:
    head = "com.acme.billing.JobFailedException: job 17 gave up\n\tat com.acme.billing.Nightly.run(Nightly.java:41)\n"
    return head + (
        "Caused by:" + TRACES[key].split("Caused by:")[-1]
        if "Caused by:" in TRACES[key]
        else "Caused by: " + TRACES[key]
    )


def other_values(key: str) -> str:
    return (
        TRACES[key]
        .replace("42", "302995")
        .replace(":2528)", ":2601)")
        .replace("chk-355/1005127c", "chk-9/77aa01bc")
        .replace("30 (41)", "81009 (97123)")
    )


@pytest.mark.parametrize("key", sorted(TRACES))
def test_its_own_trace_comes_first_and_is_known(engine: Engine, key: str) -> None:
    answer = engine.search(TRACES[key])
    assert (key, Verdict.KNOWN) == (answer.matches[0].incident.id, answer.verdict)
    assert answer.matches[0].evidence


@pytest.mark.parametrize("change", [innermost, wrapped, other_values], ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "key", ["ckpt-replicas", "ckpt-lease", "ckpt-memory", "k8s-watch", "hikari-pool", "kafka-rebalance"]
)
def test_the_same_cause_is_known_however_it_is_wrapped(engine: Engine, key: str, change: Callable[[str], str]) -> None:
    answer = engine.search(change(key))
    assert (key, Verdict.KNOWN) == (answer.matches[0].incident.id, answer.verdict)


@pytest.mark.parametrize(
    "cause",
    [
        pytest.param(
            "java.net.NoRouteToHostException: No route to host\n\tat sun.nio.ch.SocketChannelImpl.checkConnect(Native Method)\n\tat org.apache.hadoop.ipc.Client$Connection.setupConnection(Client.java:614)",
            id="network",
        ),
        pytest.param(
            "java.lang.OutOfMemoryError: Metaspace\n\tat java.lang.ClassLoader.defineClass1(Native Method)\n\tat com.esotericsoftware.kryo.Kryo.getSerializer(Kryo.java:101)",
            id="memory",
        ),
    ],
)
def test_the_same_wrapper_with_another_cause_is_not_known(engine: Engine, cause: str) -> None:
    assert engine.search(f"{FLINK_WRAPPER}\nCaused by: {cause}").verdict is not Verdict.KNOWN


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(STRANGER_NPE, id="null pointer in another application"),
        pytest.param("java.lang.NullPointerException", id="a bare type"),
        pytest.param("what is the weather like today", id="small talk"),
        pytest.param("今天天气怎么样", id="small talk in Chinese"),
        pytest.param("it does not work, there is an error", id="nothing to go by"),
        pytest.param("报错了，运行失败", id="nothing to go by in Chinese"),
        pytest.param("", id="nothing"),
        pytest.param("\x00\ud800\xff" * 40, id="binary"),
    ],
)
def test_unknown_when_nothing_fits(engine: Engine, text: str) -> None:
    answer = engine.search(text)
    assert answer.verdict is Verdict.UNKNOWN
    assert answer.notes or answer.query.chains


def test_an_engine_has_what_callers_need() -> None:
    """What measuring and training look at beyond that: `index.training.measured`."""
    opening, searching = (
        {"open", "carried", "activate", "close", "check", "candidates_fault"},
        {"search", "searched", "explain"},
    )
    reading, following = (
        {"incident", "ingested", "ids", "catalogue", "vectors", "searchable"},
        {"apply", "learn", "follow"},
    )
    figures = {"snapshot_id", "position", "aside", "overlay_size", "model"}
    public = {name for name in vars(Engine) if not name.startswith("_")}
    assert public == opening | searching | reading | following | figures


def test_common_frames_say_nothing(engine: Engine) -> None:
    """The pool's frames stand under a Flink incident too: no reason to name it."""
    pool = "\n".join(line for line in STRANGER_NPE.splitlines() if "java." in line)
    assert all(match.probability < engine.model.related for match in engine.search(f"{pool}").matches)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "flink checkpoint fails because hdfs cannot close the file, not enough replicas of the last block",
            "ckpt-replicas",
        ),
        ("状态太大检查点超过内存上限怎么办", "ckpt-memory"),
        ("state exceeds the memory limit and checkpoints keep failing", "ckpt-memory"),
        ("JobManager 反复崩溃，资源版本过旧", "k8s-watch"),
        ("数据库连接池用完了", "hikari-pool"),
        ("connection pool exhausted, requests wait for a database connection", "hikari-pool"),
        ("消费者重平衡后提交位点失败", "kafka-rebalance"),
        ("容器超出物理内存被 YARN 杀掉", "spark-oom"),
        ("file on hdfs is never closed, still open for write, hive misses data", "hdfs-openforwrite"),
        ("长时间 GC 导致 ZooKeeper 会话过期", "zk-session"),
        ("并发插入时数据库死锁", "mysql-deadlock"),
        ("reading a file with the wrong encoding, can't decode byte", "py-gbk"),
    ],
)
def test_a_question_in_either_language(engine: Engine, question: str, expected: str) -> None:
    assert expected == engine.search(question).matches[0].incident.id


def test_a_header_line_with_a_telling_message_is_enough(engine: Engine) -> None:
    line = "Commit cannot be completed since the group has already rebalanced and assigned the partitions to another member"
    assert engine.search(line).matches[0].incident.id == "kafka-rebalance"


def test_a_noisy_log_answers_by_its_best_trace_and_says_which(engine: Engine) -> None:
    log = (
        f"2024-01-01 INFO start\n{STRANGER_NPE}\n2024-01-01 ERROR later\n{TRACES['hikari-pool']}\n2024-01-01 INFO end\n"
    )
    answer = engine.search(log)
    assert answer.matches[0].incident.id == "hikari-pool"
    line = log[: log.index("java.sql")].count("\n") + 1
    assert any(f"line {line}" in note for note in answer.notes)


def test_evidence_points_into_the_paste_and_the_incident(engine: Engine) -> None:
    text = "see below\n" + TRACES["k8s-watch"]
    pieces = {piece.kind: piece for piece in engine.search(text).matches[0].evidence}
    frames = pieces[EvidenceKind.FRAMES]
    assert frames.query_at is not None
    lines = [text[slice(*span)] for span in frames.query_spans]
    assert lines == [line.strip() for line in text.splitlines()[2:]]
    assert frames.query_at == (frames.query_spans[0][0], frames.query_spans[-1][1])
    assert frames.incident_at == "trace 1, exception 1, frames 1-3"
    assert "3 frames in common, the topmost: io.fabric8" in frames.summary
    assert [p.weight for p in engine.search(text).matches[0].evidence] == sorted(
        (p.weight for p in pieces.values()), reverse=True
    )


def test_evidence_speaks_the_language_of_the_question(engine: Engine) -> None:
    assert "共有的词" in " ".join(p.summary for p in engine.search("数据库连接池耗尽，请求超时").matches[0].evidence)


def test_explain_adds_up_to_the_probability_of_the_search(engine: Engine) -> None:
    answer = engine.search(TRACES["zk-session"])
    explained = engine.explain(TRACES["zk-session"], "zk-session")
    assert explained is not None
    assert answer.matches[0].probability == explained.probability
    total = explained.bias + explained.calibration + sum(line.contribution for line in explained.features)
    assert explained.probability == pytest.approx(1 / (1 + 2.718281828459045**-total), abs=1e-9)
    assert explained.alignment is not None
    assert sum(pair.is_match for pair in explained.alignment.frames) == 2
    assert engine.explain("x", "no-such-incident") is None


@pytest.mark.parametrize("order", [("kafka-rebalance", "hikari-pool"), ("hikari-pool", "kafka-rebalance")])
def test_explain_agrees_with_the_search_where_a_text_has_several_problems(
    engine: Engine, order: tuple[str, str]
) -> None:
    text = "\n\nand an hour later\n\n".join(TRACES[name] for name in order)
    answer = engine.search(text)
    assert len(answer.problems) == 2
    for problem in answer.problems:
        (first, *_) = problem.matches
        explained = engine.explain(text, first.incident.id)
        assert explained is not None
        assert explained.probability == first.probability
        assert [(one.kind, one.query_spans) for one in explained.evidence] == [
            (one.kind, one.query_spans) for one in first.evidence
        ]


@pytest.mark.parametrize(("filters", "expected"), [({"lang": "zh"}, {"zh"}), ({"lang": "en"}, {"en"})])
def test_filters_narrow(engine: Engine, filters: dict[str, str], expected: set[str]) -> None:
    assert expected == {
        match.incident.lang for match in engine.search(TRACES["ckpt-lease"], k=20, filters=filters).matches
    }


def test_an_unknown_filter_gives_nothing_and_says_so(engine: Engine) -> None:
    answer = engine.search(TRACES["ckpt-lease"], filters={"colour": "red"})
    assert (answer.matches, answer.verdict) == ((), Verdict.UNKNOWN)
    assert any("colour" in note for note in answer.notes)


@pytest.mark.parametrize(("k", "expected"), [(1, 1), (0, 1), (-3, 1), (2, 2)])
def test_k_is_held_within_bounds(engine: Engine, k: int, expected: int) -> None:
    assert expected == len(engine.search(TRACES["ckpt-lease"], k=k).matches)


def test_secrets_are_counted_and_gone(engine: Engine) -> None:
    answer = engine.search("login failed password=hunter2hunter2 AKIAIOSFODNN7EXAMPLE\n" + TRACES["mysql-deadlock"])
    assert any(note.startswith("secrets were taken out") for note in answer.notes)
    assert "hunter2" not in json.dumps(answer_to_dict(answer))


def test_threads_get_the_answers_that_one_gets(engine: Engine) -> None:
    expected = {key: [m.incident.id for m in engine.search(trace).matches] for key, trace in TRACES.items()}
    found: list[bool] = []

    def work() -> None:
        found.extend(
            [m.incident.id for m in engine.search(trace).matches] == expected[key] for key, trace in TRACES.items()
        )

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [True] * (4 * len(TRACES)) == found


@given(
    st.text(max_size=400)
    | st.sampled_from(sorted(TRACES.values())).flatmap(lambda t: st.integers(0, len(t)).map(lambda i: t[i:]))
)
def test_no_text_raises_and_probabilities_are_probabilities(engine: Engine, text: str) -> None:
    answer = engine.search(text)
    json.dumps(answer_to_dict(answer))
    assert all(0 <= match.probability <= 1 for match in answer.matches)
    assert sorted((m.probability for m in answer.matches), reverse=True) == [m.probability for m in answer.matches]


def test_the_parse_form_has_chains_fingerprints_redactions_notes() -> None:
    parsed = parse_to_dict(TRACES["k8s-watch"])
    assert {"chains", "redactions", "notes"} <= set(parsed)
    chain = parsed["chains"][0]  # type: ignore[index]
    assert {"exact", "root_cause", "loose"} == set(chain["fingerprints"])
    assert chain["exceptions"][0]["template"] == "too old resource version: <int> (<int>)"


def test_what_was_not_looked_at_is_said(engine: Engine) -> None:
    noise = "2024-01-01 INFO tick\n" * 2000
    answer = engine.search(noise + TRACES["hikari-pool"] + "\n" + noise)
    assert answer.matches[0].incident.id == "hikari-pool"
    assert any("first and the last 4,000 characters" in note for note in answer.notes)


def test_a_golden_answer(engine: Engine, golden: Callable[[Path, str], None]) -> None:
    """The wire form of one whole answer; a change of weights changes it, and is to be looked at."""
    wire = answer_to_dict(engine.search("今天凌晨报警\n" + other_values("ckpt-lease"), k=2))
    del wire["took_ms"], wire["snapshot_id"]
    path = Path(__file__).parents[1] / "golden" / "answers" / "checkpoint-lease.json"
    golden(path, json.dumps(wire, ensure_ascii=False, indent=1) + "\n")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        pytest.param(TRACES["mysql-deadlock"].split("\n")[0], Verdict.KNOWN, id="the-same-message"),
        pytest.param(
            "com.mysql.cj.jdbc.exceptions.MySQLTransactionRollbackException: Lock wait timeout exceeded; try restarting transaction",
            Verdict.RELATED,
            id="same-type-other-message",
        ),
    ],
)
def test_an_exception_without_frames_is_known_by_its_message_alone(engine: Engine, text: str, verdict: Verdict) -> None:
    answer = engine.search(text)
    assert ("mysql-deadlock", verdict) == (answer.matches[0].incident.id, answer.verdict)


def test_a_paste_that_ends_at_its_root_cause_is_as_likely_as_its_message(engine: Engine) -> None:
    """Its wrapper's only frame agrees with nothing; the root cause's message says it all."""
    cut = (
        "java.lang.Exception: job failed\n\tat com.acme.Runner.run(Runner.java:7)\nCaused by: "
        + TRACES["mysql-deadlock"].split("\n")[0]
    )
    alone, wrapped = (engine.search(text).matches[0] for text in (TRACES["mysql-deadlock"].split("\n")[0], cut))
    assert wrapped.incident.id == alone.incident.id == "mysql-deadlock"
    assert wrapped.probability == pytest.approx(alone.probability, abs=0.03)


def test_a_search_reads_a_bounded_number_of_postings(engine: Engine) -> None:
    """The most telling words are looked up first, and one of them always; how many others, their postings decide."""
    text = RECORDS["mysql-deadlock"]["title"] + "\n" + " ".join(record["title"] for record in RECORDS.values())
    holdings = engine._holdings
    reading = read(text)
    view = holdings._view(reading, engine._encoder.encode([text])[0])
    looked_up = []
    for most in (1, 20, MAX_READ):
        sought = replace(holdings, max_read=most)._word_weights(view)
        postings = holdings.words.counts(sought.names).sum()
        assert len(sought.names) == 1 or postings <= most
        looked_up.append(list(sought.names))
    few, some, everything = looked_up
    assert (len(few), len(everything)) == (1, MAX_TOKENS)
    assert few == some[:1]
    assert some == everything[: len(some)]
    assert 1 < len(some) < len(everything)
