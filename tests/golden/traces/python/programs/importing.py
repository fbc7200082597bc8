"""A syntax error in an imported module, below the import system."""

import importlib
import pathlib
import sys

folder = pathlib.Path("/srv/shop/plugins")
folder.mkdir(exist_ok=True)
(folder / "vat.py").write_text("def rate(order:\n    return 0.19\n")
sys.path.insert(0, str(folder))
importlib.import_module("vat")
