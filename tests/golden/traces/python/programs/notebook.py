"""What IPython shows of a failing cell: a cause in the cells, and an error in the standard library."""

from IPython.core.interactiveshell import InteractiveShell

CELLS = (
    "import json\nprices = {}\n\ndef price(order):\n    return prices[order]\n\nclass Cart:\n    def total(self, orders):\n        return sum(price(o) for o in orders)",
    "try:\n    Cart().total([7, 42])\nexcept KeyError as error:\n    raise LookupError('购物车 7 没有价格') from error",
    "json.loads('{id: 2}')",
)

shell = InteractiveShell.instance(colors="NoColor", xmode="Context")
for cell in CELLS:
    shell.run_cell(cell, store_history=True)
