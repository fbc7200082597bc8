"""The interpreter dies in a C library while another thread waits; faulthandler prints both stacks."""

import ctypes
import faulthandler
import threading

faulthandler.enable()
threading.Thread(target=threading.Event().wait, daemon=True).start()


def checksum(address):
    return ctypes.c_long.from_address(address).value


def verify(orders):
    return [checksum(order) for order in orders]


verify([0])
