"""The processes behind a real `kb serve`."""

from pathlib import Path

from tests.api.fixtures import LiveServer


def workers_of(server: LiveServer) -> set[int]:
    """The workers of a server with several: its living children that answer."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, *_ = status.read_text().rpartition(")")[2].split()
            command = (status.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if int(parent) == server.process.pid and b"spawn_main" in command and state != "Z":
            found.add(int(status.parent.name))
    return found
