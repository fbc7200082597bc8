"""The fixtures of the doors."""

from tests.api.fixtures import client, home, live_server, no_settings_from_outside  # noqa: F401
