"""Calls that were taken already: verified, and sent once more by whoever saw them."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from api.chat.platform import RefusedRequest
from kb.store import Store

REMEMBERED = timedelta(hours=2)
"""DingTalk's times may be an hour from ours to both sides; those of others less."""


@contextmanager
def once(store: Store, platform: str, proof: str) -> Iterator[None]:
    """Refused("replayed") when a worker has taken a call of that proof (`Platform.proof`).

    What is kept inside is kept with the mark, or neither is: what could not be kept has to be taken when it is sent again.
    """
    now, name = datetime.now(UTC), hashlib.sha256(proof.encode("utf-8", "replace")).hexdigest()
    with store.messages.together():
        if not store.messages.mark(f"call:{platform}", name, now, now - REMEMBERED):
            raise RefusedRequest("replayed")
        yield
