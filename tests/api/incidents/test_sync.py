"""A folder and the store, brought to say the same either way; nothing is lost on either side."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.incidents import open_incidents
from api.incidents.files import name_of, read_folder, stamped, text_of_record, write_file
from api.incidents.sync import FileOutcome, Sync, SyncState, counts, failed, sync_state
from api.settings import ServiceSettings
from kb.annotate import annotated
from kb.article.writeups.translated import translation_of
from kb.article.writeups.writeup import as_written
from kb.errors import KbError
from kb.record import from_record, to_record
from tests.api.incidents.conftest import CORPUS, THREE, Desk


def did(outcomes: Any) -> dict[str, int]:
    return counts(list(outcomes))


def one(outcomes: Any, action: str) -> FileOutcome:
    (found,) = [outcome for outcome in outcomes if outcome.action == action]
    return found


@pytest.mark.parametrize(
    ("base", "current", "from_current", "from_base", "expected"),
    [
        (1, 1, False, None, SyncState.SAME),
        (1, 2, False, True, SyncState.AGREED),
        (1, 1, True, None, SyncState.FILE_CHANGED),
        (1, 2, True, False, SyncState.STORE_CHANGED),
        (1, 2, True, True, SyncState.CONFLICT),
        (1, 2, True, None, SyncState.CONFLICT),
        (3, 2, True, False, SyncState.CONFLICT),
    ],
)
def test_how_they_stand(
    base: int, current: int, *, from_current: bool, from_base: bool | None, expected: SyncState
) -> None:
    assert sync_state(base, current, from_current=from_current, from_base=from_base) is expected


@pytest.mark.slow
def test_the_bundled_write_ups_come_out_as_they_went_in(tmp_path: Path, desk: Desk) -> None:
    """Every third of them: they differ in words alone."""
    every = sorted(path for path in CORPUS.rglob("*.md") if path.name.islower() and translation_of(path.name) is None)
    files = [path for at, path in enumerate(every) if at % 3 == 0 or path.stem in THREE]
    desk.folder.joinpath("README.md").write_bytes((CORPUS / "README.md").read_bytes())
    pages = [
        *files,
        *(path for path in CORPUS.rglob("*.md") if translation_of(path.name) in {one.name for one in files}),
    ]
    for path in pages:
        desk.folder.joinpath(path.name).write_bytes(path.read_bytes())
    assert did(desk.sync().import_folder()) == {"created": len(files)}
    assert did(desk.sync().import_folder()) == {"unchanged": len(files)}
    assert did(desk.sync().export_folder()) == {"unchanged": len(files)}
    fresh = tmp_path / "fresh"
    assert did(Sync(desk.incidents, fresh).export_folder()) == {"written": len(files)}
    for path in pages:
        assert fresh.joinpath(path.name).read_bytes() == path.read_bytes(), path.name
        assert desk.folder.joinpath(path.name).read_bytes() == path.read_bytes(), path.name


def test_what_changed_in_a_file_is_saved_and_the_file_gets_its_number(desk: Desk) -> None:
    list(desk.sync().import_folder())
    desk.change("KAFKA-4169", "KAFKA-1")
    assert did(desk.sync(dry=True).import_folder()) == {"unchanged": 2, "revised": 1}
    assert desk.incidents.get(THREE[0])["revision"] == 1
    assert did(desk.sync().export_folder()) == {"unchanged": 2, "file changed": 1}
    assert did(desk.sync(note="mended").import_folder()) == {"unchanged": 2, "revised": 1}
    assert "KAFKA-1）" in desk.incidents.get(THREE[0])["fix"]
    assert next(iter(desk.incidents.history(THREE[0])))["note"] == "mended"
    assert "\nrevision: 2\n---\n" in desk.file().read_text(encoding="utf-8")
    assert did(desk.sync().import_folder()) == {"unchanged": 3}


def test_a_change_in_the_store_reaches_the_file_by_export_only(desk: Desk) -> None:
    list(desk.sync().import_folder())
    desk.incidents.attach(THREE[0], "a.b.C: new\n\tat a.b.C.d(C.java:1)")
    before = desk.file().read_bytes()
    assert did(desk.sync().import_folder()) == {"unchanged": 2, "store changed": 1}
    assert did(desk.sync(dry=True).export_folder()) == {"unchanged": 2, "updated": 1}
    assert desk.file().read_bytes() == before
    assert did(desk.sync().export_folder()) == {"unchanged": 2, "updated": 1}
    assert "a.b.C: new" in desk.file().read_text(encoding="utf-8")
    assert did(desk.sync().import_folder()) == {"unchanged": 3}
    assert desk.incidents.get(THREE[0])["revision"] == 2


def test_what_both_changed_is_a_conflict_with_both_sides(desk: Desk) -> None:
    list(desk.sync().import_folder())
    desk.incidents.attach(THREE[0], "a.b.C: new")
    desk.change("KAFKA-4169", "KAFKA-1")
    mine = desk.file().read_bytes()
    for outcomes in (list(desk.sync().import_folder()), list(desk.sync().export_folder())):
        found = one(outcomes, "conflict")
        assert failed(outcomes)
        assert found.sides["store"]["traces"][-1] == "a.b.C: new"
        assert "KAFKA-1）" in found.sides["file"]["fix"]
        assert found.sides["base"]["revision"] == 1
    assert desk.file().read_bytes() == mine
    assert desk.incidents.get(THREE[0])["revision"] == 2
    desk.change("created:", "revision: 2\ncreated:")  # what the message says: on top of it
    assert did(desk.sync().import_folder()) == {"unchanged": 2, "revised": 1}


def test_both_made_the_same_change(desk: Desk) -> None:
    list(desk.sync().import_folder())
    desk.change("KAFKA-4169", "KAFKA-1")
    desk.incidents.replace(THREE[0], desk.file().read_text(encoding="utf-8"), 1)
    assert did(desk.sync().import_folder()) == {"unchanged": 3}
    assert "\nrevision: 2\n" in desk.file().read_text(encoding="utf-8")


def test_a_file_that_was_deleted_is_told_and_retires_only_when_asked(desk: Desk) -> None:
    list(desk.sync().import_folder())
    desk.file().unlink()
    assert did(desk.sync().import_folder()) == {"unchanged": 2, "no file": 1}
    assert did(desk.sync(dry=True).import_folder(retire_missing=True)) == {"unchanged": 2, "retired": 1}
    assert desk.incidents.get(THREE[0])["status"] == "published"
    assert did(desk.sync().import_folder(retire_missing=True)) == {"unchanged": 2, "retired": 1}
    assert desk.incidents.get(THREE[0])["status"] == "retired"
    assert did(desk.sync().export_folder()) == {"unchanged": 2}, "a retired one gets no new file"
    assert did(desk.sync().export_folder(retired=True)) == {"unchanged": 2, "written": 1}
    assert did(desk.sync().import_folder()) == {"unchanged": 3}


def test_an_empty_folder_retires_nothing(tmp_path: Path, desk: Desk) -> None:
    list(desk.sync().import_folder())
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(KbError, match="no write-up"):
        list(Sync(desk.incidents, empty).import_folder(retire_missing=True))
    assert desk.incidents.get(THREE[0])["status"] == "published"


def test_a_state_set_in_the_store_comes_into_the_file(desk: Desk) -> None:
    list(desk.sync().import_folder())
    desk.incidents.move(THREE[0], "retired", 1)
    assert did(desk.sync().export_folder()) == {"unchanged": 2, "updated": 1}
    assert "status: retired\nrevision: 2\n---" in desk.file().read_text(encoding="utf-8")
    desk.change("status: retired", "status: published")
    assert did(desk.sync().import_folder()) == {"unchanged": 2, "revised": 1}
    assert desk.incidents.get(THREE[0])["status"] == "published"


def test_a_merged_one_is_told(desk: Desk) -> None:
    list(desk.sync().import_folder())
    desk.incidents.merge(THREE[0], THREE[1], (1, 1))
    assert one(desk.sync().import_folder(), "merged").id == THREE[0]
    assert one(desk.sync().export_folder(), "merged").id == THREE[0]
    assert desk.file().exists()


def test_an_incident_of_the_snapshot_is_revised_where_its_file_differs(home: Path, tmp_path: Path) -> None:
    settings = ServiceSettings(home=home, database_url=f"sqlite:///{tmp_path / 'other.db'}")
    with open_incidents(settings) as incidents:
        there = Desk(incidents, tmp_path / "more", home)
        name = "kafka-commit-rebalanced"
        write_file(there.file(name), text_of_record(incidents.get(name)))
        assert did(there.sync().import_folder()) == {"unchanged": 1}
        there.change("max.poll.records", "max.poll.records=10", name)
        assert did(there.sync().import_folder()) == {"revised": 1}
        assert [(row["revision"], row["author"]["id"]) for row in incidents.history(name)][1] == (1, "ingest")


def test_a_mistake_names_its_line_and_the_rest_is_synced(desk: Desk) -> None:
    desk.change("component:", "compnent:")
    desk.folder.joinpath("twice.md").write_bytes(desk.file(THREE[1]).read_bytes())
    outcomes = list(desk.sync().import_folder())
    assert counts(outcomes) == {"created": 1, "invalid": 3}
    (typo,) = [place for found in outcomes for place in found.problems if "compnent" in place.problem]
    assert (typo.line, typo.column) == (5, 1)
    assert failed(outcomes)


def test_a_file_without_an_id_gets_the_name_of_the_file(desk: Desk) -> None:
    desk.change(f"id: {THREE[0]}\n", "")
    desk.file().rename(desk.folder / "by-hand.md")
    assert did(desk.sync().import_folder()) == {"created": 3}
    assert desk.incidents.get("by-hand")["component"] == "kafka"
    assert "id: by-hand\n" in (desk.folder / "by-hand.md").read_text(encoding="utf-8")


def test_secrets_are_not_saved_and_the_file_is_named(desk: Desk) -> None:
    desk.change("component: kafka", "component: kafka\nlicence: 'password=hunter2hunter2'")
    found = one((x for x in list(desk.sync().import_folder()) if x.id == THREE[0]), "created")
    assert "1 secrets were not saved" in found.detail
    assert "hunter2" not in str(desk.incidents.get(THREE[0]))
    assert did(desk.sync().import_folder()) == {"unchanged": 3}


def test_hidden_files_links_and_other_pages_are_left_alone(desk: Desk) -> None:
    (desk.folder / ".git").mkdir()
    (desk.folder / ".git" / "a.md").write_bytes(desk.file().read_bytes())
    (desk.folder / "linked.md").symlink_to(desk.file())
    (desk.folder / "notes.md").write_text("# Notes\n", encoding="utf-8")
    (desk.folder / "deep").mkdir()
    desk.file().rename(desk.folder / "deep" / "moved.md")
    assert did(desk.sync().import_folder()) == {"created": 3}
    assert did(desk.sync().export_folder()) == {"unchanged": 3}, "a file is known by its id, wherever it lies"


def test_a_name_that_is_taken_is_not_overwritten(desk: Desk) -> None:
    list(desk.sync().import_folder())
    desk.file().write_text("# my own page\n", encoding="utf-8")
    assert one(desk.sync().export_folder(), "conflict").file == desk.file()
    assert desk.file().read_text(encoding="utf-8") == "# my own page\n"


@pytest.mark.parametrize(
    ("incident_id", "name"),
    [
        ("kafka-record-too-large", "kafka-record-too-large.md"),
        ("a.b_c-1", "a.b_c-1.md"),
        ("con", "con~"),
        ("nul.x", "nul-x~"),
        ("README", "readme~"),
        ("Kafka", "kafka~"),
        ("team/a", "team-a~"),
        ("../../etc", "etc~"),
        ("连接", "连接~"),
        (".hidden", "hidden~"),
        ("x" * 150, f"{'x' * 40}~"),
        ("trailing.", "trailing~"),
    ],
)
def test_names_of_files(incident_id: str, name: str) -> None:
    found = name_of(incident_id)
    assert found == name_of(incident_id)
    assert found.startswith(name)
    assert "/" not in found


def test_ids_that_differ_in_case_alone_have_names_that_differ_more() -> None:
    assert len({name_of(one).lower() for one in ("pool", "Pool", "POOL", "pool~")}) == 4


def test_killed_in_the_middle_a_file_is_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.md"
    write_file(file, "old")

    def killed(_: Path, __: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write_file(file, "new")
    assert file.read_text() == "old"
    assert read_folder(tmp_path) == []
    monkeypatch.undo()
    write_file(file, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\ntitle: x\n---\nbody", "---\nid: a\ntitle: x\nrevision: 3\n---\nbody"),
        ("---\nid: a\nrevision: 2\nx: 1\n---\n", "---\nid: a\nrevision: 3\nx: 1\n---\n"),
        ("---\nid: a\nrevision: 3\n---\n", "---\nid: a\nrevision: 3\n---\n"),
    ],
)
def test_stamps(text: str, expected: str) -> None:
    assert stamped(text, "a", 3, "published") == expected


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
RECORDS = st.fixed_dictionaries(
    {"id": st.text("ab/失 Z", min_size=1, max_size=8).filter(str.strip), "title": WORDS.filter(str.strip)},
    optional={
        "symptom": WORDS,
        "distinguish": WORDS,
        "root_cause": WORDS | st.just("\n\n  ## Fix\nleading\r"),
        "fix": WORDS,
        "traces": st.lists(WORDS | st.just("\n  a.B: x\n```\n\tat a.B.c(B.java:1)\n"), max_size=3),
        "tags": st.lists(WORDS, max_size=2),
        "versions": st.lists(WORDS, max_size=2),
        "codes": st.lists(WORDS, max_size=2),
        "created": WORDS,
        "team": st.dictionaries(WORDS, WORDS | st.integers() | st.none(), max_size=2),
        "references": st.lists(WORDS, max_size=2),
        "quotes": st.just({"fix": [{"start": 1, "end": 2, "line": 3, "heading": "修复"}]}),
        "announced": st.dictionaries(st.sampled_from(["root_cause", "fix"]), WORDS, max_size=2),
    },
)


@settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
@given(RECORDS)
def test_a_record_through_a_file_is_the_same_record(record: dict[str, Any]) -> None:
    incident = annotated(from_record(record))
    text = text_of_record(to_record(incident)).encode().decode().replace("\r\n", "\n")
    read = as_written(text, incident.id)
    assert read is not None
    assert to_record(annotated(read)) == to_record(incident)


TRANSLATION = """---
id: {name}
title: Records are too large for the broker
lang: en
translates:
---
## Symptom

The producer is refused.

## Fix

1. Raise the limit.
"""


def translated(desk: Desk, text: str = TRANSLATION) -> Path:
    file = desk.folder / f"{THREE[0]}.en.md"
    file.write_text(text.replace("{name}", THREE[0]), encoding="utf-8")
    return file


def test_a_translation_is_a_file_beside_its_original(tmp_path: Path, desk: Desk) -> None:
    file = translated(desk)
    before = file.read_bytes(), desk.file().read_bytes()
    assert did(desk.sync().import_folder()) == {"created": 3}
    assert desk.incidents.get(THREE[0])["translations"]["en"]["fix"] == "1. Raise the limit."
    assert did(desk.sync().import_folder()) == {"unchanged": 3}
    assert did(desk.sync().export_folder()) == {"unchanged": 3}
    assert (file.read_bytes(), desk.file().read_bytes()) == before

    fresh = tmp_path / "fresh"
    assert did(Sync(desk.incidents, fresh).export_folder()) == {"written": 3}
    assert sorted(path.name for path in fresh.iterdir()) == sorted(path.name for path in desk.folder.iterdir())
    assert did(Sync(desk.incidents, fresh).import_folder()) == {"unchanged": 3}


def test_a_change_of_a_translation_is_a_revision_and_comes_back(tmp_path: Path, desk: Desk) -> None:
    list(desk.sync().import_folder())
    file = translated(desk)
    assert did(desk.sync().import_folder()) == {"unchanged": 2, "revised": 1}
    other = tmp_path / "other"
    list(Sync(desk.incidents, other).export_folder())
    text = (other / file.name).read_text(encoding="utf-8")
    (other / file.name).write_text(text.replace("Raise the limit", "Raise both limits"), encoding="utf-8")
    assert did(Sync(desk.incidents, other).import_folder()) == {"unchanged": 2, "revised": 1}
    assert did(desk.sync().export_folder()) == {"unchanged": 2, "updated": 1}
    assert "Raise both limits" in file.read_text(encoding="utf-8")


def test_the_file_of_a_translation_that_was_taken_out_is_removed(desk: Desk) -> None:
    file = translated(desk)
    list(desk.sync().import_folder())
    record = desk.incidents.get(THREE[0])
    told = {key: value for key, value in record.items() if key != "translations"}
    desk.incidents.replace(THREE[0], told, record["revision"])
    assert did(desk.sync().export_folder()) == {"unchanged": 2, "updated": 1}
    assert not file.exists()


def test_a_mistake_in_a_translation_names_its_file_and_line(desk: Desk) -> None:
    translated(desk, TRANSLATION.replace("lang: en", "lang: en\ncolour: red"))
    (wrong,) = [file for file in read_folder(desk.folder) if file.problems]
    assert [(one.line, one.problem.partition(":")[0]) for one in wrong.problems] == [(5, f"{THREE[0]}.en.md")]
