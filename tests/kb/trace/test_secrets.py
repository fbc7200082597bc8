"""A secret in a trace is seen by nobody, whatever the trace was pasted with."""

import pytest

from kb.redact import redact
from kb.trace import parse
from tests.kb.trace.manglings import MANGLINGS
from tests.quality.laws import check_hidden

SECRET = "hunter2"
TRACES = {
    "jvm": (
        'java.lang.IllegalStateException: {"user":"bob","password":"hunter2"}\n\tat com.acme.A.b(A.java:1)\n\tat com.acme.C.d(C.java:2)\n'
        "Caused by: java.io.IOException: password=hunter2 refused\n\tat com.acme.E.f(E.java:3)\n\t... 1 more"
    ),
    "python": (
        'Traceback (most recent call last):\n  File "/app/a.py", line 3, in f\n    connect(user="bob", password="hunter2")\n'
        "  File \"/app/b.py\", line 4, in connect\n    raise E\nValueError: jdbc:mysql://root:hunter2@db:3306/x and secret_key = 'hunter2'"
    ),
    "php": (
        "PHP Fatal error:  Uncaught PDOException: SQLSTATE[HY000] [1045] Access denied in /srv/a.php:3\nStack trace:\n"
        "#0 /srv/a.php(3): PDO->__construct('mysql:host=db', 'root', 'hunter2')\n#1 /srv/b.php(9): Shop\\Db->login('root', 'hunter2')\n"
        "#2 {main}\n  thrown in /srv/a.php on line 3"
    ),
    "native": (
        "Program received signal SIGSEGV, Segmentation fault.\n"
        '#0  0x0000555555555131 in login (user=0x5555 "root", password=0x5556 "hunter2") at a.c:3\n#1  0x0000555555555151 in main () at a.c:9'
    ),
}


@pytest.mark.parametrize("runtime", TRACES)
def test_a_mangled_secret_is_hidden(runtime: str) -> None:
    seen = {}
    for mangling in MANGLINGS:
        try:
            check_hidden(mangling.apply(TRACES[runtime]), SECRET)
        except AssertionError as error:
            seen[mangling.name] = str(error)
    assert not seen


@pytest.mark.parametrize("runtime", TRACES)
def test_a_trace_without_its_secret_is_the_same_trace(runtime: str) -> None:
    (chain,) = parse(redact(TRACES[runtime]).text)
    assert chain.runtime == runtime
    (other,) = parse(TRACES[runtime])
    frames = [[(f.module, f.function, f.filename) for f in e.stack.frames] for e in chain.exceptions]
    assert frames == [[(f.module, f.function, f.filename) for f in e.stack.frames] for e in other.exceptions]


def test_a_secret_that_shows_only_once_it_is_opened_is_hidden_there() -> None:
    """A key in one record and its value in the next; the spans are still those of the text that was given."""
    lines = ["java.io.IOException: no login", "<name>a.password</name>", "<value>hunter2</value>", "\tat com.acme.A.b(A.java:1)", "\tat com.acme.C.d(C.java:2)"]  # fmt: skip
    text = "".join(f"2024-05-01T10:00:00.1Z stderr F {line}\n" for line in lines)
    (chain,) = parse(text)
    assert SECRET not in repr(chain)
    assert chain.notes == ("a secret showed only once its lines were opened, and was hidden there: element",)
    assert "<value><secret></value>" in str(chain.exceptions[0].message)
    assert text[slice(*chain.span)].startswith("java.io.IOException")
    assert text[slice(*chain.span)].endswith("at com.acme.C.d(C.java:2)")
