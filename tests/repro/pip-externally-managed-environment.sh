#!/bin/sh
# Run as root on Debian 12 or later, Ubuntu 23.04 or later: sh pip-externally-managed-environment.sh (needs python3-pip).
/usr/bin/python3 -m pip install --dry-run requests
