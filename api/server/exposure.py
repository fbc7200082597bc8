"""Who may reach the service: an address that others reach is not opened by accident."""

import ipaddress
import socket

from api.settings import ServiceSettings
from kb.errors import SettingsError


def check(settings: ServiceSettings) -> None:
    """SettingsError when others than this machine could read without a key and nobody said that they may."""
    if settings.reading is None and not is_loopback(settings.host):
        raise SettingsError(
            f"with {settings.host} others could reach this machine and read every incident without a key",
            cure="KB_READING=key asks them for one, KB_READING=open lets everybody read; or leave KB_HOST at 127.0.0.1",
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host's addresses, as far as they are known."""
    try:
        found = {place[0] for *_, place in socket.getaddrinfo(host or "0.0.0.0", None)}  # noqa: S104
        return all(ipaddress.ip_address(str(address).partition("%")[0]).is_loopback for address in found)
    except (OSError, UnicodeError, ValueError):
        return False
