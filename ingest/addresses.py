"""Addresses of documents that state none: a source can be given the address under which its folder is served.

``KB_HOME/lake`` holds what was read; the addresses are put in when a snapshot is built, so that another base reads nothing again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from urllib.parse import quote, urlsplit

from kb.errors import SourceError

_CURE = "give an address such as https://wiki.example/docs, or '' for none"
_MEMBER = "!/"
"""What stands between an archive and the path of a member."""
_KEPT = "/-._~"
"""What a path may hold beside letters and digits; a percent sign in a file's name is a character like others."""


def read_base(text: str) -> str:
    """The base address, ending in a slash; '' for none.

    SourceError where it is no http or https address of a folder: no host, a login, a query, a fragment, blanks.
    """
    if not text:
        return ""
    try:
        parts = urlsplit(text)
        is_whole = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:  # brackets that do not match, a port that is no number
        parts, is_whole = urlsplit(""), False
    if not is_whole or not text.isprintable() or any(map(str.isspace, text)):
        raise SourceError("the base address is no http or https address", cure=_CURE)
    if parts.username is not None or parts.query or parts.fragment or text.endswith(("?", "#")):
        raise SourceError("the base address has a login, a query or a fragment", cure=_CURE)
    return (
        f"{parts.scheme}://{quote(parts.netloc, safe=':[]-._~')}{quote(parts.path, safe='/%-._~:@!$&()*+,;=')}".rstrip(
            "/"
        )
        + "/"
    )


@dataclass(frozen=True, slots=True)
class Addresses:
    """The base address of each source that has one."""

    bases: Mapping[str, str] = field(default_factory=dict)

    def of(self, source: str, path: str, url: str) -> str:
        """The address of an incident: ``url`` where the document states one, else its path below the base of its source.

        A member of an archive has one where the archive is the source; a record of a file that holds many has none.
        """
        base = self.bases.get(source)
        is_path, fragment = url == path, url.removeprefix(f"{path}#")
        if base is None or (not is_path and fragment == url):
            return url
        archive, is_member, member = path.partition(_MEMBER)
        if is_member and archive != PurePosixPath(source).name:
            return url
        page = base + quote(member if is_member else path, safe=_KEPT)
        return page if is_path else f"{page}#{quote(fragment, safe=_KEPT)}"
