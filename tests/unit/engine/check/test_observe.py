"""A run of many answers: what it asks for, and what it makes of answers that do not come."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from uuid import UUID

import pytest

from driftline.engine.check.observe import Observation, Visit, observe, without_refused
from driftline.engine.pool import Pool
from driftline.kinds.kind import AnyKind, Reading
from driftline.kinds.registry import KINDS
from driftline.model.fetch import Answer, Blocked, Failed, Fetched, FetchOptions, Request
from driftline.model.item import Observed
from driftline.model.watch import Watch

AT = datetime(2026, 2, 1, tzinfo=UTC)
SITE = "https://site.example/"


class Site:
    """Answers by address; what is not there is missing."""

    def __init__(self, pages: Mapping[str, str | float]) -> None:
        self.pages = pages  # a body, or the seconds that a refusal asks for
        self.asked: list[Request] = []

    async def fetch(self, request: Request, *, robots: bool = False) -> Answer:
        self.asked.append(request)
        match self.pages.get(request.url.removeprefix(SITE)):
            case str() as body:
                headers = {"content-type": "text/html", "etag": '"1"'}
                return Fetched(request=request, url=request.url, status=200, headers=headers, body=body.encode(), at=AT)
            case float() as wait_for:
                return Blocked(request=request, reason="http 429", status=429, retry_after=wait_for or None)
            case _:
                return Failed(request=request, reason="http 404", status=404)


@pytest.fixture
def pool() -> Iterator[Pool]:
    pool = Pool(size=1)
    yield pool
    pool.close()


async def observed(site: Site, pool: Pool, kind: AnyKind, url: str, options: FetchOptions | None = None) -> Observation:
    one, fetch = UUID(int=1), options or FetchOptions()
    watch = Watch(id=one, org_id=one, source_id=one, kind=kind.name, url=SITE + url, name="one", created_at=AT, fetch=fetch)
    visit = Visit(fetcher=site, pool=pool.share("org"), kind=kind, watch=watch, rules=kind.rules())
    return await observe(visit, at=AT)


def index(*files: str) -> str:
    listed = "".join(f"<sitemap><loc>{SITE}{file}</loc></sitemap>" for file in files)
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</sitemapindex>'


def articles(*names: str) -> str:
    listed = "".join(f"<url><loc>{SITE}{name}</loc><lastmod>2026-01-01</lastmod></url>" for name in names)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'


@pytest.mark.parametrize("waits", [(60.0, 5.0, 0.0), (5.0, 60.0, 0.0), (0.0, 5.0, 60.0)])
async def test_of_several_answers_the_longest_retry_after_counts(pool: Pool, waits: tuple[float, ...]) -> None:
    files = {f"{number}.xml": wait_for for number, wait_for in enumerate(waits)}
    seen = await observed(Site({"index.xml": index(*files), **files}), pool, KINDS["sitemap"], "index.xml")
    assert seen.retry_after == 60.0


async def test_what_is_wanted_twice_is_asked_for_once(pool: Pool) -> None:
    site = Site({"index.xml": index("a.xml", "b.xml", "a.xml"), "a.xml": articles("x"), "b.xml": articles("y")})
    seen = await observed(site, pool, KINDS["sitemap"], "index.xml")
    assert sorted(request.url for request in site.asked) == [SITE + name for name in ("a.xml", "b.xml", "index.xml")]
    assert sorted(item.key for item in seen.reading.items) == [SITE + "x", SITE + "y"]


async def test_what_two_answers_want_is_asked_for_once(pool: Pool) -> None:
    nested = {"index.xml": index("a.xml", "b.xml"), "a.xml": index("c.xml"), "b.xml": index("c.xml"), "c.xml": articles("x")}
    site = Site(nested)
    await observed(site, pool, KINDS["sitemap"], "index.xml")
    assert sorted(request.url.removeprefix(SITE) for request in site.asked) == ["a.xml", "b.xml", "c.xml", "index.xml"]


def test_an_item_that_was_refused_is_named_and_its_absence_says_nothing() -> None:
    kept, refused = (Observed(key=key, url=key, title=key, fingerprint=b"f", build=lambda: None) for key in ("kept", "refused"))
    seen = Observation(reading=Reading(items=[kept, refused], counters={"errors": 1}))
    assert without_refused(seen, {}) is seen
    left = without_refused(seen, {"refused": "too long"})
    assert ([item.key for item in left.reading.items], left.reading.shows_all) == (["kept"], False)
    assert (left.reading.counters["errors"], left.refused) == (2, {"refused": "too long"})
    assert [(one.code, one.key, one.message) for one in left.reading.warnings] == [("not_saved", "refused", "too long")]


async def test_a_run_of_many_answers_leaves_no_validators_of_one_of_them(pool: Pool) -> None:
    seen = await observed(Site({"index.xml": index("a.xml"), "a.xml": articles("x")}), pool, KINDS["sitemap"], "index.xml")
    assert (seen.validators.etag, seen.body) == (None, None)
    alone = await observed(Site({"a.xml": articles("x")}), pool, KINDS["sitemap"], "a.xml")
    assert alone.validators.etag == '"1"'


async def test_credentials_of_the_watch_go_to_its_own_origin_alone(pool: Pool) -> None:
    elsewhere = "https://cdn.example/b.xml"
    site = Site(
        {"index.xml": index("a.xml").replace("</sitemapindex>", f"<sitemap><loc>{elsewhere}</loc></sitemap></sitemapindex>")}
    )
    options = FetchOptions(headers={"authorization": "Bearer x", "accept-language": "de"}, cookies={"session": "y"})
    await observed(site, pool, KINDS["sitemap"], "index.xml", options)
    asked = {request.url: request.options for request in site.asked}
    assert asked[SITE + "index.xml"] == asked[SITE + "a.xml"] == options
    assert (asked[elsewhere].headers, asked[elsewhere].cookies) == ({"accept-language": "de"}, {})
