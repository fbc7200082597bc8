"""Used by nginx-*.sh: python3 nginx-upstream.py (Python 3.11), an upstream on port 18081 that misbehaves as the path says."""

import socket
import threading
import time


def answer(client: socket.socket) -> None:
    """Close at once, sleep, or send a header of 9 kB."""
    path = client.recv(65536).decode("latin-1").split(" ")[1]
    if path.startswith("/slow"):
        time.sleep(4)
    if path.startswith("/header"):
        client.sendall(b"HTTP/1.1 200 OK\r\nX-Big: " + b"a" * 9000 + b"\r\nContent-Length: 0\r\n\r\n")
    client.close()


server = socket.create_server(("127.0.0.1", 18081))
while True:
    threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()
