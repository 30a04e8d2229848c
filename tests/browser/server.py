"""`driftline serve` as a process of its own, and a Chromium that may visit it and nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

_LINK = re.compile(r"http://\S+/sign-in\?link=\S+")
WIDE: ViewportSize = {"width": 1280, "height": 800}
NARROW: ViewportSize = {"width": 390, "height": 844}
_ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"]
_PATIENCE = 60_000  # milliseconds; the machine may be busy
expect.set_options(timeout=_PATIENCE)  # a page's own patience does not hold for these


class Server:
    """A server that is up, what it said of itself, and the link that signs in once."""

    def __init__(self, process: subprocess.Popen[str], greeting: str) -> None:
        self.process = process
        self.greeting = greeting
        found = _LINK.search(greeting)
        assert found is not None, f"it did not come up: {greeting}"
        self.link = found.group()
        parts = urlsplit(self.link)
        self.url = f"{parts.scheme}://{parts.netloc}"


@contextmanager
def serving(database: str, **settings: str) -> Iterator[Server]:
    """`driftline serve`, up until the block ends."""
    ours = {"DRIFTLINE_DB": database, "DRIFTLINE_ALLOW_HOSTS": "127.0.0.1", "DRIFTLINE_CALIBRATE_AFTER": "0", **settings}
    with _up(["serve", "--port", "0"], ours, until=_LINK) as server:
        yield server


@contextmanager
def demonstrating(*options: str) -> Iterator[Server]:
    """`driftline demo --live`, up until the block ends."""
    with _up(["demo", "--live", "--no-browser", *options], {}, until=re.compile("Ctrl-C")) as server:
        yield server


@contextmanager
def _up(command: list[str], settings: dict[str, str], *, until: re.Pattern[str]) -> Iterator[Server]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DRIFTLINE_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "driftline", *command],
        env=kept | settings | {"COLUMNS": "400"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=0,  # Ctrl-C in the terminal of the tests is for these alone
    )
    try:
        yield Server(process, _greeting(process, until))
    finally:
        process.terminate()
        try:
            process.communicate(timeout=60)
        finally:
            process.kill()


def _greeting(process: subprocess.Popen[str], until: re.Pattern[str]) -> str:
    said = []
    assert process.stdout is not None
    for line in process.stdout:
        said.append(line)
        if until.search(line):
            break
    return "".join(said)


class Visitor:
    """A page, with everything that went wrong on it."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.context = context
        self.url = url
        self.wrong: list[str] = []
        self.page: Page = context.new_page()
        self.page.set_default_timeout(_PATIENCE)
        self.page.on("console", lambda said: self.wrong.append(said.text) if said.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", self._asked)

    def _asked(self, request: object) -> None:
        asked: str = request.url  # type: ignore[attr-defined]  # Playwright's own, untyped here
        if not asked.startswith((f"{self.url}/", "data:")):
            self.wrong.append(f"asked another host: {asked}")

    def go(self, path: str) -> Page:
        """Open one of our pages."""
        self.page.goto(self.url + path)
        return self.page

    def sign_in(self, link: str) -> None:
        """By the link that works once."""
        self.page.goto(link)
        self.page.get_by_role("button", name="Sign in to driftline").click()
        self.page.wait_for_url(f"{self.url}/")


@contextmanager
def browsing(chromium: str) -> Iterator[Browser]:
    """A Chromium of the test's own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_ARGS)
        try:
            yield browser
        finally:
            browser.close()


def shot(page: Page, name: str, size: ViewportSize) -> None:
    """Keep a picture of a page for a person to look at, where one asked for it."""
    if folder := os.environ.get("DRIFTLINE_TEST_SHOTS"):
        page.screenshot(path=Path(folder) / f"{name}-{size['width']}.png", full_page=True)
