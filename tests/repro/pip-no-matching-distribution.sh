#!/bin/sh
# Run: sh pip-no-matching-distribution.sh (pip 23.2, Python 3.11; needs a package index).
python3 -m venv /tmp/pip-repro
/tmp/pip-repro/bin/pip install --dry-run numpy==2.5.0    # needs Python 3.12
/tmp/pip-repro/bin/pip install --dry-run numpy==9.9.9    # does not exist
rm -r /tmp/pip-repro
