"""Passwords on command lines and in calls: which option of which program is one."""

import re

from kb.redact.assignments import NEVER, STAND_IN
from kb.redact.words import Kind

_WORD = r"""(?:[^\s'"]|'[^'\n]{0,200}+'|"[^"\n]{0,200}+"){1,256}+"""
_VALUE = r"""['"]?+(?P<secret>(?<=['"])[^'"<>$\n]{2,256}+(?=['"])|[^\s'"<>$`|;&-][^\s'"<>|;&]{1,256}+)"""
_PROGRAMS: tuple[tuple[str, str, str], ...] = (
    ("mysql|mysqldump|mysqladmin|mysqlimport|mysqlbinlog|mysqlslap|mysqlsh|mariadb|mariadb-dump", "mysql ,mysqldump ,mysqladmin ,mysqlimport ,mysqlbinlog ,mysqlslap ,mysqlsh ,mariadb ,mariadb-dump ", r"-p(?=[^\s-])"),
    ("sshpass", "sshpass ", r"-p[ \t]{0,3}"),
    ("redis-cli|keydb-cli|valkey-cli", "redis-cli ,keydb-cli ,valkey-cli ", r"(?:-a|--pass)[ \t]{1,3}"),
    ("curl|wget", "curl ,wget ", r"(?:-u|--user|--proxy-user|-U)[ =]{1,3}(?=['\"]?[^\s:'\"]{0,64}:[^\s<$])|--(?:http|ftp|proxy)-password[ =]{1,3}"),
    (r"(?:docker|podman|nerdctl|oras|az|oc)[ \t]{1,4}login|helm[ \t]{1,4}registry[ \t]{1,4}login", "docker login,podman login,nerdctl login,oras login,az login,oc login,helm registry login", r"-p[ \t]{1,3}"),
    ("mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|mongostat", "mongo ,mongosh,mongodump,mongorestore,mongoexport,mongoimport,mongostat", r"-p[ \t]{1,3}"),
    ("sqlcmd|bcp|osql|isql", "sqlcmd ,bcp ,osql ,isql ", r"-P[ \t]{0,3}"),
    ("cqlsh|beeline|psexec|impala-shell|nodetool", "cqlsh ,beeline ,psexec ,nodetool ", r"(?:-p|-pw)[ \t]{1,3}"),
    ("ldap(?:search|add|modify|whoami|delete|passwd|compare)", "ldapsearch,ldapadd,ldapmodify,ldapwhoami,ldapdelete,ldappasswd,ldapcompare", r"-w[ \t]{1,3}"),
    ("unzip", "unzip ", r"-P[ \t]{0,3}"),
    ("7za?|7zz", "7z ", r"-p(?=[^\s-])"),
    ("skopeo|crictl|buildah", "skopeo ,crictl ,buildah ", r"(?:--(?:src-|dest-)?creds|--user|-u)[ =]{1,3}(?=['\"]?[^\s:'\"]{1,64}:)"),
)  # fmt: skip


def _command(programs: str, flags: str) -> re.Pattern[str]:
    """A program, up to sixteen words none of which is the option, the option and its value."""
    return re.compile(
        rf"""\b(?:{programs})(?![\w-])(?:[ \t]{{1,4}}+(?!{flags}){_WORD}){{0,16}}+[ \t]{{1,4}}+(?:{flags}){_VALUE}"""
    )


_OPTION_KEY = r"passw(?:or)?d|passwd|pass|pwd|token|secret|(?:api|access|secret|account)[-_]?key|(?:store|key)pass"
OPTION = re.compile(
    rf"""(?i:(?P<key>{_OPTION_KEY}))[ \t]{{1,3}}+["']?+(?P<secret>[^\s"'<>$`|;&,)-][^\s"'<>|;&,)]{{3,256}}+)"""
)
_DASHED = re.compile(r"(?:^|[\s\"'\[(])--?(?:[A-Za-z0-9]{1,20}[-.]){0,6}(?:[A-Za-z0-9]{1,20})?\Z")
_PIPED = re.compile(
    r"""(?i:echo|printf)[ \t]{1,3}(?:-\w{1,3}[ \t]{1,3})?["']?(?:[\w-]{1,32}:)?(?P<secret>[^\s"'<>$|`]{3,128}+)["']?[ \t]{0,3}\|[ \t]{0,3}"""
    r"""(?:sudo[ \t]{1,3}-[A-Za-z]{0,4}S|kinit\b|(?:sudo[ \t]{1,3})?(?:passwd|chpasswd)\b|[\w ./:-]{1,80}--password-stdin)"""
)
_SET_FOR = re.compile(
    r"(?:add_user|change_password)[ \t]{1,3}[\w.-]{1,64}[ \t]{1,3}['\"]?(?P<secret>[^\s'\"<>-][^\s'\"<>]{1,128}+)"
)
_SAMBA = re.compile(r"smbclient[^\n|;%]{0,200}-U[ \t]{0,3}[^\s%]{1,64}%(?P<secret>[^\s'\"<>]{2,128}+)")
_SECURE_STRING = re.compile(
    r"""(?i:convertto-securestring)[ \t]{1,3}(?:-string[ \t]{1,3})?["'](?P<secret>[^"'$<>\n]{2,256}+)["']"""
)
_OPENSSL = re.compile(r"-pass(?:in|out)?[ \t]{1,3}pass:(?P<secret>[^\s'\"<>$]{2,256}+)")
_COOKIE = re.compile(
    r"""curl\b(?:[ \t]{1,4}+(?!-b|--cookie)[^\s'"]{1,128}+){0,12}+[ \t]{1,4}+(?:-b|--cookie)[ =]{1,3}['"]?(?P<secret>[\w.$-]{1,64}=[^\s'"<>][^'"<>\n]{2,2048}+)"""
)
_QUOTED = r"""\\?["'][^"'\n]{0,200}+["']"""
_NAMED = r"""[\w.$\[\]>-]{1,80}+"""
_THIRD = re.compile(
    rf"""(?i:getconnection|mysqli_connect|new mysqli|mysql_connect|pymysql\.connect|mysqldb\.connect)\([ \t]?(?:{_QUOTED}|{_NAMED}),[ \t]{{0,3}}(?:{_QUOTED}|{_NAMED}),[ \t]{{0,3}}["'](?P<secret>[^"'\n<]{{1,128}}+)["']"""
)
_SECOND = re.compile(
    rf"""(?i:usernamepasswordtoken|usernamepasswordcredentials|(?:\.|->)login|basicauth|passwordauthentication)\([ \t]?(?:{_QUOTED}|{_NAMED}),[ \t]{{0,3}}["'](?P<secret>[^"'\n<]{{1,128}}+)["']"""
)


def is_option(match: re.Match[str]) -> bool:
    """``--db-password x``: whether the word is an option, and what follows no plain word."""
    before = match.string[max(match.start() - 60, 0) : match.start()]
    value, is_store = match["secret"], match["key"].lower() in {"storepass", "keypass"}
    if _DASHED.search(before) is None or NEVER.match(value) or STAND_IN.match(value):
        return False
    return is_store or not value.isalpha()


def is_value(match: re.Match[str]) -> bool:
    """Whether it is no word that stands for a value."""
    return not NEVER.match(match["secret"]) and not STAND_IN.match(match["secret"])


COMMANDS: tuple[Kind, ...] = (
    *(
        Kind("option", tuple(anchors.split(",")), _command(programs, flags), is_value)
        for programs, anchors, flags in _PROGRAMS
    ),
    Kind("option", ("echo ", "printf "), _PIPED, is_value),
    Kind("option", ("add_user", "change_password"), _SET_FOR, is_value),
    Kind("option", ("smbclient",), _SAMBA, is_value),
    Kind("option", ("convertto-securestring",), _SECURE_STRING, is_value),
    Kind("option", ("-pass",), _OPENSSL, is_value),
    Kind("cookie", ("curl ",), _COOKIE),
    Kind("argument", ("getconnection(", "mysqli_connect(", "mysql_connect(", "new mysqli(", "pymysql.connect(", "mysqldb.connect("), _THIRD, is_value),
    Kind("argument", ("usernamepasswordtoken(", "usernamepasswordcredentials(", ".login(", "->login(", "basicauth(", "passwordauthentication("), _SECOND, is_value),
)  # fmt: skip
