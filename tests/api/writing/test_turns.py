"""What takes its time is done before a writer holds the store: the others get in meanwhile."""

import threading
import time
from pathlib import Path

import pytest

from kb.store import Store
from tests.api.writing.conftest import Desk

LONG = "It broke, and then it broke again: " + "password=hunter2-quaint and more words, " * 4_000


class Turns(threading.Thread):
    """Another writer of the same store, who notes the longest time it had to wait for its turn."""

    def __init__(self, store: Store) -> None:
        super().__init__(daemon=True)
        self.longest = 0.0
        self._store, self._is_over = store, threading.Event()

    def run(self) -> None:
        """Take one turn after the other."""
        while not self._is_over.is_set():
            started = time.perf_counter()
            with self._store.transaction():
                self.longest = max(self.longest, time.perf_counter() - started)
            time.sleep(0.001)

    def end(self) -> float:
        """No more turns; the longest wait, in seconds."""
        self._is_over.set()
        self.join()
        return self.longest


@pytest.mark.parametrize("way", ["create", "replace", "attach"])
def test_a_long_write_up_is_scrubbed_while_others_write(own: Desk, tmp_path: Path, way: str) -> None:
    """The proof is in CPU time: of all that the saving took, the others waited for a small part."""
    own.add("long", title="Long", symptom="short")
    own.ask("GET", "/long")  # so that nothing is loaded for the first time
    with Store.open(tmp_path / "store.db") as other:
        turns = Turns(other)
        turns.start()
        started = time.perf_counter()
        if way == "create":
            answer = own.ask("POST", "", json={"title": "New", "symptom": LONG})
        elif way == "replace":
            answer = own.ask("PUT", "/long", etag='"1"', json={"title": "Long", "symptom": LONG})
        else:
            answer = own.ask("POST", "/long/traces", json={"trace": LONG})
        took = time.perf_counter() - started
        longest = turns.end()
    assert answer.status_code in {200, 201}, answer.text[:300]
    assert "hunter2" not in answer.text
    assert longest < took / 8
