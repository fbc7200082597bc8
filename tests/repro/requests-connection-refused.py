"""Run: python requests-connection-refused.py (Python 3.11, requests 2.34, urllib3 2.8; port 13999 must be free)."""

import requests

requests.get("http://127.0.0.1:13999/health", timeout=3)
