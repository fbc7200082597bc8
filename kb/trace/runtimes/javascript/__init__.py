"""V8 (Node, Chrome, Deno, Bun's prints), SpiderMonkey, JavaScriptCore and Hermes."""

from kb.trace.runtimes.base import Runtime
from kb.trace.runtimes.javascript.names import (
    function_name,
    is_diagnostic,
    is_machinery,
    loose_key,
    normal_frame,
    normal_message,
    normal_type,
    rank,
)
from kb.trace.runtimes.javascript.reader import named_in, read, starts

RUNTIME = Runtime(
    name="javascript",
    needles=(
        r"\.(?:[cm]?[jt]sx?|vue|svelte|jsbundle|bundle)(?:\?[^\s:()]*)?:\d+",  # a.js:1
        r"at [^()\n]*\([^()\s]*[^\d\s():]:\d+:\d+\)",  # at f (file:1:2)
        r"at [^()\n]*\((?:<anonymous>|native|eval at )",
        r"(?:\(|at )node:[a-z_/]+:\d+",
        r"at (?:async )?(?:https?|file|webpack[a-z-]*|app):/[^\s()]*:\d+:\d+",
        r"@(?:https?|file|resource|chrome|moz-extension|webpack[a-z-]*|app|capacitor)://?[^\s@]*:\d+",
        r"@(?:\[native code\]|debugger eval code|self-hosted)",
        r"\[UnhandledPromiseRejection: ",
        "Error",
        "Exception",
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
    prints_type=False,
)
