"""What build tools, package managers, compilers, version control and shells printed, read by the table of their forms.

``golden/messages/build/examples.jsonl`` says of every example what a careful reader sees: the telling line, its type and message, and its severity where it is no error.
Its ``source`` is ``run`` where the program ran here, else where the format is documented; those texts are written by hand after it.
"""

import json
import re
import time
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from kb.trace.messages.form import MessageForm, Severity
from kb.trace.messages.forms import FORMS, read_form

GOLDEN = Path(__file__).resolve().parents[4] / "tests" / "golden" / "messages" / "build"
EXAMPLES = [json.loads(line) for line in (GOLDEN / "examples.jsonl").read_text(encoding="utf-8").splitlines()]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
STEP = re.compile(r"^(?:(?:#\d+ )?\d+\.\d{1,3} |\[javac\] |\d{4}-\d\d-\d\dT[\d:.]+Z )")
"""What BuildKit, Ant and CI servers put before another program's line."""


class Read(NamedTuple):
    severity: Severity
    line: int
    type: str | None
    message: str
    form: MessageForm


def plain(line: str) -> str:
    return STEP.sub("", COLOUR.sub("", line).strip()).strip()


def read(lines: list[str], at: int) -> Read | None:
    """What the first fitting form reads of a line: where its message stands, and what it says."""
    found = read_form(lines, at)
    if found is None:
        return None
    return Read(found.form.severity, found.line, found.type, found.message or "", found.form)


def chosen(text: str) -> Read | None:
    """The most severe line of a text, the first of equals."""
    lines = [plain(line) for line in text.split("\n")]
    readings = [one for at in range(len(lines)) if (one := read(lines, at)) is not None]
    return max(readings, key=lambda one: one.severity, default=None)


@pytest.mark.parametrize("example", EXAMPLES, ids=[one["file"] for one in EXAMPLES])
def test_the_telling_line_is_chosen(example: dict[str, str]) -> None:
    text = (GOLDEN / example["file"]).read_text(encoding="utf-8")
    told = chosen(text)
    assert told is not None
    assert (told.message, told.type) == (example["message"], example["type"])
    assert told.severity.name.lower() == example.get("severity", "error")
    assert plain(text.split("\n")[told.line]) == plain(example["line"])


def test_most_examples_were_printed_by_programs_that_ran() -> None:
    assert len(EXAMPLES) >= 60
    assert sum(one["source"] == "run" for one in EXAMPLES) >= 35
    assert all(one["source"] == "run" or one["source"].startswith("documented: ") for one in EXAMPLES)


PROSE = """\
npm install fails with ERESOLVE after the upgrade to Node 20, see the log below.
When I run make I get an error about a missing rule.
Error: I get this when running docker build on the new machine
error: what does it mean when cargo cannot compile the crate?
The build failed with exit code 1 and nobody knows why.
git push was rejected, because somebody else had pushed before.
Please run `pip install -r requirements.txt` again and tell us what it prints.
E: drive is full, so the backup did not run.
Maven cannot resolve the dependency since the proxy was changed.
Note: the linker error is gone after installing libssl-dev.
We saw "undefined reference to main" in the log of the linker.
Because the proxy was down, the installation failed.
Killed the process and started it again.
137 Killed containers were found in the cluster.
3 problems (of many) remain after the upgrade.
curl returned 7, so the service was not up yet.
bash could not find the command, because the PATH was wrong.
Root cause: the image had no bash, so the entry point failed.
Solution: install the package and run the playbook again.
The compiler warns in line 12: the variable is never used.
fatal: I think that the repository is broken
Terraform says that the argument is not supported.
FAILED builds are deleted after 30 days.
Package managers other than npm were not tried.
Cannot reproduce with webpack 5, only with webpack 4.
Step 3: error handling was added to the deploy script.
Tests: all green on the main branch
编译失败，找不到头文件，请检查依赖是否安装。
""".splitlines()


@pytest.mark.parametrize("sentence", PROSE)
def test_a_sentence_about_the_tools_is_no_error_line(sentence: str) -> None:
    told = chosen(sentence)
    assert told is None, told


BODIES = ("", " ", "a ", "a", ".", "/", ":", "1:", "[", "'", '"', "-> ", "\\")
"""What comes behind a head, again and again; for the empty one the head itself."""


def heads() -> list[str]:
    """What the telling lines begin with: their first words, up to 40 characters."""
    return sorted(
        {plain(one["line"])[:n] for one in EXAMPLES for n in (12, 40)}
        | {" ", "a", "a:", "/", "[", '"', "a: ", "1:1  error  a  ", "a.b", "E: ", "error "}
    )


def cpu_seconds(pattern: re.Pattern[str], line: str) -> float:
    """What one match costs this thread, however busy the machine is."""
    begin = time.thread_time()
    pattern.match(line)
    return time.thread_time() - begin


@pytest.mark.slow
def test_hostile_lines_are_read_in_linear_time() -> None:
    patterns = [pattern for form in FORMS for pattern in (form.pattern, form.below) if pattern]
    lines = [
        (head + (body or head) * (20_000 // len(body or head)))[:20_000] for head, body in product(heads(), BODIES)
    ]
    slow = [
        (pattern.pattern[:80], line[:60])
        for line, pattern in product(lines, patterns)
        if cpu_seconds(pattern, line) > 0.05 and cpu_seconds(pattern, line) > 0.05
    ]
    assert slow == []
