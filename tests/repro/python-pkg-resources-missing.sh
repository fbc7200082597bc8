#!/bin/sh
# Run: sh python-pkg-resources-missing.sh (python3; a package index for the second half). An environment whose setuptools has no pkg_resources, and a build that wants it.
dir=$(mktemp -d) && cd "$dir" && python3 -m venv venv && venv/bin/pip -q install 'setuptools>=82' wheel
printf 'import sys\n\nimport pkg_resources\n' > main.py && venv/bin/python main.py
mkdir example && printf 'import pkg_resources\nfrom setuptools import setup\nsetup(name="example", version="1.0")\n' > example/setup.py && venv/bin/pip install ./example
