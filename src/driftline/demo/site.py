"""The demo site as a server on loopback. It changes only when the script advances."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from aiohttp import web

from driftline.demo import departures, feeds, mailbox, shop
from driftline.demo.feeds import Feed
from driftline.demo.pages import STYLE, Noise, render, title_of
from driftline.demo.receivers import Receivers
from driftline.demo.script import PAGES, SCRIPT, Page, Step, Truth


class Site:
    """The script's present turn, and where it can be seen."""

    def __init__(self, script: Sequence[Step] = SCRIPT, inbox: Receivers | None = None) -> None:
        self._script = script
        self._inbox = inbox or Receivers()
        self._turn = 0
        self._way = 1  # forth or back, when it wanders
        self._answers = 0
        self.shows_departures = False  # whether the page that scripts make is watched, which takes a browser
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
        departing = (departures.NAME,) if self.shows_departures and self._turn in departures.CHANGES else ()
        return (*feeds.NEW.get(self._turn, ()), *((shop.FEED.name,) if self.moved else ()), *departing)

    @property
    def moved(self) -> Sequence[tuple[str, str]]:
        """What really changes in the shop with this turn: type and product."""
        return shop.truth(self._turn)

    @property
    def finished(self) -> bool:
        """Whether the script has no further turn."""
        return self._turn == len(self._script) - 1

    @property
    def happened(self) -> Sequence[Truth]:
        """Every real change up to now, in order."""
        return [truth for step in self._script[: self._turn + 1] for truth in step.changed]

    def advance(self) -> Sequence[Truth]:
        """Take the next turn; what really changes with it. After the last one nothing does."""
        if self.finished:
            return ()
        self._turn += 1
        return self._script[self._turn].changed

    def wander(self) -> None:
        """One turn forth, or back again from the last one to the first: there is always something new, and never the end."""
        if not 0 <= self._turn + self._way < len(self._script):
            self._way = -self._way
        self._turn += self._way

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
        body = feeds.board(self._turn, day, seats, self._noise(), address=self.address)
        return web.Response(body=body, content_type="application/json")

    async def _sitemap(self, _request: web.Request) -> web.Response:
        return web.Response(body=feeds.sitemap(self._turn, self.address), content_type="application/xml")

    async def _blog(self, _request: web.Request) -> web.Response:
        return web.Response(text=feeds.blog(self._turn, self._noise()), content_type="text/html")

    async def _article(self, request: web.Request) -> web.Response:
        return _found(feeds.article(self._turn, request.match_info["slug"], self._noise()))

    async def _product(self, request: web.Request) -> web.Response:
        return _found(shop.product(self._turn, request.match_info["slug"], self._noise()))

    async def _booking(self, request: web.Request) -> web.Response:
        return _found(feeds.booking(request.match_info["venue"], self._noise()))

    async def _departures(self, request: web.Request) -> web.Response:
        noise = self._noise()
        match request.path:
            case "/departures.js":
                return web.Response(text=departures.SCRIPT, content_type="text/javascript")
            case "/departures.json":
                return web.Response(body=departures.times(self._turn, noise), content_type="application/json")
        return web.Response(text=departures.page(noise), content_type="text/html")

    async def _store(self, request: web.Request) -> web.Response:
        page = request.query.get("page", "1")
        html = shop.listing(self._turn, int(page) if page.isdecimal() and page.isascii() else 1, self._noise())
        return web.Response(text=html, content_type="text/html", headers={"Cache-Control": "no-store"})

    async def _picture(self, request: web.Request) -> web.Response:
        return web.Response(text=shop.picture(request.match_info["slug"]), content_type="image/svg+xml")

    async def _mailbox(self, _request: web.Request) -> web.Response:
        return web.Response(text=mailbox.listing(self._inbox.mails, self._inbox.posts), content_type="text/html")

    async def _mail(self, request: web.Request) -> web.Response:
        number = int(request.match_info["number"])
        known = 1 <= number <= len(self._inbox.mails)
        return _found(mailbox.mail_page(self._inbox.mails[number - 1]) if known else None)

    def _noise(self) -> Noise:
        self._answers += 1
        return Noise(self._answers)

    async def _style(self, _request: web.Request) -> web.Response:
        return web.Response(text=STYLE, content_type="text/css")

    def app(self) -> web.Application:
        """The site as an application, for any server."""
        app = web.Application()
        app.add_routes(
            [
                web.get("/", self._answer),
                web.get("/style.css", self._style),
                web.get("/store", self._store),
                web.get("/store/{slug}", self._product),
                web.get("/book/{venue}", self._booking),
                web.get("/img/{slug}.svg", self._picture),
                web.get("/mailbox", self._mailbox),
                web.get(r"/mailbox/{number:\d{1,9}}", self._mail),
                web.get("/board", self._board),
                web.get("/sitemap.xml", self._sitemap),
                web.get("/blog", self._blog),
                web.get("/blog/{slug}", self._article),
                web.get("/departures", self._departures),
                web.get("/departures.js", self._departures),
                web.get("/departures.json", self._departures),
                web.get("/{page}", self._answer),
            ]
        )
        return app


def _found(html: str | None) -> web.Response:
    if html is None:
        raise web.HTTPNotFound(text="no such page")
    return web.Response(text=html, content_type="text/html")


@asynccontextmanager
async def serve(inbox: Receivers | None = None) -> AsyncIterator[Site]:
    """The site on a free port of 127.0.0.1; it shows what the inbox receives."""
    site = Site(inbox=inbox)
    runner = web.AppRunner(site.app(), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, bound = runner.addresses[0][:2]
        site.address = f"http://{host}:{bound}"
        yield site
    finally:
        await runner.cleanup()
