"""Errors that are an operator's to mend. Text that users paste never raises one."""


class KbError(Exception):
    """Something an operator can put right: names the thing, the place and the cure."""

    def __init__(self, problem: str, *, cure: str) -> None:
        super().__init__(f"{problem} — {cure}")
        self.problem = problem
        self.cure = cure


class SnapshotError(KbError):
    """The snapshot is missing, broken, or was built by other code or another model."""


class CandidatesError(KbError):
    """The server that `KB_CANDIDATES` names does not answer, or lacks the snapshot."""


class SourceError(KbError):
    """A source of documents cannot be read at all (one bad document is rejected instead)."""


class RulesError(KbError):
    """A line of a rules file is wrong; the problem names file and line."""


class SettingsError(KbError):
    """A setting has a value that cannot be used."""
