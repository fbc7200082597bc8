"""`kb incidents`: each command on a home, in this process; one of them through a running service."""

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.store import Actor, Role, Store
from tests.api.command import Ended, failed
from tests.api.command import kb as any_kb
from tests.api.fixtures import serving
from tests.api.incidents.conftest import CORPUS, THREE

NAME = THREE[0]
FILE = next(CORPUS.glob(f"*/{NAME}.md"))
Kb = Callable[..., Ended]


@pytest.fixture
def kb(tmp_path: Path) -> Kb:
    """`kb incidents …` on a home with one write-up."""

    def run(*arguments: str, **options: object) -> Ended:
        return any_kb("incidents", *arguments, home=tmp_path / "home", **options)  # type: ignore[arg-type]

    assert run("add", str(FILE)).returncode == 0
    return run


def told(ended: Ended) -> object:
    assert ended.returncode == 0, ended.stderr.decode()
    return json.loads(ended.stdout)


def an_editor(folder: Path, script: str) -> dict[str, str]:
    """An editor that runs a line of sed over the file."""
    program = folder / "editor"
    program.write_text(f'#!/bin/sh\nsed -i "{script}" "$1"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return {"EDITOR": str(program), "VISUAL": ""}


def test_every_command_has_json(kb: Kb) -> None:
    shown = told(kb("show", NAME, "--json"))
    assert shown["component"] == "kafka"  # type: ignore[index]
    listed = told(kb("list", "--text", "kafka", "--json"))
    assert [row["id"] for row in listed["incidents"]] == [NAME]  # type: ignore[index]
    attached = told(kb("attach", NAME, "-", "--json", paste="a.b.C: x\n\tat a.b.C.d(C.java:1)\n"))
    assert attached["revision"] == 2  # type: ignore[index]
    assert [one["revision"] for one in told(kb("history", NAME, "--json"))["revisions"]] == [2, 1]  # type: ignore[index]
    assert [one["field"] for one in told(kb("diff", NAME, "--json"))["fields"]] == [f"/traces/{len(shown['traces'])}"]  # type: ignore[index]
    assert told(kb("restore", NAME, "1", "--json"))["revision"] == 3  # type: ignore[index]
    assert told(kb("retire", NAME, "--json"))["status"] == "retired"  # type: ignore[index]
    assert told(kb("publish", NAME, "--json"))["status"] == "published"  # type: ignore[index]
    assert told(kb("add", "-", "--json", paste=FILE.read_text().replace(f"id: {NAME}", "id: other")))["id"] == "other"  # type: ignore[index]
    assert told(kb("merge", "other", NAME, "--json"))["to_id"] == NAME  # type: ignore[index]
    assert told(kb("show", "other", "--json"))["id"] == NAME  # type: ignore[index]
    assert told(kb("split", "other", "--json"))["undone_at"]  # type: ignore[index]


def test_the_same_for_people(kb: Kb) -> None:
    shown = kb("show", NAME).stdout.decode()
    assert "根因" not in shown
    assert "Root cause" in shown
    assert "revision 1 · published" in shown
    assert kb("show", NAME, "--markdown").stdout == FILE.read_bytes()
    assert NAME in kb("list").stdout.decode()
    kb("attach", NAME, "-", paste="a.b.C: \x1b[31mred")
    diff = kb("diff", NAME).stdout.decode()
    assert "  + a.b.C: " in diff
    assert "\x1b" not in diff
    assert "also seen as" in kb("history", NAME).stdout.decode()


def test_mistakes_of_the_user(kb: Kb, tmp_path: Path) -> None:
    assert "No incident has this id" in failed(kb("show", "nothing"))
    assert "import" in failed(kb("add", str(FILE)))
    assert "has no revision 9" in failed(kb("show", NAME, "--revision", "9"))
    assert "is at revision 1" in failed(kb("retire", NAME, "--revision", "7")).replace("It is", "is")
    wrong = tmp_path / "wrong.md"
    wrong.write_text("---\ntitle: x\ntgas: [a]\n---\n## Symptom\n\ny\n")
    result = kb("add", str(wrong))
    assert result.returncode == 1
    assert f"{wrong}:3:1: `tgas` is no key" in result.stderr.decode()


def test_what_comes_out_of_the_editor_is_saved(kb: Kb, tmp_path: Path) -> None:
    result = kb("edit", NAME, "--message", "why", env=an_editor(tmp_path, "s/KAFKA-4169/KAFKA-1/"))
    assert result.returncode == 0, result.stderr.decode()
    record = told(kb("show", NAME, "--json"))
    assert "KAFKA-1）" in record["fix"]  # type: ignore[index]
    assert told(kb("history", NAME, "--json"))["revisions"][0]["note"] == "why"  # type: ignore[index]
    again = kb("edit", NAME, env=an_editor(tmp_path, "s/KAFKA-1/KAFKA-1/"))
    assert b"nothing was changed" in again.stderr
    assert told(kb("show", NAME, "--json"))["revision"] == 2  # type: ignore[index]


def kept_file(ended: Ended) -> Path:
    assert ended.returncode == 1
    (name,) = [word.rstrip(":,") for word in ended.stderr.decode().split("your text is in ")[1].split()[:1]]
    return Path(name)


def test_an_invalid_text_is_kept_and_its_mistakes_are_placed(kb: Kb, tmp_path: Path) -> None:
    result = kb("edit", NAME, env=an_editor(tmp_path, "s/^component:/compnent:/"))
    file = kept_file(result)
    assert f"{file}:5:1: `compnent` is no key" in result.stderr.decode()
    assert "compnent: kafka" in file.read_text(encoding="utf-8")
    file.write_text(file.read_text(encoding="utf-8").replace("compnent: kafka", "component: broker"), encoding="utf-8")
    assert kb("import", str(file)).returncode == 0
    assert told(kb("show", NAME, "--json"))["component"] == "broker"  # type: ignore[index]


def test_a_stale_text_is_kept_and_both_sides_are_shown(kb: Kb, tmp_path: Path) -> None:
    store = tmp_path / "home" / "store.db"
    other = tmp_path / "other.py"
    other.write_text(
        "from pathlib import Path\nfrom kb.store import Actor, Role, Store\n"
        f"with Store.open(Path({str(store)!r})) as s:\n"
        f"    s.incidents.attach({NAME!r}, 'a.b.C: theirs', actor=Actor('ann', 'Ann', Role.CURATOR))\n"
    )
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\npython3 {other} && sed -i "s/KAFKA-4169/KAFKA-1/" "$1"\n')
    editor.chmod(0o700)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    result = kb("edit", NAME, env={"EDITOR": str(editor), "VISUAL": "", "PATH": path, "PYTHONPATH": str(CORPUS.parent)})
    shown = result.stdout.decode()
    assert "Revision 2, by Ann, changed:" in shown
    assert "+ a.b.C: theirs" in shown
    assert "KAFKA-1）" in shown
    assert "KAFKA-1）" in kept_file(result).read_text(encoding="utf-8")
    assert told(kb("show", NAME, "--json"))["revision"] == 2  # type: ignore[index]


def test_an_editor_that_fails_loses_nothing(kb: Kb) -> None:
    assert "does not start" in failed(kb("edit", NAME, env={"EDITOR": "/nowhere/ed", "VISUAL": ""}))
    assert "ended with 1" in failed(kb("edit", NAME, env={"EDITOR": "false", "VISUAL": ""}))


def test_json_lines_in_and_out(kb: Kb, tmp_path: Path) -> None:
    lines = tmp_path / "all.jsonl"
    assert kb("export", str(lines)).returncode == 0
    record = json.loads(lines.read_text(encoding="utf-8"))
    assert record["id"] == NAME
    assert told(kb("import", str(lines), "--json"))["counts"] == {"unchanged": 1}  # type: ignore[index]
    new = json.dumps({"title": "New", "trace": "a.b.C: x", "team": "a", "id": "new"})
    lines.write_text(f"{json.dumps(record | {'component': 'broker'})}\n{new}\nno json\n", encoding="utf-8")
    result = kb("import", str(lines), "--json")
    assert result.returncode == 1
    assert json.loads(result.stdout)["counts"] == {"created": 1, "revised": 1, "invalid": 1}
    assert told(kb("show", "new", "--json"))["team"] == "a"  # type: ignore[index]
    stale = kb("import", str(lines), "--json")
    assert json.loads(stale.stdout)["counts"] == {"unchanged": 2, "invalid": 1}
    lines.write_text(json.dumps(record | {"component": "third"}), encoding="utf-8")
    assert json.loads(kb("import", str(lines), "--json").stdout)["counts"] == {"conflict": 1}


def test_a_conflict_ends_with_1_and_says_what_to_do(kb: Kb, tmp_path: Path) -> None:
    folder = tmp_path / "write-ups"
    assert told(kb("export", str(folder), "--json"))["counts"] == {"written": 1}  # type: ignore[index]
    file = folder / FILE.name
    assert file.read_bytes() == FILE.read_bytes()
    kb("attach", NAME, "-", paste="a.b.C: theirs")
    file.write_text(file.read_text(encoding="utf-8").replace("KAFKA-4169", "KAFKA-1"), encoding="utf-8")
    result = kb("import", str(folder))
    assert result.returncode == 1
    shown = " ".join(result.stdout.decode().split())
    assert "both changed since revision 1" in shown
    assert "`revision: 2` into its head" in shown
    assert "+ a.b.C: theirs" in shown


def test_through_a_running_service(home: Path, tmp_path: Path) -> None:
    place = f"sqlite:///{tmp_path / 'store.db'}"
    with Store.open(place) as store:
        _, key = store.keys.create("cli", Role.CURATOR, actor=Actor("test", "test", Role.ADMIN))
    folder = tmp_path / "write-ups"
    folder.mkdir()
    (folder / FILE.name).write_bytes(FILE.read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KB_DATABASE_URL", place)
        with serving(home, tmp_path) as server:
            env = {"KB_URL": server.url, "KB_KEY": key}
            assert told(any_kb("incidents", "import", str(folder), "--json", env=env))["counts"] == {"created": 1}  # type: ignore[index]
            assert told(any_kb("incidents", "export", str(tmp_path / "new"), "--json", env=env))["counts"] == {
                "written": 1
            }  # type: ignore[index]
            nobody = any_kb("incidents", "retire", NAME, env={"KB_URL": server.url})
            assert "KB_KEY" in failed(nobody)
    assert (tmp_path / "new" / FILE.name).read_bytes() == FILE.read_bytes()
    with Store.open(place) as store:
        assert store.incidents.current(NAME).author.name == "cli"


def test_translations_are_stamped_and_those_that_lag_are_told(kb: Kb, tmp_path: Path) -> None:
    folder = tmp_path / "write-ups"
    folder.mkdir()
    (folder / FILE.name).write_bytes(FILE.read_bytes())
    translation = folder / f"{NAME}.en.md"
    translation.write_text(f"---\nid: {NAME}\ntitle: A title\nlang: en\ntranslates:\n---\n## Fix\n\nRaise it.\n")

    assert kb("stamp", str(folder), "--check").returncode == 1
    assert "translates:\n" in translation.read_text()
    assert told(kb("stamp", str(folder), "--json")) == {
        "translations": 1,
        "late": [{"id": NAME, "lang": "en", "follows": "", "stamped": True}],
    }
    stamped = translation.read_text()
    assert kb("stamp", str(folder), "--check").returncode == 0
    text = (folder / FILE.name).read_text(encoding="utf-8")
    (folder / FILE.name).write_text(text.replace("## 解决\n", "## 解决\n\n先看日志。\n"), encoding="utf-8")
    late = kb("stamp", str(folder))
    assert (late.returncode, translation.read_text()) == (1, stamped)
    assert NAME in late.stderr.decode()
    assert kb("stamp", str(folder), NAME).returncode == 0
    assert translation.read_text() != stamped
