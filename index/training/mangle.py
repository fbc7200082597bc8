"""A trace as somebody else would paste it: other numbers, hosts, ids and versions, log prefixes, cut ends, another wrapper."""

import html
import json
import random
import re
from collections.abc import Callable

_NUMBER = re.compile(r"(?<=[:\s=(\[-])\d{2,}(?=[)\s,.\]:]|$)")
_LINE = re.compile(r"\.(java|scala|kt|groovy|py):(\d+)")
_ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")
_HEX = re.compile(r"\b[0-9a-f]{16,40}\b")
_HOST = re.compile(r"(?<=[\s/@\"'])[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*(?=[:/]\d{4,5}\b)")
_ID = re.compile(
    r"\b(?:application|container|attempt|job|task|blk)_[\d_]+|@[0-9a-f]{5,8}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
)
_JAR = re.compile(r"(?<=[-:])\d+(?:\.\d+)+(?=[\].-])")
_JDK = re.compile(r"(?<=\bat )(?:java\.base/)?(?=java\.|jdk\.|javax\.crypto)", re.MULTILINE)
_MADE = re.compile(r"(?<=Accessor)\d+|(?<=\$Proxy)\d+|(?<=\$\$Lambda\$)\d+(?:/\d+)?|(?<=\$\$anonfun\$)\d+")

WRAPPERS = (
    (
        "java.lang.RuntimeException: request failed",
        "\tat com.acme.orders.web.OrderController.place(OrderController.java:88)",
    ),
    ("java.util.concurrent.CompletionException", "\tat com.acme.billing.batch.NightlyRun.execute(NightlyRun.java:41)"),
    ("com.acme.platform.JobFailedException: job 17 gave up", "\tat com.acme.platform.Runner.loop(Runner.java:230)"),
)


def values(trace: str, chance: random.Random) -> str:
    """Other line numbers, numbers, addresses and digests."""
    trace = _LINE.sub(lambda m: f".{m[1]}:{chance.randint(1, 3000)}", trace)
    trace = _ADDRESS.sub(lambda _: ".".join(str(chance.randint(1, 250)) for _ in range(4)), trace)
    trace = _HEX.sub(lambda m: "".join(chance.choice("0123456789abcdef") for _ in m[0]), trace)
    return _NUMBER.sub(lambda m: str(chance.randint(10 ** (len(m[0]) - 1), 10 ** len(m[0]) - 1)), trace)


def innermost(trace: str, chance: random.Random) -> str:
    """The last ``Caused by`` alone."""
    at = trace.rfind("Caused by:")
    return values(trace[at:] if at >= 0 else trace, chance)


def cut(trace: str, chance: random.Random) -> str:
    """The first or the last part of the lines."""
    lines = values(trace, chance).splitlines()
    keep = max(4, round(len(lines) * chance.uniform(0.35, 0.8)))
    return "\n".join(lines[:keep] if chance.random() < 0.6 else lines[-keep:])


def dropped(trace: str, chance: random.Random) -> str:
    """A fifth of the frames are gone: another version of the library."""
    lines = values(trace, chance).splitlines()
    return "\n".join(x for x in lines if not x.lstrip().startswith("at ") or chance.random() > 0.2)


def prefixed(trace: str, chance: random.Random) -> str:
    """Inside a log."""
    return logged(values(trace, chance), chance)


def logged(text: str, chance: random.Random) -> str:
    """The text as it is, with lines of a log above and below."""
    before = "\n".join(
        f"2024-03-{chance.randint(10, 28)} 0{chance.randint(1, 9)}:12:{chance.randint(10, 59)},{chance.randint(100, 999)} INFO  [worker-{chance.randint(1, 9)}] com.acme.Main - tick {chance.randint(1, 999)}"
        for _ in range(chance.randint(1, 12))
    )
    return f"{before}\n{text}\n2024-03-29 10:00:00,001 WARN  [main] com.acme.Main - giving up\n"


def wrapped(trace: str, chance: random.Random) -> str:
    """The same cause under another wrapper, its frames under it cut as the runtime does."""
    head, frame = chance.choice(WRAPPERS)
    at = trace.rfind("Caused by:")
    inner = trace[at:] if at >= 0 else f"Caused by: {trace.lstrip()}"
    return values(f"{head}\n{frame}\n\tat java.base/java.lang.Thread.run(Thread.java:833)\n{inner}", chance)


def identities(trace: str, chance: random.Random) -> str:
    """Other hosts, and other numbers of jobs, blocks and objects; frames stay as they are."""
    digits = str.maketrans({digit: chance.choice("0123456789") for digit in "0123456789"})
    named = f"{chance.choice(('node', 'dn', 'web', 'prod-kafka'))}-{chance.randint(1, 99)}.{chance.choice(('lan', 'corp.example', 'svc.cluster.local'))}"
    lines = values(trace, chance).splitlines()
    return "\n".join(
        line if line.lstrip().startswith("at ") else _ID.sub(lambda m: m[0].translate(digits), _HOST.sub(named, line))
        for line in lines
    )


def versions(trace: str, chance: random.Random) -> str:
    """Another release of everything: jar tags, the module the JDK prints or does not, numbers of generated classes."""
    trace = _JAR.sub(lambda _: f"{chance.randint(1, 9)}.{chance.randint(0, 20)}.{chance.randint(0, 9)}", trace)
    trace = _MADE.sub(lambda _: str(chance.randint(1, 400)), trace)
    if chance.random() < 0.5:
        trace = _JDK.sub("java.base/", trace).replace("at sun.reflect.", "at java.base/jdk.internal.reflect.")
    if chance.random() < 0.5 and ".jar" not in trace:
        tag = f" ~[{chance.choice(('app', 'core', 'platform-runtime'))}-{chance.randint(1, 9)}.{chance.randint(0, 20)}.jar!/:?]"
        trace = re.sub(r"^(\s*at .+\))$", rf"\1{tag}", trace, flags=re.MULTILINE)
    return values(trace, chance)


def tagged(trace: str, chance: random.Random) -> str:
    """Every line behind what a collector of logs writes."""
    minute, pid = chance.randint(10, 59), chance.randint(100, 9999)
    forms: tuple[Callable[[int], str], ...] = (
        lambda at: f"2026-04-0{chance.randint(1, 9)}T07:{minute}:{at % 60:02}.{chance.randint(100, 999)}Z stderr F ",
        lambda at: f"Apr  3 07:{minute}:{at % 60:02} node-{pid % 40} app[{pid}]: ",
        lambda _: f"worker-{pid % 9}  | ",
    )
    form = chance.choice(forms)
    return "\n".join(f"{form(at)}{line}" for at, line in enumerate(values(trace, chance).splitlines()))


def as_json(trace: str, chance: random.Random) -> str:
    """As a field of a log record on one line, or a record for each line as containers write them."""
    text = values(trace, chance)
    if chance.random() < 0.5:
        record = {"level": "ERROR", "logger": "com.acme.Main", "message": "request failed", "stack_trace": text}
        return json.dumps(record, ensure_ascii=chance.random() < 0.5)
    return "\n".join(json.dumps({"log": f"{line}\n", "stream": "stderr"}) for line in text.splitlines())


def as_html(trace: str, chance: random.Random) -> str:
    """Copied from the source of a page: entities, and tags where lines end."""
    text = html.escape(values(trace, chance))
    if chance.random() < 0.5:
        return f"<pre>{text}</pre>"
    return "<br/>\n".join(line.replace("\t", "&nbsp;&nbsp;&nbsp;&nbsp;") for line in text.splitlines())


def beheaded(trace: str, chance: random.Random) -> str:
    """Without the first lines: the excerpt begins amid the frames or at a cause."""
    lines = values(trace, chance).splitlines()
    return "\n".join(lines[max(1, round(len(lines) * chance.uniform(0.1, 0.4))) :] if len(lines) > 5 else lines)


def several(trace: str, chance: random.Random) -> str:
    """Another release on other hosts, some frames gone, inside what a collector writes."""
    changed = dropped(versions(identities(trace, chance), chance), chance)
    return chance.choice((tagged, as_json, as_html, prefixed))(changed, chance)


KINDS: dict[str, Callable[[str, random.Random], str]] = {
    "as html": as_html,
    "as json": as_json,
    "beheaded": beheaded,
    "identities": identities,
    "several": several,
    "tagged": tagged,
    "versions": versions,
    "values": values,
    "innermost": innermost,
    "cut": cut,
    "dropped": dropped,
    "prefixed": prefixed,
    "wrapped": wrapped,
}


_EVERYDAY = (
    "java.lang.NullPointerException",
    "java.lang.NullPointerException: null",
    'java.lang.NumberFormatException: For input string: "{word}"',
    "java.lang.IllegalArgumentException: {word} must not be null",
    "java.lang.IllegalStateException: {word} not ready",
    "java.lang.IndexOutOfBoundsException: Index: {number}, Size: {number}",
    "java.lang.ClassCastException: com.{word}.A cannot be cast to com.{word}.B",
    "java.util.ConcurrentModificationException",
    "java.lang.RuntimeException: cannot load {word}",
    "java.io.FileNotFoundException: /data/{word}/{number}.csv (No such file or directory)",
    "java.util.concurrent.TimeoutException: {word} took more than {number} ms",
)
_PLATFORM = (
    "java.util.ArrayList.rangeCheck(ArrayList.java:653)",
    "java.lang.Integer.parseInt(Integer.java:580)",
    "java.util.HashMap$HashIterator.nextNode(HashMap.java:1442)",
    "java.io.FileInputStream.open0(Native Method)",
    "java.util.Objects.requireNonNull(Objects.java:228)",
)
_BASE = (
    (
        "org.springframework.web.servlet.FrameworkServlet.service(FrameworkServlet.java:897)",
        "javax.servlet.http.HttpServlet.service(HttpServlet.java:750)",
        "org.apache.tomcat.util.threads.TaskThread$WrappingRunnable.run(TaskThread.java:61)",
    ),
    (
        "java.util.concurrent.FutureTask.run(FutureTask.java:266)",
        "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1149)",
        "java.lang.Thread.run(Thread.java:748)",
    ),
    (
        "org.springframework.boot.SpringApplication.run(SpringApplication.java:1204)",
        "sun.reflect.NativeMethodAccessorImpl.invoke0(Native Method)",
    ),
    (
        "org.apache.flink.streaming.runtime.tasks.StreamTask.invoke(StreamTask.java:479)",
        "org.apache.flink.runtime.taskmanager.Task.run(Task.java:530)",
    ),
    (
        "org.apache.spark.scheduler.Task.run(Task.scala:123)",
        "org.apache.spark.executor.Executor$TaskRunner.run(Executor.scala:414)",
    ),
)
APPLICATIONS = (
    "Order",
    "Invoice",
    "Cart",
    "Ledger",
    "Parcel",
    "Voucher",
    "Tariff",
    "Ticket",
    "Shipment",
    "Roster",
    "Quote",
    "Refund",
)
_PARTS = ("Service", "Controller", "Loader", "Mapper", "Job", "Handler", "Client", "Listener")
_VERBS = ("load", "total", "apply", "find", "convert", "run", "handle", "publish")


def own_frame(word: str, chance: random.Random) -> str:
    """A frame of an application that does not exist."""
    name = f"{chance.choice(APPLICATIONS)}{chance.choice(_PARTS)}"
    return f"com.{word.lower()}{chance.randint(1, 99)}.{chance.choice(APPLICATIONS).lower()}.{name}.{chance.choice(_VERBS)}({name}.java:{chance.randint(9, 400)})"


def stranger(chance: random.Random) -> str:
    """An everyday exception of an application that does not exist, on the platform and framework frames all have."""
    word = chance.choice(APPLICATIONS)
    head = chance.choice(_EVERYDAY).format(word=word.lower(), number=chance.randint(1, 9000))
    own = [own_frame(word, chance) for _ in range(chance.randint(1, 5))]
    platform = [chance.choice(_PLATFORM)] if chance.random() < 0.5 else []
    return "\n".join([head, *(f"\tat {frame}" for frame in (*platform, *own, *chance.choice(_BASE)))])
