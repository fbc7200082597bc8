"""Fields of a protobuf message without its objects: a message of some kilobytes may hold millions of empty ones.

protobuf.dev/programming-guides/encoding.
"""

from collections.abc import Iterator

from api.chat.platform import RefusedRequest

_LONGEST = 70
"""Bits of the longest varint, by sevens."""


class FieldReader:
    """Reads at most ``left`` fields of one request, in time and memory linear in them; Refused("too-large") beyond."""

    def __init__(self, left: int) -> None:
        self._left = left

    def spend(self, count: int) -> None:
        """So many parts more are looked at."""
        self._left -= count
        if self._left < 0:
            raise RefusedRequest("too-large")

    def those(self, number: int, data: memoryview) -> Iterator[memoryview]:
        """Each field of that number that has a length and is not empty. Refused("unreadable") where it is no protobuf."""
        at = 0
        while at < len(data):
            self.spend(1)
            tag, at = _varint(data, at)
            match tag & 7:
                case 0:
                    _, at = _varint(data, at)
                case 1:
                    at += 8
                case 2:
                    size, at = _varint(data, at)
                    if size > len(data) - at:
                        raise RefusedRequest("unreadable")
                    if size and tag >> 3 == number:
                        yield data[at : at + size]
                    at += size
                case 5:
                    at += 4
                case _:
                    raise RefusedRequest("unreadable")
        if at > len(data):
            raise RefusedRequest("unreadable")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """The number that begins there, and where it ends."""
    value = 0
    for shift in range(0, _LONGEST, 7):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise RefusedRequest("unreadable")
