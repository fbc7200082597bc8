"""Write-ups that show the same message name each other, so that whoever reads the one learns of the other."""

import pytest

from api.incidents.writeup_checks import read_writeups

from .near_misses import CORPUS, named, sharing, shown


@pytest.mark.slow
def test_the_same_message_is_told_apart_in_both() -> None:
    incidents = [one.incident for one in read_writeups(CORPUS)[0]]
    pairs = {pair for said in sharing((one.id, shown(one)[1]) for one in incidents).values() for pair in said}
    assert pairs - named(incidents) == set()
