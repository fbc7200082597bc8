"""What `pytest --kb` asks, in a process of its own: texts as a JSON list on standard input, what is known of each on standard output."""

import json
import sys
from collections.abc import Sequence
from typing import Any

import index
from api.render.console import plain, print_json
from api.render.language import load_strings, percent
from api.settings import ServiceSettings
from kb.article.quotes.announced import shortened
from kb.client import Client, Patience
from kb.client.shapes import Answer, Match
from kb.errors import KbError

_TOGETHER = 50
"""Texts in one request."""
_CUT = 600
"""Characters of a cause and of a fix, and of what they announce."""
_LINES = 12
"""Lines of what they announce."""


def main() -> None:
    """Read, ask, write; exit code 1 with one line on standard error when nobody answers."""
    texts = json.load(sys.stdin)
    try:
        print_json([_known_match(answer) for answer in answers(texts, ServiceSettings.load())])
    except KbError as error:
        print(f"kb: {error.problem}. Cure: {error.cure}", file=sys.stderr)  # noqa: T201
        sys.exit(1)


def answers(texts: Sequence[str], settings: ServiceSettings) -> list[Answer]:
    """Of the service at `KB_URL`, or of the home."""
    if settings.url is None:
        engine = index.Engine.open(settings.home, settings.model, settings.store, settings.place)
        engine.activate()
        return [index.answer_to_dict(engine.search(text, 1)) for text in texts]  # type: ignore[misc]  # its wire form
    found: list[Answer] = []
    with Client(settings.url, settings.key or "", timeout=20.0, patience=Patience(times=2, seconds=10.0)) as client:
        for at in range(0, len(texts), _TOGETHER):
            items = [(str(number), text) for number, text in enumerate(texts[at : at + _TOGETHER])]
            found += client.search_batch(items, 1, explain=False)
    return found


def _known_match(answer: Answer) -> dict[str, Any]:
    if answer["verdict"] != "known":
        return {"verdict": answer["verdict"]}
    match = answer["matches"][0]
    incident = match["incident"]
    return {
        "verdict": "known",
        "id": plain(incident["id"]),
        "title": plain(incident["title"]),
        "percent": percent(match["probability"]),
        "words": _words(match),
    }


def _words(match: Match) -> str:
    """The incident in some lines."""
    incident = match["incident"]
    certain = load_strings()["en"].probability(match["probability"])
    lines = [plain(incident["title"]), " · ".join((certain, plain(incident["id"]), *filter(None, [incident["url"]])))]
    announced = incident.get("announced", {})  # a service of an older version tells none
    for heading, text, below in (
        ("Root cause", incident["root_cause"], announced.get("root_cause")),
        ("Fix", incident["fix"], announced.get("fix")),
    ):
        if text:
            text_of_report = plain(text).strip()
            lines.append(f"{heading}: {text_of_report if len(text_of_report) <= _CUT else text_of_report[:_CUT] + '…'}")
            lines += [shortened(plain(below), _LINES, _CUT)] if below else []
    return "\n".join(plain(line) for line in lines)


if __name__ == "__main__":
    main()
