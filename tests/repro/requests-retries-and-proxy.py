"""python tests/repro/requests-retries-and-proxy.py   (requests 2): a proxy that is not there, redirects without end, too many errors, a server that hangs up."""

import http.server
import socket
import threading
import traceback

import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(503 if self.path == "/503" else 302)
        self.send_header("Location", self.path)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
base = f"http://127.0.0.1:{server.server_port}"
mute = socket.create_server(("127.0.0.1", 0))


def hang_up() -> None:
    while True:
        peer, _ = mute.accept()
        peer.recv(100)
        peer.close()


threading.Thread(target=hang_up, daemon=True).start()
retrying = requests.Session()
retrying.mount("http://", HTTPAdapter(max_retries=Retry(2, status_forcelist=[503])))
for call in (
    lambda: requests.get("http://shop.example/", proxies={"http": "http://127.0.0.1:9"}, timeout=5),
    lambda: requests.get(base + "/loop", timeout=5),
    lambda: retrying.get(base + "/503", timeout=5),
    lambda: requests.get(f"http://127.0.0.1:{mute.getsockname()[1]}/", timeout=5),
    lambda: requests.get("shop.example/api", timeout=5),
):
    try:
        call()
    except requests.RequestException:
        text = traceback.format_exc().splitlines()
        print("\n".join(text[-6:]), "\n")
