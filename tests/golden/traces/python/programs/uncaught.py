"""Errors that nobody can catch: in a thread, in a finaliser, in a callback, in a task that nobody waits for."""

import asyncio
import gc
import threading


class Ledger:
    def __del__(self):
        raise OSError(28, "No space left on device")


def run():
    raise RuntimeError("queue 'orders' is closed")


thread = threading.Thread(target=run, name="worker-3")
thread.start()
thread.join()

ledger = Ledger()
del ledger


async def poll(shard):
    await asyncio.sleep(0)
    raise TimeoutError(f"shard {shard} does not answer")


async def main():
    asyncio.get_running_loop().call_soon(lambda: {}["price"])
    task = asyncio.create_task(poll(2), name="poll-2")
    await asyncio.sleep(0.01)
    del task
    gc.collect()


asyncio.run(main())
