"""Writers that are killed in the middle of it: what was acknowledged is there, once, and the database is whole."""

import os
import random
import signal
import sqlite3
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from kb.incident import Status
from kb.store import Store

from .processes import CONTEXT
from .told import ANN, incident


def write_until_killed(place: str | Path, name: str, told: Connection) -> None:
    """Save an incident again and again, and tell each revision once it is acknowledged."""
    with Store.open(place) as store:
        while True:
            current = store.incidents.current(name)
            title = f"{os.getpid()} {time.monotonic_ns()}"
            told.send((title, False))
            status = random.choice(list(Status))
            store.incidents.revise(incident(name, title), expected=current.number, actor=ANN, status=status)
            told.send((title, True))


def killed(place: str | Path, name: str) -> tuple[list[str], str | None]:
    """The titles that were acknowledged before the process was killed, and one that it was about."""
    told, telling = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=write_until_killed, args=(place, name, telling))
    process.start()
    telling.close()
    acknowledged: list[str] = []
    begun, last = None, random.randint(2, 6)
    while True:
        try:
            title, done = told.recv()
        except (EOFError, OSError):
            break
        acknowledged += [title] * done
        begun = None if done else title
        if begun and len(acknowledged) == last:  # somewhere in the next one
            threading.Timer(random.random() * 0.02, process.kill).start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    return acknowledged, begun


@pytest.mark.parametrize("times", [10, pytest.param(50, marks=[pytest.mark.bench, pytest.mark.timeout(3600)])])
@pytest.mark.slow
def test_what_was_acknowledged_outlives_a_killed_writer(place: str | Path, times: int) -> None:
    with Store.open(place) as store:
        store.incidents.create(incident("a", "0"), actor=ANN)
        expected, unsure = ["0"], 0
        for _ in range(times):
            acknowledged, begun = killed(place, "a")
            with store.transaction():  # nobody is still at it
                history = store.incidents.history("a", limit=100_000)
            titles = [one.shown.title for one in reversed(history)]
            expected += acknowledged
            if titles[-1] == begun:  # written, and killed before it could say so
                expected.append(titles[-1])
                unsure += 1
            assert titles == expected
            assert [one.number for one in history] == list(range(len(expected), 0, -1))
            assert len(store.audit.listing(limit=100_000)) == len(expected) == store.head().sequence
        assert unsure <= times < len(expected) // 2
        print(
            f"{times} kills, {len(expected) - 1 - unsure} saves acknowledged, 0 lost, {unsure} done without an answer"
        )
    if isinstance(place, Path):
        whole = sqlite3.connect(place)
        assert whole.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert whole.execute("PRAGMA foreign_key_check").fetchall() == []
        whole.close()
