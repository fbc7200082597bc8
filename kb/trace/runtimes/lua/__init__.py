"""Tracebacks of Lua and LuaJIT, as interpreters, OpenResty, Redis, Neovim and game engines print them."""

from kb.trace.runtimes.base import Runtime
from kb.trace.runtimes.lua import names, reader

RUNTIME = Runtime(
    name="lua",
    reader=reader,
    names=names,
    needles=(
        "[Ss]tack traceback",
        "(?m:^Traceback$)",
        r"\blua(?:jit)?[\d.-]*(?:\.exe)?: \S+:\d+: ",
        r"lua (?:entry|user) thread aborted",
        r"failed to (?:run|load) [^\n]*(?:_by_lua|Lua)",
        r"user_script:\d+: ",
        r"E51\d\d: Error ",
        r"Error executing (?:lua|vim\.\w+ lua|Lua)",
        r"(?:\.lua|\"\]):\d+: in (?:function|local|upvalue|method|field|global|metamethod|main chunk)",
        r"\[C\]: (?:in |\?)",
    ),
    prints_type=False,
    frame_marks=("[Ss]tack traceback:", r"\[C\]: "),
    frame_hints=("[Ss]tack traceback:", r"\[C\]: "),
    normal_message=names.normal_message,
)
