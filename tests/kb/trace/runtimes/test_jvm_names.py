"""What compilers, proxies and class loaders number anew is not part of a name."""

import pytest

from kb.trace import Frame, normalize_function
from kb.trace.runtimes.jvm.names import is_machinery, loose_key, normal_class, normal_frame, normal_method

# (id, class as printed, lasting class)
CLASSES = [
    ("plain", "com.acme.Order", "com.acme.Order"),
    ("inner", "com.acme.Order$Line", "com.acme.Order$Line"),
    ("anonymous-keeps-index", "com.acme.Order$1", "com.acme.Order$1"),
    ("jdk-proxy", "com.sun.proxy.$Proxy17", "$Proxy"),
    ("jdk-proxy-16", "jdk.proxy2.$Proxy55", "$Proxy"),
    ("jdk-proxy-bare", "$Proxy0", "$Proxy"),
    ("cglib-spring-5", "com.acme.Order$$EnhancerBySpringCGLIB$$1a2b3c4d", "com.acme.Order"),
    ("cglib-spring-6", "com.acme.Order$$SpringCGLIB$$0", "com.acme.Order"),
    ("cglib-twice", "com.acme.Order$$EnhancerBySpringCGLIB$$1a2b$$EnhancerBySpringCGLIB$$3c4d", "com.acme.Order"),
    ("guice", "com.acme.Order$$EnhancerByGuice$$4f2d", "com.acme.Order"),
    ("fast-class", "com.acme.Order$$FastClassBySpringCGLIB$$7d1f", "$FastClass"),
    ("hibernate", "com.acme.User$HibernateProxy$aB3dE9xQ", "com.acme.User"),
    ("byte-buddy", "com.acme.User$ByteBuddy$aB3dE9xQ", "com.acme.User"),
    ("mockito", "com.acme.User$MockitoMock$1234567", "com.acme.User"),
    ("javassist", "com.acme.User_$$_jvst4f2_0", "com.acme.User"),
    ("javassist-old", "com.acme.User_$$_javassist_118", "com.acme.User"),
    ("lambda-8", "a.F$$Lambda$14/1345678901", "$Lambda"),
    ("lambda-17", "a.F$$Lambda$1/0x00007fd92c000a08", "$Lambda"),
    ("lambda-21", "a.F$$Lambda/0x000075e1c8001200", "$Lambda"),
    ("d8", "com.acme.A$$ExternalSyntheticLambda12", "$Lambda"),
    ("clojure", "user$fn__1234", "user$fn"),
    ("clojure-eval", "user$eval123$foo__456", "user$eval$foo"),
    ("spark", "x.GeneratedClass$GeneratedIteratorForCodegenStage7", "x.GeneratedClass$GeneratedIteratorForCodegenStage"),
    ("flink", "StreamExecCalc$15", "StreamExecCalc"),
    ("scala", "a.Enrich$$anonfun$join$1", "a.Enrich$$anonfun$join"),
    ("scala-nested", "a.B$$anonfun$receive$1$$anonfun$apply$2", "a.B$$anonfun$receive$$anonfun$apply"),
    ("accessor", "sun.reflect.GeneratedMethodAccessor112", "$Accessor"),
    ("accessor-9", "jdk.internal.reflect.GeneratedConstructorAccessor3", "$Accessor"),
    ("version-in-name-stays", "org.x.FlinkKafka011Exception", "org.x.FlinkKafka011Exception"),
]  # fmt: skip

METHODS = [
    ("plain", "run", "run"),
    ("init", "<init>", "<init>"),
    ("lambda", "lambda$load$3", "lambda$load"),
    ("lambda-nested", "lambda$null$12", "lambda$null"),
    ("scala-2.12", "$anonfun$join$1", "lambda$join"),
    ("scala-adapted", "$anonfun$join$1$adapted", "lambda$join"),
    ("kotlin-lambda", "load$lambda$3", "lambda$load"),
    ("kotlin-lambda-old", "load$lambda-3", "lambda$load"),
    ("kotlin-default", "load$default", "load"),
    ("kotlin-access", "access$load", "load"),
    ("javac-access-stays", "access$200", "access$200"),
]

MACHINERY = [
    ("thread", "java.lang.Thread", "run", True),
    ("virtual-thread", "java.lang.VirtualThread", "run", True),
    ("pool", "java.util.concurrent.ThreadPoolExecutor$Worker", "run", True),
    ("reflection", "java.lang.reflect.Method", "invoke", True),
    ("accessor", "com.acme.A", "access$200", True),
    ("thread-start-is-not", "java.lang.Thread", "start0", False),
    ("thread-runner-is-not", "java.lang.Thread", "runAll", False),
    ("application", "com.acme.Thread", "run", False),
    ("io", "java.net.SocketInputStream", "read", False),
]


@pytest.mark.parametrize(("name", "expected"), [c[1:] for c in CLASSES], ids=[c[0] for c in CLASSES])
def test_class(name: str, expected: str) -> None:
    assert normal_class(name) == expected
    assert normal_class(expected) == expected


@pytest.mark.parametrize(("name", "expected"), [m[1:] for m in METHODS], ids=[m[0] for m in METHODS])
def test_method(name: str, expected: str) -> None:
    assert normal_method(name) == expected
    assert normal_method(expected) == expected


@pytest.mark.parametrize(("module", "function", "expected"), [m[1:] for m in MACHINERY], ids=[m[0] for m in MACHINERY])
def test_machinery(module: str, function: str, *, expected: bool) -> None:
    assert is_machinery(Frame(function, module)) is expected


@pytest.mark.parametrize(
    ("module", "function", "expected"),
    [
        ("a.F$1", "run", "a.F.run"),
        ("a.F$2$3", "run", "a.F.run"),
        ("a.F", "lambda$load", "a.F.load"),
        ("a.F$$anonfun$join", "apply", "a.F.join"),
        ("a.F$", "main", "a.F.main"),
        ("a.F$Line", "run", "a.F$Line.run"),
    ],
    ids=["anonymous", "anonymous-nested", "lambda", "scala", "scala-object", "inner-class-stays"],
)
def test_loose_key(module: str, function: str, expected: str) -> None:
    assert loose_key(Frame(function, module)) == expected


def test_a_generated_file_name_is_dropped() -> None:
    frame = normal_frame(Frame("getName", "com.acme.User_$$_jvst4f2_0", "User_$$_jvst4f2_0.java", 3, raw="x"))
    assert frame == Frame("getName", "com.acme.User", None, None, raw="")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("java.base/java.lang.Thread.run", "java.lang.Thread.run"),
        ("com.acme.Order$$EnhancerBySpringCGLIB$$1a2b.pay", "com.acme.Order.pay"),
        ("a.F.lambda$load$3", "a.F.lambda$load"),
        ("f", "f"),
        ("", ""),
    ],
)
def test_normalize_function(raw: str, expected: str) -> None:
    assert normalize_function(raw) == expected
