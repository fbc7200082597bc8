"""What databases call their faults: words and numbers that stand for one code."""

import re

POSTGRES: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (state, name, re.compile(pattern))
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
    r"|MASTERDOWN Link|NOREPLICAS Not enough|TRYAGAIN Multiple|UNKILLABLE |NOPROTO |INPROG |NOTBUSY No scripts"
    r"|ERR (?:unknown (?:sub)?command|wrong number of arguments|value is not an integer|max number of clients|no such key|invalid |syntax error|Error running script)"
)
REDIS_NEEDLE = (
    r"MOVED \d+ |ASK \d+ |OOM command|MISCONF |NOAUTH |WRONGPASS |NOPERM |WRONGTYPE |NOSCRIPT |CLUSTERDOWN |LOADING \S+ is "
    r"|READONLY You|BUSY \S+ is busy|BUSYGROUP |NOGROUP |CROSSSLOT |EXECABORT |MASTERDOWN |NOREPLICAS |TRYAGAIN |UNKILLABLE |NOTBUSY |\bERR [a-zA-Z]"
)
"""Redis says its code first; with the words behind it no prose begins so."""


def postgres_state(message: str) -> str | None:
    """The SQLSTATE that PostgreSQL gives such a message; None if it is not known."""
    head = message[:400].partition("\n")[0]
    return next((state for state, _, pattern in POSTGRES if pattern.search(head)), None)


def sqlite_name(message: str) -> str | None:
    """The result code that SQLite's words stand for."""
    return next((name for words, name in SQLITE_WORDS if words in message), None)
