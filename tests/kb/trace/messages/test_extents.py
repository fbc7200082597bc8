"""Where a message begins and ends among somebody's words, a log's prefix and a client's own: the part that a careful reader marks.

The rows were written on 2026-11-30 after the kinds of 240 labelled posts, each before the rule that reads it.
"""

import pytest

from kb.trace import parse


def roots(text: str) -> list[tuple[str | None, str | None]]:
    return [(chain.root.type, chain.root.message) for chain in parse(text)]


IN_SENTENCES = [
    ("the pod dies with x509: certificate has expired or is not yet valid right after start.", None, "x509: certificate has expired or is not yet valid"),
    ("it always ends with Connection timed out, any idea?", None, "Connection timed out"),
    ("Since the move our job fails with fatal: unable to access 'https://git.example/till.git/': Could not resolve host on every start", None, "unable to access 'https://git.example/till.git/': Could not resolve host"),
    ("After the update it stopped with curl: (60) SSL certificate problem: unable to get local issuer certificate on every start", "curl 60", "SSL certificate problem: unable to get local issuer certificate"),
    ("But I get this error no matching manifest for linux/arm64/v8 in the manifest list entries", None, "no matching manifest for linux/arm64/v8 in the manifest list entries"),
    ("Now every client gets the following error Client not connected, current status:STARTING", None, "Client not connected, current status:STARTING"),
    ("But I get this error ORA-00942: table or view does not exist", "ORA-00942", "table or view does not exist"),
    ("query gives error SQLSTATE[HY000] [2002] Connection refused", "MySQL 2002", "Connection refused"),
    ("now the client reports Unable to connect to the server whenever I log in", None, "Unable to connect to the server"),
    ("Sometimes the app throws Failed to load the price list of the till", None, "Failed to load the price list of the till"),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "kind", "message"), IN_SENTENCES, ids=[row[2][:40] for row in IN_SENTENCES])
def test_words_within_a_sentence_are_read_alone(sentence: str, kind: str | None, message: str) -> None:
    assert roots(f"Hello, we use version 2.\n{sentence}\nCan someone help?") == [(kind, message)]


EMPHASISED = [
    ("*fatal: not a git repository* is all it prints", None, "not a git repository"),
    ("_fatal: not a git repository 'till_one'_ when I run it", None, "not a git repository 'till_one'"),
    ("*TypeError: Cannot read property 'length' of null*", "TypeError", "Cannot read property 'length' of null"),
    ("we see **fatal: not a git repository**, why?", None, "not a git repository"),
]


@pytest.mark.parametrize(("text", "kind", "message"), EMPHASISED, ids=[row[0][:20] for row in EMPHASISED])
def test_emphasis_quotes_what_a_program_printed(text: str, kind: str | None, message: str) -> None:
    """CommonMark, "Emphasis and strong emphasis": an underscore within a word neither opens nor closes one."""
    assert roots(text) == [(kind, message)]


@pytest.mark.parametrize(
    "text",
    [
        "NOPROTO is what HELLO answers",
        "The mode is NOPROTO for now.",
        "IOERR error or timeout is what MIGRATE answers",
        "DENIED Redis is a term",
    ],
)
def test_a_code_of_redis_in_prose_is_no_answer_of_it(text: str) -> None:
    assert not [kind for kind, _ in roots(text) if kind]


_MARK = "in 'reader', line 4, column 9:\n    till: @drawer@\n          ^"
_PROBLEM = f"found character '@' that cannot start any token\n {_MARK}"
YAML = [
    ("org.yaml.snakeyaml.scanner.ScannerException: ", f"while scanning for the next token\n{_PROBLEM}"),
    ("yaml.scanner.ScannerError: ", f"while scanning for the next token\n{_PROBLEM}"),
    ("org.yaml.snakeyaml.parser.ParserException: ", f"while parsing a block mapping\n {_MARK}\nexpected <block end>, but found '?'\n {_MARK}"),
]  # fmt: skip


@pytest.mark.parametrize("above", ["", "Since the update:\n\n", "12:00:01 ERROR a.Main - no start\n"])
@pytest.mark.parametrize("behind", ["", "\n", "\n\nWhat is wrong with it?", "\nBye"])
@pytest.mark.parametrize(("head", "message"), YAML, ids=["scanner", "python", "parser"])
def test_an_error_of_a_yaml_parser_is_all_its_lines(above: str, behind: str, head: str, message: str) -> None:
    """``MarkedYAMLException.toString`` and ``MarkedYAMLError.__str__``: context, its place, problem, its place."""
    kind, text = head.removesuffix(": "), f"{above}{head}{message}"
    (chain,) = parse(f"{text}{behind}")
    assert (chain.root.type, chain.root.message, chain.span[1]) == (kind, message, len(text))


@pytest.mark.parametrize("rest", ["", "\nthe file is short", "\nthe file is short\n\n in 'reader', line 4, column 9:"])
def test_what_only_sounds_like_a_yaml_parser_s_error_ends_with_its_line(rest: str) -> None:
    assert roots(f"acme.TillError: while parsing a block{rest}") == [("acme.TillError", "while parsing a block")]


@pytest.mark.parametrize(
    "text",
    [
        "The import fails with a strange error on every start, and the logs are empty.",
        "It crashes with the same problem as last year.",
        "I get this error when I log in.",
        "We see the following error only on Mondays.",
        "Every client gets an error message after the update.",
    ],
)
def test_words_that_name_no_message_are_none(text: str) -> None:
    assert parse(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "kafka producer fails with TimeoutException after the upgrade",
        "Build fails with NoClassDefFoundError in tests",
        "spark job fails with FetchFailedException on large shuffles",
        "My pod fails with ImagePullBackOff again",
        "the deploy fails with InsufficientInstanceCapacity in eu-west-1",
    ],
)
def test_a_name_before_somebodys_words_leaves_the_sentence_whole(text: str) -> None:
    assert roots(text) == [(None, text)]


WITHIN = [
    # what a client says before the server's own words
    ("connect to the stock failed pool=0x60 stats=busy: ORA-12514: TNS:listener does not currently know of service requested in connect descriptor\nwhy?", "ORA-12514", "TNS:listener does not currently know of service requested in connect descriptor"),
    ("till.db.ServerError: Code: 60. DB::Exception: Table shop.prices doesn't exist. (UNKNOWN_TABLE) (version 22.3.7.28 (official build))", "ClickHouse 60", "Table shop.prices doesn't exist."),
    ("the plan stops:\n\n* aws_s3_bucket.till: Error putting S3 ACL: AccessDenied: Access Denied\n\tstatus code: 403, request id: 4", "AccessDenied", "Access Denied"),
    ("error: An error occurred (ValidationError) when calling the DeleteListener operation: 'arn:till' must be in ARN format\nhow?", "ValidationError", "'arn:till' must be in ARN format"),
    # a lead within
    ("The integration is lost since the update\nFailed setup, will retry: Unexpected error: not enough values to unpack (expected 2, got 1)", None, "not enough values to unpack (expected 2, got 1)"),
    ("Webpack gave an error: Cannot resolve module 'till/polyfill'", None, "Cannot resolve module 'till/polyfill'"),
    ("error code: 60 error message: SSL certificate problem: unable to get local issuer certificate\n\nshown by the example", None, "SSL certificate problem: unable to get local issuer certificate"),
    ("2021-12-02 13:59:08.466 ERROR 10734 --- [main] com.shop.till.Client : Send request fail, request=Query{notify=false}, retryTimes=0,errorMessage=Till not connected", None, "Till not connected"),
    # what a log or a client prints around
    ('But then it says\n"WARN Error while fetching metadata with correlation id 1 : {till=LEADER_NOT_AVAILABLE} (org.apache.kafka.clients.NetworkClient)"\n\nOne node works.', None, "Error while fetching metadata with correlation id 1 : {till=LEADER_NOT_AVAILABLE}"),
    ("+0800 2024-10-13 11:49:03 ERROR [1632266199 0ms] dial tcp 10.0.0.3:143: connect: connection refused", None, "dial tcp 10.0.0.3:143: connect: connection refused"),
    ("3月 22 09:52:24 till dockerd-current[2952]: chown: changing ownership of '/var/lib/till/': Permission denied", None, "chown: changing ownership of '/var/lib/till/': Permission denied"),
    ("Gateway log:\n`2018/11/14 08:33:28 [error] 61#0: *23791 upstream prematurely closed connection while reading response header from upstream, client: 10.0.0.4, server: till`", None, "upstream prematurely closed connection while reading response header from upstream"),
    ("The tool says:\n\nCannot connect to TILL.\n\nLogin failed for user 'sa'. (Microsoft SQL Server, Error: 18456)", None, "Login failed for user 'sa'."),
    # a program's own *but it*
    ("i am getting this error : \nMISCONF Redis is configured to save RDB snapshots, but it is currently not able to persist on disk. Commands that may modify the data set are disabled.", "Redis MISCONF", "Redis is configured to save RDB snapshots, but it is currently not able to persist on disk. Commands that may modify the data set are disabled."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "message"), WITHIN, ids=[row[2][:40] for row in WITHIN])
def test_the_words_of_the_server_are_read_alone(text: str, kind: str | None, message: str) -> None:
    assert roots(text)[0] == (kind, message)


@pytest.mark.parametrize(
    "text",
    [
        "the server says Till not open, but it works on my machine",
        "it prints Failed to open the till, but it is working again",
    ],
)
def test_a_writer_s_but_it_ends_a_message(text: str) -> None:
    assert "but it" not in (roots(text)[0][1] or "")


def test_the_first_of_equally_sure_lines_is_told() -> None:
    lines = (
        "Nov 14 10:25:37 till openvpn[1961]: 10.0.0.2:48461 TLS Error: TLS key negotiation failed to occur within 60 seconds",
        "Nov 14 10:25:37 till openvpn[1961]: 10.0.0.2:48461 TLS Error: TLS handshake failed",
    )
    assert roots("\n".join(lines)) == [(None, "TLS Error: TLS key negotiation failed to occur within 60 seconds")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kubectl fails with dial tcp 10.0.0.1:443: i/o timeout", "dial tcp 10.0.0.1:443: i/o timeout"),
        ("git push says remote: Permission to a/b.git denied to c", "Permission to a/b.git denied to c"),
        ("our app answers with 502 Bad Gateway after deploy", "502 Bad Gateway"),
        ("deploy fails with Connection refused", "Connection refused"),
        ("the job ends with Process exited with status 3", "Process exited with status 3"),
        ("点击后一直提示“连接失败”，请问怎么办？", "连接失败"),
    ],
)
def test_a_program_behind_somebodys_verb_is_read(text: str, message: str) -> None:
    assert [found for _, found in roots(text)] == [message]


@pytest.mark.parametrize(
    "text",
    [
        "The server answers with German text and fails",
        "The console prints German text and fails",
        "The upload ends up with corrupted images and broken thumbnails",
        "The run ends up with duplicate rows and missing keys",
        "The manual says that old tables fail to load",
        "我在文档里看到“连接失败”一节，请问在哪里？",
        "我在文档里看到“连接超时”这个词，什么意思？",
        'Where in the guide is the "Connection refused by peer" section?',
    ],
)
def test_the_writers_own_words_behind_a_verb_are_none(text: str) -> None:
    assert roots(text) == []


@pytest.mark.parametrize(
    "behind", ["behind our proxy", "during our upload", "inside my pod", "via our VPN", "hinter unserem Proxy"]
)
def test_the_preposition_before_somebodys_words_is_somebodys(behind: str) -> None:
    text = f"our upload fails with java.net.SocketException: Connection reset {behind}"
    assert roots(text) == [("java.net.SocketException", "Connection reset")]


@pytest.mark.parametrize("message", ["bound to my-service", "no route to our host", "reset behind my-proxy"])
def test_a_name_that_begins_like_a_persons_word_stays(message: str) -> None:
    assert roots(f"java.net.SocketException: {message}") == [("java.net.SocketException", message)]
