"""How often one address or key may ask: a steady rate with a burst on top, in one bounded table a worker.

The generic cell rate algorithm (ITU-T I.371, annex A): of each caller only the time is kept by which all it was allowed is used up.
"""

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable

from api.contract.problems import too_many_requests

BURST_SECONDS = 2.0
"""What was not used of the last two seconds may be used at once."""
CALLERS = 50_000
"""Callers remembered; of more, those that asked longest ago are forgotten, which is to their advantage."""


class Rate:
    """Lets each caller ask ``per_second`` times a second on average. Constant time and bounded memory, whoever asks."""

    def __init__(
        self, per_second: float, clock: Callable[[], float] = time.monotonic, burst: float = BURST_SECONDS
    ) -> None:
        self._step = 1.0 / per_second
        self._clock = clock
        self._burst = max(burst, self._step)
        self._used_up: OrderedDict[str, float] = OrderedDict()

    def take(self, caller: str) -> None:
        """Count one request of ``caller``; Problem 429 when it is one too many, which is not counted."""
        now = self._clock()
        used_up = max(self._used_up.pop(caller, now), now)
        wait = used_up + self._step - now - self._burst
        if wait > 1e-9:
            self._used_up[caller] = used_up
            raise too_many_requests(max(1, math.ceil(wait)))
        self._used_up[caller] = used_up + self._step
        if len(self._used_up) > CALLERS:
            self._used_up.popitem(last=False)


def caller_of(address: str | None) -> str | None:
    """Under which name an address is counted: IPv6 by its /64, which is one customer; None for this machine."""
    try:
        found = ipaddress.ip_address(address or "")
    except ValueError:  # a socket without an address, or a proxy that names a caller otherwise
        return address or None
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped:
            return caller_of(str(found.ipv4_mapped))
        return None if found.is_loopback else str(ipaddress.ip_network((found, 64), strict=False))
    return None if found.is_loopback else str(found)
