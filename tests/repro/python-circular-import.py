"""Run: python python-circular-import.py (Python 3.11)."""

import sys
import tempfile
from pathlib import Path

folder = Path(tempfile.mkdtemp())
(folder / "orders.py").write_text("from customers import find\n\ndef total(): return find()\n")
(folder / "customers.py").write_text("from orders import total\n\ndef find(): return 1\n")
sys.path.insert(0, str(folder))
import orders  # noqa: E402, F401
