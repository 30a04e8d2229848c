"""A TCP proxy in front of PostgreSQL that lets one COMMIT through and loses the reply."""

from __future__ import annotations

import socket
import threading
from typing import Self
from urllib.parse import urlsplit, urlunsplit


class CommitSwallower:
    """Context manager; `url` is the database through the proxy."""

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        self._target = (address.hostname or "127.0.0.1", address.port or 5432)
        self._listener = socket.create_server(("127.0.0.1", 0))
        user = f"{address.username}@" if address.username else ""
        self.url = urlunsplit(address._replace(netloc=f"{user}127.0.0.1:{self._listener.getsockname()[1]}"))
        self.swallowed = 0
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(timeout=10)

    def _start(self, target: object, *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)  # type: ignore[arg-type]  # a method of ours
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._start(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._target) as server:
            losing = threading.Event()
            back = threading.Thread(target=self._back, args=(server, client, losing), daemon=True)
            back.start()
            while data := _received(client):
                if b"COMMIT" in data and not self.swallowed:
                    self.swallowed += 1
                    losing.set()
                server.sendall(data)
                if losing.is_set():
                    back.join(timeout=10)  # until the server said that it is committed
                    return
            server.shutdown(socket.SHUT_WR)
            back.join(timeout=10)

    @staticmethod
    def _back(server: socket.socket, client: socket.socket, losing: threading.Event) -> None:
        while data := _received(server):
            if losing.is_set():
                return
            try:
                client.sendall(data)
            except OSError:
                return


def _received(from_: socket.socket) -> bytes:
    try:
        return from_.recv(65536)
    except OSError:
        return b""
