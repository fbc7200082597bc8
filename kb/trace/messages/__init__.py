"""Error messages without a trace: the line of a paste that tells what went wrong."""
