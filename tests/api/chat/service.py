"""The service with Talk as its chat platform, as a real process: `python -m tests.api.chat.service PORT TALK_URL`."""

import sys
from dataclasses import replace

import uvicorn

from api.app import create_app
from api.chat.context import ChatSetup
from api.chat.settings import ChatSettings
from api.chat.worker import WorkerPace
from api.observability import logs
from api.settings import ServiceSettings
from tests.api.chat.fakes.talk import Instant, Talk


def chats(api: str, settings: ChatSettings | None = None, timeout: float = 1.0) -> ChatSetup:
    """Talk in three kinds: `talk` knows a message again, `shout` does not, `instant` is answered in the response."""
    kinds = (
        Talk(api, timeout=timeout),
        Talk(api, name="shout", knows_again=False, timeout=timeout),
        Instant(api, name="instant", knows_again=False, timeout=timeout),
    )
    return ChatSetup(settings or ChatSettings(), {one.name: one for one in kinds})


SOON = WorkerPace(hold=2.0)
"""Instead of after a minute, what a process that was killed has left is taken up by another after so long."""

SEND_SECONDS = 25.0
"""So long it waits for Talk: whoever kills it does so in the middle of a post."""

if __name__ == "__main__":
    logs.set_up("json", "info")
    app = create_app(ServiceSettings.load(), replace(chats(sys.argv[2], timeout=SEND_SECONDS), pace=SOON))
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_config=None, access_log=False)
