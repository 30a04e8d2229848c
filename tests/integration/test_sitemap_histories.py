"""Sites as they go on, told step by step: what is news at each of them, on both databases."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest
from tests.integration.blogs import XML, Blog
from tests.scripted import Page

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'


class File(msgspec.Struct, frozen=True):
    """A file as a server hands it out."""

    text: str = ""  # SITE stands for the site's address
    zipped: int = 0  # times
    cut: int = 0  # bytes that are not sent
    page: Page = Page(headers=XML)

    def at(self, url: str) -> Page:
        body = self.text.replace("SITE", url).encode()
        for _ in range(self.zipped):
            body = gzip.compress(body)
        return msgspec.structs.replace(self.page, body=body[: len(body) - self.cut])


Step = tuple[Mapping[str, File | str], Sequence[str]]  # what is shown from now on; what is told: "new a", "updated b"


def urlset(before: str = '<?xml version="1.0" encoding="UTF-8"?>\n', **lastmods: str | None) -> str:
    rows = (
        f"<url><loc>SITE/{slug}/</loc>{f'<lastmod>{at}</lastmod>' if at else ''}<image:image><image:loc>SITE/{slug}.png"
        f"</image:loc></image:image></url>"
        for slug, at in lastmods.items()
    )
    return f"{before}<urlset {NS}>{''.join(rows)}</urlset>"


def index(*paths: str) -> str:
    rows = (f"<sitemap><loc>SITE{path}</loc><lastmod>2026-02-01</lastmod></sitemap>" for path in paths)
    return f'<?xml version="1.0"?><sitemapindex {NS}>{"".join(rows)}</sitemapindex>'


def rss(**dates: str) -> str:
    rows = (
        f"<item><title>{slug}</title><link>SITE/{slug}/?utm_source=rss</link><guid isPermaLink='false'>SITE/?p={slug}</guid>"
        f"<pubDate>{at}</pubDate></item>"
        for slug, at in dates.items()
    )
    return f"<rss version='2.0'><channel><title>C</title><lastBuildDate>now</lastBuildDate>{''.join(rows)}</channel></rss>"


A, B, C = "2026-01-03T08:00:00+00:00", "2026-01-04T09:10:00+00:00", "2026-02-05T10:20:00+00:00"
WARNING = "<br />\n<b>Warning</b>:  Undefined array key in <b>/srv/wp/x.php</b> on line <b>7</b><br />\n<?xml version='1.0'?>"
MAINTENANCE = "<!DOCTYPE html><html><body><h1>Briefly unavailable for scheduled maintenance</h1></body></html>"
LOST, FAILING = File(page=Page(status=404)), File(page=Page(status=500))
HALF = File(urlset(a=A) * 9, page=Page(headers=XML, ends="halfway"))
ENCODED = Page(headers=XML | {"content-encoding": "gzip"})

LATER = index("/page.xml", "/post-2.xml", "/post-1.xml")
WORDPRESS: list[Step] = [
    ({"/sitemap.xml": index("/post-1.xml", "/page.xml"), "/post-1.xml": urlset(a=A, b=B), "/page.xml": urlset(me=A)}, []),
    ({}, []),
    ({"/post-1.xml": urlset(c=C, a=A, b=B)}, ["new c"]),
    ({"/post-1.xml": urlset(WARNING, c=C, a=C, b=B)}, ["updated a"]),
    ({"/post-1.xml": FAILING}, []),
    ({"/post-1.xml": MAINTENANCE, "/page.xml": urlset(me=C)}, ["updated me"]),
    ({"/sitemap.xml": LATER, "/post-1.xml": urlset(c=C), "/post-2.xml": urlset(b=B, a=C)}, []),
    ({"/sitemap.xml": MAINTENANCE}, []),
    ({"/sitemap.xml": LATER, "/post-2.xml": urlset(a=C)}, ["removed b"]),
    ({"/post-2.xml": urlset(a=C, b=C)}, ["updated b"]),
]

TWO, THREE = "/products.xml?from=1&to=2", "/products.xml?from=1&to=3"  # as a large shop system names its files
SHOP: list[Step] = [
    ({"/sitemap.xml": index(TWO.replace("&", "&amp;")), TWO: urlset(hat=A, cap=B)}, []),
    ({"/sitemap.xml": index(THREE.replace("&", "&amp;")), THREE: urlset(hat=A, cap=B, scarf=B)}, ["new scarf"]),
    ({THREE: urlset(hat=A, cap=C, scarf=B)}, ["updated cap"]),
    ({THREE: LOST}, []),
    ({THREE: urlset(cap=C, scarf=B)}, ["removed hat"]),
]

COMPRESSED: list[Step] = [
    ({"/sitemap.xml": File(urlset(a=A), zipped=1)}, []),
    ({"/sitemap.xml": urlset(a=A)}, []),
    ({"/sitemap.xml": File(urlset(a=A, b=B), zipped=2)}, ["new b"]),
    ({"/sitemap.xml": File(urlset(a=A), zipped=1, cut=30)}, []),
    ({"/sitemap.xml": File(urlset(a=A), cut=25)}, []),
    ({"/sitemap.xml": HALF}, []),
    ({"/sitemap.xml": File(urlset(a=C), zipped=1, page=ENCODED)}, ["removed b", "updated a"]),
    ({"/sitemap.xml": File(urlset(a=C), zipped=2, page=ENCODED)}, []),
    ({"/sitemap.xml": "\n\n" + urlset(a=C, d=C) + "\n<!-- 0.2 s -->\n<p>debug</p>"}, ["new d"]),
]

FEED: list[Step] = [
    ({"/sitemap.xml": rss(b="Sun, 04 Jan 2026 09:10:00 GMT", a="Sat, 03 Jan 2026 08:00:00 GMT")}, []),
    ({"/sitemap.xml": rss(c="Thu, 05 Feb 2026 10:20:00 GMT", b="Sun, 04 Jan 2026 09:10:00 +0000")}, ["new c"]),
    ({"/sitemap.xml": rss(b="Sun, 04 Jan 2026 09:10:00 GMT", a="Sat, 03 Jan 2026 08:00:00 GMT")}, []),
    ({"/sitemap.xml": rss(b="Fri, 06 Feb 2026 09:10:00 GMT", a="Sat, 03 Jan 2026 08:00:00 GMT")}, ["updated b"]),
]

PLAIN: list[Step] = [
    ({"/sitemap.xml": "SITE/a\nSITE/b\n", "/a": "A"}, []),
    ({"/sitemap.xml": "\ufeffSITE/b\r\nSITE/a\r\n"}, []),
    ({"/sitemap.xml": "SITE/a\n# by hand\nSITE/b\nSITE/c"}, ["new c"]),
    ({"/sitemap.xml": "Service unavailable\nPlease try again\n"}, []),
    ({"/sitemap.xml": "SITE/a\nSITE/c"}, ["removed b"]),
]


def moved(form: str) -> str:
    return f"<urlset>{''.join(f'<url><loc>{form.format(slug)}</loc><lastmod>{A}</lastmod></url>' for slug in 'abc')}</urlset>"


MIGRATED: list[Step] = [
    ({"/sitemap.xml": moved("http://shop.example/{}")}, []),
    ({"/sitemap.xml": moved("https://shop.example/{}")}, []),
    ({"/sitemap.xml": moved("https://www.shop.example/{}/")}, []),
    ({"/sitemap.xml": moved("https://shop.example/{}")}, []),
    (
        {"/sitemap.xml": moved("https://shop.example/blog/{}")},
        [f"{what} {slug}" for what in ("new", "removed") for slug in "abc"],
    ),
]


def built(at: str, count: int = 25, **more: str) -> str:
    return urlset(**{f"p{number}": at for number in range(count)}, **more)


REBUILT: list[Step] = [
    ({"/sitemap.xml": built("2026-02-01T03:00:00Z")}, []),
    ({"/sitemap.xml": built("2026-02-02T03:00:00Z")}, []),
    ({"/sitemap.xml": built("2026-02-03T03:00:00Z", fresh="2026-02-03T03:00:00Z")}, ["new fresh"]),
    ({"/sitemap.xml": built("2026-02-03T04:00:00Z", fresh="2026-02-03T04:00:00Z")}, []),
    ({"/sitemap.xml": built("2026-02-03", fresh="2026-02-03")}, []),
    ({"/sitemap.xml": built("03.02.2026", fresh="2026-02-07")}, ["updated fresh"]),
    ({"/sitemap.xml": built("03.02.2026", 0)}, []),
    ({"/sitemap.xml": built("Tue, 03 Feb 2026 00:00:00 GMT", fresh="2026-02-07")}, []),
]

HALF_LOST: list[Step] = [
    ({"/sitemap.xml": index("/good.xml", "/dead.xml"), "/good.xml": urlset(a=A)}, []),
    ({"/good.xml": urlset(a=A, b=B)}, ["new b"]),
    ({"/good.xml": urlset(a=A)}, []),
    ({"/sitemap.xml": FAILING}, []),
    ({"/sitemap.xml": index("/good.xml", "/dead.xml"), "/dead.xml": urlset(x=A, y=A)}, ["removed b"]),
    ({"/dead.xml": urlset(x=A, y=C, z=C)}, ["new z", "updated y"]),
]

STORIES = {
    "half lost": HALF_LOST,
    "WordPress": WORDPRESS,
    "a shop": SHOP,
    "compressed": COMPRESSED,
    "a feed": FEED,
    "plain text": PLAIN,
    "migrated": MIGRATED,
    "rebuilt": REBUILT,
}


def tell(blog: Blog, steps: Sequence[Step], **rules: Any) -> list[list[str]]:
    """What was told at each step."""
    watch = blog.watch(removed=True, **rules)
    told: list[list[str]] = []
    names = {"new_article": "new", "article_updated": "updated", "article_removed": "removed"}
    for files, _ in steps:
        for path, file in files.items():
            blog.site.show(path, (file if isinstance(file, File) else File(file)).at(blog.site.url))
        changes = [one for one in blog.crawl(watch).changes if one.type in names]
        told.append(sorted(f"{names[one.type]} {one.url.rstrip('/').rpartition('/')[2]}" for one in changes))
    return told


@pytest.mark.parametrize("story", STORIES)
def test_a_site_tells_its_news_and_nothing_else(blog: Blog, story: str) -> None:
    steps = STORIES[story]
    assert tell(blog, steps, missing_lastmod="ignore") == [list(expected) for _, expected in steps]
