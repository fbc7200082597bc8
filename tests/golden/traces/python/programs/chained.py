"""A cause that is named, and an error while another is handled."""


def load(orders, key):
    return orders[key]


def price(orders, key):
    try:
        return load(orders, key)
    except KeyError as error:
        raise LookupError(f"order {key} has no price") from error


def main():
    try:
        price({}, 42)
    except LookupError:
        open("/nonexistent/orders-42.csv")


main()
