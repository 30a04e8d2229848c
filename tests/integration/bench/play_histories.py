"""Stands for the player that comes with the real material: python play.py FOLDER."""

from __future__ import annotations

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit


class Player(BaseHTTPRequestHandler):
    """One visit at a time."""

    visit = 0

    def do_GET(self) -> None:
        """A page as it is at this visit, or the order to go to another one."""
        url = urlsplit(self.path)
        body = b"{}"
        if url.path == "/__control/round":
            Player.visit = int(parse_qs(url.query)["n"][0])
        else:
            body = (Path(sys.argv[1]) / url.path.rpartition("/")[2] / f"{Player.visit}.html").read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that it has
        """Nothing."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Player)
    print("listening", server.server_address[1], flush=True)
    server.serve_forever()
