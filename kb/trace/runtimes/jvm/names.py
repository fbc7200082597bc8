"""The lasting names of JVM classes and methods: without what compilers, proxies and class loaders number anew."""

import re
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.model import Frame, RaisedException
from kb.trace.rules import names
from kb.trace.runtimes.jvm.frames import rank as class_rank

# (what, pattern, replacement) on the class name, in this order. Each leaves a name that it does not match again.
_CLASS: tuple[tuple[str, re.Pattern[str], str], ...] = (
    (
        "dynamic proxy: com.sun.proxy.$Proxy17, jdk.proxy2.$Proxy55",
        lazy(r"^(?:[\w.]{1,200}\.)?\$Proxy\d{1,9}$"),
        "$Proxy",
    ),
    ("hidden lambda class of JDK 8, 17, 21", lazy(r"^[^\s]{0,400}?\$\$Lambda(?:[$/+].{0,100})?$"), "$Lambda"),
    (
        "D8 and R8 lambda classes",
        lazy(
            r"^[^\s]{0,400}?(?:\$\$ExternalSynthetic\w{0,40}|\$\$InternalSyntheticLambda.{0,200}|-\$\$Lambda\$.{0,200})$"
        ),
        "$Lambda",
    ),
    ("CGLIB FastClass", lazy(r"^[^\s]{0,400}?\$\$FastClass.{0,200}$"), "$FastClass"),
    ("Byte Buddy's auxiliary types", lazy(r"^[^\s]{0,400}?\$auxiliary\$\w{1,40}$"), "$Accessor"),
    ("reflection accessors", lazy(r"^(?:sun|jdk\.internal)\.reflect\.Generated\w{1,60}$"), "$Accessor"),
    ("method handle forms", lazy(r"^java\.lang\.invoke\.LambdaForm\$.{1,100}$"), "java.lang.invoke.LambdaForm"),
    (
        "CGLIB, Spring, Guice subclasses",
        lazy(r"\$\$(?:EnhancerBy|Enhancer|SpringCGLIB|KeyFactoryBy|SpringProxy)\w{0,60}(?:\$\$?.{0,60})?$"),
        "",
    ),
    (
        "Hibernate, Byte Buddy and Mockito subclasses",
        lazy(
            r"\$(?:HibernateProxy|HibernateBasicProxy|ByteBuddy|MockitoMock|HibernateAccessOptimizer|HibernateInstantiator)(?:\$.{0,80})?$"
        ),
        "",
    ),
    ("javassist subclasses", lazy(r"_?\$\$_(?:jvst|javassist).{0,60}$"), ""),
    (
        "Weld, OpenWebBeans, Quarkus proxies",
        lazy(r"(?:\$Proxy\$_\$\$_Weld\w{0,60}|_ClientProxy|_Subclass|\$\$Owb\w{0,30})$"),
        "",
    ),
    ("JBoss views", lazy(r"\$\$\$view\d{1,6}$"), ""),
    ("Micronaut subclasses", lazy(r"(?:^|(?<=\.))\$(\w{1,200}?)\$Definition\$(?:Intercepted|Exec)$"), r"\1"),
    (
        "Dubbo wrappers and proxies",
        lazy(r"(DubboProxy|DubboWrap|(?<=\.bytecode\.)(?:Wrapper|Proxy|proxy))\d{1,6}$"),
        r"\1",
    ),
    ("fastjson serialisers", lazy(r"((?:ASMSerializer|FastjsonASMDeserializer))_\d{1,6}_"), r"\1_"),
    ("lines of Spark's shell", lazy(r"^\$line\d{1,6}(?=\.)"), "$line"),
    ("Trino and Presto bytecode", lazy(r"(\.\$gen\.[A-Za-z]{1,80}?)(?:_\d{1,14}){1,4}$"), r"\1"),
    ("Scala anonymous functions", lazy(r"(?<=\$\$anonfun)((?:\$[A-Za-z]\w{0,80}?)?)\$\d{1,6}(?=$|\$)"), r"\1"),
    ("Clojure gensyms", lazy(r"__\d{1,9}(?=$|\$)"), ""),
    ("Clojure eval", lazy(r"\$eval\d{1,9}"), "$eval"),
    ("Spark whole-stage code", lazy(r"(GeneratedIteratorForCodegenStage)\d{1,6}"), r"\1"),
    ("Flink and Calcite generated functions", lazy(r"^(\w{2,80}?)\$\d{1,9}$"), r"\1"),
    ("Janino and Jasper", lazy(r"(SC|JaninoGeneratedClass|Baz|Script)\d{1,9}$"), r"\1"),
    ("Nashorn and Groovy scripts", lazy(r"\$Script\$\d{1,9}\$?"), "$Script"),
    ("hidden classes of JDK 15: a.F/0x000075e1c8001200", lazy(r"(?<=\w)/(?:0x[0-9a-f]{1,16}|\d{1,20})$"), ""),
    ("AspectJ closures", lazy(r"(\$AjcClosure)\d{1,6}$"), r"\1"),
    ("Groovy closures", lazy(r"(\$_\w{1,80}?_closure)\d{1,6}(?:\$_closure\d{1,6}|_closure\d{1,6})*$"), r"\1"),
)
_ANY_CLASS = lazy("|".join(pattern.pattern for _, pattern, _ in _CLASS))
"""Tells in one search that no pattern has anything to change: so it is with most names."""
_METHOD: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("javac lambda", lazy(r"^lambda\$([^\s]{1,200}?)(?:\$[0-9a-f]{1,8})?(?:\$\d{1,6})?$"), r"lambda$\1"),
    ("Kotlin lambda", lazy(r"^([A-Za-z_]\w{0,120})\$lambda(?:[$-].{0,60})?$"), r"lambda$\1"),
    ("Groovy spread", lazy(r"^\$get\$\$class\$.{1,200}$"), "$get"),
    ("Quarkus forwarder", lazy(r"^(\w{1,200}?)\$\$superforward\d{0,6}$"), r"\1"),
    ("R8 lambda bridge", lazy(r"^\$r8\$lambda\$[\w-]{1,80}$"), "$r8$lambda"),
    ("Scala lambda", lazy(r"^\$anonfun\$([^\s]{1,200}?)(?:\$\d{1,6})?(?:\$adapted)?$"), r"lambda$\1"),
    ("Scala 3 lambda", lazy(r"^([A-Za-z_]\w{0,120})\$\$anonfun(?:\$adapted)?\$\d{1,6}$"), r"lambda$\1"),
    ("Scala specialisation", lazy(r"\$mc[A-Z]{1,4}\$sp$"), ""),
    ("Scala lazy value", lazy(r"^(\w{1,200}?)\$lzy(?:compute|INIT)\d{0,6}(?:\$\d{1,6})?$"), r"\1"),
    ("Scala private member", lazy(r"^[\w$]{1,300}\$\$([A-Za-z]\w{0,120})(?:\$\d{1,6})?$"), r"\1"),
    ("Scala local function", lazy(r"^(?!access\$|lambda\$)([A-Za-z_]\w{0,120})\$\d{1,6}$"), r"\1"),
    ("Scala initialiser of an App", lazy(r"^(delayedEndpoint\$[\w$]{1,200}?)\$\d{1,6}$"), r"\1"),
    ("Scala forwarder of a trait", lazy(r"^([A-Za-z_]\w{0,200})\$$"), r"\1"),
    ("Kotlin suspend implementation", lazy(r"^(\w{1,200}?)\$suspendImpl$"), r"\1"),
    ("AspectJ around advice", lazy(r"^(\w{1,200}?)_aroundBody\d{1,6}(?:\$advice)?$"), r"\1"),
    ("AspectJ advice", lazy(r"^(ajc\$\w{1,40}\$\w{1,200}?)\$\d{1,6}\$[0-9a-f]{1,8}$"), r"\1"),
    ("GraalVM entry points", lazy(r"^(\w{1,200}?)_[0-9a-f]{40}$"), r"\1"),
    ("Byte Buddy accessors", lazy(r"^(\w{1,200}?)\$(?:accessor|original)\$\w{1,80}(?:\$\w{1,80})?$"), r"\1"),
    ("Hibernate's enhanced members", lazy(r"^\$\$_hibernate_(?:read_|write_)?(\w{1,200})$"), r"\1"),
    ("Kotlin default arguments", lazy(r"^(\w{1,200}?)\$default$"), r"\1"),
    ("Kotlin access stub", lazy(r"^access\$([A-Za-z_]\w{0,200})$"), r"\1"),
    ("Kotlin mangled inline classes", lazy(r"^([A-Za-z_]\w{0,120})-[A-Za-z0-9_]{7}$"), r"\1"),
    ("CGLIB super call", lazy(r"^CGLIB\$([\w$]{1,200}?)\$\d{1,6}$"), r"\1"),
    ("Scala adapted", lazy(r"^(\w{1,200}?)\$adapted$"), r"\1"),
)
_LEAST_HASHED = 42
"""Characters of a name that ends in a hash of 40."""
_CLOJURE_CALLS = frozenset({"invoke", "invokeStatic", "doInvoke", "invokePrim"})
_KOTLIN_LAMBDA = lazy(r"(\$[a-z]\w{0,120})(?:\$\d{1,6}){1,8}$")
_SPARK_PART = lazy(r"(?:_\d{1,6}){1,4}\$?$")
_CALL_SITE = frozenset(
    {"call", "callCurrent", "callStatic", "callConstructor", "callGetProperty", "callGroovyObjectGetProperty"}
)
_MODULES = lazy(r" \((?:class )?\S{1,300} (?:and \S{1,300} are|is) in [^\n]{1,800}\)$")
_CAST = lazy(r"^class (\S{1,400}) cannot be cast to class ")
_DATA = lazy(r" ?\{(?::|$)[^\n]{0,4000}\}?$")
_ACCESS = lazy(r"^access\$\d{1,6}$|^\$r8\$lambda$|^-\$\$Nest\$")  # bridges of javac, R8 and D8
_INDEX = lazy(r"\$\d{1,6}(?=$|\$)|(?<=\$)\d{1,6}(?=[A-Za-z])")  # of anonymous and of local classes
_ANONYMOUS_FUNCTION = lazy(r"^(?P<owner>.{0,400}?)\$?\$\$anonfun(?:\$(?P<method>[A-Za-z]\w{0,80}))?.*$")
_LIBRARY = lazy(r"\.(?:so|dll|dylib)(?:\.|$)")
_GENERATED_FILE = lazy(r"\$\$|^<")


@lru_cache(maxsize=65_536)
def normal_class(name: str) -> str:
    """Return the class under its lasting name."""
    if ("$" not in name and "_" not in name and not name[-1:].isdigit()) or not _ANY_CLASS.search(name):
        return name
    for _ in range(4):  # a proxy of a proxy; the bound makes it a fixed point in practice and linear always
        before = name
        for _, pattern, into in _CLASS:
            name = pattern.sub(into, name)
        if name == before:
            break
    return name


@lru_cache(maxsize=65_536)
def normal_method(name: str) -> str:
    """Return the method under its lasting name."""
    if "$" not in name and "-" not in name and "_aroundBody" not in name and len(name) < _LEAST_HASHED:
        return name
    for _ in range(3):
        before = name
        for _, pattern, into in _METHOD:
            name = pattern.sub(into, name)
        if name == before:
            break
    return name


def normal_frame(frame: Frame) -> Frame:
    """Return the frame under its lasting name, without line, and with its place: application or not."""
    module = normal_class(frame.module or "") or None
    function = normal_method(frame.function or "") or None
    if module is not None and function is not None:
        module, function = _of_language(module, function, frame.filename)
    filename = frame.filename
    if filename and (_GENERATED_FILE.search(filename) or filename in ("SourceFile", "PG")):
        filename = None
    is_native = not filename and module is not None and _LIBRARY.search(module) is not None
    in_app = module is not None and not is_native and class_rank(module) == 0
    return Frame(function=function, module=module, filename=filename, in_app=in_app)


def _of_language(module: str, function: str, filename: str | None) -> tuple[str, str]:
    """Class and method without what a language's compiler numbers or doubles; the method shows which language it is."""
    if function in _CLOJURE_CALLS and (filename or "").endswith((".clj", ".cljc")):
        return module, "invoke"  # invokeStatic and invoke of one function, in either order
    if function in ("invoke", "invokeSuspend", "doResume", "emit"):
        return _KOTLIN_LAMBDA.sub(r"\1", module), function
    if "GeneratedClass$" in module:
        return module, _SPARK_PART.sub("", function) or function
    return module, function


def rank(frame: Frame) -> int:
    """Return how telling the frame is: its class decides (see ``frames.rank``); native libraries are platform."""
    return class_rank(frame.module) if frame.module else 2


def is_machinery(frame: Frame) -> bool:
    """Thread bases, reflection, generated bridges: the same under every fault."""
    function = frame.function
    if function is not None and (_ACCESS.match(function) or (function in _CALL_SITE and _is_call_site(frame))):
        return True
    return f"{frame.module}.{frame.function}" in names("jvm_machinery")


def _is_call_site(frame: Frame) -> bool:
    """Groovy's classes for calls: ``Ledger$price.call(Unknown Source)``."""
    owner, dollar, member = (frame.module or "").rpartition("$")
    return bool(owner and dollar) and frame.filename is None and member[:1].islower()


def normal_message(exception: RaisedException) -> str | None:
    """Return the message without what newer JVMs add to it, and without the data that Clojure prints behind it."""
    message, name = exception.message, (exception.type or "").rpartition(".")[2]
    if not message:
        return message
    if name == "ClassCastException":
        return _CAST.sub(r"\1 cannot be cast to ", _MODULES.sub("", message))
    if name == "ArrayIndexOutOfBoundsException" and message in ("<int>", "Index <int> out of bounds"):
        return "Index <int> out of bounds for length <int>"
    if name == "ExceptionInfo":
        return _DATA.sub("", message) or message
    return message


def loose_key(frame: Frame) -> str:
    """Class and method without the numbers of anonymous classes and the marks of lambdas."""
    if not frame.module:
        return frame.function or frame.filename or "?"
    module = _INDEX.sub("", frame.module or "")
    function = (frame.function or "").removeprefix("lambda$")
    scala = _ANONYMOUS_FUNCTION.match(module)
    if scala is not None:
        module, function = scala["owner"], scala["method"] or function
    return f"{module.removesuffix('$')}.{function}"  # Scala and Kotlin objects print a $ of their own


def normal_type(name: str) -> str:
    """Return the lasting name of an exception class."""
    return normal_class(name.rpartition("/")[2])


def is_diagnostic(exception: RaisedException) -> bool:
    """Kotlin hangs a marker with object ids on the exceptions of coroutines; it says nothing of the fault."""
    return (exception.type or "").startswith("kotlinx.coroutines.internal.DiagnosticCoroutineContext")


def function_name(raw: str) -> str | None:
    """``a.b.C.m`` under its lasting name; None for a name without a class."""
    head, dot, function = raw.rpartition(".")
    if not dot or not function or not head.replace(".", "").replace("$", "").replace("/", "").isidentifier():
        return None
    frame = normal_frame(Frame(function, head.rpartition("/")[2]))
    return f"{frame.module}.{frame.function}" if frame.module else frame.function
