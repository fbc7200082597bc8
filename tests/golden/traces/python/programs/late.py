"""A watchdog prints where every thread hangs."""

import faulthandler
import time

faulthandler.dump_traceback_later(0.2, exit=True)


def wait_for(lock):
    time.sleep(lock)


wait_for(5)
