"""A local site to watch: a shop, a lamp, terms, jobs, a booking board and a newspaper, with a month of history."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from aiohttp import web
from tests.scripted import Page, ScriptedSite

from driftline.deliver.account_input import draft_user
from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.model.account import User
from driftline.model.delivery import Channel, Subscription
from driftline.model.watch import Schedule, Watch
from driftline.settings import Settings
from driftline.wiring import App

NAMES = ("Tern desk lamp", "Heron floor lamp", "Wren wall light", "Plover pendant", "Egret reading light", "Curlew lantern")
PRICES = (249, 389, 79, 159, 119, 64)


class ManualClock:
    """A clock that stands where it is put."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.01))


class LocalSite:
    """What the site shows; every method changes something that people would notice."""

    def __init__(self, site: ScriptedSite) -> None:
        self.site = site
        self.price = "249.00"
        self.stock = "In stock, ships within two days"
        self.notice = "end of the month. We give thirty days of notice"
        self.jobs = ["Backend engineer, storage", "Technical writer", "Workshop assistant"]
        self.prices = dict(zip(NAMES, PRICES, strict=True))
        self.sold_out: set[str] = set()
        self.tables: list[tuple[str, str]] = []
        self.stories = ["harbour-bridge-opens-early", "library-extends-hours", "market-hall-gets-new-roof"]
        self.answers = 0
        for path, answer in {
            "/lamp": self._lamp,
            "/terms": self._terms,
            "/jobs": self._jobs,
            "/shop": self._shop,
            "/tables": self._tables,
            "/sitemap.xml": self._sitemap,
            "/gone": lambda _: Page(status=500, body=b"the press has stopped"),
        }.items():
            site.show(path, answer)

    def url(self, path: str) -> str:
        return self.site.url + path

    def _page(self, title: str, body: str) -> Page:
        self.answers += 1
        noise = f"<footer>Request {self.answers:08x}. {80 + self.answers * 37 % 400} people are looking at this page.</footer>"
        html = (
            f'<!doctype html><html lang="en"><head><title>{title}</title></head><body><main>{body}</main>{noise}</body></html>'
        )
        return Page(body=html.encode())

    def _lamp(self, _: web.Request) -> Page:
        offer = {"@type": "Offer", "price": self.price, "priceCurrency": "EUR"}
        offer["availability"] = f"https://schema.org/{'InStock' if self.stock.startswith('In') else 'OutOfStock'}"
        data = json.dumps({"@context": "https://schema.org", "@type": "Product", "name": "Tern desk lamp", "offers": offer})
        text = "Oiled walnut, a brass joint that never needs tightening, and a warm light that dims down to a candle."
        body = f'<script type="application/ld+json">{data}</script><h1>Tern desk lamp</h1><p>{text}</p>'
        return self._page("Tern desk lamp", f"{body}<p>€ {self.price}</p><p>{self.stock}</p>")

    def _terms(self, _: web.Request) -> Page:
        clauses = (
            ("What you may do", "You may use the library for your own projects and for those of your customers."),
            ("What it costs", "The plan that you chose is billed monthly and in advance, without value added tax."),
            ("How it ends", f"You may cancel at any time with effect from the {self.notice}."),
            (
                "What we keep",
                "Invoices are kept for ten years because the law says so; everything else goes with your account.",
            ),
        )
        return self._page(
            "Terms of service", "<h1>Terms of service</h1>" + "".join(f"<h2>{a}</h2><p>{b}</p>" for a, b in clauses)
        )

    def _jobs(self, _: web.Request) -> Page:
        rows = "".join(
            f'<li id="job-{job[:4].lower()}"><h2>{job}</h2><p>Full time, remote or Lisbon</p></li>' for job in self.jobs
        )
        return self._page("Work with us", f"<h1>Work with us</h1><ul>{rows}</ul>")

    def _shop(self, _: web.Request) -> Page:
        cards = "".join(
            f'<div class="product"><a href="/shop/{name.split()[0].lower()}"><h3>{name}</h3></a><b>€ {price}.00</b>'
            f"<span>{'Sold out' if name in self.sold_out else 'In stock'}</span></div>"
            for name, price in self.prices.items()
        )
        return self._page("All lamps", f"<h1>All lamps</h1>{cards}")

    def _tables(self, _: web.Request) -> Page:
        slots = [
            {
                "provider": "house",
                "venue_id": venue.lower(),
                "venue_name": venue,
                "time": at,
                "booking_url": f"https://book.example/{venue}",
            }
            for venue, at in self.tables
        ]
        return Page(body=json.dumps({"slots": slots}).encode(), headers={"content-type": "application/json"})

    def _sitemap(self, _: web.Request) -> Page:
        urls = "".join(
            f"<url><loc>{self.site.url}/news/{story}</loc><lastmod>2026-10-{place + 10:02}</lastmod></url>"
            for place, story in enumerate(self.stories)
        )
        body = f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
        return Page(body=body.encode(), headers={"content-type": "application/xml"})


class History:
    """Driftline over the site's last month, at the pace of a test."""

    def __init__(self, app: App, local_site: LocalSite, clock: ManualClock) -> None:
        self.app = app
        self.local_site = local_site
        self.clock = clock
        self.watches: dict[str, Watch] = {}

    def watch(self, name: str, path: str, **watch_input: object) -> Watch:
        url = self.local_site.url(path)
        draft = self.app.draft(WatchInput(url=url, name=name, schedule=Schedule(every_for=3600.0), **watch_input))  # type: ignore[arg-type]  # WatchInput checks itself
        self.watches[name] = self.app.add([draft])[0]
        return self.watches[name]

    def check(self, *names: str, after: timedelta = timedelta(hours=1)) -> list[Checked]:
        self.clock.at += after
        ended: list[Checked] = []

        async def listen(checked: Checked) -> None:
            ended.append(checked)

        self.app.check([self.watches[name].id for name in names or self.watches], listen)
        return ended

    def owner(self) -> User:
        made = draft_user(self.app.ids(), self.app.org.id, "reader@example.org", name="Reader", at=self.clock.at)
        user = self.app.write(lambda data: data.users.add(made))
        channel = Channel(
            id=self.app.ids(),
            org_id=self.app.org.id,
            user_id=user.id,
            kind="webhook",
            name="Workshop hook",
            target=self.local_site.url("/hook"),
            created_at=self.clock.at,
        )
        everything = Subscription(
            id=self.app.ids(), org_id=self.app.org.id, user_id=user.id, watch_id=None, created_at=self.clock.at
        )
        self.app.write(lambda data: (data.channels.add(channel), data.subscriptions.add(everything)))
        return user


@contextmanager
def opened(url: str, local_site: LocalSite, *, at: datetime) -> Iterator[History]:
    """Driftline whose clock begins in the past."""
    clock = ManualClock(at)
    app = App(Settings(db=url, allow_hosts=("127.0.0.1",), calibrate_after=0.0, timeout_for=20.0), clock=clock)
    try:
        yield History(app, local_site, clock)
    finally:
        app.close()


def a_month(url: str, local_site: LocalSite) -> None:
    """A month in which all kinds of things happened, the last of them minutes ago."""
    now = datetime.now(UTC)
    with opened(url, local_site, at=now - timedelta(days=30)) as history:
        history.owner()
        history.watch("Tern desk lamp", "/lamp", tags=("shop",))
        history.watch("Terms of service", "/terms", tags=("legal",))
        history.watch("Open positions", "/jobs")
        history.watch("All lamps", "/shop", kind="catalog", tags=("shop",), rules={"card": ".product"})
        history.watch(
            "Tables for two",
            "/tables?d={date}",
            kind="availability",
            rules={"dates": [f"{(now + timedelta(days=3)).date()}"], "party_sizes": [2]},
        )
        history.watch("The Courier", "/sitemap.xml", kind="sitemap", rules={"missing_lastmod": "ignore"})
        history.watch("Press archive", "/gone", rules={"alert_after": 1})
        history.check()
        week = timedelta(days=6)
        local_site.price = "229.00"
        history.check("Tern desk lamp", "Press archive", after=week)
        local_site.prices["Heron floor lamp"], local_site.sold_out = 349, {"Plover pendant"}
        history.check("All lamps", "Terms of service", after=week)
        local_site.price, local_site.stock = "259.00", "Sold out, back in three weeks"
        history.check("Tern desk lamp", after=week)
        local_site.jobs.insert(0, "Site reliability engineer")
        history.check("Open positions", after=timedelta(days=3))
        local_site.price, local_site.stock = "199.00", "In stock, ships within two days"
        history.check("Tern desk lamp", after=week)
        history.clock.at = now - timedelta(hours=30)
        local_site.stories.insert(0, "night-trains-return-to-the-coast")
        local_site.prices |= {"Wren wall light": 69, "Sanderling clip light": 49}
        local_site.sold_out = {"Curlew lantern"}
        history.check("The Courier", "All lamps")
        history.clock.at = now - timedelta(minutes=50)
        local_site.notice = "end of the quarter. We give fourteen days of notice"
        history.check("Terms of service", after=timedelta(0))
        history.clock.at = now - timedelta(minutes=12)
        day = f"{(now + timedelta(days=3)).date()}"
        local_site.tables = [("Osteria Lume", f"{day}T20:30"), ("Osteria Lume", f"{day}T21:00"), ("Kiosk Sul", f"{day}T19:15")]
        history.check("Tables for two", after=timedelta(0))
