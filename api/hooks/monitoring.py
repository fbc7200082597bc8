"""Alerts of Prometheus' Alertmanager and of Grafana, which speaks the same form.

prometheus.io/docs/alerting/latest/configuration/#webhook_config (version 4);
grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier.
"""

import json
import re
from collections.abc import Sequence
from importlib.resources import files

from api.chat.payload import Json, load, part, parts, text
from api.chat.platform import RefusedRequest
from api.hooks.alert import Alert, digest, joined, named

_SIGNS = re.compile(r"[^a-z0-9]")


def usual_fields() -> tuple[str, ...]:
    """The names in ``fields.txt``."""
    lines = (files("api.hooks") / "fields.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def read(body: bytes, fields: Sequence[str]) -> tuple[Alert, ...]:
    """The alerts of one notification. Refused("unreadable") when it is none."""
    told = load(body)
    alerts, given = parts(told, "alerts"), told.get("alerts")
    if not isinstance(given, list) or (given and not alerts):  # a template that writes something else
        raise RefusedRequest("unreadable")
    group = text(told, "groupKey") or _canonical(part(told, "groupLabels"))
    return tuple(_alert(one, told, group, fields) for one in alerts)


def _alert(one: Json, told: Json, group: str, fields: Sequence[str]) -> Alert:
    labels, annotations = part(one, "labels"), part(one, "annotations")
    name = named(text(labels, "alertname"), text(annotations, "summary"), text(told, "title"))
    known = text(one, "fingerprint") or _canonical(labels)
    return Alert(
        id=digest(group, known, text(one, "startsAt")),
        name=name,
        text=joined([*picked((annotations, labels), fields), name]),
        group=group,
        is_over=text(one, "status") == "resolved",
    )


def picked(places: Sequence[Json], fields: Sequence[str]) -> list[str]:
    """The texts that stand under one of the fields, in the order of the fields."""
    order = {plain: place for place, plain in reversed(list(enumerate(map(_plain, fields))))}
    found = [(order[plain], text(held, key)) for held in places for key in held if (plain := _plain(str(key))) in order]
    return [said for _, said in sorted(found, key=lambda one: one[0])]


def _plain(name: str) -> str:
    return _SIGNS.sub("", name[:200].lower())


def _canonical(labels: Json) -> str:
    return json.dumps(labels, sort_keys=True, ensure_ascii=True)
