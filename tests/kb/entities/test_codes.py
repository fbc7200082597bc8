"""Error codes: what is one, what is none, and the rules of a house."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.entities.codes import MOST, codes_of, read_rule
from kb.errors import RulesError

NAMED = [
    ("ORA-00942: table or view does not exist", ["ORA-00942"]),
    ("报错ORA-01017：用户名/口令无效", ["ORA-01017"]),
    ("ERROR 1205 (HY000): Lock wait timeout exceeded", ["MySQL 1205", "SQLSTATE HY000"]),
    ("SQLSTATE[42S02]: Base table or view not found", ["SQLSTATE 42S02"]),
    ("SQL Error [1146] [42S02]; SQLState: 08S01", ["SQLSTATE 08S01"]),
    ("the proxy answers HTTP 503", ["HTTP 503"]),
    ("HTTP/1.1 502 Bad Gateway", ["HTTP 502"]),
    ("接口返回状态码 504", ["HTTP 504"]),
    ("Server returned HTTP response code: 500 for URL", ["HTTP 500"]),
    ("write failed: ENOSPC, no space left on device", ["ENOSPC"]),
    ("[Errno 13] Permission denied", ["errno 13"]),
    ("Retrieving the COM class factory failed: 80070005 (0x80070005)", ["0x80070005"]),
    ("Container exited with a non-zero exit code 137", ["exit 137"]),
    ("容器退出码为 139", ["exit 139"]),
    ("Last State: Terminated, Reason: OOMKilled, then CrashLoopBackOff", ["OOMKilled", "CrashLoopBackOff"]),
    ("[DIVIDE_BY_ZERO] Division by zero. Use `try_divide`", ["DIVIDE_BY_ZERO"]),
    ("[CANNOT_PARSE_JSON.BAD_FIELD] Cannot", ["CANNOT_PARSE_JSON.BAD_FIELD"]),
    ("Error while fetching metadata: {t=LEADER_NOT_AVAILABLE}", ["LEADER_NOT_AVAILABLE"]),
    ("see CVE-2021-44228", ["CVE-2021-44228"]),
    ("error CS0246: The type could not be found", ["CS0246"]),
    ("error[E0382]: borrow of moved value", ["Rust E0382"]),
    ("(error) MOVED 3999 127.0.0.1:6381", ["Redis MOVED"]),
    ("rpc error: code = Unavailable desc = transport is closing", ["gRPC Unavailable"]),
    ("错误码：1001", ["Error 1001"]),
    ("[code=10003:class=database:scope=downstream]", ["Error 10003"]),
]
NOT_NAMED = [
    "12:30:45,503 ERROR 2024 started on port 8080",
    "[INFO] a [main] b [WORKER_1_2]",
    "java.lang.Error: 404 things were put into 500 boxes",
    "at com.acme.E.x(E.java:137)",
    "build 0x1f, address 0x00007f2a, sha 9c1e4d5f",
    "UTF-8 and ISO-8859-1",
    "the moved READONLY flag",
    "ENTRY and EXAMPLE and EMPTY",
    "sqlstate error",
]


@pytest.mark.parametrize(("text", "codes"), NAMED)
def test_codes(text: str, codes: list[str]):
    assert list(codes_of(text)) == codes


@pytest.mark.parametrize("text", NOT_NAMED)
def test_numbers_that_are_no_codes(text: str):
    assert codes_of(text) == ()


def test_each_code_once_in_the_order_of_the_text():
    assert codes_of("exit code 1, then ORA-00054, then exit code 1") == ("exit 1", "ORA-00054")


def test_the_rules_of_a_house_stand_beside_the_bundled_ones():
    house = (read_rule(r"Shop * = \bSHOP-(\d{3,6})\b"),)

    assert codes_of("SHOP-1234 after HTTP 503", house) == ("Shop 1234", "HTTP 503")
    assert codes_of("SHOP-1234 after HTTP 503") == ("HTTP 503",)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("SHOP", "is no rule"),
        ("Shop = (x)", "is no rule"),
        (r"Shop * = SHOP-\d+", "0 groups"),
        (r"Shop * = (SHOP)-(\d+)", "2 groups"),
        (r"Shop * = SHOP-(\d+", "no RE2 pattern"),
        (r"Shop * = SHOP-(?=x)(\d+)", "no RE2 pattern"),
        (r"Shop * = (\d+)", "too wide"),
        (r"Shop * = (x*)", "too wide"),
    ],
)
def test_a_wrong_rule_says_why(line: str, problem: str):
    with pytest.raises(RulesError, match=problem):
        read_rule(line)


@given(st.text(max_size=200))
def test_any_text_has_few_codes(text: str):
    assert len(codes_of(text)) <= MOST


def test_a_text_of_codes_takes_little_time():
    start = time.process_time()
    codes_of("ORA-00942 HTTP 503 exit code 1 ENOSPC " * 50_000)

    assert time.process_time() - start < 1
