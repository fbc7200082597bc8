"""The error of a worker process, quoted in that of the pool."""

from multiprocessing import Pool


def parse(line):
    return int(line.split(",")[1])


if __name__ == "__main__":
    with Pool(2) as pool:
        pool.map(parse, ["7,1", "42,x"])
