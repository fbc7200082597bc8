"""The JVM: Java, Scala, Kotlin, Clojure, Groovy, Android; logback, log4j2 and JDK spellings."""

from kb.trace.runtimes.base import Runtime
from kb.trace.runtimes.jvm.names import (
    function_name,
    is_diagnostic,
    is_machinery,
    loose_key,
    normal_frame,
    normal_message,
    normal_type,
    rank,
)
from kb.trace.runtimes.jvm.reader import named_in, read, starts

# Class names that are thrown without being called an exception or error, see headers._THROWN
_THROWN_OTHERWISE = ("Failure", "Fault", "Timeout", "ThreadDeath", "Violation")

RUNTIME = Runtime(
    name="jvm",
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
    starts=starts,
    read=read,
    named_in=named_in,
    embedded=(),
    function_name=function_name,
    normal_frame=normal_frame,
    is_machinery=is_machinery,
    rank=rank,
    loose_key=loose_key,
    normal_type=normal_type,
    is_diagnostic=is_diagnostic,
    normal_message=normal_message,
)
