"""Run: python python-json-decode-error.py (Python 3.11, requests 2.34): an HTML page, an empty body, two documents in one, a comma too many."""

import json
import threading
import traceback
from http.server import BaseHTTPRequestHandler, HTTPServer

import requests


class Page(BaseHTTPRequestHandler):
    """Answers an error page with status 200, as proxies and login pages do."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<html><body>Please log in</body></html>")

    def log_message(self, *_: object) -> None:
        """Nothing."""


for text in ("", "<html>", '{"a": 1}\n{"a": 2}\n', '{"a": 1,}', "{'a': 1}"):
    try:
        json.loads(text)
    except json.JSONDecodeError:
        traceback.print_exc()
with HTTPServer(("127.0.0.1", 0), Page) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        requests.get(f"http://127.0.0.1:{server.server_port}/orders", timeout=5).json()
    except requests.exceptions.JSONDecodeError:
        traceback.print_exc()
    server.shutdown()
