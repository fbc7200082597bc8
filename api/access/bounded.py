"""Answers of the provider of logins, read up to a bound."""

import httpx2

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
