"""What `kb chat setup slack` prints: a manifest that Slack takes, with every right that is used and no other, in both languages."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import api.chat.slack
from api.chat.platform import Question
from api.chat.slack import SlackSettings, make
from api.chat.slack.reading import SHORTCUT
from kb.errors import SettingsError
from tests.api.chat.slack.calls import command, event, interaction, mention, shortcut, signed

FOLDER = Path(api.chat.slack.__file__).parent
URL = "https://kb.example.org/v1/chat/slack"
MANIFEST: dict[str, Any] = yaml.safe_load((FOLDER / "manifest.yaml").read_text(encoding="utf-8").replace("{url}", URL))
SETUP = {lang: (FOLDER / f"setup.{lang}.md").read_text(encoding="utf-8") for lang in ("en", "zh")}
NEEDED = {
    "chat.postMessage": {"chat:write"},
    "chat.postEphemeral": {"chat:write"},
    "conversations.replies": {"channels:history", "groups:history", "im:history", "mpim:history"},
    "conversations.history": {"channels:history", "groups:history", "im:history", "mpim:history"},
    "files.info": {"files:read"},
    "app_mention": {"app_mentions:read"},
    "message.im": {"im:history"},
    "slash_commands": {"commands"},
}
"""What a method, an event or a feature asks for, by its page in Slack's reference."""
LIMITS = {
    ("display_information", "name"): 35,
    ("display_information", "description"): 140,
    ("features", "bot_user", "display_name"): 80,
    ("features", "shortcuts", 0, "name"): 24,
    ("features", "shortcuts", 0, "description"): 150,
    ("features", "shortcuts", 0, "callback_id"): 255,
    ("features", "slash_commands", 0, "command"): 32,
    ("features", "slash_commands", 0, "description"): 2000,
    ("features", "slash_commands", 0, "usage_hint"): 1000,
    ("settings", "event_subscriptions", "request_url"): 3500,
}
"""Most characters, by slackapi/manifest-schema 2.0.0; the whole manifest was held against that schema when it was written."""


def at(path: tuple[Any, ...]) -> Any:
    found: Any = MANIFEST
    for key in path:
        found = found[key]
    return found


@pytest.mark.parametrize(("path", "most"), LIMITS.items())
def test_the_manifest_keeps_slacks_limits(path: tuple[Any, ...], most: int) -> None:
    assert 1 <= len(at(path)) <= most


def test_the_manifest_has_no_part_that_slack_does_not_know() -> None:
    assert set(MANIFEST) == {"_metadata", "display_information", "features", "oauth_config", "settings"}
    assert set(MANIFEST["features"]) == {"app_home", "bot_user", "shortcuts", "slash_commands"}
    assert MANIFEST["features"]["slash_commands"][0]["command"].startswith("/")
    assert re.fullmatch("#[0-9a-f]{6}", MANIFEST["display_information"]["background_color"])


def test_the_app_may_do_what_the_code_does_and_no_more() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py"))
    methods = set(re.findall(r'"((?:chat|conversations|files)\.[A-Za-z]+)"', code))
    used = methods | set(MANIFEST["settings"]["event_subscriptions"]["bot_events"]) | {"slash_commands"}
    assert used == set(NEEDED)
    assert set(MANIFEST["oauth_config"]["scopes"]["bot"]) == set().union(*NEEDED.values())


def test_slack_setup_has_one_address_and_the_shortcut_that_is_read() -> None:
    text = (FOLDER / "manifest.yaml").read_text(encoding="utf-8")
    assert text.count("url: ") == text.count('url: "{url}"') == 3
    assert MANIFEST["features"]["shortcuts"][0]["callback_id"] == SHORTCUT
    assert MANIFEST["features"]["app_home"]["messages_tab_read_only_enabled"] is False  # else nobody can write to it


@pytest.mark.parametrize("lang", list(SETUP))
def test_the_steps_name_whatever_is_needed(lang: str) -> None:
    text = SETUP[lang]
    assert {"{url}", "{manifest}"} <= set(re.findall(r"\{\w+\}", text)) <= {"{url}", "{manifest}", "{base}"}
    named = set(re.findall(r"KB_[A-Z_]+", text))
    assert {"KB_SLACK_SIGNING_SECRET", "KB_SLACK_BOT_TOKEN"} <= named
    assert named <= {f"KB_{name.upper()}" for name in SlackSettings.model_fields}
    assert all(f"`{scope}`" in text for scope in MANIFEST["oauth_config"]["scopes"]["bot"])
    assert "/invite @kb" in text
    assert MANIFEST["features"]["shortcuts"][0]["name"] in text
    assert MANIFEST["features"]["slash_commands"][0]["command"] in text


def test_both_languages_have_the_same_steps() -> None:
    steps = {lang: re.findall(r"^(\d\.|\|)", text, re.MULTILINE) for lang, text in SETUP.items()}
    assert steps["en"] == steps["zh"]


def test_slack_is_there_when_both_of_its_secrets_are() -> None:
    assert make(SlackSettings()) is None
    assert make(SlackSettings(slack_signing_secret="", slack_bot_token="")) is None
    with pytest.raises(SettingsError, match="KB_SLACK_BOT_TOKEN is not set"):
        make(SlackSettings(slack_signing_secret="x"))
    with pytest.raises(SettingsError, match="KB_SLACK_SIGNING_SECRET is not set"):
        make(SlackSettings(slack_bot_token="x"))
    platform = make(SlackSettings(slack_signing_secret="x", slack_bot_token="x"))
    assert platform is not None
    assert (platform.name, platform.seconds) == ("slack", 3.0)


def test_only_channel_messages_can_be_looked_up_later() -> None:
    slack = make(SlackSettings(slack_signing_secret="x", slack_bot_token="x"))
    assert slack is not None
    assert slack.sends_once(slack.channel("C0123456789"), 0)
    for body, once in ((event(mention()), True), (interaction(shortcut({"text": "x"})), True), (command("x"), False)):
        asked = slack.read(signed(body))
        assert isinstance(asked, Question)
        assert slack.sends_once(asked.target, 0) is once


@pytest.mark.parametrize(
    "url",
    ["http://slack.com", "https://", "https://slack.com/api", "https://u:p@slack.com", "ftp://slack.com", "slack.com"],
)
def test_a_token_travels_to_an_origin_by_https_alone(url: str) -> None:
    with pytest.raises(ValueError, match="slack_api"):
        SlackSettings(slack_api=url)
