"""Templates as laws: settled, cut, long, apart, and what is known to be missed."""

import pytest

from kb.trace import template

# What is still read otherwise than a reader would wish: (id, message, desired, actual). A repair turns the row red.
KNOWN_MISSES = [
    ("version", "Flink 1.10.0 started", "Flink <version> started", "Flink <float>.<int> started"),
    ("bean-name", "Error creating bean with name 'orders'", "Error creating bean with name <quoted>", "Error creating bean with name 'orders'"),
    ("bare-host", "node hadoop-080-037 is lost", "node <hostname> is lost", "node hadoop-<int>-<int> is lost"),
]  # fmt: skip


# Texts of which a part was a value only when what stands beside it had its name
UNSETTLED = [
    ("quoted-behind-a-number", "1user''"),
    ("quoted-chain", "@'1user 'a" * 40),
    ("quoted-chain-of-accounts", "user 'a'@'1" * 300),
    ("number-glued-to-an-address", "012320http://u"),
    ("bool-glued-to-a-number", "=true4[object] (E(code: ): ['"),
    ("bool-chain", "=true" * 30 + "true<date>"),
    ("secret-behind-a-date", "2024-05-01 10:00:00 password: hunter2"),
    ("number-under-a-combining-stroke", "1\u0338 gone"),
    ("open-quotation", "x='1 2 3"),
    ("segfault-cut", "segfault at 18 ip 00007f12ab34cd56 sp 00007ffc1"),
    ("placeholder-cut", "took <in"),
    ("lone-surrogate", "user \ud800 42"),
    ("quotes-over-many", "'" * 400 + "1"),
]  # fmt: skip


@pytest.mark.parametrize("message", [row[1] for row in UNSETTLED], ids=[row[0] for row in UNSETTLED])
def test_a_template_is_settled(message: str) -> None:
    assert template(template(message)) == template(message)


def test_a_cut_template_settles_too() -> None:
    whole = template(
        "user 'a' at 2024-05-01 10:00:00 http://h.example/x from 'b'@'10.0.0.1' took=\"7 s\" code: 5, 1.5e3 ms"
    )
    for at in range(len(whole)):
        assert template(template(whole[:at])) == template(whole[:at])


@pytest.mark.parametrize("unit", ["user 42 of 'a' ", "7", "http://u/", "10.0.0.1 "])
def test_a_long_message_is_named_as_its_parts_are(unit: str) -> None:
    parts = template(unit * 3)
    long = template(unit * 20_000)
    assert long.replace(parts, "").replace(template(unit), "") == ""


@pytest.mark.parametrize(
    ("message", "desired", "actual"), [r[1:] for r in KNOWN_MISSES], ids=[r[0] for r in KNOWN_MISSES]
)
def test_known_misses_are_still_missed(message: str, desired: str, actual: str) -> None:
    assert desired != actual
    assert template(message) == actual


# Messages that mean different things: they must not join
APART = [
    ("ora", "ORA-00942: gone", "ORA-00904: gone"),
    ("status", "answered 404 Not Found", "answered 403 Forbidden"),
    ("errno", "[Errno 111] failed", "[Errno 104] failed"),
    ("exit-code", "exited with code 137", "exited with code 1"),
    ("signal", "killed by signal 9", "killed by signal 11"),
    ("hresult", "failed: 0x80070005", "failed: 0x80004005"),
    ("class", "cannot load com.acme.V1Codec", "cannot load com.acme.V2Codec"),
    ("java", "needs Java 11", "needs Java 17"),
    ("type", "got 'int'", "got 'str'"),
    ("bool-in-words", "it is true", "it is false"),
    ("zh", "正常关闭", "异常关闭"),
    ("path", "cannot read /etc/hosts", "cannot read /etc/passwd"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in APART], ids=[row[0] for row in APART])
def test_messages_that_mean_different_things_stay_apart(one: str, other: str) -> None:
    assert template(one) != template(other)
