"""python tests/repro/sqlite-database-is-locked.py   (Python 3.11): one connection has begun to write, another one wants to."""

import sqlite3
import tempfile
from pathlib import Path

path = Path(tempfile.mkdtemp()) / "shop.db"
first = sqlite3.connect(path, isolation_level=None)
first.execute("create table orders (id integer primary key)")
first.execute("begin immediate")
second = sqlite3.connect(path, timeout=0.1)
second.execute("insert into orders values (1)")
