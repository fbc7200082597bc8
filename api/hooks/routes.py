"""`POST /v1/hooks/{system}`: verify an alert of another system as it came, read it, queue it for the channels, and answer it.

Each system proves itself in the way it has, or shows a key of ours.
"""

import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from fastapi import APIRouter, Request
from prometheus_client import CollectorRegistry, Counter
from starlette.responses import Response

from api.access.refusals import key_needed, key_refused, out_of_scope
from api.access.scopes import Scope
from api.chat.context import ChatContext, ChatSetup
from api.chat.platform import RefusedRequest, WebhookRequest
from api.contract.bodies import read_body
from api.contract.jsontext import WireResponse
from api.contract.problems import HttpProblem
from api.hooks import json_alerts, otlp, sentry
from api.hooks.alert import Alert, digest, spread
from api.hooks.channels import Channel, channels, queue_alerts
from api.hooks.review_news import ReviewNews
from api.hooks.settings import HookSettings
from api.hooks.triage_news import TriageNews
from api.hooks.webhook import deliveries
from api.server.service import Service
from api.settings import loaded
from index.answer import Answer
from index.triage_reports import TriageReports
from index.wire import answer_to_dict
from kb.redact import redact


class HookCounters:
    """Calls and alerts, by system."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._refused = Counter("kb_hooks_refused", "Calls refused.", ("system", "reason"), registry=registry)
        self._alerts = Counter(
            "kb_hooks_alerts",
            "Alerts: searched, over (resolved), left (beyond what one call may), kept (for a channel), seen (kept before).",
            ("system", "what"),
            registry=registry,
        )

    def refused(self, system: str, reason: str) -> None:
        """Count a refused call."""
        self._refused.labels(system, reason).inc()

    def alerts(self, system: str, what: str, count: int = 1) -> None:
        """Count the outcome of alerts."""
        self._alerts.labels(system, what).inc(count)


WINDOW = 300.0
"""Seconds by which the time of a call may differ from ours, where a system states one."""
K = 3
"""Incidents of an answer."""
SECONDS = 6.0
"""How long the alerts of one call are searched; the sender waits for the response."""
REPLAY_WINDOW = timedelta(seconds=2 * WINDOW)
"""How long an answered, signed call is refused as a replay."""
MOST_BYTES = 8 << 20
"""Of a call: a flood of some thousand alerts."""

Reader = Callable[[WebhookRequest], tuple[Alert, ...]]
router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Hooks:
    """The hooks of a running service."""

    service: Service
    settings: HookSettings
    to: tuple[Channel, ...]
    counts: HookCounters
    readers: Mapping[str, Reader]
    wake: Callable[[], None]
    news: TriageNews | None
    """Posts reports of triage; None where neither a webhook nor a channel is set up."""
    reviews: ReviewNews
    """Posts news of reviews."""


def make_hooks(service: Service, settings: HookSettings, chat: ChatContext, reports: TriageReports) -> Hooks:
    """Build the hooks of a service. SettingsError where a channel of KB_HOOKS_POST is not available."""
    fields = (*json_alerts.usual_fields(), *settings.hooks_fields)
    expression = json_alerts.compiled(settings.hooks_generic_text)
    readers: dict[str, Reader] = {
        "alertmanager": lambda call: json_alerts.read_monitoring(call.body, fields),
        "grafana": lambda call: json_alerts.read_monitoring(call.body, fields),
        "sentry": lambda call: sentry.read(call.body, call.headers),
        "generic": lambda call: json_alerts.read_generic(call.body, expression, "generic"),
        "otlp": lambda call: otlp.read(call.body, call.headers, fields),
    }
    to = channels(settings, chat.platforms)
    has_webhook = settings.webhook_url is not None
    news: TriageNews | None = None
    if has_webhook or to:
        news = TriageNews(service, reports, chat.settings.public_url, has_webhook=has_webhook, to=to)
    reviews = ReviewNews(chat.settings.public_url, has_webhook=has_webhook, to=to)
    counts = HookCounters(service.metrics.registry)
    return Hooks(service, settings, to, counts, readers, chat.worker.wake, news, reviews)


def check_settings() -> None:
    """Raise SettingsError for wrong settings of chats or hooks once, before the workers start and each ends by it."""
    settings = loaded(HookSettings)
    channels(settings, ChatSetup.from_environment().platforms)
    deliveries(settings)


@router.post("/v1/hooks/{system}")
async def hooked(request: Request, system: str) -> Response:
    """Handle alerts of another system, which signs them or shows one of our keys."""
    hooks: Hooks = request.app.state.hooks
    if (reader := hooks.readers.get(system)) is None:
        raise HttpProblem(
            404, "not-found", f"There is no door for {system[:40]!r}: {', '.join(sorted(hooks.readers))}."
        )
    headers = {name.lower(): value for name, value in request.headers.items()}
    call = WebhookRequest("POST", {}, headers, await read_body(request, MOST_BYTES))
    mark = await _verified(hooks, system, call)
    try:
        alerts = await hooks.service.look_up(partial(reader, call))
    except RefusedRequest as refused:
        hooks.counts.refused(system, refused.reason)
        if refused.reason == "too-large":
            raise HttpProblem(
                413, "body-too-large", "This holds more than is read of one call. Send fewer at once."
            ) from None
        raise HttpProblem(400, "hook-unreadable", f"This is none of the forms of {system}.") from None
    answered = await _answered(hooks, system, alerts)
    if mark is not None and not await _is_first(hooks, system, mark):
        raise _refused(hooks, system, RefusedRequest("replayed"))
    return _response(system, call, answered)


async def _verified(hooks: Hooks, system: str, call: WebhookRequest) -> str | None:
    """The mark of a signed call; None for one with a key. Problem 401 or 403 for all others."""
    try:
        proof = signed(system, call, hooks.settings, time.time())
        if proof is not None and proof.mark is not None and await _was_accepted(hooks, system, proof.mark):
            raise RefusedRequest("replayed")  # noqa: TRY301 - one place says that it is refused
    except RefusedRequest as refused:
        raise _refused(hooks, system, refused) from None
    if proof is None:
        await _check_key(hooks, system, bearer(call))
    return proof.mark if proof else None


def _refused(hooks: Hooks, system: str, refused: RefusedRequest) -> HttpProblem:
    hooks.counts.refused(system, refused.reason)
    headers = {"WWW-Authenticate": 'Signature realm="dejastack"'}
    detail = f"This was not signed by {system}, or too long ago, or it was taken before."
    return HttpProblem(401, "hook-refused", detail, headers=headers)


async def _was_accepted(hooks: Hooks, system: str, mark: str) -> bool:
    """Whether a worker answered the call of this mark lately."""
    store, since = hooks.service.store, datetime.now(UTC) - REPLAY_WINDOW
    return await hooks.service.look_up(lambda: store.messages.is_marked(f"hook:{system}", digest(mark), since))


async def _is_first(hooks: Hooks, system: str, mark: str) -> bool:
    """Note that the call of this mark was answered; False when another worker did so meanwhile."""
    store, now = hooks.service.store, datetime.now(UTC)
    return await hooks.service.look_up(
        lambda: store.messages.mark(f"hook:{system}", digest(mark), now, now - REPLAY_WINDOW)
    )


async def _check_key(hooks: Hooks, system: str, secret: str) -> None:
    """Require a key with the scope for hooks. Anonymous callers may not post: alerts are written into channels."""
    store = hooks.service.store
    key = await hooks.service.look_up(lambda: store.keys.find(secret)) if secret else None
    if key is None:
        hooks.counts.refused(system, "key")
        raise key_refused(None) if secret else key_needed()
    if key.scopes and Scope.HOOKS.value not in key.scopes:
        raise out_of_scope(Scope.HOOKS, key.scopes)


async def _answered(hooks: Hooks, system: str, alerts: tuple[Alert, ...]) -> dict[str, object]:
    """Queue the alerts first, so that none is lost, then search them while there is time."""
    open_ones = spread({alert.id: alert for alert in alerts if not alert.is_over and alert.text}.values())
    hooks.counts.alerts(system, "over", sum(alert.is_over for alert in alerts))
    if hooks.to and open_ones:
        store = hooks.service.store
        new, seen = await hooks.service.look_up(
            lambda: queue_alerts(store, system, open_ones, hooks.to, hooks.settings)
        )
        hooks.counts.alerts(system, "kept", new)
        hooks.counts.alerts(system, "seen", seen)
        hooks.wake()
    searched = await _searched(hooks, open_ones[: hooks.settings.hooks_searches])
    hooks.counts.alerts(system, "searched", len(searched))
    hooks.counts.alerts(system, "left", len(open_ones) - len(searched))
    return {"answers": searched, "over": sum(alert.is_over for alert in alerts), "left": len(open_ones) - len(searched)}


async def _searched(hooks: Hooks, alerts: tuple[Alert, ...]) -> list[dict[str, object]]:
    """Search each alert; equal texts once. Problem 503 when no search slot is free and nothing is queued."""
    until, answers, results = time.monotonic() + SECONDS, dict[str, Answer](), list[dict[str, object]]()
    for alert in alerts:
        if time.monotonic() > until:
            break
        try:
            if alert.text not in answers:
                answers[alert.text] = await hooks.service.search(alert.text, K, door="hook")
        except HttpProblem:
            if not hooks.to:
                raise
            break
        results.append({"alert": redact(alert.name).text, **answer_to_dict(answers[alert.text])})
    return results


def _response(system: str, call: WebhookRequest, answered: dict[str, object]) -> Response:
    """Answer in JSON; in protobuf, which cannot hold an answer, with an empty ExportLogsServiceResponse."""
    if system == "otlp" and otlp.is_protobuf(call.headers):
        return Response(b"", media_type=otlp.PROTOBUF)
    return WireResponse(answered)


@dataclass(frozen=True, slots=True)
class Signed:
    """A call that its sender signed. ``mark`` identifies it against replays."""

    mark: str | None


def bearer(call: WebhookRequest) -> str:
    """Return the bearer token of a call, or ''."""
    kind, _, secret = call.headers.get("authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else ""


def signed(system: str, call: WebhookRequest, settings: HookSettings, now: float) -> Signed | None:
    """Check the proof of the system itself; None where the call has none and needs one of our keys.

    RefusedRequest for a wrong proof.
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
    """Check the signature of the body, or of time and body where the contact point sends a time; a time header that is set here is required."""
    stated = call.headers.get(settings.grafana_timestamp_header.lower(), "")
    base = stated.encode("utf-8", "replace") + b":" + call.body if stated else call.body
    if not _same(_mac(settings.grafana_secret or "", base), shown):
        raise RefusedRequest("signature")
    if stated or "grafana_timestamp_header" in settings.model_fields_set:
        _check_time(stated, now)
    return Signed(shown)


def _sentry(call: WebhookRequest, shown: str, secret: str, now: float) -> Signed:
    """The time is not signed: a wrong one is refused, a missing one is accepted."""
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
