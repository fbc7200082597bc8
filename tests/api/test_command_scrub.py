"""`kb scrub`: what was saved before a rule knew it, and what is named, is gone from the store; a running service searches without it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import Result
from starlette.testclient import TestClient
from typer.testing import CliRunner

from api.app import create_app
from api.commands.scrub import app
from api.settings import ServiceSettings
from kb.incident import Status
from kb.store import Actor, Role, Store
from kb.trace.in_force import activate, rules_in_force
from tests.api.fixtures import poll
from tests.api.knowledge import RECORDS, build_home
from tests.kb.store.told import incident

ANN = Actor("u:ann", "Ann", Role.ADMIN)
SECRET, RULED = "Zitronenkuchen", "EMP-004711"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home whose store was written before anybody wrote a rule."""
    before = rules_in_force()
    build_home(tmp_path, RECORDS[:2])
    with Store.open(tmp_path / "store.db") as store:
        told = incident("a", f"The login of {SECRET} fails", "Basket", fix=f"Ask {RULED} about the turnstile")
        store.incidents.create(told, actor=ANN, status=Status.PUBLISHED)
    yield tmp_path
    activate(before)


def scrub(home: Path, *arguments: str, paste: str = "") -> Result:
    return CliRunner().invoke(app, list(arguments), input=paste, env={"KB_HOME": str(home)}, catch_exceptions=False)


def test_counted_first_then_gone(home: Path) -> None:
    nothing = scrub(home)
    assert "Nothing in the store" in nothing.stderr
    counted = scrub(home, "--secrets", "-", "--dry-run", "--json", paste=f"{SECRET}\n\n{SECRET}\n")
    assert json.loads(counted.stdout) == {"rows": {"revisions": 1}, "incidents": ["a"], "is_gone": True}
    with Store.open(home / "store.db") as store:
        assert SECRET in store.incidents.current("a").shown.title
    (home / "secrets").write_text(f"{SECRET}\n")
    done = scrub(home, "--secrets", str(home / "secrets"))
    assert done.stdout == "a\n"
    assert "Changed: 1 revisions." in done.stderr
    assert "backups" in done.stderr
    assert SECRET not in done.output
    with Store.open(home / "store.db") as store:
        assert store.incidents.current("a").shown.title == "The login of <secret> fails"


def test_a_running_service_searches_without_it(home: Path) -> None:
    def found() -> str:
        return client.post("/v1/search", json={"text": "whom to ask about the turnstile"}).text

    with TestClient(create_app(ServiceSettings(home=home, poll_seconds=3600))) as client:
        assert RULED in found()
        assert "1 revisions" in scrub(home, "--secrets", "-", paste=RULED).stderr
        poll(lambda: RULED not in found())
        assert "turnstile" in found()


def test_rules_of_the_house_reach_back(home: Path) -> None:
    (home / "rules").mkdir()
    (home / "rules" / "redact.txt").write_text("secret EMP-(\\d{6})\n")
    assert "1 revisions" in scrub(home).stderr
    with Store.open(home / "store.db") as store:
        assert "004711" not in str(store.incidents.current("a").record)
