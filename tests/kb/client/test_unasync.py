"""The synchronous client is written from the asynchronous one."""

import runpy
from pathlib import Path

TOOL = Path(__file__).parents[3] / "tools" / "unasync.py"


def test_the_sync_client_is_generated_from_the_async_one() -> None:
    tool = runpy.run_path(str(TOOL))
    written = tool["sync_source"](tool["SOURCE"].read_text(encoding="utf-8"))
    assert tool["TARGET"].read_text(encoding="utf-8") == written, "run: python tools/unasync.py"
