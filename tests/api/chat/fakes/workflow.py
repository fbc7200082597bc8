"""A workflow of Teams "when a webhook request is received": 202, and the card is in the channel."""

import json

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.api.chat.fakes.fake import State, fake


def taking(request: Request, body: bytes, state: State) -> Response:
    """What it does with one call."""
    if request.url.path != "/workflows/W/run" or request.query_params.get("sig") != "S":
        return JSONResponse({"error": {"code": "WorkflowNotFound"}}, 404)
    state.posted.append(json.loads(body))
    return Response(status_code=202)


app = fake(taking)
