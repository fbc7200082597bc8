"""Read once by the process that writers are copies of: what they would each read again."""

import tempfile
from pathlib import Path

from kb.incident import Status
from kb.store import Store

from .told import ANN, incident

with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "store.db") as store:
    store.incidents.create(incident("a"), actor=ANN)
    store.incidents.move("a", Status.PUBLISHED, expected=1, actor=ANN)
