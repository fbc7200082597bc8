"""One line that says a database's error: a table of forms, by who prints it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from kb.patterns import lazy

# What databases call their faults: words and numbers that stand for one code.

POSTGRES: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (state, name, lazy(pattern))
    for state, name, pattern in (
        ("23505", "unique violation", r"duplicate key value violates|重复键违反唯一约束|重复键值违反"),
        ("23503", "foreign key violation", r"violates foreign key constraint|违反外键约束"),
        ("23502", "not null violation", r"null value in column .{1,200} violates not-null|违反了?非空约束"),
        ("23514", "check violation", r"violates check constraint|违反了?检查约束"),
        ("23P01", "exclusion violation", r"violates exclusion constraint|违反排他约束"),
        ("42P01", "undefined table", r"relation \S{1,200} does not exist|关系 ?\S{1,200} 不存在"),
        ("42703", "undefined column", r"column \S{1,200}(?: of relation \S{1,200})? does not exist|字段 ?\S{1,200} 不存在"),
        ("42883", "undefined function", r"(?:function|operator) .{1,300} does not exist|(?:函数|操作符) ?.{1,300} 不存在"),
        ("42704", "undefined object", r"(?:type|role|index|language|tablespace) \S{1,200} does not exist|(?:类型|角色) ?\S{1,200} 不存在"),
        ("42723", "duplicate function", r"already exists with same argument types|带相同参数类型的函数"),
        ("42P07", "duplicate table", r"relation \S{1,200} already exists|关系 ?\S{1,200} 已经?存在"),
        ("42601", "syntax error", r"syntax error (?:at or near|at end of input)|语法错误"),
        ("42501", "insufficient privilege", r"permission denied for|must be owner of|对\S{0,20} ?\S{1,200} ?权限不够|权限不够"),
        ("40P01", "deadlock detected", r"deadlock detected|检测到死锁"),
        ("40001", "serialization failure", r"could not serialize access|无法串行"),
        ("57014", "query canceled", r"canceling statement due to|正在取消.{0,20}语句"),
        ("57P01", "admin shutdown", r"terminating connection due to administrator command|由于管理员命令中断联接"),
        ("57P03", "cannot connect now", r"the database system is (?:starting up|shutting down|in recovery)|数据库系统(?:启动中|正在关闭)"),
        ("55P03", "lock not available", r"could not obtain lock on|无法在?.{0,40}上?获得锁"),
        ("53300", "too many connections", r"too many clients already|remaining connection slots are reserved|too many connections for|连接槽|太多的?客户"),
        ("53200", "out of memory", r"out of (?:shared )?memory$|内存用尽"),
        ("53100", "disk full", r"could not (?:extend|write) .{0,300}No space left on device|空间不足"),
        ("28P01", "invalid password", r"password authentication failed for user|认证失败"),
        ("28000", "invalid authorization", r"no pg_hba\.conf entry|(?:ident|peer) authentication failed|没有用于主机"),
        ("3D000", "invalid catalog name", r"database \S{1,200} does not exist|数据库 ?\S{1,200} 不存在"),
        ("25P02", "in failed transaction", r"current transaction is aborted|当前事务被终止"),
        ("25006", "read only transaction", r"cannot execute \S{1,40} in a read-only transaction|只读模式的?事务"),
        ("22P02", "invalid text representation", r"invalid input syntax for|无效的类型 ?\S{1,40} 输入语法|输入语法"),
        ("22001", "string too long", r"value too long for type|值太长"),
        ("22003", "number out of range", r"(?:integer|bigint|smallint|numeric field|value \S{1,60}).{0,40} (?:out of range|overflow)|超出(?:整数)?范围"),
        ("22012", "division by zero", r"division by zero|除以零"),
    )
)  # fmt: skip
"""SQLSTATE, its name in PostgreSQL's list, how English and Chinese servers word it (they print the code only when asked)."""

SQLITE = {
    1: "ERROR",
    2: "INTERNAL",
    3: "PERM",
    4: "ABORT",
    5: "BUSY",
    6: "LOCKED",
    7: "NOMEM",
    8: "READONLY",
    9: "INTERRUPT",
    10: "IOERR",
    11: "CORRUPT",
    13: "FULL",
    14: "CANTOPEN",
    17: "SCHEMA",
    18: "TOOBIG",
    19: "CONSTRAINT",
    20: "MISMATCH",
    21: "MISUSE",
    25: "RANGE",
    26: "NOTADB",
}
"""SQLite's primary result codes."""
SQLITE_WORDS: tuple[tuple[str, str], ...] = (
    ("constraint failed", "CONSTRAINT"),
    ("no such table", "ERROR"),
    ("no such column", "ERROR"),
    ("no such function", "ERROR"),
    ("no such index", "ERROR"),
    ("no such module", "ERROR"),
    ("no such savepoint", "ERROR"),
    ('": syntax error', "ERROR"),
    ("database is locked", "BUSY"),
    ("database table is locked", "LOCKED"),
    ("disk I/O error", "IOERR"),
    ("disk image is malformed", "CORRUPT"),
    ("unable to open database", "CANTOPEN"),
    ("readonly database", "READONLY"),
    ("is full", "FULL"),
    ("not a database", "NOTADB"),
)
"""What ``sqlite3`` says where it prints no code."""

REDIS = (
    r"MOVED \d{1,5} \S{3,100}:\d{1,5}|ASK \d{1,5} \S{3,100}:\d{1,5}|OOM command not allowed|MISCONF (?:Redis|Errors writing)"
    r"|NOAUTH Authentication|WRONGPASS |NOPERM |WRONGTYPE Operation|NOSCRIPT No matching|CLUSTERDOWN |LOADING \S{1,20} is loading"
    r"|READONLY You can't write|BUSY \S{1,20} is busy|BUSYGROUP Consumer|NOGROUP No such|CROSSSLOT Keys|EXECABORT Transaction"
    r"|MASTERDOWN Link|NOREPLICAS Not enough|TRYAGAIN Multiple|UNKILLABLE |NOPROTO (?:unsupported|sorry)|INPROG |NOTBUSY No scripts|DENIED Redis is running in protected|BUSYKEY Target key name already exists|IOERR error or timeout (?:reading|writing|connecting) to"
    r"|ERR (?:unknown (?:sub)?command|wrong number of arguments|value is not an integer|max number of clients|no such key|invalid |syntax error|Error running script)"
)
REDIS_NEEDLE = (
    r"MOVED \d+ |ASK \d+ |OOM command|MISCONF |NOAUTH |WRONGPASS |NOPERM |WRONGTYPE |NOSCRIPT |CLUSTERDOWN |LOADING \S+ is "
    r"|READONLY You|BUSY \S+ is busy|BUSYGROUP |NOGROUP |CROSSSLOT |EXECABORT |MASTERDOWN |NOREPLICAS |TRYAGAIN |UNKILLABLE |NOTBUSY |DENIED Redis |BUSYKEY Target |NOPROTO [us]|IOERR error |\bERR [a-zA-Z]"
)
"""Redis says its code first; with the words behind it no prose begins so."""


def postgres_state(message: str) -> str | None:
    """Return the SQLSTATE that PostgreSQL gives such a message; None if it is not known."""
    head = message[:400].partition("\n")[0]
    return next((state for state, _, pattern in POSTGRES if pattern.search(head)), None)


def sqlite_name(message: str) -> str | None:
    """Return the result code that SQLite's words stand for."""
    return next((name for words, name in SQLITE_WORDS if words in message), None)


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
    """The error from its first character on; ``message`` is what is printed beside the code."""
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
    printed = re.search(rf"\(SQLSTATE:? ?({_STATE})\)", message) or re.match(
        rf"(?=[A-Z]{{0,4}}\d)({_STATE}): ", message
    )
    state = printed[1] if printed is not None else postgres_state(message)
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
        r"(?:ORA|TNS|PLS|RMAN|DPY|DPI|CRS|SP2)-\d{4,5}(?:[:：]|, TNS:)",
        lazy(rf"(?P<family>ORA|TNS|PLS|RMAN|DPY|DPI|CRS|SP2)-(?P<code>\d{{4,5}})(?:[:：]|,(?= TNS:)){_MESSAGE}"),
        _oracle,
    ),
    DatabaseForm(
        "mysql",
        r"(?:ERROR|Error) \d{4} \([0-9A-Z]{5}\)",
        lazy(rf"(?i:MySQL )?(?:ERROR|Error|error) (?P<code>\d{{4}}) \({_STATE}\)(?: at line \d{{1,9}})?(?: in file: '[^'\n]{{0,300}}')?(?::{_MESSAGE}|$)"),
        _mysql,
    ),
    DatabaseForm("MySQL in words", r"(?i)mysql error \d{4}", lazy(rf"(?i:MySQL error) (?:code[: ]{{0,2}})?(?P<code>\d{{4}})(?: \({_STATE}\))?(?:[:.]?{_MESSAGE}|$)"), _mysql),
    DatabaseForm("MySQL Workbench", r"Error Code: \d{4}\.", lazy(rf"Error Code: (?P<code>\d{{4}})\.{_MESSAGE}"), _mysql),
    DatabaseForm("Go's MySQL driver", r"Error \d{4}: ", lazy(rf"Error (?P<code>1\d{{3}}|2\d{{3}}|3\d{{3}}):{_MESSAGE}"), _mysql),
    DatabaseForm("Python's MySQL drivers", r"\(\d{4}, [\"']", lazy(r"\((?P<code>[1-4]\d{3}), (?P<quote>[\"'])(?P<message>[^\n]{1,2000}?)(?P=quote)\)"), _mysql),
    DatabaseForm("Navicat", r"(?:\[Err\] |#)?\b[1-3]\d{3} - ", lazy(r"(?:\[Err\] |#)?(?P<code>[123]\d{3}) -[ ](?=[A-Z])(?P<message>(?:You have an error|Table |Duplicate |Unknown |Access denied|Column |Cannot |Can't |Lock wait|Deadlock |Data too|Incorrect |Field |Got |Lost |Out of |Host |Too many|Specified |The |Invalid |Expression |Client does |Authentication plugin |Your password does |SSL connection error|[A-Z]{4,12} command denied|You can't |This function has |Truncated |Operand should |Subquery returns |Every derived )[^\n]*+)"), _mysql),
    DatabaseForm("MySQL's log", r"\[MY-\d{6}\]", lazy(rf"\[ERROR\] \[MY-(?P<code>\d{{6}})\](?: \[\w{{1,40}}\])?{_MESSAGE}"), lambda found: f"MY-{found['code']}"),
    DatabaseForm(
        "PDO",
        r"SQLSTATE\[",
        lazy(rf"SQLSTATE\[(?P<state>{_STATE})\](?: \[(?P<bare>\d{{1,6}})\]|: (?:[A-Z][^:\n]{{2,80}}: )?(?:(?P<code>\d{{1,6}})(?: |(?=ERROR)))?)?{_MESSAGE}"),
        lambda found: f"MySQL {found['bare']}" if found["bare"] and int(found["bare"]) >= 1_000 else _pdo(found),
    ),
    DatabaseForm("DBeaver", r"SQL (?:Error|错误) \[", lazy(rf"SQL (?:Error|错误) (?:\[(?P<code>-?\d{{1,6}})\] ?)?\[(?P<state>{_STATE})\]:{_MESSAGE}"), _vendor),
    DatabaseForm("DataGrip", r"\[[0-9A-Z]{5}\](?:\[\d+\]| ERROR: )", lazy(rf"(?:^|(?<=[:：>\"'`])|(?<=(?:SOURCE|TARGET) ))[ \t]{{0,4}}\[(?P<state>(?=[A-Z]{{0,4}}\d){_STATE})\](?:\[(?P<code>\d{{1,6}})\]|(?P<code0>)(?= ERROR: )){_MESSAGE}"), _vendor),
    DatabaseForm("Hibernate", r"SQL Error: -?\d+, SQLState: ", lazy(r"SQL Error: (?P<code>-?\d{1,6}), SQLState: (?P<state>\w{4,5})(?P<message>$)"), _vendor),
    DatabaseForm("SQL Server", r"Msg \d+, Level \d+, State ", lazy(r"Msg (?P<code>\d{1,6}), Level \d{1,2}, State \d{1,5}(?:, Server [^,\n]{1,200})?(?:, Procedure (?P<procedure>[^,\n]{1,200}))?(?:, Line (?P<line>\d{1,9}))?(?P<message>[^\n]*+)"), _sql_server),
    DatabaseForm("SQL Server, Chinese", r"消息 \d+", lazy(r"消息 (?P<code>\d{1,6})[，,] ?级别 \d{1,2}[，,] ?状态 \d{1,5}(?:[，,] ?服务器 [^，,\n]{1,200})?(?:[，,] ?过程 (?P<procedure>[^，,\n]{1,200}))?(?:[，,] ?(?:第 ?(?P<line>\d{1,9}) ?行|行 ?(?P<line2>\d{1,9})))?(?P<message>[^\n]*+)"), _sql_server),
    DatabaseForm("SQL Server's log", r"Error: \d+, Severity: \d+, State: ", lazy(r"Error: (?P<code>\d{1,6}), Severity: \d{1,2}, State: \d{1,5}\.?(?P<message>[^\n]*+)"), _sql_server),
    DatabaseForm("SQL Server over ODBC", r"\[SQL Server\]", lazy(rf"(?:\('{_STATE}', [\"'])?\[(?P<state>{_STATE})\] (?:\[[^\[\]\n]{{1,80}}\]){{1,4}}(?P<message>[^\n]{{1,2000}}?) ?\((?P<code>\d{{1,6}})\)"), _sql_server),
    DatabaseForm("PostgreSQL", r"(?:ERROR|FATAL|PANIC):  \S|错误:  ?\S", lazy(r"(?P<level>ERROR|FATAL|PANIC|致命错误|错误)(?P<colon>[:：])(?P<gap> {1,4})(?P<message>\S[^\n]*+)"), _postgres),
    DatabaseForm("PostgreSQL, one blank", r"(?:ERROR|FATAL): (?:relation|duplicate key|column|syntax error at|deadlock detected|permission denied for|null value in column|canceling statement|could not serialize|password authentication|no pg_hba|sorry, too many|remaining connection|role [\"“]|current transaction is|function|value too long|invalid input syntax|insert or update on table|update or delete on table|new row for|database) ?", lazy(r"(?P<level>ERROR|FATAL)(?P<colon>:)(?P<gap> )(?P<message>\S[^\n]*+)"), _postgres),
    DatabaseForm("PostgreSQL's code", r"\b[0-9A-Z]{5}: (?:relation|duplicate key|column|syntax error at|deadlock detected|permission denied for|null value in column|canceling statement|could not serialize|password authentication|insert or update on table|update or delete on table|new row for|constraint|schema|type|extension|role|function|database) ", lazy(rf"(?<![\w.])(?P<state>(?=[A-Z]{{0,4}}\d){_STATE}):(?P<message> (?:relation|duplicate|column|syntax|deadlock|permission|null|canceling|could|password|insert|update|new|constraint|schema|type|extension|role|function|database) [^\n]*+)"), lambda found: f"SQLSTATE {found['state']}"),
    DatabaseForm("Go's PostgreSQL drivers", r"pq: |\(SQLSTATE [0-9A-Z]{5}\)", lazy(r"(?P<level>pq|ERROR|FATAL): (?P<gap> ?)(?P<message>\S[^\n]*+)"), _postgres),
    DatabaseForm("DB2", r"SQL\d{4,5}[NWC] ", lazy(rf"SQL(?P<code>\d{{4,5}})(?P<grade>[NWC]){_MESSAGE}"), _db2),
    DatabaseForm("DB2's driver", r"SQLCODE[=:] ?-?\d", lazy(r"(?:DB2 SQL Error: )?(?P<message>SQLCODE[=:] ?(?P<code>-?\d{1,5}),? ?SQLSTATE[=:] ?[0-9A-Z]{5}[^\n]*+)"), _db2),
    DatabaseForm("ClickHouse", r"DB::(?:Net)?Exception", lazy(r"Code: (?P<code>\d{1,5})[.,] (?:e\.displayText\(\) = )?DB::(?:Net)?Exception: (?:Received from \S{1,200} )?(?:DB::Exception: ?){0,3}[ \t]*+(?P<message>\S(?:(?! \([A-Z_\d]{3,60}\)(?: \(version |,|\.?[ \t]*$)|\.? \(version |,? Stack trace)[^\n])*+)"), lambda found: f"ClickHouse {found['code']}"),
    DatabaseForm("MongoDB", r"E11000 duplicate key error", lazy(r"E(?P<code>11000) (?P<message>duplicate key error[^\n]*+)"), lambda found: f"MongoDB {found['code']}"),
    DatabaseForm("MongoDB's drivers", r"Command failed with error \d+", lazy(r"Command failed with error (?P<code>\d{1,6})(?: \(\w{1,60}\))?:(?P<message>[^\n]*+)"), lambda found: f"MongoDB {found['code']}"),
    DatabaseForm("Redis", REDIS_NEEDLE, lazy(rf"(?:\(error\) |-)?(?={REDIS})(?P<code>[A-Z]{{3,12}}) (?P<message>[^\n]++)"), lambda found: f"Redis {found['code']}"),
    DatabaseForm("redis-cli", r"\(error\) [A-Z]{3,12} ", lazy(r"\(error\) (?P<code>[A-Z]{3,12}) (?P<message>[^\n]++)"), lambda found: f"Redis {found['code']}"),
    DatabaseForm("Spark", r"\[[A-Z]+(?:_[A-Z0-9]+)+(?:\.[A-Z_0-9]+)?\] [A-Z]", lazy(rf"\[(?P<code>[A-Z][A-Z0-9_]{{2,60}}(?:\.[A-Z0-9_]{{2,60}})?)\]{_MESSAGE}"), _spark),
    DatabaseForm("Hive", r"FAILED: (?:\w+Exception|Execution Error|Error in )", lazy(rf"(?:Error: )?(?:Error while (?:compiling|processing) statement: )?FAILED: (?P<kind>\w{{3,60}}Exception|Execution Error|Error in \w{{3,40}})(?: \[Error (?P<code>\d{{5}})\])?[:,]?{_MESSAGE}"), _hive),
    DatabaseForm("SQLite's tools", r"(?:Parse|Runtime) error|Error: (?:near|no such|stepping|in prepare|near line|UNIQUE|database is|SQLITE)", lazy(r"(?:Parse error|Runtime error|Error)(?: near line \d{1,9})?(?::|,)(?: (?:stepping|in prepare),)?[ ](?P<message>[^\n]{1,2000}?)(?: \((?P<code>\d{1,4})\))?[ \t]*$"), _sqlite),
    DatabaseForm("SQLite", r"SQLITE_[A-Z]+[\]: ]", lazy(rf"\[?SQLITE_(?P<word>[A-Z]{{3,12}})(?:_[A-Z_]{{2,20}})?\]?[: ]{_MESSAGE}"), _sqlite),
    DatabaseForm("Cassandra", r"Error from server: code=", lazy(r"(?:\w{3,40}: )?Error from server: code=(?P<code>[0-9a-f]{4}) (?P<message>[^\n]++)"), lambda found: f"Cassandra {found['code']}"),
    DatabaseForm("Dameng", r"行附近出现错误\[", lazy(r"第 ?\d{1,9} ?行附近出现错误\[(?P<code>-?\d{1,6})\][:：]?(?P<message>[^\n]*+)"), lambda found: f"DM {found['code']}"),
)  # fmt: skip
