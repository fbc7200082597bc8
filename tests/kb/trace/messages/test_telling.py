"""The telling line of a paste without a trace: what is shown is read, what is only talked about is not, and the right line is chosen."""

import json
import time
from pathlib import Path

import pytest

from kb.trace import ExceptionChain, Level, fingerprints, parse, parse_stream
from kb.trace.messages.telling import LONGEST
from kb.trace.messages.typed import IDENTIFIER, is_type, named

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "messages"
EXAMPLES = [
    (folder, row)
    for folder in ("build", "services")
    for row in map(json.loads, (GOLDEN / folder / "examples.jsonl").read_text(encoding="utf-8").splitlines())
]
OTHERWISE = {
    "build/pip-build-fails.txt": "the traceback below pip's summary is read: it says more",
    "build/bundle-refused.txt": "Ruby's own exception is named below: it says more",
    "build/gem-native.txt": "RubyGems prints ERROR as PostgreSQL does, and the database's reader comes first",
    "build/gem-permission.txt": "as gem-native",
    "build/cmake-target.txt": "the first line only announces the name below it; CMake's second error is whole",
    "services/kubectl-describe-oom.txt": "the event of the same page says why the pod waits",
    "services/redis-config.txt": "the line says what is wrong without a word of failure",
    "services/systemd-limit.txt": "the unit's result is chosen, not why it is not started again",
}
"""Examples of which another line, or none, is chosen, and why."""


def lines(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]


def roots(text: str) -> list[tuple[str | None, str]]:
    return [(chain.root.type, lines(chain.root.message)) for chain in parse(text)]


@pytest.mark.parametrize(("folder", "row"), EXAMPLES, ids=[f"{folder}/{row['file']}" for folder, row in EXAMPLES])
def test_what_tools_printed_is_read(folder: str, row: dict[str, str]) -> None:
    found = roots((GOLDEN / folder / row["file"]).read_text(encoding="utf-8"))
    said = lines(row["message"])
    is_read = any(
        (said and (said in told or (told and told in said))) or (not said and row["type"] == kind)
        for kind, told in found
    )
    assert is_read is (f"{folder}/{row['file']}" not in OTHERWISE), found


SHOWN = [
    # a line of its own, between prose
    ("Since the update it stops.\n\nRuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED\n\nThe driver is new.", "python", ["RuntimeError"], "cuDNN error: CUDNN_STATUS_NOT_INITIALIZED"),
    ("[Bug] java.lang.NoClassDefFoundError: javax/xml/bind/JAXBException\nJDK 17 here.", "jvm", ["java.lang.NoClassDefFoundError"], "javax/xml/bind/JAXBException"),
    ("升级之后一直报“ValueError: numpy.dtype size changed, may indicate binary incompatibility”，不知道哪里不对", "python", ["ValueError"], "numpy.dtype size changed, may indicate binary incompatibility"),
    ("Start it and look at `TypeError: Cannot read properties of undefined (reading 'map')`, nothing else comes.", None, ["TypeError"], "Cannot read properties of undefined (reading 'map')"),
    # labels
    ("启动服务时\n错误：无法连接到数据库 orders", "text", [], "无法连接到数据库 orders"),
    ("the server says\n\n    error: cannot open the journal /var/lib/shop/journal", None, [], "cannot open the journal /var/lib/shop/journal"),
    # the object as its language shows it
    ('the worker logs OperationalError("[Errno 111] Connection refused") and goes on', "python", ["OperationalError"], "[Errno 111] Connection refused"),
    ("requests.exceptions.ProxyError: Pool(host='till'): retries exceeded (Caused by ProxyError('no way', NewConnectionError(\"refused by till\")))", "python", ["requests.exceptions.ProxyError", "ProxyError", "NewConnectionError"], "refused by till"),
    ('sqlalchemy.exc.ProgrammingError: (psycopg2.errors.UndefinedTable) relation "till" does not exist', "python", ["sqlalchemy.exc.ProgrammingError", "psycopg2.errors.UndefinedTable"], 'relation "till" does not exist'),
    ('django.db.utils.OperationalError: (1045, "Access denied for user \'till\'@\'10.0.0.3\' (using password: YES)")', "python", ["django.db.utils.OperationalError", "MySQL 1045"], "Access denied for user 'till'@'10.0.0.3' (using password: YES)"),
    ("RequestError(400, 'illegal_argument_exception', 'Limit of total fields [1000] has been exceeded')", None, ["RequestError", "illegal_argument_exception"], "Limit of total fields [1000] has been exceeded"),
    ("#<ActiveRecord::ConnectionNotEstablished: could not connect to server>", "ruby", ["ActiveRecord::ConnectionNotEstablished"], "could not connect to server"),
    ('Source: store(StoreError { kind: Closed, message: "the pool was closed" })', None, ["StoreError"], "the pool was closed"),
    ("Exception: Shop.Orders.OrderException\nMessage:   The order was changed by somebody else.", "dotnet", ["Shop.Orders.OrderException"], "The order was changed by somebody else."),
    ("{\n  type: 'mapper_parsing_exception',\n  reason: 'failed to parse field [price]'\n}", None, ["mapper_parsing_exception"], "failed to parse field [price]"),
    # wrappers
    ("Error creating bean; nested exception is org.shop.StoreException: no store; nested exception is java.lang.StackOverflowError: too deep\nhelp", "jvm", ["org.shop.StoreException", "java.lang.StackOverflowError"], "too deep"),
    ("java.lang.RuntimeException: org.shop.PayException: card refused\nsince Monday", "jvm", ["java.lang.RuntimeException", "org.shop.PayException"], "card refused"),
    ("Max retries exceeded (Caused by NewConnectionError('Failed to establish a new connection: [Errno 111] Connection refused'))", None, ["NewConnectionError"], "Failed to establish a new connection: [Errno 111] Connection refused"),
    # records
    ('{"level":"error","ts":1,"msg":"payment failed","error":"dial tcp 10.0.0.7:5432: connect: connection refused"}', None, [], "dial tcp 10.0.0.7:5432: connect: connection refused"),
    ('time=2026-11-23T03:44:58Z level=error msg="cannot bind" err="address already in use"', None, [], "address already in use"),
    ('{\n  "timestamp": "2026-11-23T03:44:58Z",\n  "status": 500,\n  "error": "Internal Server Error",\n  "message": "Could not open JPA EntityManager",\n  "path": "/orders"\n}', None, None, "Could not open JPA EntityManager"),
    ("17/11/25 18:23:24 ERROR YarnScheduler: Lost executor 9 on host7: worker lost", None, [], "Lost executor 9 on host7: worker lost"),
    # Kubernetes
    ("  Warning  FailedScheduling  5s  default-scheduler  0/3 nodes are available: 3 Insufficient memory.", "tool", ["FailedScheduling"], "0/3 nodes are available: 3 Insufficient memory."),
    # words in a Chinese sentence
    ("给服务器换了显卡，之后启动就是 Failed to initialize NVML: Driver/library version mismatch 请问怎么解决", None, [], "Failed to initialize NVML: Driver/library version mismatch"),
    ("npm install 之后\nnpm ERR! code ELIFECYCLE\nnpm ERR! errno 1\nnpm ERR! shop@1.0.0 build: `webpack`\nnpm ERR! Exit status 1", "tool", ["ELIFECYCLE"], "shop@1.0.0 build: `webpack`"),
]  # fmt: skip


def test_quotes_that_a_driver_escaped_are_the_server_s_own() -> None:
    (chain,) = parse("MySQLdb.ProgrammingError: (1146, 'Table \\'shop.till\\' doesn\\'t exist')")
    assert (chain.root.type, chain.root.message) == ("MySQL 1146", "Table 'shop.till' doesn't exist")


@pytest.mark.parametrize(("text", "runtime", "types", "message"), SHOWN, ids=[str(n) for n in range(len(SHOWN))])
def test_what_is_shown_is_read(text: str, runtime: str | None, types: list[str] | None, message: str) -> None:
    found: list[ExceptionChain] = [chain for chain in parse(text) if lines(chain.root.message) == message]
    assert found, roots(text)
    if types is not None:
        assert [raised.type for raised in found[0].exceptions if raised.type] == types
    assert runtime in (None, found[0].runtime)
    begin, end = found[0].span
    assert message in text[begin:end]
    assert all(fingerprints(found[0])[level].digest for level in Level)


TALK = [
    "I always catch IOException there, so that the upload can be tried again.",
    "昨晚发布之后报错多了一倍，我先回滚了，早上再看原因。",
    "如果出现 ORA-00942: table or view does not exist，说明没有权限。",
    "- `ValueError`: raised when an argument has the right type but an inappropriate value.",
    "When the broker is down the client tries again, and gives up after five minutes.",
    "The exceptions are documented in the API reference; each of them has a code.",
    "检查配置文件是否正确，然后重启服务即可。",
    "$ make install\n$ systemctl restart shop\n",
    "- `ConnectionError`\n- `TimeoutError`\n- `ValueError`\n",
    "try:\n    run()\nexcept ValueError as error:\n    print(error)\n",
    "https://example.org/questions/123/connection-refused",
    "",
    '```json\n{\n  "type": "object",\n  "properties": {"id": {"type": "integer"}}\n}\n```',
    "```python\nassert_till_equality(one, other, ignore_order=True)\nassert_not_failed(one.collect(), other.collect())\n```",
    "```swift\nfunc didFailWithError(_ error: Error) { print(error) }\n```",
]


@pytest.mark.parametrize("text", TALK, ids=[str(n) for n in range(len(TALK))])
def test_talk_about_errors_is_none(text: str) -> None:
    assert roots(text) == []


CHOICE = [
    ("a-warning-before", "warning: LF will be replaced by CRLF in a.txt\nfatal: could not read from remote repository.\n", "could not read from remote repository."),
    ("a-warning-level-before", "2026-11-23 03:00:01 WARN  [main] shop.Pool - pool is nearly exhausted\n2026-11-23 03:00:02 ERROR [main] shop.Pay - cannot charge the card\n", "cannot charge the card"),
    ("a-summary-behind", "src/pay.c:12:5: error: 'total' undeclared (first use in this function)\nmake: *** [Makefile:7: pay.o] Error 1\n", "'total' undeclared (first use in this function)"),
    ("the-first-of-a-compiler", "a.c:1:2: error: unknown type name 'strig'\na.c:9:2: error: 'x' undeclared\n", "unknown type name 'strig'"),
    ("a-title-and-a-story", "[Bug] shop.PayError: card refused\nI was paying and then it failed, can somebody help?\n", "card refused"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), [row[1:] for row in CHOICE], ids=[row[0] for row in CHOICE])
def test_the_telling_line_is_chosen(text: str, message: str) -> None:
    assert [told for _, told in roots(text)] == [message]


def test_of_a_build_script_its_own_words_tell() -> None:
    """The Cargo Book, "Build scripts": what it wrote is printed when it fails. Where it wrote nothing that tells, Cargo's words are left."""
    head = "error: failed to run custom build command for `till-sys v0.9.1`\n\nCaused by:\n  process didn't exit successfully: `/b/build-script-build` (exit status: 101)\n"
    assert roots(f"{head}  --- stderr\n  error: could not find the till's drawer\n") == [
        (None, "could not find the till's drawer")
    ]
    assert [told for _, told in roots(f"{head}  --- stdout\n  cargo:rerun-if-changed=till.rs\n")] == [
        "process didn't exit successfully: `/b/build-script-build` (exit status: 101)"
    ]


def test_two_exceptions_are_two_problems() -> None:
    text = "first shop.PayError: card refused\nand an hour later java.io.IOException: disk quota exceeded\n"
    assert roots(text) == [("shop.PayError", "card refused"), ("java.io.IOException", "disk quota exceeded")]


def test_a_trace_that_tells_is_left_alone() -> None:
    trace = "java.io.IOException: disk quota exceeded\n\tat a.B.c(B.java:1)\n"
    assert roots(f"ERROR: the nightly job failed\n\n{trace}") == [("java.io.IOException", "disk quota exceeded")]


def test_a_trace_without_words_gets_those_beside_it() -> None:
    text = "AttributeError: 'Pool' object has no attribute 'size'\n\nFile \"/app/pool.py\", line 7, in run\n    return self.size\n"
    assert ("AttributeError", "'Pool' object has no attribute 'size'") in roots(text)


def test_the_end_of_a_long_log_is_looked_at() -> None:
    quiet = "2026-11-23 03:00:01 INFO  [main] shop.Order - order handled\n" * 2_000
    text = f"{quiet}2026-11-23 03:00:02 ERROR [main] shop.Pay - cannot charge the card\n"
    assert len(text) > LONGEST
    (chain,) = parse(text)
    assert text[slice(*chain.span)] == "cannot charge the card"
    assert tuple(parse_stream(text[at : at + 997] for at in range(0, len(text), 997))) == (chain,)


HOSTILE = [
    "a.b.", "X: ", "Error: x y ", "'", '"', "`", "“", "错误：", "nested exception is a.BError: ", '{"level":', "a=b ", "[", "ABC_DEF - a b ", "**x", "(", "Caused by: ",
    "1.2 ", "npm ERR! code E1 ", "FooError('", "error[E12]: x ", "#<A: x>", "a.b.CError: x: ", "cannot open x; ", "说 Failed to open it ", " `a`", "`a b `c` ",
    "it fails with x ", "I get this error x ", "error message: x y ", "errorMessage=x y ", "an error: x y ", ": Error: x failed ", "_x y_ ", "_x y", "*x y* ", "X: while parsing a b\n in 'r', line 1, column 1:\n", '** (A) %{reason: "b", ', "WARN x (a.B) ", "get SQLSTATE[ ", ": ORA-00001: x ",
    'Os { code: 1, message: "x" } ', "Io(", "Io(Os { a", "A { a: A { a: ", '&a.B{C:"x", ', 'Error: A { a: "', 'Error: A { a: "b", ', "Error: A { b,", "Err` value: A(B{c",
]  # fmt: skip
"""Parts that patterns match, whole or in part, again and again."""


def read_in_a_second(text: str) -> bool:
    """Whether a reading takes less; one that does not is tried again, for other processes share the machine."""

    def seconds() -> float:
        begin = time.process_time()
        parse(text)
        return time.process_time() - begin

    return any(seconds() < 1.0 for _ in range(2))


@pytest.mark.parametrize("part", HOSTILE)
@pytest.mark.parametrize("end", ["", "\n"], ids=["one-line", "lines"])
@pytest.mark.slow
def test_hostile_text_takes_linear_time(part: str, end: str) -> None:
    """The end of a text is looked at, 32 kB: it takes a bounded time, however much stands before it."""
    hostile = (part + end) * (LONGEST // len(part + end)) + "\nfailed\n"
    parse(hostile[:4_000])
    assert read_in_a_second(hostile)
    quiet = "INFO all is fine here, nothing to see\n" * 12_000
    assert read_in_a_second(quiet + hostile)


def test_a_line_of_names_in_backticks_takes_linear_time() -> None:
    """Once its end was looked for from each of them: 8,000 characters took 20 times as long as 4,000."""

    def seconds(count: int, trial: int) -> float:
        text = f"cannot open the x file {trial}, it failed" + " `a`" * count
        begin = time.process_time()
        parse(text)
        return time.process_time() - begin

    half = min(seconds(990, trial) for trial in range(3))
    assert any(seconds(1_980, trial) < 4 * half + 0.03 for trial in range(3))


def test_many_errors_in_a_long_text_are_not_each_searched_for_in_all_of_it() -> None:
    """73 s before the stretch was cut off first."""
    assert read_in_a_second("INFO all is fine here, nothing to see\n" * 27_000 + "Error: a b c d e f\n" * 500)


CODE = [
    "def pay():\n    raise RuntimeError('the card was refused by the bank')\n    return 1",
    'if (card == null) {\n    throw new IllegalArgumentException("the card must not be null");\n}',
    "@ExceptionHandler(IllegalArgumentException.class)\npublic void handle() {}",
    "logger.error('Payment failed: %s', error)\nreturn None",
    '{"level":"info","msg":"request done","status":200,"error":null}',
]


@pytest.mark.parametrize("text", CODE, ids=[str(n) for n in range(len(CODE))])
def test_code_and_good_records_show_no_error(text: str) -> None:
    assert roots(text) == []


ENDS = [
    ("connect 报错 Access denied for user 'shop'@'10.0.0.7' (using password: YES)，密码肯定是对的\n重启也没用", "Access denied for user 'shop'@'10.0.0.7' (using password: YES)"),
    ("shop.errors.PoolClosed: Sequence contains no elements. It works locally for me.\nthanks", "Sequence contains no elements."),
    ('we see "java.lang.OutOfMemoryError: Java heap space" and before it a long pause\nsince Monday', "Java heap space"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), ENDS, ids=[str(n) for n in range(len(ENDS))])
def test_a_message_ends_where_the_writer_goes_on(text: str, message: str) -> None:
    assert message in [told for _, told in roots(text)]


def test_a_stream_reads_as_a_whole() -> None:
    for text, *_ in SHOWN:
        assert tuple(parse_stream([text[:7], text[7:31], text[31:]])) == parse(text)


def test_a_class_that_no_word_of_failure_names_is_found_in_a_log() -> None:
    text = "all fine\n" * 150 + "worker 3 stopped: psycopg2.OperationalError: server gone away, bye\n"
    assert roots(text) == [("psycopg2.OperationalError", "server gone away, bye")]


def test_the_last_lines_of_many_short_ones_are_looked_at() -> None:
    assert roots("step ok\n" * 3_000 + "Error: release web could not be upgraded\n") == [
        (None, "release web could not be upgraded")
    ]


def test_no_type_is_passed_over_by_the_needles_before_it() -> None:
    """`named` looks at no line without what a type holds: whoever adds an ending of types adds its needle, too."""
    rules = Path(__file__).resolve().parents[4] / "kb/trace/rules"
    listed = "\n".join(path.read_text(encoding="utf-8") for path in sorted(rules.glob("*_exceptions.txt"))).replace(
        "$", ""
    )
    traces = (path.read_text(encoding="utf-8") for path in sorted((GOLDEN.parent / "traces").glob("*/*.txt")))
    more = ("socket.timeout", "socket.gaierror", "cv2.error", "psycopg2.errors.UndefinedFile", "PG::UndefinedObject", "Errno::ENOENT")  # fmt: skip
    types = {found[0] for text in (listed, *traces, *more) for found in IDENTIFIER.finditer(text) if is_type(found[0])}
    assert len(types) > 200
    assert set(more) <= types
    assert [name for name in types if next(named(f"{name}: gone", 0, len(name) + 6), None) is None] == []


@pytest.mark.parametrize("behind", ['"}', "'}", '"]', '" }),', "`", "”", '"'])
def test_a_class_with_nothing_but_marks_behind_it_has_no_message(behind: str) -> None:
    """Fuzzing found that the first form ended in an IndexError."""
    chains = parse(f"OException:{behind}")
    assert all(one.message != "" for chain in chains for one in chain.exceptions)
