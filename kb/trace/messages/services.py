"""How servers, their clients and Kubernetes print an error."""

from kb.patterns import lazy
from kb.trace.messages.form import MessageForm, Severity

# How clients print an error: network tools, command lines and SDKs of clouds, the consoles of browsers.
#
# Sources: curl.se (libcurl-errors), the Wget manual, OpenSSL's ERR_error_string(3) and openssl-verify(1), ssh(1), rsync(1) EXIT VALUES,
# bind9.readthedocs.io (dig, host, nslookup), RFC 9110 (status codes).
#
# Sources: boto3 (Error handling), the S3 API reference (Error responses), aws-sdk-go-v2 and aws-sdk-java (error handling), Alibaba Cloud and
# Tencent Cloud SDK references, cloud.google.com (gcloud, API errors), learn.microsoft.com (az, Microsoft Entra error codes).
#
# Sources: developer.mozilla.org (CORS errors, Content-Security-Policy, Mixed content), Chromium's net_error_list and its console.

ELASTIC = lazy(
    r"\[(?P<type>[a-z][a-z_]{2,60}_exception)\] (?:Reason: )?(?P<message>(?=\S)(?:(?!,? with \{ | :: \{)[^\n]){2,4000}+)"
)
"""``[parse_exception] m``, as clients of Elasticsearch show it."""
ELASTIC_TERM = lazy(
    r"%\{(?:error: %\{)?reason: \"(?P<message>(?:[^\"\\\n]|\\.){2,4000}+)\", [^\n]{0,2000}?\btype: \"(?P<type>[a-z][a-z_]{2,60}_exception)\""
)
"""The body of Elasticsearch's error as Elixir shows a map, its keys in order: ``%{error: %{reason: "m", type: "parse_exception"}, status: 400}``."""
_RCODE = r"FORMERR|SERVFAIL|NXDOMAIN|NOTIMP|REFUSED|YXDOMAIN|YXRRSET|NXRRSET|NOTAUTH|NOTZONE|BADVERS"  # RFC 6895
_HOST = r"[\w.:%\[\]-]{1,253}"
# Words of a failure, for programs that print their notes in the same way; within the first 2,000 characters
_FAILS = r"[^\n]{0,2000}?\b(?:failed|closed|error|errors|refused|denied|unknown option|not found|No such|invalid|unable|cannot|timed out)\b"
# Servers' pages name a status by code and reason: <title>502 Bad Gateway</title>
_PHRASE = r"(?P<type>[45]\d\d) (?P<message>[A-Z][A-Za-z' -]{2,60}+)"
# Codes that AWS lists as common to its services, and those of S3 that users meet: the SDK for JavaScript prints "Code: message" and no other sign
_AWS = r"AccessDenied(?:Exception)?|ExpiredToken(?:Exception)?|ExpiredTokenException|IncompleteSignature|InternalFailure|InvalidAccessKeyId|InvalidBucketName|InvalidClientTokenId|InvalidObjectState|NoSuchBucket|NoSuchKey|NoSuchUpload|BucketAlreadyExists|BucketNotEmpty|OptInRequired|PermanentRedirect|RequestExpired|RequestTimeTooSkewed|ServiceUnavailable|SignatureDoesNotMatch|SlowDown|ThrottlingException|UnrecognizedClientException|ValidationException|ResourceNotFoundException|ProvisionedThroughputExceededException|CredentialsProviderError"
_CODE = r"[A-Z]\w{2,80}(?:\.\w{2,80}){0,3}"
_XML_BELOW = lazy(r"<Message>(?P<message>[^<\n]++)</Message>")
# az and Azure's SDKs print "(Code) message"; a code is a compound that ends or begins like a fault, so that "(JavaScript) ..." is none
_AZURE = r"(?:[A-Z]\w{2,60}(?:Failed|NotFound|Exceeded|Forbidden|Denied|Conflict|Error|NotAllowed|NotSupported|Exists|InUse|Unauthorized|Required|NotRegistered|NotAvailable|Unavailable|Mismatch|Missing|Disabled|Locked)|(?:Invalid|Missing|Unsupported|Cannot)[A-Z]\w{2,60})"
_NET = r"ERR_[A-Z0-9_]{2,60}"
_URL = r"\S{1,2000}+"
_METHOD = r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)"

REASON_PHRASES = frozenset(
    (
        "Bad Request", "Unauthorized", "Payment Required", "Forbidden", "Not Found", "Method Not Allowed", "Not Acceptable", "Request Timeout", "Conflict", "Gone",
        "Payload Too Large", "Content Too Large", "URI Too Long", "Unsupported Media Type", "Unprocessable Entity", "Unprocessable Content", "Locked", "Failed Dependency",
        "Too Many Requests", "Internal Server Error", "Not Implemented", "Bad Gateway", "Service Unavailable", "Gateway Timeout", "Insufficient Storage",
    )
)  # fmt: skip
"""``"error": "Service Unavailable"`` of Spring's bodies names the status (RFC 9110), no class."""

CLIENTS: tuple[MessageForm, ...] = (
    # --- HTTP: a status tells less than any sentence about it
    MessageForm("http", lazy(r"(?:< ?)?HTTP/[123](?:\.[019])? (?P<type>[45]\d\d)(?: (?P<message>[A-Z][\w'-]{1,30}(?: [\w'-]{1,30}){0,4}))?[ \t\r]*$"), Severity.SUMMARY, type="HTTP {}"),
    MessageForm("http", lazy(rf"(?:<html>)?(?:<head>)?<(?:title|h1)>(?:Error )?{_PHRASE}</(?:title|h1)>"), Severity.SUMMARY, type="HTTP {}"),
    MessageForm("http", lazy(rf"<center><h1>{_PHRASE}</h1></center>"), Severity.SUMMARY, type="HTTP {}"),
    # --- curl, wget
    MessageForm("curl", lazy(r"curl: \((?P<type>\d{1,3})\) (?P<message>[^\n]++)"), type="curl {}"),
    MessageForm("wget", lazy(r"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d )?ERROR (?P<type>[45]\d\d): (?P<message>[^\n]++)"), type="HTTP {}"),
    MessageForm("wget", lazy(r"(?P<message>Connecting to [^\n]{1,600}?\.\.\. failed: [^\n]++)")),
    MessageForm("wget", lazy(r"(?P<message>Resolving [^\n]{1,600}?\.\.\. failed: [^\n]++)"), Severity.SUMMARY),
    MessageForm("wget", lazy(r"wget: (?P<message>(?:unable to resolve host|server returned error|can't connect|bad address|missing URL|download timed out|error getting response)[^\n]*+)")),
    MessageForm("wget", lazy(r"ERROR: (?P<message>(?:The certificate of|cannot verify|certificate common name|no certificate subject)[^\n]++)")),
    MessageForm("wget", lazy(r"(?P<message>Unable to establish SSL connection\.)[ \t]*$"), Severity.SUMMARY),
    # --- OpenSSL: pid or thread:error:code:library:function:reason:file:line
    MessageForm("openssl", lazy(r"(?:[0-9A-Fa-f]{1,20}:)?error:(?P<type>[0-9A-Fa-f]{8}):[\w ()]{1,60}:[\w .()-]{0,80}:(?P<message>[^:\n]++)")),
    MessageForm("openssl", lazy(r"verify error:num=(?P<type>\d{1,3}):(?P<message>[^\n]++)"), type="verify error {}"),
    MessageForm("openssl", lazy(r"error (?P<type>\d{1,3}) at \d{1,3} depth lookup: ?(?P<message>[^\n]++)"), type="verify error {}"),
    MessageForm("openssl", lazy(r"Verify return code: (?P<type>[1-9]\d{0,2}) \((?P<message>[^)\n]++)\)"), Severity.SUMMARY, type="verify error {}"),
    MessageForm("openssl", lazy(r"(?P<message>Could not (?:open file or uri for loading|read) [\w ]{1,60}? (?:from|of) \S{1,500})[ \t]*$")),
    # --- ssh and its family
    MessageForm("ssh", lazy(r"@{1,80}+ {1,40}WARNING: (?P<message>(?:REMOTE HOST IDENTIFICATION HAS CHANGED|UNPROTECTED PRIVATE KEY FILE|POSSIBLE DNS SPOOFING DETECTED)!)")),
    MessageForm("ssh", lazy(r"ssh: (?P<message>(?:connect to host|Could not resolve hostname) [^\n]++)")),
    MessageForm("ssh", lazy(rf"(?:[\w.+-]{{1,64}}@{_HOST}: )?(?P<message>Permission denied \((?:publickey|password|keyboard-interactive|gssapi-[\w-]{{1,20}}|hostbased|none)[\w,-]{{0,100}}\)\.?)[ \t]*$")),
    MessageForm("ssh", lazy(r"(?P<message>Host key verification failed\.)[ \t]*$")),
    MessageForm("ssh", lazy(rf"(?P<message>Unable to negotiate with {_HOST} port \d{{1,5}}: [^\n]++)")),
    MessageForm("ssh", lazy(r"(?P<message>(?:kex_exchange_identification|ssh_exchange_identification|ssh_dispatch_run_fatal|client_loop|packet_write_wait): [^\n]++)")),
    MessageForm("ssh", lazy(rf"(?P<message>Received disconnect from {_HOST} port \d{{1,5}}:\d{{1,3}}: [^\n]++)")),
    MessageForm("ssh", lazy(r'(?P<message>Load key "[^"\n]{1,300}": [^\n]++)')),
    MessageForm("sshd", lazy(rf"(?P<message>Bind to port \d{{1,5}} on {_HOST} failed: [^\n]++)")),
    MessageForm("ssh", lazy(rf"(?P<message>bind \[{_HOST}\]:\d{{1,5}}: [^\n]++|channel_setup_fwd_listener_tcpip: [^\n]++)")),
    MessageForm("ssh", lazy(rf"(?P<message>(?:scp: Connection closed|Connection (?:closed|reset) by {_HOST} port \d{{1,5}}))[ \t]*$"), Severity.SUMMARY),
    # --- rsync: what failed, and the summary with the exit code
    MessageForm("rsync", lazy(rf"rsync: (?:\[\w{{1,20}}\] |(?={_FAILS}))(?P<message>[^\n]++)")),
    MessageForm("rsync", lazy(r"rsync error: (?P<message>[^\n]{1,300}?) \(code (?P<type>\d{1,3})\) at "), Severity.SUMMARY, type="rsync {}"),
    # --- DNS and reachability
    MessageForm("dns", lazy(rf"\*\* (?P<message>server can't find \S{{1,300}}: (?P<type>{_RCODE}))")),
    MessageForm("dns", lazy(rf"(?P<message>Host \S{{1,300}} not found: \d{{1,2}}\((?P<type>{_RCODE})\))")),
    MessageForm("dns", lazy(rf";; ->>HEADER<<- opcode: \w{{1,20}}, status: (?P<type>{_RCODE}), id: ")),
    MessageForm("dns", lazy(rf";; Got (?P<type>{_RCODE}) reply from "), Severity.SUMMARY),
    MessageForm("dns", lazy(r";; (?P<message>(?:communications error to |connection timed out|no response from )[^\n]++)")),
    MessageForm("dns", lazy(r";; (?P<message>no servers could be reached)"), Severity.SUMMARY),
    MessageForm("ping", lazy(r"ping6?: (?P<message>(?:(?:unknown host|connect:|cannot resolve|sendmsg:|socket:) [^\n]++|\S{1,300}: (?:Name or service not known|Temporary failure in name resolution|No address associated with hostname|Unknown host)))")),
    MessageForm("ping", lazy(rf"From {_HOST}(?: \([\w.:]{{1,60}}\))?:? icmp_seq=\d{{1,9}} (?P<message>(?:Destination|Time to live|Packet filtered|Redirect)[^\n]*+)")),
    MessageForm("telnet", lazy(r"telnet: (?P<message>(?:Unable to connect to remote host|could not resolve |connect to address )[^\n]*+)")),
    MessageForm("nc", lazy(rf"nc: (?P<message>(?:connect to {_HOST} port|getaddrinfo|port number|bind failed)[^\n]++)")),
    # --- clients of PostgreSQL without a code (runtime sql reads those with one)
    MessageForm("postgresql", lazy(r"(?:psql|pg_dump|pg_dumpall|pg_restore|pg_basebackup|pg_ctl|createdb|dropdb|createuser|vacuumdb|reindexdb|initdb): (?:error|fatal): (?P<message>[^\n]++)")),
    MessageForm("mariadb", lazy(r"(?:mysql|mariadb)-?(?:dump|admin|check|import|show|slap|binlog): (?P<message>(?:Got error: \d{4}: |connect to server at |Error: |unknown (?:option|variable) )[^\n]++)")),
    MessageForm("librdkafka", lazy(r"%[0-4]\|\d{1,12}\.\d{1,6}\|(?:FAIL|ERROR|FATAL|CONFWARN|MAXPOLL|SESSTMOUT|REQTMOUT)\|[^|\n]{1,200}\| \[thrd:[^\]\n]{1,300}\]: (?P<message>[^\n]++)")),
    # --- AWS and what speaks S3
    MessageForm("aws", lazy(rf"[^\n]{{0,600}}?\b(?:An error occurred \(|A client error \()(?P<type>{_CODE}|\d{{3}})\) (?:occurred )?when calling the \w{{2,80}} operation(?: \(reached max retries: \d{{1,3}}\))?: (?P<message>[^\n]++)")),
    MessageForm("aws", lazy(rf"[^\n]{{0,600}}?\bapi error (?P<type>{_CODE}): (?P<message>[^\n]++)")),
    MessageForm("aws", lazy(rf"(?P<message>[^(\n]{{1,1000}}+) ?\(Service: [\w .-]{{1,60}}; Status Code: \d{{3}}; Error Code: (?P<type>{_CODE}); Request ID: ")),
    MessageForm("s3", lazy(rf"(?:<\?xml[^>\n]{{0,200}}\?>[ \t]*+)?(?:<(?:Response|Errors|Error|ErrorResponse)(?: [^>\n]{{0,200}})?>){{0,3}}+<Code>(?P<type>{_CODE})</Code><Message>(?P<message>[^<\n]++)</Message>")),
    MessageForm("s3", lazy(rf"<Code>(?P<type>{_CODE})</Code>[ \t]*$"), below=_XML_BELOW),
    MessageForm("aws", lazy(rf"(?:Error: )?(?P<type>{_AWS}): (?P<message>[^\n]++)")),
    MessageForm("aws", lazy(r"(?P<message>(?:Could not connect to the endpoint URL: |Unable to locate credentials|You must specify a region|The config profile \()[^\n]*+)")),
    # --- Alibaba Cloud, Tencent Cloud
    MessageForm("aliyun", lazy(rf"HTTP Status: \d{{3}},? Error:(?P<type>{_CODE}) (?P<message>[^\n]{{1,2000}}?) RequestI[Dd]: ")),
    MessageForm("aliyun", lazy(rf"\[?ErrorCode\]?: ?(?P<type>{_CODE})[ \t]*$"), below=lazy(r"\[?(?:Error)?Message\]?: ?(?P<message>[^\n]++)")),
    MessageForm("aliyun", lazy(rf"ErrorCode ?: ?(?P<type>{_CODE})[ ,]{{1,3}}ErrorMessage ?: ?(?P<message>[^\n]++)")),
    MessageForm("aliyun", lazy(rf"(?:Error: )?(?P<type>{_CODE}): code: [45]\d\d, (?P<message>[^\n]{{1,2000}}?) request id: ")),
    MessageForm("tencent", lazy(rf"\[TencentCloudSDK(?:Exception|Error)\] ?[Cc]ode[:=] ?(?P<type>{_CODE}),? [Mm]essage[:=] ?(?P<message>[^\n]{{1,2000}}?),? [Rr]equest_?[Ii]d[:=]")),
    # --- Google Cloud
    MessageForm("gcloud", lazy(r"ERROR: \((?:gcloud|bq|gsutil)[\w.-]{0,120}\) (?:(?P<type>[A-Z]{3,20}(?:_[A-Z]{3,20}){0,3}): )?(?P<message>[^\n]{0,4000}+(?<!:))$")),
    MessageForm("gcloud", lazy(r"ERROR: \((?:gcloud|bq|gsutil)[\w.-]{0,120}\) [^\n]{1,4000}+(?<=:)$"), below=lazy(r"(?:- )?(?P<message>\S[^\n]*+)")),
    MessageForm("gcloud", lazy(r"(?:CommandException: )?(?P<type>(?:AccessDenied|NotFound|BadRequest|Unauthorized|Precondition|ServiceUnavailable)\w{0,12}Exception): (?P<message>[45]\d\d [^\n]++)")),
    MessageForm("googleapi", lazy(r"(?:Error: )?googleapi: Error [45]\d\d: (?P<message>[^\n]{1,4000}), (?P<type>[a-z][A-Za-z]{2,60})$")),
    MessageForm("googleapi", lazy(r"(?:Error: )?googleapi: Error (?P<type>[45]\d\d): (?P<message>[^\n]++)"), type="HTTP {}"),
    # --- Azure
    MessageForm("azure", lazy(rf"(?:ERROR: )?\((?P<type>{_AZURE})\) (?P<message>[A-Z'\"][^\n]++)")),
    MessageForm("azure", lazy(rf"Code: (?P<type>{_AZURE})[ \t]*$"), below=lazy(r"Message: (?P<message>[^\n]++)")),
    MessageForm("azure", lazy(r"(?:[^\n]{0,200}?\b)?(?P<type>AADSTS\d{5,7}): (?P<message>[^\n]++)")),
    MessageForm("browser", lazy(r"Access to [\w -]{3,40} at '[^'\n]{1,2000}'(?: \(redirected from '[^'\n]{1,2000}'\))? from origin '[^'\n]{1,300}' has been blocked by CORS policy: (?P<message>[^\n]++)"), type="CORS policy"),
    MessageForm("firefox", lazy(r"Cross-Origin Request Blocked: (?P<message>[^\n]++)"), type="CORS policy"),
    MessageForm("browser", lazy(r"(?P<message>(?:Refused to|Loading|Connecting to|Framing|Executing|Evaluating|Applying|Sending|Creating|Running|Navigating)[^\n]{1,2000}? violates the following Content Security Policy directive[^\n]*+)"), type="Content Security Policy"),
    MessageForm("firefox", lazy(r"Content[ -]Security[ -]Policy: (?P<message>The page.s settings (?:blocked|would block)[^\n]++)"), type="Content Security Policy"),
    MessageForm("browser", lazy(r"Mixed Content: (?P<message>The page at '[^\n]++)"), type="Mixed Content"),
    MessageForm("browser", lazy(rf"{_METHOD} {_URL} net::(?P<type>{_NET})")),
    MessageForm("browser", lazy(rf"(?P<message>{_METHOD} {_URL} (?P<type>[45]\d\d) \([^)\n]{{0,100}}\))"), type="HTTP {}"),
    MessageForm("browser", lazy(rf"Failed to load resource: net::(?P<type>{_NET})")),
    MessageForm("browser", lazy(r"Failed to load resource: (?P<message>the server responded with a status of (?P<type>[45]\d\d) \([^)\n]{0,100}\))"), type="HTTP {}"),
    MessageForm("browser", lazy(rf"(?P<message>WebSocket connection to '[^'\n]{{1,2000}}' failed: [^\n]{{0,500}}?net::(?P<type>{_NET}))")),
    MessageForm("browser", lazy(r"(?P<message>WebSocket connection to '[^'\n]{1,2000}' failed: ?[^\n]*+)")),
    MessageForm("chromium", lazy(rf"(?:Error: )?(?:[Pp]age\.goto: |unknown error: )?net::(?P<type>{_NET})(?: at {_URL})?")),
    # --- NSError's description, and GLib's g_log
    MessageForm("apple", lazy(r"[^\n]{0,400}?\bError Domain=(?P<type>[\w.-]{2,80} Code=-?\d{1,10}) \"(?P<message>[^\"\n]{2,2000}+)\"")),
    MessageForm("glib", lazy(r"(?:\(|\*\* \()[\w. -]{1,80}:\d{1,9}\): (?:[\w.-]{1,60}-)?(?:CRITICAL|ERROR) \*\*: (?:\d\d:\d\d:\d\d\.\d{3}: )?(?P<message>[^\n]++)")),
    MessageForm("glib", lazy(r"(?:\(|\*\* \()[\w. -]{1,80}:\d{1,9}\): (?:[\w.-]{1,60}-)?WARNING \*\*: (?:\d\d:\d\d:\d\d\.\d{3}: )?(?P<message>[^\n]++)"), Severity.WARNING),
    MessageForm("firefox", lazy(r"(?P<message>NetworkError when attempting to fetch resource\.)[ \t]*$")),
)  # fmt: skip


# What Kubernetes, its tools and the container runtimes below it print about errors.
#
# Sources: kubernetes.io (kubectl reference, Debug Pods, System Logs), the gRPC status codes, helm.sh, docs.docker.com.
# The value of ``err="..."`` keeps its escapes (``\"``), as printed.

_AGE = r"(?:<unknown>|<invalid>|(?:\d{1,5}[smhdy]){1,4})(?: \(x\d{1,9} over [\dsmhdy]{1,12}\))?"
_GAP = r"[ \t]++"
_STATUS = r"CANCELLED|UNKNOWN|INVALID_ARGUMENT|DEADLINE_EXCEEDED|NOT_FOUND|ALREADY_EXISTS|PERMISSION_DENIED|RESOURCE_EXHAUSTED|FAILED_PRECONDITION|ABORTED|OUT_OF_RANGE|UNIMPLEMENTED|INTERNAL|UNAVAILABLE|DATA_LOSS|UNAUTHENTICATED"
# Reasons and statuses that say only that it goes on failing: the cause stands elsewhere
_AGAIN = r"(?:Init:)?(?:CrashLoopBackOff|ImagePullBackOff|Error)"
_CAUSES = r"(?:Init:)?(?:OOMKilled|ErrImagePull|ErrImageNeverPull|InvalidImageName|ImageInspectError|RegistryUnavailable|CreateContainerConfigError|CreateContainerError|CreatePodSandboxError|RunContainerError|ContainerCannotRun|ContainerStatusUnknown|StartError|PostStartHookError|PreStopHookError|Evicted|DeadlineExceeded|UnexpectedAdmissionError|OutOfcpu|OutOfmemory|OutOfpods|NodeLost|NodeAffinity)"
_KLOG = r"\d{4} \d\d:\d\d:\d\d\.\d{1,9} {1,8}\d{1,9} [\w.-]{1,120}:\d{1,6}\] "
_QUOTED = r'(?:[^"\\\n]|\\.)'


def _pod(status: str) -> str:
    """Return a row of ``kubectl get pods``: ``web-0   0/1   CrashLoopBackOff   6 (2m ago)   14m``, perhaps below a namespace."""
    return rf"(?:[\w.-]{{1,253}}{_GAP}){{1,2}}\d{{1,4}}/\d{{1,4}}{_GAP}\*{{0,2}}(?P<type>{status})\*{{0,2}}(?:{_GAP}\d{{1,9}}(?:[ \t]|$)|[ \t]*$)"


def _reason(reason: str) -> str:
    """``Reason:  OOMKilled`` of describe, ``reason: OOMKilled`` of YAML, ``"reason": "OOMKilled",`` of JSON."""
    return rf'"?[Rr]eason"?:[ \t]*+"?(?P<type>{reason})"?,?[ \t]*$'


_MESSAGE_BELOW = lazy(r'(?:"?[Mm]essage"?:[ \t]*+"?|(?=Exit Code:))(?P<message>[^\s"][^\n"]*+)')
"""``Message:  OCI runtime create failed: …``; of a container that left none ``Exit Code:    137``."""

KUBERNETES: tuple[MessageForm, ...] = (
    # --- events: Type Reason Age From Message, and LAST SEEN TYPE REASON OBJECT MESSAGE
    MessageForm("kubernetes", lazy(rf"(?:Warning|Normal){_GAP}(?P<type>BackOff){_GAP}{_AGE}{_GAP}[\w.-]{{1,80}}(?:, [\w.-]{{1,253}})?{_GAP}(?P<message>[^\n]++)"), Severity.SUMMARY),
    MessageForm("kubernetes", lazy(rf"Warning{_GAP}(?P<type>Failed){_GAP}{_AGE}{_GAP}[\w.-]{{1,80}}(?:, [\w.-]{{1,253}})?{_GAP}(?:spec\.[\w{{}}.-]{{1,120}}: )?(?P<message>Error: \w{{4,60}}[ \t]*$)"), Severity.SUMMARY),  # why is another event
    MessageForm("kubernetes", lazy(rf"Warning{_GAP}(?P<type>[A-Z]\w{{2,60}}){_GAP}{_AGE}{_GAP}[\w.-]{{1,80}}(?:, [\w.-]{{1,253}})?{_GAP}(?:spec\.[\w{{}}.-]{{1,120}}: )?(?P<message>[^\n]++)")),
    MessageForm("kubernetes", lazy(rf"(?:[\w.-]{{1,253}}{_GAP})?{_AGE}{_GAP}(?:Warning|Normal){_GAP}(?P<type>BackOff){_GAP}[\w.]{{1,80}}/\S{{1,253}}{_GAP}(?P<message>[^\n]++)"), Severity.SUMMARY),
    MessageForm("kubernetes", lazy(rf"(?:[\w.-]{{1,253}}{_GAP})?{_AGE}{_GAP}Warning{_GAP}(?P<type>[A-Z]\w{{2,60}}){_GAP}[\w.]{{1,80}}/\S{{1,253}}{_GAP}(?P<message>[^\n]++)")),
    MessageForm("kubernetes", lazy(rf"{_AGE}{_GAP}{_AGE}{_GAP}\d{{1,9}}{_GAP}[^\n]{{0,400}}?\bWarning{_GAP}(?P<type>[A-Z]\w{{2,60}}){_GAP}(?:\{{[^}}\n]{{1,200}}\}}{_GAP})?(?P<message>[^\n]++)")),
    MessageForm("kubernetes", lazy(rf'I{_KLOG}"Event occurred"[^\n]{{0,1000}}? type="Warning" reason="(?P<type>\w{{2,60}})" message="(?P<message>{_QUOTED}{{1,4000}}+)"')),
    MessageForm("kubernetes", lazy(rf"(?:I{_KLOG})?Event\([^\n]{{1,1000}}?\): type: 'Warning' reason: '(?P<type>\w{{2,60}})' (?P<message>[^\n]++)")),
    MessageForm("kubernetes", lazy(rf"(?P<type>(?:Failed|Unhealthy|Network|Evict|Err|Inspect|Invalid|Rebooted|NodeNot|Insufficient|Back[Oo]ff)\w{{0,60}}){_GAP}(?:\d{{1,5}}[smhdy]){{1,4}}(?: \(x\d{{1,9}} over [\dsmhdy]{{1,12}}\))?{_GAP}[\w.-]{{1,80}}(?:, [\w.-]{{1,253}})?{_GAP}(?P<message>[^\n]++)")),  # its first column was not copied
    # --- states of pods and containers
    MessageForm("kubernetes", lazy(_pod(_AGAIN)), Severity.SUMMARY),
    MessageForm("kubernetes", lazy(_pod(_CAUSES))),
    MessageForm("kubernetes", lazy(rf"[\w.-]{{1,253}}{_GAP}(?P<type>NotReady)(?:,SchedulingDisabled)?{_GAP}(?:<none>|[\w,-]{{1,120}}){_GAP}{_AGE}{_GAP}v\d")),
    MessageForm("kubernetes", lazy(_reason(r"(?:Init:)?Error")), Severity.SUMMARY, below=_MESSAGE_BELOW),
    MessageForm("kubernetes", lazy(_reason(_AGAIN)), Severity.SUMMARY, below=_MESSAGE_BELOW, says_all=True),
    MessageForm("kubernetes", lazy(_reason(_CAUSES)), below=_MESSAGE_BELOW, says_all=True),
    MessageForm("kubernetes", lazy(r"(?P<message>(?:Last )?State:[ \t]++Terminated|Exit Code:[ \t]++\d{1,5})[ \t]*$"), Severity.WARNING),  # why is a line below
    # --- klog: severity letter, date, time, pid, file; what client-go's HandleError logs ("Unhandled Error") did not stop the program
    MessageForm("klog", lazy(rf'[EF]{_KLOG}"Unhandled Error" err="(?P<message>{_QUOTED}{{1,4000}}+)"'), Severity.WARNING),
    MessageForm("klog", lazy(rf'[EF]{_KLOG}"{_QUOTED}{{1,500}}+"[^\n]{{0,500}}? err="rpc error: code = (?P<type>\w{{2,30}}) desc = (?P<message>{_QUOTED}{{1,4000}}+)"')),
    MessageForm("klog", lazy(rf'[EF]{_KLOG}"{_QUOTED}{{1,500}}+"[^\n]{{0,500}}? err="(?P<message>{_QUOTED}{{1,4000}}+)"')),
    MessageForm("klog", lazy(rf'[EF]{_KLOG}"(?P<message>{_QUOTED}{{1,4000}}+)"')),
    MessageForm("klog", lazy(rf'[EF]{_KLOG}(?P<message>[^\s"][^\n]*+)')),
    MessageForm("klog", lazy(rf'W{_KLOG}"?(?P<message>[^\s"][^\n]*+)'), Severity.WARNING),
    # --- kubectl: the reasons are those of metav1.Status; Cassandra's "Error from server: code=" is a database's
    MessageForm("kubectl", lazy(r"Error from server(?: \((?P<type>[A-Z]\w{2,40})\))?: (?!code=)(?P<message>[^\n]++)")),
    MessageForm("kubectl", lazy(r'(?P<message>The [A-Z]\w{1,80} "[^"\n]{1,253}" is invalid: [^\n]++)'), type="Invalid"),
    MessageForm("kubectl", lazy(r"Unable to connect to the server: (?P<message>[^\n]++)")),
    MessageForm("kubectl", lazy(r"(?P<message>The connection to the server \S{1,300} was refused - did you specify the right host or port\?)")),
    MessageForm("kubectl", lazy(r"error: (?!(?:I|[Ww]e|[Mm]y|[Ww]hat|[Hh]ow|[Ww]hy|[Ww]hen)\b)(?P<message>[\"'\w][^\n]{3,}+)")),
    MessageForm("cobra", lazy(r"Error: (?P<message>(?:unknown (?:shorthand )?flag|unknown command|required flag\(s\)|accepts \d{1,3} arg\(s\))[^\n]*+)")),
    # --- kubeadm, helm
    MessageForm("kubeadm", lazy(r"(?P<message>error execution phase [\w/-]{1,80}: \[preflight\] Some fatal errors occurred:)"), Severity.SUMMARY),
    MessageForm("kubeadm", lazy(r"error execution phase [\w/-]{1,80}: (?P<message>[^\n]++)")),
    MessageForm("kubeadm", lazy(r"\[ERROR (?P<type>[A-Z][\w./-]{2,120})\]: (?P<message>[^\n]++)")),
    MessageForm("kubeadm", lazy(r"\[WARNING (?P<type>[A-Z][\w./-]{2,120})\]: (?P<message>[^\n]++)"), Severity.WARNING),
    MessageForm("helm", lazy(r"Error: (?:INSTALLATION|UPGRADE|ROLLBACK|UNINSTALLATION) FAILED: (?P<message>[^\n]++)")),
    # --- containers
    MessageForm("docker", lazy(r"(?:docker: |ERROR: |error: |Error: |failed to create network \S{1,100}: )?Error response from daemon: (?P<message>[^\n]++)")),
    MessageForm("docker", lazy(r"(?:docker: |ERROR: )?(?P<message>Cannot connect to the Docker daemon at [^\n]++)")),
    MessageForm("docker", lazy(r"Error: (?P<message>failed to (?:start|stop|remove) containers: [^\n]++)"), Severity.SUMMARY),
    MessageForm("containerd", lazy(r"ctr: (?=[^\n]{0,2000}?\b(?:failed|not found|cannot|error|denied|exists|must|invalid|no such|unknown)\b)(?P<message>[^\n]++)")),
    MessageForm("runc", lazy(r"(?P<message>(?:runc run failed|runc create failed|OCI runtime (?:create|exec|start) failed|container_linux\.go:\d{1,5}): [^\n]++)")),
    # --- gRPC: Go, Python, Node, Java
    MessageForm("grpc", lazy(r"[^\n`“]{0,300}?\brpc error: code = (?P<type>[A-Z]\w{1,30}) desc = (?P<message>[^\n]++)")),
    MessageForm("grpc", lazy(rf"status = StatusCode\.(?P<type>{_STATUS})[ \t]*$"), below=lazy(rf'details = "(?P<message>{_QUOTED}{{1,4000}}+)"')),
    MessageForm("grpc", lazy(rf"(?:Error: )?\d{{1,2}} (?P<type>{_STATUS}): (?P<message>[^\n]++)")),
    MessageForm("grpc", lazy(r"(?P<type>INVALID_ARGUMENT|DEADLINE_EXCEEDED|ALREADY_EXISTS|PERMISSION_DENIED|RESOURCE_EXHAUSTED|FAILED_PRECONDITION|UNIMPLEMENTED|UNAVAILABLE|UNAUTHENTICATED): (?P<message>[^\n]++)")),
    MessageForm("etcd", lazy(r"(?:Error: |\{\"error\":\")?(?P<message>etcdserver: (?:mvcc: )?[a-z][^\n\"]++)")),
    MessageForm("etcd", lazy(r"Error: (?P<message>context deadline exceeded)\b")),
)  # fmt: skip


_UNTIL_CLIENT = r"(?P<message>(?:(?!, client: )[^\n]){1,8000}+)"
_NGINX = r"(?:\d{4}/\d\d/\d\d \d\d:\d\d:\d\d )?"
_HTTPD = r"(?:\[[A-Z][a-z]{2} [A-Z][a-z]{2} [\d:. ]{1,30}\] )?"
_HTTPD_WHO = r"(?: ?\[pid \d{1,10}(?::tid \d{1,20})?\])?(?: \[(?:client|remote) \S{1,80}\])?"
_HTTPD_WHY = r"(?:\(\d{1,6}\)[^:\n]{1,200}: )?(?:(?P<type>AH\d{5}): )?(?P<message>(?:(?!, referer: )[^\n]){1,8000}+)"
_SQUID = r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?: kid\d{1,3})?\| "
_HAPROXY = r"(?:\d{1,3}/\d{6} )?\(\d{1,10}\) : "
_REDIS = r"\d{1,10}:[MCSX] \d\d [A-Z][a-z]{2} (?:\d{4} )?\d\d:\d\d:\d\d\.\d{3} # "
_UNIT = r"[\w@.\\:-]{1,200}\.(?:service|socket|mount|timer|target|device|swap|path|slice|scope)"
_SYSTEMD = r"(?:systemd(?:\[\d{1,10}\])?: )?"
_ERLANG = r"(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\.\d{1,6}(?:[+-]\d\d:\d\d|Z)? )?"
# The reasons of exits that Erlang itself raises; https://www.erlang.org/doc/system/errors.html
_EXIT = r"badarg|badarith|badmatch|function_clause|case_clause|if_clause|try_clause|undef|badfun|badarity|timeout_value|noproc|nocatch|system_limit|badkey|badmap|badrecord|noconnection"

SERVERS: tuple[MessageForm, ...] = (
    # --- nginx: [level] pid#tid: *connection text, client: ...
    MessageForm("nginx", lazy(rf"{_NGINX}\[(?:error|crit|alert|emerg)\] \d{{1,10}}#\d{{1,10}}: (?:\*\d{{1,20}} )?{_UNTIL_CLIENT}")),
    MessageForm("nginx", lazy(rf"{_NGINX}\[warn\] \d{{1,10}}#\d{{1,10}}: (?:\*\d{{1,20}} )?{_UNTIL_CLIENT}"), Severity.WARNING),
    MessageForm("nginx", lazy(r"(?P<message>[A-Za-z][^\n]{4,600}? while [A-Za-z][A-Za-z ]{3,60}+), client: [^\n,]{1,80}, server: ")),
    MessageForm("nginx", lazy(r"nginx: \[(?:error|crit|alert|emerg)\] (?P<message>[^\n]++)")),
    MessageForm("nginx", lazy(r"nginx: \[warn\] (?P<message>[^\n]++)"), Severity.WARNING),
    MessageForm("nginx", lazy(r"nginx: (?P<message>configuration file \S{1,500} test failed)"), Severity.SUMMARY),
    # --- Apache: [time] [module:level] [pid:tid] [client] (errno)text: AHnnnnn: text
    MessageForm("httpd", lazy(rf"{_HTTPD}\[\w{{0,40}}:(?:error|crit|alert|emerg)\]{_HTTPD_WHO} {_HTTPD_WHY}")),
    MessageForm("httpd", lazy(rf"{_HTTPD}\[\w{{0,40}}:warn\]{_HTTPD_WHO} {_HTTPD_WHY}"), Severity.WARNING),
    MessageForm("httpd", lazy(r"\[[A-Z][a-z]{2} [A-Z][a-z]{2} [\d:. ]{1,30}\] \[(?:error|crit|alert|emerg)\](?: \[client \S{1,80}\])? (?P<message>(?:(?!, referer: )[^\n]){1,8000}+)")),  # 2.2
    MessageForm("httpd", lazy(r"(?P<type>AH\d{5}): Syntax error on line \d{1,9} of [^\n]{1,500}:[ \t]*$"), below=lazy(r"(?P<message>[^\n]++)")),
    MessageForm("httpd", lazy(r"(?P<type>AH00558): (?P<message>[^\n]++)"), Severity.WARNING),  # "Could not reliably determine the server's name": is before every failure
    MessageForm("httpd", lazy(r"(?:\(\d{1,6}\)[^:\n]{1,200}: )?(?P<type>AH\d{5}): (?P<message>[^\n]++)")),
    # --- Envoy: what it answers for its upstream, and its access log with a flag (UF: no connection, UC: closed, UH: no healthy host)
    MessageForm("envoy", lazy(r"(?P<message>upstream connect error or disconnect/reset before headers[^\n]*+)")),
    MessageForm("envoy", lazy(r'\[[\d:.TZ-]{20,30}\] "[A-Z]{3,8} [^"\n]{1,2000}" [45]\d\d (?P<type>(?:UF|UC|UH|UO|UR|UT|URX|NR|NC|LR|LH)(?:,[A-Z]{2,5}){0,4}) (?P<message>[a-z_]{5,80}(?:\{[^}\n]{1,200}\})?)')),
    MessageForm("envoy", lazy(r'\[[\d:.TZ-]{20,30}\] "(?:[A-Z]{3,8} [^"\n]{1,2000}|- - -)" (?:[45]\d\d|0) (?P<type>(?:UF|UC|UH|UO|UR|UT|URX|NR|NC|LR|LH)(?:,[A-Z]{2,5}){0,4}) ')),
    # --- HAProxy, Squid
    MessageForm("haproxy", lazy(rf"(?:\[(?:WARNING|ALERT)\] {{1,4}}{_HAPROXY})?(?P<message>Server \S{{1,200}}/\S{{1,200}} is DOWN, reason: [^\n]++)")),
    MessageForm("haproxy", lazy(rf"\[ALERT\] {{1,4}}{_HAPROXY}(?P<message>[^\n]++)")),
    MessageForm("haproxy", lazy(rf"\[WARNING\] {{1,4}}{_HAPROXY}(?P<message>[^\n]++)"), Severity.WARNING),
    MessageForm("squid", lazy(rf"{_SQUID}(?:FATAL: |ERROR: )(?P<message>[^\n]++)")),
    MessageForm("squid", lazy(rf"{_SQUID}WARNING: (?P<message>[^\n]++)"), Severity.WARNING),
    MessageForm("squid", lazy(rf"{_SQUID}(?P<message>(?:commBind Cannot bind|\S{{1,300}}\(\d{{1,6}}\): unrecognized: )[^\n]++)")),
    # --- systemd: statuses from 200 on are its own (203/EXEC), below them they are the program's
    MessageForm("systemd", lazy(rf"{_SYSTEMD}(?:{_UNIT}: )?(?P<message>Failed at step [A-Z_]{{2,30}} spawning [^\n]++)")),
    MessageForm("systemd", lazy(rf"{_SYSTEMD}(?:{_UNIT}: )?Main process exited, code=exited, status=(?P<type>2\d\d/[A-Z_]{{2,40}})"), Severity.SUMMARY),
    MessageForm("systemd", lazy(rf"{_SYSTEMD}(?:{_UNIT}: )?(?P<message>(?:Main|Control) process exited, code=\w{{1,20}}, status=\S{{1,40}})"), Severity.SUMMARY),
    MessageForm("systemd", lazy(rf"{_SYSTEMD}(?:{_UNIT}: )?Failed with result '(?P<type>oom-kill|watchdog)'")),
    MessageForm("systemd", lazy(rf"{_SYSTEMD}(?:{_UNIT}: )?(?P<message>Failed with result '[\w-]{{1,40}}')"), Severity.SUMMARY),
    MessageForm("systemd", lazy(rf"{_SYSTEMD}{_UNIT}: (?P<message>(?:Command \S{{1,300}} is not executable: |Start request repeated too quickly|A process of this unit has been killed by the OOM killer|(?:start|stop) operation timed out|Failed to )[^\n]*+)")),
    MessageForm("systemd", lazy(rf"{_SYSTEMD}(?P<message>Unit {_UNIT} entered failed state)"), Severity.SUMMARY),
    MessageForm("systemd", lazy(rf"{_SYSTEMD}(?P<message>Failed to (?:start|stop|restart|reload|enable|disable|mask|unmask) {_UNIT}: [^\n]++)")),
    MessageForm("systemd", lazy(rf"{_SYSTEMD}(?P<message>Failed to start {_UNIT} - [^\n]++)"), Severity.SUMMARY),
    MessageForm("systemd", lazy(r"systemd\[\d{1,10}\]: (?P<message>Failed to start [^\n]++)"), Severity.SUMMARY),
    MessageForm("systemd", lazy(r"Active: failed \(Result: exit-code\)"), Severity.SUMMARY, below=lazy(r"(?:Process: \d{1,10} Exec\w{2,12}=[^\n]{1,4000}? |Main PID: \d{1,10} )\((?P<message>code=exited, status=(?P<type>2\d\d/[A-Z_]{2,40}))\)")),
    MessageForm("systemd", lazy(r"Active: (?P<message>failed \(Result: [\w-]{1,40}\))"), Severity.SUMMARY),
    MessageForm("systemd", lazy(rf"(?P<message>(?:Job for {_UNIT} (?:failed|canceled)|A dependency job for {_UNIT} failed)[^\n]*+)"), Severity.SUMMARY),
    MessageForm("systemd", lazy(r"(?P<message>System has not been booted with systemd as init system [^\n]++)")),
    MessageForm("systemd", lazy(r"(?P<message>Failed to (?:connect to bus|get D-Bus connection): [^\n]++)")),
    # --- Elasticsearch's checks at start: a count, then one a line
    MessageForm("elasticsearch", lazy(r"(?:ERROR: )?\[\d{1,3}\] bootstrap checks failed"), below=lazy(r"(?:bootstrap check failure )?\[1\](?: of \[\d{1,3}\])?: (?P<message>[^\n]++)")),
    # --- Redis
    MessageForm("redis", lazy(r"\*\*\* FATAL CONFIG FILE ERROR(?: \(Redis [\d.]{1,20}\))? \*\*\*"), below=lazy(r"(?!Reading the configuration file|>>> )(?P<message>[^\n]++)")),
    MessageForm("redis", lazy(rf"{_REDIS}(?:Warning: )?(?P<message>(?:Could not|Couldn't|Cannot|Can't|Failed|Error|Fatal|Bad|Unable|Out Of Memory|Short read|Unrecoverable|Wrong|Background saving error|MASTER aborted|Internal error)\b[^\n]++)")),
    MessageForm("redis", lazy(r"(?P<message>Could not connect to Redis at \S{1,300}: [^\n]++)")),
    # --- Erlang, RabbitMQ
    MessageForm("erlang", lazy(r"Error in process <[\d.]{3,30}> (?:on node '?[\w.@-]{1,200}'? )?with exit value:[ \t]*$"), below=lazy(rf"(?P<message>\{{{{1,4}}+(?P<type>{_EXIT})\b[^\n]*+)")),
    MessageForm("rabbitmq", lazy(r"=ERROR REPORT==== \d[^=\n]{5,60} ={2,4}$"), below=lazy(r"(?P<message>(?:closing |connection |Error on |AMQP |Channel error|Mnesia|Discarding |Failed )[^\n]++)")),
    MessageForm("erlang", lazy(r"exception (?:error|exit|throw): (?P<message>[^\n]++)")),
    MessageForm("erlang", lazy(rf"init terminating in do_boot \((?P<message>\{{{{1,4}}(?P<type>{_EXIT})\b[^\n]{{0,4000}}\}})\)[ \t]*$")),
    MessageForm("erlang", lazy(r"Kernel pid terminated \(\w{1,80}\) \((?P<message>[^\n]++)")),
    MessageForm("rabbitmq", lazy(rf"(?:{_ERLANG}\[error\] <[\d.]{{3,30}}> )?(?P<message>BOOT FAILED)[ \t]*$"), Severity.SUMMARY),
    MessageForm("rabbitmq", lazy(rf"(?:{_ERLANG}\[error\] <[\d.]{{3,30}}> )?Error (?:during startup|description): (?P<message>[^\n]++)")),
    MessageForm("rabbitmq", lazy(rf"{_ERLANG}\[error\] <[\d.]{{3,30}}> (?P<message>(?!=+$)\S[^\n]*+)")),
    MessageForm("rabbitmq", lazy(rf"{_ERLANG}\[warning\] <[\d.]{{3,30}}> (?P<message>\S[^\n]*+)"), Severity.WARNING),
    MessageForm("rabbitmq", lazy(r"Error: (?P<message>unable to perform an operation on node [^\n]++)")),
    MessageForm("erlang", lazy(rf"(?:\*\* )?(?P<message>\{{(?P<type>{_EXIT}),[^\n]++)")),
    # --- ZooKeeper, Kafka, Consul, Vault
    MessageForm("zookeeper", lazy(r"(?P<message>Error contacting service\. It is probably not running\.)")),
    MessageForm("kafka", lazy(r"Error while executing \w{1,30} command ?: (?P<message>[^\n]++)")),
    MessageForm("kafka", lazy(r"(?:\[[\d ,:-]{10,30}\] )?(?:WARN(?:ING)? )?(?:\[\w{1,40} clientId=[^\]\n]{1,300}\] )?(?P<message>Connection to node -?\d{1,10} \([^)\n]{1,300}\) could not be established\.(?: [A-Z][^(\n]{1,200}\.)?)"), Severity.WARNING),
    MessageForm("vault", lazy(r"(?:Error [^\n]{1,500}?: )?Error making API request\.[ \t]*$"), below=lazy(r"\* (?P<message>[^\n]++)")),
    MessageForm("consul", lazy(r"Error [a-z][\w ]{2,60}: (?P<message>Unexpected response code: \d{3}[^\n]*+)")),
    # --- java
    MessageForm("java", lazy(r"Error: (?P<message>(?:Could not create the Java Virtual Machine|A fatal exception has occurred\. Program will exit)\.)"), Severity.SUMMARY),
    MessageForm("java", lazy(r"Error: \w{5,40}Error occurred while loading main class "), below=lazy(r"(?P<type>(?:[a-z][\w$]{0,60}\.){1,8}[A-Z][\w$]{2,80}): (?P<message>[^\n]++)")),
    MessageForm("java", lazy(r"Error: (?P<message>(?:Could not find or load main class |Unable to (?:access|initialize) |Invalid or corrupt jarfile |Main method |A JNI error has occurred|JavaFX runtime components are missing|An unexpected error occurred while trying to open file )[^\n]*+)")),
    MessageForm("java", lazy(r"Error occurred during initialization of (?:VM|boot layer)[ \t]*$"), below=lazy(r"(?P<message>[^\n]++)")),
    MessageForm("java", lazy(r"(?P<message>(?:Unrecognized VM option '|Unrecognized option: |Invalid (?:maximum|initial) heap size: |Improperly specified VM option |Conflicting collector combinations )[^\n]++)")),
    MessageForm("java", lazy(r"(?:Java HotSpot|OpenJDK)[\w() -]{1,40} warning: (?P<message>[^\n]++)"), Severity.WARNING),
    MessageForm("java", lazy(r"ERROR: (?P<message>(?:transport error \d{1,4}: |JDWP )[^\n]++)")),
    MessageForm("java", lazy(r"(?P<message>JDWP exit error \w{1,60}\(\d{1,4}\): [^\n]++)"), Severity.SUMMARY),
    # --- Tomcat's error page: ``Type Exception Report``, ``Message …``, ``Description …``
    MessageForm("tomcat", lazy(r"(?:[Tt]ype|类型)[ \t]{1,4}(?:(?:[Ee]xception|[Ss]tatus) [Rr]eport|异常报告|状态报告)[ \t]*$"), below=lazy(r"(?:[Mm]essage|消息)[ \t]{1,4}(?P<message>\S[^\n]*+)")),
    # --- python, node
    MessageForm("python", lazy(r"(?:[^\s:]{0,300}/)?(?:python|pypy)[\d.]{0,6}(?:\.exe)?: (?P<message>(?:can't open file |No module named |can't find |Error while finding module )[^\n]++)")),
    MessageForm("python", lazy(r"(?P<message>Unknown option: --?\w[\w-]{0,60})[ \t]*$")),
    MessageForm("node", lazy(r"(?:[^\s:]{0,300}/)?node(?:\.exe)?: (?P<message>(?:bad option: |\S{1,120} (?:requires an argument|is not allowed in NODE_OPTIONS))[^\n]*+)")),
    # --- Spark, YARN, Hadoop
    MessageForm("spark", lazy(r"(?P<type>ExecutorLostFailure) \([^)\n]{1,200}\) Reason: (?P<message>[^\n]++)")),
    MessageForm("spark", lazy(r"Error: (?P<message>(?:Failed to load class |Unrecognized option: |Missing application resource|Cannot load main class from JAR |No main class set in JAR )[^\n]*+)")),
    MessageForm("spark", lazy(r"(?P<message>Could not find valid SPARK_HOME while searching [^\n]++)")),
    MessageForm("yarn", lazy(r"(?P<message>Container (?:killed by YARN for |\[pid=\d{1,10},containerID=\w{1,80}\] is running )[^\n]++)")),
    MessageForm("yarn", lazy(r"Exit status: -?\d{1,5}\. Diagnostics: (?P<message>[^\n]++)")),
    MessageForm("yarn", lazy(r"(?P<message>Application application_\d{1,20}_\d{1,10} failed \d{1,4} times due to [^\n]++)")),
    MessageForm("yarn", lazy(r"(?:[ \t]*diagnostics|Diagnostics): (?P<message>(?:User class threw exception: |Container |Exception |Failing |Application |AM Container |Task )[^\n]++)")),
    MessageForm("yarn", lazy(r"(?P<message>Container exited with a non-zero exit code \d{1,5})"), Severity.SUMMARY),
    MessageForm("hadoop", lazy(r"(?:[a-z]\w{1,20}: )?(?P<message>Permission denied: user=\S{1,100}, access=\w{1,30}, inode=[^\n]++)")),
    MessageForm("hadoop", lazy(r"(?:[a-z]\w{1,20}: )?(?P<message>Call From \S{1,300} to \S{1,300} failed on [^\n]++)")),
    MessageForm("hadoop", lazy(r"(?:[a-z]\w{1,20}: )?(?P<message>Cannot [^\n]{1,400}?\. Name node is in safe mode\.)")),
    # --- AWS Lambda's log: an id before the runtime's words
    MessageForm("lambda", lazy(r"(?:\d{4}-\d\d-\d\dT[\d:.]{8,15}Z )?(?:RequestId: )?[0-9a-f]{8}-[0-9a-f-]{27} (?:Error: )?(?P<message>(?:Task timed out after|Runtime exited|Process exited before|[A-Z][^\n]{0,200} timed out)[^\n]*+)")),
    # --- dbt: ``Database Error in model x (path)``, the database's words below
    MessageForm("dbt", lazy(r"(?:Database|Compilation|Runtime|Parsing|Dependency|Validation) Error(?: in (?:model|test|snapshot|seed|macro|rpc request|analysis|operation|sql operation) [^\n]{1,300})?$"), below=lazy(r"(?P<message>[^\n]++)")),
    # --- Flink, Airflow
    MessageForm("flink", lazy(r"The program finished with the following exception:[ \t]*$"), below=lazy(r"(?P<type>(?:[a-z][\w$]{0,60}\.){1,12}[A-Z][\w$]{2,80})(?:: (?P<message>[^\n]++))?")),
    MessageForm("airflow", lazy(r"Broken (?:DAG|plugin): \[[^\]\n]{1,500}\] (?!Traceback)(?P<message>[^\n]++)")),
    MessageForm("airflow", lazy(r"(?P<message>Task exited with return code (?!0\b)-?\d{1,5})"), Severity.SUMMARY),
    # --- R: ``Error in f(x) : m``, the message in the next line where the call is long; what ``R CMD INSTALL`` says last
    MessageForm("r", lazy(r"(?:ERROR|Error): (?P<message>(?:(?:lazy loading|compilation|configuration|unpacking) failed for package |loading failed|Failed to install '[^'\n]{1,100}' from )[^\n]*+)"), Severity.SUMMARY),
    MessageForm("r", lazy(r"(?P<message>Execution halted)$"), Severity.SUMMARY),
    MessageForm("r", lazy(r"(?P<message>installation of package [‘'][^’'\n]{1,400}[’'] had non-zero exit status)"), Severity.SUMMARY),
    MessageForm("r", lazy(r"Error(?: in [^\n]{1,400}|: package or namespace load failed for [‘'][^’'\n]{1,100}[’'](?: in [^\n]{1,200}| *))[ ]?:[ ]*$"), below=lazy(r"(?P<message>[^\n]++)")),
    MessageForm("r", lazy(r"Error in [\w.:$@]{1,80}\([^\n]{0,400}?\) : (?P<message>[^\n]++)")),
    # --- OpenCV: ``OpenCV(version) file:line: error: (code:name) message in function 'f'``
    MessageForm("opencv", lazy(r"(?:[Ee]rror: )?OpenCV\([\w.-]{1,40}\) [^\n]{1,400}?:\d{1,6}: error: \(-?\d{1,4}:[^()\n]{1,80}\) (?P<message>[^\n]{1,2000}?) in function '[^'\n]{1,200}'$"), runtime="native"),
    # --- CUDA, NCCL; RuntimeError and OutOfMemoryError of PyTorch are the runtime python's
    MessageForm("cuda", lazy(r"(?:RuntimeError: )?(?P<type>CUDA error): (?P<message>[^\n]++)")),
    MessageForm("cuda", lazy(r"(?:RuntimeError: )?(?:cuDNN|CUDA|CUBLAS|cuBLAS) error: (?P<type>(?:CUDNN|CUBLAS|CUFFT|CUSOLVER|CUSPARSE|CURAND)_STATUS_[A-Z_]{3,60})(?: (?P<message>when calling [^\n]++))?")),
    MessageForm("nvidia", lazy(r"(?P<message>NVIDIA-SMI has failed because [^\n]++|Failed to initialize NVML: [^\n]++|No devices were found[ \t]*$)")),
    MessageForm("nccl", lazy(r"(?:[\w.-]{1,253}:\d{1,10}:\d{1,10} \[\d{1,4}\] )?(?:[\w/.-]{1,120}:\d{1,6} )?NCCL WARN (?P<message>[^\n]++)")),
    MessageForm("nccl", lazy(r"(?P<type>nccl(?:System|Internal|UnhandledCuda|InvalidArgument|InvalidUsage|Remote)Error): (?P<message>[^\n]++)")),
    MessageForm("nccl", lazy(r"(?:RuntimeError: )?(?P<message>NCCL error in: [^\n]++)"), Severity.SUMMARY),
)  # fmt: skip
