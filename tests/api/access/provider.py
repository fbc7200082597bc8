"""An OpenID Connect provider as a program of its own (`oidc-provider-mock`), which insists on PKCE: Authlib's server checks it."""

import os
import sys
from typing import Any

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import AuthorizationCodeGrant
from authlib.oauth2.rfc7636 import CodeChallenge


class Challenge(CodeChallenge):  # type: ignore[misc]
    """Remembers the challenge of each code, which the provider itself does not."""

    codes: dict[str, tuple[str, str]] = {}  # noqa: RUF012

    def get_authorization_code_challenge(self, authorization_code: Any) -> str | None:
        return self.codes.get(authorization_code.code, (None, None))[0]

    def get_authorization_code_challenge_method(self, authorization_code: Any) -> str | None:
        return self.codes.get(authorization_code.code, (None, None))[1]


def insist() -> None:
    """Every grant by code needs a challenge by S256 from now on."""
    register = AuthorizationServer.register_grant

    def register_with_challenge(self: Any, grant: Any, extensions: Any = None) -> None:
        if issubclass(grant, AuthorizationCodeGrant):
            save = grant.save_authorization_code

            def save_with_challenge(this: Any, code: str, request: Any) -> None:
                data = request.payload.data
                assert data["code_challenge_method"] == "S256"
                Challenge.codes[code] = (data["code_challenge"], data["code_challenge_method"])
                save(this, code, request)

            grant.save_authorization_code = save_with_challenge
            extensions = [*(extensions or []), Challenge(required=True)]
        register(self, grant, extensions)

    AuthorizationServer.register_grant = register_with_challenge


if __name__ == "__main__":
    insist()
    from oidc_provider_mock.__main__ import run

    os.environ["NO_COLOR"] = "1"
    run(["--port", sys.argv[1], "--require-nonce", "--no-refresh-token", *sys.argv[2:]])
