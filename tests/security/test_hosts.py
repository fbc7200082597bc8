"""Names that a service on this machine must not take for its own, and no name that decides who asks."""

import pytest
from starlette.testclient import TestClient

REFUSED = (
    "127.0.0.1:8461@evil.com",
    "[::1].evil.com",
    "127.0.0.1:evil.com",
    "localhost/static/?x=",
    "localhost:80:80",
    "[::1",
    "evil.com",
    "127.0.0.1.evil.com",
    "0x7f.1",
    "localhost#",
    "localhost, evil.com",
)
TAKEN = (
    "127.0.0.1:8461",
    "[::1]",
    "[::1]:8420",
    "localhost",
    "LOCALHOST:1",
    "wiki.localhost",
    "localhost.",
    "10.1.2.3",
)


@pytest.mark.parametrize("host", REFUSED)
def test_another_name_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/v1/incidents", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", TAKEN)
def test_its_own_names_are_taken(client: TestClient, host: str) -> None:
    assert client.get("/v1/incidents", headers={"Host": host}).status_code == 200


def test_two_names_are_none(client: TestClient) -> None:
    assert client.get("/v1/incidents", headers=[("Host", "localhost"), ("Host", "localhost")]).status_code == 421
