"""The rules of a home: read with their folder, in force when a snapshot opens, and what was built under others is refused."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from index import Engine, Explanation
from index.build import build
from index.checkup import rules as check_rules_file
from index.checkup import snapshot
from index.encoder import load_encoder
from index.entry import entries
from index.local_rules import activate_home_rules, read_candidate, read_folder, read_house
from index.rules_trial import try_rules
from index.storage.snapshot import SnapshotInfo, current
from index.wire import parse_to_dict
from kb.errors import RulesError, SnapshotError
from kb.record import from_record
from kb.store import IncidentChange
from kb.trace import Level
from kb.trace.custom import NONE, read_custom
from kb.trace.in_force import activate, adopted, made_ready, rules_in_force

FRAMES = "\tat com.acme.shop.Orders.{}(Orders.java:31)\n\tat com.acme.Main.main(Main.java:3)\n"
RECORDS = [
    {"id": "first", "title": "First", "trace": "com.acme.PayError: order ORD/a failed\n" + FRAMES.format("pay"), "fix": "x"},
    {"id": "second", "title": "Second", "trace": "com.acme.PayError: order ORD/b failed\n" + FRAMES.format("pay"), "fix": "x"},
    {"id": "third", "title": "Third", "trace": "com.acme.SendError: gone\n" + FRAMES.format("send"), "fix": "x"},
]  # fmt: skip


@pytest.fixture(autouse=True)
def _no_rules_are_left() -> Iterator[None]:
    yield
    activate(NONE)


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


def built(home: Path) -> SnapshotInfo:
    activate_home_rules(home)
    encoder = load_encoder(None)
    return build([entries([from_record(record) for record in RECORDS], encoder)], home, encoder)


def test_a_home_without_a_folder_has_no_rules(tmp_path: Path) -> None:
    assert read_house(tmp_path) == NONE
    write(tmp_path / "rules")
    assert read_house(tmp_path) == NONE


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("in-app.txt", b"", "in-app.txt is no rules file"),
        ("noise.text", b"", "noise.text is no rules file"),
        ("noise.txt", b"a.b.\n\xff\n", "noise.txt:2: not UTF-8"),
        ("noise.txt", b"a b\n", "noise.txt:1: 'a b' holds a blank"),
        ("noise.txt", b"#" * (1 << 20) + b"#", "noise.txt has 1,048,577 bytes"),
    ],
)
def test_a_mistake_is_named_with_its_file(tmp_path: Path, name: str, data: bytes, problem: str) -> None:
    folder = write(tmp_path / "rules")
    (folder / name).write_bytes(data)
    with pytest.raises(RulesError, match=problem) as raised:
        read_house(tmp_path)
    assert raised.value.problem.startswith(str(folder))
    finding = check_rules_file(tmp_path)
    assert (finding.ok, finding.finding) == (False, raised.value.problem)


def test_a_folder_that_is_a_rules_file_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "rules" / "noise.txt").mkdir(parents=True)
    with pytest.raises(RulesError, match="cannot be read"):
        read_house(tmp_path)


def test_what_is_beside_the_rules_is_left_alone(tmp_path: Path) -> None:
    folder = write(tmp_path / "rules", noise="a.b.\n")
    for name in (".gitignore", "noise.txt~", "README.md"):
        (folder / name).write_text("not a rule")
    assert read_house(tmp_path).noise == ("a.b.",)


def test_one_file_takes_the_place_of_its_namesake(tmp_path: Path) -> None:
    write(tmp_path / "rules", noise="a.b.\n", wrappers="a.W\n")
    candidate = write(tmp_path / "tried", noise="c.d.\n")
    assert read_candidate(candidate, tmp_path) == read_folder(candidate)
    mixed = read_candidate(candidate / "noise.txt", tmp_path)
    assert (mixed.noise, mixed.wrappers) == (("c.d.",), ("a.W",))
    with pytest.raises(RulesError, match="no rules file"):
        read_candidate(write(tmp_path / "other", inapp="x.y") / "inapp.txt", tmp_path)


def test_no_rules_leave_the_snapshot_as_it_was(tmp_path: Path) -> None:
    plain = built(tmp_path / "plain")
    write(tmp_path / "empty" / "rules", noise="# nothing yet\n")
    assert built(tmp_path / "empty").id == plain.id
    assert plain.manifest.rules == ""
    write(tmp_path / "ruled" / "rules", noise="a.b.\n")
    assert built(tmp_path / "ruled").id != plain.id


def test_a_snapshot_under_other_rules_is_refused_until_it_is_built_again(tmp_path: Path) -> None:
    old = built(tmp_path)
    write(tmp_path / "rules", messages="<order> ORD/[a-z]+\n")
    with pytest.raises(SnapshotError, match="under no rules of the house, the home has the rules") as raised:
        Engine.open(tmp_path)
    assert "kb ingest" in raised.value.cure
    assert not snapshot(tmp_path).ok
    assert rules_in_force() == NONE
    new = built(tmp_path)
    assert new.id != old.id
    assert snapshot(tmp_path).ok
    (tmp_path / "rules" / "messages.txt").unlink()
    with pytest.raises(SnapshotError, match=r"under the rules .*, the home has no rules of the house"):
        Engine.open(tmp_path)


@pytest.fixture
def ruled(tmp_path: Path) -> Iterator[Engine]:
    """An engine of a home that names orders, in a process without rules."""
    write(tmp_path / "rules", messages="<order> ORD/[a-z]+\n")
    built(tmp_path)
    activate(NONE)
    engine = Engine.open(tmp_path)
    yield engine
    engine.close()


def is_exact(explanation: Explanation | None) -> bool:
    assert explanation is not None
    return {line.name: line.value > 0 for line in explanation.features}["exact"]


def test_an_engine_reads_pastes_under_the_rules_of_its_home(ruled: Engine, tmp_path: Path) -> None:
    assert (ruled.rules, rules_in_force()) == (read_house(tmp_path), NONE)
    assert is_exact(ruled.explain("com.acme.PayError: order ORD/zz failed\n" + FRAMES.format("pay"), "first"))


def test_two_homes_in_one_process_keep_their_own_rules(tmp_path: Path) -> None:
    """Each text is read under the rules of the engine that was asked, in whatever order and in several threads at once."""
    homes = {"ruled": tmp_path / "ruled", "plain": tmp_path / "plain"}
    write(homes["ruled"] / "rules", messages="<order> ORD/[a-z]+\n", redact="secret EMP-(\\d{6})\n")
    for home in homes.values():
        built(home)
    activate(NONE)
    engines = {name: Engine.open(home) for name, home in homes.items()}
    paste = "com.acme.PayError: order ORD/zz failed for EMP-004711\n" + FRAMES.format("pay")

    def search(name: str) -> tuple[str, str | None, bool]:
        reading, answer = engines[name].searched(paste)
        return name, answer.query.templates[0], "004711" in reading.text

    expected = {
        ("ruled", "order <order> failed for EMP-<secret>", False),
        ("plain", "order ORD/zz failed for EMP-<int>", True),
    }
    try:
        made_ready.cache_clear()
        assert {search(name) for name in ("ruled", "plain", "ruled", "plain")} == expected
        assert made_ready.cache_info().misses == 0  # each engine keeps its own
        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(search, ["ruled", "plain"] * 20)) == expected
        assert rules_in_force() == NONE
    finally:
        for engine in engines.values():
            engine.close()


def test_what_is_saved_is_indexed_under_the_rules_of_its_home(ruled: Engine) -> None:
    trace = "com.acme.StockError: order ORD/q failed\n" + FRAMES.format("take")
    saved = from_record({"id": "saved", "title": "Saved", "trace": trace, "fix": "x"})
    ruled.apply([IncidentChange(1, "saved", saved)])
    assert is_exact(ruled.explain(trace.replace("ORD/q", "ORD/other"), "saved"))


def test_a_trial_counts_what_would_change_and_changes_nothing(tmp_path: Path) -> None:
    info = built(tmp_path)
    tried = read_folder(write(tmp_path / "tried", messages="<order> ORD/[a-z]+\n"))
    seen: list[tuple[int, int]] = []
    trial = try_rules(tmp_path, tried, progress=lambda done, total: seen.append((done, total)))
    assert (trial.snapshot_id, trial.rules_now, trial.rules_tried) == (info.id, "", tried.digest)
    assert (trial.incidents, trial.incidents_changed, trial.traces) == (3, 2, 3)
    exact, loose = trial.effects[Level.EXACT], trial.effects[Level.LOOSE]
    assert (exact.changed, exact.distinct_before, exact.distinct_after, exact.merging, exact.splitting) == (
        2,
        3,
        2,
        1,
        0,
    )
    assert loose.changed == 0
    assert [(change.incident_id, change.trace) for change in trial.examples] == [("first", 1), ("second", 1)]
    before, after = trial.examples[0].bases[Level.EXACT]
    assert (before[0], after[0]) == ("com.acme.PayError: order ORD/a failed", "com.acme.PayError: order <order> failed")
    merge = next(group for group in trial.merges if group.level is Level.EXACT)
    assert (merge.incidents, merge.traces, len(merge.before), len(merge.after)) == (("first", "second"), 2, 2, 1)
    assert trial.splits == ()
    assert seen == [(3, 3)]
    assert rules_in_force() == NONE
    assert current(tmp_path).id == info.id


def test_taking_rules_back_splits_what_they_had_merged(tmp_path: Path) -> None:
    write(tmp_path / "rules", messages="<order> ORD/[a-z]+\n")
    built(tmp_path)
    trial = try_rules(tmp_path, NONE, show=1)
    assert trial.effects[Level.ROOT_CAUSE].splitting == 1
    (split,) = [group for group in trial.splits if group.level is Level.ROOT_CAUSE]
    assert (split.incidents, len(split.before), len(split.after)) == (("first", "second"), 1, 2)
    assert len(trial.examples) == 1
    write(tmp_path / "rules", messages="<order> other\n")
    with pytest.raises(SnapshotError, match="was built under the rules"):
        try_rules(tmp_path, NONE)


def test_what_is_shown_of_a_paste_says_in_app_as_the_rules_do() -> None:
    def shown() -> list[bool]:
        chain = parse_to_dict("a.E: x\n" + FRAMES.format("pay"))["chains"][0]  # type: ignore[index]
        return [frame["in_app"] for frame in chain["exceptions"][0]["frames"]]

    assert shown() == [True, True]
    with adopted(read_custom({"in_app.txt": "!com.acme.\ncom.acme.Main.\n"})):
        assert shown() == [False, True]
