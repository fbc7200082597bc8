"""What clients on the network print about errors: curl, wget, OpenSSL, ssh, rsync, DNS tools, clients of databases; HTTP status lines.

Sources: curl.se (libcurl-errors), the Wget manual, OpenSSL's ERR_error_string(3) and openssl-verify(1), ssh(1), rsync(1) EXIT VALUES,
bind9.readthedocs.io (dig, host, nslookup), RFC 9110 (status codes).
"""

import re

from kb.trace.messages.form import Form, Severity

_RCODE = r"FORMERR|SERVFAIL|NXDOMAIN|NOTIMP|REFUSED|YXDOMAIN|YXRRSET|NXRRSET|NOTAUTH|NOTZONE|BADVERS"  # RFC 6895
_HOST = r"[\w.:%\[\]-]{1,253}"
# Words of a failure, for programs that print their notes in the same way; within the first 2,000 characters
_FAILS = r"[^\n]{0,2000}?\b(?:failed|closed|error|errors|refused|denied|unknown option|not found|No such|invalid|unable|cannot|timed out)\b"
# Servers' pages name a status by code and reason: <title>502 Bad Gateway</title>
_PHRASE = r"(?P<type>[45]\d\d) (?P<message>[A-Z][A-Za-z' -]{2,60}+)"

FORMS: tuple[Form, ...] = (
    # --- HTTP: a status tells less than any sentence about it
    Form("http", re.compile(r"(?:< ?)?HTTP/[123](?:\.[019])? (?P<type>[45]\d\d)(?: (?P<message>[A-Z][\w'-]{1,30}(?: [\w'-]{1,30}){0,4}))?[ \t\r]*$"), Severity.SUMMARY, type="HTTP {}"),
    Form("http", re.compile(rf"(?:<html>)?(?:<head>)?<(?:title|h1)>(?:Error )?{_PHRASE}</(?:title|h1)>"), Severity.SUMMARY, type="HTTP {}"),
    Form("http", re.compile(rf"<center><h1>{_PHRASE}</h1></center>"), Severity.SUMMARY, type="HTTP {}"),
    # --- curl, wget
    Form("curl", re.compile(r"curl: \((?P<type>\d{1,3})\) (?P<message>[^\n]++)"), type="curl {}"),
    Form("wget", re.compile(r"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d )?ERROR (?P<type>[45]\d\d): (?P<message>[^\n]++)"), type="HTTP {}"),
    Form("wget", re.compile(r"(?P<message>Connecting to [^\n]{1,600}?\.\.\. failed: [^\n]++)")),
    Form("wget", re.compile(r"(?P<message>Resolving [^\n]{1,600}?\.\.\. failed: [^\n]++)"), Severity.SUMMARY),
    Form("wget", re.compile(r"wget: (?P<message>(?:unable to resolve host|server returned error|can't connect|bad address|missing URL|download timed out|error getting response)[^\n]*+)")),
    Form("wget", re.compile(r"ERROR: (?P<message>(?:The certificate of|cannot verify|certificate common name|no certificate subject)[^\n]++)")),
    Form("wget", re.compile(r"(?P<message>Unable to establish SSL connection\.)[ \t]*$"), Severity.SUMMARY),
    # --- OpenSSL: pid or thread:error:code:library:function:reason:file:line
    Form("openssl", re.compile(r"(?:[0-9A-Fa-f]{1,20}:)?error:(?P<type>[0-9A-Fa-f]{8}):[\w ()]{1,60}:[\w .()-]{0,80}:(?P<message>[^:\n]++)")),
    Form("openssl", re.compile(r"verify error:num=(?P<type>\d{1,3}):(?P<message>[^\n]++)"), type="verify error {}"),
    Form("openssl", re.compile(r"error (?P<type>\d{1,3}) at \d{1,3} depth lookup: ?(?P<message>[^\n]++)"), type="verify error {}"),
    Form("openssl", re.compile(r"Verify return code: (?P<type>[1-9]\d{0,2}) \((?P<message>[^)\n]++)\)"), Severity.SUMMARY, type="verify error {}"),
    Form("openssl", re.compile(r"(?P<message>Could not (?:open file or uri for loading|read) [\w ]{1,60}? (?:from|of) \S{1,500})[ \t]*$")),
    # --- ssh and its family
    Form("ssh", re.compile(r"@{1,80}+ {1,40}WARNING: (?P<message>(?:REMOTE HOST IDENTIFICATION HAS CHANGED|UNPROTECTED PRIVATE KEY FILE|POSSIBLE DNS SPOOFING DETECTED)!)")),
    Form("ssh", re.compile(r"ssh: (?P<message>(?:connect to host|Could not resolve hostname) [^\n]++)")),
    Form("ssh", re.compile(rf"(?:[\w.+-]{{1,64}}@{_HOST}: )?(?P<message>Permission denied \((?:publickey|password|keyboard-interactive|gssapi-[\w-]{{1,20}}|hostbased|none)[\w,-]{{0,100}}\)\.?)[ \t]*$")),
    Form("ssh", re.compile(r"(?P<message>Host key verification failed\.)[ \t]*$")),
    Form("ssh", re.compile(rf"(?P<message>Unable to negotiate with {_HOST} port \d{{1,5}}: [^\n]++)")),
    Form("ssh", re.compile(r"(?P<message>(?:kex_exchange_identification|ssh_exchange_identification|ssh_dispatch_run_fatal|client_loop|packet_write_wait): [^\n]++)")),
    Form("ssh", re.compile(rf"(?P<message>Received disconnect from {_HOST} port \d{{1,5}}:\d{{1,3}}: [^\n]++)")),
    Form("ssh", re.compile(r'(?P<message>Load key "[^"\n]{1,300}": [^\n]++)')),
    Form("sshd", re.compile(rf"(?P<message>Bind to port \d{{1,5}} on {_HOST} failed: [^\n]++)")),
    Form("ssh", re.compile(rf"(?P<message>bind \[{_HOST}\]:\d{{1,5}}: [^\n]++|channel_setup_fwd_listener_tcpip: [^\n]++)")),
    Form("ssh", re.compile(rf"(?P<message>(?:scp: Connection closed|Connection (?:closed|reset) by {_HOST} port \d{{1,5}}))[ \t]*$"), Severity.SUMMARY),
    # --- rsync: what failed, and the summary with the exit code
    Form("rsync", re.compile(rf"rsync: (?:\[\w{{1,20}}\] |(?={_FAILS}))(?P<message>[^\n]++)")),
    Form("rsync", re.compile(r"rsync error: (?P<message>[^\n]{1,300}?) \(code (?P<type>\d{1,3})\) at "), Severity.SUMMARY, type="rsync {}"),
    # --- DNS and reachability
    Form("dns", re.compile(rf"\*\* (?P<message>server can't find \S{{1,300}}: (?P<type>{_RCODE}))")),
    Form("dns", re.compile(rf"(?P<message>Host \S{{1,300}} not found: \d{{1,2}}\((?P<type>{_RCODE})\))")),
    Form("dns", re.compile(rf";; ->>HEADER<<- opcode: \w{{1,20}}, status: (?P<type>{_RCODE}), id: ")),
    Form("dns", re.compile(rf";; Got (?P<type>{_RCODE}) reply from "), Severity.SUMMARY),
    Form("dns", re.compile(r";; (?P<message>(?:communications error to |connection timed out|no response from )[^\n]++)")),
    Form("dns", re.compile(r";; (?P<message>no servers could be reached)"), Severity.SUMMARY),
    Form("ping", re.compile(r"ping6?: (?P<message>(?:(?:unknown host|connect:|cannot resolve|sendmsg:|socket:) [^\n]++|\S{1,300}: (?:Name or service not known|Temporary failure in name resolution|No address associated with hostname|Unknown host)))")),
    Form("ping", re.compile(rf"From {_HOST}(?: \([\w.:]{{1,60}}\))?:? icmp_seq=\d{{1,9}} (?P<message>(?:Destination|Time to live|Packet filtered|Redirect)[^\n]*+)")),
    Form("telnet", re.compile(r"telnet: (?P<message>(?:Unable to connect to remote host|could not resolve |connect to address )[^\n]*+)")),
    Form("nc", re.compile(rf"nc: (?P<message>(?:connect to {_HOST} port|getaddrinfo|port number|bind failed)[^\n]++)")),
    # --- clients of PostgreSQL without a code (runtime sql reads those with one)
    Form("postgresql", re.compile(r"(?:psql|pg_dump|pg_dumpall|pg_restore|pg_basebackup|pg_ctl|createdb|dropdb|createuser|vacuumdb|reindexdb|initdb): (?:error|fatal): (?P<message>[^\n]++)")),
    Form("mariadb", re.compile(r"(?:mysql|mariadb)-?(?:dump|admin|check|import|show|slap|binlog): (?P<message>(?:Got error: \d{4}: |connect to server at |Error: |unknown (?:option|variable) )[^\n]++)")),
    Form("librdkafka", re.compile(r"%[0-3]\|\d{1,12}\.\d{1,6}\|(?:FAIL|ERROR|FATAL|CONFWARN)\|[^|\n]{1,200}\| \[thrd:[^\]\n]{1,300}\]: (?P<message>[^\n]++)")),
)  # fmt: skip
