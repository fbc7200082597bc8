"""How clients print an error: network tools, command lines and SDKs of clouds, the consoles of browsers.

Sources: curl.se (libcurl-errors), the Wget manual, OpenSSL's ERR_error_string(3) and openssl-verify(1), ssh(1), rsync(1) EXIT VALUES,
bind9.readthedocs.io (dig, host, nslookup), RFC 9110 (status codes).

Sources: boto3 (Error handling), the S3 API reference (Error responses), aws-sdk-go-v2 and aws-sdk-java (error handling), Alibaba Cloud and
Tencent Cloud SDK references, cloud.google.com (gcloud, API errors), learn.microsoft.com (az, Microsoft Entra error codes).

Sources: developer.mozilla.org (CORS errors, Content-Security-Policy, Mixed content), Chromium's net_error_list and its console.
"""

import re

from kb.trace.messages.form import MessageForm, Severity

_RCODE = r"FORMERR|SERVFAIL|NXDOMAIN|NOTIMP|REFUSED|YXDOMAIN|YXRRSET|NXRRSET|NOTAUTH|NOTZONE|BADVERS"  # RFC 6895
_HOST = r"[\w.:%\[\]-]{1,253}"
# Words of a failure, for programs that print their notes in the same way; within the first 2,000 characters
_FAILS = r"[^\n]{0,2000}?\b(?:failed|closed|error|errors|refused|denied|unknown option|not found|No such|invalid|unable|cannot|timed out)\b"
# Servers' pages name a status by code and reason: <title>502 Bad Gateway</title>
_PHRASE = r"(?P<type>[45]\d\d) (?P<message>[A-Z][A-Za-z' -]{2,60}+)"
# Codes that AWS lists as common to its services, and those of S3 that users meet: the SDK for JavaScript prints "Code: message" and no other sign
_AWS = r"AccessDenied(?:Exception)?|ExpiredToken(?:Exception)?|ExpiredTokenException|IncompleteSignature|InternalFailure|InvalidAccessKeyId|InvalidBucketName|InvalidClientTokenId|InvalidObjectState|NoSuchBucket|NoSuchKey|NoSuchUpload|BucketAlreadyExists|BucketNotEmpty|OptInRequired|PermanentRedirect|RequestExpired|RequestTimeTooSkewed|ServiceUnavailable|SignatureDoesNotMatch|SlowDown|ThrottlingException|UnrecognizedClientException|ValidationException|ResourceNotFoundException|ProvisionedThroughputExceededException|CredentialsProviderError"
_CODE = r"[A-Z]\w{2,80}(?:\.\w{2,80}){0,3}"
_XML_BELOW = re.compile(r"<Message>(?P<message>[^<\n]++)</Message>")
# az and Azure's SDKs print "(Code) message"; a code is a compound that ends or begins like a fault, so that "(JavaScript) ..." is none
_AZURE = r"(?:[A-Z]\w{2,60}(?:Failed|NotFound|Exceeded|Forbidden|Denied|Conflict|Error|NotAllowed|NotSupported|Exists|InUse|Unauthorized|Required|NotRegistered|NotAvailable|Unavailable|Mismatch|Missing|Disabled|Locked)|(?:Invalid|Missing|Unsupported|Cannot)[A-Z]\w{2,60})"
_NET = r"ERR_[A-Z0-9_]{2,60}"
_URL = r"\S{1,2000}+"
_METHOD = r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)"

FORMS: tuple[MessageForm, ...] = (
    # --- HTTP: a status tells less than any sentence about it
    MessageForm("http", re.compile(r"(?:< ?)?HTTP/[123](?:\.[019])? (?P<type>[45]\d\d)(?: (?P<message>[A-Z][\w'-]{1,30}(?: [\w'-]{1,30}){0,4}))?[ \t\r]*$"), Severity.SUMMARY, type="HTTP {}"),
    MessageForm("http", re.compile(rf"(?:<html>)?(?:<head>)?<(?:title|h1)>(?:Error )?{_PHRASE}</(?:title|h1)>"), Severity.SUMMARY, type="HTTP {}"),
    MessageForm("http", re.compile(rf"<center><h1>{_PHRASE}</h1></center>"), Severity.SUMMARY, type="HTTP {}"),
    # --- curl, wget
    MessageForm("curl", re.compile(r"curl: \((?P<type>\d{1,3})\) (?P<message>[^\n]++)"), type="curl {}"),
    MessageForm("wget", re.compile(r"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d )?ERROR (?P<type>[45]\d\d): (?P<message>[^\n]++)"), type="HTTP {}"),
    MessageForm("wget", re.compile(r"(?P<message>Connecting to [^\n]{1,600}?\.\.\. failed: [^\n]++)")),
    MessageForm("wget", re.compile(r"(?P<message>Resolving [^\n]{1,600}?\.\.\. failed: [^\n]++)"), Severity.SUMMARY),
    MessageForm("wget", re.compile(r"wget: (?P<message>(?:unable to resolve host|server returned error|can't connect|bad address|missing URL|download timed out|error getting response)[^\n]*+)")),
    MessageForm("wget", re.compile(r"ERROR: (?P<message>(?:The certificate of|cannot verify|certificate common name|no certificate subject)[^\n]++)")),
    MessageForm("wget", re.compile(r"(?P<message>Unable to establish SSL connection\.)[ \t]*$"), Severity.SUMMARY),
    # --- OpenSSL: pid or thread:error:code:library:function:reason:file:line
    MessageForm("openssl", re.compile(r"(?:[0-9A-Fa-f]{1,20}:)?error:(?P<type>[0-9A-Fa-f]{8}):[\w ()]{1,60}:[\w .()-]{0,80}:(?P<message>[^:\n]++)")),
    MessageForm("openssl", re.compile(r"verify error:num=(?P<type>\d{1,3}):(?P<message>[^\n]++)"), type="verify error {}"),
    MessageForm("openssl", re.compile(r"error (?P<type>\d{1,3}) at \d{1,3} depth lookup: ?(?P<message>[^\n]++)"), type="verify error {}"),
    MessageForm("openssl", re.compile(r"Verify return code: (?P<type>[1-9]\d{0,2}) \((?P<message>[^)\n]++)\)"), Severity.SUMMARY, type="verify error {}"),
    MessageForm("openssl", re.compile(r"(?P<message>Could not (?:open file or uri for loading|read) [\w ]{1,60}? (?:from|of) \S{1,500})[ \t]*$")),
    # --- ssh and its family
    MessageForm("ssh", re.compile(r"@{1,80}+ {1,40}WARNING: (?P<message>(?:REMOTE HOST IDENTIFICATION HAS CHANGED|UNPROTECTED PRIVATE KEY FILE|POSSIBLE DNS SPOOFING DETECTED)!)")),
    MessageForm("ssh", re.compile(r"ssh: (?P<message>(?:connect to host|Could not resolve hostname) [^\n]++)")),
    MessageForm("ssh", re.compile(rf"(?:[\w.+-]{{1,64}}@{_HOST}: )?(?P<message>Permission denied \((?:publickey|password|keyboard-interactive|gssapi-[\w-]{{1,20}}|hostbased|none)[\w,-]{{0,100}}\)\.?)[ \t]*$")),
    MessageForm("ssh", re.compile(r"(?P<message>Host key verification failed\.)[ \t]*$")),
    MessageForm("ssh", re.compile(rf"(?P<message>Unable to negotiate with {_HOST} port \d{{1,5}}: [^\n]++)")),
    MessageForm("ssh", re.compile(r"(?P<message>(?:kex_exchange_identification|ssh_exchange_identification|ssh_dispatch_run_fatal|client_loop|packet_write_wait): [^\n]++)")),
    MessageForm("ssh", re.compile(rf"(?P<message>Received disconnect from {_HOST} port \d{{1,5}}:\d{{1,3}}: [^\n]++)")),
    MessageForm("ssh", re.compile(r'(?P<message>Load key "[^"\n]{1,300}": [^\n]++)')),
    MessageForm("sshd", re.compile(rf"(?P<message>Bind to port \d{{1,5}} on {_HOST} failed: [^\n]++)")),
    MessageForm("ssh", re.compile(rf"(?P<message>bind \[{_HOST}\]:\d{{1,5}}: [^\n]++|channel_setup_fwd_listener_tcpip: [^\n]++)")),
    MessageForm("ssh", re.compile(rf"(?P<message>(?:scp: Connection closed|Connection (?:closed|reset) by {_HOST} port \d{{1,5}}))[ \t]*$"), Severity.SUMMARY),
    # --- rsync: what failed, and the summary with the exit code
    MessageForm("rsync", re.compile(rf"rsync: (?:\[\w{{1,20}}\] |(?={_FAILS}))(?P<message>[^\n]++)")),
    MessageForm("rsync", re.compile(r"rsync error: (?P<message>[^\n]{1,300}?) \(code (?P<type>\d{1,3})\) at "), Severity.SUMMARY, type="rsync {}"),
    # --- DNS and reachability
    MessageForm("dns", re.compile(rf"\*\* (?P<message>server can't find \S{{1,300}}: (?P<type>{_RCODE}))")),
    MessageForm("dns", re.compile(rf"(?P<message>Host \S{{1,300}} not found: \d{{1,2}}\((?P<type>{_RCODE})\))")),
    MessageForm("dns", re.compile(rf";; ->>HEADER<<- opcode: \w{{1,20}}, status: (?P<type>{_RCODE}), id: ")),
    MessageForm("dns", re.compile(rf";; Got (?P<type>{_RCODE}) reply from "), Severity.SUMMARY),
    MessageForm("dns", re.compile(r";; (?P<message>(?:communications error to |connection timed out|no response from )[^\n]++)")),
    MessageForm("dns", re.compile(r";; (?P<message>no servers could be reached)"), Severity.SUMMARY),
    MessageForm("ping", re.compile(r"ping6?: (?P<message>(?:(?:unknown host|connect:|cannot resolve|sendmsg:|socket:) [^\n]++|\S{1,300}: (?:Name or service not known|Temporary failure in name resolution|No address associated with hostname|Unknown host)))")),
    MessageForm("ping", re.compile(rf"From {_HOST}(?: \([\w.:]{{1,60}}\))?:? icmp_seq=\d{{1,9}} (?P<message>(?:Destination|Time to live|Packet filtered|Redirect)[^\n]*+)")),
    MessageForm("telnet", re.compile(r"telnet: (?P<message>(?:Unable to connect to remote host|could not resolve |connect to address )[^\n]*+)")),
    MessageForm("nc", re.compile(rf"nc: (?P<message>(?:connect to {_HOST} port|getaddrinfo|port number|bind failed)[^\n]++)")),
    # --- clients of PostgreSQL without a code (runtime sql reads those with one)
    MessageForm("postgresql", re.compile(r"(?:psql|pg_dump|pg_dumpall|pg_restore|pg_basebackup|pg_ctl|createdb|dropdb|createuser|vacuumdb|reindexdb|initdb): (?:error|fatal): (?P<message>[^\n]++)")),
    MessageForm("mariadb", re.compile(r"(?:mysql|mariadb)-?(?:dump|admin|check|import|show|slap|binlog): (?P<message>(?:Got error: \d{4}: |connect to server at |Error: |unknown (?:option|variable) )[^\n]++)")),
    MessageForm("librdkafka", re.compile(r"%[0-3]\|\d{1,12}\.\d{1,6}\|(?:FAIL|ERROR|FATAL|CONFWARN)\|[^|\n]{1,200}\| \[thrd:[^\]\n]{1,300}\]: (?P<message>[^\n]++)")),
    # --- AWS and what speaks S3
    MessageForm("aws", re.compile(rf"[^\n]{{0,600}}?\bAn error occurred \((?P<type>{_CODE}|\d{{3}})\) when calling the \w{{2,80}} operation(?: \(reached max retries: \d{{1,3}}\))?: (?P<message>[^\n]++)")),
    MessageForm("aws", re.compile(rf"[^\n]{{0,600}}?\bapi error (?P<type>{_CODE}): (?P<message>[^\n]++)")),
    MessageForm("aws", re.compile(rf"(?P<message>[^(\n]{{1,1000}}+) ?\(Service: [\w .-]{{1,60}}; Status Code: \d{{3}}; Error Code: (?P<type>{_CODE}); Request ID: ")),
    MessageForm("s3", re.compile(rf"(?:<\?xml[^>\n]{{0,200}}\?>[ \t]*+)?(?:<(?:Response|Errors|Error|ErrorResponse)(?: [^>\n]{{0,200}})?>){{0,3}}+<Code>(?P<type>{_CODE})</Code><Message>(?P<message>[^<\n]++)</Message>")),
    MessageForm("s3", re.compile(rf"<Code>(?P<type>{_CODE})</Code>[ \t]*$"), below=_XML_BELOW),
    MessageForm("aws", re.compile(rf"(?:Error: )?(?P<type>{_AWS}): (?P<message>[^\n]++)")),
    MessageForm("aws", re.compile(r"(?P<message>(?:Could not connect to the endpoint URL: |Unable to locate credentials|You must specify a region|The config profile \()[^\n]*+)")),
    # --- Alibaba Cloud, Tencent Cloud
    MessageForm("aliyun", re.compile(rf"HTTP Status: \d{{3}},? Error:(?P<type>{_CODE}) (?P<message>[^\n]{{1,2000}}?) RequestI[Dd]: ")),
    MessageForm("aliyun", re.compile(rf"\[?ErrorCode\]?: ?(?P<type>{_CODE})[ \t]*$"), below=re.compile(r"\[?(?:Error)?Message\]?: ?(?P<message>[^\n]++)")),
    MessageForm("aliyun", re.compile(rf"ErrorCode ?: ?(?P<type>{_CODE})[ ,]{{1,3}}ErrorMessage ?: ?(?P<message>[^\n]++)")),
    MessageForm("aliyun", re.compile(rf"(?:Error: )?(?P<type>{_CODE}): code: [45]\d\d, (?P<message>[^\n]{{1,2000}}?) request id: ")),
    MessageForm("tencent", re.compile(rf"\[TencentCloudSDK(?:Exception|Error)\] ?[Cc]ode[:=] ?(?P<type>{_CODE}),? [Mm]essage[:=] ?(?P<message>[^\n]{{1,2000}}?),? [Rr]equest_?[Ii]d[:=]")),
    # --- Google Cloud
    MessageForm("gcloud", re.compile(r"ERROR: \((?:gcloud|bq|gsutil)[\w.-]{0,120}\) (?:(?P<type>[A-Z]{3,20}(?:_[A-Z]{3,20}){0,3}): )?(?P<message>[^\n]{0,4000}+(?<!:))$")),
    MessageForm("gcloud", re.compile(r"ERROR: \((?:gcloud|bq|gsutil)[\w.-]{0,120}\) [^\n]{1,4000}+(?<=:)$"), below=re.compile(r"- (?P<message>[^\n]++)")),
    MessageForm("gcloud", re.compile(r"(?:CommandException: )?(?P<type>(?:AccessDenied|NotFound|BadRequest|Unauthorized|Precondition|ServiceUnavailable)\w{0,12}Exception): (?P<message>[45]\d\d [^\n]++)")),
    MessageForm("googleapi", re.compile(r"(?:Error: )?googleapi: Error [45]\d\d: (?P<message>[^\n]{1,4000}), (?P<type>[a-z][A-Za-z]{2,60})$")),
    MessageForm("googleapi", re.compile(r"(?:Error: )?googleapi: Error (?P<type>[45]\d\d): (?P<message>[^\n]++)"), type="HTTP {}"),
    # --- Azure
    MessageForm("azure", re.compile(rf"(?:ERROR: )?\((?P<type>{_AZURE})\) (?P<message>[A-Z'\"][^\n]++)")),
    MessageForm("azure", re.compile(rf"Code: (?P<type>{_AZURE})[ \t]*$"), below=re.compile(r"Message: (?P<message>[^\n]++)")),
    MessageForm("azure", re.compile(r"(?:[^\n]{0,200}?\b)?(?P<type>AADSTS\d{5,7}): (?P<message>[^\n]++)")),
    MessageForm("browser", re.compile(r"Access to [\w -]{3,40} at '[^'\n]{1,2000}'(?: \(redirected from '[^'\n]{1,2000}'\))? from origin '[^'\n]{1,300}' has been blocked by CORS policy: (?P<message>[^\n]++)"), type="CORS policy"),
    MessageForm("firefox", re.compile(r"Cross-Origin Request Blocked: (?P<message>[^\n]++)"), type="CORS policy"),
    MessageForm("browser", re.compile(r"(?P<message>(?:Refused to|Loading|Connecting to|Framing|Executing|Evaluating|Applying|Sending|Creating|Running|Navigating)[^\n]{1,2000}? violates the following Content Security Policy directive[^\n]*+)"), type="Content Security Policy"),
    MessageForm("firefox", re.compile(r"Content[ -]Security[ -]Policy: (?P<message>The page.s settings (?:blocked|would block)[^\n]++)"), type="Content Security Policy"),
    MessageForm("browser", re.compile(r"Mixed Content: (?P<message>The page at '[^\n]++)"), type="Mixed Content"),
    MessageForm("browser", re.compile(rf"{_METHOD} {_URL} net::(?P<type>{_NET})")),
    MessageForm("browser", re.compile(rf"(?P<message>{_METHOD} {_URL} (?P<type>[45]\d\d) \([^)\n]{{0,100}}\))"), type="HTTP {}"),
    MessageForm("browser", re.compile(rf"Failed to load resource: net::(?P<type>{_NET})")),
    MessageForm("browser", re.compile(r"Failed to load resource: (?P<message>the server responded with a status of (?P<type>[45]\d\d) \([^)\n]{0,100}\))"), type="HTTP {}"),
    MessageForm("browser", re.compile(rf"(?P<message>WebSocket connection to '[^'\n]{{1,2000}}' failed: [^\n]{{0,500}}?net::(?P<type>{_NET}))")),
    MessageForm("browser", re.compile(r"(?P<message>WebSocket connection to '[^'\n]{1,2000}' failed: ?[^\n]*+)")),
    MessageForm("chromium", re.compile(rf"(?:Error: )?(?:[Pp]age\.goto: |unknown error: )?net::(?P<type>{_NET})(?: at {_URL})?")),
    MessageForm("firefox", re.compile(r"(?P<message>NetworkError when attempting to fetch resource\.)[ \t]*$")),
)  # fmt: skip
