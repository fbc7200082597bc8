"""Alerts over HTTP: answered in the wire form, and posted to a channel once, however often and however many they come."""

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from api.access.scopes import Scope
from api.app import create_app
from api.chat.platform import REASONS
from api.chat.settings import ChatSettings
from api.settings import ServiceSettings
from index.wire import answer_to_dict
from kb.errors import SettingsError
from kb.store import Actor, Role, Store
from tests.api.chat.conftest import TalkServer, talking
from tests.api.chat.service import chats
from tests.api.fixtures import HERE, LOCAL, assert_problem, poll
from tests.api.hooks.test_hook_reading import EVENT, firing, grafana_body, logs
from tests.api.knowledge import HDFS_TRACE, KAFKA_TRACE, PYTHON_TRACE

OPERATOR = Actor("op", "op", Role.ADMIN)
SECRETS = {"KB_ALERTMANAGER_TOKEN": "am-token", "KB_GRAFANA_SECRET": "g-secret", "KB_SENTRY_SECRET": "s-secret"}
RELATED = "CommitFailedException in the consumer of orders"
UNKNOWN = "segfault in libwidget.so while frobnicating the flux capacitor of unit 7"
_NUMBERS = count()


@dataclass
class House:
    """A service that posts alerts to a channel of Talk; what a test sees of it began with the test."""

    client: TestClient
    talk: TalkServer
    store: Store
    thread: str
    mark: str
    """In the name of each group: tests tell of groups of their own."""
    before: int
    counted: str

    def tell(self, *alerts: dict[str, Any], group: str = "g", **more: Any) -> dict[str, Any]:
        """A notification of Alertmanager, answered."""
        told = {"version": "4", "groupKey": f"{self.mark}:{group}", "alerts": list(alerts), **more}
        response = self.client.post("/v1/hooks/alertmanager", json=told, headers={"Authorization": "Bearer am-token"})
        assert response.status_code == 200, response.text
        answered: dict[str, Any] = response.json()
        return answered

    def posted(self, number: int) -> list[dict[str, Any]]:
        """What is in the channel, once there are so many and nothing more waits."""
        poll(lambda: len(self.talk.posted(self.thread)) >= self.before + number)
        poll(lambda: all(state.value == "done" for _, state in self.store.messages.counts()))
        return self.talk.posted(self.thread)[self.before :]

    def count(self, line: str) -> float:
        return _figure(self.client.get("/metrics").text, line) - _figure(self.counted, line)


def _figure(text: str, line: str) -> float:
    return next((float(one.rpartition(" ")[2]) for one in text.splitlines() if one.startswith(line)), 0.0)


@pytest.fixture(scope="module")
def talk() -> Iterator[TalkServer]:
    with talking() as server:
        yield server


@contextmanager
def _built(
    home: Path, talk: TalkServer, folder: Path, thread: str | None, **more: str
) -> Iterator[tuple[TestClient, Store]]:
    settings = ServiceSettings(home=home, database_url=f"sqlite:///{folder / 'store.db'}", reading="key")
    said = ChatSettings(public_url="https://kb.example.org", chat_tries=2)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**SECRETS, **more, **({"KB_HOOKS_POST": f"talk:{thread}"} if thread else {})}.items():
            patch.setenv(name, value)
        app = create_app(settings, chats(talk.url, said))
    with (
        TestClient(app, raise_server_exceptions=False, client=HERE, base_url=LOCAL) as client,
        Store.open(settings.store) as store,
    ):
        yield client, store


@pytest.fixture(scope="module")
def posting(
    home: Path, talk: TalkServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[TestClient, Store]]:
    with _built(home, talk, tmp_path_factory.mktemp("posting"), "alerts") as built:
        yield built


@pytest.fixture(scope="module")
def answering(
    home: Path, talk: TalkServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[TestClient, Store]]:
    with _built(home, talk, tmp_path_factory.mktemp("answering"), None) as built:
        yield built


def _now(built: tuple[TestClient, Store], talk: TalkServer) -> House:
    client, store = built
    before = len(talk.posted("alerts"))
    return House(client, talk, store, "alerts", f"group-{next(_NUMBERS)}", before, client.get("/metrics").text)


@pytest.fixture
def house(posting: tuple[TestClient, Store], talk: TalkServer) -> House:
    return _now(posting, talk)


@pytest.fixture
def silent(answering: tuple[TestClient, Store], talk: TalkServer) -> House:
    """One that only answers."""
    return _now(answering, talk)


def alert(text: str, number: int = 1, **more: Any) -> dict[str, Any]:
    return firing({"stacktrace": text}, **more) | {"fingerprint": f"f{number}"}


def test_an_alert_is_answered_in_the_wire_form(silent: House) -> None:
    said = silent.tell(alert(HDFS_TRACE), alert(KAFKA_TRACE, 2) | {"status": "resolved"})
    (answered,) = said["answers"]
    assert (said["over"], said["left"]) == (1, 0)
    assert answered.pop("alert") == "X"
    assert answered["verdict"] == "known"
    assert answered["matches"][0]["incident"]["id"] == "flink-checkpoint-hdfs-replicas"
    service = silent.client.app.state.service  # type: ignore[attr-defined]
    searched = answer_to_dict(service.live.engine.search(f"{HDFS_TRACE.strip()}\nX", 3))
    assert {**answered, "took_ms": 0} == {**json.loads(json.dumps(searched)), "took_ms": 0}
    assert silent.count('kb_hooks_alerts_total{system="alertmanager",what="over"}') == 1


def test_an_alert_is_posted_once(house: House) -> None:
    for _ in range(3):
        assert house.tell(alert(HDFS_TRACE))["answers"][0]["verdict"] == "known"
    (posted,) = house.posted(1)
    said = posted["message"]
    assert (said["verdict"], said["about"]) == ("known", "X")
    assert said["best"]["link"].startswith("https://kb.example.org/incidents/flink-checkpoint-hdfs-replicas")
    assert house.count('kb_hooks_alerts_total{system="alertmanager",what="seen"}') == 2


def test_the_same_incident_is_posted_once_for_a_group_and_again_for_another(house: House) -> None:
    house.tell(*(alert(HDFS_TRACE, number) for number in range(4)), alert(KAFKA_TRACE, 9), group="one")
    house.posted(2)
    house.tell(alert(HDFS_TRACE, 20), group="one")
    house.tell(alert(HDFS_TRACE, 21), group="two")
    posted = house.posted(3)
    titles = [one["message"]["best"]["title"] for one in posted]
    assert sorted(map(titles.count, set(titles))) == [1, 2]


def test_it_is_posted_again_when_it_has_been_quiet(home: Path, talk: TalkServer, tmp_path: Path) -> None:
    with _built(home, talk, tmp_path, "alerts", KB_HOOKS_QUIET="0") as built:
        house = _now(built, talk)
        house.tell(alert(HDFS_TRACE, 1))
        house.posted(1)
        house.tell(alert(HDFS_TRACE, 2))
        assert len(house.posted(2)) == 2


@pytest.mark.parametrize(("text", "verdict"), [(UNKNOWN, "unknown"), (RELATED, "related")])
def test_nothing_known_is_answered_and_not_posted(text: str, verdict: str, house: House) -> None:
    assert house.tell(firing({"description": text}, alertname="Flux"))["answers"][0]["verdict"] == verdict
    house.tell(alert(HDFS_TRACE, 2))
    assert len(house.posted(1)) == 1


def test_a_flood_is_bounded(house: House) -> None:
    """A thousand alerts: so many are posted, the rest is told of in one line, and the response is not late."""
    flood = [alert(f"{HDFS_TRACE}\n on pod {number}", number, alertname=f"Pod{number % 3}") for number in range(1_000)]
    flood[1] = alert(KAFKA_TRACE, 1)
    began = time.monotonic()
    said = house.tell(*flood)
    assert time.monotonic() - began < 30
    assert (len(said["answers"]), said["left"]) == (20, 980)
    posted = house.posted(2)
    assert len(posted) == 2
    for one in posted:
        (note,) = [note for note in one["message"]["notes"] if "995" in note]
        assert "Pod0 (3" in note
    assert house.count('kb_hooks_alerts_total{system="alertmanager",what="kept"}') == 5


def test_a_message_survives_a_channel_that_is_down(house: House) -> None:
    house.talk.be("500")
    house.tell(alert(PYTHON_TRACE))
    assert len(house.posted(1)) == 1


def test_two_at_once_post_once(house: House) -> None:
    threads = [threading.Thread(target=house.tell, args=(alert(KAFKA_TRACE, 5),)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(house.posted(1)) == 1


def test_secrets_are_out_of_what_is_posted_and_answered(house: House) -> None:
    secret = "ghp_" + "a1B2" * 9
    said = house.tell(alert(f"token {secret}\n{HDFS_TRACE}", alertname=f"job {secret}"))
    assert secret not in json.dumps(said) + json.dumps(house.posted(1))


def mac(secret: str, base: bytes) -> str:
    return hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()


def test_grafana_is_known_by_its_signature(silent: House) -> None:
    body = json.dumps(grafana_body()).encode()
    now = str(int(time.time()))
    with_time = {"X-Grafana-Alerting-Signature": mac("g-secret", f"{now}:".encode() + body), "X-Grafana-Alerting-Signature-Timestamp": now}  # fmt: skip
    assert _post(silent, "grafana", body, with_time).json()["answers"][0]["verdict"] == "known"
    assert_problem(_post(silent, "grafana", body, with_time), 401, "hook-refused")
    assert silent.count('kb_hooks_refused_total{reason="replayed",system="grafana"}') == 1
    assert _post(silent, "grafana", body, {"X-Grafana-Alerting-Signature": mac("g-secret", body)}).status_code == 200
    assert_problem(_post(silent, "grafana", body, {"X-Grafana-Alerting-Signature": mac("other", body)}), 401, "hook-refused")  # fmt: skip
    old = str(int(time.time()) - 999)
    late = {"X-Grafana-Alerting-Signature": mac("g-secret", f"{old}:".encode() + body), "X-Grafana-Alerting-Signature-Timestamp": old}  # fmt: skip
    assert_problem(_post(silent, "grafana", body, late), 401, "hook-refused")
    for reason in ("signature", "too-old"):
        assert silent.count(f'kb_hooks_refused_total{{reason="{reason}",system="grafana"}}') == 1
        assert reason in REASONS


def test_sentry_is_known_by_its_signature(silent: House) -> None:
    body = json.dumps({"action": "triggered", "data": {"event": EVENT}}).encode()
    headers = {"Sentry-Hook-Resource": "event_alert", "Sentry-Hook-Signature": mac("s-secret", body), "Sentry-Hook-Timestamp": str(int(time.time()))}  # fmt: skip
    (answered,) = _post(silent, "sentry", body, headers).json()["answers"]
    assert answered["query"]["exceptions"][0]["type"] == "ValueError"
    assert_problem(_post(silent, "sentry", body, headers), 401, "hook-refused")
    assert_problem(_post(silent, "sentry", body, {**headers, "Sentry-Hook-Signature": "0" * 64}), 401, "hook-refused")


def test_what_could_not_be_taken_may_come_again(silent: House) -> None:
    """A call is remembered when it was answered, not before."""
    body = json.dumps(grafana_body() | {"title": "once more"}).encode()
    headers = {"X-Grafana-Alerting-Signature": mac("g-secret", body)}
    admission = silent.client.app.state.service.admission  # type: ignore[attr-defined]
    with ExitStack() as places:
        while admission.free:
            places.enter_context(admission.place())
        assert _post(silent, "grafana", body, headers).status_code == 503
    assert _post(silent, "grafana", body, headers).status_code == 200


def test_a_call_that_one_worker_answered_is_refused_by_another(home: Path, talk: TalkServer, tmp_path: Path) -> None:
    body = json.dumps(grafana_body()).encode()
    calls = {
        "grafana": (body, {"X-Grafana-Alerting-Signature": mac("g-secret", body)}),
        "sentry": (b"{}", {"Sentry-Hook-Resource": "issue", "Sentry-Hook-Signature": mac("s-secret", b"{}")}),
    }
    with _built(home, talk, tmp_path, None) as one, _built(home, talk, tmp_path, None) as two:
        for system, (sent, headers) in calls.items():
            assert _post(_now(one, talk), system, sent, headers).status_code == 200
            for other in (two, one):
                assert_problem(_post(_now(other, talk), system, sent, headers), 401, "hook-refused")


def _post(house: House, system: str, body: bytes, headers: dict[str, str]) -> httpx.Response:
    sent: httpx.Response = house.client.post(f"/v1/hooks/{system}", content=body, headers=headers)
    return sent


def test_a_key_of_ours(silent: House) -> None:
    """Nobody in particular may not tell of alerts, also on this machine; a key may, unless it is limited to something else."""
    body = json.dumps({"text": HDFS_TRACE}).encode()
    made = {name: silent.store.keys.create(name, Role.READER, actor=OPERATOR, scopes=scopes)[1] for name, scopes in (("any", ()), ("hooks", (Scope.HOOKS,)), ("search", (Scope.SEARCH,)))}  # fmt: skip
    for name, status in (("any", 200), ("hooks", 200), ("search", 403)):
        for system in ("generic", "otlp"):
            sent = _post(silent, system, body, {"Authorization": f"Bearer {made[name]}"})
            assert sent.status_code == status, (name, system, sent.text)
    assert _post(silent, "generic", body, {"Authorization": f"Bearer {made['any']}"}).json()["answers"][0]["verdict"] == "known"  # fmt: skip
    for system in ("generic", "otlp", "alertmanager", "grafana", "sentry"):
        assert_problem(_post(silent, system, body, {}), 401, "no-key")
        assert_problem(_post(silent, system, body, {"Authorization": "Bearer wrong"}), 401, "unknown-key")
        assert silent.count(f'kb_hooks_refused_total{{reason="key",system="{system}"}}') == 2
    limited = {"Authorization": f"Bearer {made['hooks']}"}
    assert silent.client.post("/v1/search", json={"text": "x"}, headers=limited).status_code == 403


def test_an_exporter_is_answered_in_its_own_form(silent: House) -> None:
    _, secret = silent.store.keys.create("otel", Role.READER, actor=OPERATOR)
    key = {"Authorization": f"Bearer {secret}"}
    request = logs({"exception.type": "UnicodeDecodeError", "exception.stacktrace": PYTHON_TRACE})
    for kind in ("application/x-protobuf", "Application/X-Protobuf; v=1"):
        sent = _post(silent, "otlp", request.SerializeToString(), {**key, "Content-Type": kind})
        assert (sent.status_code, sent.content, sent.headers["content-type"]) == (200, b"", "application/x-protobuf")
    assert silent.count('kb_hooks_alerts_total{system="otlp",what="searched"}') == 2
    flood = _post(silent, "otlp", b"\x0a\x00" * 600_000, {**key, "Content-Type": "application/x-protobuf"})
    assert_problem(flood, 413, "body-too-large")


BODIES = [b"", b"{", b"[]", b"\xff\x00", b"[" * 50_000, b'{"alerts": [{"labels": {"alertname": "\\ud800\\u0000"}}], "text": "\\ud800\\u0000", "resourceLogs": 5}']  # fmt: skip


def test_no_body_breaks_anything(house: House) -> None:
    _, secret = house.store.keys.create("k", Role.READER, actor=OPERATOR)
    headers = {"Authorization": f"Bearer {secret}", "Sentry-Hook-Resource": "event_alert"}
    for system in ("alertmanager", "generic", "otlp", "sentry", "grafana"):
        for body in BODIES:
            assert _post(house, system, body, headers).status_code in {200, 400}, (system, body[:50])


def test_other_addresses_and_too_large_bodies(silent: House) -> None:
    assert_problem(_post(silent, "nagios", b"{}", {}), 404, "not-found")
    key = {"Authorization": "Bearer am-token"}
    assert_problem(_post(silent, "alertmanager", b" " * (9 << 20), key), 413, "body-too-large")
    assert silent.client.get("/v1/hooks/generic").status_code == 405


@pytest.mark.parametrize(("post", "words"), [("nowhere:x", "nowhere, which is not set up"), ("talk", "channel")])
def test_a_channel_that_is_not_to_be_had(post: str, words: str, home: Path, talk: TalkServer, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setenv("KB_HOOKS_POST", post)
    with pytest.raises(SettingsError, match=words):
        create_app(ServiceSettings(home=home), chats(talk.url))
