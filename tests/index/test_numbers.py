"""Incidents that agree in everything but a number: where it is a code it tells them apart, where it is a value it does not."""

from collections.abc import Callable, Iterator, Sequence

import pytest

from index import Engine

from .conftest import records

FRAMES = "\tat com.acme.{job}.Api.call(Api.java:41)\n\tat com.acme.{job}.Order.place(Order.java:12)\n\tat java.lang.Thread.run(Thread.java:748)\n"
CODED = {
    "status": ("org.acme.HttpError: HTTP {n}\n" + FRAMES, "401", "503"),
    "response": ("java.io.IOException: Server returned HTTP response code: {n} for URL: http://api.acme.com/v1\n" + FRAMES, "403", "500"),
    "cause": ("java.lang.RuntimeException: order failed\n" + FRAMES + "Caused by: com.acme.{job}.ApiException: Request failed with status code {n}\n", "401", "429"),
    "exit": ("com.acme.{job}.JobException: Container exited with a non-zero exit code {n}\n" + FRAMES, "137", "143"),
    "reason": ('Traceback (most recent call last):\n  File "/app/{job}.py", line 10, in call\n    r.raise_for_status()\nrequests.exceptions.HTTPError: {n}: for url: https://api.acme.com/x\n', "401 Client Error: Unauthorized", "503 Server Error: Service Unavailable"),
    "script": ("AxiosError: Request failed with status code {n}\n    at settle (/app/{job}/settle.js:19:12)\n    at Cart.load (/app/{job}/cart.js:20:4)\n", "404", "502"),
    "line": ("curl: (22) The requested URL of {job} returned error: {n}", "401", "503"),
    "database": ("ERROR {n} (HY000): {job} could not be written", "1205", "1213"),
}  # fmt: skip


def pair(job: str, trace: str, codes: Sequence[str]) -> list[dict[str, object]]:
    """Two incidents with all words in common; the cause of one is longer, so that words alone would prefer one."""
    causes = ("It has expired", "Too many ask at once, and so the machines behind it give up one after the other")
    return [
        {"id": f"{job}-{code}", "title": f"The {job} stops", "symptom": f"The {job} stops.", "root_cause": cause, "traces": [trace.format(job=job, n=code)]}
        for code, cause in zip(codes, causes, strict=True)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def engine(engine_of: Callable[[Sequence[dict[str, object]]], Engine]) -> Iterator[Engine]:
    pairs = [row for job, (trace, *codes) in CODED.items() for row in pair(job, trace, codes)]
    opened = engine_of([*records(), *pairs])
    yield opened
    opened.close()


@pytest.mark.parametrize("job", CODED)
def test_the_same_trace_with_another_code_is_another_incident(engine: Engine, job: str) -> None:
    trace, *codes = CODED[job]
    for code in codes:
        text = trace.format(job=job, n=code).replace(":41)", ":57)")
        first, second = engine.search(text).matches[:2]
        assert (first.incident.id, first.also) == (f"{job}-{code}", ())
        assert second.incident.id in {f"{job}-{other}" for other in codes}
        assert first.probability > second.probability


def test_a_value_tells_nothing(engine_of: Callable[[Sequence[dict[str, object]]], Engine]) -> None:
    """Another order, host and port: the very same answer as for the values that were written down."""
    told = "com.acme.till.TillException: order {n} was lost at till-{n}.shop.lan:{n}\n" + FRAMES.format(job="till")
    opened = engine_of([*records(), *pair("till", told.replace("{job}", "till"), ("4711", "8042"))])
    answers = [opened.search(told.format(n=n)).matches for n in ("4711", "9123")]
    opened.close()
    assert answers[0][0].probability > 0.5
    assert [(m.incident.id, m.probability) for m in answers[0]] == [(m.incident.id, m.probability) for m in answers[1]]
