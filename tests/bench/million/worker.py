"""One worker of several: ``python -m tests.bench.million.worker HOME COUNT SECONDS``. Says when it is ready, searches when told to."""

import sys
import time
from itertools import cycle
from pathlib import Path

from index import Engine
from tests.bench.million.measure import warm
from tests.bench.million.queries import questions


def main(home: Path, count: int, seconds: float) -> None:
    """Searches one after the other; how many it did, and the seconds of CPU that took."""
    engine = Engine.open(home)
    asked = [question.text for question in questions(count)]
    warm(engine)
    print("ready", flush=True)
    sys.stdin.readline()
    end, used = time.monotonic() + seconds, time.process_time()
    done = 0
    for text in cycle(asked):
        engine.search(text)
        done += 1
        if time.monotonic() >= end:
            break
    print(done, time.process_time() - used, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
