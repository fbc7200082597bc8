"""The service under attack is the one that the tests of the doors use."""

from tests.api.fixtures import client, home, known_as_testserver, live_server, no_settings_from_outside  # noqa: F401
