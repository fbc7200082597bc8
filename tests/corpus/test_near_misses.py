"""Write-ups that show the same message name each other, so that whoever reads the one learns of the other."""

from api.incidents.writeup_checks import read_writeups

from .near_misses import CORPUS, named, sharing, shown

GENERAL = {
    ("celery-broker-connection-refused", "requests-proxy-or-connection-aborted"),
    ("elasticsearch-mapper-parsing", "spring-could-not-resolve-placeholder"),
    ("hive-unable-to-instantiate-metastore-client", "mysql-cannot-connect"),
    ("kafka-log-dir-failed", "mysql-table-is-full"),
    ("linux-crlf-bad-interpreter", "pip-failed-building-wheel"),
}
"""What they share is the system's or the language's message (`Connection refused`, `For input string`); nobody takes the one for the other."""


def test_the_same_message_is_told_apart_in_both() -> None:
    incidents = [one.incident for one in read_writeups(CORPUS)[0]]
    pairs = {pair for said in sharing((one.id, shown(one)[1]) for one in incidents).values() for pair in said}
    assert pairs - named(incidents) == GENERAL
