"""The setup texts of each platform name everything that they ask for, in both languages."""

import json
import re
from importlib import import_module
from importlib.resources import files

import pytest

from api.chat.settings import platform_names
from index.settings import HomeSettings

DEFAULTS_DO = {"slack": {"KB_SLACK_API"}, "wecom": {"KB_WECOM_API"}}
"""By platform, settings that a setup need not name: their defaults are right outside private clouds."""


@pytest.mark.parametrize("name", platform_names())
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_setup_names_every_setting_and_the_address(name: str, lang: str) -> None:
    text = (files(f"api.chat.{name}") / f"setup.{lang}.md").read_text(encoding="utf-8")
    own = import_module(f"api.chat.{name}").SETTINGS.model_fields.keys() - HomeSettings.model_fields.keys()
    settings, named = {f"KB_{field.upper()}" for field in own}, set(re.findall(r"KB_[A-Z_]+", text))
    assert settings - named == DEFAULTS_DO.get(name, set())
    assert named - settings <= {"KB_PUBLIC_URL", "KB_HOOKS_POST"}
    assert "{url}" in text


def test_setup_of_feishu_asks_for_the_scopes_that_it_explains() -> None:
    folder = files("api.chat.feishu")
    scopes = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["scopes"]["tenant"]
    for lang in ("en", "zh"):
        text = (folder / f"setup.{lang}.md").read_text(encoding="utf-8")
        assert [scope for scope in scopes if f"`{scope}`" not in text] == []
        assert "{manifest}" in text
