"""The platforms there are: each folder in this one.

A package `api.chat.<name>` says two things:

* ``SETTINGS``: the class of its settings, a `HomeSettings`,
* ``make(settings) -> Platform | None``: the platform; None while it is not set up.
"""

import pkgutil
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

from api.chat.platform import Platform
from api.settings import loaded
from index.settings import HomeSettings


def names() -> tuple[str, ...]:
    """The names of all platforms, as in their addresses."""
    return tuple(sorted(found.name for found in pkgutil.iter_modules([str(Path(__file__).parent)]) if found.ispkg))


def package(name: str) -> ModuleType:
    """The package of a platform."""
    return import_module(f"api.chat.{name}")


def settings_classes() -> list[type[HomeSettings]]:
    """The classes of the settings of all platforms."""
    return [package(name).SETTINGS for name in names()]


def from_environment() -> Mapping[str, Platform]:
    """The platforms that are set up, by name. SettingsError when a setting of one is wrong."""
    made = {name: package(name).make(loaded(package(name).SETTINGS)) for name in names()}
    return {name: platform for name, platform in made.items() if platform is not None}
