"""Run: python asyncio-run-running-event-loop.py (Python 3.11)."""

import asyncio


async def fetch() -> int:
    return 1


async def handler() -> int:
    return asyncio.run(fetch())


asyncio.run(handler())
