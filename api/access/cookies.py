"""The cookie of a session, and what keeps other sites from using it."""

import hashlib
import hmac

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from api.access.refusals import from_elsewhere
from api.contract.forms import form_of

TOKEN_HEADER = "X-CSRF-Token"  # noqa: S105 - a name
TOKEN_FIELD = "csrf"  # noqa: S105 - a name
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_MOST_FIELDS = 64


def cookie_name(request: Request) -> str:
    """The name of the session's cookie. Behind TLS one that no other host and no plain connection can set (RFC 6265bis, 4.1.3.2)."""
    return "__Host-kb_session" if request.url.scheme == "https" else "kb_session"


def session_secret(request: Request) -> str | None:
    """What the browser has of a session."""
    return request.cookies.get(cookie_name(request)) or None


def give(request: Request, response: Response, secret: str, seconds: int) -> None:
    """Let the browser have a session for so long: not its scripts, and no other site's forms."""
    secure = request.url.scheme == "https"
    response.set_cookie(cookie_name(request), secret, seconds, path="/", secure=secure, httponly=True, samesite="lax")


def take(request: Request, response: Response) -> None:
    """Let the browser forget its session."""
    response.delete_cookie(
        cookie_name(request), path="/", secure=request.url.scheme == "https", httponly=True, samesite="lax"
    )


def token_of(secret: str) -> str:
    """What forms of a session carry: made of its secret, which it does not tell, and of no other use."""
    return hmac.new(secret.encode(), b"a form of this site", hashlib.sha256).hexdigest()


def is_from_here(request: Request) -> bool:
    """Whether a browser says that a page of this site sent it; of what says nothing (no browser of today), yes."""
    if site := request.headers.get("sec-fetch-site"):
        return site in {"same-origin", "none"}
    origin = request.headers.get("origin")
    return origin is None or origin == f"{request.url.scheme}://{request.headers.get('host', '')}"


async def check_token(request: Request, token: str) -> None:
    """Problem 403 unless it comes from here, with the session's token: in a header, or in a field of a form."""
    if not is_from_here(request):
        raise from_elsewhere()
    given = request.headers.get(TOKEN_HEADER)
    if given is None and request.headers.get("content-type", "").lower().startswith(_FORMS):
        given = field(await read_form(request), TOKEN_FIELD)
    if not hmac.compare_digest((given or "").encode("utf-8", "replace"), token.encode()):
        raise from_elsewhere()


async def read_form(request: Request) -> FormData:
    """The form that was sent; read once, however often it is asked for."""
    limit: int = request.app.state.settings.max_body_bytes
    if "form" not in request.scope:
        request.scope["form"] = await form_of(request, _MOST_FIELDS, limit)
    form: FormData = request.scope["form"]
    return form


def field(form: FormData, name: str) -> str:
    """The text of a field; nothing when there is none, or when it is a file."""
    value = form.get(name)
    return value if isinstance(value, str) else ""
