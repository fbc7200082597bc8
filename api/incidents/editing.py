"""A write-up in somebody's editor: what is wrong is said by line and column, and whatever happens, the text stays in a file."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from api.console import note
from api.incidents.files import FilePosition, name_of, places
from kb.client import Declined
from kb.client.records import Saved
from kb.errors import KbError

_CURE = "set EDITOR to the editor you like"


class Kept(KbError):  # noqa: N818 - reads as what is the case
    """Nothing was saved; the text is in ``file``. ``document`` is what the answer said, if there was one."""

    def __init__(
        self,
        problem: str,
        file: Path,
        problems: tuple[FilePosition, ...] = (),
        document: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(problem, cure=f"your text is in {file}: mend it, then `kb incidents import {file}`")
        self.file = file
        self.problems = problems
        self.document = document or {}


def edited(text: str, incident_id: str, save: Callable[[str], Saved], again: Callable[[], bool]) -> Saved | None:
    """What was saved of a text that went through the editor; None when it came back as it was.

    ``again`` is asked after a mistake whether to go on. `Kept` when nothing was saved.
    """
    file = Path(tempfile.mkdtemp(prefix="kb-edit-")) / name_of(incident_id)
    file.write_bytes(text.encode("utf-8", "replace"))
    before = file.read_bytes()
    while True:
        _run(file)
        after = file.read_bytes()
        if after == before:
            _remove(file)
            return None
        try:
            saved = save(after.decode("utf-8").replace("\r\n", "\n"))
        except UnicodeDecodeError:
            raise Kept("the text is not UTF-8, nothing was saved", file) from None
        except Declined as declined:
            found = places(declined.errors)
            if declined.status != 422:
                raise Kept(declined.problem, file, found, declined.document) from declined
            for one in found:
                note(f"{file}:{one.line}:{one.column}: {one.problem}")
            if not again():
                raise Kept("nothing was saved: the write-up has mistakes", file, found, declined.document) from declined
        except KbError as error:
            raise Kept(f"{error.problem}; nothing was saved", file) from error
        else:
            _remove(file)
            return saved


def _run(file: Path) -> None:
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        ended = subprocess.run([*shlex.split(command), str(file)], check=False)  # noqa: S603 - the editor is the user's own
    except (OSError, ValueError) as error:
        raise Kept(f"the editor {command!r} does not start; {_CURE}", file) from error
    if ended.returncode:
        raise Kept(f"the editor ended with {ended.returncode}, nothing was saved", file)


def _remove(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.parent.rmdir()
