"""Tracebacks of Lua and LuaJIT, as interpreters, OpenResty, Redis, Neovim and game engines print them."""

from kb.trace.runtimes.base import Runtime, no_marker
from kb.trace.runtimes.lua.names import (
    function_name,
    is_machinery,
    loose_key,
    normal_frame,
    normal_message,
    normal_type,
    rank,
)
from kb.trace.runtimes.lua.reader import named_in, read, starts

RUNTIME = Runtime(
    name="lua",
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
    is_diagnostic=no_marker,
    normal_message=normal_message,
    prints_type=False,
)
