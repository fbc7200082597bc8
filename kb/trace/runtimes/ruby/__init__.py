"""Ruby backtraces: MRI of every release, JRuby, and the logs of Rails, Sidekiq, RSpec and minitest."""

from kb.trace.runtimes.base import Runtime, no_marker
from kb.trace.runtimes.ruby.names import (
    function_name,
    is_machinery,
    loose_key,
    normal_frame,
    normal_message,
    normal_type,
    rank,
)
from kb.trace.runtimes.ruby.reader import named_in, read, starts

RUNTIME = Runtime(
    name="ruby",
    needles=(
        r":\d+:in (?:`|'|‘|“|´|&#39;|&quot;)",
        r"\.rb:\d+: (?:syntax error|[^\n]*Error\))",
        r"[\w>?!=] at \S+\.rb:\d",
        r"[A-Z]\w*::[A-Z]\w* \(",
        r"terminated with exception \(report_on",
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
)
