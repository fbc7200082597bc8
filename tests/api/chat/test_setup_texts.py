"""The setup texts of Feishu and DingTalk name everything that they ask for."""

import json
import re
from importlib.resources import files

import pytest

from api.chat.dingtalk import DingTalkSettings
from api.chat.feishu import FeishuSettings
from index.settings import HomeSettings


@pytest.mark.parametrize(("name", "settings"), [("feishu", FeishuSettings), ("dingtalk", DingTalkSettings)])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_setup_names_every_setting_and_the_address(name: str, settings: type[HomeSettings], lang: str) -> None:
    text = (files(f"api.chat.{name}") / f"setup.{lang}.md").read_text(encoding="utf-8")
    own = settings.model_fields.keys() - HomeSettings.model_fields.keys()
    assert {f"KB_{field.upper()}" for field in own} - set(re.findall(r"KB_[A-Z_]+", text)) == set()
    assert "{url}" in text


def test_setup_of_feishu_asks_for_the_scopes_that_it_explains() -> None:
    folder = files("api.chat.feishu")
    scopes = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["scopes"]["tenant"]
    for lang in ("en", "zh"):
        text = (folder / f"setup.{lang}.md").read_text(encoding="utf-8")
        assert [scope for scope in scopes if f"`{scope}`" not in text] == []
        assert "{manifest}" in text
