"""The command line as a user meets it: quick help, clean output, exit codes, errors with a cure."""

import io
import json
import math
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from rich.console import Console

from api.cli import GROUP, help_line
from api.render.console import print_markdown
from tests.api.command import failed, kb, kb_program
from tests.api.knowledge import HDFS_TRACE, KAFKA_TRACE, UNKNOWN_TRACE, build_home
from tests.api.terminal import kb_on


def test_help_lists_every_command_with_its_line_and_loads_none() -> None:
    program = (
        "import sys, api.cli\n"
        "try: api.cli.main(['--help'])\n"
        "finally: print([m for m in sys.modules if m.split('.')[0] in ('pyspark', 'torch', 'faiss', 'numpy', 'tantivy', 'fastapi',"
        " 'httpx', 'index', 'ingest', 'pyarrow', 'jieba')], file=sys.stderr)"
    )
    environment = {**os.environ, "COLUMNS": "200"}
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, env=environment, timeout=60, check=False
    )
    shown = result.stdout.decode()
    names = {entry.name for entry in entry_points(group=GROUP)}
    assert names >= {"up", "ingest", "search", "match", "explain", "parse", "serve", "snapshots", "settings", "doctor"}
    for entry in entry_points(group=GROUP):
        assert entry.name in shown
        assert help_line(entry.module) in shown
    assert result.stderr.decode().splitlines()[-1] == "[]"


def test_every_command_explains_itself() -> None:
    for entry in entry_points(group=GROUP):
        assert help_line(entry.module) not in ("", "(not installed)"), entry.name


def test_help_is_quick() -> None:
    """Well under a second (DESIGN: command line); about 0.25 s of CPU here, so this only catches a heavy import."""
    before = os.times()
    subprocess.run(kb_on("--help"), capture_output=True, timeout=60, check=True)
    after = os.times()
    assert after.children_user + after.children_system - before.children_user - before.children_system < 1.0


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("sarch",), id="no such command"),
        pytest.param(("search", "--bogus"), id="no such option"),
        pytest.param(("search", "-k", "0"), id="k too small"),
        pytest.param(("search", "-k", "x"), id="k no number"),
        pytest.param(("serve", "--port", "70000"), id="no such port"),
        pytest.param(("explain",), id="missing arguments"),
        pytest.param(("snapshots", "vacuum"), id="no such subcommand"),
    ],
)
def test_bad_usage_exits_2_and_says_so_on_stderr(arguments: tuple[str, ...]) -> None:
    result = kb(*arguments)
    assert result.returncode == 2
    assert result.stdout == b""
    assert b"Usage" in result.stderr


def test_a_mistyped_command_gets_a_hint() -> None:
    assert b"search" in kb_program("sarch").stderr


@pytest.mark.parametrize(
    ("arguments", "paste", "said"),
    [
        pytest.param(("search", "nowhere.log"), "", "nowhere.log cannot be read: No such file", id="no such file"),
        pytest.param(("search", "flink checkpoint failed"), "", "echo '…' | kb search -", id="a question, no file"),
        pytest.param(("search", HDFS_TRACE * 50), "", "echo '…' | kb search -", id="a trace, no file"),
        pytest.param(("match", "nowhere.jsonl"), "", "nowhere.jsonl cannot be read", id="no queries"),
        pytest.param(("search", "."), "", "cannot be read: Is a directory", id="a folder"),
        pytest.param(("search",), "", "nothing to read", id="empty input"),
        pytest.param(("parse",), " \n ", "nothing to read", id="blank input"),
        pytest.param(("search",), b"\x7fELF\0\0", "not a text", id="binary input"),
        pytest.param(("search",), "x", "there is no snapshot", id="no snapshot yet"),
        pytest.param(("snapshots", "rollback"), "", "no older snapshot", id="nothing to roll back to"),
        pytest.param(("snapshots", "verify", "feedfeedfeedfeed"), "", "missing", id="no such snapshot"),
    ],
)
def test_a_failure_is_one_line_with_its_cure(
    tmp_path: Path, arguments: tuple[str, ...], paste: str | bytes, said: str
) -> None:
    assert said in failed(kb(*arguments, home=tmp_path, paste=paste))


def test_a_bad_setting_is_named(tmp_path: Path) -> None:
    assert "KB_PORT" in failed(kb_program("settings", home=tmp_path, env={"KB_PORT": "many"}))


def test_search_on_a_terminal_tells_cause_fix_and_why(home: Path) -> None:
    result = kb("search", home=home, paste=HDFS_TRACE)
    shown = result.stdout.decode()
    assert result.returncode == 0, result.stderr.decode()
    for part in (
        "Known incident",
        "Checkpoint fails because HDFS cannot close the last block",
        "Root cause",
        "longer than the client retries",
        "Fix",
        "Write fewer small files.",
        "Why",
        "https://example.org/flink/hdfs-replicas",
    ):
        assert part in " ".join(shown.split())
    assert "\x1b" not in shown
    assert max(len(line) for line in shown.splitlines()) <= 80


def test_an_unknown_problem_is_told_plainly(home: Path) -> None:
    shown = kb("search", home=home, paste=UNKNOWN_TRACE).stdout.decode()
    assert shown.startswith("● No known incident")
    assert "Root cause" not in shown


def test_a_write_up_cannot_steer_the_terminal(tmp_path: Path) -> None:
    build_home(
        tmp_path,
        [
            {
                "id": "steering",
                "title": "\x1b]0;owned\x07\x1b[2J clear [bold]x[/bold]",
                "trace": "a.B: boom\n\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)",
                "root_cause": "\x1b[31mred\x9b1m \u202eesrever",
                "fix": "x",
                "url": "https://example.org/\x1b[8m",
            }
        ],
    )
    shown = kb("search", home=tmp_path, paste="a.B: boom\n\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)").stdout.decode()
    assert "clear [bold]x[/bold]" in shown
    assert not set(shown) & set("\x1b\x07\x9b\u202e")


@pytest.mark.parametrize("arguments", [("search", "--json"), ("parse", "--json"), ("search", "-", "-k", "1", "--json")])
def test_json_is_one_document_and_nothing_else(home: Path, arguments: tuple[str, ...]) -> None:
    result = kb_program(*arguments, home=home, paste=KAFKA_TRACE)
    assert result.returncode == 0, result.stderr.decode()
    assert isinstance(json.loads(result.stdout), dict)
    assert result.stderr == b""


def test_a_file_is_read_whatever_wrote_it(home: Path, tmp_path: Path) -> None:
    log = tmp_path / "应用.log"
    log.write_bytes(f"错误：提交位移失败\r\n{KAFKA_TRACE}".encode("gb18030"))
    answer = json.loads(kb("search", str(log), "--json", home=home).stdout)
    assert answer["matches"][0]["incident"]["id"] == "kafka-commit-rebalanced"


def test_parse_shows_the_reading(home: Path) -> None:
    shown = kb("parse", home=home, paste=f"password=Hunter2hunter2\n{HDFS_TRACE}").stdout.decode()
    assert "org.apache.hadoop.hdfs.DFSOutputStream.completeFile" in shown
    assert "root_cause" in shown
    assert "unter2" not in shown


@pytest.mark.parametrize(
    ("paste", "is_cut"),
    [
        ('nginx: [emerg] host not found in upstream "web" in /etc/nginx/nginx.conf:3', False),
        ("\tat shop.Cart.total(Cart.java:41)\n\tat shop.Main.main(Main.java:7)", True),
    ],
)
def test_parse_says_cut_off_only_of_what_is(paste: str, *, is_cut: bool) -> None:
    assert ("(cut off)" in kb("parse", paste=paste).stdout.decode()) == is_cut


def test_parse_of_a_question_finds_no_frames() -> None:
    reading = json.loads(kb("parse", "--json", paste="checkpoint 失败了怎么办").stdout)
    assert [raised["frames"] for chain in reading["chains"] for raised in chain["exceptions"] if raised["frames"]] == []


def test_snapshots_are_listed_verified_rolled_back_and_pruned(tmp_path: Path) -> None:
    first = build_home(tmp_path).id
    second = build_home(tmp_path, [{"title": "another", "trace": KAFKA_TRACE}]).id
    rows = {row["id"]: row for row in json.loads(kb("snapshots", "list", "--json", home=tmp_path).stdout)}
    assert {name: row["current"] for name, row in rows.items()} == {first: False, second: True}
    assert (rows[first]["incidents"], rows[second]["incidents"]) == (6, 1)
    assert first in kb("snapshots", "list", home=tmp_path).stdout.decode()
    assert kb_program("snapshots", "verify", home=tmp_path).returncode == 0
    assert kb("snapshots", "rollback", home=tmp_path).returncode == 0
    assert (tmp_path / "CURRENT").read_text().strip() == first
    assert kb("snapshots", "prune", "--keep", "1", home=tmp_path).returncode == 0
    assert first in kb("snapshots", "list", home=tmp_path).stdout.decode()


def test_a_broken_file_is_found_by_verify(tmp_path: Path) -> None:
    info = build_home(tmp_path)
    files = [file for file in info.path.rglob("*") if file.is_file() and file.name != "manifest.json"]
    victim = max(files, key=lambda file: file.stat().st_size)
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 1
    victim.write_bytes(data)
    assert "is not what was written" in failed(kb("snapshots", "verify", home=tmp_path))


def test_explain_sets_the_frames_side_by_side_and_names_the_features(home: Path, tmp_path: Path) -> None:
    paste = tmp_path / "paste.txt"
    paste.write_text(HDFS_TRACE)
    result = kb_program("explain", str(paste), "flink-checkpoint-hdfs-replicas", home=home)
    shown = result.stdout.decode()
    assert result.returncode == 0, result.stderr.decode()
    assert "= org.apache.hadoop.hdfs.DFSOutputStream.completeFile" in shown
    assert max(len(line) for line in shown.splitlines()) <= 80
    document = json.loads(kb("explain", str(paste), "flink-checkpoint-hdfs-replicas", "--json", home=home).stdout)
    assert document["incident"]["id"] == "flink-checkpoint-hdfs-replicas"
    assert document["fingerprints"]["exact"]["equal"]
    total = document["bias"] + document["calibration"] + sum(line["contribution"] for line in document["features"])
    assert document["probability"] == pytest.approx(1 / (1 + math.exp(-total)), abs=0.01)
    wide = kb(
        "explain", str(paste), "flink-checkpoint-hdfs-replicas", home=home, env={"COLUMNS": "180"}
    ).stdout.decode()
    sides, _, reasons = wide.partition("\nWhy")
    (line,) = [line for line in sides.splitlines() if "DFSOutputStream.completeFile" in line]
    assert line.count("org.apache.hadoop.hdfs.DFSOutputStream.completeFile") == 2
    assert "frames in common" in reasons.partition("\nScore")[0]
    assert "nobody" in failed(kb("explain", str(paste), "nobody", home=home))


def test_doctor_names_what_is_wrong_and_exits_1(tmp_path: Path) -> None:
    result = kb_program("doctor", "--json", home=tmp_path)
    findings = {finding["name"]: finding for finding in json.loads(result.stdout)}
    assert result.returncode == 1
    assert not findings["snapshot"]["ok"]
    assert findings["snapshot"]["cure"]
    assert "Cure:" in kb("doctor", home=tmp_path).stdout.decode()


def test_settings_lists_every_name(tmp_path: Path) -> None:
    rows = {row["name"]: row for row in json.loads(kb("settings", "--json", home=tmp_path).stdout)}
    assert (rows["KB_HOME"]["value"], rows["KB_HOME"]["set"]) == (str(tmp_path), True)
    assert "KB_MAX_BODY_BYTES" in kb("settings").stdout.decode()


def test_search_uses_kb_url_and_reports_an_unreachable_service(tmp_path: Path) -> None:
    line = failed(kb_program("search", home=tmp_path, paste="x", env={"KB_URL": "http://127.0.0.1:9"}))
    assert "no service answers at http://127.0.0.1:9" in line


@pytest.mark.parametrize(
    ("paste", "options", "code"),
    [
        pytest.param(HDFS_TRACE, ["--fail-on", "known"], 1, id="known"),
        pytest.param(HDFS_TRACE, ["--fail-on", "known", "--json"], 1, id="known, as JSON"),
        pytest.param(HDFS_TRACE, ["--fail-on", "unknown", "--fail-on", "related"], 0, id="anything but known"),
        pytest.param(UNKNOWN_TRACE, ["--fail-on", "unknown", "--fail-on", "known"], 1, id="one of several"),
        pytest.param(UNKNOWN_TRACE, ["--fail-on", "known"], 0, id="unknown"),
        pytest.param(HDFS_TRACE, ["--fail-on", "never"], 2, id="no verdict"),
    ],
)
def test_the_verdict_as_exit_code(home: Path, paste: str, options: list[str], code: int) -> None:
    result = kb("search", *options, home=home, paste=paste)
    assert result.returncode == code
    assert (b"--fail-on" in result.stderr) == (code > 0)
    if "--json" in options:
        assert json.loads(result.stdout)["verdict"] == "known"


def test_asking_a_service_loads_no_index() -> None:
    """A third of a second instead of one and a half, at 3 am, for each paste."""
    program = (
        "import sys, api.commands.search\n"
        "print(*sorted({'numpy', 'faiss', 'kb.trace', 'index.engine', 'fastapi', 'markdown_it'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert result.stdout.split() == ["markdown_it"]  # of rich


def test_a_reader_that_leaves_early_is_no_error(home: Path) -> None:
    environment = {**os.environ, "KB_HOME": str(home)}
    command = f"{sys.executable} -m api.cli search --json | head -c 1"
    result = subprocess.run(
        ["bash", "-c", command],
        input=HDFS_TRACE.encode() * 50,
        capture_output=True,
        env=environment,
        timeout=60,
        check=False,
    )
    assert (result.stdout, result.stderr) == (b"{", b"")


def test_the_terminal_keeps_what_stands_in_angle_brackets() -> None:
    """Placeholders and type arguments are no HTML; neither is a secret's."""
    shown = io.StringIO()
    print_markdown(
        "Run `mysql -h <host>` with password=<secret>; use List<String> and <init>.", Console(file=shown, width=200)
    )
    assert shown.getvalue().split() == [
        "Run",
        "mysql",
        "-h",
        "<host>",
        "with",
        "password=<secret>;",
        "use",
        "List<String>",
        "and",
        "<init>.",
    ]
