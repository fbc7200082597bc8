"""Which service is asked, and as whom: what is given, else `KB_URL` and `KB_KEY`."""

import os
from dataclasses import dataclass, field

from kb.errors import SettingsError

DEFAULT = "http://127.0.0.1:8420"
"""Where `kb serve` listens when nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class ServiceAddress:
    """An address and the key for it; both from the environment where they are None, no key where it is empty."""

    url: str
    key: str | None = field(repr=False)

    @classmethod
    def of(cls, url: str | None, key: str | None) -> "ServiceAddress":
        """SettingsError for an address that is none."""
        found = (url or os.environ.get("KB_URL") or DEFAULT).strip().rstrip("/")
        if not found.startswith(("http://", "https://")):
            raise SettingsError(f"{found!r} is no address of a service", cure=f"write it as {DEFAULT}")
        chosen = os.environ.get("KB_KEY") if key is None else key
        if chosen and not (chosen.isascii() and chosen.isprintable()):
            raise SettingsError("the key has characters that no key has", cure="copy it once more")
        return cls(found, chosen or None)

    @property
    def headers(self) -> dict[str, str]:
        """What every request says."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}
