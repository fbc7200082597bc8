""".NET: Framework in every language it was translated to, .NET 5 and later, Mono, Unity, Xamarin, NativeAOT, ASP.NET, PowerShell."""

from kb.trace.runtimes.base import Runtime
from kb.trace.runtimes.dotnet.names import (
    function_name,
    is_diagnostic,
    is_machinery,
    loose_key,
    normal_frame,
    normal_message,
    normal_type,
    rank,
)
from kb.trace.runtimes.dotnet.needles import NEEDLES
from kb.trace.runtimes.dotnet.reader import named_in, read, starts

RUNTIME = Runtime(
    name="dotnet",
    needles=NEEDLES,
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
    reads_raw=True,
)
