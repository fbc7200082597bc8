"""Messages as templates: what becomes a placeholder, what is meaning and stays."""

import unicodedata
from collections.abc import Callable, Iterable

import pytest

from kb.trace import template
from kb.trace.template import _ALL, TABLE

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
    ("version", "etcd v3.5.0 is too old", "etcd <version> is too old"),
    ("version-candidate", "etcd v3.5.0-rc.1+k3s1 is too old", "etcd <version> is too old"),
    ("version-of-an-api", "GET /api/v1/orders failed", "GET /api/v1/orders failed"),
    ("bracketed", "用户【张三】不存在", "用户<quoted>不存在"),
    ("bracketed-corners", "用户 「张三」 不存在", "用户 <quoted> 不存在"),
    ("bracketed-label", "【订单服务】用户不存在", "【订单服务】用户不存在"),
    ("bracketed-aside", "调用失败【其它节点正常】", "调用失败【其它节点正常】"),
    ("entity", "order ORDER-12345 is gone", "order ORDER-<int> is gone"),
    ("entity-before-colon", "could not load ORDER-12345: gone", "could not load ORDER-<int>: gone"),
    ("shipment", "the shipment ABC-12345 was lost", "the shipment ABC-<int> was lost"),
    ("code-before-colon", "job failed, GAUSS-52502: gone", "job failed, GAUSS-52502: gone"),
    ("code-behind-error", "stopped with error OS-NAOS-40008 there", "stopped with error OS-NAOS-40008 there"),
    ("code-in-brackets", "stopped [GAUSS-52502] there", "stopped [GAUSS-52502] there"),
    ("code-behind-zh", "错误码:OS-NAOS-40008", "错误码:OS-NAOS-40008"),
    ("alarm", "收到告警 ALM-45009 了", "收到告警 ALM-45009 了"),
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
    ("seconds-in-words", "took 30 seconds", "took <duration>"),
    ("millis-in-words", "60000 millis timeout while waiting", "<duration> timeout while waiting"),
    ("duration-blank-ms", "Failover timeout of 500 ms reached", "Failover timeout of <duration> reached"),
    ("duration-iso", "within PT1H30M5.5S or P3D", "within <duration> or <duration>"),
    ("duration-zh-days", "超过3天未支付", "超过<duration>未支付"),
    ("not-iso-duration", "PTX and P of T", "PTX and P of T"),
    ("date-compact", "run 20060102T150405Z and 20060102 150405", "run <date> and <date>"),
    ("date-rfc822", "at Mon, 02 Jan 06 15:04 MST", "at <date>"),
    ("date-rfc850", "at Monday, 02-Jan-06 15:04:05 MST", "at <date>"),
    ("date-rfc1123", "at Mon, 02 Jan 2006 15:04:05 -0700", "at <date>"),
    ("date-javascript", "at Mon Jan 02 2006 14:04:05 GMT-0800 (Pacific Standard Time)", "at <date>"),
    ("date-nanoseconds", "at 2006-01-02T15:04:05.999999999Z07:00", "at <date>"),
    ("date-named-month", "since Jan 18, 2019", "since <date>"),
    ("date-day-first", "on 18/01/2019 and 02/Jan/2006:15:04:05 -0700", "on <date> and <date>"),
    ("date-python", "got datetime.datetime(2025, 6, 24, 18, 33)", "got <date>"),
    ("date-kitchen", "at 11:21 PM", "at <date>"),
    ("date-hours-and-minutes", "at 23:21", "at <date>"),
    ("zh-month-and-day", "5月1日 10点30分停机", "<date>停机"),
    ("no-date-of-thirteen-months", "2006-20-02", "<int>-<int>-<int>"),
    ("no-date-of-forty-days", "2006-01-40", "<int>-<int>-<int>"),
    ("no-clock-of-ninety-nine-seconds", "12:31:99", "<int>:<int>:<int>"),
    ("place-in-a-query-is-no-time", "Line 1:14 and line 10:12", "Line <int>:<int> and line <int>:<int>"),
    ("ipv6-network", "route fc00::/7 lost", "route <ip> lost"),
    ("ipv6-zone", "peer fe80::1%eth0 gone", "peer <ip> gone"),
    ("ipv6-unspecified", "listen :: failed", "listen <ip> failed"),
    ("ipv6-in-address", "GET http://[2001:db8::1]:80/x failed", "GET <url> failed"),
    ("mac", "arp 00:1B:44:11:3A:B7 twice", "arp <hex> twice"),
    ("mac-dashes", "arp 00-1b-44-11-3a-b7 twice", "arp <hex> twice"),
    ("url-registry", "no provider at dubbo://10.0.0.3:20880/com.acme.Api", "no provider at <url>"),
    ("url-actor", "akka.tcp://flink@jm-1:6123/user/x is gone", "<url> is gone"),
    ("uuid-without-dashes", "trace 7c1811ede98f4c9ca9f958c757ff494f", "trace <md5>"),
    ("upper-hex", "key 9AF8C3BE3A lost", "key <hex> lost"),
    ("short-hex", "slot 9af8 lost", "slot <hex> lost"),
    ("sha512", "digest " + "b0" * 64, "digest <hash>"),
    ("random-id", "invoice k9Mtd2gDcgG", "invoice <id>"),
    ("swift-transaction", "txn tx274a77a8975c4a66aeb24-0052d95365-cluster01", "txn <id>"),
    ("class-is-no-random-id", "Http2ServerHandler and Base64Decoder", "Http2ServerHandler and Base64Decoder"),
    ("json-id", '{"dogs are great": true, "dog_id": "greatdog1231"}', '{"dogs are great": <bool>, "dog_id": <id>}'),
    ("json-id-single-quotes", "{'ok': true, 'dog_id': 'greatdog1231'}", "{'ok': <bool>, 'dog_id': '<id>'}"),
    ("base64", "blob DOt3C+Y84mGSoDuaQTCo7VaoKGEVC2y1k2zFIQRm== is bad", "blob <hash> is bad"),
    ("long-name-is-no-blob", "DFSClient_NONMAPREDUCE_-1234567_1 holds it", "DFSClient_NONMAPREDUCE_-<int>_<int> holds it"),
    ("pod-of-a-stateful-set", "pod kafka-0 evicted", "pod <pod> evicted"),
    ("yarn-application", "application_1571234567890_0042 failed 2 times", "application_<int>_<int> failed <int> times"),
    ("yarn-attempt", "attempt_1571234567890_0042_m_000003_0", "attempt_<int>_<int>_m_<int>_<int>"),
    ("hdfs-block", "blk_1073741825_1001 of BP-12-10.0.0.3-15", "blk_<int>_<int> of BP-<int>-<ip>-<int>"),
    ("spark-task", "Lost task 3.0 in stage 12.0 (TID 45, node-7, executor 2)", "Lost task <float> in stage <float> (TID <int>, node-<int>, executor <int>)"),
    ("percent", "disk is 97% full", "disk is <int>% full"),
    ("memory", "512MB of 1.5 GiB", "<int>MB of <float> GiB"),
    ("apostrophe", "Table 'shop.t_user' doesn't exist", "Table 'shop.t_user' doesn't exist"),
    ("apostrophe-behind-data", "user 'bob' doesn't exist", "user <quoted> doesn't exist"),
    ("address-behind-an-escaped-quote", r'err="reload: Post \"http://h1:9093/-/reload\": refused"', 'err=<quoted><url>": refused"'),
    ("glued-to-a-number", "1user 'a' of 12http://u", "<int>user 'a' of <int>http://u"),
    ("account", "Access denied for user 'root'@'10.0.0.3' (using password: YES)", "Access denied for user <quoted> (using password: YES)"),
    ("quoted-user", 'password authentication failed for user "bob"', "password authentication failed for user <quoted>"),
    ("quoted-user-zh", "用户'bob'不存在", "用户<quoted>不存在"),
    ("windows-home", r"cannot read C:\Users\alice\data.csv", r"cannot read C:\Users\<user>\data.csv"),
    ("android-deploy", "/data/app/~~YQzOOq5EdbRpDSLuP4W5bg==/base.apk", "/data/app/<path>/base.apk"),
    ("class-keeps-its-number", "com.acme.Http2Client is no com.acme.Http1Client", "com.acme.Http2Client is no com.acme.Http1Client"),
    ("class-loses-a-counter", "com.acme.Script1234 failed", "com.acme.Script<int> failed"),
    ("http-phrase", "500 Internal Server Error, then 404 Not Found", "500 Internal Server Error, then 404 Not Found"),
    ("compiler-code", "error C2065 and error[E0308]", "error C2065 and error[E0308]"),
    ("camel-case-code", "lastErrorCode=5 retries=5", "lastErrorCode=5 retries=<int>"),
    ("platform", "needs Java 11, has Java 8", "needs Java 11, has Java 8"),
    ("tls", "TLSv1.2 is off", "TLSv1.2 is off"),
    ("segfault", "segfault at 18 ip 00007f12ab34cd56 sp 00007ffc12345678 error 4 in libjvm.so[7f12ab000000+d00000]", "segfault at <hex> ip <hex> sp <hex> error 4 in libjvm.so[<hex>+<hex>]"),
    ("mongo-code", "E11000 duplicate key", "E11000 duplicate key"),
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
    ("sqlstate-with-code", "SQLSTATE[HY000] [2002] Connection refused", "SQLSTATE[HY000] [2002] Connection refused"),
    ("sqlstate-and-code-behind-its-text", "SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry '7' for key 'k'", "SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry <quoted> for key <quoted>"),
    ("sqlstate-without-code", "SQLSTATE[42000]: Syntax error: near 42", "SQLSTATE[42000]: Syntax error: near <int>"),
    ("server-code", "(1062, \"Duplicate entry '7' for key 'k'\")", '(1062, "Duplicate entry <quoted> for key <quoted>")'),
    ("server-code-of-bytes", "(20009, b'DB-Lib error message 20009')", "(20009, b'DB-Lib error message <int>')"),
    ("pair-of-data", "(1062, 'bob') twice", "(<int>, 'bob') twice"),
    ("sqlstate-behind-its-level", "ERROR: 42P01: no table t7", "ERROR: 42P01: no table t<int>"),
    ("sqlstate-of-no-class", "ERROR: 92301: no table", "ERROR: 92301: no table"),
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
    ("person", "phone 13812345678 of 11010519491231002X, card 4111111111111111", "phone <int> of <int>, card <int>"),
    ("person-known", "call <phone> now", "call <int> now"),
    ("person-in-url", "GET http://h/x?mail=a@corp.com&phone=13812345678&y=1 failed", "GET <url> failed"),
    ("placeholders-stay", "<int> of <ip> at <date>, <secret>", "<int> of <ip> at <date>, <secret>"),
    ("init-stays", "a.B.<init> failed", "a.B.<init> failed"),
]  # fmt: skip

# Only at the start of a message
AT_THE_START = [
    ("sqlstate", '23505: duplicate key value violates "uk_7"', '23505: duplicate key value violates "uk_<int>"'),
    ("sqlstate-with-letters", "40P01: deadlock detected", "40P01: deadlock detected"),
    ("no-class-of-states", "93505: duplicate key", "<int>: duplicate key"),
    ("not-within", "row 23505: duplicate key", "row <int>: duplicate key"),
]  # fmt: skip


def _others(read: Callable[[str], str], rows: Iterable[tuple[str, str, str]]) -> dict[str, tuple[str, str]]:
    """The rows whose message is not read as expected: how it is, and how it should be."""
    made = {name: (read(message), expected) for name, message, expected in rows}
    return {name: pair for name, pair in made.items() if pair[0] != pair[1]}


def test_template() -> None:
    assert len({name for name, _, _ in ROWS}) == len(ROWS)
    assert _others(template, ROWS) == {}


def test_template_is_its_own_template() -> None:
    assert _others(lambda message: template(template(message)), ROWS) == {}


def test_template_holds_inside_a_sentence() -> None:
    inside = (row for row in ROWS if row[0] not in ("quoted-all", "negative", "range", "rfc-date"))
    rows = ((name, f"failed ({message}) twice", f"failed ({expected}) twice") for name, message, expected in inside)
    assert _others(template, rows) == {}


@pytest.mark.parametrize(
    ("message", "expected"), [row[1:] for row in AT_THE_START], ids=[row[0] for row in AT_THE_START]
)
def test_a_state_of_sql_begins_a_message(message: str, expected: str) -> None:
    assert template(message) == expected
    assert template(expected) == expected


@pytest.mark.parametrize("at", range(len(TABLE)), ids=[f"{at}-{row.name}" for at, row in enumerate(TABLE)])
def test_every_row_of_the_table_is_met_by_a_row_here(at: int) -> None:
    kinds = set(TABLE[at].starts)
    met = {group for _, message, _ in ROWS for group in groups_of(message)}
    assert {f"{TABLE[at].name}_{kind}{at}" for kind in kinds} & met


def groups_of(message: str) -> set[str]:
    """The rows of the table, by their groups, that a message is matched by."""
    return {found.lastgroup or "" for found in _ALL.finditer(unicodedata.normalize("NFKC", message))}


@pytest.mark.parametrize("code", ["ALM-45009", "GAUSS-52502", "OS-NAOS-40008", "PLUG-FLTR-0012"])
def test_a_products_code_begins_a_message(code: str) -> None:
    assert template(f"{code} the disk is full") == f"{code} the disk is full"
    assert template(f"see {code} there").endswith("-<int> there")


SOURCES = {
    "jvm": "java kt kts scala groovy clj cljs cljc sbt",
    "python": "py pyi pyx pyw pxd",
    "javascript": "js jsx mjs cjs ts tsx mts cts vue svelte coffee",
    "dotnet": "cs csx cshtml vb vbhtml fs fsi fsx ps1 psm1",
    "go, rust, lua": "go rs lua moon",
    "beam": "ex exs eex leex heex erl hrl xrl yrl gleam",
    "native": "c cc cpp cxx c++ cppm cu cuh h hh hpp hxx h++ inl ipp ixx tcc m mm swift zig",
    "kernel": "c h s asm",
    "ruby, php": "rb erb rake gemspec rabl php phpt phtml",
    "sql": "sql pgsql plsql pkb pks",
    "text": "dart",
}
"""Endings of source files, by runtime."""


@pytest.mark.parametrize(
    ("runtime", "ending"), [(name, one) for name, every in SOURCES.items() for one in every.split()]
)
def test_a_source_file_is_no_host(runtime: str, ending: str) -> None:
    """In a message, before a line number; a domain with the same letters in front is one."""
    assert template(f"no item in cart.{ending}:12") == f"no item in cart.{ending.replace('1', '<int>')}:<int>", runtime
    assert template(f"no route to cart.{ending}prod:8080") == "no route to <hostname>:<int>" or "+" in ending
