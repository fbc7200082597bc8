"""Error lines of a log beside traces: a problem of its own where a write-up knows it, and none where it belongs to the trace."""

from collections.abc import Iterator

import pytest

from index import Engine
from index.ranking.problems import MOST_BESIDE, lines_beside
from index.reading import read
from tests.bundled import corpus_home

POOL = """java.sql.SQLTransientConnectionException: HikariPool-1 - Connection is not available, request timed out after 30000ms.
	at com.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:696)
	at com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:181)
	at com.example.shop.OrderDao.find(OrderDao.java:40)"""
MISCONF = """Traceback (most recent call last):
  File "/srv/shop/cart.py", line 41, in add
    cache.set(key, cart)
redis.exceptions.ResponseError: MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands that may modify the data set are disabled."""
HEAP = """Exception in thread "worker-3" java.lang.OutOfMemoryError: Java heap space
	at java.base/java.util.Arrays.copyOf(Arrays.java:3537)
	at com.example.shop.Export.rows(Export.java:71)"""
REFUSED = """Error: connect ECONNREFUSED 127.0.0.1:27017
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16) {
  errno: -111,
  code: 'ECONNREFUSED',
  syscall: 'connect',
  address: '127.0.0.1',
  port: 27017
}"""
UNVERIFIED = """Error: unable to verify the first certificate
    at TLSSocket.onConnectSecure (node:_tls_wrap:1677:34)
    at TLSSocket.emit (node:events:518:28) {
  code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'
}"""
BASKET = """java.lang.IllegalStateException: basket 4711 has no owner
	at com.example.shop.Basket.owner(Basket.java:19)
	at com.example.shop.Checkout.run(Checkout.java:88)"""

BROKER = "2026-11-30 10:00:03.100  WARN 1 --- [ntainer#0-0-C-1] org.apache.kafka.clients.NetworkClient : [Consumer clientId=c-1, groupId=shop] Connection to node -1 (localhost/127.0.0.1:9092) could not be established. Broker may not be available."
UPSTREAM = '2026/11/30 10:00:00 [error] 12#12: *3 connect() failed (111: Connection refused) while connecting to upstream, client: 10.0.0.1, server: shop, request: "GET / HTTP/1.1", upstream: "http://10.0.0.2:80/", host: "shop"'
PASSWORD = '2026-11-30 10:00:02.100 ERROR db - FATAL: password authentication failed for user "shop"'
FULL = "10:00:02 ERROR [Server] ERROR 1040 (HY000): Too many connections"
EXPIRED = (
    "x509: certificate has expired or is not yet valid: current time 2026-11-30T10:00:00Z is after 2026-11-29T10:00:00Z"
)


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Over the bundled write-ups."""
    opened = Engine.open(corpus_home(tmp_path_factory.mktemp("corpus")))
    yield opened
    opened.close()


def found(engine: Engine, text: str) -> list[tuple[str, str]]:
    """Verdict and first incident of each problem; of one that nothing answers the verdict alone."""
    return [
        (one.verdict.value, "" if one.verdict.value == "unknown" else one.matches[0].incident.id)
        for one in engine.search(text).problems
    ]


POOL_KNOWN, BROKER_KNOWN = (
    ("known", "hikaricp-connection-not-available"),
    ("known", "kafka-broker-may-not-be-available"),
)
HEAP_PROBABLE = ("related", "jvm-java-heap-space")


@pytest.mark.parametrize(
    ("log", "problems"),
    [
        pytest.param(
            f"10:00:01 ERROR order failed\n{POOL}\n{BROKER}", [POOL_KNOWN, BROKER_KNOWN], id="a warning behind"
        ),
        pytest.param(
            f"{BROKER}\n10:00:01 ERROR order failed\n{POOL}", [POOL_KNOWN, BROKER_KNOWN], id="a warning above"
        ),
        pytest.param(
            f"{UPSTREAM}\n10:00:02 ERROR export failed\n{HEAP}",
            [("known", "nginx-502-bad-gateway-upstream"), HEAP_PROBABLE],
            id="what is known stands before what is probable",
        ),
        pytest.param(
            f"{BASKET}\n{PASSWORD}",
            [("known", "postgres-password-authentication-failed"), ("unknown", "")],
            id="beside a trace that nobody knows",
        ),
        pytest.param(
            f"10:00:01 ERROR 调用失败\n{BASKET}\n{FULL}",
            [("known", "mysql-too-many-connections"), ("unknown", "")],
            id="beside one that nobody knows, in Chinese",
        ),
        pytest.param(
            f"{HEAP}\n{EXPIRED}", [("known", "tls-certificate-expired"), HEAP_PROBABLE], id="without a logger"
        ),
    ],
)
def test_a_known_line_beside_a_trace_is_a_problem(bundled: Engine, log: str, problems: list[tuple[str, str]]) -> None:
    assert found(bundled, log) == problems


POOL_SAID = "HikariPool-1 - Connection is not available, request timed out after 30000ms."


@pytest.mark.parametrize(
    "log",
    [
        pytest.param(f"10:00:01 ERROR 1 --- [exec-4] c.e.shop.Api : order failed: {POOL_SAID}\n{POOL}", id="its head"),
        pytest.param(f"10:00:01 ERROR 1 --- [exec-4] o.h.engine.jdbc.spi.SqlExceptionHelper : {POOL_SAID}\n10:00:01 INFO next\n{POOL}", id="said above"),
        pytest.param(f"{POOL}\n10:00:02 WARN retry 1 of 3 in 5 s\n10:00:09 ERROR giving up after 3 attempts", id="retries"),
        pytest.param(f"10:00:01 错误 下单失败，请稍后重试\n{POOL}\n10:00:05 警告 第 2 次重试", id="retries, in Chinese"),
        pytest.param(f"{REFUSED}\nnpm ERR! code ELIFECYCLE\nnpm ERR! errno 1", id="what follows"),
        pytest.param(f"{REFUSED}\n[nodemon] app crashed - waiting for file changes before starting...", id="the program ends"),
        pytest.param(f"{MISCONF}\nredis.exceptions.{MISCONF.split('exceptions.')[1]}", id="once more"),
        pytest.param(f"{HEAP}\nTerminating due to java.lang.OutOfMemoryError: Java heap space", id="its end"),
        pytest.param(f'{UNVERIFIED}\n10:00:03 ERROR [worker-3] shop: Get "https://till.example/": x509: certificate signed by unknown authority', id="another message of one incident"),
        pytest.param(f"{BASKET}\n10:00:02 WARN slow query took 1200 ms\n10:00:03 ERROR request 4711 failed with status 500", id="nothing known"),
    ],
)  # fmt: skip
def test_a_line_of_the_same_event_is_none(bundled: Engine, log: str) -> None:
    assert len(found(bundled, log)) == 1


def test_the_trace_is_answered_as_without_the_line(bundled: Engine) -> None:
    alone, beside = bundled.search(POOL), bundled.search(f"{POOL}\n{BROKER}")
    assert beside.verdict == alone.verdict
    assert beside.matches[0].incident.id == alone.matches[0].incident.id


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param(BROKER, 0, id="no trace"),
        pytest.param(f"{POOL}\n{BROKER}", 1, id="one"),
        pytest.param(f"{POOL}\n{BROKER}\n{UPSTREAM}\n{PASSWORD}\n{FULL}", MOST_BESIDE, id="the most telling"),
        pytest.param(f"{POOL}\n{BROKER}\n" + "10:00:04 INFO all is well\n" * 3_000, 0, id="a long log"),
        pytest.param(f"{UPSTREAM}\n{POOL}", 0, id="the head of a trace"),
        pytest.param(f"{UPSTREAM}\n10:00:04 INFO next\n{POOL}", 1, id="no head"),
    ],
)
def test_lines_beside(text: str, count: int) -> None:
    assert len(lines_beside(read(text))) == count
