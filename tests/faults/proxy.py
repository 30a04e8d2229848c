"""A TCP proxy in front of PostgreSQL that delivers a COMMIT of runs and loses the reply."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit


class ReplyLoser:
    """Lets everything through, until a commit's reply is to be lost."""

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        self._target = (address.hostname or "127.0.0.1", address.port or 5432)
        self.listener = socket.create_server(("127.0.0.1", 0))
        user = f"{address.username}@" if address.username else ""
        self.url = urlunsplit(address._replace(netloc=f"{user}127.0.0.1:{self.listener.getsockname()[1]}"))
        self.to_lose = 0  # replies
        self.lost = 0

    def accept(self) -> None:
        """One connection after another, until the listener is closed."""
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._target) as server:
            threading.Thread(target=self._back, args=(server, client), daemon=True).start()
            while data := _received(client):
                server.sendall(data)

    def _back(self, server: socket.socket, client: socket.socket) -> None:
        """What the server says; it names the kind of each statement that it has done, prepared ones too."""
        inserted = False
        while data := _received(server):
            inserted = (inserted and b"BEGIN\0" not in data) or b"INSERT 0 " in data or b"COPY " in data
            if inserted and b"COMMIT\0" in data and self.lost < self.to_lose:
                self.lost += 1
                break
            try:
                client.sendall(data)
            except OSError:
                break
        with contextlib.suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)


def _received(from_: socket.socket) -> bytes:
    try:
        return from_.recv(65536)
    except OSError:
        return b""


@contextmanager
def reply_loser(url: str) -> Iterator[ReplyLoser]:
    """The database, by another address."""
    proxy = ReplyLoser(url)
    thread = threading.Thread(target=proxy.accept, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.listener.shutdown(socket.SHUT_RDWR)
        proxy.listener.close()
        thread.join(10)
