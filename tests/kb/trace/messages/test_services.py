"""Error lines of servers, cluster tools and clients: examples that programs printed, or that their documentation shows."""

import json
import re
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from kb.trace.messages.form import MessageForm, Severity
from kb.trace.messages.forms import SERVICES as FORMS

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "messages" / "services"
EXAMPLES = [json.loads(line) for line in (GOLDEN / "examples.jsonl").read_text(encoding="utf-8").splitlines()]
LINES_BELOW = 8
"""Lines that are not blank among which `Form.below` finds its message: Vault's stands on the third."""
SYSLOG = re.compile(r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]{1,64} (?=[\w.-]{1,64}(?:\[\d{1,10}\])?: )")


class Claim(NamedTuple):
    severity: Severity
    type: str | None
    message: str | None
    line: str


def bare(line: str) -> str:
    """The line without indentation and without what journald prints; of ``systemd[12345]:`` what stands behind it is left, too."""
    body = line.strip()
    return body[found.end() :] if (found := SYSLOG.match(body)) else body


def form_of(line: str) -> tuple[MessageForm, re.Match[str]] | None:
    return next(((form, found) for form in FORMS if (found := form.pattern.match(line)) is not None), None)


def claim_at(lines: list[str], at: int) -> Claim | None:
    """What the first form that matches the line makes of it; None where it needs a line below that is not there."""
    known = form_of(bare(lines[at]))
    if known is None:
        return None
    form, found = known
    named = found.groupdict()
    if form.below is not None:
        following = [bare(line) for line in lines[at + 1 :] if line.strip()][:LINES_BELOW]
        below = next((hit for line in following if (hit := form.below.match(line))), None)
        named |= {key: value for key, value in (below.groupdict() if below else {}).items() if value}
    kind, message = named.get("type"), named.get("message")
    if form.type is not None:
        kind = form.type.format(kind) if kind or "{}" not in form.type else None
    return (
        Claim(form.severity, kind, message.strip() if message else None, lines[at].strip()) if kind or message else None
    )


def chosen(text: str) -> Claim | None:
    """The most severe line; of several, the first."""
    lines = text.splitlines()
    claims = [claim for at in range(len(lines)) if (claim := claim_at(lines, at)) is not None]
    return max(claims, key=lambda claim: claim.severity, default=None)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["file"])
def test_the_telling_line_of_an_example_is_chosen(example: dict[str, str]) -> None:
    text = (GOLDEN / example["file"]).read_text(encoding="utf-8")
    expected = Claim(Severity[example["severity"]], example["type"], example["message"], example["line"].strip())
    assert chosen(text) == expected


def test_every_form_has_an_example_or_a_line_here() -> None:
    texts = [(GOLDEN / example["file"]).read_text(encoding="utf-8") for example in EXAMPLES]
    lines = [bare(line) for text in texts for line in text.splitlines()] + [line for line, *_ in LINES]
    used = {id(known[0]) for line in lines if (known := form_of(line)) is not None}
    assert [(form.program, form.pattern.pattern) for form in FORMS if id(form) not in used] == []


E, S, W = Severity.ERROR, Severity.SUMMARY, Severity.WARNING
LINES: list[tuple[str, Severity, str | None, str | None]] = [
    # Apple's NSError as its description prints it; GLib's g_log
    ('Load failed: Error Domain=NSURLErrorDomain Code=-1009 "The Internet connection appears to be offline." UserInfo={}', E, "NSURLErrorDomain Code=-1009", "The Internet connection appears to be offline."),
    ("(till:4711): Gtk-CRITICAL **: 10:14:07.118: gtk_widget_show: assertion 'GTK_IS_WIDGET (widget)' failed", E, None, "gtk_widget_show: assertion 'GTK_IS_WIDGET (widget)' failed"),
    ("(till:4711): GLib-GIO-WARNING **: Unexpectedly, UWP app has no name", W, None, "Unexpectedly, UWP app has no name"),
    ("Active: failed (Result: oom-kill) since Tue 2026-11-24 10:14:07 UTC; 5s ago", S, None, "failed (Result: oom-kill)"),
    # Envoy: its documentation of local replies and of the access log
    ("upstream connect error or disconnect/reset before headers. reset reason: overflow", E, None, "upstream connect error or disconnect/reset before headers. reset reason: overflow"),
    ('[2026-01-02T10:00:00.000Z] "GET /till HTTP/2" 503 UH no_healthy_upstream - "-" 0 19 0 -', E, "UH", "no_healthy_upstream"),
    ('[2026-01-02T10:00:00.000Z] "GET /till HTTP/1.1" 503 UF 0 91 10 - "-" "curl/8.0"', E, "UF", None),
    ('[2026-01-02T10:00:00.000Z] "- - -" 0 UF,URX - - "-" 0 0 5000 -', E, "UF,URX", None),
    # kubectl's columns: kubernetes.io, Debug Pods; the events of the log: kube-controller-manager
    ("Warning  Failed     2s (x3 over 40s)  kubelet, node-1    Error: ErrImagePull", S, "Failed", "Error: ErrImagePull"),
    ("Warning FailedMount 3m kubelet Unable to attach or mount volumes: timed out", E, "FailedMount", "Unable to attach or mount volumes: timed out"),
    ("1h          1m         37        till-7   Pod       Warning   FailedMount   {kubelet node-1}      configmap shop not found", E, "FailedMount", "configmap shop not found"),
    ("FailedMount  12s (x9 over 2m3s)  kubelet, node-2  configmap shop not found", E, "FailedMount", "configmap shop not found"),
    ('shop   5s   Normal   BackOff   pod/web-0   Back-off pulling image "shop/web:9"', S, "BackOff", 'Back-off pulling image "shop/web:9"'),
    ("node-1   NotReady   worker   30d   v1.29.1", E, "NotReady", None),
    ("shop   web-0   0/2   Init:CrashLoopBackOff   6 (2m14s ago)   14m", S, "Init:CrashLoopBackOff", None),
    ("Reason:       CrashLoopBackOff", S, "CrashLoopBackOff", None),
    ("Reason:       Error", S, "Error", None),
    ('"reason": "CreateContainerConfigError",', E, "CreateContainerConfigError", None),
    ('I0823 11:02:03.123456       1 event.go:294] "Event occurred" object="shop/web-0" kind="Pod" apiVersion="v1" type="Warning" reason="FailedScheduling" message="0/3 nodes are available"', E, "FailedScheduling", "0/3 nodes are available"),
    ("I0823 11:02:03.123456       1 event.go:291] Event(v1.ObjectReference{Kind:\"Pod\", Name:\"web-0\"}): type: 'Warning' reason: 'FailedCreate' Error creating: quota exceeded", E, "FailedCreate", "Error creating: quota exceeded"),
    ('E0823 11:02:03.123456    1234 kubelet.go:1] "Node not found" node="node-1"', E, None, "Node not found"),
    ("W0823 11:02:03.123456    1234 reflector.go:324] failed to list *v1.Node: nodes is forbidden", W, None, "failed to list *v1.Node: nodes is forbidden"),
    ("error execution phase kubelet-start: a Node with name node-1 already exists in the cluster", E, None, "a Node with name node-1 already exists in the cluster"),
    ("[WARNING Swap]: swap is enabled; production deployments should disable swap", W, "Swap", "swap is enabled; production deployments should disable swap"),
    ("runc run failed: unable to start container process: exec: no such file or directory", E, None, "runc run failed: unable to start container process: exec: no such file or directory"),
    ("UNAVAILABLE: io exception", E, "UNAVAILABLE", "io exception"),
    ("Error: etcdserver: mvcc: database space exceeded", E, None, "etcdserver: mvcc: database space exceeded"),
    # servers
    ("2024/01/02 03:04:05 [warn] 12#12: *7 a client request body is buffered to a temporary file, client: 10.0.0.9", W, None, "a client request body is buffered to a temporary file"),
    ("upstream timed out (110: Connection timed out) while connecting to upstream, client: 10.0.0.1, server: shop, request", E, None, "upstream timed out (110: Connection timed out) while connecting to upstream"),
    ('nginx: [emerg] unknown directive "proxy_passs" in /etc/nginx/nginx.conf:2', E, None, 'unknown directive "proxy_passs" in /etc/nginx/nginx.conf:2'),
    ('nginx: [warn] conflicting server name "shop.internal" on 0.0.0.0:80, ignored', W, None, 'conflicting server name "shop.internal" on 0.0.0.0:80, ignored'),
    ("[Mon Nov 23 03:45:27.414607 2026] [ssl:warn] [pid 24830] AH01909: server certificate does NOT include an ID", W, "AH01909", "server certificate does NOT include an ID"),
    ("[Mon Nov 23 03:45:27 2015] [error] [client 10.0.0.9] File does not exist: /var/www/x, referer: http://shop.internal/", E, None, "File does not exist: /var/www/x"),
    ("AH00558: apache2: Could not reliably determine the server's fully qualified domain name", W, "AH00558", "apache2: Could not reliably determine the server's fully qualified domain name"),
    ("[WARNING] 123/101010 (12) : config : missing timeouts for frontend 'f'.", W, None, "config : missing timeouts for frontend 'f'."),
    ("2024/01/02 03:04:05 kid1| WARNING: Closing open FD   12", W, None, "Closing open FD   12"),
    ("myapp.service: Control process exited, code=exited, status=1/FAILURE", S, None, "Control process exited, code=exited, status=1/FAILURE"),
    ("myapp.service: Failed with result 'oom-kill'.", E, "oom-kill", None),
    ("systemd[1]: Unit myapp.service entered failed state.", S, None, "Unit myapp.service entered failed state"),
    ("systemd[1]: Failed to start LSB: Apache2 web server.", S, None, "Failed to start LSB: Apache2 web server."),
    ("Kernel pid terminated (application_controller) ({application_start_failure,rabbit})", E, None, "{application_start_failure,rabbit})"),
    ("** {badmatch,{error,enoent}}", E, "badmatch", "{badmatch,{error,enoent}}"),
    # clients
    ("Resolving shop.invalid (shop.invalid)... failed: Name or service not known.", S, None, "Resolving shop.invalid (shop.invalid)... failed: Name or service not known."),
    ("wget: unable to resolve host address ‘shop.invalid’", E, None, "unable to resolve host address ‘shop.invalid’"),
    ("Unable to establish SSL connection.", S, None, "Unable to establish SSL connection."),
    ("Verify return code: 20 (unable to get local issuer certificate)", S, "verify error 20", "unable to get local issuer certificate"),
    ("Could not read private key from /srv/app/key.pem", E, None, "Could not read private key from /srv/app/key.pem"),
    ("Received disconnect from 10.0.0.5 port 22:2: Too many authentication failures", E, None, "Received disconnect from 10.0.0.5 port 22:2: Too many authentication failures"),
    ("bind [127.0.0.1]:8080: Address already in use", E, None, "bind [127.0.0.1]:8080: Address already in use"),
    (";; Got SERVFAIL reply from 127.0.0.1", S, "SERVFAIL", None),
    ("From 10.0.0.1 icmp_seq=1 Destination Host Unreachable", E, None, "Destination Host Unreachable"),
    ("telnet: Unable to connect to remote host: Connection refused", E, None, "Unable to connect to remote host: Connection refused"),
    ("nc: connect to 127.0.0.1 port 8080 (tcp) failed: Connection refused", E, None, "connect to 127.0.0.1 port 8080 (tcp) failed: Connection refused"),
    ("< HTTP/2 503", S, "HTTP 503", None),
    ("mysqladmin: connect to server at '127.0.0.1' failed", E, None, "connect to server at '127.0.0.1' failed"),
    ("%3|1700000000.123|FAIL|rdkafka#producer-1| [thrd:localhost:9092/bootstrap]: Connect to ipv4#127.0.0.1:9092 failed: Connection refused", E, None, "Connect to ipv4#127.0.0.1:9092 failed: Connection refused"),
    # clouds
    ("ErrorCode : InvalidAccessKeyId.NotFound , ErrorMessage : Specified access key is not found.", E, "InvalidAccessKeyId.NotFound", "Specified access key is not found."),
    ("Error: InvalidAccessKeyId.NotFound: code: 404, Specified access key is not found. request id: 9D0AB4A5", E, "InvalidAccessKeyId.NotFound", "Specified access key is not found."),
    ("CommandException: NotFoundException: 404 gs://shop bucket does not exist.", E, "NotFoundException", "404 gs://shop bucket does not exist."),
    ("googleapi: Error 503: Backend Error", E, "HTTP 503", "Backend Error"),
    # browsers
    ("Content-Security-Policy: The page’s settings blocked the loading of a resource (script-src)", E, "Content Security Policy", "The page’s settings blocked the loading of a resource (script-src)"),
    ("GET https://shop.internal/cart 404 (Not Found)", E, "HTTP 404", "GET https://shop.internal/cart 404 (Not Found)"),
    ("WebSocket connection to 'wss://shop.internal/ws' failed: ", E, None, "WebSocket connection to 'wss://shop.internal/ws' failed:"),
    ("Page.goto: net::ERR_NAME_NOT_RESOLVED at https://shop.invalid/", E, "ERR_NAME_NOT_RESOLVED", None),
    # launchers
    ("OpenJDK 64-Bit Server VM warning: Options -Xverify:none and -noverify were deprecated in JDK 13", W, None, "Options -Xverify:none and -noverify were deprecated in JDK 13"),
    ("Unknown option: -Z", E, None, "Unknown option: -Z"),
    ("Could not find valid SPARK_HOME while searching ['/srv/app']", E, None, "Could not find valid SPARK_HOME while searching ['/srv/app']"),
    ("diagnostics: User class threw exception: java.lang.IllegalStateException: no topic", E, None, "User class threw exception: java.lang.IllegalStateException: no topic"),
    ("mkdir: Cannot create directory /x. Name node is in safe mode.", E, None, "Cannot create directory /x. Name node is in safe mode."),
    ("Task exited with return code 1", S, None, "Task exited with return code 1"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "severity", "kind", "message"), LINES)
def test_one_line(line: str, severity: Severity, kind: str | None, message: str | None) -> None:
    assert claim_at([line], 0) == Claim(severity, kind, message, line.strip())


def test_a_line_below_is_needed_where_the_form_says_so() -> None:
    assert claim_at(["Error making API request."], 0) is None
    assert claim_at(["<Code>NoSuchKey</Code>", "<Message>No such key</Message>"], 0) == Claim(
        E, "NoSuchKey", "No such key", "<Code>NoSuchKey</Code>"
    )


PROSE = (
    "Error handling in kubectl is described in the manual.",
    "The pod was in CrashLoopBackOff for an hour before we saw that it was OOMKilled.",
    "Reason: the operator forgot to scale the deployment",
    "Warning signs were there, and the scheduler had no nodes left",
    "web-0 was restarted 6 times on Monday, 2 of 3 replicas stayed",
    "We saw E0823 lines of klog in the kubelet's log.",
    "The server refused the connection and kubectl printed a hint.",
    "helm said that the upgrade had failed: see below",
    "nginx returned 502 Bad Gateway because the upstream was down",
    "HTTP/1.1 502 Bad Gateway is what the load balancer returned to every client that day",
    "In HTTP/1.1 a 404 Not Found has a body",
    "Apache logs AH00957 when the backend is gone",
    "curl: a client for URLs",
    "ssh: the client; sshd: the server",
    "rsync: how we copy the archive every night",
    "ping: we use it to see whether the host is up",
    "telnet: an old protocol",
    "ctr: the command line of containerd",
    "Permission denied (publickey). means that no key was accepted",
    "Host key verification failed. We removed the old line and went on.",
    "Failed to start the service, then restarted the node.",
    "Failed to start. See the runbook.",
    "Active: failed deployments are listed below",
    "systemd marks the unit as failed (Result: exit-code)",
    "Redis was started with a wrong configuration file",
    "Server DOWN alerts came from HAProxy",
    "[ALERT] the disk is full, please act",
    "[error] this line has neither a pid nor a connection",
    "[emerg] is nginx's most severe level",
    "An error occurred when calling the service, and the user saw a blank page.",
    "AccessDenied is what S3 answers when the policy has no statement",
    "(JavaScript) the page calls the API twice",
    "(Note) The client must retry",
    "Code: see the repository",
    "Message: please call back",
    "ERROR: (see above) the gcloud command has to be repeated",
    "Access to the cluster has been blocked by CORS policy, said the browser",
    "Loading the page took 3 s, which violates the SLO",
    "GET https://shop.internal/cart returns 404 when the cart is empty",
    "net::ERR codes are listed in net_error_list.h",
    "Mixed Content: what is it?",
    "Unknown option: none of these fits",
    "Diagnostics: we took a heap dump",
    "Container images were rebuilt, and the job was killed by YARN",
    "Exit status: 143 means SIGTERM",
    "CUDA errors are asynchronous",
    "NCCL WARNING signs",
    "UNAVAILABLE is the status of gRPC for a server that is gone",
    "The rpc error had code Unavailable",
    "Error in process design: nobody owned the queue",
    "exception errors in Erlang end the process",
    "Connection closed. We tried again.",
    "Could not read private key from the vault, so the deployment was stopped",
    "Application application_1 failed",
    "python: which version do you use?",
    "node: the machine on which a pod runs",
    "java 17 is needed to start the server",
    "错误：连接被拒绝，请检查网络",
    "",
)


@pytest.mark.parametrize("line", PROSE)
def test_prose_is_no_error_line(line: str) -> None:
    assert form_of(line) is None


def test_a_form_names_what_it_finds() -> None:
    """Only the two groups, and at least one of them: a line of neither says nothing."""
    for form in FORMS:
        groups = {*form.pattern.groupindex, *(form.below.groupindex if form.below else ())}
        assert groups, form.pattern.pattern
        assert groups <= {"type", "message"}, form.pattern.pattern


def hostile_lines(line: str) -> list[str]:
    """The line's beginnings again and again, and a long run of one kind of character behind each."""
    size, starts = 20_000, {line[: len(line) * part // 8] or line for part in (1, 2, 4, 6, 8)}
    return [
        text
        for start in starts
        for text in (
            start * (size // len(start) + 1),
            *(start + fill * size for fill in (" ", "a", "1", ".", "(", "{", '"', "a ", "a: ", "\\", ", x")),
        )
    ]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.program)
def test_a_hostile_line_costs_little(form: MessageForm) -> None:
    known = [
        bare(line)
        for example in EXAMPLES
        for line in (GOLDEN / example["file"]).read_text(encoding="utf-8").splitlines()
    ] + [line for line, *_ in LINES]
    line = next((line for line in known if form.pattern.match(line)), "Error: x")
    patterns = [form.pattern, *([form.below] if form.below else [])]
    for hostile in hostile_lines(line):
        for pattern in patterns:
            started = time.process_time()
            pattern.match(hostile)
            assert time.process_time() - started < 0.05, (pattern.pattern, hostile[:80])
