"""Who may tell of alerts: each system in the way it has, or anybody with a key of ours."""

import hashlib
import hmac
from dataclasses import dataclass

from api.chat.platform import RefusedRequest, WebhookRequest
from api.hooks.settings import HookSettings

WINDOW = 300.0
"""Seconds by which the time of a call may differ from ours, where a system states one."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A call whose sender signed it. ``mark`` is of this call alone: it is not taken again soon."""

    mark: str | None


def bearer(call: WebhookRequest) -> str:
    """What the call shows in the place of a key; '' when nothing."""
    kind, _, secret = call.headers.get("authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else ""


def signed(system: str, call: WebhookRequest, settings: HookSettings, now: float) -> Signed | None:
    """The proof that the system sent the call; None where it shows none of its own, and a key of ours has to do.

    Refused where it shows one that does not hold.
    """
    match system:
        case "alertmanager" if settings.alertmanager_token and (shown := bearer(call)):
            return Signed(None) if _same(settings.alertmanager_token, shown) else None
        case "grafana" if settings.grafana_secret and (shown := call.headers.get(_GRAFANA, "")):
            return _grafana(call, shown, settings, now)
        case "sentry" if settings.sentry_secret and (shown := call.headers.get("sentry-hook-signature", "")):
            return _sentry(call, shown, settings.sentry_secret, now)
        case _:
            return None


_GRAFANA = "x-grafana-alerting-signature"


def _grafana(call: WebhookRequest, shown: str, settings: HookSettings, now: float) -> Signed:
    """Of the body alone, or of time and body where the contact point names a header for the time; where the house names it, it has to be there."""
    stated = call.headers.get(settings.grafana_timestamp_header.lower(), "")
    base = stated.encode("utf-8", "replace") + b":" + call.body if stated else call.body
    if not _same(_mac(settings.grafana_secret or "", base), shown):
        raise RefusedRequest("signature")
    if stated or "grafana_timestamp_header" in settings.model_fields_set:
        _check_time(stated, now)
    return Signed(shown)


def _sentry(call: WebhookRequest, shown: str, secret: str, now: float) -> Signed:
    """The time is not part of what is signed: a wrong one is refused, a missing one tells nothing."""
    if not _same(_mac(secret, call.body), shown):
        raise RefusedRequest("signature")
    if stated := call.headers.get("sentry-hook-timestamp", ""):
        _check_time(stated, now)
    return Signed(shown)


def _check_time(stated: str, now: float) -> None:
    if not (stated.isascii() and stated.isdecimal() and len(stated) < 12 and abs(now - int(stated)) <= WINDOW):
        raise RefusedRequest("too-old")


def _mac(secret: str, base: bytes) -> str:
    return hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()


def _same(right: str, shown: str) -> bool:
    return hmac.compare_digest(right.encode(), shown.encode("utf-8", "replace"))
