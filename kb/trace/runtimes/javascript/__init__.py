"""V8 (Node, Chrome, Deno, Bun's prints), SpiderMonkey, JavaScriptCore and Hermes."""

from kb.trace.runtimes.base import Runtime
from kb.trace.runtimes.javascript import names, reader

RUNTIME = Runtime(
    name="javascript",
    reader=reader,
    names=names,
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
    prints_type=False,
    needles_in_words=True,
    is_diagnostic=names.is_diagnostic,
    normal_message=names.normal_message,
)
