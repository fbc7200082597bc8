"""One line that says a database's error: a table of forms, by who prints it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from kb.trace.runtimes.sql.vocabulary import REDIS, REDIS_NEEDLE, SQLITE, postgres_state, sqlite_name

LONGEST = 4_000
"""Characters of a line that are looked at."""
_MESSAGE = r"[ \t]*+(?P<message>\S[^\n]*+)"
_STATE = r"[0-9A-Z]{5}"


@dataclass(frozen=True, slots=True)
class DatabaseForm:
    """How one database, or one of its tools, prints an error."""

    name: str
    needle: str
    """RE2 pattern that is in every such line."""
    pattern: re.Pattern[str]
    """The error from its first character on; ``message`` is what is told beside the code."""
    type: Callable[[re.Match[str]], str | None]
    """The code in its lasting spelling; None if it is no such error after all."""


def _oracle(found: re.Match[str]) -> str:
    return f"{found['family']}-{found['code']}"


def _mysql(found: re.Match[str]) -> str:
    return f"MySQL {int(found['code'])}"


def _sql_server(found: re.Match[str]) -> str:
    return f"SQL Server {int(found['code'])}"


def _state(found: re.Match[str]) -> str:
    return f"SQLSTATE {found['state']}"


def _pdo(found: re.Match[str]) -> str:
    """PHP prints the state, and of MySQL and SQLite the driver's code, too."""
    code = int(found["code"] or 0)
    return f"MySQL {code}" if code >= 1_000 else _state(found)


def _vendor(found: re.Match[str]) -> str | None:
    """DBeaver, DataGrip and Hibernate print a vendor's number and a state, and not the vendor."""
    code, state = int(found["code"] or 0), found["state"] or ""
    inner = re.match(r"(?:ORA|TNS|PLS)-\d{5}", found["message"] or "")
    if inner is not None:
        return inner[0]
    if code == 0 or re.match(r"ERROR: |错误: ", found["message"] or ""):
        return f"SQLSTATE {state}" if state and state != "null" else None
    if state.startswith("S0"):
        return f"SQL Server {code}"
    if 1_000 <= code < 10_000:
        return f"MySQL {code}"
    if code < 0:
        return f"DB2 {code}"
    return f"ORA-{code:05d}" if state in ("42000", "23000", "72000", "61000", "66000", "99999") else f"SQLSTATE {state}"


def _postgres(found: re.Match[str]) -> str | None:
    message = found["message"]
    told = re.search(rf"\(SQLSTATE:? ?({_STATE})\)", message) or re.match(rf"(?=[A-Z]{{0,4}}\d)({_STATE}): ", message)
    state = told[1] if told is not None else postgres_state(message)
    if state is not None:
        return f"SQLSTATE {state}"
    level = {"错误": "ERROR", "致命错误": "FATAL"}.get(found["level"], found["level"])
    return f"PostgreSQL {level}" if len(found["gap"]) >= 2 else None  # psql and the server print two blanks


def _db2(found: re.Match[str]) -> str:
    code = int(found["code"])
    return f"DB2 {code if found.groupdict().get('grade') in (None, 'W') else -code}"


def _sqlite(found: re.Match[str]) -> str | None:
    groups = found.groupdict()
    if groups.get("word"):
        return f"SQLITE_{groups['word']}"
    name = SQLITE.get(int(groups["code"]) & 0xFF) if groups.get("code") else None
    name = name or sqlite_name(found["message"])
    return f"SQLITE_{name}" if name else None


def _spark(found: re.Match[str]) -> str | None:
    """Spark's error class; an upper-case name in brackets is one only with the state or the place in the query."""
    return found["code"] if re.search(rf"SQLSTATE: {_STATE}|; line \d{{1,9}} pos \d", found["message"]) else None


def _hive(found: re.Match[str]) -> str:
    return f"Hive {found['code'] or found['kind']}"


FORMS: tuple[DatabaseForm, ...] = (
    DatabaseForm(
        "Oracle",
        r"(?:ORA|TNS|PLS|RMAN|DPY|DPI|CRS)-\d{4,5}[:：]",
        re.compile(rf"(?P<family>ORA|TNS|PLS|RMAN|DPY|DPI|CRS)-(?P<code>\d{{4,5}})[:：]{_MESSAGE}"),
        _oracle,
    ),
    DatabaseForm(
        "mysql",
        r"(?:ERROR|Error) \d{4} \([0-9A-Z]{5}\)",
        re.compile(rf"(?i:MySQL )?(?:ERROR|Error|error) (?P<code>\d{{4}}) \({_STATE}\)(?: at line \d{{1,9}})?(?: in file: '[^'\n]{{0,300}}')?(?::{_MESSAGE}|$)"),
        _mysql,
    ),
    DatabaseForm("MySQL in words", r"(?i)mysql error \d{4}", re.compile(rf"(?i:MySQL error) (?:code[: ]{{0,2}})?(?P<code>\d{{4}})(?: \({_STATE}\))?(?:[:.]?{_MESSAGE}|$)"), _mysql),
    DatabaseForm("MySQL Workbench", r"Error Code: \d{4}\.", re.compile(rf"Error Code: (?P<code>\d{{4}})\.{_MESSAGE}"), _mysql),
    DatabaseForm("Go's MySQL driver", r"Error \d{4}: ", re.compile(rf"Error (?P<code>1\d{{3}}|2\d{{3}}|3\d{{3}}):{_MESSAGE}"), _mysql),
    DatabaseForm("Python's MySQL drivers", r"\(\d{4}, [\"']", re.compile(r"\((?P<code>[1-4]\d{3}), (?P<quote>[\"'])(?P<message>[^\n]{1,2000}?)(?P=quote)\)"), _mysql),
    DatabaseForm("Navicat", r"(?:\[Err\] |#)?\b[1-3]\d{3} - ", re.compile(r"(?:\[Err\] |#)?(?P<code>[123]\d{3}) -[ ](?=[A-Z])(?P<message>(?:You have an error|Table |Duplicate |Unknown |Access denied|Column |Cannot |Can't |Lock wait|Deadlock |Data too|Incorrect |Field |Got |Lost |Out of |Host |Too many|Specified |The |Invalid |Expression )[^\n]*+)"), _mysql),
    DatabaseForm("MySQL's log", r"\[MY-\d{6}\]", re.compile(rf"\[ERROR\] \[MY-(?P<code>\d{{6}})\](?: \[\w{{1,40}}\])?{_MESSAGE}"), lambda found: f"MY-{found['code']}"),
    DatabaseForm(
        "PDO",
        r"SQLSTATE\[",
        re.compile(rf"SQLSTATE\[(?P<state>{_STATE})\](?: \[(?P<bare>\d{{1,6}})\]|: (?:[A-Z][^:\n]{{2,80}}: )?(?:(?P<code>\d{{1,6}})(?: |(?=ERROR)))?)?{_MESSAGE}"),
        lambda found: f"MySQL {found['bare']}" if found["bare"] and int(found["bare"]) >= 1_000 else _pdo(found),
    ),
    DatabaseForm("DBeaver", r"SQL (?:Error|错误) \[", re.compile(rf"SQL (?:Error|错误) (?:\[(?P<code>-?\d{{1,6}})\] ?)?\[(?P<state>{_STATE})\]:{_MESSAGE}"), _vendor),
    DatabaseForm("DataGrip", r"\[[0-9A-Z]{5}\](?:\[\d+\]| ERROR: )", re.compile(rf"(?:^|(?<=[:：>\"'`]))[ \t]{{0,4}}\[(?P<state>(?=[A-Z]{{0,4}}\d){_STATE})\](?:\[(?P<code>\d{{1,6}})\]|(?P<code0>)(?= ERROR: )){_MESSAGE}"), _vendor),
    DatabaseForm("Hibernate", r"SQL Error: -?\d+, SQLState: ", re.compile(r"SQL Error: (?P<code>-?\d{1,6}), SQLState: (?P<state>\w{4,5})(?P<message>$)"), _vendor),
    DatabaseForm("SQL Server", r"Msg \d+, Level \d+, State ", re.compile(r"Msg (?P<code>\d{1,6}), Level \d{1,2}, State \d{1,5}(?:, Server [^,\n]{1,200})?(?:, Procedure (?P<procedure>[^,\n]{1,200}))?(?:, Line (?P<line>\d{1,9}))?(?P<message>[^\n]*+)"), _sql_server),
    DatabaseForm("SQL Server, Chinese", r"消息 \d+", re.compile(r"消息 (?P<code>\d{1,6})[，,] ?级别 \d{1,2}[，,] ?状态 \d{1,5}(?:[，,] ?服务器 [^，,\n]{1,200})?(?:[，,] ?过程 (?P<procedure>[^，,\n]{1,200}))?(?:[，,] ?(?:第 ?(?P<line>\d{1,9}) ?行|行 ?(?P<line2>\d{1,9})))?(?P<message>[^\n]*+)"), _sql_server),
    DatabaseForm("SQL Server's log", r"Error: \d+, Severity: \d+, State: ", re.compile(r"Error: (?P<code>\d{1,6}), Severity: \d{1,2}, State: \d{1,5}\.?(?P<message>[^\n]*+)"), _sql_server),
    DatabaseForm("SQL Server over ODBC", r"\[SQL Server\]", re.compile(rf"(?:\('{_STATE}', [\"'])?\[(?P<state>{_STATE})\] (?:\[[^\[\]\n]{{1,80}}\]){{1,4}}(?P<message>[^\n]{{1,2000}}?) ?\((?P<code>\d{{1,6}})\)"), _sql_server),
    DatabaseForm("PostgreSQL", r"(?:ERROR|FATAL|PANIC):  \S|错误:  ?\S", re.compile(r"(?P<level>ERROR|FATAL|PANIC|致命错误|错误)(?P<colon>[:：])(?P<gap> {1,4})(?P<message>\S[^\n]*+)"), _postgres),
    DatabaseForm("PostgreSQL, one blank", r"(?:ERROR|FATAL): (?:relation|duplicate key|column|syntax error at|deadlock detected|permission denied for|null value in column|canceling statement|could not serialize|password authentication|no pg_hba|sorry, too many|remaining connection|current transaction is|function|value too long|invalid input syntax|insert or update on table|update or delete on table|new row for|database) ?", re.compile(r"(?P<level>ERROR|FATAL)(?P<colon>:)(?P<gap> )(?P<message>\S[^\n]*+)"), _postgres),
    DatabaseForm("Go's PostgreSQL drivers", r"pq: |\(SQLSTATE [0-9A-Z]{5}\)", re.compile(r"(?P<level>pq|ERROR|FATAL): (?P<gap> ?)(?P<message>\S[^\n]*+)"), _postgres),
    DatabaseForm("DB2", r"SQL\d{4,5}[NWC] ", re.compile(rf"SQL(?P<code>\d{{4,5}})(?P<grade>[NWC]){_MESSAGE}"), _db2),
    DatabaseForm("DB2's driver", r"SQLCODE[=:] ?-?\d", re.compile(r"(?:DB2 SQL Error: )?(?P<message>SQLCODE[=:] ?(?P<code>-?\d{1,5}),? ?SQLSTATE[=:] ?[0-9A-Z]{5}[^\n]*+)"), _db2),
    DatabaseForm("ClickHouse", r"DB::(?:Net)?Exception", re.compile(r"Code: (?P<code>\d{1,5})[.,] (?:e\.displayText\(\) = )?DB::(?:Net)?Exception: (?:Received from \S{1,200} )?(?:DB::Exception: ?){0,3}[ \t]*+(?P<message>\S(?:(?! \([A-Z_\d]{3,60}\)(?: \(version |,|\.?[ \t]*$)|\.? \(version |,? Stack trace)[^\n])*+)"), lambda found: f"ClickHouse {found['code']}"),
    DatabaseForm("MongoDB", r"E11000 duplicate key error", re.compile(r"E(?P<code>11000) (?P<message>duplicate key error[^\n]*+)"), lambda found: f"MongoDB {found['code']}"),
    DatabaseForm("MongoDB's drivers", r"Command failed with error \d+", re.compile(r"Command failed with error (?P<code>\d{1,6})(?: \(\w{1,60}\))?:(?P<message>[^\n]*+)"), lambda found: f"MongoDB {found['code']}"),
    DatabaseForm("Redis", REDIS_NEEDLE, re.compile(rf"(?:\(error\) |-)?(?={REDIS})(?P<code>[A-Z]{{3,12}}) (?P<message>[^\n]++)"), lambda found: f"Redis {found['code']}"),
    DatabaseForm("redis-cli", r"\(error\) [A-Z]{3,12} ", re.compile(r"\(error\) (?P<code>[A-Z]{3,12}) (?P<message>[^\n]++)"), lambda found: f"Redis {found['code']}"),
    DatabaseForm("Spark", r"\[[A-Z]+(?:_[A-Z0-9]+)+(?:\.[A-Z_0-9]+)?\] [A-Z]", re.compile(rf"\[(?P<code>[A-Z][A-Z0-9_]{{2,60}}(?:\.[A-Z0-9_]{{2,60}})?)\]{_MESSAGE}"), _spark),
    DatabaseForm("Hive", r"FAILED: (?:\w+Exception|Execution Error|Error in )", re.compile(rf"(?:Error: )?(?:Error while (?:compiling|processing) statement: )?FAILED: (?P<kind>\w{{3,60}}Exception|Execution Error|Error in \w{{3,40}})(?: \[Error (?P<code>\d{{5}})\])?[:,]?{_MESSAGE}"), _hive),
    DatabaseForm("SQLite's tools", r"(?:Parse|Runtime) error|Error: (?:near|no such|stepping|in prepare|near line|UNIQUE|database is|SQLITE)", re.compile(r"(?:Parse error|Runtime error|Error)(?: near line \d{1,9})?(?::|,)(?: (?:stepping|in prepare),)?[ ](?P<message>[^\n]{1,2000}?)(?: \((?P<code>\d{1,4})\))?[ \t]*$"), _sqlite),
    DatabaseForm("SQLite", r"SQLITE_[A-Z]+[\]: ]", re.compile(rf"\[?SQLITE_(?P<word>[A-Z]{{3,12}})(?:_[A-Z_]{{2,20}})?\]?[: ]{_MESSAGE}"), _sqlite),
    DatabaseForm("Cassandra", r"Error from server: code=", re.compile(r"(?:\w{3,40}: )?Error from server: code=(?P<code>[0-9a-f]{4}) (?P<message>[^\n]++)"), lambda found: f"Cassandra {found['code']}"),
    DatabaseForm("Dameng", r"行附近出现错误\[", re.compile(r"第 ?\d{1,9} ?行附近出现错误\[(?P<code>-?\d{1,6})\][:：]?(?P<message>[^\n]*+)"), lambda found: f"DM {found['code']}"),
)  # fmt: skip
