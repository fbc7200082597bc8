"""Back up a home and its store into one file while everything runs, and restore it.

A tar file: ``lake/``, ``snapshots/<the one in use>/``, ``rules/``, ``store/<table>.jsonl``, and at its end ``backup.json`` with the size and
SHA-256 of every other member. Lake and snapshot never change a file, only their pointers; so what a pointer names is copied, and when
the pointer moved meanwhile, it is done again. The store is read last, at one moment: it knows of everything that the snapshot holds.
"""
