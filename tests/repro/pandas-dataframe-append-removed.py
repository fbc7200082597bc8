"""Run: python pandas-dataframe-append-removed.py (Python 3.11, pandas 2.2)."""

import pandas as pd

frame = pd.DataFrame({"sku": ["a"]})
frame = frame.append({"sku": "b"}, ignore_index=True)
