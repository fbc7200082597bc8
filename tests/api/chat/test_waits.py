"""How long a message waits for its next try."""

import pytest

from api.chat.worker import wait


@pytest.mark.parametrize(
    ("tries", "asked", "least", "most"),
    [
        (1, None, 1, 2),
        (2, None, 2, 4),
        (5, None, 16, 32),
        (30, None, 150, 300),
        (1, 40.0, 40, 41),
        (9, 0.0, 0, 1),
        (1, -5.0, 0, 1),
        (1, 1e9, 3600, 3601),
    ],
)
def test_the_wait_grows_or_is_what_the_platform_asks_for(
    tries: int, asked: float | None, least: float, most: float
) -> None:
    waits = [wait(tries, asked, 2.0) for _ in range(200)]
    assert least <= min(waits) < max(waits) <= most
