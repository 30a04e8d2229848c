"""The library's side of sitemaps: files read and compared, without a database."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from driftline.core.instants import same
from driftline.core.urls import clean
from driftline.kinds.sitemap.article import Article, build, recency
from driftline.kinds.sitemap.files import read_file
from driftline.kinds.sitemap.reading import articles_in
from driftline.kinds.sitemap.rules import SitemapRules


class Articles(list[Article]):
    """The articles of a file, in its order. An index has none of its own: it names other files."""

    sitemaps: tuple[str, ...] = ()


class SitemapDiff(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between two states of a sitemap. Articles are those of `after`, removed ones those of `before`."""

    added: list[Article]
    removed: list[Article]
    updated: list[Article]  # another lastmod, or none to compare


def read_sitemap(body: bytes, *, url: str = "", rules: SitemapRules | None = None) -> Articles:
    """The articles of a sitemap, feed or text file, compressed or not; raises BadFile with a one-line reason.

    `updated` is None where the file has no lastmod. `url` is where the file was, for feeds with relative links.
    """
    listing = read_file(body)
    if listing.form == "index":
        index = Articles()
        index.sitemaps = tuple(found for entry in listing.entries if (found := clean(entry[0], url)))
        return index
    rules = rules or SitemapRules()
    articles: dict[str, Article] = {}
    for address, entry in articles_in(listing, url, rules):
        if address and (address not in articles or recency(entry[1]) > recency(articles[address].updated)):
            articles[address] = build(address, entry, None, "lastmod")
    return Articles(articles.values())


def compare_sitemaps(before: bytes | Iterable[Article], after: bytes | Iterable[Article]) -> SitemapDiff:
    """Compare two files, or the articles read from them, by URL and the instant of their lastmod."""
    old, new = _by_url(before), _by_url(after)
    return SitemapDiff(
        added=[article for url, article in new.items() if url not in old],
        removed=[article for url, article in old.items() if url not in new],
        updated=[article for url, article in new.items() if url in old and not same(old[url].updated, article.updated)],
    )


def _by_url(articles: bytes | Iterable[Article]) -> dict[str, Article]:
    return {article.url: article for article in (read_sitemap(articles) if isinstance(articles, bytes) else articles)}
