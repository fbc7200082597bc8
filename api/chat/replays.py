"""Calls that were taken already: verified, and sent once more by whoever saw them."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from api.chat.platform import Call, Refused
from kb.store import Store

REMEMBERED = timedelta(hours=2)
"""DingTalk's times may be an hour from ours to both sides; those of others less."""


def name_of(call: Call, signature: str) -> str:
    """The name of one delivery: of its body, for not every signature covers it, and of its ``signature``, the name of a header or parameter.

    A platform that delivers a message again signs it at another time, so its name is another.
    """
    shown = call.headers.get(signature) or call.query.get(signature, "")
    return hashlib.sha256(shown.encode("utf-8", "replace") + b"\n" + call.body).hexdigest()


@contextmanager
def once(store: Store, platform: str, name: str) -> Iterator[None]:
    """Refused("replayed") when a worker has taken a call of that name.

    What is kept inside is kept with the mark, or neither is: what could not be kept has to be taken when it is sent again.
    """
    now = datetime.now(UTC)
    with store.messages.together():
        if not store.messages.mark(f"call:{platform}", name, now, now - REMEMBERED):
            raise Refused("replayed")
        yield
