"""Ruby backtraces: MRI of every release, JRuby, and the logs of Rails, Sidekiq, RSpec and minitest."""

from kb.trace.runtimes.base import Runtime
from kb.trace.runtimes.ruby import names, reader

RUNTIME = Runtime(
    name="ruby",
    reader=reader,
    names=names,
    needles=(
        r":\d+:in (?:`|'|‘|“|´|&#39;|&quot;)",
        r"\.rb:\d+: (?:syntax error|[^\n]*Error\))",
        r"[\w>?!=] at \S+\.rb:\d",
        r"[A-Z]\w*::[A-Z]\w* \(",
        r"terminated with exception \(report_on",
    ),
    frame_marks=(r"from [/\w]",),
    frame_hints=(r"from [/\w]",),
    own_prefixes=(r"[ \t]*+\d{1,7}: from ",),
    normal_message=names.normal_message,
)
