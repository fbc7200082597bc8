"""Run: python dns-name-resolution.py (Python 3.11, requests 2.34, urllib3 2.8)."""

import requests

requests.get("http://orders.shop.invalid/health", timeout=3)
