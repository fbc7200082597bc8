"""Two failing tests: an error below, and an assertion."""

import pytest


def price(orders, key):
    if key not in orders:
        raise LookupError(f"order {key} has no price")
    return orders[key]


class TestPay:
    @pytest.mark.parametrize("key", [42])
    def test_price(self, key):
        orders = {7: 10}
        price(orders, key)


def test_total():
    orders = {7: 10}
    assert sum(orders.values()) == 11, "总价不对"
