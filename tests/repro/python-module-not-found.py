"""Run: python python-module-not-found.py (Python 3.11 without PyYAML)."""

import yaml  # noqa: F401
