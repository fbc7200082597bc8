"""An incident with what its words and traces name: component, versions, error codes. What it states itself stays."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter

from kb.entities.codes import codes_of
from kb.entities.components import Mentions, component_of, table_of
from kb.entities.versions import artifacts_of, versions_of
from kb.incident import Incident
from kb.trace import ExceptionChain
from kb.trace.in_force import rules_in_force

_PART = 4_000
"""Characters of a part of a page that are looked at."""
_TRACES = 40_000
"""Characters of traces that are looked at."""


def annotated(incident: Incident, page: str | None = None, around: str | None = None) -> Incident:
    """The incident, each of component, versions and codes filled in where it states none. Doing it twice changes nothing.

    What tells its cause apart is not looked at: that names other problems.

    ``page`` is the component of the page that it is a part of, ``around`` the one that most parts of it name.
    """
    house = rules_in_force()
    words = "\n".join(
        filter(None, (incident.title, incident.symptom, incident.root_cause, incident.fix, incident.prose))
    )
    traces = "\n".join(incident.traces)[:_TRACES]
    component = incident.component or component_of(
        replace(_mentions(incident, words), page=page, around=around), house.components
    )
    versions = incident.versions or versions_of(words, house.components)
    if component and not incident.versions:
        own = [word for word, name in table_of(house.components).words.items() if name == component]
        versions = tuple(dict.fromkeys((*versions, *artifacts_of(traces, own))))
    codes = incident.codes or codes_of(f"{words}\n{traces}", house.codes)
    return replace(incident, component=component, versions=versions, codes=codes)


def component_of_page(title: str, tags: tuple[str, ...], path: str, text: str) -> str | None:
    """The component that a page as a whole is about."""
    return component_of(Mentions(title, tags, path, body=text), rules_in_force().components)


def component_around(texts: Sequence[str]) -> str | None:
    """The component that most of the parts of a page name; None where fewer than two do, or less than a quarter of them."""
    table = table_of(rules_in_force().components)
    named = Counter(name for text in texts for name in table.named_in(text[:_PART]) if name not in table.general)
    name, parts = max(named.items(), key=itemgetter(1), default=(None, 0))
    return name if parts >= max(2, len(texts) / 4) else None


def _mentions(incident: Incident, words: str) -> Mentions:
    main: ExceptionChain | None = next(
        (chain for chain in incident.chains if any(one.stack.frames for one in chain.exceptions)),
        next(iter(incident.chains), None),
    )
    raised = main.exceptions if main else ()
    modules = [frame.module or frame.filename or "" for one in raised for frame in one.stack.frames]
    types = [one.type for one in raised if one.type]
    return Mentions(incident.title, incident.tags, incident.source.path, types, modules, words)
