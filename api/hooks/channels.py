"""Queue alerts and news for the chat channels that `KB_HOOKS_POST` names: each once, however often it is delivered or seen."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from api.chat.compose import reply_language, words_of
from api.chat.message import AnswerCard
from api.chat.platform import Platform, Question
from api.chat.queue_codec import CARD, GROUP, QUESTION, QUIET, card_to_json, question_to_json
from api.hooks.alert import Alert, digest
from api.hooks.settings import HookSettings
from kb.errors import SettingsError
from kb.redact import redact
from kb.store import Store

_NAMES = 5
"""Most names of alerts in the line about the rest."""


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel that alerts and news are posted to."""

    platform: str
    target: Mapping[str, Any]
    setting: str
    """As it is written in the setting."""


def channels(settings: HookSettings, platforms: Mapping[str, Platform]) -> tuple[Channel, ...]:
    """Return the channels of KB_HOOKS_POST. SettingsError where one is not available."""
    to = []
    for setting in settings.hooks_post:
        name, _, place = setting.partition(":")
        if (platform := platforms.get(name)) is None:
            problem = f"KB_HOOKS_POST names {name}, which is not set up"
            raise SettingsError(problem, cure=f"`kb chat setup {name}` says how, or take {setting} out")
        try:
            target = platform.channel(place)
        except ValueError as error:
            raise SettingsError(f"KB_HOOKS_POST cannot have {setting}", cure=str(error)) from None
        to.append(Channel(name, target, setting))
    return tuple(to)


def queue_alerts(
    store: Store, system: str, alerts: Sequence[Alert], to: Sequence[Channel], settings: HookSettings
) -> tuple[int, int]:
    """Queue the first alerts, with a line about the rest; return how many were new and how many known."""
    first, rest = alerts[: settings.hooks_most], _names(alerts[settings.hooks_most :])
    new = seen = 0
    for alert in first:
        for channel in to:
            question = _alert_question(system, alert, rest, channel, settings)
            name = f"{system}:{digest(alert.id, channel.setting)}"
            queued = store.messages.take(channel.platform, name, QUESTION, question, datetime.now(UTC))
            new += queued is not None
            seen += queued is None
    return new, seen


def queue_card(store: Store, name: str, card: AnswerCard, to: Sequence[Channel]) -> None:
    """Queue a card that answers no question for each channel, once for its name."""
    for channel in to:
        fields = question_to_json(Question(name, card.summary, name, channel.target))
        own = f"{name}:{digest(channel.setting)}"
        store.messages.take(channel.platform, own, QUESTION, {**fields, CARD: card_to_json(card)}, datetime.now(UTC))


def _alert_question(
    system: str, alert: Alert, rest: Counter[str], channel: Channel, settings: HookSettings
) -> dict[str, object]:
    """Encode an alert as a question in the queue, with its name, group and quiet time."""
    question = Question(alert.id, alert.text, f"hook:{system}", channel.target)
    fields = question_to_json(question, redact(alert.name).text)
    notes = [*_notes(fields), *([_rest(alert, rest)] if rest else [])]
    group = digest(system, alert.group, channel.setting)
    return {**fields, "notes": notes, GROUP: group, QUIET: settings.hooks_quiet}


def _notes(fields: Mapping[str, Any]) -> list[str]:
    return list(fields["notes"])


def _names(alerts: Sequence[Alert]) -> Counter[str]:
    """Count alerts by name, without secrets."""
    names = Counter(alert.name for alert in alerts)
    clean: Counter[str] = Counter()
    for name, count in names.items():
        clean[redact(name).text] += count
    return clean


def _rest(alert: Alert, rest: Counter[str]) -> str:
    counted = rest.most_common(_NAMES + 1)
    names = [f"{name} ({count})" if count > 1 else name for name, count in counted[:_NAMES]]
    shown = ", ".join([*names, *(["…"] if len(counted) > _NAMES else [])])
    return words_of(reply_language(alert.text))("alerts_more", count=rest.total(), names=shown)
