"""The SDK's own client at real programs: `kb serve`, `kb mcp` over a home, `kb mcp` that asks the service."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp.shared.exceptions import MCPError

from kb.store import Actor, Role, Store
from tests.api.fixtures import LiveServer, serving
from tests.api.knowledge import HDFS_TRACE, KAFKA_TRACE, RECORDS, UNKNOWN_TRACE, build_home
from tests.api.terminal import kb_on

from .agent import LEGACY, MODERN, Agent, at, connected, message, program, text_of

GOLDEN = sorted((Path(__file__).parents[2] / "golden/traces").rglob("*.txt"))
TRACES = {path.stem: path.read_text(encoding="utf-8", errors="replace") for path in GOLDEN[::16]} | {
    "known": HDFS_TRACE,
    "in a log": f"2026-01-01 ERROR x\n{KAFKA_TRACE}2026-01-01 INFO y\n",
    "question": "flink checkpoint 失败，磁盘满了",
    "with a secret": f"password=Hunter2hunter2\n{KAFKA_TRACE}",
}
WAYS = ("http", "http, 2026", "program", "program that asks the service")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of this module's own, since drafts are saved in it; with a key of a curator."""
    folder = tmp_path_factory.mktemp("mcp")
    build_home(folder)
    return folder


@pytest.fixture(scope="module")
def key(home: Path) -> str:
    with Store.open(f"sqlite:///{home / 'store.db'}") as store:
        return store.keys.create("agent", Role.CURATOR, actor=Actor("test", "test", Role.ADMIN))[1]


@pytest.fixture(scope="module")
def server(home: Path, key: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    assert key
    with serving(home, tmp_path_factory.mktemp("serve")) as running:
        yield running


@pytest.fixture(scope="module")
def agents(server: LiveServer, home: Path, key: str) -> Iterator[dict[str, Agent]]:
    """One agent for each way in."""
    servers = {
        WAYS[0]: (at(server.url, key), LEGACY),
        WAYS[1]: (at(server.url, key), MODERN),
        WAYS[2]: (program(KB_HOME=str(home)), LEGACY),
        WAYS[3]: (program(KB_HOME="/nonexistent", KB_URL=server.url, KB_KEY=key), MODERN),
    }
    with ExitStack() as stack:
        yield {way: stack.enter_context(connected(*one)) for way, one in servers.items()}


@pytest.fixture(params=WAYS)
def agent(request: pytest.FixtureRequest, agents: dict[str, Agent]) -> Agent:
    return agents[request.param]


def same(document: dict[str, Any]) -> dict[str, Any]:
    """An answer without how long it took."""
    return {key: value for key, value in document.items() if key != "took_ms"}


@pytest.mark.parametrize("text", TRACES.values(), ids=TRACES)
@pytest.mark.slow
def test_the_doors_agree(agents: dict[str, Agent], server: LiveServer, text: str) -> None:
    """The same incidents in the same order, with the same reasons, in the same form as `POST /v1/search`."""
    asked = httpx.post(f"{server.url}/v1/search", json={"text": text, "k": 6}, timeout=30).raise_for_status().json()
    for agent in agents.values():
        assert same(agent.given("search_incidents", text=text, k=6)) == same(asked)


@pytest.mark.quality
def test_the_doors_agree_on_every_golden_trace(agents: dict[str, Agent], server: LiveServer) -> None:
    for path in GOLDEN:
        text = path.read_text(encoding="utf-8", errors="replace")
        asked = httpx.post(f"{server.url}/v1/search", json={"text": text}, timeout=30).raise_for_status().json()
        for way, agent in agents.items():
            assert same(agent.given("search_incidents", text=text)) == same(asked), (path.name, way)


def test_enough_traces_are_asked() -> None:
    assert len(TRACES) > 20


def test_it_says_what_it_is_and_lists_what_it_has(agent: Agent) -> None:
    assert agent.client.server_info.name == "dejastack"
    assert "search_incidents" in (agent.client.instructions or "")
    tools = {tool.name: tool for tool in agent.do("list_tools").tools}
    assert list(tools) == ["search_incidents", "get_incident", "parse_trace", "draft_incident"]
    assert [tool.annotations.read_only_hint for tool in tools.values()] == [True, True, True, False]
    assert all(tool.input_schema["type"] == tool.output_schema["type"] == "object" for tool in tools.values())
    assert tools["search_incidents"].input_schema["required"] == ["text"]
    listed = agent.do("list_resources").resources
    assert {one.uri for one in listed} >= {f"incident://{record['id']}" for record in RECORDS}
    (template,) = agent.do("list_resource_templates").resource_templates
    assert template.uri_template == "incident://{id}"
    (prompt,) = agent.do("list_prompts").prompts
    assert (prompt.name, [one.name for one in prompt.arguments]) == ("triage", ["text"])


def test_every_tool_says_what_its_route_says(agent: Agent, server: LiveServer) -> None:
    incident = httpx.get(f"{server.url}/v1/incidents/python-ascii-decode").json()
    assert agent.given("get_incident", id="python-ascii-decode") == incident
    reading = httpx.post(f"{server.url}/v1/parse", json={"text": HDFS_TRACE}).json()
    assert agent.given("parse_trace", text=HDFS_TRACE) == reading
    drafted = httpx.post(f"{server.url}/v1/incidents/draft", json={"text": UNKNOWN_TRACE, "fix": "Mend it."}).json()
    assert drafted["incident"]["fix"] == "Mend it."
    assert agent.given("draft_incident", text=UNKNOWN_TRACE, fix="Mend it.") == drafted | {"saved": None}


def test_a_write_up_is_read_and_a_prompt_is_given(agent: Agent, server: LiveServer) -> None:
    (content,) = agent.do("read_resource", "incident://python-ascii-decode").contents
    address = f"{server.url}/v1/incidents/python-ascii-decode"
    assert content.text == httpx.get(address, headers={"Accept": "text/markdown"}).text
    assert content.mime_type == "text/markdown"
    with pytest.raises(MCPError, match=r"No incident has this id\. Cure: take an id from search_incidents"):
        agent.do("read_resource", "incident://nope")
    task, text = agent.do("get_prompt", "triage", {"text": "boom password=Hunter2hunter2"}).messages
    assert "search_incidents" in task.content.text
    assert text.content.text == "boom password=<secret>"


def test_a_draft_is_saved_once_and_searched_by_nobody(agents: dict[str, Agent], server: LiveServer, key: str) -> None:
    for number, (way, agent) in enumerate(agents.items()):
        trace = UNKNOWN_TRACE.replace("acme", f"acme{number}")
        words = {"text": trace, "title": f"Written by {way}", "root_cause": "It was null.", "save": True}
        saved = agent.given("draft_incident", **words)["saved"]
        assert saved["status"] == "draft"
        held = httpx.get(f"{server.url}/v1/incidents/{saved['id']}", headers={"Authorization": f"Bearer {key}"}).json()
        assert (held["title"], held["root_cause"], held["traces"]) == (
            f"Written by {way}",
            "It was null.",
            [trace.rstrip("\n")],
        )
        assert "id" in text_of(agent.call("draft_incident", **words))
        assert agent.call("draft_incident", **words).is_error  # there is one already
        found = agent.given("search_incidents", text=trace)
        assert saved["id"] not in [match["incident"]["id"] for match in found["matches"]]


HOSTILE: dict[str, tuple[str, Any, str]] = {
    "text of the wrong type": ("search_incidents", {"text": 5}, "#/text"),
    "no text": ("search_incidents", {}, "#/text"),
    "blank text": ("parse_trace", {"text": " \n"}, "#/text"),
    "an argument that nobody knows": ("search_incidents", {"text": "x", "limit": 3}, "#/limit"),
    "k of the wrong type": ("search_incidents", {"text": "x", "k": "5"}, "#/k"),
    "k too large": ("search_incidents", {"text": "x", "k": 5_000}, "#/k"),
    "deep": ("search_incidents", {"text": "x", "filters": json.loads('{"a":' * 90 + "1" + "}" * 90)}, "#/filters"),
    "unknown id": ("get_incident", {"id": "../../etc/passwd"}, "No incident has this id"),
    "id of control characters": ("get_incident", {"id": "a\x00\nb"}, "#/id"),
    "id too long": ("get_incident", {"id": "x" * 100_000}, "#/id"),
    "half a character in an id": ("get_incident", {"id": "no\ud83d"}, "No incident has this id"),
    "save of the wrong type": ("draft_incident", {"text": "x", "save": "yes"}, "#/save"),
    "a title of two lines": ("draft_incident", {"text": "x", "title": "a\nb"}, "#/title"),
    "a paste too long for a write-up": ("draft_incident", {"text": "x" * 2_000_001}, "#/text"),
    "a body over the limit": ("search_incidents", {"text": "x" * 33_600_000}, ""),
}


def raw(tool: str, arguments: Any) -> bytes:
    return json.dumps(message("tools/call", {"name": tool, "arguments": arguments})).encode()


@pytest.mark.parametrize(("tool", "arguments", "told"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_arguments_are_refused_with_the_place(
    server: LiveServer, pipe: "Pipe", tool: str, arguments: Any, told: str
) -> None:
    headers = {"Content-Type": "application/json"}
    response = httpx.post(f"{server.url}/mcp", content=raw(tool, arguments), headers=headers, timeout=30)
    if not told:
        assert (response.status_code, response.json()["type"]) == (413, "urn:dejastack:problem:body-too-large")
        assert pipe.ask(raw(tool, arguments))["error"]["code"] == -32700
        return
    for answer in (response.json(), pipe.ask(raw(tool, arguments))):
        assert answer["result"]["isError"]
        assert told in answer["result"]["content"][0]["text"]


class Pipe:
    """`kb mcp` by its bare pipes, asking a service."""

    def __init__(self, url: str) -> None:
        environment = {**os.environ, "KB_URL": url, "KB_KEY": "", "KB_LOG_LEVEL": "error"}
        command = kb_on("mcp")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, env=environment, **pipes)  # type: ignore[call-overload]
        hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        self.hello = self.ask(json.dumps(message("initialize", hello)).encode())
        self.say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def say(self, line: bytes) -> None:
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, line: bytes) -> dict[str, Any]:
        self.say(line)
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def end(self) -> bytes:
        """Close its input; what it wrote on standard error. It is gone afterwards, whatever it does."""
        try:
            _, err = self.process.communicate(timeout=60)
        finally:
            self.process.kill()
            for one in (self.process.stdin, self.process.stdout, self.process.stderr):
                one.close()
            self.process.wait()
        return bytes(err)


@pytest.fixture(scope="module")
def pipe(server: LiveServer) -> Iterator[Pipe]:
    one = Pipe(server.url)
    assert one.hello["result"]["serverInfo"]["name"] == "dejastack"
    yield one
    assert one.end() == b""
    assert one.process.returncode == 0


@pytest.mark.parametrize(
    ("line", "number", "code"),
    [
        (b"rubbish", None, -32700),
        (b"\xff\xfe{}", None, -32700),
        (b"[" * 100_000, None, -32700),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":' + b"[" * 300 + b"]" * 300 + b"}}", 7, -32700),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None, -32600),
        (b'{"jsonrpc":"2.0","id":8,"method":5}', 8, -32600),
        (b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":[]}', 9, -32600),
        (b'{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"search_incidents","arguments":[]}}', 10, -32602),
        (b'{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"format_disk"}}', 11, -32602),
        (b'{"jsonrpc":"2.0","id":12,"method":"no/such"}', 12, -32601),
        (b'{"jsonrpc":"2.0","id":13,"method":"resources/list","params":{"cursor":"zzz"}}', 13, -32602),
        (b'{"jsonrpc":"2.0","id":14,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}', 14, -32602),
        (b'{"jsonrpc":"2.0","id":15,"method":"prompts/get","params":{"name":"triage","arguments":{"no":"x"}}}', 15, -32602),
    ],
)  # fmt: skip
def test_what_is_no_request_is_answered_and_ends_nothing(
    server: LiveServer, pipe: Pipe, line: bytes, number: int | None, code: int
) -> None:
    over_http = httpx.post(f"{server.url}/mcp", content=line, headers={"Content-Type": "application/json"}).json()
    for answer in (over_http, pipe.ask(line)):
        assert (answer["id"], answer["error"]["code"]) == (number, code)
        assert len(answer["error"]["message"]) < 300
    assert pipe.ask(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')["result"] == {}


def test_a_call_that_is_given_up_ends_and_the_next_is_answered(agents: dict[str, Agent]) -> None:
    large = "java.io.IOException: x\n" + "\tat a.b.c(D.java:1)\n" * 190_000

    for way, agent in agents.items():

        async def give_up(client: Any = agent.client) -> bool:
            with anyio.move_on_after(0.03) as scope:
                await client.call_tool("parse_trace", {"text": large})
            return scope.cancelled_caught

        assert agent.portal.call(give_up), way
        start = time.monotonic()
        assert agent.given("search_incidents", text=KAFKA_TRACE)["verdict"] == "known"
        assert time.monotonic() - start < 60


def test_a_result_too_large_for_a_model_is_an_error_with_a_cure(agents: dict[str, Agent]) -> None:
    trace = "java.io.IOException: x\n" + "\tat com.shop.till.Drawer.open(Drawer.java:4)\n" * 60
    result = agents[WAYS[0]].call("parse_trace", text=f"{trace}\n" * 600)
    assert result.is_error
    assert "4,000,000 are the most" in text_of(result)
    assert "Cure: send the part around the error" in text_of(result)


@pytest.fixture
def ctrl_c_is_heard() -> Iterator[None]:
    """By what is started here; whoever runs the tests in the background has it ignored, and so has all that they start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c_is_heard")
@pytest.mark.slow
def test_every_tool_reports_an_unreachable_service_and_ctrl_c_ends_it() -> None:
    pipe = Pipe("http://127.0.0.1:9")
    try:
        told = pipe.ask(raw("search_incidents", {"text": "boom"}))["result"]
        assert told["isError"]
        assert told["content"][0]["text"].startswith("no service answers at http://127.0.0.1:9: ")
        assert "kb serve" in told["content"][0]["text"]
        time.sleep(0.2)  # Python hears a signal late that comes just as it falls asleep
        pipe.process.send_signal(signal.SIGINT)
        assert pipe.process.wait(60) == 130  # its standard input is still open
    finally:
        err = pipe.end()
    assert b"Traceback" not in err
