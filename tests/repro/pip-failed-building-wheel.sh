#!/bin/sh
# Run: sh pip-failed-building-wheel.sh (pip 23.2, Python 3.11; needs a package index; pg_config must not be on the PATH).
python3 -m venv /tmp/pip-repro && PATH=/tmp/pip-repro/bin:/bin /tmp/pip-repro/bin/pip install --no-binary psycopg2 psycopg2==2.9.9
rm -r /tmp/pip-repro
