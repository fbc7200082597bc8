"""One frame of a JVM trace in every dress it was met in, and lines that only look like one."""

import pytest

from kb.trace.runtimes.jvm.frames import bare_frame_of, frame_of

# (id, line, class, method, file, line number)
FRAMES = [
    ("plain", "\tat a.b.C.run(C.java:12)", "a.b.C", "run", "C.java", 12),
    ("spaces", "    at a.b.C.run(C.java:12)", "a.b.C", "run", "C.java", 12),
    ("column-0", "at a.b.C.run(C.java:12)", "a.b.C", "run", "C.java", 12),
    ("native", "\tat a.B.read0(Native Method)", "a.B", "read0", None, None),
    ("unknown", "\tat a.B.y(Unknown Source)", "a.B", "y", None, None),
    ("unknown-line", "\tat a.B.y(Unknown Source:66)", "a.B", "y", None, None),
    ("no-line", "\tat a.B.y(B.java)", "a.B", "y", "B.java", None),
    ("minus-one", "\tat a.B.y(B.java:-1)", "a.B", "y", "B.java", None),
    ("generated", "\tat a.B$$FastClass$$1.invoke(<generated>)", "a.B$$FastClass$$1", "invoke", None, None),
    ("init", "\tat a.B.<init>(B.java:3)", "a.B", "<init>", "B.java", 3),
    ("init-escaped", "\tat a.B.&lt;init&gt;(B.java:3)", "a.B", "<init>", "B.java", 3),
    ("init-swallowed", "\tat a.B.(B.java:3)", "a.B", "<init>", "B.java", 3),
    ("module", "\tat java.base/java.lang.Thread.run(Thread.java:840)", "java.lang.Thread", "run", "Thread.java", 840),
    ("loader", "\tat app//com.acme.Boot.main(Boot.java:5)", "com.acme.Boot", "main", "Boot.java", 5),
    ("loader-module-version", "\tat l.x/acme.core@2.1/com.acme.Boot.main(Boot.java:5)", "com.acme.Boot", "main", "Boot.java", 5),
    ("hidden-class", "\tat a.F$$Lambda$14/1345678901.run(Unknown Source)", "a.F$$Lambda$14/1345678901", "run", None, None),
    ("hidden-class-21", "\tat a.F$$Lambda/0x000075e1c8001200.run(Unknown Source)", "a.F$$Lambda/0x000075e1c8001200", "run", None, None),
    ("logback", "\tat a.B.y(B.java:3) ~[core-1.2.jar:1.2]", "a.B", "y", "B.java", 3),
    ("log4j2", "\tat a.B.y(B.java:3) [?:1.8.0_232]", "a.B", "y", "B.java", 3),
    ("spring-boot", "\tat a.B.y(B.java:3) ~[classes!/:na]", "a.B", "y", "B.java", 3),
    ("question-mark", "    ?at a.B.y(B.java:3)", "a.B", "y", "B.java", 3),
    ("glued", "\tatorg.apache.a.B.y(B.java:3)", "org.apache.a.B", "y", "B.java", 3),
    ("blank-before-place", "\tat a.B.y (B.java:3)", "a.B", "y", "B.java", 3),
    ("list-item", "- at a.B.y(B.java:3)", "a.B", "y", "B.java", 3),
    ("backtick", "`at a.B.y(B.java:3)`", "a.B", "y", "B.java", 3),
    ("scala", "\tat a.B$$anonfun$1.apply(B.scala:3)", "a.B$$anonfun$1", "apply", "B.scala", 3),
    ("kotlin-test", "\tat a.BTest.adds two numbers(BTest.kt:3)", "a.BTest", "adds two numbers", "BTest.kt", 3),
    ("zh-file", "\tat a.主类.运行(主类.java:3)", "a.主类", "运行", "主类.java", 3),
    ("obfuscated", "\tat a.b.c(SourceFile:3)", "a.b", "c", "SourceFile", 3),
    ("obfuscated-r8", "\tat a.b.c(r8-map-id-0a1b:17)", "a.b", "c", "r8-map-id-0a1b", 17),
    ("container", "web-1  | \tat a.B.y(B.java:3)", "a.B", "y", "B.java", 3),
    ("log-prefix", "2024-05-01 10:00:00,123 ERROR [main] c.a.X - \tat a.B.y(B.java:3)", "a.B", "y", "B.java", 3),
    ("syslog", "Sep 18 18:13:57 db1-ubuntu neo4j[6805]:     at a.B.y(B.java:3)", "a.B", "y", "B.java", 3),
    ("logcat", "E/AndroidRuntime( 1234): \tat a.B.y(B.java:3)", "a.B", "y", "B.java", 3),
    ("logcat-time", "05-01 10:00:00.123  1234  1234 E AndroidRuntime: \tat a.B.y(B.java:3)", "a.B", "y", "B.java", 3),
    ("maven", "[ERROR]     at a.B.y(B.java:3)", "a.B", "y", "B.java", 3),
    ("jstack-17", "\tat java.lang.Thread.run(java.base@17.0.15/Thread.java:840)", "java.lang.Thread", "run", "Thread.java", 840),
]  # fmt: skip

NO_FRAMES = [
    ("address", " at /192.168.0.1:3000"),
    ("prose", "at the end (see foo)"),
    ("prose-file", "at the end (see Foo.java:12)"),
    ("sentence", "The error is thrown at a.B.y(B.java:3)"),
    ("sentence-goes-on", "at a.B.y(B.java:3) it fails"),
    ("javascript", "    at f (a.js:1:1)"),
    ("javascript-url", "    at f (http://shop.example/:1:2)"),
    ("node-bare", "    at /srv/t.js:4:40"),
    ("dotnet", "   at Acme.Svc.Run(String s) in C:\\src\\Svc.cs:line 42"),
    ("dotnet-empty", "   at Acme.A.B()"),
    ("dotnet-type", "   at Acme.F.Load(Stream)"),
    ("no-class", "\tat run(C.java:1)"),
    ("open", "\tat a.B.y(B.java:3"),
    ("lock", "\t- locked <0x1> (a java.lang.Object)"),
    ("endless", "\tat a.B.y(" + "x" * 5000 + ")"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "module", "function", "filename", "lineno"), [f[1:] for f in FRAMES], ids=[f[0] for f in FRAMES]
)
def test_frame(line: str, module: str, function: str, filename: str | None, lineno: int | None) -> None:
    frame = frame_of(line)
    assert frame is not None
    assert (frame.module, frame.function, frame.filename, frame.lineno) == (module, function, filename, lineno)
    assert frame.raw == line.strip()


@pytest.mark.parametrize("line", [n[1] for n in NO_FRAMES], ids=[n[0] for n in NO_FRAMES])
def test_no_frame(line: str) -> None:
    assert frame_of(line) is None


def test_a_frame_without_at_is_a_frame_only_where_it_is_asked_for() -> None:
    line = "org.apache.spark.SparkContext.runJob(SparkContext.scala:2114)"
    assert frame_of(line) is None
    bare = bare_frame_of(line)
    assert bare is not None
    assert (bare.module, bare.function, bare.lineno) == ("org.apache.spark.SparkContext", "runJob", 2114)


@pytest.mark.parametrize(
    ("line", "in_app"),
    [
        ("at com.shop.Order.pay(Order.java:1)", True),
        ("at org.apache.flink.X.y(X.java:1)", False),
        ("at java.util.List.get(List.java:1)", False),
        ("at javaland.shop.X.y(X.java:1)", True),
    ],
    ids=["application", "framework", "platform", "prefix-is-a-whole-package"],
)
def test_in_app(line: str, *, in_app: bool) -> None:
    frame = frame_of(line)
    assert frame is not None
    assert frame.in_app is in_app
