"""The fixtures of the doors."""

from tests.api.fixtures import home, no_settings_from_outside  # noqa: F401
