"""loguru: the values of variables between the lines."""

from loguru import logger


def charge(total, parts):
    return total / parts


@logger.catch
def main(order):
    total = order * 10
    return charge(total, 0)


main(7)
