"""Calls that were taken already: the guard of protocols whose message ids do not guard them."""

from collections import OrderedDict

REMEMBERED = 20_000


class Replays:
    """What came in the last ``seconds``, in this process. Beyond ``REMEMBERED`` the oldest are forgotten: memory is bounded."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._seen: OrderedDict[str, float] = OrderedDict()

    def has(self, name: str, now: float) -> bool:
        """Whether ``name`` (the signature of a verified call) came before. ``now``: seconds since 1970."""
        while self._seen and next(iter(self._seen.values())) < now - self._seconds:
            self._seen.popitem(last=False)
        return name in self._seen

    def is_first(self, name: str, now: float) -> bool:
        """Whether it has not come before; from now on it has."""
        if self.has(name, now):
            return False
        self._seen[name] = now
        if len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        return True
