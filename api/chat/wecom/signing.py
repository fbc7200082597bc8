"""Verify and decrypt a callback of WeCom.

Signature: developer.work.weixin.qq.com/document/path/90930 and 101033: SHA-1 over the sorted token, timestamp, nonce and ciphertext.
Cipher: document/path/90968: AES-256-CBC, the IV is the start of the key, PKCS#7 to 32 bytes; the plaintext is 16 random bytes,
the length of the message in 4 bytes, the message, and who it is for (the company; nobody for a smart robot).
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Collection

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from api.chat.platform import RefusedRequest

SIGNATURE = "msg_signature"
"""The parameter that it is in."""
BLOCK = 32
RANDOM = 16
MOST = 4 * 1024 * 1024
"""Longest ciphertext that is read, in characters of base64."""


def signature(token: str, timestamp: str, nonce: str, encrypted: str) -> str:
    """The signature of a callback."""
    parts = sorted((token, timestamp, nonce, encrypted))
    return hashlib.sha1("".join(parts).encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def is_signed(given: str, token: str, timestamp: str, nonce: str, encrypted: str) -> bool:
    """Whether ``given`` is the signature, compared in constant time."""
    right = signature(token, timestamp, nonce, encrypted)
    return hmac.compare_digest(right.encode(), given.encode("utf-8", "replace"))


class CallbackCipher:
    """The cipher of one callback address. ``aes_key``: the EncodingAESKey, 43 characters."""

    def __init__(self, aes_key: str) -> None:
        self._key = base64.b64decode(aes_key + "=")
        self._cipher = Cipher(algorithms.AES(self._key), modes.CBC(self._key[:16]))

    def opened(self, encrypted: str, receivers: Collection[str]) -> str:
        """The message inside; RefusedRequest("unreadable") unless it is whole and for one of ``receivers``."""
        padded = self.decrypted(_decoded(encrypted))
        size = int.from_bytes(padded[RANDOM : RANDOM + 4], "big")
        message, receiver = padded[RANDOM + 4 : RANDOM + 4 + size], padded[RANDOM + 4 + size :]
        if len(padded) < RANDOM + 4 + size or receiver.decode("utf-8", "replace") not in receivers:
            raise RefusedRequest("unreadable")
        try:
            return message.decode("utf-8")
        except UnicodeDecodeError:
            raise RefusedRequest("unreadable") from None

    def decrypted(self, data: bytes) -> bytes:
        """Data without its padding, every byte of which is looked at."""
        plain = self._plain(data)
        count = plain[-1] if plain else 0
        if not 1 <= count <= BLOCK or plain[-count:] != bytes([count]) * count:
            raise RefusedRequest("unreadable")
        return plain[:-count]

    def beginning(self, data: bytes) -> bytes:
        """Decrypt the beginning of a file whose end, with the padding, is missing."""
        return self._plain(data[: len(data) // 16 * 16])

    def _plain(self, data: bytes) -> bytes:
        if len(data) % 16:
            raise RefusedRequest("unreadable")
        decryptor = self._cipher.decryptor()
        return decryptor.update(data) + decryptor.finalize()


def _decoded(encrypted: str) -> bytes:
    if len(encrypted) > MOST:
        raise RefusedRequest("unreadable")
    try:
        return base64.b64decode(encrypted, validate=True)
    except (binascii.Error, ValueError):
        raise RefusedRequest("unreadable") from None
