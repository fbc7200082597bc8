"""`kb up`: when it ingests the bundled write-ups. tests/test_readme.py starts it from nothing, and once more."""

import json
from pathlib import Path

import pytest

from api.commands.up import STAMP, component_counts, corpus_folder, digest, prepare, summary
from kb.errors import KbError
from tests.api.knowledge import build_home


def write_corpus(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def test_the_bundled_write_ups_are_found() -> None:
    assert len(list(corpus_folder().rglob("*.md"))) >= 25


def test_what_is_known_is_counted_by_component(tmp_path: Path) -> None:
    """A translation is no write-up more, and a page about the folder is none."""
    head = "---\nid: {0}\ntitle: x\ncomponent: {1}\n---\n## Symptom\n\nx\n"
    told = {"a": head.format("a", "redis"), "b": head.format("b", "jvm"), "c": head.format("c", "jvm")}
    write_corpus(tmp_path, **told, README="---\nincident: false\n---\n")
    (tmp_path / "a.zh.md").write_text("---\nid: a\ntitle: x\nlang: zh\ntranslates: ''\n---\n")
    assert component_counts(tmp_path) == {"jvm": 2, "redis": 1}
    assert summary(component_counts(tmp_path)) == "3 write-ups of 2 components: jvm 2, redis 1"


def test_the_digest_follows_names_and_contents(tmp_path: Path) -> None:
    seen = {digest(write_corpus(tmp_path, a="1", b="2"))}
    seen.add(digest(write_corpus(tmp_path, a="2", b="1")))
    seen.add(digest(write_corpus(tmp_path, c="")))
    (tmp_path / "c.md").rename(tmp_path / "d.md")
    seen.add(digest(tmp_path))
    assert len(seen) == 4
    assert digest(tmp_path) in seen


def test_what_is_ingested_is_not_ingested_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built = build_home(tmp_path)
    (tmp_path / STAMP).write_text(json.dumps({"corpus": digest(corpus_folder())}))
    prepare(tmp_path, corpus_folder())
    assert "nothing to ingest" in capsys.readouterr().err
    assert (tmp_path / "CURRENT").read_text().strip() == built.id


def test_a_failed_ingest_is_told_with_the_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """KB_HOME below a file: `kb ingest` cannot work there, and says why itself."""
    (tmp_path / "file").write_text("")
    home = tmp_path / "file" / "home"
    monkeypatch.setenv("KB_HOME", str(home))
    with pytest.raises(KbError, match="kb ingest of the bundled write-ups failed") as raised:
        prepare(home, corpus_folder())
    assert "kb doctor" in raised.value.cure
