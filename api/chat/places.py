"""Places that alerts can be posted to, where their address is a secret: the operator gives them names."""

from collections.abc import Callable, Mapping

Places = Mapping[str, str]
"""Name → address or key."""


def named_places(checked: Callable[[str], str]) -> Callable[[object], object]:
    """A reader of ``ops=ADDRESS, db=ADDRESS``, as it stands in the environment. ``checked`` raises ValueError for a bad address."""

    def read(value: object) -> object:
        if not isinstance(value, str):
            return value
        places: dict[str, str] = {}
        for part in filter(None, map(str.strip, value.split(","))):
            name, sign, place = part.partition("=")
            if not sign or not name.strip():
                raise ValueError("names with addresses are expected, with commas: `ops=…, db=…`")
            places[name.strip()] = checked(place.strip())
        return places

    return read
