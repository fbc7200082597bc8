#!/bin/sh
# Run: sh numpy-binary-incompatibility.sh (Python 3.11; needs a package index). pandas 2.0.3 was compiled against NumPy 1.
python3 -m venv /tmp/np-repro && /tmp/np-repro/bin/pip install -q pandas==2.0.3 numpy==1.26.4
/tmp/np-repro/bin/pip install -q --no-deps numpy==2.1.3
/tmp/np-repro/bin/python -c 'import pandas'
rm -r /tmp/np-repro
