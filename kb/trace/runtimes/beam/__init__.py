"""The BEAM: exceptions of Elixir, crash reports, error reports and shells of Erlang, reports of their loggers."""

from kb.trace.runtimes.base import Runtime
from kb.trace.runtimes.beam import names, reader

RUNTIME = Runtime(
    name="beam",
    reader=reader,
    names=names,
    needles=(
        r"\*\* \((?:[A-Z][\w.]*|exit|throw|stop|EXIT from #PID<[\d.]+>)\)",
        r"\([a-z]\w*(?: \d[\w.+-]*)?\) \S+\.(?:exs?|erl|[hl]?eex):\d+: ",
        r"(?m:^ +\S+\.exs?:\d+: \S)",
        "exception (?:error|exit|throw): ",
        r"in (?:function|call from)  ?\S+:\S+/\d+ ",
        r'\[\{file,(?:\\*"|&quot;)',  # also in a field of JSON, on a page
    ),
    reads_over_blanks=("** (",),
    frame_marks=(
        r"\*\* [({]",
        r"\[?\{'?[A-Za-z][\w.@]{0,60}'?,'?[a-z-][\w@/-]{0,60}'?,(?:\d|\[|$)",  # {till,pay,1,[{file,"till.erl"},{line,8}]}
        r"\([a-z]\w{0,60}(?: \d[\w.+-]{0,40})?\) (?:\S{1,300}\.\w{2,5}:\d|:[a-z])",
        r"in [\w(]",  # in function  till:pay/1 (till.erl, line 5), as in Cart (at App.js:12) of React
    ),
    frame_hints=(
        r"\*\* [({]",
        r'\[\{file,"',
        r"\.(?:exs?|erl):\d",
        r"in (?:function|operator|call from) ",
    ),
    own_prefixes=(
        r"[ \t]{1,40}\([a-z]\w{0,60}(?: \d[\w.+-]{0,40})?\) (?:\S{1,300}\.\w{2,5}:\d|:[a-z])",
    ),  # the application of a frame: (stdlib 4.2)
    normal_message=names.normal_message,
)
