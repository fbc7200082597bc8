"""Alerts in JSON: Alertmanager and Grafana, which share one form, and any other JSON by a JMESPath expression.

prometheus.io/docs/alerting/latest/configuration/#webhook_config (version 4);
grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier.
"""

import json
import re
from collections.abc import Sequence
from importlib.resources import files

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult

from api.chat.payload import Json, load, part, parts, text
from api.chat.platform import RefusedRequest
from api.hooks.alert import TEXT, Alert, digest, joined, named

LONGEST_EXPRESSION = 1_000
"""Most characters of an expression."""


def compiled(expression: str) -> ParsedResult:
    """Compile an expression. ValueError says what is wrong with it."""
    if len(expression) > LONGEST_EXPRESSION:
        raise ValueError(f"an expression has at most {LONGEST_EXPRESSION} characters")
    try:
        return jmespath.compile(expression)
    except JMESPathError as error:
        raise ValueError(f"it is no JMESPath: {str(error).splitlines()[0]}") from None


def read_generic(body: bytes, expression: ParsedResult, group: str) -> tuple[Alert, ...]:
    """Return an alert for each text that the expression finds. RefusedRequest("unreadable") where it finds none."""
    document = load(body)
    try:
        values = expression.search(document)
    except (JMESPathError, RecursionError, ArithmeticError, TypeError, ValueError):
        raise RefusedRequest("unreadable") from None
    texts = [one for one in (values if isinstance(values, list) else [values]) if isinstance(one, str) and one.strip()]
    if not texts:
        raise RefusedRequest("unreadable")
    return tuple(Alert(digest("generic", one), named(one), _clean(one), group) for one in texts)


def _clean(text: str) -> str:
    return text[:TEXT].encode("utf-8", "replace").decode().replace("\x00", "\ufffd")


_SIGNS = re.compile(r"[^a-z0-9]")


def usual_fields() -> tuple[str, ...]:
    """Return the names in ``fields.txt``."""
    lines = (files("api.hooks") / "fields.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def read_monitoring(body: bytes, fields: Sequence[str]) -> tuple[Alert, ...]:
    """Read the alerts of one notification. RefusedRequest("unreadable") when it is none."""
    payload = load(body)
    alerts, given = parts(payload, "alerts"), payload.get("alerts")
    if not isinstance(given, list) or (given and not alerts):  # a template that writes something else
        raise RefusedRequest("unreadable")
    group = text(payload, "groupKey") or _canonical(part(payload, "groupLabels"))
    return tuple(_alert(one, payload, group, fields) for one in alerts)


def _alert(one: Json, payload: Json, group: str, fields: Sequence[str]) -> Alert:
    labels, annotations = part(one, "labels"), part(one, "annotations")
    name = named(text(labels, "alertname"), text(annotations, "summary"), text(payload, "title"))
    known = text(one, "fingerprint") or _canonical(labels)
    return Alert(
        id=digest(group, known, text(one, "startsAt")),
        name=name,
        text=joined([*picked((annotations, labels), fields), name]),
        group=group,
        is_over=text(one, "status") == "resolved",
    )


def picked(places: Sequence[Json], fields: Sequence[str]) -> list[str]:
    """Return the texts under one of the fields, in the order of the fields."""
    order = {plain: place for place, plain in reversed(list(enumerate(map(_plain, fields))))}
    texts_in_order = [
        (order[plain], text(held, key)) for held in places for key in held if (plain := _plain(str(key))) in order
    ]
    return [value for _, value in sorted(texts_in_order, key=lambda one: one[0])]


def _plain(name: str) -> str:
    return _SIGNS.sub("", name[:200].lower())


def _canonical(labels: Json) -> str:
    return json.dumps(labels, sort_keys=True, ensure_ascii=True)
