"""A task group: nested groups, one with a note and one with a cause."""

import asyncio


async def fetch(shard):
    await asyncio.sleep(0)
    if shard == 2:
        error = ConnectionResetError(104, "Connection reset by peer")
        error.add_note("shard 2 on 10.0.0.7:9042")
        raise error
    try:
        return {}[shard]
    except KeyError as missing:
        raise LookupError(f"shard {shard} is unknown") from missing


async def load():
    async with asyncio.TaskGroup() as group:
        for shard in (1, 2):
            group.create_task(fetch(shard))


async def main():
    async with asyncio.TaskGroup() as group:
        group.create_task(load())


asyncio.run(main())
