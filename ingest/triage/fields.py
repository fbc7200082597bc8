"""The fields of a crash report, by the names that are given to them, and how long a text may be."""

STACKS = (
    "error.stack_trace",
    "exception.stacktrace",
    "attributes.exception.stacktrace",
    "stack_trace",
    "stacktrace",
    "stackTrace",
    "exc_info",
    "exception",
    "stack",
    "trace",
    "text",
)
MESSAGES = ("error.message", "exception.message", "message", "msg", "log", "body", "event.original")
TIMES = ("@timestamp", "timestamp", "time", "ts", "date", "datetime", "observed_at")
VERSIONS = ("service.version", "resource.service.version", "version", "release", "app_version", "build")
HOSTS = ("host.name", "resource.host.name", "HOSTNAME", "hostname", "host", "server_name", "kubernetes.pod.name", "pod")
SOURCE = "_source"
"""Where a hit of an Elasticsearch export has its fields."""

LONGEST = 256 << 10
"""Characters of a report that are read: its beginning and its end where it has more."""
LONGEST_LINE = 32 << 20
"""Bytes of a line of JSON: Java and Python hold one in memory whole, Python as text and as what is parsed of it."""


def shortened(text: str) -> str:
    """Return a text of at most about `LONGEST` characters: its beginning and its end."""
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]}\n…\n{text[-half:]}"


def columns() -> frozenset[str]:
    """Return the names of columns that may hold a field: whole, or what a dotted name begins with."""
    names = (*STACKS, *MESSAGES, *TIMES, *VERSIONS, *HOSTS, SOURCE)
    return frozenset(names) | {name.partition(".")[0] for name in names}
