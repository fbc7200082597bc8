"""Run: python linux-too-many-open-files.py (Python 3.11)."""

import resource

resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30))
kept = [open("/etc/hosts") for _ in range(50)]  # noqa: PTH123, SIM115
