"""The JVM: Java, Scala, Kotlin, Clojure, Groovy, Android; logback, log4j2 and JDK spellings."""

from kb.trace.runtimes.base import Runtime
from kb.trace.runtimes.jvm import names, reader

# Class names that are thrown without being called an exception or error, see headers._THROWN
_THROWN_OTHERWISE = ("Failure", "Fault", "Timeout", "ThreadDeath", "Violation")

RUNTIME = Runtime(
    name="jvm",
    reader=reader,
    names=names,
    needles=(
        r"at\s*[^\s().]+\.[^()]+\(",  # at a.b.C.m(
        "Exception",
        "Error",
        "Throwable",
        "Caused by",
        "caused by",
        "Suppressed",
        "Wrapped by",
        "oot cause",
        "原因引起",
        "Java Runtime Environment",
        r"(?:Execution|Syntax|Unexpected) error.{0,300} at ",
        *_THROWN_OTHERWISE,
    ),
    needles_in_words=True,
    reads_over_blanks=("at ",),
    frame_marks=(
        r"at [\w$@./<]",
        "Caused by",
        r"\.{3} \d",
        "(?:Syntax|Execution) error ",
    ),
    frame_hints=(
        r"at [\w$@./<]+[.(]",
        "Caused by",
        r"\.\.\. \d",
        "Execution error |Syntax error ",
    ),
    looks_back=reader.looks_back,
    is_diagnostic=names.is_diagnostic,
    normal_message=names.normal_message,
)
