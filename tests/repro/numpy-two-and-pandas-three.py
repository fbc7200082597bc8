"""python tests/repro/numpy-two-and-pandas-three.py   (NumPy 2, pandas 3): names that are gone, shapes that do not fit, merges of text and numbers."""

import traceback
import warnings
from operator import attrgetter

import numpy as np
import pandas as pd

warnings.simplefilter("always")
frame = pd.DataFrame({"k": [1, 2], "v": [3, 4]})
for call in (
    lambda: attrgetter("float_")(np),
    lambda: attrgetter("int")(np),
    lambda: attrgetter("product")(np),
    lambda: np.array([[1, 2], [3]]),
    lambda: np.ones((2, 3)) + np.ones((4,)),
    lambda: frame.merge(pd.DataFrame({"k": ["1"], "w": [1]}), on="k"),
    lambda: frame["missing"],
    lambda: bool(frame["k"] > 1),
    lambda: frame.assign(d=["2024-01-32", "x"]).pipe(lambda f: pd.to_datetime(f["d"])),
    lambda: pd.DataFrame({"a": [1, 2], "b": [1]}),
):
    try:
        call()
    except (AttributeError, KeyError, TypeError, ValueError):
        text = traceback.format_exc().splitlines()
        print("\n".join(text[:4] + text[-3:]))
