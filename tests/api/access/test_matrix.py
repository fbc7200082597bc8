"""Every route × everybody: `matrix.tsv` says what each is answered; a route without a row fails."""

import csv
import html
import json
import re
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest

from api.access import Scope
from api.app import create_app
from api.render.language import load_strings
from api.settings import ServiceSettings
from kb.incident import Status
from kb.store import Role
from tests.structure import doors

from .conftest import ROOT, House

LINES = (Path(__file__).parent / "matrix.tsv").read_text(encoding="utf-8").splitlines()
TABLE = list(csv.DictReader(LINES, delimiter="\t", quoting=csv.QUOTE_NONE))
COLUMNS = {
    "method": "GET, POST, PUT or DELETE",
    "path": "as the route declares it",
    "scope": "what a key may be limited to (`api.access.Scope`); `-` where any key will do",
    "body": "JSON or a form; `-` for none. TITLE, NEW and OTHER stand for SECRET and for ids of further incidents",
    "nobody": "status without a key, where reading is open",
    "keyed": "status without a key, where reading takes one (`KB_READING=key`)",
    "bad": "status with a key that is garbage, revoked or expired",
    "limited": "status with an administrator's key of all scopes but this",
    **{role.value: f"status with the key of a {role.value}" for role in Role},
    "draft_nobody": "status without a key, of a draft; `-` where the path names no incident",
    "draft_reader": "status with a reader's key, of a draft",
}
"""What each column says."""
SECRET = "Zwiebelkuchen"
"""A word of every title, which no refusal may hold."""
EACH = pytest.mark.parametrize("line", TABLE, ids=[f"{line['method']} {line['path']}" for line in TABLE])
PAGES = frozenset({"/login", "/write"})
"""They say what is missing on the page itself."""
BAD = ("garbage", "revoked", "expired")
"""Keys that open nothing."""
_UNUSED = count()


def test_every_column_is_explained() -> None:
    assert list(TABLE[0]) == list(COLUMNS)


def test_every_route_has_a_row() -> None:
    found, rows = set(doors(create_app(ServiceSettings()))), {(line["method"], line["path"]) for line in TABLE}
    assert found - rows == set(), "write its row into tests/api/access/matrix.tsv; COLUMNS says what each column is"
    assert rows - found == set(), "matrix.tsv has rows of no route"
    assert len(found) == len(TABLE) > 35


ROLES = ("nobody", "reader", "curator", "reviewer", "admin")


def least(line: dict[str, str]) -> str:
    """The least that somebody must be for a route, by the answers of the table."""
    return next(role for role in ROLES if line[role] not in {"401", "403"})


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("reading", ["open", "key"])
def test_the_api_page_says_whom_each_route_is_for_as_the_table_does(
    house: House, closed: House, reading: str, lang: str
) -> None:
    at = closed if reading == "key" else house
    page = at.client.get("/docs", params={"lang": lang}, headers={"Authorization": f"Bearer {house.key(Role.READER)}"})
    t = load_strings()[lang]
    by_route = {(line["method"], line["path"].replace(":path", "")): line for line in TABLE}
    routes = re.findall(
        r'data-method="(\w+)" data-path="([^"]+)".*?<p class="hint who-may">(.*?)</p>', page.text, re.DOTALL
    )
    assert len(routes) > 30
    for method, path, said in routes:
        line = by_route[method, html.unescape(path)]
        role, scope = least(line), line["scope"]
        takes_key = reading == "key" and line["keyed"] == "401"
        who = t("api_who_key" if takes_key else "api_who_any")
        if role in {"curator", "reviewer", "admin"}:
            who = t("api_who_role", role=t(f"role_{role}")) if role != "admin" else t("role_admin")
            who = t("api_who_metrics") if scope == "metrics" else who
        assert who in said, (method, path, said)
        assert (f"<code>{scope}</code>" in said) is (scope != "-"), (method, path, said)


def ask(house: House, line: dict[str, str], incident_id: str, key: str | None = None) -> httpx.Response:
    """One request of a row, about an incident."""
    path = line["path"].replace("{incident_id:path}", incident_id).replace("{number}", "1").replace("{name}", "0" * 16)
    path = {"/static": "/static/page.css"}.get(path, path) + ("?from=1&to=1" if path.endswith("/diff") else "")
    headers = {"If-Match": '"1"'} | ({"Authorization": f"Bearer {key}"} if key else {})
    body = (
        line["body"]
        .replace("TITLE", SECRET)
        .replace("OTHER", f"{incident_id}-other")
        .replace("NEW", f"{incident_id}-new")
    )
    sent: dict[str, Any] = {}
    if body.startswith("{"):
        headers["Content-Type"] = "application/json"
        sent["content"] = json.dumps(json.loads(body))
    elif body != "-":
        sent["data"] = dict(parse_qsl(body))
    house.follow()
    return house.client.request(line["method"], path, headers=headers, **sent)  # type: ignore[return-value]


def an_incident(house: House, line: dict[str, str], status: Status = Status.PUBLISHED) -> str:
    """A new one, as the row needs it."""
    name = f"m{next(_UNUSED)}"
    house.add(name, f"{SECRET} {name}", status)
    house.add(f"{name}-other", f"{SECRET} other {name}", Status.PUBLISHED)
    if line["path"].endswith("/split"):
        numbers = {name: 1, f"{name}-other": 1}
        house.store.redirects.merge(name, f"{name}-other", expected=numbers, actor=ROOT)
    return name


def refused(response: httpx.Response, status: str, line: dict[str, str]) -> None:
    """The answer is that, and when it refuses, it tells nothing."""
    assert response.status_code == int(status), response.text[:300]
    if response.status_code in {401, 403, 404}:
        assert SECRET not in response.text
        if line["path"] not in PAGES or response.headers["content-type"].startswith("application/"):
            assert response.headers["content-type"] == "application/problem+json"
    if response.status_code == 401 and line["path"] not in PAGES:
        assert response.headers["www-authenticate"].startswith('Bearer realm="dejastack"')


@pytest.fixture(scope="module")
def callers(house: House) -> dict[str, str | None]:
    """Everybody who may ask, and with what: none, three keys that open nothing, one of each role."""
    bad = {"garbage": "kb_" + "0" * 64, "revoked": house.revoked(), "expired": house.expired()}
    return {"none": None, **bad, **{role.value: house.key(role) for role in Role}}


def expected(line: dict[str, str], caller: str, *, is_closed: bool) -> str:
    """What the table says that somebody is answered."""
    if caller in BAD:
        return line["bad"]
    return line["keyed" if is_closed else "nobody"] if caller == "none" else line[caller]


@EACH
@pytest.mark.parametrize("reading", ["open", pytest.param("key", marks=pytest.mark.slow)])
def test_everybody_is_answered_as_the_table_says(
    house: House, closed: House, callers: dict[str, str | None], line: dict[str, str], reading: str
) -> None:
    at, changes = (closed if reading == "key" else house), line["method"] != "GET"
    assert set(callers) == {"none", *BAD, *(role.value for role in Role)}
    about = an_incident(house, line)
    for caller, key in callers.items():
        status = expected(line, caller, is_closed=reading == "key")
        before = [one.number for one in house.store.incidents.history(about)]
        refused(ask(at, line, about, key), status, line)
        if status in {"401", "403", "404"}:
            assert [one.number for one in house.store.incidents.history(about)] == before
        elif changes:
            about = an_incident(house, line)  # the next one finds it as this one did


@EACH
@pytest.mark.slow
def test_a_key_reaches_as_far_as_its_scopes(house: House, closed: House, line: dict[str, str]) -> None:
    others, own = [scope for scope in Scope if scope != line["scope"]], line["scope"]
    refused(ask(house, line, an_incident(house, line), house.key(Role.ADMIN, *others)), line["limited"], line)
    refused(ask(house, line, an_incident(house, line), " "), line["bad"], line)
    if own in list(Scope):
        for role in Role:
            status = "200" if own == "metrics" else line[role.value]
            refused(ask(closed, line, an_incident(house, line), house.key(role, Scope(own))), status, line)


@pytest.mark.parametrize(
    "line",
    [line for line in TABLE if line["draft_reader"] != "-" and not line["path"].endswith("/split")],
    ids=lambda line: f"{line['method']} {line['path']}",
)
@pytest.mark.slow
def test_the_draft_of_another_is_as_if_it_were_not(
    house: House, closed: House, callers: dict[str, str | None], line: dict[str, str]
) -> None:
    about = an_incident(house, line, Status.DRAFT)
    for at in (house, closed):
        nobody = line["draft_nobody"] if at is house else line["keyed"]
        statuses = {"none": nobody, **dict.fromkeys(BAD, line["bad"]), "reader": line["draft_reader"]}
        for caller, status in statuses.items():
            response = ask(at, line, about, callers[caller])
            refused(response, status, line)
            none = ask(at, line, "never-was", callers[caller])
            assert (told(response, about), response.status_code) == (told(none, about), none.status_code)


def told(response: httpx.Response, about: str) -> str:
    """What an answer says, whichever incident it was asked of."""
    text = response.text.replace(response.headers["x-request-id"], "").replace(about, "").replace("never-was", "")
    if response.headers["content-type"] != "application/json":
        return text
    document = json.loads(text)
    document.pop("took_ms", None)
    return json.dumps(document)
