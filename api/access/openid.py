"""Logins at the provider of the house: authorization code with PKCE (RFC 7636), state and nonce, by Authlib.

What has to be known when the browser comes back travels in a cookie of its own, signed with the client's secret, for ten minutes.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
from itsdangerous import BadData, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

from api.access.provider import Provider
from api.contract.problems import HttpProblem
from kb.redact import redact
from kb.store import Actor

_MOST_READ = 512 << 10
"""Bytes of an answer; descriptions and lists of keys have some 20 KB."""


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Requests whose answers are read up to a bound; a connection each, for logins are few."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["accept-encoding"] = "identity"  # what is packed may be a thousand times as large
        async with httpx2.AsyncHTTPTransport() as transport:
            answer = await transport.handle_async_request(request)
            if answer.headers.get("content-encoding", "identity") != "identity":
                raise httpx2.DecodingError("The provider packs what was not asked for packed.", request=request)
            body = bytearray()
            try:
                async for piece in answer.aiter_raw():
                    body += piece
                    if len(body) > _MOST_READ:
                        raise httpx2.ReadError("The provider sends without end.", request=request)
            finally:
                await answer.aclose()
        return httpx2.Response(answer.status_code, headers=answer.headers, content=bytes(body))


COOKIE = "kb_login"
PATH = "/login/openid"
BACK = "/login/openid/back"
_SECONDS = 600
_TIMEOUT = 10.0
_PATIENCE = 12.0
"""Seconds for all that one step asks of the provider: `_TIMEOUT` bounds a single read, and one that drips keeps it for ever."""
_SIGNED = frozenset(f"{kind}{bits}" for kind in ("RS", "ES", "PS") for bits in (256, 384, 512)) | {"EdDSA", "Ed25519"}
"""Signatures that only the provider can make: never ``none``, nor one by a secret that others know."""
_LONGEST_NAME = 100
_LONGEST_ID = 255  # characters; OpenID Connect Core 1.0, 2: a `sub` has no more


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody whom the provider knows and who may come in."""

    actor: Actor
    return_to: str
    """The page that they were at."""


class OpenId:
    """One provider, for one process. Its metadata is fetched once, its keys again when one is not known."""

    def __init__(self, house: Provider) -> None:
        from authlib.integrations.starlette_client import OAuth  # noqa: PLC0415 - half a second, for those who use it

        self._house = house
        self._signer = URLSafeTimedSerializer(house.client_secret, salt="dejastack login")
        self._client: Any = OAuth().register(
            "house",
            client_id=house.client_id,
            client_secret=house.client_secret,
            server_metadata_url=f"{house.issuer.rstrip('/')}/.well-known/openid-configuration",
            client_kwargs={
                "scope": house.scopes,
                "code_challenge_method": "S256",
                "timeout": _TIMEOUT,
                "transport": BoundedTransport(),
            },
        )

    async def begin(self, request: Request, goes_to: str) -> Response:
        """Send the browser to the provider; Problem 503 when that does not answer."""
        pending: dict[str, object] = {}
        request.scope["session"] = pending
        back = f"{request.url.scheme}://{request.url.netloc}{BACK}"
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._look()
                response: Response = await self._client.authorize_redirect(request, back)
        except Exception as error:
            raise unreachable() from error
        signed = self._signer.dumps({"pending": pending, "goes_to": goes_to})
        response.set_cookie(
            COOKIE, signed, _SECONDS, path=PATH, secure=request.url.scheme == "https", httponly=True, samesite="lax"
        )
        return response

    async def end(self, request: Request) -> Identity:
        """Who came back. Problem 400 when it is not what was begun here, 403 when the provider or the roles say no."""
        from authlib.integrations.base_client import OAuthError  # noqa: PLC0415
        from joserfc.errors import JoseError  # noqa: PLC0415

        try:
            held = self._signer.loads(request.cookies.get(COOKIE, ""), max_age=_SECONDS)
        except BadData:
            raise not_begun() from None
        request.scope["session"] = dict(held["pending"])
        query = request.query_params
        if "error" not in query and not any(
            name.endswith(f"_{query.get('state')}") for name in request.scope["session"]
        ):
            raise not_begun()
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._look()
                token = await self._client.authorize_access_token(request, claims_options=self._wanted())
                claims = await self._claims(token)
        except OAuthError as error:
            raise refused(str(error.error)) from None
        except JoseError as error:
            raise refused("the identity that it sent does not hold") from error
        except HttpProblem:
            raise
        except Exception as error:
            raise unreachable() from error
        role = self._house.role_of(claims)
        if role is None:
            raise HttpProblem(403, "login-no-role", "You are known, but nothing in KB_OIDC_ROLES lets you in.")
        return Identity(
            Actor(f"openid:{str(claims['sub'])[:_LONGEST_ID]}", name_of(claims), role), str(held["goes_to"])
        )

    async def _look(self) -> None:
        """Fetch the provider's metadata and check it against the settings (OpenID Connect Discovery 1.0, 4.3)."""
        metadata = await self._client.load_server_metadata()
        if metadata.get("issuer") != self._house.issuer:
            raise HttpProblem(503, "login-unavailable", "The provider does not call itself what KB_OIDC_ISSUER says.")
        offered = metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
        metadata["id_token_signing_alg_values_supported"] = sorted(_SIGNED.intersection(offered))

    def _wanted(self) -> dict[str, dict[str, object]]:
        return {
            "iss": {"essential": True, "value": self._house.issuer},
            "aud": {"essential": True, "value": self._house.client_id},
        }

    async def _claims(self, token: Mapping[str, Any]) -> dict[str, Any]:
        """Return the claims of the signed identity, and those that the userinfo endpoint adds for the same person (OpenID Connect Core 1.0, 5.3)."""
        claims = dict(token.get("userinfo") or {})
        if not isinstance(claims.get("sub"), str) or not claims["sub"]:
            raise refused("it sent no identity")
        if (await self._client.load_server_metadata()).get("userinfo_endpoint"):
            userinfo = dict(await self._client.userinfo(token=token))
            if userinfo.get("sub") == claims["sub"]:
                return {**userinfo, **claims}
        return claims


def name_of(claims: Mapping[str, Any]) -> str:
    """How somebody is called: never by an address of theirs, which stands under everything they write."""
    for one in ("name", "preferred_username", "nickname"):
        value = claims.get(one)
        if isinstance(value, str) and (
            plain := " ".join("".join(c if c.isprintable() else " " for c in value).split())
        ):
            return redact(plain[:_LONGEST_NAME].partition("@")[0] or "somebody").text
    return "somebody"


def not_begun() -> HttpProblem:
    """400: the browser came back with what was not begun in it, or too long ago."""
    return HttpProblem(
        400, "login-not-begun", "This login was not begun in this browser, or too long ago. Begin again."
    )


def refused(reason: str) -> HttpProblem:
    """403: the provider does not say who somebody is."""
    return HttpProblem(403, "login-refused", f"The provider did not log you in: {reason[:100]}.")


def unreachable() -> HttpProblem:
    """503: the provider does not answer as one."""
    detail = "The provider of logins does not answer. Try again, or log in with a key."
    return HttpProblem(503, "login-unavailable", detail, headers={"Retry-After": "10"})
