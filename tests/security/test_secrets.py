"""Secrets under attack: long values in every rule, and a text that is nothing but anchors against the clock."""

import asyncio
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from api.contract.problems import HttpProblem
from api.server.admission import Admission
from index.reading import read
from kb.redact import StoppedError, redact
from tests.kb.redact_table import Row
from tests.security.secrets_table import (
    DOCUMENTED,
    HARMLESS,
    RARE,
    SECRETS,
    STAYING,
    halves,
    is_caught,
    is_changed,
    share,
)
from tests.security.test_memory_of_redaction import Traced

LONG = {
    "setting": "token={} z",
    "double quotes": 'password="{}" z',
    "single quotes": "password='{}' z",
    "record": '{{"refresh_token":"{}"}}',
    "record in a record": '{{\\"refresh_token\\":\\"{}\\"}}',
    "escape in quotes": 'password="ab\\n{}" z',
    "Chinese": "密码：{} z",
    "entity": "password&#61;{} z",
    "entities": "&quot;password&quot;:&quot;{}&quot; z",
    "bearer": "sent bearer {} z",
    "header": "Authorization: {} z",
    "basic": "Authorization: Basic {} z",
    "cookie": "Cookie: a={}; b=c",
    "session": "jsessionid={} z",
    "address": "http://u:{}@host/x",
    "token in an address": "https://{}@host/x",
    "Oracle": "jdbc:oracle:thin:a/{}@h:1",
    "identified": "identified by '{}'",
    "SQL": "alter role a password '{}'",
    "element": "<password>{}</password>",
    "signature": "?a=1&sig={}&x",
    "code": "?code={}&x",
    "option": "tool --password {} z",
    "mysql": "mysql -uroot -p{} db",
    "curl": "curl -u 'a:{}' x",
    "samba": "smbclient //h/s -U b%{} z",
    "piped": "echo {} | sudo -S ls",
    "netrc": "machine h login a password {} z",
    "pgpass": "db:5432:a:b:{}",
    "docker": '"auth": "{}"',
    "redis": "requirepass {}",
    "spaced": "a.b.password {}",
    "pair": "sk={} z",
    "PHP": "#0 /a.php(1): login('a', '{}') z",
    "call": 'getConnection(url, "a", "{}")',
    "webhook": "https://hooks.slack.com/services/{} z",
    "GitHub": "ghp_{} z",
    "Slack": "xoxb-{} z",
    "JWT": "eyJhbGciOi.{}.abcd z",
    "JWK": '"d":"{}"',
    "login at a host": "dial u:{}@db:5432 z",
    "login of a driver": "root:{}@tcp(10.0.0.1:3306)/db",
    "folded block": "db.password: >-\n  {}\nz: a",
    "block": "password: |\n  {}\nz: a",
    "next line": "password=\\\n{}\nz",
    "heading": "### Password\n{}\nz",
    "block below": "password:\n\n```\n{}\n```\n",
    "cell": "| password | {} |",
    "brackets": "[password] {} z",
    "emphasis": "**password**: `{}` z",
    "parentheses": "password({}) z",
    "verb": "the password is {} z",
    "Chinese verb": "密码改成了{}",
    "another language": "Passwort: {} z",
    "column": "| user | password |\n|---|---|\n| a | {} |\n",
    "CSV": "user,password\na,{}\n",
    "wiki": "||user||password||\n|a|{}|\n",
    "aligned": "user   password\na      {}\n",
    "INSERT": "insert into t(a, password) values ('b','{}')",
    "INSERT, double quotes": 'insert into t(a, password) values ("b","{}")',
    "manifest": "kind: Secret\ndata:\n  a: {}\n",
    "block of a manifest": "kind: Secret\ndata:\n  a: |\n    {}\n",
    "manifest, kind last": "data:\n  a: {}\nkind: Secret\n",
    "manifest as JSON": '{{"data":{{"a":"{}"}},"kind":"Secret"}}',
    "name and value": "- name: DB_PASSWORD\n  value: {}\n",
    "value and name": '{{"value":"{}","name":"DB_PASSWORD"}}',
    "group": 'tokens {{ master = "{}" }}',
    "lines of a group": "passwords:\n  a: {}\nz: 1",
    "argument": 'authenticate(client, "bob", "{}")',
    "near a label": "PW for it - {} z",
    "account": "测试账号：bob/{}",
    "account of a machine": "10.0.0.5 root {} z",
    "default login": "admin/{} is the default login",
    "connection": "Server=db;Password={};Encrypt=true",
    "headers of Java": "x-auth-token=[{}]",
    "row of HTML": "<tr><th>Password</th><td><code>{}</code></td></tr>",
    "column of HTML": "<tr><th>user</th><th>password</th></tr><tr><td>a</td><td>{}</td></tr>",
    "AsciiDoc": "|===\n|user |password\n\n|a |{}\n|===\n",
    "MediaWiki": "{{|\n! user !! password\n|-\n| a || {}\n|}}\n",
    "list of reStructuredText": ".. list-table::\n   :header-rows: 1\n\n   * - user\n     - password\n   * - a\n     - {}\n",
    "LaTeX": "user & password \\\\\na & {} \\\\\n",
    "var_dump": '["password"]=>\n  string(9) "{}"\n',
    "serialised": 's:8:"password";s:9:"{}";',
    "field of a form": 'Content-Disposition: form-data; name="password"\n\n{}\n--x--',
    "raw string": "password := `{}`",
    "fish": "set -gx DB_PASSWORD {}",
    "plan": 'password = "a" -> "{}"',
    "console": ">>> cfg.password\n'{}'\n",
    "list of arguments": '["mysql", "-p{}"]',
    "stored": "update t set value='{}' where name='smtp_password'",
    "column in German": "Benutzer;Passwort\na;{}\n",
    "sentence in Spanish": "la contraseña de root es {} z",
    "mail relay": "static:a:{}",
    "kubeconfig": "client-key-data: {}\n",
    "reset by a tool": "New value: {}\n",
    "phrase on its line": 'passphrase "{} b"\n',
    "phrase without quotes": "passphrase: {} b\n",
    "glued to its label": "开机密码{} z",
    "login before it": "creds: root:{} z",
}
"""A text for every rule whose values have no length of their own."""
WITHOUT = {
    "q7Rk2ZwB9xLm4TvC": set[str](),
    "a7f3c92e1b8d4065": {
        "docker",
        "GitHub",
        "JWK",
        "brackets",
        "argument",
        "near a label",
        "account of a machine",
        "reset by a tool",
    },
    "q7Rk/wB9+Lm4TvC2": {
        "token in an address",
        "Oracle",
        "webhook",
        "GitHub",
        "Slack",
        "JWT",
        "JWK",
        "brackets",
        "group",
        "lines of a group",
        "argument",
        "near a label",
        "account",
        "account of a machine",
        "default login",
        "reset by a tool",
    },
}
"""By the letters of a value, the shapes in which no such value is a secret, however long: tokens have letters of their own, and near a label only what is made like nothing else counts."""


@pytest.mark.parametrize("size", [600, 20_000, pytest.param(1_000_000, marks=pytest.mark.bench)])
@pytest.mark.parametrize(
    ("shape", "letters"), [(shape, kind) for kind, without in WITHOUT.items() for shape in LONG if shape not in without]
)
def test_a_long_value_is_hidden_to_its_end(shape: str, letters: str, size: int) -> None:
    """No eight characters of it are left, whatever the length: what remains stands without a key and is never found again."""
    value = (letters * (size // 16 + 1))[:size]
    eight = {(letters * 2)[at : at + 8] for at in range(16)}
    shown = redact(LONG[shape].format(value)).text
    assert not eight & {shown[at : at + 8] for at in range(len(shown))}
    assert redact(shown).text == shown


@pytest.mark.parametrize("piece", ["password=", "password:", "://", "token&#61;"])
def test_redaction_that_is_over_gives_nothing_out(piece: str) -> None:
    """It looks again while it works, and what it has seen so far is not given out either."""
    looks = iter([False, False])
    with pytest.raises(StoppedError):
        redact(piece * 20_000, lambda: next(looks, True))


def test_a_search_that_was_refused_frees_its_thread() -> None:
    """18 MB of `password:` take minutes; the thread takes part again soon after its caller was refused."""
    admission, ended = Admission(1, 1), Event()

    async def refused() -> None:
        with pytest.raises(HttpProblem):
            await admission.run(lambda: read("password:" * 2_000_000), 0.5, ended.set)

    started = time.monotonic()
    asyncio.run(refused())
    assert ended.wait(60)
    assert time.monotonic() - started < 30
    assert admission.lost == 0
    admission.close()


PAIRS = {
    "manifest": ("env:\n- name: DB_PASSWORD\n  value: «hunter2aa»\n- name: X\n  value: y"),
    "record": '{"name":"DB_PASSWORD","value":"«hun ter»"}',
    "lines": '{\n "key": "DB_PASSWORD",\n "value": "«x»"\n}',
    "parameter": "ParameterKey=DBPassword,ParameterValue=«hunter2»",
    "variable": "- name: DB_PASSWORD\n  value: ${X}",
    "reference": "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:",
    "parser": "name: token\nvalue: abc",
    "traditional": "密碼：«Abc@12345»",
    "key": "金鑰：«q7Rk2ZwB9x»",
    "Rails": "SECRET_KEY_BASE=«3f9a7c1e5b8d2064»",
    "WeChat pay": "mchKey: «q7Rk2ZwB9x»",
    "WeChat": "jsapi_ticket=«q7Rk2ZwB9xLm4»",
    "Wi-Fi": "psk=«hunter2aa»",
    "htpasswd": "admin:«$apr1$ab12cd34$q7Rk2ZwB9xLm4TvC1nYp8H»",
    "encrypted": "druid.password=«ENC(q7Rk2ZwB9xLm4TvC1nYp8HsD==)»",
    "block in a manifest": "kind: Secret\nstringData:\n  a: |\n    «user: bob»\n    «key: q7Rk2»\n  b: «words»\nmetadata:\n  name: x",
    "manifest in braces": "kind: Secret\nmetadata: {name: x}\nstringData: {a: «q7Rk2», 'b': '«two words»'}",
    "braces in a manifest": '{"kind":"Secret","stringData":{"c":"«{\\"x\\":\\"q7\\"}»","d":"«words»"}}',
    "comment between": "- name: DB_PASSWORD # of the db\n  # ask bob\n  value: «hunter2»",
    "short name": "- name: DB_PW\n  value: «q7Rk2ZwB9x»",
    "field between": '{"name":"DB_PASSWORD","type":"text","value":"«hunter2»"}',
    "folded value": "- name: DB_PASSWORD\n  value: >-\n    «q7Rk2ZwB9x»",
    "value first": "- value: «hunter2»\n  name: DB_PASSWORD\n- name: PORT\n  value: 80",
    "value below": "DB_PASSWORD:\n  description: of the db\n  value: «hunter2»",
    "list below": "password:\n  - «q7Rk2ZwB9x»",
    "lines of a block": "password: |\n  «f1rstLine\n  second line»\nport: 80",
    "options of curl": "curl -sSku «admin:hunter2» http://h",
    "account at a host": "ssh root:«hunter2aa»@dbhost",
    "INSERT, double quotes": 'insert into t(a, password) values ("b", "«hunter2»"), ("c", "«words»")',
    "literal of kubectl": "kubectl create secret generic x --from-literal=db=«words» --from-literal='b=«two words»'",
    "literal of a map": "kubectl create configmap x --from-literal=level=debug",
    "words for a literal of kubectl": "kubectl create secret generic NAME --from-literal=KEY=VALUE",
    "owner in a manifest": "kind: Secret\nmetadata:\n  ownerReferences:\n  - kind: ExternalSecret\n    name: a\ndata:\n  db: «aHVudGVyMg==»",
    "kind in a manifest": "kind: 'Secret' # of db\nstringData:\n  k: |\n    «kind: Config»\n    «blob: abc»\n  db: «words»",
    "owner in JSON": '{"kind":"Secret","metadata":{"ownerReferences":[{"kind":"X","name":"a"}]},"data":{"db":"«aHVudGVyMg==»"}}',
    "list of manifests": "items:\n- apiVersion: v1\n  data:\n    a: b\n  kind: ConfigMap\n- apiVersion: v1\n  data:\n    db: «words»\n  kind: Secret\n- data:\n    level: debug\n  kind: ConfigMap",
    "list in JSON": '{"items":[{"data":{"db":"«words»"},"kind":"Secret"},{"data":{"level":"debug"},"kind":"ConfigMap"}]}',
    "cell like a head": "| user | password |\n|---|---|\n| bob | «Xk9mmQp2Zz» |\n| eve | «Password1» |\n| app | «Wq7ttLm4Rb» |",
    "role like a head": "| user | password | role |\n|---|---|---|\n| bob | «Xk9mmQp2Zz» | reset password |\n| app | «Wq7ttLm4Rb» | x |",
    "quoted cell": 'name,password\n"Smith, Bob",«Xk9mmQp2Zz»\na,«Wq7ttLm4Rb»\n',
    "missing cell": "| a | password |\n|---|---|\n| x |\n| y | «Wq7ttLm4Rb» |\n",
    "escaped mark": "| a | password |\n|---|---|\n| y | «Wq7\\|ttLm4Rb» |\n",
    "empty line of CSV": "name,password\na,«Xk9mmQp2Zz»\n\nb,«Wq7ttLm4Rb»\n",
    "grid": "+------+------------+\n| user | password   |\n+======+============+\n| bob  | «Xk9mmQp2Zz» |\n+------+------------+\n| app  | «Wq7ttLm4Rb» |\n",
    "dump": "COPY users (id, password) FROM stdin;\n1\t«Xk9mmQp2Zz»\n2\t«words»\n\\.\n",
    "lines in quotes": 'password = """\n«Xk9mmQp2Zz\nWq7ttLm4Rb»\n"""\n',
    "here document": "password = <<EOF\n«Xk9mmQp2Zz\nWq7ttLm4Rb»\nEOF\n",
    "empty line in a block": "password: |\n  «Xk9mmQp2Zz\n\n  Wq7ttLm4Rb»\nport: 1\n",
    "list of a group": "tokens:\n  - «Xk9mmQp2Zz»\n",
    "keyword": '{:user "bob" :password "«Clj-Pw-22»"}',
    "copied login": "Username\nbob\nPassword\n«Nxl-Pw-62»\n",
    "login first": "root/«Zh-Pw-4410» 登录 10.1.2.3 就能看到",
    "base 64 at a host": "dial u:«q7Rk/wB9+Lm4TvC2»@db:5432 z",
    "account in a service": "secrets:\n  - name: default-token-x7k2p",
    "secret of Compose": "secrets:\n  - source: db_pw2",
    "tokens of a model": "tokens {\n  model = gpt4o-mini\n}",
    "version of a package": "npm i app:v1a2b3@npm/left-pad",
    "copied form": "用户名\nadmin\n密码\n«Abc@12345»\n登录",
    "value of a table of settings": "UPDATE settings SET value='«two words»', at=now() WHERE id = 3 AND name='smtp_password'",
    "value of another name": "UPDATE settings SET value='x1y2z3' WHERE name='smtp_host'",
    "column in Chinese": "用户,密码\nbob,«Abc@12345»\n",
    "column in German": "| Benutzer | Passwort |\n|---|---|\n| bob | «Sommer-12» |\n",
    "column in Russian": "логин,пароль\nbob,«Adm-ru-12»\n",
    "cells of HTML in German": "<tr><th>Benutzer</th><th>Passwort</th></tr><tr><td>bob</td><td>«Sommer-12»</td></tr>",
    "sentence in French": "le mot de passe de la base est «Soleil-75»",
    "key in Spanish": "clave: order_42",
    "preferences in a cookie": "Cookie: lang=en; theme=dark",
    "dressed cells of LaTeX": r"""\textbf{User} & \textbf{Password} \\
bob & \texttt{«Xk9mmQp2Zz»} \\""",
    "word behind a user in a list": '["mysql", "-uapp", "-p«hunter2»"]',
    "word behind an option in a list": '["redis-cli", "--pass", "«plainword»"]',
    "empty form": "用户名\n密码\n验证码",
}
"""What goes stands in «…»."""


@pytest.mark.parametrize("text", PAIRS.values(), ids=PAIRS)
def test_an_ordinary_shape_is_hidden_and_nothing_else(text: str) -> None:
    shown = redact(text.replace("«", "").replace("»", "")).text
    assert shown == re.sub("«[^»]*»", "<secret>", text)
    assert redact(shown).text == shown


@pytest.mark.parametrize("half", ["teaching", "measuring"])
def test_ordinary_shapes_are_caught(half: str) -> None:
    """97 of 100 of the ordinary ones, in the half that the rules were written after and in the other."""
    rows = [row for row in halves(SECRETS)[half] if row.kind != RARE]
    caught = share(rows, is_caught)
    assert caught.count >= 0.97 * caught.total, [row.text for row in rows if not is_caught(row)]


@pytest.mark.parametrize("name", DOCUMENTED)
def test_shapes_of_documentation_are_caught(name: str) -> None:
    """Each was measured before rules were extended by what it had missed: the head of each file says how it did then."""
    rows = DOCUMENTED[name]
    caught = share(rows, is_caught)
    assert caught.count >= LEAST.get(name, 0.97) * caught.total, [row.text for row in rows if not is_caught(row)]


@pytest.mark.parametrize("name", STAYING)
def test_prose_and_settings_beside_them_stay(name: str) -> None:
    rows = STAYING[name]
    assert share(rows, is_changed).count <= max(1, 0.01 * len(rows)), [row.text for row in rows if is_changed(row)]


@pytest.mark.parametrize("half", ["teaching", "measuring"])
def test_harmless_lines_stay(half: str) -> None:
    """No more of the 254 of a half are changed than kb/README.md says; the measuring half is at its aim of two."""
    rows = halves(HARMLESS)[half]
    assert share(rows, is_changed).count <= MOST_CHANGED[half], [row.text for row in rows if is_changed(row)]


LEAST = {"tools_3": 0.91, "pages_1": 0.96, "pages_2": 0.95, "fresh_2": 0.96, "abroad_2": 0.96}
"""Of tables that rules have followed only in part."""
MOST_CHANGED = {"teaching": 0, "measuring": 2}

ORDINARY = [
    *('password = input("Password: ")', "password = process.argv[2]", 'let secret = await vault.read("x1")'),
    *("token = uuid4().hex", 'password = f"{user}-{x1}"', "password: z.string().min(8)", "Password: cfg.Db1.Password,"),
    *("password: env:DB_PASS", "password=file:/run/secrets/db1", "password: op://vault/item/field", "min_password=8"),
    *("password: your-password-here", "api_key=YOUR_API_KEY", "password: VARCHAR2(64)", "encryption.key=aes-256-gcm"),
    *("'password' => 'required|min:8'", "session.key=SESSION_ID", "private_key=key1.pem", "master_key=alias/app1"),
    *(
        "h1:2181@10.0.0.1:80",
        "kafka://b1:9092,b2:9092/topic@v1",
        "http://%s:%s@h",
        "akka.tcp://CoarseGrainedScheduler2@h:1",
    ),
]
"""Written after the tables, before the rules that keep them."""


@pytest.mark.parametrize("text", ORDINARY)
def test_an_expression_a_reference_or_a_place_stays(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize("rows", [SECRETS, HARMLESS], ids=["secrets", "harmless"])
def test_a_hidden_row_stays_as_it_is(rows: tuple[Row, ...]) -> None:
    shown = [redact(row.text).text for row in rows]
    assert [redact(text).text for text in shown] == shown


HOSTILE: list[str] = json.loads((Path(__file__).parent / "hostile.json").read_text(encoding="utf-8"))
"""Pieces of which a text is made by repeating them: labels, heads and marks, with and without what they open."""


ONE_PIECE = {
    "a group in braces": lambda size: "tokens {" + "a:" * (size // 2) + "[}",
    "a group in lines": lambda size: "passwords:\n " + "a=" * (size // 2) + "[",
    "a word in a group": lambda size: "passwords:\n  " + "a" * size + "\n",
    "literals of a call": lambda size: "login(" + "'ab!d'," * (size // 7) + ")",
    "literals of a command": lambda size: "create secret generic x " + "--from-literal=a=b " * (size // 19),
    "a constant": lambda size: "define('DB_KEY', '" + "<" * size + "'",
    "escapes in a value": lambda size: '{"name":"DB_PASSWORD","value":"' + "\\n" * (size // 2) + '"}',
    "empty lines in a block": lambda size: "password: |\n  a1b2c3" + "\n" * size,
    "a head with many names": lambda size: (
        "password," * (size // 270) + "x\n" + ("a," * (size // 270) + "x\n") * (270 // 2)
    ),
    "a document before many": lambda size: "data:\n" * (size // 12) + "kind: Secret\n" * (size // 26),
}
"""What is read in one go once its head was seen, where no other anchor asks the clock."""


@pytest.mark.parametrize("text", ONE_PIECE.values(), ids=ONE_PIECE)
def test_what_is_read_in_one_go_is_linear_and_takes_no_multiple(
    text: Callable[[int], str], takes_linear_time: Callable[..., None]
) -> None:
    takes_linear_time(lambda size: redact(text(size)), small=6_000, large=60_000)
    given = text(60_000)
    with Traced() as memory:
        shown = redact(given).text
    assert memory.peak < 24 * len(given)  # a piece of two characters behind an escape has 24 bytes
    assert redact(shown).text == shown


@pytest.mark.parametrize("head", ["a,password\n", "insert into t(a, password) values ", "kind: Secret\ndata:\n"])
def test_a_table_of_secrets_stops_on_the_clock(head: str) -> None:
    """One head, then nothing but rows: the clock is asked for them, too."""
    row = {"a": "b,c1d2e3f4\n", "i": "('b','c1d2'),", "k": "  a: c1d2e3\n"}[head[0]]
    looks = iter([False] * 3)
    with pytest.raises(StoppedError):
        redact(head + row * 30_000, lambda: next(looks, True))


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.slow
def test_the_time_is_linear(piece: str, takes_linear_time: Callable[..., None]) -> None:
    takes_linear_time(lambda size: redact(piece * (size // len(piece))), small=6_000, large=48_000)


@pytest.mark.bench
@pytest.mark.parametrize("piece", HOSTILE)
def test_the_time_is_linear_in_large_texts(piece: str, takes_linear_time: Callable[..., None]) -> None:
    takes_linear_time(lambda size: redact(piece * (size // len(piece))), small=20_000, large=200_000)


def test_a_tag_behind_an_escape_stays() -> None:
    assert redact("ask <b>bob&#64;shop.exampl&#101;</b> then").text == "ask <b><email></b> then"
