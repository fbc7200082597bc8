"""The JVM: Java, Scala, Kotlin, Clojure, Groovy, Android; logback, log4j2 and JDK spellings."""

from kb.trace.runtimes.jvm.names import is_diagnostic, is_machinery, loose_key, normal_frame, normal_type, rank
from kb.trace.runtimes.jvm.reader import named_in, read, starts
from kb.trace.runtimes.runtime import Runtime

RUNTIME = Runtime(
    name="jvm",
    needles=(
        "at ",
        ".java:",
        "Exception",
        "Caused by",
        "Error",
        "Throwable",
        "Suppressed:",
        "Wrapped by",
        "Java Runtime Environment",
    ),
    starts=starts,
    read=read,
    named_in=named_in,
    embedded=(),
    normal_frame=normal_frame,
    is_machinery=is_machinery,
    rank=rank,
    loose_key=loose_key,
    normal_type=normal_type,
    is_diagnostic=is_diagnostic,
)
