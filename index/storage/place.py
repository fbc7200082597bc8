"""Where candidates are looked up when not in the snapshot's own index: what `KB_CANDIDATES` says. No client is loaded here."""

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Self
from urllib.parse import parse_qsl, unquote, urlsplit

_COLLECTION = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_DEFAULT = "dejastack"
_PORT = 19530
FORMS = "milvus://host:19530/collection, or milvus:///path/to/file.db for the embedded Milvus Lite"


@dataclass(frozen=True, slots=True)
class CandidatePlace:
    """A Milvus server or a file of Milvus Lite, and how it is asked."""

    uri: str
    """As pymilvus takes it, without credentials: it may be shown."""
    collection: str = _DEFAULT
    """What the name of each snapshot's collection begins with."""
    token: str = field(default="", repr=False)
    seconds: float = 2.0
    """How long one look-up may take."""
    falls_back: bool = False
    """Whether the snapshot's own index answers while the server does not."""

    @classmethod
    def of(cls, url: str, token: str | None = None, seconds: float = 2.0, *, falls_back: bool = False) -> Self:
        """Read the address. ValueError says what is wrong with it, without repeating it: it may hold a password."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:  # its words repeat a piece of the address
            raise ValueError(
                f"an address is {FORMS}; `/`, `#` and `?` in a password are written %2F, %23 and %3F"
            ) from None
        if parts.scheme != "milvus":
            raise ValueError(f"an address is {FORMS}")
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        if host is None:
            uri, name = unquote(parts.path), options.pop("collection", _DEFAULT)
            if parts.netloc or not PurePosixPath(uri).is_absolute() or not uri.endswith(".db"):
                raise ValueError("a file of Milvus Lite has an absolute path that ends in .db, and no password")
        else:
            secure = options.pop("secure", "false")
            if secure not in {"true", "false"}:
                raise ValueError("`secure` is true or false")
            shown = f"[{host}]" if ":" in host else host
            uri = f"{'https' if secure == 'true' else 'http'}://{shown}:{_PORT if port is None else port}"
            name = parts.path.strip("/") or _DEFAULT
        if options:
            raise ValueError("after `?` an address takes `secure=true`, and a file `collection=NAME`")
        if parts.password and not parts.username:
            raise ValueError("a password has a user before it; a token stands in KB_CANDIDATES_TOKEN")
        if not _COLLECTION.fullmatch(name):
            raise ValueError("the name of a collection has letters, digits and _, at most 100")
        user, password = (unquote(part or "") for part in (parts.username, parts.password))
        return cls(uri, name, token or (f"{user}:{password}" if user else ""), seconds, falls_back)

    def of_snapshot(self, snapshot_id: str) -> str:
        """Return the name of the collection that holds the rows of a snapshot."""
        return f"{self.collection}_{snapshot_id}"
