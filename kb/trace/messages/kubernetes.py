r"""What Kubernetes, its tools and the container runtimes below it print about errors.

Sources: kubernetes.io (kubectl reference, Debug Pods, System Logs), the gRPC status codes, helm.sh, docs.docker.com.
The value of ``err="..."`` keeps its escapes (``\"``), as printed.
"""

import re

from kb.trace.messages.form import MessageForm, Severity

_AGE = r"(?:<unknown>|<invalid>|(?:\d{1,5}[smhdy]){1,4})(?: \(x\d{1,9} over [\dsmhdy]{1,12}\))?"
_GAP = r"[ \t]++"
_STATUS = r"CANCELLED|UNKNOWN|INVALID_ARGUMENT|DEADLINE_EXCEEDED|NOT_FOUND|ALREADY_EXISTS|PERMISSION_DENIED|RESOURCE_EXHAUSTED|FAILED_PRECONDITION|ABORTED|OUT_OF_RANGE|UNIMPLEMENTED|INTERNAL|UNAVAILABLE|DATA_LOSS|UNAUTHENTICATED"
# Reasons and statuses that say only that it goes on failing: the cause stands elsewhere
_AGAIN = r"(?:Init:)?(?:CrashLoopBackOff|ImagePullBackOff|Error)"
_CAUSES = r"(?:Init:)?(?:OOMKilled|ErrImagePull|ErrImageNeverPull|InvalidImageName|ImageInspectError|RegistryUnavailable|CreateContainerConfigError|CreateContainerError|CreatePodSandboxError|RunContainerError|ContainerCannotRun|ContainerStatusUnknown|StartError|PostStartHookError|PreStopHookError|Evicted|DeadlineExceeded|UnexpectedAdmissionError|OutOfcpu|OutOfmemory|OutOfpods|NodeLost|NodeAffinity)"
_KLOG = r"\d{4} \d\d:\d\d:\d\d\.\d{1,9} {1,8}\d{1,9} [\w.-]{1,120}:\d{1,6}\] "
_QUOTED = r'(?:[^"\\\n]|\\.)'


def _pod(status: str) -> str:
    """A row of ``kubectl get pods``: ``web-0   0/1   CrashLoopBackOff   6 (2m ago)   14m``, perhaps below a namespace."""
    return rf"(?:[\w.-]{{1,253}}{_GAP}){{1,2}}\d{{1,4}}/\d{{1,4}}{_GAP}\*{{0,2}}(?P<type>{status})\*{{0,2}}(?:{_GAP}\d{{1,9}}(?:[ \t]|$)|[ \t]*$)"


def _reason(reason: str) -> str:
    """``Reason:  OOMKilled`` of describe, ``reason: OOMKilled`` of YAML, ``"reason": "OOMKilled",`` of JSON."""
    return rf'"?[Rr]eason"?:[ \t]*+"?(?P<type>{reason})"?,?[ \t]*$'


_MESSAGE_BELOW = re.compile(r'"?[Mm]essage"?:[ \t]*+"?(?P<message>[^\s"][^\n"]*+)')

FORMS: tuple[MessageForm, ...] = (
    # --- events: Type Reason Age From Message, and LAST SEEN TYPE REASON OBJECT MESSAGE
    MessageForm("kubernetes", re.compile(rf"(?:Warning|Normal){_GAP}(?P<type>BackOff){_GAP}{_AGE}{_GAP}[\w.-]{{1,80}}(?:, [\w.-]{{1,253}})?{_GAP}(?P<message>[^\n]++)"), Severity.SUMMARY),
    MessageForm("kubernetes", re.compile(rf"Warning{_GAP}(?P<type>[A-Z]\w{{2,60}}){_GAP}{_AGE}{_GAP}[\w.-]{{1,80}}(?:, [\w.-]{{1,253}})?{_GAP}(?P<message>[^\n]++)")),
    MessageForm("kubernetes", re.compile(rf"(?:[\w.-]{{1,253}}{_GAP})?{_AGE}{_GAP}(?:Warning|Normal){_GAP}(?P<type>BackOff){_GAP}[\w.]{{1,80}}/\S{{1,253}}{_GAP}(?P<message>[^\n]++)"), Severity.SUMMARY),
    MessageForm("kubernetes", re.compile(rf"(?:[\w.-]{{1,253}}{_GAP})?{_AGE}{_GAP}Warning{_GAP}(?P<type>[A-Z]\w{{2,60}}){_GAP}[\w.]{{1,80}}/\S{{1,253}}{_GAP}(?P<message>[^\n]++)")),
    MessageForm("kubernetes", re.compile(rf'I{_KLOG}"Event occurred"[^\n]{{0,1000}}? type="Warning" reason="(?P<type>\w{{2,60}})" message="(?P<message>{_QUOTED}{{1,4000}}+)"')),
    MessageForm("kubernetes", re.compile(rf"(?:I{_KLOG})?Event\([^\n]{{1,1000}}?\): type: 'Warning' reason: '(?P<type>\w{{2,60}})' (?P<message>[^\n]++)")),
    MessageForm("kubernetes", re.compile(rf"(?P<type>(?:Failed|Unhealthy|Network|Evict|Err|Inspect|Invalid|Rebooted|NodeNot|Insufficient|Back[Oo]ff)\w{{0,60}}){_GAP}(?:\d{{1,5}}[smhdy]){{1,4}}(?: \(x\d{{1,9}} over [\dsmhdy]{{1,12}}\))?{_GAP}[\w.-]{{1,80}}(?:, [\w.-]{{1,253}})?{_GAP}(?P<message>[^\n]++)")),  # its first column was not copied
    # --- states of pods and containers
    MessageForm("kubernetes", re.compile(_pod(_AGAIN)), Severity.SUMMARY),
    MessageForm("kubernetes", re.compile(_pod(_CAUSES))),
    MessageForm("kubernetes", re.compile(rf"[\w.-]{{1,253}}{_GAP}(?P<type>NotReady)(?:,SchedulingDisabled)?{_GAP}(?:<none>|[\w,-]{{1,120}}){_GAP}{_AGE}{_GAP}v\d")),
    MessageForm("kubernetes", re.compile(_reason(_AGAIN)), Severity.SUMMARY, below=_MESSAGE_BELOW),
    MessageForm("kubernetes", re.compile(_reason(_CAUSES)), below=_MESSAGE_BELOW),
    # --- klog: severity letter, date, time, pid, file; what client-go's HandleError logs ("Unhandled Error") did not stop the program
    MessageForm("klog", re.compile(rf'[EF]{_KLOG}"Unhandled Error" err="(?P<message>{_QUOTED}{{1,4000}}+)"'), Severity.WARNING),
    MessageForm("klog", re.compile(rf'[EF]{_KLOG}"{_QUOTED}{{1,500}}+"[^\n]{{0,500}}? err="rpc error: code = (?P<type>\w{{2,30}}) desc = (?P<message>{_QUOTED}{{1,4000}}+)"')),
    MessageForm("klog", re.compile(rf'[EF]{_KLOG}"{_QUOTED}{{1,500}}+"[^\n]{{0,500}}? err="(?P<message>{_QUOTED}{{1,4000}}+)"')),
    MessageForm("klog", re.compile(rf'[EF]{_KLOG}"(?P<message>{_QUOTED}{{1,4000}}+)"')),
    MessageForm("klog", re.compile(rf'[EF]{_KLOG}(?P<message>[^\s"][^\n]*+)')),
    MessageForm("klog", re.compile(rf'W{_KLOG}"?(?P<message>[^\s"][^\n]*+)'), Severity.WARNING),
    # --- kubectl: the reasons are those of metav1.Status; Cassandra's "Error from server: code=" is a database's
    MessageForm("kubectl", re.compile(r"Error from server(?: \((?P<type>[A-Z]\w{2,40})\))?: (?!code=)(?P<message>[^\n]++)")),
    MessageForm("kubectl", re.compile(r'(?P<message>The [A-Z]\w{1,80} "[^"\n]{1,253}" is invalid: [^\n]++)'), type="Invalid"),
    MessageForm("kubectl", re.compile(r"Unable to connect to the server: (?P<message>[^\n]++)")),
    MessageForm("kubectl", re.compile(r"(?P<message>The connection to the server \S{1,300} was refused - did you specify the right host or port\?)")),
    MessageForm("kubectl", re.compile(r"error: (?!(?:I|[Ww]e|[Mm]y|[Ww]hat|[Hh]ow|[Ww]hy|[Ww]hen)\b)(?P<message>[\"'\w][^\n]{3,}+)")),
    MessageForm("cobra", re.compile(r"Error: (?P<message>(?:unknown (?:shorthand )?flag|unknown command|required flag\(s\)|accepts \d{1,3} arg\(s\))[^\n]*+)")),
    # --- kubeadm, helm
    MessageForm("kubeadm", re.compile(r"(?P<message>error execution phase [\w/-]{1,80}: \[preflight\] Some fatal errors occurred:)"), Severity.SUMMARY),
    MessageForm("kubeadm", re.compile(r"error execution phase [\w/-]{1,80}: (?P<message>[^\n]++)")),
    MessageForm("kubeadm", re.compile(r"\[ERROR (?P<type>[A-Z][\w./-]{2,120})\]: (?P<message>[^\n]++)")),
    MessageForm("kubeadm", re.compile(r"\[WARNING (?P<type>[A-Z][\w./-]{2,120})\]: (?P<message>[^\n]++)"), Severity.WARNING),
    MessageForm("helm", re.compile(r"Error: (?:INSTALLATION|UPGRADE|ROLLBACK|UNINSTALLATION) FAILED: (?P<message>[^\n]++)")),
    # --- containers
    MessageForm("docker", re.compile(r"(?:docker: |ERROR: |error: |Error: )?Error response from daemon: (?P<message>[^\n]++)")),
    MessageForm("docker", re.compile(r"(?:docker: |ERROR: )?(?P<message>Cannot connect to the Docker daemon at [^\n]++)")),
    MessageForm("docker", re.compile(r"Error: (?P<message>failed to (?:start|stop|remove) containers: [^\n]++)"), Severity.SUMMARY),
    MessageForm("containerd", re.compile(r"ctr: (?=[^\n]{0,2000}?\b(?:failed|not found|cannot|error|denied|exists|must|invalid|no such|unknown)\b)(?P<message>[^\n]++)")),
    MessageForm("runc", re.compile(r"(?P<message>(?:runc run failed|runc create failed|OCI runtime (?:create|exec|start) failed|container_linux\.go:\d{1,5}): [^\n]++)")),
    # --- gRPC: Go, Python, Node, Java
    MessageForm("grpc", re.compile(r"[^\n]{0,300}?\brpc error: code = (?P<type>[A-Z]\w{1,30}) desc = (?P<message>[^\n]++)")),
    MessageForm("grpc", re.compile(rf"status = StatusCode\.(?P<type>{_STATUS})[ \t]*$"), below=re.compile(rf'details = "(?P<message>{_QUOTED}{{1,4000}}+)"')),
    MessageForm("grpc", re.compile(rf"(?:Error: )?\d{{1,2}} (?P<type>{_STATUS}): (?P<message>[^\n]++)")),
    MessageForm("grpc", re.compile(r"(?P<type>INVALID_ARGUMENT|DEADLINE_EXCEEDED|ALREADY_EXISTS|PERMISSION_DENIED|RESOURCE_EXHAUSTED|FAILED_PRECONDITION|UNIMPLEMENTED|UNAVAILABLE|UNAUTHENTICATED): (?P<message>[^\n]++)")),
    MessageForm("etcd", re.compile(r"(?:Error: |\{\"error\":\")?(?P<message>etcdserver: (?:mvcc: )?[a-z][^\n\"]++)")),
    MessageForm("etcd", re.compile(r"Error: (?P<message>context deadline exceeded)\b")),
)  # fmt: skip
