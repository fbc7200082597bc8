"""The page of an answer, the editor with a question in it, and dead letters over HTTP."""

import re

import httpx
import pytest

from kb.store import Actor, Role
from kb.store.model import MessageState, Votes
from tests.api.chat.conftest import ChatHouse, question
from tests.api.fixtures import assert_problem, poll
from tests.api.knowledge import HDFS_TRACE
from tests.api.pages.tabs import Tab, words

HDFS = "flink-checkpoint-hdfs-replicas"
ROOT = Actor("test", "test", Role.ADMIN)


@pytest.fixture(scope="module")
def keys(house: ChatHouse) -> dict[Role, dict[str, str]]:
    """A header for each role."""
    made = {role: house.store.keys.create(role.value, role, actor=ROOT)[1] for role in Role}
    return {role: {"Authorization": f"Bearer {secret}"} for role, secret in made.items()}


@pytest.fixture
def ref(house: ChatHouse) -> str:
    return str(house.answers(house.ask(f"{HDFS_TRACE}\n<script>alert(1)</script>"))[0]["message"]["ref"])


def get(house: ChatHouse, path: str, **headers: str) -> httpx.Response:
    return house.client.get(path, headers=headers, follow_redirects=False)  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("lang", "ask", "yes"), [("en", "Was it this?", "This was it"), ("zh", "是这个问题吗？", "就是这个问题")]
)
def test_the_page_shows_and_does_not_vote(
    house: ChatHouse, keys: dict[Role, dict[str, str]], ref: str, lang: str, ask: str, yes: str
) -> None:
    before = house.store.feedback.votes([HDFS])
    shown = get(house, f"/chat/{ref}?lang={lang}&vote=yes&place=0", **keys[Role.READER])
    assert shown.status_code == 200
    assert ask in shown.text
    assert yes in shown.text
    assert "Checkpoint fails because HDFS cannot close the last block" in shown.text
    assert "<script>alert" not in shown.text
    assert f"/write?chat={ref}" in shown.text
    assert house.store.feedback.votes([HDFS]) == before


@pytest.mark.parametrize(
    ("query", "ready"),
    [
        ("&place=0&vote=yes", ["yes"]),
        ("&place=0&vote=no", ["no"]),
        ("", []),
        ("&place=99&vote=yes", []),
        ("&vote=?", []),
    ],
)
def test_the_vote_of_the_link_is_ready_to_be_pressed(
    house: ChatHouse, keys: dict[Role, dict[str, str]], ref: str, query: str, ready: list[str]
) -> None:
    shown = get(house, f"/chat/{ref}?lang=en{query}", **keys[Role.READER]).text
    assert re.findall(r'<button autofocus name="vote" value="(\w+)"', shown) == ready


def test_where_reading_takes_a_key_the_page_does_too(house: ChatHouse, ref: str) -> None:
    assert get(house, f"/chat/{ref}").status_code == 401
    to_login = get(house, f"/chat/{ref}", Accept="text/html")
    assert (to_login.status_code, to_login.headers["location"]) == (303, f"/login?next=%2Fchat%2F{ref}&needed=yes")


def test_a_login_on_the_way_to_the_editor_does_not_lose_the_question(house: ChatHouse, ref: str) -> None:
    gone = get(house, f"/write?chat={ref}&lang=zh", Accept="text/html")
    assert (gone.status_code, gone.headers["location"]) == (303, f"/login?next=%2Fwrite%3Fchat%3D{ref}&needed=yes")
    stray = get(house, "/write?chat=%0d%0aX:y", Accept="text/html")
    assert stray.headers["location"] == "/login?next=%2Fwrite&needed=yes"
    key = house.store.keys.create("ann", Role.CURATOR, actor=ROOT)[1]
    begun = house.client.post("/login", data={"key": key, "next": f"/write?chat={ref}"}, follow_redirects=True)
    house.client.cookies.clear()
    assert "org.apache.hadoop.hdfs.DFSOutputStream.completeFile" in begun.text


def test_a_vote_counts_once(house: ChatHouse, keys: dict[Role, dict[str, str]], ref: str) -> None:
    before = house.store.feedback.votes([HDFS])[HDFS]
    for _ in range(2):
        said = house.client.post(f"/chat/{ref}", data={"place": "0", "vote": "yes"}, headers=keys[Role.READER])
        assert said.status_code == 200
        assert "Thank you" in said.text
    house.client.post(f"/chat/{ref}", data={"place": "0", "vote": "no"}, headers=keys[Role.CURATOR])
    assert house.store.feedback.votes([HDFS])[HDFS] == Votes(before.yes + 1, before.no + 1)
    for vote, counted in (("no", (0, 2)), ("yes", (1, 1))):
        house.client.post(f"/chat/{ref}", data={"place": "0", "vote": vote}, headers=keys[Role.READER])
        yes, no = counted
        assert house.store.feedback.votes([HDFS])[HDFS] == Votes(before.yes + yes, before.no + no)


def test_a_form_of_elsewhere_does_not_vote(house: ChatHouse, keys: dict[Role, dict[str, str]], ref: str) -> None:
    before = house.store.feedback.votes([HDFS])
    for origin in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
        sent = house.client.post(
            f"/chat/{ref}", data={"place": "0", "vote": "yes"}, headers={**keys[Role.READER], **origin}
        )
        assert_problem(sent, 403, "from-elsewhere")  # type: ignore[arg-type]
    assert house.store.feedback.votes([HDFS]) == before


@pytest.mark.parametrize(
    ("form", "status", "kind"),
    [({"place": "7", "vote": "yes"}, 404, "chat-gone"), ({"place": "0", "vote": "maybe"}, 422, "invalid-request")],
)
def test_a_form_of_nonsense(
    house: ChatHouse, keys: dict[Role, dict[str, str]], ref: str, form: dict[str, str], status: int, kind: str
) -> None:
    assert_problem(house.client.post(f"/chat/{ref}", data=form, headers=keys[Role.READER]), status, kind)  # type: ignore[arg-type]


def test_what_is_forgotten_is_not_there(house: ChatHouse, keys: dict[Role, dict[str, str]]) -> None:
    for path in ("/chat/nothing", "/write?chat=nothing"):
        assert_problem(get(house, path, **keys[Role.ADMIN]), 404, "chat-gone")


def test_the_editor_begins_with_what_was_asked(house: ChatHouse, keys: dict[Role, dict[str, str]], ref: str) -> None:
    poll(lambda: house.store.messages.get(ref).state is MessageState.DONE)
    begun = get(house, f"/write?chat={ref}&lang=en", **keys[Role.CURATOR])
    assert begun.status_code == 200
    boxes = re.findall(r"<textarea[^>]*>(.*?)</textarea>", begun.text, re.DOTALL)
    assert any("org.apache.hadoop.hdfs.DFSOutputStream.completeFile" in box for box in boxes)
    assert "<script>alert" not in begun.text
    assert get(house, f"/write?chat={ref}", **keys[Role.READER]).status_code == 403


def test_dead_letters_are_listed_tried_again_and_dropped(house: ChatHouse, keys: dict[Role, dict[str, str]]) -> None:
    house.talk.be("404", "404")
    threads = [house.ask(HDFS_TRACE), house.ask("password=hunter2hunter2 " + HDFS_TRACE)]
    poll(lambda: len(house.store.messages.listing()) == 2)
    letters = get(house, "/v1/chat/dead", **keys[Role.ADMIN]).json()["letters"]
    assert [one["message_id"] for one in letters] == [f"id-{thread}" for thread in threads]
    assert {(one["platform"], one["kind"], one["why"], one["tries"]) for one in letters} == {
        ("talk", "question", "Talk says 404", 1)
    }
    assert "hunter2" not in str(letters)
    assert all(len(one["text"]) == 300 for one in letters)

    def settle(ref: str, do: str) -> httpx.Response:
        return house.client.post(f"/v1/chat/dead/{ref}", json={"do": do}, headers=keys[Role.ADMIN])  # type: ignore[return-value]

    assert settle(letters[0]["ref"], "again").status_code == 200
    assert settle(letters[1]["ref"], "drop").json()["text"] == ""
    assert house.answers(threads[0])[0]["message"]["ref"] == letters[0]["ref"]
    for done in letters:
        assert_problem(settle(done["ref"], "again"), 404, "no-such-letter")
    assert_problem(settle(letters[0]["ref"], "burn"), 422, "invalid-request")
    assert get(house, "/v1/chat/dead", **keys[Role.ADMIN]).json() == {"letters": []}


def test_an_administrator_settles_dead_letters_on_a_page(house: ChatHouse) -> None:
    house.talk.be("404", "404")
    threads = [house.ask(HDFS_TRACE + "<b>bold</b>") for _ in range(2)]
    poll(lambda: len(house.store.messages.listing()) == 2)
    key = house.store.keys.create("root", Role.ADMIN, actor=ROOT)[1]
    tab = Tab(house.client, house.store)
    house.client.post("/login", data={"key": key})
    page = tab.get("/chats?lang=en")
    assert "Talk says 404" in words(page, "#main")
    assert page.css("#main b") == []
    page = tab.send(page, "article:nth-of-type(1) form", "article:nth-of-type(1) button[value=again]")
    page = tab.send(page, "article form", "article button[value=drop]")
    assert "every question was answered" in words(page, "#main")
    house.client.cookies.clear()
    house.answers(threads[0])
    assert house.talk.posted(threads[1]) == []


def test_an_answer_that_came_too_late_for_the_chat_is_on_the_page(
    house: ChatHouse, keys: dict[Role, dict[str, str]]
) -> None:
    """Every place for a search is taken while it is asked."""
    admission = house.client.app.state.service.admission  # type: ignore[attr-defined]
    taken = admission._inside
    admission._inside += admission.free
    try:
        said = house.call(question(HDFS_TRACE, "late"), "instant").json()["message"]
    finally:
        admission._inside = taken
    assert (said["headline"], said["best"]) == ("Still searching", None)
    assert said["opinion"] == f"https://kb.example.org/chat/{said['ref']}?lang=en"
    shown = get(house, f"/chat/{said['ref']}?lang=en", **keys[Role.READER])
    assert "Checkpoint fails because HDFS cannot close the last block" in shown.text
