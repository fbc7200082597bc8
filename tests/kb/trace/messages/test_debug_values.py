"""Errors that a program prints as their value, for a debugger: Rust's ``{:?}`` and ``{:#?}``, Go's ``%#v``. Each row was written before the rule.

The forms are those of the ``Debug`` implementations of std, tokio, hyper, reqwest, sqlx, tonic and tokio-postgres, and of the structs of Go's standard library and of cloud SDKs.
"""

import pytest

from kb.trace import Relation
from kb.trace.messages.debug_values import error_in
from tests.kb.trace.reading import only

OS = 'Os { code: 24, kind: Uncategorized, message: "Too many open files" }'
UNWRAPPED = "called `Result::unwrap()` on an `Err` value: "
PANIC = "thread 'main' panicked at src/main.rs:12:45:\n"

LINES = [
    (f"{UNWRAPPED}{OS}", "os error 24", "Too many open files"),
    ('Error: Os { code: 2, kind: NotFound, message: "No such file or directory" }', "NotFound", "No such file or directory"),
    ('Error: Custom { kind: InvalidData, error: "stream did not contain valid UTF-8" }', "InvalidData", "stream did not contain valid UTF-8"),
    ('Error: Custom { kind: Other, error: "no drawer is open" }', None, "no drawer is open"),
    ('Service is up\nError: Winapi(Os { code: 1060, kind: Uncategorized, message: "The specified service does not exist." })', "os error 1060", "The specified service does not exist."),
    ('ERROR till: Io(Os { code: 13, kind: PermissionDenied, message: "Permission denied" })', "PermissionDenied", "Permission denied"),
    ('Error: reqwest::Error { kind: Request, url: "http://till:8080/", source: hyper_util::client::legacy::Error(Connect, ConnectError("tcp connect error", 127.0.0.1:8080, Os { code: 111, kind: ConnectionRefused, message: "Connection refused" })) }', "ConnectionRefused", "Connection refused"),
    ('Error: reqwest::Error { kind: Request, url: Url { scheme: "https", cannot_be_a_base: false, username: "", password: None, host: Some(Domain("till.example")), port: None, path: "/", query: None, fragment: None }, source: hyper::Error(Connect, ConnectError("dns error", Custom { kind: Uncategorized, error: "failed to lookup address information: Name or service not known" })) }', None, "failed to lookup address information: Name or service not known"),
    ('Error: reqwest::Error { kind: Request, url: "https://till.example/", source: hyper::Error(Connect, ConnectError("tcp connect error", Elapsed(()))) }', "ConnectError", "tcp connect error"),
    ('could not save the order: Database(PgDatabaseError { severity: Error, code: "23505", message: "duplicate key value violates unique constraint \\"orders_pkey\\"", detail: Some("Key (id)=(3) already exists."), hint: None })', "SQLSTATE 23505", 'duplicate key value violates unique constraint "orders_pkey"'),
    ('Error: Database(MySqlDatabaseError { code: Some("42S02"), number: 1146, message: "Table \'shop.till\' doesn\'t exist" })', "MySQL 1146", "Table 'shop.till' doesn't exist"),
    ('Error: Error { kind: Db, cause: Some(DbError { severity: "FATAL", parsed_severity: Some(Fatal), code: SqlState(E28P01), message: "password authentication failed for user \\"till\\"", detail: None, hint: None }) }', "SQLSTATE 28P01", 'password authentication failed for user "till"'),
    ('rpc failed: Status { code: Unavailable, message: "error trying to connect: tcp connect error", metadata: MetadataMap { headers: {"server": "till 2"} }, source: None }', "Unavailable", "error trying to connect: tcp connect error"),
    ('Error: Unexpected => hms call failed\n   Source: thrift error: Application(ApplicationException { kind: ApplicationExceptionKind(1), message: "Invalid method name: \'get_till\'" })', "ApplicationException", "Invalid method name: 'get_till'"),
    ('{"level":"ERROR","message":"call failed: Io(Os { code: 28, kind: StorageFull, message: \\"No space left on device\\" })"}', "StorageFull", "No space left on device"),
    ('&errors.ClientError{errorCode:"SDK.CanNotResolveEndpoint", message:"Can not resolve endpoint of till", originError:error(nil)}', "SDK.CanNotResolveEndpoint", "Can not resolve endpoint of till"),
    ('2024/05/01 10:02:42 create till: &errors.ServerError{httpStatus:403, requestId:"3F1C", code:"Forbidden.RAM", message:"User not authorized to operate on the specified resource."}', "Forbidden.RAM", "User not authorized to operate on the specified resource."),
    ('unexpected error: &errors.errorString{s:"connection reset by peer"}', None, "connection reset by peer"),
    ('FATA[0001] cannot start the till: &fmt.wrapError{msg:"open till.db: permission denied", err:(*fs.PathError)(0xc0000b4030)}', None, "open till.db: permission denied"),
    ('got error &mysql.MySQLError{Number:0x426, SQLState:[5]uint8{0x32, 0x33, 0x30, 0x30, 0x30}, Message:"Duplicate entry \'7\' for key \'PRIMARY\'"}', "MySQL 1062", "Duplicate entry '7' for key 'PRIMARY'"),
    ('err=&pq.Error{Severity:"ERROR", Code:"42P01", Message:"relation \\"till\\" does not exist", Detail:"", Hint:"", Position:"15"}', "SQLSTATE 42P01", 'relation "till" does not exist'),
    ('Error: &elastic.Error{Status:404, Details:&elastic.ErrorDetails{Type:"index_not_found_exception", Reason:"no such index [till]"}}', "index_not_found_exception", "no such index [till]"),
    ('2024-05-01T10:02:42Z ERROR till: cannot open it: Os {\n    code: 13,\n    kind: PermissionDenied,\n    message: "Permission denied",\n}', "PermissionDenied", "Permission denied"),
    ('ERROR payment failed: PaymentError { reason: "card was declined", customer: Customer { name: "Ann", details: "born 1980" } }', "PaymentError", "card was declined"),
    ('ERROR payment failed: PaymentError { order: Order { items: [Item { description: "a red shoe", price: 7 }] }, reason: "card was declined" }', "PaymentError", "card was declined"),
    ('Error: Error { code: 0, message: "the till was lost" }', None, "the till was lost"),
    ('Error: ApiError { status: 500, error: Some("the till is down"), request_id: "x" }', "ApiError", "the till is down"),
    ('Error: ApiError { status: 500, message: "the till is down", request_', "ApiError", "the till is down"),
    ('Status { code: Unavailable, message: "the till is down" }', "Unavailable", "the till is down"),
    ('2024-05-01T10:02:42Z WARN till: call failed: ApiError { message: "slow answer" }\n2024-05-01T10:02:43Z ERROR till: pay failed: PayError { message: "no drawer is open" }', "PayError", "no drawer is open"),
]  # fmt: skip

NONE = [
    'let e = TillError { code: 7, message: "no drawer".to_string() };',
    'GET /till answered Response { code: 200, message: "all is well" }',
    'return &till.OpenError{Code: 7, Message: "no drawer"}.Error()',
    'new TillError({ code: 7, message: "no drawer" })',
    'call failed: Io(Os { code: 28, kind: StorageFull, message: \\"No space left on device\\" })',
    "Point { x: 1, y: 2 }",
    'query failed: FieldError { user: User { name: "ann", description: "likes red shoes" }, code: 7 }',
    'no route for Request { method: GET, body: Body { text: "hello my friend" }, error: HttpError { status: 404 } }',
    'Error: Query { sql: "select 1", text: "select * from till" }',
    'call failed: Status { code: Ok, message: "all is well" }',
]


@pytest.mark.parametrize(("text", "kind", "message"), LINES, ids=[row[2][:30] for row in LINES])
def test_the_innermost_value_with_words_is_the_root(text: str, kind: str | None, message: str) -> None:
    root = only(text).root
    assert (root.type, root.message) == (kind, message)


@pytest.mark.parametrize(
    ("text", "runtime", "kind"),
    [
        ('ERROR AxiosError { message: "Request failed with status code 500", code: "ERR_BAD_RESPONSE" }', "javascript", "AxiosError"),
        ('DOMException { code: 19, message: "A network error occurred.", name: "NetworkError" }', "javascript", "NetworkError"),
        ('err=net.DNSError{Err:"no such host", Name:"till.example"}', "go", "net.DNSError"),
        ('error: net.OpError{Op:"dial", Err:errors.errorString{s:"connection refused"}}', "go", None),
        ('Error: ApiError { status: 500, message: "the till is down" }', "rust", "ApiError"),
    ],
)  # fmt: skip
def test_whose_value_it_is(text: str, runtime: str, kind: str | None) -> None:
    chain = only(text)
    assert (chain.runtime, chain.root.type) == (runtime, kind)


@pytest.mark.parametrize("text", NONE)
def test_other_values_are_no_errors(text: str) -> None:
    assert error_in(text) is None


@pytest.mark.parametrize(
    ("text", "before", "kind", "message"),
    [
        (f"{PANIC}{UNWRAPPED}{OS}", "", "os error 24", "Too many open files"),
        (f"thread 'main' panicked at '{UNWRAPPED}{OS}', src/main.rs:12:45", "", "os error 24", "Too many open files"),
        (PANIC + 'till: reqwest::Error { kind: Decode, source: Error("expected value", line: 1, column: 1) }', "till", None, "expected value"),
        (f'{PANIC}{UNWRAPPED}Os {{\n    code: 98,\n    kind: AddrInUse,\n    message: "Address already in use",\n}}\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace', "", "AddrInUse", "Address already in use"),
    ],
    ids=["new", "old", "tuple", "lines"],
)  # fmt: skip
def test_a_panic_is_caused_by_the_value_in_its_message(text: str, before: str, kind: str | None, message: str) -> None:
    chain = only(text)
    outer, cause = chain.exceptions
    assert outer.message == (before or None)
    assert (chain.runtime, outer.type, cause.relation, cause.parent) == ("rust", "panic", Relation.CAUSE, 0)
    assert (cause.type, cause.message) == (kind, message)
    assert (cause.stack, cause.elided) == (outer.stack, len(outer.stack.frames))


def test_a_value_in_a_trace_of_another_runtime_is_its_cause() -> None:
    text = f'Traceback (most recent call last):\n  File "/srv/till.py", line 3, in pay\n    scan()\npyo3_runtime.PanicException: {UNWRAPPED}{OS}\n'
    chain = only(text)
    assert [raised.type for raised in chain.exceptions] == ["pyo3_runtime.PanicException", "os error 24"]
    assert (chain.root.message, chain.root.elided) == ("Too many open files", 1)


@pytest.mark.parametrize(
    "value", ["PoolTimedOut", "ParseIntError { kind: InvalidDigit }", 'Error("expected value", line: 1, column: 1)']
)
def test_an_unwrapped_value_without_words_is_a_panic(value: str) -> None:
    chain = only(f"{UNWRAPPED}{value}")
    assert (chain.runtime, chain.root.type, chain.root.message) == ("rust", "panic", UNWRAPPED + value)


def test_an_unwrapped_value_in_a_longer_text() -> None:
    text = f"since the update it stops with\n{UNWRAPPED}PoolTimedOut\nand nothing else is in the log\n"
    chain = only(text)
    assert (chain.runtime, chain.root.type, chain.root.message) == ("rust", "panic", f"{UNWRAPPED}PoolTimedOut")
