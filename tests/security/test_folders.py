"""Folders of write-ups and files of cases that somebody made up: a command ends, with a sentence, and reads nothing that lies elsewhere."""

import json
import os
from pathlib import Path

import pytest

from api.incidents.files import read_folder, read_one
from index.evaluation.labelled import CasesError, read_cases

WRITEUP = "---\nid: {0}\ntitle: Login fails\n---\n\n## Symptom\n\nERROR 1045\n"
TRANSLATION = "---\nlang: zh\ntranslates: ''\ntitle: 登录失败\n---\n\n## 现象\n\n出现 ElsewhereCanary\n"


@pytest.mark.timeout(20)
def test_a_pipe_among_write_ups_is_not_opened(tmp_path: Path) -> None:
    """Nobody writes into it, so whoever reads it waits for ever."""
    (tmp_path / "a.md").write_text(WRITEUP.format("a"))
    os.mkfifo(tmp_path / "b.md")
    assert [file.path.name for file in read_folder(tmp_path)] == ["a.md"]


def test_a_folder_may_be_deep(tmp_path: Path) -> None:
    """Deeper than calls go: by steps, for no path may be so long."""
    (tmp_path / "a.md").write_text(WRITEUP.format("a"))
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1_500):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    try:
        assert [file.path.name for file in read_folder(tmp_path)] == ["a.md"]
    finally:
        os.removedirs(f"{tmp_path}{'/d' * 1_500}")  # whoever clears up after the tests goes down by calls


def test_files_are_read_in_the_order_of_their_paths(tmp_path: Path) -> None:
    for name in ("b/a", "a", "c", "b/c/x", "b/b"):
        path = tmp_path / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(WRITEUP.format(name.replace("/", "-")))
    found = [str(file.path.relative_to(tmp_path)) for file in read_folder(tmp_path)]
    assert found == ["a.md", "b/a.md", "b/b.md", "b/c/x.md", "c.md"]


def test_a_link_is_no_translation(tmp_path: Path) -> None:
    """Beside a file that is imported by its name, too, a link would read what lies elsewhere."""
    folder = tmp_path / "writeups"
    folder.mkdir()
    elsewhere = tmp_path / "elsewhere.md"
    elsewhere.write_text(TRANSLATION)
    (folder / "a.md").write_text(WRITEUP.format("a"))
    (folder / "a.zh.md").symlink_to(elsewhere)
    assert "ElsewhereCanary" not in str(read_one(folder / "a.md"))
    (folder / "a.zh.md").unlink()
    (folder / "a.zh.md").write_text(TRANSLATION)
    assert "ElsewhereCanary" in str(read_one(folder / "a.md")), "a file is one"


CASES = {
    "deep": "[" * 200_000,
    "deep object": '{"text":' * 100_000,
    "long number": '{"text": "x", "expected": [' + "1" * 10_000 + "]}",
    "wrong types": '{"text": "x", "expected": {"a": 1}}',
    "no object": "[1]",
    "binary": "\x00\x01",
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_cases_that_are_none_are_refused_by_their_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(f'{{"text": "x", "expected": []}}\n{text}\n')
    with pytest.raises(CasesError, match=r"cases\.jsonl:2"):
        read_cases(path)


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85"])
def test_an_end_of_a_line_within_a_text_is_no_end_of_a_case(tmp_path: Path, end: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({"text": f"boom{end}bang", "expected": []}, ensure_ascii=False) + "\n", encoding="utf-8")
    assert [one.text for one in read_cases(path)] == [f"boom{end}bang"]
