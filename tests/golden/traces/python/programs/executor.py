"""The error of a worker of a process pool."""

from concurrent.futures import ProcessPoolExecutor


def parse(line):
    raise ValueError(f"bad line:\n  {line}")


if __name__ == "__main__":
    with ProcessPoolExecutor(1) as pool:
        print(pool.submit(parse, "42,x").result())
