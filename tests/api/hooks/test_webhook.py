"""News by webhook: what leaves is signed, arrives once whoever of the workers sees it, and again after a failure; nothing new, nothing sent."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.chat.context import ChatSetup
from api.chat.settings import ChatSettings
from api.hooks.settings import HookSettings
from api.hooks.triage_news import TriageNews
from api.hooks.webhook import signature
from api.settings import ServiceSettings, loaded
from index.triage_reports import FOLDER, REPLACED, TriageReport, TriageReports, UnknownGroup, as_json
from ingest.triage.report import earlier, mark_new
from kb.errors import SettingsError
from kb.store import Store
from kb.store.model import MessageState
from kb.trace.custom import NONE
from tests.api.chat.conftest import TalkServer, talking
from tests.api.chat.service import chats
from tests.api.fixtures import HERE, LOCAL, poll
from tests.listening import listening

SECRET = f"whsec_{base64.b64encode(bytes(range(32))).decode()}"
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@dataclass
class Receiver:
    """A program that takes webhooks, as it is told to."""

    server: ThreadingHTTPServer
    statuses: list[int] = field(default_factory=list)
    """What the next calls are answered; 204 after that."""
    calls: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/crashes"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            taken.calls.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(taken.statuses.pop(0) if taken.statuses else 204)
            self.send_header("location", f"{taken.url}/elsewhere")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    with listening(Handler) as server:
        taken = Receiver(server)
        yield taken


@pytest.fixture(scope="module")
def _talk() -> Iterator[TalkServer]:
    with talking() as server:
        yield server


@pytest.fixture
def talk(_talk: TalkServer) -> TalkServer:
    _talk.be(forget=True)
    return _talk


@dataclass
class House:
    """A home with reports, and services over it."""

    home: Path
    receiver: Receiver
    stack: ExitStack
    news: list[TriageNews] = field(default_factory=list)
    """What each of them looks with."""
    clients: list[TestClient] = field(default_factory=list)

    def start(self, talk: TalkServer | None = None, **chat: object) -> Store:
        """One more worker over the same home and store: with a webhook, or with two channels of Talk."""
        settings = ServiceSettings(home=self.home, database_url=f"sqlite:///{self.home.parent / 'store.db'}")
        said = ChatSettings(**chat)  # type: ignore[arg-type]
        if talk is None:
            alerts = HookSettings(webhook_url=self.receiver.url, webhook_secret=SECRET)
            app = create_app(settings, ChatSetup(said, {}), alerts)
        else:
            alerts = HookSettings(hooks_post=("talk:crashes", "shout:crashes"))
            app = create_app(settings, chats(talk.url, said), alerts)
        self.clients.append(self.stack.enter_context(TestClient(app, client=HERE, base_url=LOCAL)))
        self.news.append(app.state.hooks.news)
        store: Store = app.state.service.store
        return store

    def stop(self) -> None:
        self.stack.close()

    def publish(
        self, groups: list[UnknownGroup], ago: timedelta = timedelta(minutes=5), replaces: tuple[str, ...] = ()
    ) -> str:
        """A report as a run leaves it."""
        run = f"{datetime.now(UTC) - ago:%Y%m%dT%H%M%SZ}-{len(groups):04x}"
        report = TriageReport(run, ["/logs"], "s", crashes=sum(group.crashes for group in groups), unknown=groups)
        report.replaces = list(replaces)
        fresh = self.home / FOLDER / f".{run}.new"
        fresh.mkdir(parents=True)
        (fresh / "report.json").write_text(as_json(report))
        (fresh / "summary.json").write_text(as_json(report.summary()))
        fresh.rename(self.home / FOLDER / run)
        return run

    def marked(self, *numbers: int, replaces: tuple[str, ...] = ()) -> list[UnknownGroup]:
        """Groups as a run marks them that replaces some reports."""
        groups = [group(n, is_new=None) for n in numbers]
        mark_new(groups, earlier(self.home / FOLDER, NONE, replaces))
        return groups

    def events(self) -> list[dict[str, object]]:
        return [json.loads(body) for _, body in self.receiver.calls]


@pytest.fixture
def house(home: Path, tmp_path: Path, receiver: Receiver) -> Iterator[House]:
    own = tmp_path / "home"
    own.mkdir()
    for entry in home.iterdir():
        (own / entry.name).symlink_to(entry)
    with ExitStack() as stack:
        yield House(own, receiver, stack)


def group(n: int, *, is_new: bool | None, template: str = "tray <int> is empty") -> UnknownGroup:
    shown = {"type": "com.acme.Jam", "template": template, "root_causes": [f"{n:032x}"]}
    return UnknownGroup(id=f"{n:032x}", crashes=100 - n, is_new=is_new, **shown)  # type: ignore[arg-type]


def settled(store: Store, state: MessageState = MessageState.DONE) -> bool:
    return [own for (place, own) in store.messages.counts() if place == "webhook"] == [state]


def test_what_is_new_is_told_once_by_all_workers_together(house: House) -> None:
    """Three reports: one with new groups, one without, one of the first run. Two workers, and a restart later."""
    fresh = [group(n, is_new=n != 3, template=f"token {TOKEN} number {n}") for n in range(9)]
    run = house.publish(fresh)
    house.publish([group(1, is_new=False)])
    house.publish([group(n, is_new=None) for n in range(3)])
    stores = [house.start(public_url="https://kb.example.org") for _ in range(2)]
    poll(lambda: all(settled(store) for store in stores))
    for news in house.news:
        news.look(stores[0])
    assert settled(stores[0])
    (headers, body), *others = house.receiver.calls
    assert others == []
    event = json.loads(body)
    data = event["data"]
    assert (event["type"], data["run"], data["new_groups"], data["unknown_groups"]) == ("triage.new_groups", run, 8, 9)
    assert data["new_crashes"] == sum(range(92, 101)) - 97
    assert [one["id"] for one in data["groups"]] == [f"{n:032x}" for n in (0, 1, 2, 4, 5)]
    assert data["groups"][0]["headline"].startswith("com.acme.Jam: token ")
    assert TOKEN not in body.decode()
    assert data["url"] == f"https://kb.example.org/triage/{run}?show=new"
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    mac = base64.b64encode(hmac.new(bytes(range(32)), signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{mac}"
    house.stop()
    house.start()
    later = house.publish([group(11, is_new=True)], timedelta(minutes=1))
    poll(lambda: len(house.receiver.calls) > 1)
    assert [one["data"]["run"] for one in house.events()] == [run, later]  # type: ignore[index]
    assert house.events()[1]["data"]["url"] is None  # type: ignore[index]


def test_what_rules_hide_since_the_report_was_written_is_not_sent(house: House) -> None:
    """Of names, too: hosts and versions joined to a token."""
    old = group(1, is_new=True)
    old.hosts, old.versions = ["web-1", f"web-{TOKEN}-2"], ["1.0", f"1.0+{TOKEN}"]
    house.publish([old])
    store = house.start()
    poll(lambda: settled(store))
    (event,) = house.events()
    (sent,) = event["data"]["groups"]  # type: ignore[index]
    assert (sent["hosts"], sent["versions"]) == (["web-1", "web-<secret>-2"], ["1.0", "1.0+<secret>"])


def test_a_report_of_the_day_before_yesterday_is_no_news(house: House) -> None:
    house.publish([group(1, is_new=True)], timedelta(days=1, minutes=1))
    house.publish([group(n, is_new=True) for n in (1, 2)], -timedelta(hours=3))  # by a clock that is ahead
    (house.home / FOLDER / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-dddd").mkdir()  # damaged
    run = house.publish([group(n, is_new=True) for n in (1, 2, 3)], timedelta(hours=20))
    store = house.start()
    poll(lambda: settled(store))
    assert [one["data"]["run"] for one in house.events()] == [run]  # type: ignore[index]


@pytest.mark.parametrize("is_moved", [False, True])
def test_a_day_that_came_again_tells_what_it_had_not(house: House, *, is_moved: bool) -> None:
    """Its report replaces the first, whether the service looks before or after that is moved away."""
    house.publish([group(0, is_new=None)], timedelta(days=2))
    first = house.publish(house.marked(1, 2), timedelta(hours=3))
    again = house.publish(house.marked(1, 2, 3, replaces=(first,)), timedelta(hours=2), (first, "../../x"))
    house.publish(house.marked(3, replaces=(again,)), timedelta(hours=1), (again,))
    if is_moved:
        (house.home / FOLDER / REPLACED).mkdir()
        for run in (first, again):
            (house.home / FOLDER / run).rename(house.home / FOLDER / REPLACED / run)
    reports = TriageReports(house.home)
    news = TriageNews(create_app(ServiceSettings(home=house.home)).state.service, reports, None)
    store = Store.open(house.home.parent / "news.db")
    news.look(store)
    told = [json.loads(one.question["body"])["data"] for one in store.messages.listing(MessageState.WAITING)]
    store.close()
    assert [[one["id"] for one in event["groups"]] for event in told] == ([] if is_moved else [[f"{n:032x}" for n in (1, 2)], [f"{3:032x}"]])  # fmt: skip


def test_a_program_that_is_down_gets_it_later_under_the_same_name(house: House) -> None:
    house.receiver.statuses[:] = [503]
    house.publish([group(1, is_new=True)])
    store = house.start()
    poll(lambda: settled(store), seconds=30)
    (first, one), (second, other) = house.receiver.calls
    assert first["webhook-id"] == second["webhook-id"]
    assert one == other


def test_channels_of_chats_are_told_once_each_by_all_workers_together(house: House, talk: TalkServer) -> None:
    """Talk knows a message again, Shout does not. Two workers, and a restart; nothing goes to the webhook, which is not set up."""
    fresh = [group(n, is_new=n != 3, template=f"token {TOKEN} number {n}") for n in range(9)]
    run = house.publish(fresh)
    house.publish([group(1, is_new=False)])
    stores = [house.start(talk, public_url="https://kb.example.org") for _ in range(2)]
    poll(lambda: len(talk.posted("crashes")) == 2)
    poll(lambda: all(state is MessageState.DONE for _, state in stores[0].messages.counts()))
    for news in house.news:
        news.look(stores[0])
    assert stores[0].messages.listing(MessageState.WAITING) == []
    house.stop()
    later = house.publish([group(n, is_new=True, template="托盘是空的") for n in (11, 12)], timedelta(minutes=1))
    store = house.start(talk)
    poll(lambda: len(talk.posted("crashes")) == 4)
    poll(lambda: all(state is MessageState.DONE for _, state in store.messages.counts()))
    assert TOKEN not in json.dumps(talk.told())
    assert house.receiver.calls == []
    one, same, chinese, _ = (posted["message"] for posted in talk.posted("crashes"))
    assert {**one, "ref": ""} == {**same, "ref": ""}
    assert one["ref"] != same["ref"]
    assert (one["headline"], one["words"]["others"]) == ("New crash groups: 8", "The most frequent")
    assert one["text"].startswith(f"Crashed {sum(range(92, 101)) - 97} × in the triage of 20")
    assert [match["likelihood"] for match in one["others"]] == ["crashed 100 ×", "crashed 99 ×", "crashed 98 ×"]
    assert all(match["title"].startswith("com.acme.Jam: token <") for match in one["others"])
    link = f"https://kb.example.org/write?triage={run}&group={0:032x}&lang=en"
    assert one["others"][0]["link"] == link
    assert one["write_up"] == f"https://kb.example.org/triage/{run}?show=new&lang=en"
    assert (one["best"], one["opinion"]) == (None, None)
    assert (chinese["headline"], chinese["lang"]) == ("新出现的崩溃：2 组", "zh")
    assert chinese["others"][1]["likelihood"] == "崩溃 88 次"
    assert (chinese["others"][0]["link"], chinese["write_up"]) == (None, None)
    assert later in [one.message_id.split(":")[1] for one in store.messages.listing(MessageState.DONE)]


def test_a_chat_that_is_down_gets_it_later_and_one_that_may_have_it_becomes_a_dead_letter(
    house: House, talk: TalkServer
) -> None:
    talk.be("500", "500")
    house.publish([group(1, is_new=True)])
    store = house.start(talk)
    poll(lambda: len(talk.posted("crashes")) == 1, seconds=30)
    poll(lambda: {state for _, state in store.messages.counts()} == {MessageState.DONE, MessageState.DEAD})
    (letter,) = store.messages.listing()
    assert (letter.platform, letter.question["text"]) == ("shout", "New crash groups: 1")


@pytest.mark.parametrize("status", [302, 307, 403, 410])
def test_what_is_refused_or_sent_elsewhere_is_a_dead_letter(house: House, status: int) -> None:
    """No redirect is followed: whoever owns the address does not choose where we post."""
    house.receiver.statuses[:] = [status]
    house.publish([group(1, is_new=True)])
    store = house.start()
    poll(lambda: settled(store, MessageState.DEAD))
    assert len(house.receiver.calls) == 1
    (letter,) = store.messages.listing()
    assert letter.question["text"].startswith("triage.new_groups ")


def test_a_signature_is_that_of_the_specification() -> None:
    """The example of standardwebhooks.com."""
    name, body = "msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}'
    expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", name, 1614265330, body) == expected


@pytest.mark.parametrize(
    "given",
    [
        {"webhook_url": "http://hooks.example.org/x", "webhook_secret": SECRET},
        {"webhook_url": "https://user:pass@hooks.example.org/x", "webhook_secret": SECRET},
        {"webhook_url": "file:///etc/passwd", "webhook_secret": SECRET},
        {"webhook_url": "https:///x", "webhook_secret": SECRET},
        {"webhook_url": "https://hooks.example.org/x", "webhook_secret": "whsec_c2hvcnQ="},
        {"webhook_url": "https://hooks.example.org/x", "webhook_secret": "no prefix"},
        {"webhook_url": "https://hooks.example.org/x"},
    ],
)
def test_a_webhook_is_set_up_in_whole_or_not_at_all(home: Path, given: dict[str, str]) -> None:
    with pytest.raises(SettingsError) as told:
        create_app(ServiceSettings(home=home), None, loaded(HookSettings, **given))
    assert given.get("webhook_secret", "-") not in str(told.value)
