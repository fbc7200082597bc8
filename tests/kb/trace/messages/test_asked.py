"""A question of one line: somebody's words before and behind an error, as they are typed into a search box or a chat. Frames and errors are our own."""

from itertools import product

import pytest

from kb.trace import parse

ERRORS = [
    ("TypeError: Cannot read properties of undefined (reading 'map')", "TypeError", "Cannot read properties of undefined (reading 'map')"),
    ("java.lang.OutOfMemoryError: Java heap space", "java.lang.OutOfMemoryError", "Java heap space"),
    ("no space left on device", None, "no space left on device"),
    ("Permission denied (publickey)", None, "Permission denied (publickey)"),
    ("x509: certificate signed by unknown authority", None, "x509: certificate signed by unknown authority"),
    ("SSL routines::wrong version number", None, "SSL routines::wrong version number"),
    ("FATAL: remaining connection slots are reserved", "SQLSTATE 53300", "remaining connection slots are reserved"),
]  # fmt: skip
FRAMES = [
    "{}",
    "Help! {}",
    "What does {} mean?",
    "Why does it say {}?",
    "How to solve {}",
    "How do I get rid of {}?",
    "Anyone seen {}?",
    "does anybody know what {} is",
    "Has anyone seen {} before?",
    "I'm getting {} when I run the app",
    "If I start the job I get {}",
    "Whenever I open the till it says: {}",
    "my colleague gets {}",
    "we keep hitting {}",
    "stuck on {}",
    "the error is {}",
    "There is {} in the console",
    "After upgrading to v3 we see {} in the logs",
    "Every time I start it, {}",
    "since last night: {}",
    "The job failed because of {}",
    "{} - how do I fix this?",
    "{}, any ideas?",
    "`{}`",
    "报错 {} 怎么办",
    "{} 怎么解决？",
    "如果我重启服务，就报 {}",
    "请问 {} 是什么原因",
    "升级后日志里一直有 {}",
]


@pytest.mark.parametrize(
    ("frame", "error"), list(product(FRAMES, ERRORS)), ids=lambda one: one if isinstance(one, str) else one[2]
)
def test_an_error_is_read_in_a_question(frame: str, error: tuple[str, str | None, str]) -> None:
    shown, kind, message = error
    assert [(chain.root.type, chain.root.message) for chain in parse(frame.format(shown))] == [(kind, message)]


SHOWN = [
    ("if I type this:  wget http://till.example/a.gz\ni am getting this error: could not open till.conf: no such file", None, "could not open till.conf: no such file"),
    ("with our own server, http://git.till.example:10080/web/template.git, all I get is\n'git clone' failed with status 128", None, "'git clone' failed with status 128"),
    ("ERROR: pip's dependency resolver does not currently take into account all the packages that are installed. This behaviour is the source of the following dependency conflicts.\nshop 2.1 requires till==1.0, but you have till 2.0 which is incompatible.", None, "shop 2.1 requires till==1.0, but you have till 2.0 which is incompatible."),
    ("shop 2.1 requires till, which is not installed.", None, "shop 2.1 requires till, which is not installed."),
    ("ERROR: shop 1.16 has requirement till<=3.5.0, but you'll have till 4.0 which is incompatible.", None, "shop 1.16 has requirement till<=3.5.0, but you'll have till 4.0 which is incompatible."),
    ("ERROR: (gcloud.compute.disks.list) Some requests did not succeed:\n - Insufficient Permission", None, "Insufficient Permission"),
    ("报错 npm ERR! code ERESOLVE 怎么办", "ERESOLVE", None),
    ("Redis 连不上，connection refused", None, "connection refused"),
    ("● till.service - Till\n   Loaded: loaded (/etc/systemd/system/till.service; disabled; vendor preset: enabled)\n   Active: failed (Result: exit-code) since Sat 2026-11-21 09:44:02 GMT; 18s ago\n  Process: 1610 ExecStart=/usr/bin/till (code=exited, status=200/CHDIR)\n Main PID: 1610 (code=exited, status=200/CHDIR)", "200/CHDIR", "code=exited, status=200/CHDIR"),
    ("I get RuntimeError: json.exception.parse_error.101 parse error at line 1, column 1 when I start it", "RuntimeError", "json.exception.parse_error.101 parse error at line 1, column 1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "message"), SHOWN, ids=[str(n) for n in range(len(SHOWN))])
def test_what_is_shown_is_read(text: str, kind: str | None, message: str | None) -> None:
    assert [(chain.root.type, chain.root.message) for chain in parse(text)] == [(kind, message)]


TALK = [
    "If you see ModuleNotFoundError: No module named 'till', install it first.",
    "如果出现 ORA-12514，请检查监听是否注册了服务。",
    "In case of Connection refused the firewall has to be looked at.",
    "The cart of the new shop looks broken to everybody in the team, any ideas?",
    "Our payment provider was not available yesterday evening - what can we do?",
    "The next release of the till will show why it is\nnot able to read the journal of last year.",
    "How to deal with a problem of the printer: look at its paper first.",
    'distributed under this licence on an "AS IS" BASIS,\nWITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.',
]


@pytest.mark.parametrize("text", TALK, ids=[str(n) for n in range(len(TALK))])
def test_advice_and_stories_show_none(text: str) -> None:
    assert parse(text) == ()
