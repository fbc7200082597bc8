"""Databases' errors: every form of every shell and driver, what is prose, what is told beside the code."""

from functools import partial

import pytest
import re2

from kb.trace import Level, Relation, fingerprints, normalize, parse
from kb.trace.lines import Lines
from kb.trace.runtimes import runtime_named, sql
from kb.trace.runtimes.sql.forms import FORMS, POSTGRES, postgres_state, sqlite_name
from tests.kb.trace import reading

read = partial(reading.read, sql.RUNTIME)

# id, line, type, message
LINES = [
    ("oracle", "ORA-00942: table or view does not exist", "ORA-00942", "table or view does not exist"),
    ("oracle-zh", "ORA-00942: 表或视图不存在", "ORA-00942", "表或视图不存在"),
    ("oracle-full-width", "ORA-12541：TNS:无监听程序", "ORA-12541", "TNS:无监听程序"),
    ("oracle-net", "TNS-12541: TNS:no listener", "TNS-12541", "TNS:no listener"),
    ("oracle-plsql", "PLS-00201: identifier 'PAY' must be declared", "PLS-00201", "identifier 'PAY' must be declared"),
    ("oracle-logged", "2024-05-01 10:00:00 ERROR [main] c.a.Dao - ORA-01017: invalid username/password", "ORA-01017", "invalid username/password"),
    ("oracle-introduced", "数据库报错：ORA-12541: TNS:no listener", "ORA-12541", "TNS:no listener"),
    ("mysql", "ERROR 1064 (42000): You have an error in your SQL syntax", "MySQL 1064", "You have an error in your SQL syntax"),
    ("mysql-line", "ERROR 1062 (23000) at line 3: Duplicate entry '7' for key 'PRIMARY'", "MySQL 1062", "Duplicate entry '7' for key 'PRIMARY'"),
    ("mysql-in-words", "MySQL error 1205 (HY000)", "MySQL 1205", None),
    ("mysql-workbench", "Error Code: 1205. Lock wait timeout exceeded", "MySQL 1205", "Lock wait timeout exceeded"),
    ("mysql-go", "Error 1062: Duplicate entry 'x' for key 'y'", "MySQL 1062", "Duplicate entry 'x' for key 'y'"),
    ("mysql-python", """(1045, "Access denied for user 'a'@'b'")""", "MySQL 1045", "Access denied for user 'a'@'b'"),
    ("mysql-navicat", "[Err] 1064 - You have an error in your SQL syntax", "MySQL 1064", "You have an error in your SQL syntax"),
    ("mysql-phpmyadmin", "#1146 - Table 'a.b' doesn't exist", "MySQL 1146", "Table 'a.b' doesn't exist"),
    ("mysql-log", "2024-05-01T10:00:00.1Z 0 [ERROR] [MY-010584] [Repl] Replica SQL failed", "MY-010584", "Replica SQL failed"),
    ("pdo-mysql", "SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry 'x' for key 'y'", "MySQL 1062", "Duplicate entry 'x' for key 'y'"),
    ("pdo-connect", "SQLSTATE[HY000] [2002] Connection refused", "MySQL 2002", "Connection refused"),
    ("pdo-postgres", 'SQLSTATE[42P01]: Undefined table: 7 ERROR:  relation "x" does not exist', "SQLSTATE 42P01", 'relation "x" does not exist'),
    ("dbeaver", "SQL Error [1146] [42S02]: Table 'a.b' doesn't exist", "MySQL 1146", "Table 'a.b' doesn't exist"),
    ("dbeaver-postgres", 'SQL Error [42P01]: ERROR: relation "x" does not exist', "SQLSTATE 42P01", 'relation "x" does not exist'),
    ("dbeaver-zh-oracle", "SQL 错误 [942] [42000]: ORA-00942: 表或视图不存在", "ORA-00942", "表或视图不存在"),
    ("dbeaver-sql-server", "SQL Error [208] [S0002]: Invalid object name 'x'.", "SQL Server 208", "Invalid object name 'x'."),
    ("datagrip", "[42S02][1146] Table 'a.b' doesn't exist", "MySQL 1146", "Table 'a.b' doesn't exist"),
    ("datagrip-postgres", '[42P01] ERROR: relation "x" does not exist', "SQLSTATE 42P01", 'relation "x" does not exist'),
    ("sql-server", "Msg 50000, Level 16, State 1, Line 3 no stock", "SQL Server 50000", "no stock"),
    ("sql-server-odbc", "[23000] [Microsoft][ODBC Driver 17 for SQL Server][SQL Server]Violation of PRIMARY KEY (2627) (SQLExecDirectW)", "SQL Server 2627", "Violation of PRIMARY KEY"),
    ("postgres", 'ERROR:  duplicate key value violates unique constraint "uk"', "SQLSTATE 23505", 'duplicate key value violates unique constraint "uk"'),
    ("postgres-verbose", 'ERROR:  42723: function "pay" already exists with same argument types', "SQLSTATE 42723", 'function "pay" already exists with same argument types'),
    ("postgres-unknown", "ERROR:  boom", "PostgreSQL ERROR", "boom"),
    ("postgres-fatal", 'psql: FATAL:  password authentication failed for user "bob"', "SQLSTATE 28P01", 'password authentication failed for user "bob"'),
    ("postgres-zh", '错误:  重复键违反唯一约束"uk"', "SQLSTATE 23505", '重复键违反唯一约束"uk"'),
    ("postgres-jdbc", 'ERROR: relation "x" does not exist', "SQLSTATE 42P01", 'relation "x" does not exist'),
    ("postgres-pgx", "ERROR: new row is odd (SQLSTATE 23514)", "SQLSTATE 23514", "new row is odd (SQLSTATE 23514)"),
    ("postgres-pq", 'pq: duplicate key value violates unique constraint "x"', "SQLSTATE 23505", 'duplicate key value violates unique constraint "x"'),
    ("postgres-log", '2024-05-01 10:00:00.123 UTC [12345] shop@db ERROR:  relation "x" does not exist', "SQLSTATE 42P01", 'relation "x" does not exist'),
    ("db2", 'SQL0204N  "DB2.T" is an undefined name.', "DB2 -204", '"DB2.T" is an undefined name.'),
    ("db2-driver", "DB2 SQL Error: SQLCODE=-204, SQLSTATE=42704, SQLERRMC=X", "DB2 -204", "SQLCODE=-204, SQLSTATE=42704, SQLERRMC=X"),
    ("clickhouse-old", "Code: 241, e.displayText() = DB::Exception: Memory limit exceeded", "ClickHouse 241", "Memory limit exceeded"),
    ("mongo", "E11000 duplicate key error collection: a.b", "MongoDB 11000", "duplicate key error collection: a.b"),
    ("mongo-driver", "Command failed with error 13 (Unauthorized): 'not authorized on admin'", "MongoDB 13", "'not authorized on admin'"),
    ("redis-moved", "(error) MOVED 3999 127.0.0.1:6381", "Redis MOVED", "3999 127.0.0.1:6381"),
    ("redis-oom", "OOM command not allowed when used memory > 'maxmemory'.", "Redis OOM", "command not allowed when used memory > 'maxmemory'."),
    ("redis-raw", "-NOAUTH Authentication required.", "Redis NOAUTH", "Authentication required."),
    ("redis-err", "(error) ERR unknown command 'x'", "Redis ERR", "unknown command 'x'"),
    ("spark", "[TABLE_OR_VIEW_NOT_FOUND] The table or view `x` cannot be found. SQLSTATE: 42P01", "TABLE_OR_VIEW_NOT_FOUND", "The table or view `x` cannot be found. SQLSTATE: 42P01"),
    ("hive", "FAILED: SemanticException [Error 10001]: Line 1:14 Table not found 'x'", "Hive 10001", "Line 1:14 Table not found 'x'"),
    ("hive-parse", "FAILED: ParseException line 1:0 cannot recognize input", "Hive ParseException", "line 1:0 cannot recognize input"),
    ("hive-task", "FAILED: Execution Error, return code 2 from a.b.MapRedTask", "Hive Execution Error", "return code 2 from a.b.MapRedTask"),
    ("sqlite", "Runtime error near line 1: UNIQUE constraint failed: t.id (19)", "SQLITE_CONSTRAINT", "UNIQUE constraint failed: t.id"),
    ("sqlite-old", 'Error: near "selec": syntax error', "SQLITE_ERROR", 'near "selec": syntax error'),
    ("sqlite-code", "[SQLITE_BUSY] The database file is locked", "SQLITE_BUSY", "The database file is locked"),
    ("cassandra", 'InvalidRequest: Error from server: code=2200 [Invalid query] message="x"', "Cassandra 2200", '[Invalid query] message="x"'),
]  # fmt: skip

# Lines of a longer text that mention a code, or look like an error and are none.
PROSE = [
    "You get ORA-00942: table or view does not exist when the grant is missing.",
    "如果出现 ORA-00942: table or view does not exist，说明没有权限。",
    "set ORA-00942 aside",
    "ERROR: disk full on node 3",
    "2024-05-01 10:00:00 ERROR 1064 rows were lost",
    'if (e.getMessage().contains("ORA-00001:")) {',
    "Parse error: syntax error, unexpected 'data' (T_STRING)",
    "[ERROR] 2015-08-27 09:34:54,700 went wrong",
    "[main] ERROR: nothing of a database",
    "[MY_THREAD] Started in 3 s",
    "the keys were MOVED 3 times",
    "READONLY is a flag",
    "Error Code: 12. of something else",
    "Code: 60 lines",
    "Copyright (2019, 'x')",
    "FAILED: 3 of 8 tests",
]


@pytest.mark.parametrize(("line", "kind", "message"), [row[1:] for row in LINES], ids=[row[0] for row in LINES])
def test_forms(line: str, kind: str, message: str | None) -> None:
    assert sql.RUNTIME.reader.starts(line)
    chain = read(line)
    (exception,) = chain.exceptions
    assert (exception.type, exception.message) == (kind, message)
    assert chain.span[1] == len(line)


@pytest.mark.parametrize("line", PROSE)
def test_prose_is_no_error(line: str) -> None:
    assert not sql.RUNTIME.reader.starts(line) or sql.RUNTIME.reader.read(Lines.of(line, 0)) is None
    assert [chain for chain in parse(f"first line\n{line}\nlast line") if chain.runtime == "sql"] == []


def test_every_form_has_a_row() -> None:
    met = {
        form.name
        for form in FORMS
        for _, line, kind, _ in LINES
        if any(form.type(match) == kind for match in form.pattern.finditer(line))
    }
    # those of several lines have tests of their own
    several = {"Hibernate", "SQL Server, Chinese", "SQL Server's log", "Dameng", "ClickHouse"}
    assert {form.name for form in FORMS} - met <= several


def test_a_question_of_one_line_may_mention_the_code_anywhere() -> None:
    (chain,) = parse("启动的时候出现 ORA-12541: TNS:no listener 怎么办")
    assert (chain.runtime, chain.root.type) == ("sql", "ORA-12541")


def test_an_error_in_quotation_marks_ends_with_them() -> None:
    (chain,) = parse(
        "执行后提示 `ERROR 1054 (42S22): Unknown column 'x' in 'field list'` 错误。\n\n升级即可。".replace(
            "提示 ", "提示：\n"
        )
    )
    assert chain.root.message == "Unknown column 'x' in 'field list'"


def test_the_place_of_a_quoted_error_ends_with_the_quotation() -> None:
    """What was cut out of an article by its place is read again without the opening mark."""
    text = "The client reports `ERROR 2013 (HY000): Lost connection to MySQL server during query`.\n"
    (chain,) = parse(text)
    assert text[slice(*chain.span)] == "ERROR 2013 (HY000): Lost connection to MySQL server during query"
    assert chain.exceptions == parse(text[slice(*chain.span)])[0].exceptions


def test_an_oracle_stack_has_frames_and_causes() -> None:
    text = (
        'ERROR at line 1:\nORA-20042: settlement failed\nORA-06512: at "SCOTT.PAY_PKG", line 88\nORA-01403: no data found\n'
        'ORA-06512: at "SCOTT.PAY_PKG.FIND", line 31\nORA-06512: at "SYS.DBMS_SQL", line 9\nORA-06512: at line 1\nrest'
    )
    (chain,) = parse(text)
    outer, cause = chain.exceptions
    assert (outer.type, cause.type, cause.relation, cause.parent) == ("ORA-20042", "ORA-01403", Relation.CAUSE, 0)
    told = [(f.module, f.function, f.lineno, f.in_app) for e in (outer, cause) for f in e.stack.frames]
    assert told == [
        ("SCOTT", "PAY_PKG", 88, True),
        ("SCOTT.PAY_PKG", "FIND", 31, True),
        ("SYS", "DBMS_SQL", 9, False),
        (None, "anonymous block", 1, True),
    ]
    assert text[slice(*chain.span)].startswith("ORA-20042")
    assert text[slice(*chain.span)].endswith("line 1")


def test_an_oracle_stack_lasts() -> None:
    one = 'ORA-20042: order 42 failed\nORA-06512: at "SCOTT.PAY", line 88\n'
    other = 'ORA-20042: order 7 failed\nORA-06512: at "SCOTT.PAY", line 91\n'
    assert fingerprints(parse(one)[0]) == fingerprints(parse(other)[0])


def test_plsql_behind_a_compile_error() -> None:
    text = "ORA-06550: line 1, column 7:\nPLS-00201: identifier 'PAY' must be declared\nORA-06550: line 1, column 7:\nPL/SQL: Statement ignored\n"
    (chain,) = parse(text)
    assert [e.type for e in chain.exceptions] == ["ORA-06550", "PLS-00201"]


def test_postgres_details_and_context() -> None:
    text = (
        'ERROR:  duplicate key value violates unique constraint "uk"\nDETAIL:  Key (id)=(1) already exists.\n'
        'CONTEXT:  PL/pgSQL function pay(integer) line 3 at SQL statement\nSQL statement "SELECT 1"\nPL/pgSQL function shop.checkout() line 9 at PERFORM\nbye'
    )
    (chain,) = parse(text)
    assert (
        chain.root.message
        == 'duplicate key value violates unique constraint "uk"\nDETAIL:  Key (id)=(1) already exists.'
    )
    assert [(f.module, f.function, f.lineno) for f in chain.root.stack.frames] == [
        (None, "pay", 3),
        ("shop", "checkout", 9),
    ]
    assert text[chain.span[1] :] == "\nbye"


def test_a_state_that_is_told_below_is_the_type() -> None:
    (chain,) = parse("ERROR: permission denied for table x\nSQL state: 42501\n")
    assert chain.root.type == "SQLSTATE 42501"


def test_a_server_log_goes_with_its_statement() -> None:
    text = (
        '2024-05-01 10:00:00.123 UTC [1234] ERROR:  relation "x" does not exist at character 15\n'
        "2024-05-01 10:00:00.123 UTC [1234] STATEMENT:  select *\n\t  from x\n2024-05-01 10:00:01.123 UTC [1234] LOG:  fine\n"
    )
    (chain,) = parse(text)
    assert text[slice(*chain.span)].endswith("from x")
    assert normalize(chain).root.message == 'relation "x" does not exist'


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("Msg 2627, Level 14, State 1, Procedure dbo.pay, Line 3\nViolation of PRIMARY KEY\n", "SQL Server 2627", "Violation of PRIMARY KEY"),
        ("消息 2627，级别 14，状态 1，第 3 行\n违反了 PRIMARY KEY 约束\n", "SQL Server 2627", "违反了 PRIMARY KEY 约束"),
        ("2024-05-01 10:00:00.12 Logon       Error: 18456, Severity: 14, State: 8.\n2024-05-01 10:00:00.12 Logon       Login failed for user 'a'.\n", "SQL Server 18456", "Login failed for user 'a'."),
        ("第1 行附近出现错误[-2106]:\n无效的表或视图名[T].\n", "DM -2106", "无效的表或视图名[T]."),
        ("2024-05-01 10:00:00,1 WARN  [main] o.h.e.j.s.SqlExceptionHelper - SQL Error: 1062, SQLState: 23000\n2024-05-01 10:00:00,2 ERROR [main] o.h.e.j.s.SqlExceptionHelper - Duplicate entry 'x' for key 'y'\n", "MySQL 1062", "Duplicate entry 'x' for key 'y'"),
    ],
    ids=["sql-server", "sql-server-zh", "sql-server-log", "dameng", "hibernate"],
)  # fmt: skip
def test_a_message_on_the_next_line(text: str, kind: str, message: str) -> None:
    (chain,) = parse(text)
    assert (chain.root.type, chain.root.message) == (kind, message)


def test_the_procedure_of_sql_server_is_a_frame() -> None:
    (chain,) = parse("Msg 2627, Level 14, State 1, Procedure dbo.pay, Line 3\nViolation of PRIMARY KEY\n")
    assert [(f.module, f.function, f.lineno) for f in chain.root.stack.frames] == [("dbo", "pay", 3)]


def test_an_answer_of_elasticsearch() -> None:
    text = (
        '{"error":{"root_cause":[{"type":"query_shard_exception","reason":"No mapping found for [x]"}],'
        '"type":"search_phase_execution_exception","reason":"all shards failed"},"status":400}'
    )
    (chain,) = parse(f"answer:\n{text}\n")
    assert [(e.type, e.message) for e in chain.exceptions] == [
        ("search_phase_execution_exception", "all shards failed"),
        ("query_shard_exception", "No mapping found for [x]"),
    ]
    assert chain.root.type == "query_shard_exception"


def test_an_answer_whose_root_cause_is_the_error_itself() -> None:
    error = '"type":"index_not_found_exception","reason":"no such index [x]"'
    (chain,) = parse(f'x\n{{"error":{{"root_cause":[{{{error}}}],{error}}},"status":404}}\n')
    assert [e.type for e in chain.exceptions] == ["index_not_found_exception"]


def test_an_answer_of_mongodb() -> None:
    (chain,) = parse(
        'x\n{ "ok" : 0, "errmsg" : "E11000 duplicate key", "code" : 11000, "codeName" : "DuplicateKey" }\n'
    )
    assert (chain.root.type, chain.root.message) == ("MongoDB 11000", "duplicate key")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('ERROR:  duplicate key value violates unique constraint "uk"\n', 'psql:a.sql:3: ERROR:  duplicate key value violates unique constraint "uk"\n'),
        ("ERROR 1205 (HY000): Lock wait timeout exceeded\n", "Error Code: 1205. Lock wait timeout exceeded\n"),
        ("ORA-00942: table or view does not exist\n", "SQL Error [942] [42000]: ORA-00942: table or view does not exist\n"),
        ("Code: 60, e.displayText() = DB::Exception: No table x (version 21.8.1)\n", "Code: 60. DB::Exception: Received from h:9000. DB::Exception: No table x (version 22.3.2 (official build))\n"),
    ],
    ids=["psql", "mysql", "oracle", "clickhouse"],
)  # fmt: skip
def test_one_error_is_one_thing_whoever_prints_it(one: str, other: str) -> None:
    first, second = (read(text) for text in (one, other))
    assert fingerprints(first)[Level.LOOSE].digest == fingerprints(second)[Level.LOOSE].digest


def test_codes_tell_errors_apart() -> None:
    found = [
        parse(text)[0]
        for text in (
            "ORA-00942: x gone",
            "ORA-00904: x gone",
            "ERROR 1054 (42S22): x gone",
            "ERROR 1146 (42S02): x gone",
        )
    ]
    assert len({fingerprints(chain)[Level.LOOSE].digest for chain in found}) == 4


@pytest.mark.parametrize(("state", "name"), [(state, name) for state, name, _ in POSTGRES])
def test_states_of_postgres_are_five_characters(state: str, name: str) -> None:
    assert len(state) == 5
    assert state.isalnum()
    assert name


def test_words_that_stand_for_codes() -> None:
    assert postgres_state("deadlock detected") == postgres_state("检测到死锁") == "40P01"
    assert postgres_state("boom") is None
    assert sqlite_name("database is locked") == "BUSY"
    assert sqlite_name("boom") is None


ORDINARY = """2024-05-01 10:00:00,123 INFO  [main] o.a.s.SparkContext - Running Spark version 3.5.0
2024-05-01 10:00:00,124 WARN  [pool-3-thread-1] c.a.Orders - order 42 took 3012 ms, 200 OK
2024-05-01 10:00:01,000 ERROR [http-nio-8080-exec-1] c.a.Ctl - could not read /data/a.csv: not found
2024-05-01 10:00:02,000 DEBUG [MainThread] moved 3 blocks to /tmp/x, code: 12, [A-1] ok (1234, 5)
I0501 10:00:03.000000  1234 server.cc:55] Listening on 0.0.0.0:80
10.0.0.3 - - [01/May/2024:10:00:00 +0800] "GET /a?x=1 HTTP/1.1" 200 1234 "-" "curl/8.0"
{"level":"info","msg":"started","id":"a1","type":"order","reason":"x"}
kernel: [12345.678901] eth0: link up, 1000Mbps, full-duplex
"""


@pytest.mark.parametrize("name", ["sql", "jstack"])
def test_ordinary_logs_hold_no_needle(name: str) -> None:
    runtime = runtime_named(name)
    assert runtime is not None
    hits = [line for line in ORDINARY.splitlines() if any(re2.search(needle, line) for needle in runtime.needles)]
    assert hits == []
