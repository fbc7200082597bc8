"""rich's boxes, with the values of variables, around a chained error."""

from rich.console import Console


def charge(total, parts):
    return total / parts


def main(order):
    try:
        charge(100, 0)
    except ZeroDivisionError as error:
        raise ValueError(f"no price for order {order}") from error


try:
    main(7)
except ValueError:
    Console(width=100).print_exception(show_locals=True)
