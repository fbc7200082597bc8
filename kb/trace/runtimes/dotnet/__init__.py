""".NET: Framework in every language it was translated to, .NET 5 and later, Mono, Unity, Xamarin, NativeAOT, ASP.NET, PowerShell."""

from kb.trace.runtimes.base import Runtime
from kb.trace.runtimes.dotnet import names, reader

# Words for "at" that ordinary prose has not: a name and an opening bracket behind them are enough.
_OWN_WORDS = "在|于|於|場所|위치|bei|konum|kohteessa|σε|عند|ב-|в|helyen"
# Short words of European languages: only indented, before a name with a capital and typed or no arguments.
_SHORT_WORDS = "à|en|in|em|w|v|vid|ved|bij"

RUNTIME = Runtime(
    name="dotnet",
    reader=reader,
    names=names,
    needles=(
        # no colons: a host and port is no name, and arguments with a colon are another runtime's place
        r"\bat (?:[A-Za-z][^\s()]* |\([a-z -]+\) ){0,2}[A-Za-z_<.][^\s():]*[.>][^\s():]+ ?\([^():]*\)",
        rf"(?:{_OWN_WORDS}):?\s+[\pL_<(.][^\s()]*\.[^\s()]+ ?\(",
        rf"  (?:{_SHORT_WORDS}) [\pL_<(.][^\s()]*\.[^\s()]+ ?\(",
        # any language: F.cs:word 12, F.cs: word 12, F.cs, word: 12
        r"\.(?:cs|vb|fs|razor|cshtml)(?:[:：,] ?[^\s:：,]{1,12}:? | [^\s:]{1,12}: ?[^\s:]{1,12} )\d",
        r"\(at (?:Assets|Packages|Library|<|\.?/|[A-Z]:)[^()]*:\d+\)",
        r"[A-Za-z.]Exception",
        r":\d+ (?:char:|字符: ?)\d",
        r"FullyQualifiedErrorId|CategoryInfo",
        r"<BaseAddress>\+0x",
        r"--- [^-]{8,120} ---\s*$",
    ),
    reads_raw=True,
    needles_in_words=True,
    reads_over_blanks=("at ",),
    frame_marks=(r"在 \w",),
    frame_hints=(r"在 \w",),
    is_diagnostic=names.is_diagnostic,
    normal_message=names.normal_message,
)
