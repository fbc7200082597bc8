"""Passwords on command lines and in calls: which option of which program is one."""

import re
from collections.abc import Iterator

from kb.patterns import lazy
from kb.redact.carriers import COOKIE_NAME
from kb.redact.values import IDENTIFIER, NAME_OF_ONE, NEVER, PATH, STAND_IN, has_digit, is_random
from kb.redact.words import SecretKind, end_of

_WORD = r"""(?:[^\s'"]|'[^'\n]{0,200}+'|"[^"\n]{0,200}+"){1,256}+"""
_VALUE = r"""['"]?+(?P<secret>(?<=')[^'<>\n]{2,}+(?=')|(?<=")[^'"<>$\n]{2,}+(?=")|[^\s'"<>$`|;&-][^\s'"<>|;&]++)"""
_STORES = r"(?:az[ ]{1,3}keyvault|drone|gh|wrangler|buildkite-agent)[ ]{1,3}secret|aws[ ]{1,3}secretsmanager|doppler[ ]{1,3}secrets"
"""Commands that put a secret into a store: whatever value they are given is one."""
_PROGRAMS: tuple[tuple[str, str, str], ...] = (
    ("obclient|mysql|mysqldump|mysqladmin|mysqlimport|mysqlbinlog|mysqlslap|mysqlsh|mariadb|mariadb-dump", "obclient ,mysql ,mysqldump ,mysqladmin ,mysqlimport ,mysqlbinlog ,mysqlslap ,mysqlsh ,mariadb ,mariadb-dump ", r"-p(?=[^\s-])"),
    ("sshpass", "sshpass ", r"-p[ \t]{0,3}"),
    ("redis-cli|keydb-cli|valkey-cli", "redis-cli ,keydb-cli ,valkey-cli ", r"(?:-a|--pass)[ \t]{1,3}|-a(?=[^\s-])"),
    ("curl|wget", "curl ,wget ", r"(?:-[A-Za-z]{0,8}u|--user|--proxy-user|-U)[ =]{0,3}(?=['\"]?[^\s:'\"]{0,64}:[^\s<$/])|--(?:(?:http|ftp|proxy)-)?passw(?:or)?d[ =]{1,3}"),
    ("etcdctl", "etcdctl ", r"--user[ =]{1,3}(?=['\"]?[^\s:'\"]{1,64}:[^\s<$])|--password[ =]{1,3}"),
    ("https?", "http -,https -", r"(?:-a|--auth)[ =]{1,3}(?=['\"]?[^\s:'\"]{1,64}:[^\s<$])"),
    ("lftp", "lftp ", r"-u[ ]{1,3}['\"]?[\w.@-]{1,64},"),
    ("xfreerdp|wmic|cmdkey", "xfreerdp ,wmic ,cmdkey ", r"/(?:p|pass|password):"),
    ("winrs", "winrs ", r"-p(?:assword)?:"),
    ("ipmitool", "ipmitool ", r"-P[ ]{0,3}"),
    ("rabbitmqadmin", "rabbitmqadmin ", r"-p[ ]{1,3}"),
    ("ssh-keygen", "ssh-keygen ", r"-[NP][ ]{1,3}(?=['\"]?[^\s'\"])"),
    ("mysqladmin", "mysqladmin ", r"password[ ]{1,3}(?=[^\s-])"),
    ("nmcli", "nmcli ", r"password[ ]{1,3}"),
    ("aws[ ]{1,3}configure[ ]{1,3}set", "aws configure set ", r"aws_(?:secret_access_key|access_key_id|session_token)[ ]{1,3}"),
    (r"(?:docker|podman|nerdctl|oras|az|oc)[ \t]{1,4}login|helm[ \t]{1,4}registry[ \t]{1,4}login", "docker login,podman login,nerdctl login,oras login,az login,oc login,helm registry login", r"-p[ \t]{1,3}"),
    ("mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|mongostat", "mongo ,mongosh,mongodump,mongorestore,mongoexport,mongoimport,mongostat", r"-p[ \t]{1,3}|-p(?=[^\s-])"),
    ("sqlcmd|bcp|osql|isql", "sqlcmd ,bcp ,osql ,isql ", r"-P[ \t]{0,3}"),
    ("cqlsh|beeline|psexec|impala-shell|nodetool", "cqlsh ,beeline ,psexec ,nodetool ", r"(?:-p|-pw)[ \t]{1,3}"),
    ("ldap(?:search|add|modify|whoami|delete|passwd|compare)", "ldapsearch,ldapadd,ldapmodify,ldapwhoami,ldapdelete,ldappasswd,ldapcompare", r"-w[ \t]{1,3}"),
    ("ldappasswd", "ldappasswd ", r"-[as][ \t]{1,3}"),
    ("bundle[ ]{1,3}config(?:[ ]{1,3}(?:set|--?[\\w-]{1,20})){0,3}[ ]{1,3}[\\w.-]{1,80}", "bundle config", r"[\w.-]{1,40}:(?!//)"),
    ("(?:cargo|npm|gem)[ ]{1,3}login", "cargo login", r"(?=[^\s-][^\s]{15})"),
    ("unrar|rar", "unrar ,rar ", r"-h?p(?=[^\s-])"),
    ("influx", "influx ", r"-t[ \t]{1,3}(?!\d{1,6}(?:ns|[mu]?s|[mhdw])\b)"),
    ("conan", "conan ", r"-p[ \t]{1,3}"),
    ("ds(?:conf|idm|ctl)", "dsconf ,dsidm ", r"-w[ \t]{1,3}"),
    ("pdfto(?:text|ppm|cairo|html)|pdfinfo|pdfimages", "pdfto,pdfinfo ,pdfimages ", r"-[uo]pw[ \t]{1,3}"),
    ("unzip|zip", "unzip ,zip ", r"-P[ \t]{0,3}"),
    ("twine", "twine ", r"-p[ \t]{1,3}"),
    ("mosquitto_(?:pub|sub|rr)", "mosquitto_pub,mosquitto_sub,mosquitto_rr", r"-P[ \t]{1,3}"),
    ("snmp(?:walk|get|getnext|set|bulkwalk|bulkget|table|trap|inform)", "snmp", r"-A[ \t]{1,3}"),
    ("snmp(?:walk|get|getnext|set|bulkwalk|bulkget|table|trap|inform)", "snmp", r"-X[ \t]{1,3}"),
    ("snmp(?:walk|get|getnext|set|bulkwalk|bulkget|table|trap|inform)", "snmp", r"-c[ \t]{1,3}(?!public\b|private\b)"),
    ("oathtool", "oathtool ", r"(?:-b|--base32|--totp(?:=\w{1,8})?)[ ]{1,3}(?=['\"]?[A-Za-z2-7])(?!-)"),
    ("obsutil[ ]{1,3}config", "obsutil config", r"-k[ =]{1,3}"),
    (r"\.py", ".py ", r"[\w.-]{1,40}/[\w.-]{1,40}:(?=['\"]?[^\s/:'\"]{4})"),
    ("openssl[ ]{1,3}enc", "openssl enc", r"-[kK][ \t]{1,3}"),
    ("openssl[ ]{1,3}passwd(?:[ ]{1,3}-[\\w-]{1,8}){0,4}", "openssl passwd", r"(?=[^\s-])"),
    ("schtasks", "schtasks ", r"/(?:rp|p)[ \t]{1,3}"),
    ("plink|pscp|psftp|kitty", "plink ,pscp ,psftp ", r"-pw[ \t]{1,3}"),
    ("vault[ ]{1,3}operator[ ]{1,3}unseal", "vault operator unseal", r"(?=[^\s-])"),
    ("pulumi[ ]{1,3}config[ ]{1,3}set(?:[ ]{1,3}--?[\\w-]{1,20}){0,4}[ ]{1,3}--secret(?:[ ]{1,3}--?[\\w-]{1,20}){0,4}[ ]{1,3}\\S{1,80}", "pulumi config set", r"(?=[^\s-])"),
    (_STORES, "az keyvault secret,drone secret,gh secret,aws secretsmanager,wrangler secret,doppler secrets,buildkite-agent secret", r"(?:--(?:value|body|data|secret-string)|-b)[ =]{1,3}"),
    ("aws[ ]{1,3}ssm[ ]{1,3}put-parameter(?=[^\\r\\n]{0,400}(?:SecureString|(?i:password|passwd|secret|token|api-?key)))", "aws ssm put-parameter", r"--value[ =]{1,3}"),
    ("(?:composer|poetry)[ ]{1,3}config(?:[ ]{1,3}--?[\\w-]{1,20}){0,4}[ ]{1,3}http-basic\\.\\S{1,80}[ ]{1,3}[\\w.@-]{1,60}", "composer config,poetry config", r"(?=[^\s-])"),
    ("db2", "db2 ", r"using[ ]{1,3}"),
    ("7za?|7zz", "7z ", r"-p(?=[^\s-])"),
    ("skopeo|crictl|buildah", "skopeo ,crictl ,buildah ", r"(?:--(?:src-|dest-)?creds|--user|-u)[ =]{1,3}(?=['\"]?[^\s:'\"]{1,64}:)"),
)  # fmt: skip


def _command(programs: str, flags: str) -> re.Pattern[str]:
    """A program, up to sixteen words none of which is the option, the option and its value."""
    return lazy(
        rf"""\b(?:{programs})(?![\w-])(?:[ \t]{{1,4}}+(?!["']?(?:{flags})){_WORD}){{0,16}}+[ \t]{{1,4}}+["']?(?:{flags}){_VALUE}"""
    )


_OPTION_KEY = r"passw(?:or)?d|passwd|pass[-_]?phrase|pass|pwd|psk|token|secret|bearer|credentials?|encrypt|(?:api|access|secret|account|consumer|auth|license|encryption|master|session|shared|private|admin|app)[-_]?key|(?:store|key)pass|auth"
_OPTION_END = r"(?:[-_](?:string|text|value|data))?"
OPTION = lazy(
    rf"""(?i:(?P<key>{_OPTION_KEY}){_OPTION_END})(?:[ \t]{{1,3}}+|["'],[ ]?(?=["']))["']?+(?P<secret>(?<=["'])[^"'<>$`\r\n]{{4,}}+(?=["'])|[^\s"'<>$`|;&,)-][^\s"'<>|;&,)]{{3,}}+)"""
)
_DASHED = lazy(r"(?:^|[\s\"'`\[(])--?(?:[A-Za-z0-9]{1,20}[-.]){0,6}(?:[A-Za-z0-9]{1,20})?\Z")
_PIPED = lazy(
    r"""(?i:echo|printf)[ \t]{1,3}(?:-\w{1,3}[ \t]{1,3})?["']?(?:[\w-]{1,32}:)?(?P<secret>[^\s"'<>$|`;)]{3,}+)["']?[ \t]{0,3}(?:;[ ]?(?:echo|printf)[^\r\n|]{0,80}|\)[ ])?\|[ \t]{0,3}"""
    r"""(?:sudo[ \t]{1,3}-[A-Za-z]{0,4}S|kinit\b|(?:sudo[ \t]{1,3})?(?:\w{0,6}passwd)\b|cryptsetup\b|gpg\b|(?P<encoded>base64\b(?![ ]{1,3}-{1,2}[dD]))"""
    r"""|(?:[\w./:=-]{1,60}[ ]{1,3}){0,6}?(?:[\w-]{0,20}(?:secret\w{0,12}|password|passwd|token|credentials?)|login|--password-stdin|pass[ ]insert)\b)"""
)
"""``echo x | sudo -S ls``, ``printf x | docker secret create name -``, ``echo -n x | base64``"""
_SET_FOR = lazy(
    r"(?:add_user|change_password)[ \t]{1,3}[\w.-]{1,64}[ \t]{1,3}['\"]?(?P<secret>[^\s'\"<>-][^\s'\"<>]++)"
)
_SAMBA = lazy(
    r"(?:smbclient|rpcclient|winexe|net[ ](?:ads|rpc|rap|join)|wmic|smbcacls|smbget|pdbedit)\b[^\n|;%]{0,200}(?:-U[ \t]{0,3}|--user[ =])[^\s%]{1,64}%(?P<secret>[^\s'\"<>]{2,128}+)"
)
_SECURE_STRING = lazy(
    r"""(?i:convertto-securestring[ \t]{1,3}(?:-string[ \t]{1,3})?)["'](?P<secret>[^"'$<>\n]{2,}+)["']"""
)
_PLACEHOLDERS = lazy(
    r"(?:your[-_]?)?(?:user(?:[-_]?name)?|login|email|client[-_]?id):(?:your[-_]?)?(?:pass(?:word|wd)?|pwd?|token|secret|client[-_]?secret|api[-_]?key)\Z|[\w-]{1,40}:\[[A-Z_ ]{3,20}\]\Z",
    re.IGNORECASE,
)
"""``curl -u username:password``, ``neo4j:[PASSWORD]``"""
_BESIDE_USER = lazy(
    r"""[ ](?:-u|-U|--user(?:name)?|-user|/ru)[ =]{1,2}["']?[\w.@\\-]{1,60}+["']?[ ]{1,3}(?:-p|-P|-pw|-w|/rp)[ =]{1,2}["']?(?P<secret>[^\s"'<>$|;&/:=,\\-][^\s"'<>$|;&/:=,\\]{4,}+)["']?(?=[\s)`\\]|\Z)"""
)
"""``tool -u bob -p x``: what follows the option of the user, in whatever program; ports and paths are none."""
_SHORT = lazy(
    r"""[ ]-[pPkw][ ]{0,2}["']?(?P<secret>[^\s"'<>$|;&/:=,\\-][^\s"'<>$|;&/:=,\\]{7,}+)["']?(?=[\s)`\\]|\Z)"""
)
"""``tool HOST -p x``, ``tool -px``, where x is made like nothing but a password."""
_OF_ACCOUNT = lazy(
    r"""[ ](?:-p|-P|-w|-pw)[ ]{1,3}["']?(?P<secret>[^\s"'<>$|;&/:=,\\-][^\s"'<>$|;&/:=,\\]{4,}+)["']?(?=[\s)`\\]|\Z)"""
)
_ACCOUNT = lazy(r"\b(?:pw|passwd|password|login|auth|user\w{0,8}|adduser|account)[ ][^|;\r\n]*\Z")
"""``doveadm pw -s SHA512 -p x``"""
_NAME_AND_VALUE = lazy(
    r"""[ ](?:-a|-c|-u|-U|--user|--auth|--creds|--credentials?|--basic-auth|--login)[ =]{1,2}["']?[A-Za-z][\w.@-]{0,40}:(?P<secret>[^\s"'<>$|;&/:,\\]{4,}+)["']?(?=[\s)`\\]|\Z)"""
)
"""``tool -a bob:x``, in whatever program; an image and its tag hold no letter and digit both, or end like a version."""
_FED = lazy(
    r"""(?:kinit|passwd|pass|cryptsetup|login|gpg|su|sudo)\b[^\r\n<|]{0,80}<<<[ ]?\$?["']?(?:[\w.-]{1,32}:)?(?P<secret>[^\s"'<>$]{4,}+)"""
)
"""``kinit bob <<< x``"""
_SUBSTITUTED = lazy(
    r"""(?:(?:file|pass\w*|secret\w*|token|key)[ =]<\(|pass(?:word)?[-_](?:command|cmd)[ =]["'])[ ]?(?:echo|printf)[ ](?:-\w{1,3}[ ])?["']?(?P<secret>[^\s"'<>$)]{4,}+)"""
)
"""``--password-file=<(echo x)``"""
_USER_MADE = lazy(
    r"""user[ ](?:add|create|passwd)[ ][A-Za-z][\w.@-]{0,40}(?:[ ]|:)["']?(?P<secret>[^\s"'<>$|;&/,=:\\-][^\s"'<>$|;&/,=:\\]{4,}+)(?=["'\s\\]|\Z)"""
)
"""``etcdctl user add app:x``, ``samba-tool user create bob x``"""
_OPENSSL = lazy(r"-pass(?:in|out)?[ \t]{1,3}pass:(?P<secret>[^\s'\"<>$]{2,}+)")
_IN_LIST = lazy(
    r"""["'](?:-[pPaw](?:\\?["'],[ ]{0,2}\\?["'])?+|--pass(?:word)?\\?["'],[ ]{0,2}\\?["'])(?P<secret>[^\s"',<>$\\-][^\s"'<>$\\]{2,}+(?:\\(?!["'])[^\s"'<>$\\]*+){0,8}+)(?=\\?["'])"""
)
"""``execve("/usr/bin/mysql", ["mysql", "-uroot", "-px"]``: an option in a list of arguments"""
_TAKES_ONE = lazy(
    r"""["'](?:[\w./-]{0,80}/)?(?:(?P<glued>(?:mysql|mariadb)[\w-]{0,12}|sshpass)|redis-cli|mongo\w{0,8}|ldap\w{2,8}|sqlcmd|ipmitool)\\?["'],[^\r\n]*\Z"""
)
"""The first program of a line that takes a password in its list; of some, ``-p`` and a word is nothing else."""
_REST_OF_WORD = lazy(
    r"(?P<found>rint0?|ing)\Z|(?:ort\w{0,12}|ath|id|ipe|lain|ar(?:allel|tial)|retty|refix|rofile|rogress|rompt|roto(?:col)?|ass(?:in|out|word)?)\Z"
)
"""``-print0``, which belongs to ``find``, and ``-ping``; ``-port8``, ``-path``: options of others that are no password behind ``-p``"""
_COOKIE = lazy(
    rf"""curl\b(?:[ \t]{{1,4}}+(?!-b|--cookie)[^\s'"]{{1,128}}+){{0,12}}+[ \t]{{1,4}}+(?:-b|--cookie)[ =]{{1,3}}['"]?(?P<secret>{COOKIE_NAME}=[^\s'"<>][^'"<>\n]{{2,}}+)"""
)
_QUOTED = r"""\\?["'][^"'\n]{0,200}+["']"""
_NAMED = r"""[\w.$\[\]>-]{1,80}+"""
AUTH_PAIR = lazy(
    rf"""(?i:auth)[ ]{{0,2}}=[ ]{{0,2}}\([ ]?(?:{_QUOTED}|{_NAMED}),[ ]{{0,3}}[bru]?["'](?P<secret>[^"'\n<]++)["']"""
)
_ALONE = lazy(r"""\bauth\([ ]?["'](?P<secret>[^"'\n<]{3,}+)["'][ ]?\)""", re.IGNORECASE)
_REDIS_AUTH = lazy(
    r"(?i:auth)[ ]{1,3}(?:[A-Za-z]\w{0,30}[ ])?[\"']?(?P<secret>[^\s\"'<>:]{5,}+)[\"']?[ \t]*+(?=\r|\n|\Z)"
)
_DIGEST = lazy(r"addauth[ ]{1,3}digest[ ]{1,3}[\w.-]{1,64}:(?P<secret>[^\s<>]{2,}+)", re.IGNORECASE)
_SHARE_USER = lazy(r"/user:[^\s/]{1,80}[ ]{1,3}[\"']?(?P<secret>[^\s/\"'<>][^\s\"'<>]++)", re.IGNORECASE)
_SHARE_FIRST = lazy(
    r"""net[ ]{1,3}(?:use[ ]{1,3}(?:[A-Za-z*]:?[ ]{1,3})?\\{1,4}[^\s]{1,120}|user[ ]{1,3}[\w.-]{1,40})[ ]{1,3}["']?(?P<secret>[^\s/"'<>][^\s"'<>]{3,}+)""",
    re.IGNORECASE,
)
_MINIO = lazy(
    r"\bmc[ ]{1,3}(?:alias[ ]{1,3}set|config[ ]{1,3}host[ ]{1,3}add)[ ]{1,3}\S{1,60}[ ]{1,3}https?://\S{1,120}[ ]{1,3}(?P<secret>[^\s<$-]\S*+[ ]{1,3}[^\s<$-]\S*+)"
)
_HTPASSWD = lazy(
    r"passwd[ ]{1,3}-(?=[A-Za-z]{0,6}b)(?:(?=[A-Za-z]{0,6}n)[A-Za-z]{1,8}[ ]{1,3}|[A-Za-z]{1,8}[ ]{1,3}(?:-[A-Za-z]+[ ]{1,3}(?:\d+[ ]{1,3})?)?[^\s-]\S{0,200}[ ]{1,3})[\w.@-]{1,64}[ ]{1,3}['\"]?(?P<secret>[^\s'\"<>$]{2,}+)"
)
"""``htpasswd -b FILE bob x``, ``htpasswd -nb bob x``"""
_WIFI = lazy(r"wpa_passphrase[ ]{1,3}(?:'[^'\n]{1,64}'|\S{1,64})[ ]{1,3}['\"]?(?P<secret>[^\s'\"<>$]{8,63}+)")
_SQLPLUS = lazy(
    r"(?:sqlplus|(?:exp|imp)(?:dp)?|sqlldr|rman[ ]{1,3}target)[ ]{1,3}(?:-\w{1,3}[ ]{1,3}|userid=)?[\"']?(?P<secret>[\w.]{1,40}/[^\s/@\"'<>]{3,}+)(?=[\"']?(?:\s|\Z))"
)
_TYPED = lazy(r"""send(?:[ ]--)?[ ]["'](?P<secret>[^"'\\\r\n<$]{4,}+)\\[rn]["']""")
"""``expect "password:"; send "x\\r"``"""
_IN_SESSION = lazy(
    r"(?:ftp>[ ]user[ ][\w.@-]{1,40}|(?<![a-z])LOGIN[ ]\"?[\w.@-]{1,64}\"?(?=[ ][^\s]+[ \t]*+(?:\r|\n|\Z))|(?<![^\n>])(?:ftp>[ ]|>[ ]|C:[ ])?PASS|USER[ ][\w.@-]{1,40}[ ]PASS)[ ](?P<secret>[^\s<>]{4,}+)(?=\s|\Z)"
)
"""``PASS x``, ``ftp> user bob x``: a session of FTP or POP3"""
_CREATED = lazy(r"create secret[ ]{1,3}\S{1,40}(?P<secret>)")
_LITERAL = lazy(
    r"""--from-literal[ =](?P<quote>["'])?[\w.-]{1,253}+=(?P<open>["'])?(?P<value>(?(quote)[^"'\r\n<]++|(?(open)[^"'\r\n<]++|[^\s"'<>$`|;&]++)))"""
)
"""``kubectl create secret generic x --from-literal=db=x``"""
_VAULT = lazy(r"vault[ ]{1,3}login[ ]{1,3}(?P<secret>[^\s<>$=-][^\s<>$=]{15,}+)")
_THIRD = lazy(
    rf"""(?i:getconnection|mysqli_connect|new mysqli|mysql_connect|pymysql\.connect|mysqldb\.connect|\.connect|createconnection)\([ \t]?(?:{_QUOTED}|{_NAMED}),[ \t]{{0,3}}(?:{_QUOTED}|{_NAMED}),[ \t]{{0,3}}["'](?P<secret>[^"'\n<]++)["']"""
)
_SECOND = lazy(
    rf"""(?i:usernamepasswordtoken|usernamepasswordcredentials|(?:\.|->)login|basicauth|passwordauthentication)\([ \t]?(?:{_QUOTED}|{_NAMED}),[ \t]{{0,3}}["'](?P<secret>[^"'\n<]++)["']"""
)


_SHARE = lazy(r"[^\s'\"<>]*+")


def share_ends(match: re.Match[str]) -> int:
    """Where a password of a share ends that is longer than what was looked at."""
    return end_of(_SHARE, match)


def literals_of_a_secret(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """What ``kubectl create secret`` is given, up to the end of the command; a ConfigMap is given words that are none."""
    text, at = match.string, match.end()
    end = text.find("create secret", at)  # where the next one is read from
    end = len(text) if end < 0 else end
    line = text.find("\n", at, end)
    while line >= 0 and text[max(line - 2, 0) : line].rstrip("\r").endswith("\\"):
        line = text.find("\n", line + 1, end)
    end = line if line >= 0 else end
    for one in _LITERAL.finditer(text, at, end):
        value = one["value"]
        if not (NEVER.match(value) or STAND_IN.match(value) or (value.isalpha() and value.isupper())):  # `KEY=VALUE`
            yield one.span("value")


def is_option(match: re.Match[str]) -> bool:
    """``--db-password x``: whether the word is an option, and what follows no plain word."""
    before = match.string[max(match.start() - 60, 0) : match.start()]
    value, is_store = match["secret"], match["key"].lower() in {"storepass", "keypass"}
    if _DASHED.search(before) is None or NEVER.match(value.rstrip("]})")) or STAND_IN.match(value):
        return False
    if NAME_OF_ONE.match(value):
        return False  # `--api-token API_TOKEN`: the help of a command
    if before.lower().endswith("no-") or PATH.match(value):
        return False  # `--no-pass realm/user`, `--token /tmp/a.jwt`
    if match["key"].lower() in {"encrypt", "auth"}:
        return has_digit(value) and any(map(str.isalpha, value)) and IDENTIFIER.match(value) is None
    return is_store or not value.isalpha()


def is_value(match: re.Match[str]) -> bool:
    """Whether it is no word that stands for a value, and no pair of such words."""
    value = match["secret"]
    return not (NEVER.match(value) or STAND_IN.match(value) or _PLACEHOLDERS.match(value))


def is_of_redis(match: re.Match[str]) -> bool:
    """``AUTH x``; in small letters, where Redis is named before."""
    before = match.string[max(match.start() - 80, 0) : match.start()].lower()
    return is_mixed_value(match) and (match.string.startswith("AUTH", match.start()) or "redis" in before)


def is_login_of_oracle(match: re.Match[str]) -> bool:
    """Whether a name and a password stand there, and no path: of programs with short names, only where it holds a digit."""
    value = match["secret"].partition("/")[2]
    return (
        is_value(match)
        and not NEVER.match(value)
        and (has_digit(value) or match.string.startswith("sqlplus", match.start()))
    )


def is_typed(match: re.Match[str]) -> bool:
    """Whether a program was waited for that asks for a password."""
    before = match.string[max(match.start() - 240, 0) : match.start()]
    return "expect" in before and "assword" in before[before.rfind("expect") :] and is_value(match)


def is_in_list(match: re.Match[str]) -> bool:
    """Whether the program that is run with the list takes a password there."""
    before = match.string[max(match.start() - 240, 0) : match.start()]
    if not is_value(match) or match["secret"].isdigit():
        return False
    program = _TAKES_ONE.search(before)
    if program is None:
        return False
    is_glued = match.string[match.start("secret") - 2] == "-"
    word = _REST_OF_WORD.match(match["secret"]) if is_glued else None
    if word is None:
        return True
    is_other = program["glued"] == "sshpass" and program[0].count(",") > 1  # what sshpass runs may have it
    return program["glued"] is not None and word["found"] is None and not is_other


def is_piped(match: re.Match[str]) -> bool:
    """Whether a secret is fed to a program; what is encoded may be anything, so it must look like a password."""
    return is_password_with_digit(match) if match["encoded"] else is_value(match)


def is_mixed_value(match: re.Match[str]) -> bool:
    """Whether it is a value that holds a digit: a word there may be an option or prose."""
    return is_value(match) and has_digit(match["secret"])


def is_password(match: re.Match[str]) -> bool:
    """Whether it holds a letter and a digit or a sign."""
    value = match["secret"]
    return is_value(match) and not value.isalpha() and any(map(str.isalpha, value))


def is_password_with_digit(match: re.Match[str]) -> bool:
    """The same, and no group: ``-u www:www-data``."""
    return is_password(match) and has_digit(match["secret"])


def is_generated(match: re.Match[str]) -> bool:
    """Whether only a generator or a careful person makes such a word."""
    return is_random(match["secret"]) and IDENTIFIER.match(match["secret"]) is None


def is_no_identifier(match: re.Match[str]) -> bool:
    """The same as a password with a digit; behind options that mean other things, too, no name with a number: ``-c app:node1``."""
    is_of_logins = match[0].startswith((" -a", " -u", " -U", " --user", " --auth", " --creds"))
    return is_password_with_digit(match) and (is_of_logins or IDENTIFIER.match(match["secret"]) is None)


def is_of_account(match: re.Match[str]) -> bool:
    """Whether the command is about accounts, and the option's value looks like a password."""
    begin = max(match.start() - 160, 0)
    is_name = IDENTIFIER.match(match["secret"]) is not None
    return (
        is_password_with_digit(match)
        and not is_name
        and _ACCOUNT.search(match.string[begin : match.start() + 1]) is not None
    )


COMMANDS: tuple[SecretKind, ...] = (
    *(
        SecretKind("option", tuple(anchors.split(",")), _command(programs, flags), is_password if anchors == ".py " else is_value)
        for programs, anchors, flags in _PROGRAMS
    ),
    SecretKind("option", ("echo ", "printf "), _PIPED, is_piped),
    SecretKind("login_option", ('"-p', "'-p", '"-a"', "'-a'", '"-w"', "'-w'", '"--pass'), _IN_LIST, is_in_list),
    SecretKind("option", ("add_user", "change_password"), _SET_FOR, is_value),
    SecretKind("login_option", (" -u ", " -u=", " --user", " -user ", " /ru "), _BESIDE_USER, is_password),
    SecretKind("login_option", (" -p ", " -w ", " -pw "), _OF_ACCOUNT, is_of_account),
    SecretKind("login_option", (" -p", " -k", " -w"), _SHORT, is_generated),
    SecretKind("login_option", (" -a ", " -c ", " -u ", " -u=", " --user", " --auth", " --cred", " --basic-auth", " --login"), _NAME_AND_VALUE, is_no_identifier),
    SecretKind("login_option", ("kinit ", "passwd ", "pass ", "cryptsetup ", "gpg ", "sudo -s"), _FED, is_value),
    SecretKind("login_option", ("file=<(", "file <(", "password=<(", "token=<(", "secret=<(", "password-command", "password_command", "pass-cmd", "password-cmd", "password_cmd", "pass_cmd"), _SUBSTITUTED, is_value),
    SecretKind("login_option", ("user add ", "user create ", "user passwd "), _USER_MADE, is_password),
    SecretKind("option", ("smbclient", "rpcclient", "winexe", "net ads", "net rpc", "net rap", "net join", "wmic ", "smbcacls", "smbget"), _SAMBA, is_value, ends=share_ends),
    SecretKind("option", ("convertto-securestring",), _SECURE_STRING, is_value),
    SecretKind("option", ("-pass",), _OPENSSL, is_value),
    SecretKind("option", ("auth ",), _REDIS_AUTH, is_of_redis),
    SecretKind("argument", ("auth(",), _ALONE, is_mixed_value),
    SecretKind("option", ("addauth ",), _DIGEST, is_value),
    SecretKind("option", ("/user:",), _SHARE_USER, is_mixed_value),
    SecretKind("option", ("net use ", "net user "), _SHARE_FIRST, is_mixed_value),
    SecretKind("option", ("mc alias set ", "mc config host add "), _MINIO),
    SecretKind("option", ("passwd -",), _HTPASSWD, is_value),
    SecretKind("option", ("wpa_passphrase ",), _WIFI, is_value),
    SecretKind("option", ("sqlplus ", "exp ", "imp ", "expdp ", "impdp ", "sqlldr ", "rman target "), _SQLPLUS, is_login_of_oracle),
    SecretKind("option", ("send ",), _TYPED, is_typed),
    SecretKind("option", ("ftp> user ", "ftp> pass ", "> pass ", "c: pass ", "\npass ", "user ", "login"), _IN_SESSION, is_password_with_digit),
    SecretKind("option", ("vault login ",), _VAULT, is_value),
    SecretKind("assignment", ("create secret",), _CREATED, spans=literals_of_a_secret),
    SecretKind("cookie", ("curl ",), _COOKIE),
    SecretKind("argument", ("getconnection(", "mysqli_connect(", "mysql_connect(", "new mysqli(", "pymysql.connect(", "mysqldb.connect(", ".connect(", "createconnection("), _THIRD, is_value),
    SecretKind("argument", ("usernamepasswordtoken(", "usernamepasswordcredentials(", ".login(", "->login(", "basicauth(", "passwordauthentication("), _SECOND, is_value),
)  # fmt: skip
