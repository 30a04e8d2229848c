"""How many modules a check visits: what somebody has to read who wants to follow one. `python -m bench.modules`

A module counts if one of its functions runs during the check of one watch and does not run where a worker starts, finds nothing
to do and stops; importing it alone does not count.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from uuid import UUID

import driftline
from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.settings import Settings
from driftline.wiring import App

ROOT = Path(driftline.__file__).parent
AT_MOST = {"unchanged": 40, "changed": 80}
_PAGE = "<html><title>Tariff</title><body><main><h1>Tariff</h1><p>Twelve months cost {}.</p>{}</main></body></html>"
_REST = "".join(f"<p>Clause {number}: whoever rents a boat brings it back clean and dry.</p>" for number in range(20))


class _Page(BaseHTTPRequestHandler):
    price = "35 euros"
    answers = 0

    def do_GET(self) -> None:
        _Page.answers += 1
        body = f"{_PAGE.format(_Page.price, _REST)}<!-- {_Page.answers} -->".encode()  # no two answers are the same bytes
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def served() -> Iterator[str]:
    """A page on loopback."""
    server = HTTPServer(("127.0.0.1", 0), _Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def visited() -> Iterator[set[str]]:
    """The modules of driftline whose functions run meanwhile, in any thread that begins from here on."""
    found: set[str] = set()

    def seen(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(str(ROOT)):
            found.add(str(Path(code.co_filename).relative_to(ROOT)))

    threading.setprofile(seen)
    sys.setprofile(seen)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def check(settings: Settings, ids: Sequence[UUID]) -> tuple[str, set[str]]:
    """One check of these by a fresh app: the last outcome, and the modules that were visited."""
    outcomes = ["nothing"]

    async def heard(done: Checked) -> None:
        outcomes.append(str(done.run.outcome))

    with visited() as found:
        app = App(settings)
        try:
            app.check(ids, heard)
        finally:
            app.close()
    return outcomes[-1], found


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, served() as url:
        settings = Settings(db=f"{folder}/modules.db", allow_hosts=("127.0.0.1",))
        app = App(settings)
        ids = [watch.id for watch in app.add([app.draft(WatchInput(url=url, name="tariff"))])]
        app.close()
        check(settings, ids)
        _, idle = check(settings, ())
        for outcome, price in (("unchanged", "35 euros"), ("changed", "38 euros")):
            _Page.price = price
            was, found = check(settings, ids)
            found -= idle
            print(f"{outcome} ({was}): {len(found)} modules, at most {AT_MOST[outcome]}")
            if "-v" in sys.argv:
                print("  " + "\n  ".join(sorted(found)))


if __name__ == "__main__":
    main()
