"""The library's side of sitemaps: files read and compared, without a database."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from driftline.core.identity.timestamps import is_same_time
from driftline.core.sitemaps.addresses import address_of
from driftline.core.sitemaps.files import read_file
from driftline.kinds.sitemap.article import Article, build, recency_key, same_page
from driftline.kinds.sitemap.reading import articles_in
from driftline.kinds.sitemap.rules import SitemapRules


class Articles(list[Article]):
    """The articles of a file, in its order. An index has none of its own: it names other files."""

    sitemaps: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()  # entries without a usable address, as they are written


class SitemapDiff(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between two states of a sitemap. Articles are those of `after`, removed ones those of `before`."""

    added: list[Article]
    removed: list[Article]
    updated: list[Article]  # another lastmod
    undated: list[Article]  # in both, and without a lastmod now: the file does not say whether they changed
    bad: list[str]  # entries of `after` without a usable address, as they are written


def read_sitemap(body: bytes, *, url: str = "", rules: SitemapRules | None = None) -> Articles:
    """The articles of a sitemap, feed or text file, compressed or not; raises BadFile with a one-line reason.

    `updated` is None where the file has no lastmod. `url` is where the file was: entries may be relative to it.
    """
    listing = read_file(body)
    if listing.form == "index":
        index = Articles()
        addresses = {entry[0]: address_of(entry[0], url) for entry in listing.entries}
        index.sitemaps = tuple(filter(None, addresses.values()))
        index.bad = tuple(loc for loc, address in addresses.items() if not address)
        return index
    rules = rules or SitemapRules()
    articles: dict[str, Article] = {}
    bad: list[str] = []
    for address, entry in articles_in(listing, url, rules):
        if not address:
            bad.append(entry[0])
        elif address not in articles or recency_key(entry[1]) > recency_key(articles[address].updated):
            articles[address] = build(address, entry, None, "lastmod")
    found = Articles(articles.values())
    found.bad = tuple(bad)
    return found


def compare_sitemaps(
    before: bytes | Iterable[Article], after: bytes | Iterable[Article], *, url: str = "", rules: SitemapRules | None = None
) -> SitemapDiff:
    """Compare two files, or the articles read from them, by URL and the instant of their lastmod; `url` is where they were.

    A page whose address is only written in another way (`http` became `https`) is the same.
    """
    then = read_sitemap(before, url=url, rules=rules) if isinstance(before, bytes) else before
    now = read_sitemap(after, url=url, rules=rules) if isinstance(after, bytes) else after
    old, new = ({article.url: article for article in articles} for articles in (then, now))
    absent = {same_page(address): address for address in old if address not in new}
    renamed = {address: absent[page] for address in new if address not in old and (page := same_page(address)) in absent}
    kept = set(renamed.values())
    both = [(old[known], article) for address, article in new.items() if (known := renamed.get(address, address)) in old]
    return SitemapDiff(
        added=[article for address, article in new.items() if address not in old and address not in renamed],
        removed=[old[address] for address in absent.values() if address not in kept],
        updated=[
            after for before, after in both if after.updated is not None and not is_same_time(before.updated, after.updated)
        ],
        undated=[after for _, after in both if after.updated is None],
        bad=list(now.bad) if isinstance(now, Articles) else [],
    )
