"""python tests/repro/asyncio-never-awaited.py   (Python 3.11, aiohttp): a coroutine nobody awaits, a task nobody looks at, a loop in a thread, an open session."""

import asyncio
import threading
import traceback

import aiohttp


async def work() -> int:
    return 1


async def fails() -> None:
    raise ValueError("lost")


async def main() -> None:
    work()
    task = asyncio.create_task(fails())
    await asyncio.sleep(0.1)
    del task
    aiohttp.ClientSession()
    try:
        work() + 1
    except TypeError:
        traceback.print_exc()


asyncio.run(main())


def thread() -> None:
    try:
        asyncio.get_event_loop()
    except RuntimeError:
        traceback.print_exc()


one = threading.Thread(target=thread)
one.start()
one.join()
