"""Secrets go, words stay, in linear time."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.redact import KINDS, Redaction, _merged, redact
from kb.redact.words import Redactions

SECRETS = {
    "properties": ("password=hunter2 rejected", "password=<secret> rejected", "assignment"),
    "spaced": ("spring.datasource.password = root", "spring.datasource.password = <secret>", "assignment"),
    "yaml": ("db:\n  password: hunter2\n  port: 1", "db:\n  password: <secret>\n  port: 1", "assignment"),
    "json": ('{"user":"a","password":"p w"}', '{"user":"a","password":"<secret>"}', "assignment"),
    "escaped json": (r"{\"token\":\"abcdef\"}", r"{\"token\":\"<secret>\"}", "assignment"),
    "system property": ("-Dssl.password=changeit", "-Dssl.password=<secret>", "assignment"),
    "url parameter": ("GET /x?access_token=abc123&y=1", "GET /x?access_token=<secret>&y=1", "assignment"),
    "chinese": ("密码：abc123，请改", "密码：<secret>，请改", "assignment"),
    "access key": ("accessKeyId: qX7aB2", "accessKeyId: <secret>", "assignment"),
    "secret key": ("aws_secret_access_key = wJalr/K7MD", "aws_secret_access_key = <secret>", "assignment"),
    "java": ('String pwd = "s3 cret";', 'String pwd = "<secret>";', "assignment"),
    "java one word": ('String pwd = "s3cret";', 'String pwd = "<secret>";', "assignment"),
    "sql": ("CREATE USER a IDENTIFIED BY 'x1'", "CREATE USER a IDENTIFIED BY '<secret>'", "assignment"),
    "bearer": ("Authorization: Bearer eyJhbGciOi.J9.abc", "Authorization: Bearer <secret>", "authorization"),
    "basic": ('"Authorization": "Basic dXNlcjpwdw=="', '"Authorization": "Basic <secret>"', "authorization"),
    "bare bearer": ("sent bearer 0123456789abcdef01", "sent bearer <secret>", "bearer"),
    "cookie": ("Cookie: a=b; JSESSIONID=12AB", "Cookie: <secret>", "cookie"),
    "jdbc": ("jdbc:mysql://root:pw@db:3306/x", "jdbc:mysql://<secret>@db:3306/x", "address"),
    "at sign in password": ("http://a:p@ss@host/x", "http://<secret>@host/x", "address"),
    "no user": ("redis://:pw@h:1/0", "redis://<secret>@h:1/0", "address"),
    "oracle": ("jdbc:oracle:thin:scott/tiger@h:1521:o", "jdbc:oracle:thin:<secret>@h:1521:o", "address"),
    "mysql": ("mysql -h x -uroot -p123456 db", "mysql -h x -uroot -p<secret> db", "option"),
    "curl": ("curl -u admin:pw1 http://x", "curl -u <secret> http://x", "option"),
    "option": ("tool --password hunter2", "tool --password <secret>", "option"),
    "aws": ("AKIAABCDEFGHIJKLMNOP denied", "<secret> denied", "aws_access_key"),
    "github": ("ghp_" + "a1" * 18, "<secret>", "github_token"),
    "slack": ("xoxb-123456789012-abcdef", "<secret>", "slack_token"),
    "google": ("AIza" + "Sy0" * 12, "<secret>", "google_key"),
    "openai": ("sk-abcdefghijklmnopqrstuv", "<secret>", "openai_key"),
    "jwt": ("got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_d", "got <secret>", "jwt"),
    "webhook": (
        "/cgi-bin/webhook/send?key=0a1b2c3d-4e5f-6789-abcd-ef0123456789",
        "/cgi-bin/webhook/send?key=<secret>",
        "webhook",
    ),
    "xml secret": ("<secret>x1</secret>", "<secret><secret></secret>", "element"),
    "before a tag": ("password=hunter2 and 2</b>", "password=<secret> and 2</b>", "assignment"),
    "xml": ("<password>x1</password>", "<password><secret></password>", "element"),
    "hive": (
        "<name>javax.jdo.option.ConnectionPassword</name>\n<value>hunter2</value>",
        "<name>javax.jdo.option.ConnectionPassword</name>\n<value><secret></value>",
        "element",
    ),
    "bean": ('<property name="password" value="hunter"/>', '<property name="password" value="<secret>"/>', "element"),
    "hadoop": ("fs.s3a.secret.key: abcdefgh", "fs.s3a.secret.key: <secret>", "assignment"),
    "login": ("user=admin pass=foo123", "user=admin pass=<secret>", "assignment"),
    "auth token": ("auth_token=abcdef", "auth_token=<secret>", "assignment"),
    "session token": ('session_token="abcdef"', 'session_token="<secret>"', "assignment"),
    "quoted words": ("password='a b c'", "password='<secret>'", "assignment"),
    "sas": ("?sv=1&sig=abcdEFGH1234%2Bxyz%3D&se=2", "?sv=1&sig=<secret>&se=2", "signature"),
    "security token": ("x-amz-security-token: FwoGZX1vYXdz", "x-amz-security-token: <secret>", "assignment"),
    "key block": (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nx",
        "<secret>\nx",
        "private_key",
    ),
    "cut key block": (
        "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEAabcdefabcdef\nand then",
        "<secret>\nand then",
        "private_key",
    ),
}


@pytest.mark.parametrize(("text", "expected", "kind"), SECRETS.values(), ids=SECRETS)
def test_a_secret_is_replaced_and_named(text: str, expected: str, kind: str | None):
    """The rest of the text stays, so that a message still reads."""
    redacted = redact(text)

    assert expected == redacted.text
    assert ([kind] if kind else []) == [one.kind for one in redacted.redactions]


ESCAPED = {
    "entity": ("password&#61;hunter2", "password&#61;<secret>"),
    "entities": (
        "<pre>{&quot;password&quot;:&quot;hunter2&quot;}</pre>",
        "<pre>{&quot;password&quot;:&quot;<secret>&quot;}</pre>",
    ),
    "entities twice": ("password=&amp;quot;hunter2&amp;quot;", "password=&amp;quot;<secret>&amp;quot;"),
    "letters": ("p&#97;ssword=&#104;unter2", "p&#97;ssword=<secret>"),
    "slashes": ("postgres:&#x2F;&#x2F;bob:hunter2@db&#x2F;x", "postgres:&#x2F;&#x2F;<secret>@db&#x2F;x"),
    "slashes, decimal": ("postgres:&#047;&#47;bob:hunter2@db", "postgres:&#047;&#47;<secret>@db"),
    "slashes twice": ("postgres:&amp;#x2f;&amp;#x2f;bob:hunter2@db", "postgres:&amp;#x2f;&amp;#x2f;<secret>@db"),
    "names of marks": ("mysql&colon;&sol;&sol;bob&colon;hunter2&commat;db", "mysql&colon;&sol;&sol;<secret>&commat;db"),
    "colons": ("mysql&#58;//bob&#x3A;hunter2@db", "mysql&#58;//<secret>@db"),
    "marks of an address": ("mysql&#58;&#x2F;&#47;bob&#58;hunter2&#64;db", "mysql&#58;&#x2F;&#47;<secret>&#64;db"),
    "slashes in json": (r"mysql:\/\/bob:hunter2@db\/x", r"mysql:\/\/<secret>@db\/x"),
    "slashes in json twice": (r"mysql:\\/\\/bob:hunter2@db", r"mysql:\\/\\/<secret>@db"),
    "codes of slashes": (r"mysql:\u002f\u002fbob:hunter2@db", r"mysql:\u002f\u002f<secret>@db"),
    "bytes of slashes": (r"mysql:\x2f\x2fbob:hunter2@db", r"mysql:\x2f\x2f<secret>@db"),
    "an address in an address": ("u=mysql%3A%2F%2Fbob%3Ahunter2%40db", "u=mysql%3A%2F%2F<secret>%40db"),
    "no-break blanks": ("password&nbsp;=&nbsp;hunter2", "password&nbsp;=&nbsp;<secret>"),
    "line break": ("password=<br>hunter2", "password=<br><secret>"),
    "tag": ("<td>password=<b>hunter2</b></td>", "<td>password=<b><secret></b></td>"),
    "code": (r"password\u003dhunter2", r"password\u003d<secret>"),
    "json twice": (r'{\\\"password\\\":\\\"hunter2\\\"}', r'{\\\"password\\\":\\\"<secret>\\\"}'),
    "tab": (r"password=\thunter2", r"password=\t<secret>"),
    "cell": ('7,"{""password"":""hunter2""}"', '7,"{""password"":""<secret>""}"'),
    "cell's end": ('7,"{""password"":""hunter2"""', '7,"{""password"":""<secret>"""'),
    "full width": ("password＝hunter2", "password＝<secret>"),
    "full-width letters": ("ｐａｓｓｗｏｒｄ＝ｈunter2", "ｐａｓｓｗｏｒｄ＝<secret>"),
    "full-width address": ("jdbc：mysql：//root：hunter2@db/x", "jdbc：mysql：//<secret>@db/x"),
    "curly quotes": ("password：“hunter2”", "password：“<secret>”"),
    "nothing's width": ("pass\u200bword=hunter2", "pass\u200bword=<secret>"),
    "colour": ("password=\x1b[31mhunter2\x1b[0m", "password=\x1b[31m<secret>\x1b[0m"),
    "written colour": (r"password=\x1b[31mhunter2", r"password=\x1b[31m<secret>"),
    "percent": ("next=%2Fx%3Fpassword%3Dhunter2%26y", "next=%2Fx%3Fpassword%3D<secret>%26y"),
    "page with a record": (r"{\&quot;password\&quot;:\&quot;hunter2\&quot;}", r"{\&quot;password\&quot;:\&quot;<secret>\&quot;}"),
    "gdb": ('login (user=0x1 "root", password=0x2 "hunter2") at', 'login (user=0x1 "root", password=0x2 "<secret>") at'),
    "gdb, first value": ('login (password@entry=0x2 "hunter2") at', 'login (password@entry=0x2 "<secret>") at'),
    "any mark in quotes": (r'{"password":"a\"b<c\'hunter2","x":1}', '{"password":"<secret>","x":1}'),
    "php connection": (
        "#0 /a.php(1): PDO->__construct('mysql:host=db', 'root', 'hunter2')",
        "#0 /a.php(1): PDO->__construct('mysql:host=db', <secret>)",
    ),
    "php password": ("#3 [internal function]: password_verify('hunter2', '$2y$')", "#3 [internal function]: password_verify(<secret>)"),
    "php on a page": ("#1 /a.php(3): login(&#039;bob&#039;, &#039;hunter2&#039;)", "#1 /a.php(3): login(&#039;bob&#039;, <secret>)"),
    "key block behind prefixes": (
        "a -----BEGIN RSA PRIVATE KEY-----\n --- a : hunter2\n --- a : -----END RSA PRIVATE KEY-----\nx",
        "a <secret>\nx",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ESCAPED.values(), ids=ESCAPED)
def test_a_secret_is_seen_behind_escapes(text: str, expected: str):
    """What a page, a record, a cell or a terminal made of it is stored and shown, too; the escapes stay as they were."""
    assert expected == redact(text).text
    assert expected == redact(expected).text


HARMLESS = [
    'password="", user="hunter2"',
    "password='' for '' and ''",
    r"C:\token\new\passwords",
    r"the password\nis asked for\tby name",
    "Token&nbsp;of the parser",
    "&lt;password&gt;",
    "#1 /a.php(3): Shop\\Order->find('C-3', Array)",
    "call (3): login('a', 'b') somewhere",
    "tests pass=12 fail=3",
    "the pass: first",
    "<token>",
    "<password></password>",
    "List<Token> of <key>",
    "<name>token.count</name><other>x</other>",
    "signature=abcdefghijklmnopqrst",
    "password for user",
    "token expired",
    "secret: headings",
    "## Secret",
    "at a.b.User.getPassword(User.java:3)",
    "tokenizer=icu",
    "Unexpected token: punc (})",
    "Unexpected token < in JSON at position 0",
    "Access denied for user 'root'@'localhost' (using password: YES)",
    "PWD=/home/x",
    "pwd = os.getcwd()",
    'password = request.getParameter("password")',
    "密码：请输入",
    "password=${DB_PASSWORD}",
    "password: ******",
    "password=<secret>",
    "foreign key: orders_id1",
    "Wrong password: the user is locked",
    "Invalid AMRMToken from appattempt_1",
    "authorization: required",
    "a cookie: small",
    "http://127.0.0.1:8080/x@y",
    "git log --pass through",
    "the -p option of mysql",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_words_about_secrets_are_kept(text: str):
    """A message about a password is what the on-call engineer searches for."""
    assert text == redact(text).text


def test_many_anchors_hide_no_secret():
    """The set that looks for anchors still sees the last one when a text holds all of them in every order."""
    anchors = [anchor for kind in KINDS for anchor in kind.anchors]
    noise = " ".join(anchors + anchors[::-1] + sorted(anchors) + sorted(anchors, key=lambda anchor: anchor[::-1]))

    assert "hunter2" not in redact(noise + "\npassword=hunter2\n").text


@pytest.mark.parametrize("secret", ["密码：abc123", "13912345678", r"{\"token\":\"abcdef\"}", "accessKeyId: qX7aB2"])
def test_a_secret_is_seen_where_a_long_text_is_divided(secret: str):
    """The set of all anchors reads a long text piece by piece."""
    for before in range((1 << 20) - len(secret) - 2, (1 << 20) + 3, 2):
        text = "连" * (before - 1) + " " + secret + " 接"
        assert redact(text).text == text.replace(secret, redact(secret).text), before


def test_offsets_point_into_the_original():
    text = "İ x password=hunter2 and AKIAABCDEFGHIJKLMNOP"

    assert [text[r.start : r.end] for r in redact(text).redactions] == ["hunter2", "AKIAABCDEFGHIJKLMNOP"]


def test_offsets_hold_where_a_second_look_finds_more():
    """The first telephone laid bare the second, whose place is told in the text that was given, not in the one it was found in."""
    text = 'phone "138-1234-5678:13812345678 bob@corp.com'
    redacted = redact(text)

    assert redacted.text == 'phone "<phone>:<phone> <email>'
    assert [text[r.start : r.end] for r in redacted.redactions] == ["138-1234-5678", "13812345678", "bob@corp.com"]


def test_a_secret_that_holds_an_address_is_a_secret():
    """Of two that overlap the one that says less stands."""
    (one,) = redact("password=bob@corp.com").redactions
    assert (one.kind, one.placeholder) == ("assignment", "<secret>")
    assert [o.kind for o in _merged([Redaction("email", 0, 9), Redaction("address", 4, 12)])] == ["address"]
    assert [o.kind for o in _merged([Redaction("address", 0, 9), Redaction("email", 4, 12)])] == ["address"]


PLACES = st.builds(Redaction, st.sampled_from(["email", "address"]), st.integers(0, 9), st.integers(0, 9))


@given(st.lists(PLACES), st.integers(-9, 9), st.integers(-9, 9))
def test_redactions_in_columns_are_those_that_were_put_there(found: list[Redaction], start: int, end: int):
    columns = Redactions(found)

    assert columns == found
    assert columns != [*found, Redaction("email", 0, 1)]
    assert columns[start:end] == found[start:end]
    assert columns.in_order() == sorted(found, key=lambda one: (one.start, -one.end))


PIECES = ["password", "token", "secret", "key", "=", ":", " ", '"', "'", "\n", "://", "@", "eyJ", ".", "AKIA", "Bearer", "Cookie: a=b;", "x1y2z3w4", "<secret>", "</", "-----BEGIN PRIVATE KEY-----", "密码", "mysql -p", "--password ", "@", "corp.com", "bob", "13812345678", "手机", "138-1234-5678", "card 4111111111111111", "11010519491231002X", "<email>", "<phone>", "\\n", "&#", "%40", "echo ", "| sudo -S", 'auth"', "login ", ":5432:", "getConnection(", ","]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=30).map("".join))
def test_redacting_twice_changes_nothing(text: str):
    once = redact(text).text

    assert once == redact(once).text


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=30).map("".join))
def test_any_text_keeps_what_was_not_redacted(text: str):
    redacted = redact(text)
    rebuilt, at = "", 0
    for one in redacted.redactions:
        rebuilt += text[at : one.start] + one.placeholder
        at = one.end

    assert redacted.text == rebuilt + text[at:]
    ends = [0, *(one.end for one in redacted.redactions)]
    assert all(end <= one.start < one.end for end, one in zip(ends, redacted.redactions, strict=False))


HOSTILE = ["token=", r"\/\/", "&#x2F;/", "%3A//", "&sol;&sol;a:", "://", "://a:", "eyJ", "eyJa.", "password: ", "mysql ", "mysql -x ", "cookie: a=b; ", "AKIA", "authorization: ", "-----BEGIN PRIVATE KEY-----", "--password ", "密码：", "identified with a ", "password&#61;", "pass&amp;", "token\\\\", "password＝", "key\x1b[", "＆#97;", "&#97;", "): login('a', ", "#1 (1): a->login('", "）：", 'password="a', 'password""', "%3Dkey", "hooks.slack.com/services/", "session-", "@", "a@", "a@b.", "a@b.co", "a.", "%40", "13812345678 ", "138-1234-", "1", "4111 ", "手机", "user ", "phone 1", "身份证1", "echo ", "echo a|", "echo a | ", "curl -u ", "curl 'a", "mysql -u 'a' ", "getConnection(", "getConnection('a', ", ".login(a, ", "login a password ", ":5432:a:b:", 'auth":"', "ak=", "sk-", "sk-a", 'password("', "set('password', '", "password is ", '<a b="c" ', "password>", "password <", '"d":"', "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----", "Private-Lines: 1\n", "a.password ", "$6$", "{SSHA}", "eyJa..", ":AA", "Q~", "-us1", "-password ", "duplicate entry '1", "jdbc:oracle:thin:", "sqlplus ", "negotiate ", "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt"]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.slow
def test_time_is_linear(piece: str):
    """Eight times the text takes about eight times as long; quadratic would take sixty-four."""

    def seconds(times: int) -> float:
        text = piece * (times // len(piece))
        start = time.process_time()
        redact(text)
        return time.process_time() - start

    most = 20 * min(seconds(12_500) for _ in range(2)) + 0.05
    assert any(seconds(100_000) < most for _ in range(3))
