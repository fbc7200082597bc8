"""The databases that a store can be in: a file of SQLite, and a real PostgreSQL of Debian's, started for the run."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
import pytest

from kb.store import Store, schema

_SECONDS = 60
_UNUSED = count()


@dataclass(frozen=True)
class Server:
    """A running PostgreSQL that listens on a socket alone."""

    folder: Path
    bin: Path
    user: str

    def address(self, database: str) -> str:
        """For KB_DATABASE_URL."""
        return f"postgresql://{self.user}@/{database}?host={self.folder}"

    def new_database(self) -> str:
        """The address of a database with nothing in it."""
        name = f"store_{os.getpid()}_{next(_UNUSED)}"
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE template0 STRATEGY wal_log")
        return self.address(name)

    def run(self, program: str, *arguments: str) -> str:
        """What one of PostgreSQL's programs prints."""
        done = subprocess.run(
            [self.bin / program, *arguments],
            user=None if os.getuid() else self.user,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-k {self.folder} -c listen_addresses= -c fsync=off -c max_connections=200"
        self.run("pg_ctl", "-D", str(self.data), "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self, how: str) -> None:
        """Stop it: ``fast`` ends what runs, ``immediate`` leaves the database to be mended by the next start."""
        self.run("pg_ctl", "-D", str(self.data), "-w", "-m", how, "stop")

    @property
    def data(self) -> Path:
        """Its files."""
        return self.folder / "data"


def _programs() -> tuple[Path, str] | str:
    """Where the newest PostgreSQL is, and whom it runs as; else why it cannot."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not found and (on_path := shutil.which("initdb")):
        found = [Path(on_path)]
    if not found:
        return "no PostgreSQL here: apt-get install postgresql"
    if os.getuid():
        return found[-1].parent, pwd.getpwuid(os.getuid()).pw_name
    for user in ("postgres", "nobody"):  # it refuses to run as root
        if any(entry.pw_name == user for entry in pwd.getpwall()):
            return found[-1].parent, user
    return "PostgreSQL does not run as root, and there is no user `postgres` or `nobody`"


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """A PostgreSQL of this run; skips, with the reason, where there is none to start."""
    with running_postgresql() as server:
        yield server


@contextmanager
def running_postgresql() -> Iterator[Server]:
    """A PostgreSQL until the block ends."""
    programs = _programs()
    if isinstance(programs, str):
        pytest.skip(programs)
    folder = Path(tempfile.mkdtemp(prefix="kb-pg-"))  # a socket's path is short, and another user must see it
    server = Server(folder, *programs)
    entry = pwd.getpwnam(server.user)
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    server.run("initdb", "-D", str(server.data), "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
    server.start()
    try:
        yield server
    finally:
        if (server.data / "postmaster.pid").exists():  # a test may have stopped it
            server.stop("immediate")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new store in SQLite, to be copied: making one takes longer than most tests."""
    path = tmp_path_factory.mktemp("store") / "store.db"
    Store.open(path).close()
    return path


@pytest.fixture(scope="session")
def made_postgresql(postgresql: Server) -> str:
    """The address of a store in PostgreSQL, to be emptied again and again."""
    address = postgresql.new_database()
    Store.open(address).close()
    return address


def emptied(address: str) -> str:
    """The store at an address as if it was new."""
    tables = ", ".join(f'"{name}"' for name in schema.metadata.tables if name != "sequence")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # no triggers: some tables may not be emptied
        connection.execute(f"TRUNCATE {tables} RESTART IDENTITY CASCADE")
        connection.execute("UPDATE sequence SET value = 0, store_id = gen_random_uuid()::text, least_revision = NULL")
    return address


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A new store in each of the databases."""
    if request.param == "sqlite":
        opened = Store.open(Path(shutil.copy(request.getfixturevalue("made"), tmp_path)))
    else:
        opened = Store.open(emptied(request.getfixturevalue("made_postgresql")))
    with opened:
        yield opened


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """Where no store is yet, in each of the databases."""
    if request.param == "sqlite":
        return tmp_path / "store.db"
    server: Server = request.getfixturevalue("postgresql")
    return server.new_database()
