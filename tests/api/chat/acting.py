"""What a platform's answers come to: each act with one client, as in the service."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import httpx

from api.chat.platform import PermanentError, RetryableError

Made = TypeVar("Made")
Act = Callable[[Made, httpx.AsyncClient], Coroutine[Any, Any, Any]]


def acted(made: Made, *acts: Act[Made], seconds: float = 10.0) -> list[Any]:
    """Return what each act gave, or the error it failed with; a platform has so many ``seconds`` to answer."""

    async def run() -> list[Any]:
        results: list[Any] = []
        async with httpx.AsyncClient(trust_env=False, verify=False, timeout=seconds) as client:
            for act in acts:
                try:
                    results.append(await act(made, client))
                except (RetryableError, PermanentError) as error:
                    results.append(error)
        return results

    return asyncio.run(run())
