"""The demo site as a server on loopback. It moves only when it is told to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from aiohttp import web

from driftline.demo import feeds, shop
from driftline.demo.feeds import Feed
from driftline.demo.pages import STYLE, Noise, render, title_of
from driftline.demo.script import PAGES, SCRIPT, Page, Step, Truth


class Site:
    """The script's present turn, and where it can be seen."""

    def __init__(self, script: Sequence[Step] = SCRIPT) -> None:
        self._script = script
        self._turn = 0
        self._answers = 0
        self.address = ""  # http://127.0.0.1:port, while it is being served

    @property
    def pages(self) -> Sequence[tuple[Page, str, str]]:
        """Name, title and URL of every page that is worth watching."""
        return [(page, title_of(page), f"{self.address}/{page}") for page in PAGES]

    def feeds(self, day: str) -> Sequence[tuple[Feed, str]]:
        """What is worth watching and is no page, with its URL; the board for one day."""
        return [(feed, self.address + feed.path) for feed in (shop.FEED, *feeds.feeds_for(day))]

    @property
    def renewed(self) -> Sequence[str]:
        """The feeds that really have something new with this turn."""
        return (*feeds.NEW.get(self._turn, ()), *((shop.FEED.name,) if self.moved else ()))

    @property
    def moved(self) -> Sequence[tuple[str, str]]:
        """What really changes in the shop with this turn: type and product."""
        return shop.truth(self._turn)

    @property
    def finished(self) -> bool:
        """Whether the script has no further turn."""
        return self._turn == len(self._script) - 1

    @property
    def told(self) -> Sequence[Truth]:
        """Every real change up to now, in order."""
        return [truth for step in self._script[: self._turn + 1] for truth in step.changed]

    def advance(self) -> Sequence[Truth]:
        """Take the next turn; what really changes with it. After the last one nothing does."""
        if self.finished:
            return ()
        self._turn += 1
        return self._script[self._turn].changed

    async def _answer(self, request: web.Request) -> web.Response:
        name = request.match_info.get("page", "product")
        page = next((page for page in PAGES if page == name), None)
        if page is None:
            raise web.HTTPNotFound(text="no such page")
        step = self._script[self._turn]
        if page in step.down:
            raise web.HTTPInternalServerError(text="the press has stopped; back soon")
        html = render(page, step.world, self._noise())
        return web.Response(text=html, content_type="text/html", headers={"Cache-Control": "no-store"})

    async def _board(self, request: web.Request) -> web.Response:
        day, seats = request.query.get("day", ""), request.query.get("seats", "")
        return web.Response(body=feeds.board(self._turn, day, seats, self._noise()), content_type="application/json")

    async def _sitemap(self, _request: web.Request) -> web.Response:
        return web.Response(body=feeds.sitemap(self._turn, self.address), content_type="application/xml")

    async def _blog(self, request: web.Request) -> web.Response:
        html = feeds.article(self._turn, request.match_info["slug"], self._noise())
        if html is None:
            raise web.HTTPNotFound(text="no such article")
        return web.Response(text=html, content_type="text/html")

    async def _store(self, request: web.Request) -> web.Response:
        page = request.query.get("page", "1")
        html = shop.listing(self._turn, int(page) if page.isdecimal() and page.isascii() else 1, self._noise())
        return web.Response(text=html, content_type="text/html", headers={"Cache-Control": "no-store"})

    def _noise(self) -> Noise:
        self._answers += 1
        return Noise(self._answers)

    async def _style(self, _request: web.Request) -> web.Response:
        return web.Response(text=STYLE, content_type="text/css")

    def app(self) -> web.Application:
        """The site as an application, for a server of one's own."""
        app = web.Application()
        app.add_routes(
            [
                web.get("/", self._answer),
                web.get("/style.css", self._style),
                web.get("/store", self._store),
                web.get("/board", self._board),
                web.get("/sitemap.xml", self._sitemap),
                web.get("/blog/{slug}", self._blog),
                web.get("/{page}", self._answer),
            ]
        )
        return app


@asynccontextmanager
async def serve(port: int = 0) -> AsyncIterator[Site]:
    """The site on 127.0.0.1, on a free port unless one is asked for."""
    site = Site()
    runner = web.AppRunner(site.app(), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        host, bound = runner.addresses[0][:2]
        site.address = f"http://{host}:{bound}"
        yield site
    finally:
        await runner.cleanup()
