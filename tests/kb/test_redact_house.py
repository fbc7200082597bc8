"""Rules of the house about what is hidden: hosts, secrets of its own shape, and what is left as it is."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kb.errors import RulesError
from kb.redact import StoppedError, redact
from kb.redact.house import read_house_rule
from kb.trace import fingerprints, parse, template
from kb.trace.custom import NONE, read_custom
from kb.trace.in_force import activate, adopted
from tests.kb.trace.test_golden import FILES

RULES = read_custom(
    {
        "redact.txt": "internal *.corp.example\ninternal db-prod-*\n# a comment\nsecret EMP-(\\d{6})\nsecret LIC-[A-Z0-9]{8}\nkeep *@lists.example.org\nkeep 138-1234-0000\n"
    }
)


@pytest.fixture(autouse=True)
def _house() -> Iterator[None]:
    with adopted(RULES):
        yield
    activate(NONE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("connect to a.corp.example:8080", "connect to <hostname>:8080"),
        ("connect to A.b.Corp.Example.", "connect to <hostname>."),
        ("http://git.corp.example/x and http://git.corp.example/y", "http://<hostname>/x and http://<hostname>/y"),
        ("a.corp.example,b.corp.example", "<hostname>,<hostname>"),
        ("主机a.corp.example不可达", "主机<hostname>不可达"),
        ("db-prod-17 is down", "<hostname> is down"),
        ("a.corp.example\nb.corp.example.\r\nc.corp.example", "<hostname>\n<hostname>.\r\n<hostname>"),
        (f"{'a.' * 12}corp.example", "<hostname>"),
        (
            "主机\U0001f600a.corp.example，码 EMP-123456 é b.corp.example",
            "主机\U0001f600<hostname>，码 EMP-<secret> é <hostname>",
        ),
        ("no EMP-123456 here", "no EMP-<secret> here"),
        ("licence LIC-ABCD1234 expired", "licence <secret> expired"),
        ("\ud800 licence LIC-ABCD1234", "\ud800 licence <secret>"),
        ("jdbc:mysql://u:p1@a.corp.example/x", "jdbc:mysql://<secret>@<hostname>/x"),
        ("mail bob@a.corp.example", "mail <email>"),
        ("dev@lists.example.org or dev@example.org", "dev@lists.example.org or <email>"),
        ("call 138-1234-0000 or 138-1234-0001", "call 138-1234-0000 or <phone>"),
    ],
)
def test_what_the_house_says_is_done(text: str, expected: str) -> None:
    redacted = redact(text)
    assert redacted.text == expected
    assert redact(expected).text == expected


@pytest.mark.parametrize(
    "text", ["corp.example", "a.corp.example.com", "x-a.corp.examples", "mydb-prod-17", "EMP-12345", "the LIC-abcd1234"]
)
def test_nothing_else_is(text: str) -> None:
    assert redact(text).redactions == ()


def test_as_many_hosts_as_a_house_may_name_can_be_used() -> None:
    """What `kb rules check` lets pass is compiled without a mistake, however long."""
    longest = [f"internal *.{'.'.join(['a' * 60] * 7)}.x{at}" for at in range(498)]
    with adopted(read_custom({"redact.txt": "\n".join([*longest, "internal *.corp.example", "keep *@x.example"])})):
        assert redact("a.corp.example").text == "<hostname>"
        assert redact("a@x.example a@y.example").text == "a@x.example <email>"


@pytest.mark.parametrize(
    "line", ["no route to db1.corp.example\n", "db-prod-1,", "EMP-123456 é\n", "corp.example.", "EMP-"]
)
def test_the_time_is_linear(line: str, takes_linear_time: Callable[..., None]) -> None:
    takes_linear_time(lambda size: redact(line * (size // len(line))), small=20_000, large=200_000)


def test_what_the_house_hides_stops_on_the_clock() -> None:
    """Once before, for what everybody hides, and then while the house looks."""
    looks = iter([False] * 3)
    with pytest.raises(StoppedError):
        redact("EMP-123456\n" * 2_000, lambda: next(looks, True))
    assert next(looks, None) is None


def test_without_the_house_nothing_of_it_is_hidden() -> None:
    with adopted(NONE):
        assert redact("a.corp.example EMP-123456").redactions == ()
        assert redact("dev@lists.example.org").text == "<email>"
    assert redact("a.corp.example").text == "<hostname>"


def test_a_secret_is_never_kept() -> None:
    with adopted(read_custom({"redact.txt": "keep hunter2\n"})):
        assert redact("password=hunter2").text == "password=<secret>"


@pytest.mark.parametrize(
    "message",
    ["no route to a.corp.example", "GET http://a.corp.example:80/x?y=1 failed", "a.corp.example:8080 refused"],
)
def test_a_hidden_host_makes_the_same_template(message: str) -> None:
    with adopted(NONE):
        open_template = template(message)
    assert template(message) == open_template == template(redact(message).text)


@pytest.mark.parametrize("path", [p for p in FILES if "java" in p.parts[-2]], ids=lambda path: path.stem)
def test_hidden_hosts_move_no_frame(path: Path) -> None:
    """Traces of browsers name the host of a script in every frame."""
    text = path.read_text(encoding="utf-8").replace("localhost:", "app.corp.example:")
    with adopted(NONE):
        before = [fingerprints(chain) for chain in parse(text)]
    assert [fingerprints(chain) for chain in parse(redact(text).text)] == before


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("hide x", "is no rule"),
        ("internal", "is no rule"),
        ("internal a b", "is no host"),
        ("internal *", "is too wide"),
        ("internal *.com", "is too wide"),
        ("internal *.org", "is too wide"),
        ("secret (", "is no RE2 pattern"),
        ("secret (?=x)abc", "is no RE2 pattern"),
        ("secret (a)(b)", "has 2 groups"),
        ("secret \\d+", "is too wide"),
        ("secret [a-z]*", "is too wide"),
        ("keep *", "is no address or number"),
        ("keep ***@*", "is too wide"),
    ],
)
def test_a_mistake_is_named(entry: str, told: str) -> None:
    with pytest.raises(RulesError) as raised:
        read_house_rule(entry)
    assert told in raised.value.problem
    with pytest.raises(RulesError) as raised:
        read_custom({"redact.txt": f"# rules\n{entry}\n"})
    assert "rules/redact.txt:2: " in raised.value.problem


def test_what_was_read_under_other_rules_is_read_again() -> None:
    """Hosts leave fingerprints as they are; a secret's shape may not."""
    hosts, secrets = (
        read_custom({"redact.txt": "internal *.corp.example"}),
        read_custom({"redact.txt": "secret EMP-\\d+"}),
    )
    assert hosts.digest == NONE.digest
    assert secrets.digest != NONE.digest
    assert len({hosts.reading_digest, secrets.reading_digest, NONE.reading_digest}) == 3
