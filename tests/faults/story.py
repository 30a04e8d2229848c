"""Ground truth: a site whose pages are published version by version."""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from aiohttp import web
from tests.scripted import Page, ScriptedSite, scripted_site

from driftline.engine.editing.watch_input import WatchInput

_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu".split()
_NAMED = re.compile(r"the edition called (\w+)")


def edition(number: int) -> str:
    """A word for a version: letters only, for a number may be taken for a counter."""
    high, low = divmod(number, len(_SYLLABLES))
    return f"{_SYLLABLES[high % len(_SYLLABLES)]}{_SYLLABLES[low]}n"


def edition_in(text: object) -> str:
    """The version that a text says it is."""
    match = _NAMED.search(str(text))
    return match[1] if match else "?"


def page_of(path: str, version: int) -> Page:
    """A page that differs from its other versions in more than a word."""
    words = random.Random(f"{path} {version}")
    prose = " ".join("".join(words.choices(_SYLLABLES, k=3)) for _ in range(60))
    frame = "<html><head><title>The gazette</title></head><body><main><h1>The gazette</h1>{}</main></body></html>"
    return Page(body=frame.format(f"<p>This is the edition called {edition(version)}.</p><p>{prose}.</p>").encode())


class Story:
    """What the site shows. Versions count from 1, and all pages are always at the same one."""

    def __init__(self, site: ScriptedSite, pages: int) -> None:
        self.paths = [f"/gazette/{number}" for number in range(pages)]
        self.version = 1
        self.answers = 0
        self.on_answer: Callable[[], None] = lambda: None  # called when a page was asked for, before it is answered
        self._url = site.url
        self._answered = threading.Condition()
        for path in self.paths:
            site.show(path, self._answer)

    def publish(self) -> None:
        """From now on the next version."""
        self.version += 1

    def watch_inputs(self) -> list[WatchInput]:
        """A watch for every page."""
        return [WatchInput(url=self._url + path, name=path, rules={"calibrate": False}) for path in self.paths]

    def wait_for_answers(self, count: int) -> None:
        """Until so many more answers were given, or nobody asks for a while."""
        with self._answered:
            until = self.answers + count
            self._answered.wait_for(lambda: self.answers >= until, timeout=1.0)

    def _answer(self, request: web.Request) -> Page:
        with self._answered:
            self.answers += 1
            self._answered.notify_all()
        page = page_of(request.path, self.version)
        self.on_answer()
        return page


@contextmanager
def versioned_site(pages: int) -> Iterator[Story]:
    """A story on a site of its own."""
    with scripted_site() as site:
        yield Story(site, pages)
