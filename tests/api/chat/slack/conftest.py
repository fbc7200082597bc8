"""A fake Slack as a process of its own."""

from collections.abc import Iterator

import pytest

from tests.api.chat.fakes.fake import Running, running


@pytest.fixture(scope="session")
def slack_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The process."""
    with running("tests.api.chat.fakes.slack", tmp_path_factory.mktemp("slack") / "slack.log") as server:
        yield server


@pytest.fixture
def fake_slack(slack_server: Running) -> Running:
    """The same, having seen nothing yet."""
    slack_server.reset()
    return slack_server
