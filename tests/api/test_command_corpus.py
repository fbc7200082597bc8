"""`kb corpus`: what is wrong with a folder of write-ups, by file and line; the skeleton of a paste; the list."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from api.commands.up import corpus_folder
from api.incidents.writeup_checks import TO_WRITE, without_fences
from kb.incident import Incident, Kind, fields_of
from tests.api.command import kb

TURNSTILE = """---
id: turnstile-jammed
title: TurnstileError, arm is jammed
lang: en
component: turnstile
versions: [turnstile 2]
tags: [arm]
url: https://turnstiles.example.com/arm
created: 2026-11-24
---
## Symptom

The arm no longer turns and the queue grows.

## Trace

```
com.example.gate.TurnstileError: arm is jammed at 40 degrees
	at com.example.gate.Arm.turn(Arm.java:31)
	at com.example.gate.Gate.open(Gate.java:12)
```

## Root cause

Sand gets into the bearing of the arm.

## How to tell it apart

`ticket-unreadable` leaves the arm locked.

## Fix

1. Brush the bearing.

## References

- [The arm](https://turnstiles.example.com/arm)
"""
CHINESE = """---
id: turnstile-jammed
title: TurnstileError：闸机臂卡住
lang: zh
translates: ''
---
## 现象

闸机臂不再转动，队伍越来越长。

## 根因

沙子进了轴承。

## 如何区分

`ticket-unreadable` 时闸机臂保持锁定。

## 解决

1. 把轴承刷干净。

## 参考

- [The arm](https://turnstiles.example.com/arm)
"""
TICKET = (
    TURNSTILE.replace("turnstile-jammed", "ticket-unreadable")
    .replace("TurnstileError, arm is jammed", "TicketError, bar code unreadable")
    .replace("`ticket-unreadable` leaves the arm locked.", "`turnstile-jammed` accepts the ticket first.")
    .replace("TurnstileError: arm is jammed at 40 degrees", "TicketError: bar code cannot be read")
    .replace("Arm.turn(Arm.java:31)", "Scanner.scan(Scanner.java:77)")
)


def folder_of(place: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (place / f"{name.replace('__', '.')}.md").write_text(text, encoding="utf-8")
    return place


def found(folder: Path, *options: str) -> list[str]:
    """What `kb corpus check` prints, without the folder."""
    ended = kb("corpus", "check", str(folder), *options)
    lines = ended.stdout.decode().splitlines()
    assert ended.returncode == (1 if lines else 0), ended.stderr
    return [line.removeprefix(f"{folder}/") for line in lines]


def test_a_sound_folder_has_nothing_to_mend(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, a=TURNSTILE, b=TICKET)
    assert found(folder) == []


@pytest.mark.parametrize(
    ("sound", "broken", "said"),
    [
        ("versions: [turnstile 2]\n", "", "a.md:1: the front matter says no `versions`"),
        ("title: Turn", "titel: Turn", "a.md:3:"),
        ("title: TurnstileError, arm is jammed", "title: '''TurnstileError, arm is jammed'''", "a.md:3: the title stands between quotation marks ('…') even when it is read"),
        ("## Fix\n\n1. Brush the bearing.\n", "", "a.md: there is no section `## Fix`"),
        ("1. Brush", f"1. {TO_WRITE}", "a.md:33: the skeleton is not filled in"),
        ("(https://turnstiles.example.com/arm)", "(https://turnstiles/arm)", "a.md:37: the link 'https://turnstiles/arm' names no host"),
        ("(https://turnstiles.example.com/arm)", "(arm.md)", "a.md:37: the link 'arm.md' leads to no file"),
        ("(https://turnstiles.example.com/arm)", "(javascript:x)", "a.md:37: the link 'javascript:x' is neither"),
        ("1. Brush", "1. `curl -u admin:Zitronenkuchen7 https://gate.example.com`, brush", "a.md:33: this is taken away when it is stored"),
        ("component: turnstile\n", "component: Turn-Stile\n", "a.md:5: component `Turn-Stile` looks like `turnstile`"),
        ("component: turnstile\n", "component: kubernets\n", "a.md:5: component `kubernets` looks like `kubernetes`"),
        ("com.example.gate.TurnstileError: arm is jammed at 40 degrees\n\tat com.example.gate.Arm.turn(Arm.java:31)\n\tat com.example.gate.Gate.open(Gate.java:12)", "hello", "a.md:18: no error is recognised in trace 1"),
        ("com.example.gate.TurnstileError: arm is jammed at 40 degrees\n\tat com.example.gate.Arm.turn(Arm.java:31)\n", "com.example.gate.TicketError: bar code cannot be read\n\tat com.example.gate.Scanner.scan(Scanner.java:77)\n", "a.md:18: trace 1 finds `ticket-unreadable` first"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, sound: str, broken: str, said: str) -> None:
    assert sound in TURNSTILE
    folder = folder_of(tmp_path, a=TURNSTILE.replace(sound, broken), b=TICKET)
    assert [line for line in found(folder) if line.startswith(said)], found(folder)


def test_a_title_may_quote_two_words_and_not_the_whole(tmp_path: Path) -> None:
    translated = CHINESE.replace("title: TurnstileError：闸机臂卡住", """title: '"TurnstileError：闸机臂卡住"'""")
    folder = folder_of(tmp_path, a=TURNSTILE, a__zh=translated, b=TICKET)
    kb("incidents", "stamp", str(folder))
    (line,) = found(folder)
    assert line.startswith('a.zh.md:3: the title stands between quotation marks ("…")')

    folder_of(folder, a__zh=translated.replace("Error：闸", """Error" 与 "闸"""))
    kb("incidents", "stamp", str(folder))
    assert found(folder) == []


def test_a_near_miss_names_the_other_in_return(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, a=TURNSTILE, b=TICKET.replace("`turnstile-jammed` accepts", "A jammed arm accepts"))
    (line,) = found(folder)
    assert line.startswith("a.md:29: `ticket-unreadable` is named here and does not name `turnstile-jammed` in return")


def test_an_address_in_a_code_block_is_no_link(tmp_path: Path) -> None:
    fenced = "1. Brush the bearing.\n\n   ```text\n   [arm](no-such.md)\n   ```\n"
    folder = folder_of(tmp_path, a=TURNSTILE.replace("1. Brush the bearing.\n", fenced), b=TICKET)
    assert found(folder) == []


def test_translations_are_whole_and_follow_their_original(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, a=TURNSTILE, a__zh=CHINESE.replace("沙子进了轴承。", ""), b=TICKET)
    assert [line.partition(":")[0] for line in found(folder, "--bilingual")] == ["a.zh.md", "a.zh.md", "b.md"]

    folder_of(tmp_path, a__zh=CHINESE)
    assert [line for line in found(folder) if "follows an older text" in line]
    kb("incidents", "stamp", str(folder))
    assert found(folder) == []


def test_sentences_of_others_are_found_and_errors_are_not(tmp_path: Path) -> None:
    own, others = tmp_path / "own", tmp_path / "others"
    own.mkdir()
    others.mkdir()
    sentence = (
        "whenever somebody leans against the arm while it turns the spring behind the bearing jumps out of its seat"
    )
    folder_of(own, a=TURNSTILE.replace("Sand gets", f"Sometimes\n{sentence}. Sand gets"), b=TICKET)
    folder_of(others, x=f"They say: {sentence.upper()}!", y=TURNSTILE.partition("## Root")[0].partition("## Trace")[2])
    (line,) = found(own, "--beside", str(others))
    assert line.startswith("a.md:26: 12 words from here on stand in x.md as well")


def test_texts_that_are_not_there_are_named_and_skipped(tmp_path: Path) -> None:
    ended = kb("corpus", "check", str(folder_of(tmp_path, a=TURNSTILE, b=TICKET)), "--beside", str(tmp_path / "none"))
    assert ended.returncode == 0
    assert f"skipped: {tmp_path / 'none'} is not there" in ended.stderr.decode().replace("\n", " ")


def test_a_skeleton_holds_what_the_paste_tells_and_is_not_done(tmp_path: Path) -> None:
    paste = TURNSTILE.partition("```\n")[2].partition("```")[0]
    folder = tmp_path / "mine"
    ended = kb("corpus", "new", "-", "--into", str(folder), "--id", "arm-jammed", paste=paste)
    path = Path(ended.stdout.decode().strip())
    assert path == folder / "other" / "arm-jammed.md"
    assert "arm is jammed at 40 degrees\n\tat com.example.gate.Arm.turn" in path.read_text()
    headings = {field.heading[0] for field in fields_of(Incident) if field.heading and field.kind is not Kind.WORDS}
    assert {line[3:] for line in path.read_text().splitlines() if line.startswith("## ")} == headings | {"References"}
    assert path.with_name("arm-jammed.zh.md").is_file()
    assert {line.partition("arm-jammed")[2].partition(":")[0] for line in found(folder)} == {".md", ".zh.md"}
    again = kb("corpus", "new", "-", "--into", str(folder), "--id", "arm-jammed", paste=paste)
    assert again.returncode == 1
    assert "has a write-up arm-jammed already" in again.stderr.decode()


def test_the_list_counts_by_component(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, a=TURNSTILE, a__zh=CHINESE, b=TICKET)
    told = json.loads(kb("corpus", "list", str(folder), "--json").stdout)
    assert (told["writeups"], told["components"]) == (2, {"turnstile": 2})
    assert {one["id"]: one["languages"] for one in told["items"]} == {
        "turnstile-jammed": ["en", "zh"],
        "ticket-unreadable": ["en"],
    }
    shown = kb("corpus", "list", str(folder))
    assert "ticket-unreadable" in shown.stdout.decode()
    assert "2 write-ups of 1 components: turnstile 2" in shown.stderr.decode()


@pytest.mark.slow
def test_the_bundled_ones_are_listed_by_default() -> None:
    told = json.loads(kb("corpus", "list", "--json").stdout)
    assert told["writeups"] == len([path for path in corpus_folder().glob("*/*.md") if path.name.count(".") == 1])


def test_fences_are_blanked_in_linear_time_and_keep_the_lines(takes_linear_time: Callable[..., None]) -> None:
    """Fences that nobody closes, each of which could reach to the end of the text."""
    assert without_fences("a\n```\nb\n```\nc\n```\nd") == "a\n\n\n\nc\n\n"
    takes_linear_time(lambda size: without_fences("``` x\ny\n" * size), 2_000)
