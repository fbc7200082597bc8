"""Queue alerts for the chat channels that `KB_HOOKS_POST` names: each alert once, however often it is delivered."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from api.chat.compose import reply_language, words_of
from api.chat.platform import Platform, Question
from api.chat.queue_codec import GROUP, QUESTION, QUIET, question_to_json
from api.hooks.alert import Alert, digest
from api.hooks.settings import HookSettings
from kb.errors import SettingsError
from kb.redact import redact
from kb.store import Store

_NAMES = 5
"""Names of alerts that are told of in one line."""


@dataclass(frozen=True, slots=True)
class Channel:
    """Where alerts are posted."""

    platform: str
    target: Mapping[str, Any]
    setting: str
    """As the setting has it."""


def channels(settings: HookSettings, platforms: Mapping[str, Platform]) -> tuple[Channel, ...]:
    """The channels of KB_HOOKS_POST. SettingsError where one is not to be had."""
    found = []
    for said in settings.hooks_post:
        name, _, place = said.partition(":")
        if (platform := platforms.get(name)) is None:
            problem = f"KB_HOOKS_POST names {name}, which is not set up"
            raise SettingsError(problem, cure=f"`kb chat setup {name}` says how, or take {said} out")
        try:
            target = platform.channel(place)
        except ValueError as error:
            raise SettingsError(f"KB_HOOKS_POST cannot have {said}", cure=str(error)) from None
        found.append(Channel(name, target, said))
    return tuple(found)


def queue_alerts(
    store: Store, system: str, alerts: Sequence[Alert], to: Sequence[Channel], settings: HookSettings
) -> tuple[int, int]:
    """Put the first alerts into the queue, with a line about the rest; how many were new there, and how many not."""
    first, rest = alerts[: settings.hooks_most], _names(alerts[settings.hooks_most :])
    new = seen = 0
    for alert in first:
        for channel in to:
            told = _alert_question(system, alert, rest, channel, settings)
            name = f"{system}:{digest(alert.id, channel.setting)}"
            taken = store.messages.take(channel.platform, name, QUESTION, told, datetime.now(UTC))
            new += taken is not None
            seen += taken is None
    return new, seen


def _alert_question(
    system: str, alert: Alert, rest: Counter[str], channel: Channel, settings: HookSettings
) -> dict[str, object]:
    """A question that nobody asked: by its name what it is about, by its group when it is told of again."""
    asked = Question(alert.id, alert.text, f"hook:{system}", channel.target)
    told = question_to_json(asked, redact(alert.name).text)
    notes = [*_notes(told), *([_rest(alert, rest)] if rest else [])]
    group = digest(system, alert.group, channel.setting)
    return {**told, "notes": notes, GROUP: group, QUIET: settings.hooks_quiet}


def _notes(told: Mapping[str, Any]) -> list[str]:
    return list(told["notes"])


def _names(alerts: Sequence[Alert]) -> Counter[str]:
    """How many there are of each name, secrets out."""
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
