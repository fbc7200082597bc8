"""A provider of OpenID Connect that lies on demand, over real HTTP: what it says and signs is what a test sets."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from tests.listening import listening

CLIENT, SECRET = "kb", "s3cr3t-s3cr3t-s3cr3t-s3cr3t-s3cr3t"
Reply = Callable[[BaseHTTPRequestHandler], None]


def new_key(kid: str) -> RSAKey:
    """A key of that name."""
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"}, private=True)


@dataclass
class LyingProvider:
    """What the next login is told."""

    url: str = ""
    key: RSAKey = field(default_factory=lambda: new_key("one"))
    shown: RSAKey | None = None
    """The key in its list, where that is not the one it signs with."""
    nonce: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    """Of the token, over true ones; None takes one out."""
    sign: Callable[["LyingProvider", dict[str, Any]], str] | None = None
    replies: dict[str, Reply] = field(default_factory=dict)
    """What answers at a path instead."""

    def token(self) -> str:
        """The signed identity."""
        now = int(time.time())
        true = {
            "iss": self.url,
            "aud": CLIENT,
            "sub": "ann",
            "iat": now,
            "exp": now + 300,
            "nonce": self.nonce,
            "groups": ["all"],
        }
        said = {name: value for name, value in (true | self.claims).items() if value is not None}
        return self.sign(self, said) if self.sign else signed(self.key, said)

    def answer(self, path: str) -> dict[str, Any]:
        """What it says at a path."""
        if path == "/.well-known/openid-configuration":
            places = {"authorization_endpoint": "/authorize", "token_endpoint": "/token", "jwks_uri": "/keys"}
            algorithms = ["RS256", "HS256", "none"]
            said = {name: self.url + place for name, place in places.items()}
            return {"issuer": self.url, "id_token_signing_alg_values_supported": algorithms, **said}
        if path == "/keys":
            return {"keys": [(self.shown or self.key).as_dict(private=False)]}
        return {"access_token": "at", "token_type": "Bearer", "expires_in": 300, "id_token": self.token()}


def signed(key: RSAKey | OctKey, said: dict[str, Any], algorithm: str = "RS256", **header: str) -> str:
    """A token that the key signs."""
    head = {"alg": algorithm, "kid": key.kid or "one", **header}
    return jwt.encode(head, said, key, algorithms=[algorithm])


@contextmanager
def running() -> Iterator[LyingProvider]:
    """One that listens on this machine."""
    liar = LyingProvider()

    class Door(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if path in liar.replies:
                liar.replies[path](self)
                return
            self.rfile.read(int(self.headers.get("content-length") or 0))
            body = json.dumps(liar.answer(path)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 - the name that the base class calls

        def log_message(self, *_: object) -> None:
            pass

    with listening(Door) as server:
        liar.url = f"http://127.0.0.1:{server.server_port}"
        yield liar
