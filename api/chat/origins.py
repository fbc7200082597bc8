"""Addresses of platforms as an operator may state them."""

from urllib.parse import urlsplit

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def origin(url: str) -> str:
    """Scheme, host and port alone, without a slash. ValueError for anything else, and where secrets would travel bare."""
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise ValueError("secrets travel over https alone, but to this machine")
    if not parts.hostname or parts.username or parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError("it is scheme and host alone, such as https://open.example.com")
    return f"{parts.scheme}://{parts.netloc}"
