"""The page of an incident shows the article as it was read and where it comes from; what nobody wrote yet is called so."""

from dataclasses import replace

import pytest

from kb.article import read_article
from kb.incident import Incident, Source, Status
from kb.store import Actor, Role
from tests.api.pages.tabs import Tab, words

ANN = Actor("ann", "Ann", Role.REVIEWER)
ARTICLE = """# Worker stops

It stops every night, <script>alert(1)</script> and nobody knows why.

## Root cause

The root cause is that the disk is full because logs are never rotated.

## Fix

- Look at the disk.
- To solve this, turn `logrotate` on for the worker.
- Restart it.

| file | size |
|---|---|
| a.log | 9 GB |

## See also

The manual of the worker.
"""
SILENT = "# Worker stops\n\nIt stops every night, and nobody knows why:\n\n```\njava.io.IOException: disk full\n\tat a.b.Worker.write(Worker.java:10)\n```\n"


def read(text: str, name: str, url: str) -> Incident:
    (one,) = read_article(text.encode(), f"{name}.md").incidents
    return replace(one, id=name, source=Source(f"{name}.md", url))


@pytest.mark.parametrize(
    ("name", "url", "summary", "place", "links"),
    [
        ("en", "https://wiki.example.org/a.md", "The article as it was read", "Source · https://wiki.example.org/a.md", 1),
        ("zh", "ops/a.md", "原文（读取时的样子）", "来源 · ops/a.md", 0),
        ("en-script", "javascript:alert(1)", "The article as it was read", "Source · javascript:alert(1)", 0),
    ],
)  # fmt: skip
def test_the_article_is_folded_below_with_its_place(
    tab: Tab, name: str, url: str, summary: str, place: str, links: int
) -> None:
    tab.store.incidents.create(read(ARTICLE, name, url), actor=ANN, status=Status.PUBLISHED)
    page = tab.get(f"/incidents/{name}?lang={name[:2]}")
    (shown,) = page.css("details.as-read")
    assert "open" not in shown.attributes
    assert words(page, ".as-read > summary") == summary
    assert words(page, ".as-read > .place") == place
    assert len(shown.css(".place a[href]")) == links
    assert [one.text() for one in shown.css("mark")] == [
        "The root cause is that the disk is full because logs are never rotated.",
        "To solve this, turn logrotate on for the worker.",
    ]
    assert len(shown.css("td")) == 2
    assert "The manual of the worker." in shown.text()
    assert not shown.css("script")
    assert tab.client.get(f"/v1/incidents/{name}").json()["article"].startswith("**Worker stops**")


def test_what_curators_write_has_no_article(tab: Tab) -> None:
    tab.store.incidents.create(
        Incident("own", "Disk full", "en", Source("own", "own"), fix="Delete logs."), actor=ANN, status=Status.PUBLISHED
    )
    assert not tab.get("/incidents/own?lang=en").css(".as-read")
    assert "article" not in tab.client.get("/v1/incidents/own").json()


def test_it_stays_whatever_a_curator_writes(tab: Tab) -> None:
    one = read(ARTICLE, "mended", "ops/a.md")
    tab.store.incidents.create(one, actor=ANN, status=Status.PUBLISHED)
    tab.login(Role.CURATOR)
    address = "/incidents/mended/edit?lang=en"
    (text,) = (node.text() for node in tab.get(address).css("textarea[name=text]"))
    tab.send(tab.get(address), "#writeup", "#writeup button[value=publish]", text=text.replace("is full", "was full"))
    said = tab.client.get("/v1/incidents/mended").json()
    assert (said["revision"], said["article"]) == (2, one.article)
    tab.logout()
    _, secret = tab.store.keys.create("by-key", Role.CURATOR, actor=ANN)
    head = {"if-match": '"2"', "authorization": f"Bearer {secret}"}
    sent = tab.client.put("/v1/incidents/mended", json=said | {"article": "Else."}, headers=head)
    assert sent.status_code == 200, sent.text
    assert tab.client.get("/v1/incidents/mended").json()["article"] == one.article


@pytest.mark.parametrize(
    ("lang", "in_article", "own"),
    [
        (
            "en",
            [
                "No sentence was recognised as the cause; the passages shown may tell it.",
                "No sentence was recognised as the fix; the passages shown may tell it.",
            ],
            ["Not stated yet."] * 2,
        ),
        (
            "zh",
            [
                "没有识别出说明原因的句子，原因可能就在所示的原文里。",
                "没有识别出说明解决办法的句子，办法可能就在所示的原文里。",
            ],
            ["尚未写明。"] * 2,
        ),
    ],
)
def test_only_of_articles_it_is_said_that_they_do_not_state_it(
    tab: Tab, lang: str, in_article: list[str], own: list[str]
) -> None:
    name = f"silent-{lang}"
    tab.store.incidents.create(read(SILENT, name, "a.md"), actor=ANN, status=Status.PUBLISHED)
    tab.store.incidents.create(
        Incident(f"own-{lang}", "Disk", "en", Source("own", "own"), symptom="Stops."),
        actor=ANN,
        status=Status.PUBLISHED,
    )
    for one, expected in ((name, in_article), (f"own-{lang}", own)):
        page = tab.get(f"/incidents/{one}?lang={lang}")
        assert [node.text() for node in page.css(".cause .missing, .fix .missing")] == expected
