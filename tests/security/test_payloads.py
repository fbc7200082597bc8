"""Scripts in every field that somebody fills in: in a real Chromium none of them runs, on no page, and the policy refuses nothing because nothing asks.

Payloads call ``window.fired``; a page that a payload got hold of shows a dialog, calls it, or asks for something that the policy refuses.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from kb.store import Actor, Role, Store
from tests.api.fixtures import LiveServer, poll, serving
from tests.api.knowledge import build_home
from tests.browser.conftest import chromium, context  # noqa: F401

pytestmark = pytest.mark.browser

CALL = "window.fired(document.location)"
PAYLOADS = (
    f"<script>{CALL}</script>",
    f'"><img src=x onerror={CALL}>',
    f"'><svg/onload={CALL}>",
    f"</textarea><script>{CALL}</script>",
    f"</title><script>{CALL}</script>",
    f"</script><script>{CALL}</script>",
    f"[x](javascript:{CALL})",
    f"[x](JaVaScRiPt&colon;{CALL})",
    f"![x](x){{onerror={CALL}}}",
    f'<a href="javascript:{CALL}">x</a>',
    f'<iframe srcdoc="<script>parent.{CALL}</script>"></iframe>',
    f"<details open ontoggle={CALL}>",
    f'" autofocus onfocus="{CALL}',
    f"{{{{constructor.constructor('{CALL}')()}}}}",
    f"<math><mtext></p><img src=x onerror={CALL}></mtext></math>",
    f"<noscript><p title='</noscript><img src=x onerror={CALL}>'>",
    f"`-{CALL}-`",
    f"<<script>{CALL}//<</script>",
    f"<style>@import'javascript:{CALL}';</style><object data=javascript:{CALL}>",
    f'[x](<"onclick={CALL}//.md>) [x](javascript:{CALL}.md) `a-b"onclick={CALL}`',
    f"\u2028</pre><img src=x onerror={CALL}>",
)
ALL = "\n\n".join(PAYLOADS)
HANDLED = ["script:not([src])", "[onerror]", "[onload]", "[onfocus]", "[ontoggle]", "main iframe", "main object", 'a[href^="javascript" i]']  # fmt: skip
SHOWN = "all => all.filter(one => document.querySelectorAll(`:is(${one}):not([nonce])`).length)"
"""Which of these are on a page, but for scripts of ours, which have a nonce."""
CLICKED = "document.querySelectorAll('details:not([open]) > summary').forEach(closed => closed.click())"
"""As with the mouse, but all in one question: a question for each takes longer than the page."""
ROOT = Actor("test", "test", Role.ADMIN)
TRACE = (
    "ValueError: {0}\n" + 'Traceback (most recent call last):\n  File "{0}", line 3, in {0}\n    {0}\nValueError: {0}\n'
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def keys() -> dict[str, str]:
    return {}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, keys: dict[str, str]) -> Iterator[LiveServer]:
    """A service whose administrator is called like a script, too."""
    folder: Path = tmp_path_factory.mktemp("payloads")
    build_home(folder)
    with Store.open(folder / "store.db") as store:
        keys["admin"] = store.keys.create(PAYLOADS[0], Role.ADMIN, actor=ROOT)[1]
    with serving(folder, folder) as server:
        poll(lambda: httpx.get(f"{server.url}/readyz").is_success)
        yield server


def fields(number: int) -> dict[str, object]:
    """An incident whose every field is a payload, or all of them where several lines may stand."""
    one = PAYLOADS[number]
    return {
        "id": f"hostile-{number}",
        "title": one,
        "component": one[:60],
        "tags": [one[:60]],
        "codes": [one[:60]],
        "versions": [one[:60]],
        "symptom": ALL,
        "root_cause": ALL,
        "fix": ALL,
        "notes": ALL,
        "traces": [TRACE.format(one.replace("\n", " "))],
    }


def write_all(url: str, key: str) -> list[str]:
    """Incidents, a comment, a reviewer and a second revision made of payloads; their ids."""
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60) as admin:
        made = [write(admin, fields(number)) for number in range(len(PAYLOADS))]
        first = f"/v1/incidents/{made[0]}"
        said = admin.post(f"{first}/comments", json={"revision": 1, "text": ALL})
        assert said.status_code == 201, said.text
        admin.put(f"{first}/reviewers", json={"reviewers": admin.get("/v1/reviewers").json()["reviewers"][:1]})
        etag = admin.get(first).headers["etag"]
        again = admin.put(first, json={"title": PAYLOADS[1], "fix": ALL[::-1]}, headers={"If-Match": etag})
        assert again.status_code == 200, again.text
    return made


def write(admin: httpx.Client, record: dict[str, object]) -> str:
    """Add an incident; a field that takes no such text refuses it, and the others are tried."""
    answer = admin.post("/v1/incidents", json=record)
    while answer.status_code == 422:
        wrong = {str(one["pointer"]).lstrip("#/").split("/")[0] for one in answer.json()["errors"]}
        refused = wrong & set(record) - {"id", "title"}
        assert refused, answer.text
        record = {name: value for name, value in record.items() if name not in refused}
        answer = admin.post("/v1/incidents", json=record)
    assert answer.status_code == 201, answer.text
    return str(record["id"])


@contextmanager
def watched(page: Page) -> Iterator[list[str]]:
    """What ran, what was refused, what asked for something elsewhere."""
    fired: list[str] = []
    page.expose_function("fired", lambda where: fired.append(f"fired at {where}"))
    page.on("dialog", lambda dialog: (fired.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("console", lambda told: fired.append(told.text) if "Content Security Policy" in told.text else None)
    page.on("pageerror", lambda error: fired.append(f"error: {error}"))
    yield fired


def look(page: Page, url: str) -> None:
    """Open a page and touch what opens by itself or by a click that goes nowhere else."""
    page.goto(url)
    page.evaluate(CLICKED)
    assert page.evaluate(SHOWN, HANDLED) == [], url


@pytest.mark.slow
def test_no_payload_runs_in_any_field(
    context: BrowserContext,  # noqa: F811
    house: LiveServer,
    keys: dict[str, str],
) -> None:
    made = write_all(house.url, keys["admin"])
    first = made[0]
    page = context.new_page()
    with watched(page) as fired:
        page.goto(f"{house.url}/login?next=/")
        page.get_by_label("API key").fill(keys["admin"])
        page.get_by_role("main").get_by_role("button", name="Log in").click()
        for one in made:
            look(page, f"{house.url}/incidents/{one}")
        rest = ("history", "edit", f"history?lang={quote(PAYLOADS[1])}")
        for path in (*(f"/incidents/{first}/{one}" for one in rest), "/incidents", "/chats", "/write", "/dashboard"):
            look(page, house.url + path)
        for one in PAYLOADS:
            look(page, f"{house.url}/incidents?component={quote(one)}&q={quote(one)}")
            look(page, f"{house.url}/incidents/{quote(one, safe='')}")
            look(page, f"{house.url}/login?next={quote(one)}")
        for text in (*PAYLOADS[:4], TRACE.format(PAYLOADS[1]), ALL):
            look(page, house.url)
            page.get_by_label("Paste a stack trace").fill(text)
            page.get_by_role("button", name="Search").click()
            page.wait_for_load_state()
        assert fired == []
        page.evaluate(CALL)
        poll(lambda: fired != [])  # the probe works
        page.evaluate("document.body.setAttribute('onerror', 'x')")
        assert page.evaluate(SHOWN, HANDLED) == ["[onerror]"]


@pytest.mark.slow
def test_no_payload_of_an_imported_article_runs(
    context: BrowserContext,  # noqa: F811
    house: LiveServer,
    keys: dict[str, str],
) -> None:
    """The editor draws a write-up before it is saved."""
    page = context.new_page()
    with watched(page) as fired:
        page.goto(f"{house.url}/login?next=/write")
        page.get_by_label("API key").fill(keys["admin"])
        page.get_by_role("main").get_by_role("button", name="Log in").click()
        page.get_by_role("button", name="Markdown", exact=True).click()
        for number, one in enumerate(PAYLOADS):
            box = page.get_by_label("The write-up, in Markdown")
            box.fill(
                f"---\nid: article-{number}\ntitle: '{one.replace(chr(39), '')}'\n---\n\n## Symptom\n\n{ALL}\n\n## Fix\n\n{one}\n"
            )
            page.get_by_role("button", name="Check").click()
            page.wait_for_load_state()
        assert fired == []
