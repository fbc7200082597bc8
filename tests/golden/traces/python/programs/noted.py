"""Notes (PEP 678) behind a message."""


def insert(row):
    raise ValueError("duplicate key")


try:
    insert({"id": 7})
except ValueError as error:
    error.add_note("while handling order 42")
    error.add_note("联系值班")
    raise
