"""Run: python requests-read-timed-out.py (Python 3.11, requests 2.34, urllib3 2.8)."""

import socket

import requests

server = socket.create_server(("127.0.0.1", 0))  # accepts, never answers
requests.get(f"http://127.0.0.1:{server.getsockname()[1]}/report", timeout=2)
