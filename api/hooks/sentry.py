"""Read webhooks of Sentry's integration platform: docs.sentry.io/organization/integrations/integration-platform/webhooks."""

from collections.abc import Mapping

from api.chat.payload import Json, load, part, text
from api.hooks.alert import Alert, digest, joined, named
from api.hooks.stacks import trace_of

_OVER = frozenset({"resolved", "archived", "ignored"})
_NEW = frozenset({"created", "unresolved"})


def read(body: bytes, headers: Mapping[str, str]) -> tuple[Alert, ...]:
    """Return the alert of an event or an issue; none for anything else (an installation, a comment)."""
    payload = load(body)
    data, action = part(payload, "data"), text(payload, "action")
    match headers.get("sentry-hook-resource"):
        case "event_alert":
            return (_event(part(data, "event"), text(data, "triggered_rule")),)
        case "error":
            return (_event(part(data, "error"), ""),)
        case "issue" if action in _NEW | _OVER:
            return (_issue(part(data, "issue"), action, headers.get("request-id", "")),)
        case "metric_alert":
            return (_metric(data, action),)
        case _:
            return ()


def _event(event: Json, rule: str) -> Alert:
    name = named(text(event, "title"), text(part(event, "metadata"), "title"), rule)
    known = text(event, "event_id") or text(event, "id")
    trace = trace_of(event)
    words = joined([text(event, "title"), *_messages(event), text(event, "culprit")])
    group = text(event, "issue_id") or text(event, "issue_url") or name
    return Alert(
        digest("event", known or trace or words), name, joined([trace, *_messages(event)]) if trace else words, group
    )


def _messages(event: Json) -> list[str]:
    """Return the messages that were logged with the event."""
    logged = part(event, "logentry")
    return [text(event, "message"), text(logged, "formatted") or text(logged, "message")]


def _issue(issue: Json, action: str, request: str) -> Alert:
    """An issue has no stack: title, the exception's words, and the culprit."""
    metadata = part(issue, "metadata")
    value = ": ".join(filter(None, (text(metadata, "type"), text(metadata, "value"))))
    words = joined([value or text(issue, "title"), text(issue, "culprit"), text(metadata, "function")])
    known = text(issue, "id") or words
    return Alert(
        digest("issue", known, action, request), named(text(issue, "title"), value), words, known, action in _OVER
    )


def _metric(data: Json, action: str) -> Alert:
    metric = part(data, "metric_alert")
    title, words = text(data, "description_title"), text(data, "description_text")
    known = text(metric, "id") or text(metric, "identifier") or title
    return Alert(digest("metric", known, action), named(title), joined([title, words]), known, action in _OVER)
