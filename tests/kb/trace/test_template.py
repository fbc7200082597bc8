"""Messages as templates: what becomes a placeholder, what is meaning and stays."""

import pytest

from kb.trace import template

# Each row: its id, a message, the template
ROWS = [
    ("plain", "connection refused", "connection refused"),
    ("int", "user 42 gone", "user <int> gone"),
    ("negative", "offset -5 is out of range", "offset <int> is out of range"),
    ("range", "415-908", "<int>-<int>"),
    ("thousands", "4,150,908 rows", "<int> rows"),
    ("not-thousands", "codes 1,2,3", "codes <int>,<int>,<int>"),
    ("suffix", "maisey-908", "maisey-<int>"),
    ("pool", "pool-3-thread-17", "pool-<int>-thread-<int>"),
    ("digits-in-word", "o123.showString", "o<int>.showString"),
    ("unit-glued", "total-vm:8123456kB", "total-vm:<int>kB"),
    ("float", "load 0.75 of 1.5e-3", "load <float> of <float>"),
    ("stage", "Task 3 in stage 12.0 failed 4 times", "Task <int> in stage <float> failed <int> times"),
    ("hex", "at 0x7f3c8a9b1d30", "at <hex>"),
    ("long-hex", "block 7f3c8a9b1d30 lost", "block <hex> lost"),
    ("ipv4", "peer 10.1.2.3 gone", "peer <ip> gone"),
    ("ipv4-port", "bind 0.0.0.0:80", "bind <ip>:<int>"),
    ("ipv6-short", "peer ::1 gone", "peer <ip> gone"),
    ("ipv6", "peer 2001:db8::42 gone", "peer <ip> gone"),
    ("ipv6-mapped", "peer ::ffff:1.2.3.4 gone", "peer <ip> gone"),
    ("not-ipv6", "Fee::add() failed", "Fee::add() failed"),
    ("not-ipv6-scope", "std::add of Ab::cd", "std::add of Ab::cd"),
    ("hostname", "lookup db-3.prod.example.com failed", "lookup <hostname> failed"),
    ("hostname-without-digits", "host node.example.com is down", "host <hostname> is down"),
    ("hostname-unknown", "alpha.example.com: Name or service not known", "<hostname>: Name or service not known"),
    ("hostname-ends-the-sentence", "no route to node.example.com.", "no route to <hostname>."),
    ("hostname-one-digit", "to node1.example.com:8020 failed", "to <hostname>:<int> failed"),
    ("hostname-one-digit-internal", "kafka3.internal is gone", "<hostname> is gone"),
    ("hostname-one-digit-port", "broker kafka3.prod:9092 is down", "broker <hostname>:<int> is down"),
    ("hostname-address", "Call to node1.dc/10.0.0.2", "Call to <hostname>/<ip>"),
    ("hostname-kept-word", "s3.amazonaws.com refused", "<hostname> refused"),
    ("hostname-wildcard", "*.example.com is not trusted", "*.<hostname> is not trusted"),
    ("module-is-no-host", "urllib3.connection.HTTPConnection failed", "urllib3.connection.HTTPConnection failed"),
    ("module-with-line", "urllib3.connectionpool:824 gave up", "urllib3.connectionpool:<int> gave up"),
    ("module-one-digit", "No module named psycopg2.extensions", "No module named psycopg2.extensions"),
    ("module-named-like-a-host", "No module named 'shop.io'", "No module named 'shop.io'"),
    ("module-unquoted-like-a-host", "module 'shop.internal' has no attribute 'x'", "module 'shop.internal' has no attribute 'x'"),
    ("thread-local-is-no-host", "threading.local is empty", "threading.local is empty"),
    ("package-with-digits-is-no-host", "cannot load 3 of org.apache.hadoop.io", "cannot load <int> of org.apache.hadoop.io"),
    ("package-version-is-no-address", "shop.client/1.2", "shop.client/<float>"),
    ("windows-user", "C:\\Users\\bob\\x.txt is locked", "C:\\Users\\<user>\\x.txt is locked"),
    ("hostname-port", "broker kafka-2.prod:9092 is down", "broker <hostname>:<int> is down"),
    ("file-line-is-no-host", "raised at tasks.py:120", "raised at tasks.py:<int>"),
    ("class-is-no-host", "cannot load org.apache.hadoop.io", "cannot load org.apache.hadoop.io"),
    ("java-net-is-no-host", "java.net is closed", "java.net is closed"),
    ("uuid", "id 5e0b6a0e-17c9-4f0b-a5c6-0c1d2e3f4a5b", "id <uuid>"),
    ("md5", "md5 d41d8cd98f00b204e9800998ecf8427e", "md5 <md5>"),
    ("sha1", "sha da39a3ee5e6b4b0d3255bfef95601890afd80709", "sha <sha1>"),
    ("sha256", "digest " + "0a" * 32, "digest <hash>"),
    ("git-sha", "rev 1a2b3c4 built", "rev <git_sha> built"),
    ("hex-word", "word cabcafe stays", "word cabcafe stays"),
    ("identity-hash", "conn com.acme.Conn@4054b560 closed", "conn com.acme.Conn@<hash> closed"),
    ("identity-hash-loose", "loader com.acme.PluginLoader @47542153", "loader com.acme.PluginLoader @<hash>"),
    ("traceparent", "trace 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "trace <traceparent>"),
    ("xray", "trace 1-5759e988-bd862e3fe1be46a994272793", "trace <traceparent>"),
    ("date", "since 2024-05-01 10:00:00.123 UTC", "since <date>"),
    ("date-only", "partition 2019/04/23 is empty", "partition <date> is empty"),
    ("iso-date", "at 2024-05-01T10:00:00Z", "at <date>"),
    ("clock", "started 10:00:00", "started <date>"),
    ("not-a-clock", "code 31:21", "code <int>:<int>"),
    ("rfc-date", "NotAfter: Sun Apr 12 23:59:59 UTC 2015", "NotAfter: <date>"),
    ("zh-date", "at 2024年5月1日 10时00分00秒", "at <date>"),
    ("duration-ms", "took 10ms", "took <duration>"),
    ("duration-s", "took 1.234s", "took <duration>"),
    ("duration-go", "deadline 1m30s", "deadline <duration>"),
    ("duration-zh", "耗时500毫秒", "耗时<duration>"),
    ("megabytes-are-no-minutes", "heap 512m", "heap <int>m"),
    ("url", "GET https://h.example:8443/a/b?c=1#d failed", "GET <url> failed"),
    ("websocket", "ws://h.example/sock closed", "<url> closed"),
    ("tcp", "tcp://broker.example:10 had a problem", "<url> had a problem"),
    ("hdfs-keeps-its-shape", "hdfs://ns1/cp/chk-302995", "hdfs://ns1/cp/chk-<int>"),
    ("email", "mail to bob.smith@shop.example bounced", "mail to <email> bounced"),
    ("quoted-value", 'name="bob" left', "name=<quoted> left"),
    ("quoted-number", "b='1' c=2", "b=<quoted> c=<int>"),
    ("quoted-address-keeps-quotes", "host='10.0.0.3'", "host='<ip>'"),
    ("quoted-entry", "Duplicate entry 'bob-7' for key 'uk_name'", "Duplicate entry <quoted> for key <quoted>"),
    ("quoted-zh", "Duplicate entry '张三' for key 'uk_name'", "Duplicate entry <quoted> for key <quoted>"),
    ("quoted-input", 'For input string: "12x"', "For input string: <quoted>"),
    ("quoted-all", "'k1'", "<quoted>"),
    ("quoted-type-stays", "cannot be represented in type 'int'", "cannot be represented in type 'int'"),
    ("quoted-attribute-stays", "'NoneType' object has no attribute 'price'", "'NoneType' object has no attribute 'price'"),
    ("quoted-code-stays", 'Cannot invoke "String.length()" because', 'Cannot invoke "String.length()" because'),
    ("local", 'because "<local4>" is null', 'because "<local>" is null'),
    ("json", '{"id":42,"ok":true}', '{"id":<int>,"ok":<bool>}'),
    ("bool-in-prose", "it was true", "it was true"),
    ("user", "Permission denied: user=alice, access=WRITE", "Permission denied: user=<user>, access=WRITE"),
    ("home", "cannot read /home/alice/data.csv", "cannot read /home/<user>/data.csv"),
    ("pod", "pod rates-7d9f8b6c5d-x2x4q evicted", "pod <pod> evicted"),
    ("yarn", "Container container_e17_1571234567890_0042_01_000003 killed", "Container container_e<int>_<int>_<int>_<int>_<int> killed"),
    ("k8s-version", "too old resource version: 5906722735 (5906839115)", "too old resource version: <int> (<int>)"),
    ("zh-digits", "用户42不存在", "用户<int>不存在"),
    ("zh-order", "订单号20190423001处理失败", "订单号<int>处理失败"),
    ("zh-count", "第3次重试", "第<int>次重试"),
    ("full-width", "订单４２：失败", "订单<int>:失败"),
    ("ora", "ORA-00942: table or view does not exist", "ORA-00942: table or view does not exist"),
    ("mysql", "MySQL error 1205 (HY000)", "MySQL error 1205 (HY000)"),
    ("sqlstate", "SQLSTATE[23000]", "SQLSTATE[23000]"),
    ("errno", "[Errno 111] Connection refused", "[Errno 111] Connection refused"),
    ("http-status", "Server returned HTTP response code: 403", "Server returned HTTP response code: 403"),
    ("status-code", "answered with status code 503", "answered with status code 503"),
    ("exit-code", "exited with exit code 137", "exited with exit code 137"),
    ("zh-status", "返回错误码：1062", "返回错误码:1062"),
    ("jboss-code", "WFLYCTL0348 timed out", "WFLYCTL0348 timed out"),
    ("protocol", "HTTP/2 stream 7 reset", "HTTP/2 stream <int> reset"),
    ("hresult", "failed with 0x80070005 at 0x80ff1234", "failed with 0x80070005 at <hex>"),
    ("encoding", "not utf-8, IPv4 or base64", "not utf-8, IPv4 or base64"),
    ("library-name", "<urllib3.connection.HTTPConnection object at 0x7f3c>", "<urllib3.connection.HTTPConnection object at <hex>>"),
    ("api-version", "url: /api/v1/u/42", "url: /api/v1/u/<int>"),
    ("password", "password=hunter2 rejected", "password=<secret> rejected"),
    ("placeholders-stay", "<int> of <ip> at <date>, <secret>", "<int> of <ip> at <date>, <secret>"),
    ("init-stays", "a.B.<init> failed", "a.B.<init> failed"),
]  # fmt: skip

# What is still read otherwise than a reader would wish: (id, message, desired, actual). A repair turns the row red.
KNOWN_MISSES = [
    ("seconds-in-words", "took 30 seconds", "took <duration>", "took <int> seconds"),
    ("version", "Flink 1.10.0 started", "Flink <version> started", "Flink <float>.<int> started"),
    ("bean-name", "Error creating bean with name 'orders'", "Error creating bean with name <quoted>", "Error creating bean with name 'orders'"),
    ("bare-host", "node hadoop-080-037 is lost", "node <hostname> is lost", "node hadoop-<int>-<int> is lost"),
]  # fmt: skip


@pytest.mark.parametrize(("message", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_template(message: str, expected: str) -> None:
    assert template(message) == expected


@pytest.mark.parametrize(("message", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_template_is_its_own_template(message: str, expected: str) -> None:
    assert template(template(message)) == expected


_INSIDE = [row for row in ROWS if row[0] not in ("quoted-all", "negative", "range", "rfc-date")]


@pytest.mark.parametrize(("message", "expected"), [row[1:] for row in _INSIDE], ids=[row[0] for row in _INSIDE])
def test_template_holds_inside_a_sentence(message: str, expected: str) -> None:
    assert template(f"failed ({message}) twice") == f"failed ({expected}) twice"


@pytest.mark.parametrize(
    ("message", "desired", "actual"), [r[1:] for r in KNOWN_MISSES], ids=[r[0] for r in KNOWN_MISSES]
)
def test_known_misses_are_still_missed(message: str, desired: str, actual: str) -> None:
    assert desired != actual
    assert template(message) == actual
