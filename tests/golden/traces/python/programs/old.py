# -*- coding: utf-8 -*-
"""Python 2: no chaining, byte strings in the message."""


class Ledger:
    def flush(self, row):
        raise ValueError("row %r is not valid: %s" % (row, u"\u65e0\u6548".encode("utf-8")))


def main():
    map(Ledger().flush, [u"\u8ba2\u5355"])


main()
