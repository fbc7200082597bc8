"""An answer as Markdown, to be put into a ticket or a chat."""

from api.contract.paths import page_of
from api.render.language import Strings
from index import Match
from kb.incident import Incident

_TITLE = str.maketrans({"[": "\\[", "]": "\\]", "\n": " "})


def as_markdown(t: Strings, headline: str, match: Match) -> str:
    """Verdict, title with a link that begins at this service (``/incidents/…``), cause, and the whole fix."""
    incident = match.incident
    title = f"[{incident.title.translate(_TITLE)}]({page_of(incident.id)})"
    parts = [f"**{headline}** · {t.probability(match.probability)}", title]
    parts += [
        f"**{t(field)}**\n\n{_stated(incident, field)}" for field in ("root_cause", "fix") if getattr(incident, field)
    ]
    return "\n\n".join(parts) + "\n"


def _stated(incident: Incident, field: str) -> str:
    """What the write-up states, with what it announces."""
    return "\n\n".join(filter(None, (getattr(incident, field), incident.announced.get(field))))
