#!/bin/sh
# Run: sh pip-resolution-impossible.sh (pip 23.2, Python 3.11; needs a package index).
python3 -m venv /tmp/pip-repro && /tmp/pip-repro/bin/pip install --dry-run requests==2.32.3 urllib3==1.20
rm -r /tmp/pip-repro
