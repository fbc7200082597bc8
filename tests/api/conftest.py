"""The fixtures of the doors."""

from tests.api.fixtures import client, home, known_as_testserver, live_server, no_settings_from_outside  # noqa: F401
