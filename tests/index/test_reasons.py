"""Why a match is one, and what speaks against it: only what is true, and marked exactly where the paste says it."""

import json
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.answer import Evidence, EvidenceKind
from index.encoder import load_encoder
from index.explain.case import MOST, MatchCase
from index.explain.evidence import evidence
from index.explain.spans import QuerySpans, find_form, lowered
from index.explain.together import AGREE
from index.ranking.compare import MESSAGE_PRIOR
from index.ranking.features import NAMES
from index.ranking.rank import BASE, KINDS, RankModel
from index.reading import read
from index.training.cases import engine_of
from index.training.measured import MeasuredEngine
from kb.record import from_record
from kb.trace import frame_key, normalize, parse, template

FOLDER = Path(__file__).parent
GOLDEN = FOLDER.parent / "golden" / "reasons"
RECORDS = {r["id"]: r for r in map(json.loads, (FOLDER / "incidents.jsonl").read_text("utf-8").splitlines())}
TRACES = {key: record["traces"][0] for key, record in RECORDS.items() if "traces" in record}

PASTES = {
    "its own trace": ("hikari-pool", TRACES["hikari-pool"]),
    "two frames, other values": (
        "hikari-pool",
        ("java.sql.SQLTransientConnectionException: HikariPool-7 - Connection is not available, request timed out after 5001ms.\n"
        "\tat com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:197)\n"
        "\tat com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:162)\n"
        "\tat com.zaxxer.hikari.HikariDataSource.getConnection(HikariDataSource.java:100)\n"
        "\tat com.acme.orders.Orders.load(Orders.java:7)\n"),
    ),
    "same place, other message": (
        "mysql-deadlock",
        ("com.mysql.cj.jdbc.exceptions.MySQLSyntaxErrorException: Table 'shop.orders' doesn't exist\n"
        "\tat com.mysql.cj.jdbc.exceptions.SQLError.createSQLException(SQLError.java:120)\n"
        "\tat com.mysql.cj.jdbc.ClientPreparedStatement.executeInternal(ClientPreparedStatement.java:916)\n"
        "\tat com.acme.Shop.buy(Shop.java:3)\n"),
    ),
    "a message that is nearly the same": (
        "mysql-deadlock",
        "com.mysql.cj.jdbc.exceptions.MySQLTransactionRollbackException: Lock wait timeout exceeded; try restarting transaction",
    ),
    "the wrapper alone": ("ckpt-lease", TRACES["ckpt-lease"].split("\nCaused by")[0]),
    "the end alone": ("ckpt-lease", "Caused by:" + TRACES["ckpt-lease"].split("Caused by:")[-1]),
    "another cause in the same wrapper": (
        "ckpt-replicas",
        TRACES["ckpt-lease"].split("\nCaused by")[0] + "\nCaused by: java.lang.OutOfMemoryError: Metaspace\n"
        "\tat java.lang.ClassLoader.defineClass1(Native Method)\n\tat com.esotericsoftware.kryo.Kryo.getSerializer(Kryo.java:101)",
    ),
    "a message in two lines": ("npe-config", "java.lang.IllegalStateException: no rates\nfor region EU\n\tat com.example.billing.config.RateLoader.load(RateLoader.java:31)\n"),
    "python": (
        "py-gbk",
        "10:00 worker failed\n" + TRACES["py-gbk"].replace("0xd6 in position 0", "0xb0 in position 71") + "\n10:01 retry",
    ),
    "an error line in a log": (
        "spark-oom",
        "26/11/20 02:11:33 ERROR YarnScheduler: Lost executor 7 on dn14: Container killed by YARN for exceeding memory limits. 11.2 GB of 11 GB physical memory used.",
    ),
    "a question in the other language": ("hikari-pool", "the connection pool is exhausted, requests wait for a connection and time out"),
    "a Chinese question": ("zk-session", "HBase 的 RegionServer 因为长时间垃圾回收导致 ZooKeeper 会话过期，怎么办"),
    "a stranger": (
        "kafka-rebalance",
        "java.lang.IllegalArgumentException: group must not be empty\n\tat com.acme.Groups.check(Groups.java:12)\n\tat com.acme.Main.main(Main.java:4)",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def fair(engine: MeasuredEngine) -> MeasuredEngine:
    """The engine where every feature weighs the same: what is said does not hang on what was learned last."""
    even = copy(engine)
    even.model = RankModel(
        -4.0,
        0.0,
        0.0,
        dict.fromkeys(KINDS, 1.0),
        dict.fromkeys(KINDS, 1.0),
        known=0.9,
        probable=0.5,
        related=0.2,
        shown=0.0,
    )
    return even


def told(engine: MeasuredEngine, text: str, key: str) -> str:
    explained, clean = engine.explain(text, key), read(text).text
    assert explained is not None
    lines: list[str] = []
    for piece in sorted(explained.evidence, key=lambda one: one.kind):
        lines.append(f"{piece.kind}: {piece.summary} [{piece.incident_at or '-'}]")
        lines += [f"    | {clean[slice(*span)]}" for span in piece.query_spans]
    lines += [f"against, {one.kind}: {one.summary}" for one in sorted(explained.against, key=lambda one: one.kind)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", PASTES)
def test_what_is_said_and_marked(fair: MeasuredEngine, golden: Callable[[Path, str], None], name: str) -> None:
    key, text = PASTES[name]
    golden(
        GOLDEN / f"{name.replace(' ', '-').replace(',', '')}.txt", f"{text.strip()}\n=> {key}\n{told(fair, text, key)}"
    )


def cases(engine: MeasuredEngine, text: str) -> Iterator[MatchCase]:
    """The text beside every incident it was compared with."""
    reading = read(text)
    now, places = engine._holdings, QuerySpans(reading)
    for found in engine.compare(reading):
        yield engine._case(places, found, now.shown(found.row), now.chains(found.row))


def mangled() -> st.SearchStrategy[str]:
    """Traces cut anywhere, one behind the other, between lines of a log."""
    piece = st.sampled_from(sorted(TRACES.values())).flatmap(
        lambda trace: st.tuples(st.integers(0, len(trace)), st.integers(0, len(trace))).map(
            lambda cut: trace[min(cut) : max(cut)]
        )
    )
    line = st.sampled_from(["", "2024-01-01 INFO tick", "at noon it failed", "怎么办？", "Pool: 7 0 null"])
    return st.lists(piece | line, min_size=1, max_size=4).map("\n".join)


@given(mangled() | st.sampled_from([text for _, text in PASTES.values()]))
def test_marked_is_only_what_the_compared_trace_has(fair: MeasuredEngine, text: str) -> None:
    for case in cases(fair, text):
        for piece in evidence(case):
            assert list(piece.query_spans) == sorted(set(piece.query_spans))
            if piece.kind in (EvidenceKind.MESSAGE, EvidenceKind.FRAMES):
                assert_stands_there(case, piece)


def assert_stands_there(case: MatchCase, piece: Evidence) -> None:
    """Frames by their lasting key; messages as a part of a template of theirs, or of the pair that agrees."""
    assert case.pair is not None or not piece.query_spans
    for span in piece.query_spans:
        said = case.places.text(span)
        assert case.pair is not None
        if piece.kind is EvidenceKind.FRAMES:
            theirs = {frame_key(f) for e in case.pair.theirs.exceptions for f in e.stack.frames}
            ours = {frame_key(f) for e in case.pair.ours.normalised.exceptions for f in e.stack.frames}
            alone = {frame_key(f) for c in parse(said) for e in normalize(c).exceptions for f in e.stack.frames}
            assert alone & theirs & ours or any(key.rpartition(".")[2] in said for key in theirs & ours)
        else:
            agreed = [case.pair.our_exceptions[one.ours].message or "" for one in case.agreeing]
            assert any(" ".join(template(said).split()) in " ".join(message.split()) for message in agreed)


@given(mangled())
def test_words_that_are_named_are_words_of_the_paste(fair: MeasuredEngine, text: str) -> None:
    for case in cases(fair, text):
        for piece in evidence(case):
            if piece.kind is EvidenceKind.WORDS:
                words = piece.summary.partition("：" if case.lang == "zh" else ": ")[2].split(", ")
                assert words
                assert all(word.partition(" ≈ ")[0] in case.reading.text for word in words)


@given(mangled() | st.sampled_from([text for _, text in PASTES.values()]))
def test_messages_agree_only_above_the_threshold(fair: MeasuredEngine, text: str) -> None:
    for case in cases(fair, text):
        said = [piece.summary for piece in evidence(case) if piece.kind is EvidenceKind.MESSAGE]
        agrees = any("messages agree" in one or "消息一致" in one for one in said)
        assert agrees == bool(said and case.pair and any(m.is_same or m.share >= AGREE for m in case.pair.messages))


@given(mangled())
def test_the_pairs_shown_are_the_pairs_that_counted(fair: MeasuredEngine, text: str) -> None:
    for case in cases(fair, text):
        if case.pair is None:
            continue
        best = max((pair.overlap for pair in case.pair.messages), default=0.0)
        assert best == pytest.approx(case.compared.features.message, abs=1e-6)
        assert bool(case.pair.frames) or not case.compared.features.rarest
        assert case.quoted.counted == pytest.approx(case.compared.features.quoted, abs=1e-6)
        assert all(pair.share >= pair.overlap for pair in case.pair.messages)
    assert MESSAGE_PRIOR > 0


@given(mangled())
def test_what_speaks_against_is_true(fair: MeasuredEngine, text: str) -> None:
    for key in ("ckpt-lease", "mysql-deadlock", "hikari-pool"):
        explained = fair.explain(text, key)
        assert explained is not None
        assert len(explained.against) <= MOST
        assert [one.weight for one in explained.against] == sorted(
            (one.weight for one in explained.against), reverse=True
        )
        for one in explained.against:
            if one.kind == "title":
                words = one.summary.partition("：" if "：" in one.summary else ": ")[2].split(", ")
                assert not [word for word in words if word.casefold() in text.casefold()]


@given(mangled())
def test_frames_in_common_are_as_many_as_are_marked_or_it_is_said(fair: MeasuredEngine, text: str) -> None:
    for case in cases(fair, text):
        for piece in evidence(case):
            if piece.kind is EvidenceKind.FRAMES and piece.query_spans:
                assert case.pair is not None
                told = (
                    f"in {len(piece.query_spans)} places" in piece.summary
                    or f"{len(piece.query_spans)} 处" in piece.summary
                )
                assert told != (len(piece.query_spans) == len(case.pair.frames))


def test_never_none_in_common(engine: MeasuredEngine) -> None:
    for key, text in PASTES.values():
        explained = engine.explain(text, key)
        assert explained is not None
        assert not [one for one in explained.evidence if one.summary.startswith(("0 ", "有 0 "))]


def test_every_kind_but_what_is_missing_has_reasons() -> None:
    assert set(NAMES) - set(KINDS) == set(BASE)


@pytest.mark.parametrize(
    ("unit", "text", "expected"),
    [
        ("replica", "too few Replicas", "Replicas"),
        ("replica", "replicaset", None),
        ("directory", "two directories", "directories"),
        ("node", "on Node18 alone", "Node"),
        ("node", "on nodes18 alone", "nodes"),
        ("node", "node_18 nodejs", "node"),
        ("node1", "on node18", None),
        ("float_", "use numpy.float_ here", "float_"),
        ("hikaripool", "at HikariPool.get", "HikariPool"),
        ("连接池", "数据库连接池耗尽", "连接池"),
        ("c:timeout", "the request Timed Out again", "Timed Out"),
        ("c:timeout", "connectionTimedOut", "TimedOut"),
        ("c:timeout", "等待超时了", "超时"),
        ("c:read", "a thread", None),
    ],
)
def test_forms_of_a_word(unit: str, text: str, expected: str | None) -> None:
    found = find_form(text, lowered(text), unit)
    assert (found and text[slice(*found)]) == expected


@pytest.mark.parametrize(
    ("text", "message", "expected"),
    [
        ("KeyError: 0\n", "0", None),
        ("Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    raise ValueError('bad port')\nValueError: bad port", "bad port", "ValueError: bad port"),
        ('0 0 0\nTraceback (most recent call last):\n  File "a.py", line 0, in f\n    x[0]\nValueError: bad port 0', "bad port <int>", "ValueError: bad port 0"),
    ],
)  # fmt: skip
def test_a_message_is_found_behind_its_type(text: str, message: str, expected: str | None) -> None:
    """``expected``: the end of the line up to the end of the message."""
    places = QuerySpans(read(text))
    spans = [span for trace in range(len(places.reading.traces)) for span in places.messages(trace).get(message, ())]
    assert len(spans) == (expected is not None)
    assert all(text[text.rfind("\n", 0, start) + 1 : end] == expected for start, end in spans)


@pytest.mark.parametrize("end", ["", "é"])
def test_a_word_is_seen_wherever_it_stands_in_a_large_text(end: str) -> None:
    """Also where two parts of it meet; beyond ASCII too."""
    part = 1 << 20
    text = "-" * (part - 4) + "TimeOut" + "-" * part + end
    reading = replace(read("x"), text=text)
    assert QuerySpans(reading).absent(["timeout", "broker", "outage"]) == {"broker", "outage"}


def test_frames_of_an_own_application_leave_an_error_line_its_fingerprint(tmp_path: Path) -> None:
    """A write-up that quotes the error line alone shows no place: frames below the line take nothing from it, and the reason says so."""
    line = "org.apache.kafka.common.errors.RecordTooLargeException: The message is 2200341 bytes when serialized which is larger than 1048576"
    record = {"id": "large", "title": "Kafka producer refuses a large message", "traces": [line]}
    engine = engine_of([from_record(record)], tmp_path, load_encoder(None))

    alone, below = (
        engine.explain(text, "large") for text in (line, f"{line}\n\tat com.acme.Publisher.emit(P.java:61)")
    )
    other = engine.explain(
        line.replace("which is larger", "and was lost") + "\n\tat com.acme.Publisher.emit(P.java:61)", "large"
    )
    engine.close()

    prints = [{one.name: one.value for one in each.features}["root_cause"] for each in (alone, below, other)]
    assert prints[0] == prints[1] > prints[2] == 0.0
    assert any(one.summary.startswith("the same root cause; the incident does not show") for one in below.evidence)
