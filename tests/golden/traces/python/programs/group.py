"""An exception group inside another, with a cause inside."""


def fetch(shard):
    if shard == 2:
        try:
            int("shard two")
        except ValueError as error:
            raise RuntimeError("shard 2 is broken") from error
    raise TimeoutError(f"shard {shard} did not answer in {shard * 10}s")


def gather(shards):
    errors = []
    for shard in shards:
        try:
            fetch(shard)
        except Exception as error:
            errors.append(error)
    raise ExceptionGroup("shards failed", errors)


def main():
    try:
        gather([1, 2])
    except ExceptionGroup as group:
        raise ExceptionGroup("job failed", [group, OSError(28, "No space left on device")]) from None


main()
