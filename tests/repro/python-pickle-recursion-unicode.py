"""python tests/repro/python-pickle-recursion-unicode.py   (Python 3.11): what cannot be pickled, a recursion without end, text in an ASCII locale."""

import multiprocessing
import pickle
import subprocess
import sys
import threading
import traceback


def deep(n: int) -> int:
    return deep(n + 1)


def main() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for call in (
            lambda: pickle.dumps(lambda x: x),
            lambda: pool.map(lambda x: x, [1]),
            lambda: pickle.dumps(threading.Lock()),
            lambda: deep(0),
        ):
            try:
                call()
            except (AttributeError, RecursionError, TypeError, pickle.PicklingError):
                text = traceback.format_exc().splitlines()
                print("\n".join(text if len(text) < 30 else [*text[:6], *text[-3:]]))
    for code in ("print('你好')", "open('/tmp/nihao.txt', 'w').write('你好')"):
        env = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        subprocess.run([sys.executable, "-c", code], env=env, check=False)
    subprocess.run([sys.executable, "-c", "b'\\xff\\xfe'.decode()"], check=False)


if __name__ == "__main__":
    main()
