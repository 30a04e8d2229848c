"""The operator's sources of a running `driftline serve`: reached by nobody else, and none of them holds up the others."""

from __future__ import annotations

import os
import socketserver
import ssl
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.attacks.awake import Server, running, undisturbed
from tests.attacks.loopback import CERTIFICATE
from tests.attacks.test_hostile_sources import add, newest_run
from tests.scripted import Page, ScriptedSite, scripted_site
from tests.services import Services

SECRET = "the operator's own words"
OURS, THEIRS = 'orgs = ["default"]', 'orgs = ["theirs"]'
FLOOD = b"* 1 FETCH (UID 7 BODY[HEADER.FIELDS (DATE)] {900000000}\r\n"


class Hanging(socketserver.BaseRequestHandler):
    """A mailbox that says nothing, a letter now and then, more than anybody wants to read, or is somebody else's."""

    def handle(self) -> None:
        way, gone = self.server.way, self.server.gone  # type: ignore[attr-defined]  # of the server below
        try:
            if way == "untrusted":
                own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                own.load_cert_chain(CERTIFICATE)
                self.request = own.wrap_socket(self.request, server_side=True)
            if way in ("floods", "untrusted"):
                self.request.sendall(b"* OK ready\r\n")
                self._flood(gone)
            while not gone.wait(0.5):
                if way == "trickles":
                    self.request.sendall(b"x")
        except OSError:
            return

    def _flood(self, gone: threading.Event) -> None:
        for line in self.request.makefile("rb"):
            mark, _, asked = line.strip().partition(b" ")
            word = asked.split(b" ")[0].upper()
            if word == b"FETCH":
                self.request.sendall(FLOOD)
                while not gone.is_set():
                    self.request.sendall(bytes(1 << 20))
            if word in (b"CAPABILITY", b"EXAMINE"):
                self.request.sendall(b"* CAPABILITY IMAP4rev1\r\n" if word == b"CAPABILITY" else b"* 1 EXISTS\r\n")
            self.request.sendall(mark + b" OK done\r\n")


class Mailboxes(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False


@contextmanager
def mailbox(way: str) -> Iterator[str]:
    with Mailboxes(("127.0.0.1", 0), Hanging) as listening:
        listening.way, listening.gone = way, threading.Event()  # type: ignore[attr-defined]  # for the handler
        thread = threading.Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        scheme = "imaps" if way == "untrusted" else "imap"
        yield f"{scheme}://reader@127.0.0.1:{listening.server_address[1]}/INBOX"
        listening.gone.set()  # type: ignore[attr-defined]  # the same
        listening.shutdown()
        thread.join()


def sources(folder: Path, boxes: dict[str, str]) -> str:
    """The operator's settings: what is watched in peace, and what goes wrong."""
    (folder / "prices.csv").write_text("sku,price\na,1.00\n")
    (folder / "below").mkdir()
    (folder / "below" / "listed.txt").write_text("x")
    (folder / "below" / "way-out").symlink_to("/etc")
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "secret.txt").write_text(SECRET)
    (folder / "large").write_bytes(b"")
    os.truncate(folder / "large", 20 << 30)
    os.mkfifo(folder / "pipe")
    hangs = [sys.executable, "-c", "import time; time.sleep(600)"]
    floods = [sys.executable, "-c", "import sys\nwhile True: sys.stdout.write('x' * 1000000)"]
    leaves = ["/bin/sh", "-c", "sleep 600 & sleep 600"]
    named = {
        "calm": f'file = "{folder / "prices.csv"}"',
        "listed": f'folder = "{folder / "below"}"',
        "linked": f'file = "{folder / "link"}"',
        "linked-folder": f'folder = "{folder / "below" / "way-out"}"',
        "large": f'file = "{folder / "large"}"',
        "pipe": f'file = "{folder / "pipe"}"',
        "hangs": f"command = {hangs}",
        "floods": f"command = {floods}",
        "leaves": f"command = {leaves}",
        **{f"mailbox-{way}": f'imap = "{address}"\npassword = "x"' for way, address in boxes.items()},
    }
    theirs = f'[sources.theirs]\nfile = "{folder / "secret.txt"}"\n{THEIRS}\n'
    return theirs + "".join(f"[sources.{name}]\n{what}\n{OURS}\n" for name, what in named.items())


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def sourced(request: pytest.FixtureRequest, services: Services, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running server with sources on each database."""
    folder = tmp_path_factory.mktemp("sources")
    with ExitStack() as stack:
        boxes = {way: stack.enter_context(mailbox(way)) for way in ("hangs", "trickles", "floods", "untrusted")}
        settings = folder / "driftline.toml"
        settings.write_text(sources(folder, boxes))
        if request.param == "sqlite":
            database = services.migrated_file(folder / "driftline.db")
        else:
            database = stack.enter_context(services.migrated_database(request.getfixturevalue("postgres")))
        yield stack.enter_context(
            running(database, folder, DRIFTLINE_CONFIG=str(settings), DRIFTLINE_TIMEOUT_FOR="5", DRIFTLINE_BROWSER="false")
        )


ENDINGS: dict[str, str] = {
    "linked": "too many levels of symbolic links",
    "linked-folder": "not a directory",
    "large": "body too large",
    "pipe": "not a file",
    "hangs": "timeout",
    "floods": "body too large",
    "leaves": "timeout",
    "mailbox-hangs": "timeout",
    "mailbox-trickles": "timeout",
    "mailbox-floods": "body too large",
    "mailbox-untrusted": "tls certificate refused",  # the password is not sent to it
}


def test_sources_that_hang_or_flood_end_in_one_line_each_and_others_go_on(sourced: Server) -> None:
    newest_run(sourced, add(sourced, "source://calm", "page"))  # what it imports for one it does once

    def attack() -> dict[str, dict[str, Any]]:
        added = {name: add(sourced, f"source://{name}", "page") for name in ENDINGS}
        for number in range(8):  # as many as hold every thread of a small machine, where one is held by each
            added[f"mailbox-trickles-{number}"] = add(sourced, "source://mailbox-trickles", "page")
        listed = newest_run(sourced, add(sourced, "source://listed", "page"))
        assert listed["outcome"] == "baseline", listed
        return {name: newest_run(sourced, watch) for name, watch in added.items()}

    for name, run in undisturbed(sourced, attack).items():
        wanted = ENDINGS.get(name, "timeout")
        assert (run["status"], run["reason"]) == ("failed", wanted), (name, run)
    assert not left_over(sourced.process.pid)


def left_over(pid: int) -> list[str]:
    """Programs of the operator that still run a moment later, whoever they are the children of now."""
    until, found = time.monotonic() + 20.0, [""]
    while found and time.monotonic() < until:
        threading.Event().wait(0.2)
        found = [said for said in map(_command, Path("/proc").glob("[0-9]*")) if "sleep 600" in said or "sleep(600)" in said]
    return [f"{pid}: {said}" for said in found]


def _command(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def test_a_folder_shows_nothing_of_what_a_link_in_it_leads_to(sourced: Server) -> None:
    watch = add(sourced, "source://listed", "page")
    newest_run(sourced, watch)
    status, said = sourced.ask("POST", "/preview", {"url": "source://listed"})
    assert (status, "listed.txt" in said["text"]) == (200, True), said
    assert "way-out" not in said["text"]
    assert "passwd" not in said["text"]


ADDRESSES = (
    "source://theirs", "source://nothing", "source://calm/../secret.txt", "source://../secret.txt", "source:///etc/passwd",
    "source://calm/%2e%2e/secret.txt", "source://calm?file=/etc/passwd", "source://theirs#calm", "SOURCE://theirs",
    "source://calm@theirs", "source://x:y@theirs/", "file:///etc/passwd", "source://listed/listed.txt", "source:theirs",
    "source://ｔｈｅｉｒｓ", "source://theirs\\", "source://theirs%00",
)  # fmt: skip


@pytest.mark.parametrize("url", ADDRESSES)
def test_no_address_of_a_user_names_what_the_operator_did_not_give_them(sourced: Server, url: str) -> None:
    ways: list[tuple[str, str, object]] = [
        ("POST", "/watches", {"url": url}),
        ("POST", "/preview", {"url": url}),
        ("POST", "/import", f"{url}\n".encode()),
        ("POST", "/channels", {"kind": "webhook", "target": url}),
    ]
    for method, path, body in ways:
        status, said = sourced.ask(method, path, body)
        assert SECRET not in str(said)
        assert "root:" not in str(said)
        refused = 400 <= status < 500 or (path == "/import" and not said.get("added"))
        assert refused or (path == "/preview" and said["outcome"] == "error"), (path, status, said)


@pytest.mark.parametrize("url", ["source://calm", "source://listed", "source://hangs"])
def test_another_org_does_not_reach_the_sources_of_this_one(sourced: Server, url: str) -> None:
    for path in ("/watches", "/preview"):
        status, said = sourced.ask("POST", path, {"url": url}, token=sourced.stranger_token)
        assert 400 <= status < 500, (path, said)
        assert "sku" not in str(said)


def test_somebody_who_may_only_read_adds_no_source(sourced: Server) -> None:
    for path in ("/watches", "/preview"):
        assert sourced.ask("POST", path, {"url": "source://calm"}, token=sourced.reader_token)[0] == 403


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as scripted:
        yield scripted


LEADS: dict[str, tuple[str, Page]] = {
    "a redirect": ("page", Page(status=302, headers={"location": "source://calm"})),
    "a sitemap": (
        "sitemap",
        Page(
            body=b"<sitemapindex><sitemap><loc>source://calm</loc></sitemap></sitemapindex>",
            headers={"content-type": "application/xml"},
        ),
    ),
    "a link of a site": ("site", Page(body=b"<title>Site</title><h1>Words</h1><a href='source://calm'>Prices</a>")),
    "the next page of a shop": (
        "catalog",
        Page(body=b"<link rel=next href='source://calm'><a href='/p'><b>Lamp</b> <i>10.00 EUR</i></a>"),
    ),
}


@pytest.mark.parametrize("name", LEADS)
def test_no_answer_of_a_site_leads_to_a_source(sourced: Server, site: ScriptedSite, name: str) -> None:
    kind, page = LEADS[name]
    watch = add(sourced, site.show("/", page), kind)
    run = newest_run(sourced, watch)
    assert run["status"] in ("failed", "partial", "completed"), run
    for path in (f"/watches/{watch}", f"/watches/{watch}/pages", f"/runs/{run['id']}", f"/changes?watch={watch}"):
        said = str(sourced.ask("GET", path)[1])
        assert "sku" not in said
        assert "source://" not in said
