"""What the empty page tells: how many incidents are known, of which components, and what one may ask."""

from collections.abc import Iterator
from dataclasses import dataclass

from index import Engine
from index.storage.catalogue import FacetCount
from kb.trace import parse
from kb.trace.model import ExceptionChain

_COMPONENTS = 24
_EXAMPLES = 3
_READ = 60
"""Incidents that are looked at for examples."""
_SHORTEST, _LONGEST = 20, 110
"""Characters of an example: enough to be one, and no more than a line."""


@dataclass(frozen=True, slots=True)
class Start:
    """What the start page shows of a knowledge base."""

    total: int
    components: tuple[FacetCount, ...]
    more: int
    """Components beyond those."""
    examples: tuple[str, ...]
    """Error lines of known incidents, each of another component."""


class StartPage:
    """Remembers the examples of the last snapshot: reading traces takes longer than the page."""

    def __init__(self) -> None:
        self._examples: tuple[str, tuple[str, ...]] = ("", ())

    def of(self, engine: Engine) -> Start:
        """What is known now. Counting is done once for each state of the knowledge base."""
        if self._examples[0] != engine.snapshot_id:
            self._examples = engine.snapshot_id, _examples(engine)
        found = engine.catalogue().counts("component")
        more = max(0, len(found) - _COMPONENTS)
        return Start(engine.searchable(), found[:_COMPONENTS], more, self._examples[1])


def _examples(engine: Engine) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for incident in engine.ingested(0, _READ):
        if incident.component in found or not (incident.component and incident.traces):
            continue
        if line := next(_error_lines(parse(incident.traces[0][:4_000])), None):
            found[incident.component] = line
        if len(found) == _EXAMPLES:
            break
    return tuple(found.values())


def _error_lines(chains: tuple[ExceptionChain, ...]) -> Iterator[str]:
    for raised in (chain.exceptions[-1] for chain in chains):
        line = f"{raised.type}: {raised.message}" if raised.type and raised.message else ""
        if _SHORTEST <= len(line) <= _LONGEST and "\n" not in line:
            yield line
