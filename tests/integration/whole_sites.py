"""A site of many pages with links, redirects and traps, on loopback: what a crawler meets, and which pages it has."""

from __future__ import annotations

import hashlib
from itertools import count
from typing import Any

from aiohttp import web
from tests.scripted import Answering, Page, ScriptedSite

SECTIONS = 19
STORIES = 25  # in each section
_MONTHS = "January February March April May June July August September October November December".split()


def words(seed: str, number: int = 60) -> str:
    """Words that no other page has."""
    letters = str.maketrans("0123456789", "ghijklmnop")
    made = (hashlib.sha256(f"{seed} {one}".encode()).hexdigest()[:9].translate(letters) for one in range(number))
    return " ".join(made)


def html(title: str, text: str, *links: str, head: str = "") -> str:
    listed = "".join(
        f'<li><a href="{link}">{link.partition("?")[0].strip("/").rpartition("/")[2] or "home"}</a></li>' for link in links
    )
    return (
        f"<html><head><title>{title}</title>{head}</head><body><h1>{title}</h1><article><p>{text}</p></article>"
        f"<ul>{listed}</ul></body></html>"
    )


class _Routes(dict[str, Answering]):
    """Answers by path, and by the traps for every other."""

    def __init__(self, site: LargeSite) -> None:
        super().__init__()
        self._site = site

    def get(self, key: str, default: Any = None) -> Any:
        return super().get(key, default) or self._site.trap(key)


class LargeSite:
    """A start page, sections, their stories, two pages about it, and the first page of each trap: 500 pages."""

    def __init__(self, site: ScriptedSite) -> None:
        self.site = site
        site.pages = _Routes(self)
        self._visits = count()
        self.stories = {f"/s{one}/story-{two}": "first" for one in range(SECTIONS) for two in range(STORIES)}
        site.show("/robots.txt", Page(body=b"User-agent: *\nDisallow: /private/", headers={"content-type": "text/plain"}))
        for path in ("/private/one", "/nofollow"):
            site.show(path, html("Hidden", words(path)))
        site.show("/old-about", Page(status=301, headers={"location": "/about"}))
        site.show("/away", Page(status=302, headers={"location": "http://127.0.0.2:9/"}))
        self.publish()

    @property
    def pages(self) -> set[str]:
        """The addresses that a crawl should find, as they stand now."""
        own = {
            "/",
            "/about",
            "/about/team",
            "/loop/",
            "/deep/1",
            "/calendar?month=2026-11",
            *(f"/s{one}/" for one in range(SECTIONS)),
        }
        return {self.site.url + path for path in (*own, *self.stories)}

    def publish(self) -> None:
        """Answer with the site as it stands now."""
        for path, version in self.stories.items():
            section = path.rpartition("/")[0]
            self.site.show(path, self._page(path, version, f"{section}/", "../about", "/old-about"))
        for one in range(SECTIONS):
            mine = [path for path in self.stories if path.startswith(f"/s{one}/")]
            self.site.show(f"/s{one}/", self._page(f"/s{one}/", "first", *mine, "/"))
        sections = [f"/s{one}/" for one in range(SECTIONS)]
        others = (
            "/loop/",
            "/deep/1",
            "/calendar?month=2026-11",
            "/away",
            "/private/one",
            "/missing",
            "/style.css",
            "/old-about",
        )
        self.site.show("/", self._page("/", "first", *sections, *others, "https://elsewhere.example/", "mailto:a@b.example"))
        self.site.show("/about", self._page("/about", "first", "/", "about/team"))
        self.site.show("/about/team", self._page("/about/team", "first", "/", "/away"))

    def _page(self, path: str, version: str, *links: str) -> Answering:
        """A page whose links have another visit each time, as a server without cookies writes them."""
        title = f"Page {path.strip('/') or 'start'}"
        text = f"{words(path)} {words(path + version, 8)}"

        def answer(_: web.Request) -> Page:
            visit = f"{next(self._visits):07}ab{len(title)}"
            marked = [f"{link}?visit={visit}" if link.startswith("/s") and "." not in link else link for link in links]
            body = html(title, text, *marked) + '<a rel="nofollow" href="/nofollow">more</a>'
            return Page(body=body.encode())

        return answer

    def trap(self, address: str) -> Answering | None:
        """Calendars and paths without an end."""
        path, _, query = address.partition("?")
        if path == "/calendar" and query:
            year, month = map(int, query.removeprefix("month=").split("-"))
            at = year * 12 + month - 1
            nearby = [f"/calendar?month={one // 12}-{one % 12 + 1:02}" for one in (at - 1, at + 1)]
            days = " ".join(map(str, range(1, 29)))
            return Page(body=html(f"{_MONTHS[month - 1]} {year}", f"Mon Tue Wed Thu Fri {days} no events", *nearby).encode())
        if path.startswith("/deep/"):
            return Page(body=html("Level", f"This is level {path.count('/')} of many", f"{path}/{path.count('/')}").encode())
        if path.startswith("/loop/"):
            return Page(body=html("Loop", f"Read more here, and more {len(path)}", "more/", "again/").encode())
        return None
