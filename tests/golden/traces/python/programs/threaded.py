"""A fault in a pool, seen through a future, with a comprehension and the standard library on the way."""

import json
from concurrent.futures import ThreadPoolExecutor


def parse(lines):
    return [json.loads(line) for line in lines]


with ThreadPoolExecutor(max_workers=1) as pool:
    pool.submit(parse, ['{"id": 1}', "{id: 2}"]).result()
