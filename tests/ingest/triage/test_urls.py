"""URLs night after night: from a real HTTP server, which says what changed, or says nothing, or lies."""

import gzip
import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from index.triage_reports import FOLDER
from ingest.triage.crashes import find_files
from ingest.triage.fetching import WebCopies
from ingest.triage.file_states import FileState
from ingest.triage.incremental import note_files, noted_files, since_last
from kb.errors import SourceError
from tests.ingest.triage.test_triage import crashes, home, of, run, triaged
from tests.listening import listening

__all__ = ["home"]
RUNS = ("20261126T020000Z-0001", "20261127T020000Z-0002")


@dataclass
class Web:
    """A server of files, and its log of requests."""

    server: ThreadingHTTPServer
    files: dict[str, bytes] = field(default_factory=dict)
    tells: set[str] = field(default_factory=lambda: {"etag", "last-modified"})
    """Which headers it sends."""
    sent: list[tuple[str, int]] = field(default_factory=list)
    """Path and status of each answer."""

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server.server_port}{path}"

    def took(self) -> list[tuple[str, int]]:
        """What was sent since the last look."""
        sent, self.sent = self.sent, []
        return sent


@pytest.fixture
def web() -> Iterator[Web]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            data = at.files.get(path)
            if path == "/moved.jsonl":
                self._answer(302, b"", {"location": at.url("/a.jsonl")})
            elif data is None:
                self._answer(404, b"", {})
            else:
                digest = hashlib.md5(data).hexdigest()
                every = {"etag": f'"{digest}"', "last-modified": f"Sat, 28 Nov 2026 00:00:{len(data) % 60:02} GMT"}
                conditions = {self.headers.get("if-none-match"), self.headers.get("if-modified-since")}
                validators = {name: value for name, value in every.items() if name in at.tells}
                same = conditions & set(validators.values())
                self._answer(304 if same else 200, b"" if same else data, validators)

        def _answer(self, status: int, data: bytes, headers: dict[str, str]) -> None:
            at.sent.append((self.path, status))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            return

    with listening(Handler) as server:
        at = Web(server)
        yield at


def noted(place: Path, run_name: str, states: dict[str, FileState]) -> None:
    folder = place / FOLDER / run_name
    folder.mkdir(parents=True)
    note_files(folder, states)


@pytest.mark.parametrize("tells", [{"etag"}, {"last-modified"}, {"etag", "last-modified"}])
def test_what_its_server_calls_the_same_is_not_fetched_again(web: Web, tmp_path: Path, tells: set[str]) -> None:
    web.tells, web.files["/a.jsonl"] = tells, b"{}\n"
    with WebCopies(tmp_path) as copies:
        state = copies.state(web.url("/a.jsonl"))
        assert Path(copies.places[web.url("/a.jsonl")]).read_bytes() == b"{}\n"
    noted(tmp_path, RUNS[0], {web.url("/a.jsonl"): state})
    (kept,) = noted_files(tmp_path / FOLDER)[RUNS[0]].values()
    with WebCopies(tmp_path) as copies:
        assert copies.state(web.url("/a.jsonl"), kept) == state
        assert copies.places == {}
        copies.fetch(web.url("/a.jsonl"))
        assert list(copies.places) == [web.url("/a.jsonl")], "it is fetched when its report is made again"
    assert web.took() == [("/a.jsonl", 200), ("/a.jsonl", 304), ("/a.jsonl", 200)]
    web.files["/a.jsonl"] = b"{}\n{}\n"
    with WebCopies(tmp_path) as copies:
        assert copies.state(web.url("/a.jsonl"), kept) != state
    assert sorted(one.name for one in tmp_path.iterdir()) == [FOLDER], "copies are gone"


def test_a_server_that_tells_nothing_is_known_by_what_it_sends(web: Web, tmp_path: Path) -> None:
    web.tells, web.files["/a.jsonl"] = set(), b"{}\n"
    with WebCopies(tmp_path) as copies:
        state = copies.state(web.url("/a.jsonl"))
    with WebCopies(tmp_path) as copies:
        assert copies.state(web.url("/a.jsonl"), state) == state
    web.tells = {"etag"}  # and one that names the same content otherwise than last night
    with WebCopies(tmp_path) as copies:
        assert copies.state(web.url("/a.jsonl"), FileState(state.size, state.changed, '"old"')) == state
    web.files["/a.jsonl"] = b"[]\n"
    with WebCopies(tmp_path) as copies:
        assert copies.state(web.url("/a.jsonl"), state) != state
    assert [status for _, status in web.took()] == [200] * 4


def test_nights_of_urls(web: Web, tmp_path: Path) -> None:
    """As of files: one that changed takes its report along, what is new has one of its own, one that is not given is gone."""
    web.files |= {f"/{n}.jsonl": b"{}\n" for n in range(3)}
    urls = [web.url(f"/{n}.jsonl") for n in range(3)]

    def planned(*given: str) -> list[tuple[list[str], tuple[str, ...], tuple[str, ...]]]:
        read = noted_files(tmp_path / FOLDER)
        last = {name: state for one in read.values() for name, state in one.items()}
        with WebCopies(tmp_path) as copies:
            now = {url: copies.state(url, last.get(url)) for url in given}
        plans = since_last(find_files(list(given)), read, now)
        return [(one.files.remote, one.replaces, one.doubled) for one in plans]

    with WebCopies(tmp_path) as copies:
        noted(tmp_path, RUNS[0], {url: copies.state(url) for url in urls[:2]})
    assert planned(*urls[:2]) == []
    assert planned(*urls) == [([urls[2]], (), ())]
    web.files["/0.jsonl"] = b"{}\n{}\n"
    assert planned(*urls) == [(urls[:2], (RUNS[0],), ()), ([urls[2]], (), ())]
    assert planned(urls[0]) == [([urls[0]], (), (urls[0],))]


def test_what_cannot_be_fetched_is_said_without_its_secrets(web: Web, tmp_path: Path) -> None:
    secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    with WebCopies(tmp_path) as copies:
        with pytest.raises(SourceError, match="HTTP 404") as gone:
            copies.state(web.url(f"/gone.jsonl?token={secret}"))
        with pytest.raises(SourceError, match="cannot be fetched"):
            copies.state("http://127.0.0.1:9/a.jsonl")
    assert secret not in str(gone.value)
    with pytest.raises(SourceError, match="neither JSON lines nor Parquet"):
        find_files([web.url("/day.log?a.jsonl")])


@pytest.mark.spark
@pytest.mark.slow
def test_two_nights_of_a_url(home: Path, web: Web) -> None:
    """Packed, behind another address, with a secret in it: read once, and again when it grew."""
    secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    rows = crashes()
    web.files["/day.jsonl.gz"] = gzip.compress("\n".join(map(json.dumps, rows)).encode())
    source = web.url(f"/day.jsonl.gz?token={secret}")
    first = triaged(source, "--since-last")
    assert (first["crashes"], sum(of(first, "known").values())) == (200, 80)
    assert "nothing to read" in run(source, "--since-last").stdout
    web.files["/day.jsonl.gz"] = gzip.compress("\n".join(map(json.dumps, [*rows, rows[0]])).encode())
    web.files["/a.jsonl"] = json.dumps(rows[0]).encode()
    out = run(source, web.url("/moved.jsonl"), "--since-last", "--json").stdout
    again, end = json.JSONDecoder().raw_decode(out)
    other = json.loads(out[end:])
    assert (again["crashes"], again["replaces"], other["crashes"]) == (201, [first["run"]], 1)
    assert not list((home / FOLDER).glob(".fetched-*"))
    shutil.rmtree(home / FOLDER / "replaced")
    for path in (home / FOLDER).rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes(), path
