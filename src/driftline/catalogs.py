"""Catalogs for the library: two lists of products compared, no database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
from selectolax.lexbor import LexborHTMLParser

from driftline.core.identity.compare import compare
from driftline.core.identity.urls import clean
from driftline.errors import BadFile, UsageError
from driftline.kinds.catalog.judging import judge
from driftline.kinds.catalog.kind import KIND
from driftline.kinds.catalog.product import Product
from driftline.kinds.catalog.push.rows import Rejected, RowReader, collapse
from driftline.kinds.catalog.rules import CatalogRules, check
from driftline.kinds.kind import Baseline
from driftline.model.change import Finding
from driftline.model.fetch import Fetched, Request
from driftline.model.item import Observed, SnapshotState, StoredItem

_NOWHERE: Final = "https://catalog.invalid/"
_NOBODY: Final = UUID(int=0)
_BEFORE: Final = datetime.fromtimestamp(0, UTC)  # no verdict depends on it: nothing was reported before


def read_catalog(body: bytes, *, url: str | None = None, rules: CatalogRules | None = None) -> list[dict[str, Any]]:
    """The products of a listing (HTML, JSON or a feed), as `compare_catalog` takes them; BadFile where it shows none.

    Without a URL the page's own is taken, if it names one: relative links start there, and links to other sites are none.

    >>> page = b"<ul><li><a href='/cup'>Cup</a> $5<li><a href='/pot'>Pot</a> $9 Sold out</ul>"
    >>> [(product["title"], product["price"], product["in_stock"]) for product in read_catalog(page)]
    [('Cup', '5', None), ('Pot', '9', False)]
    """
    rules = rules or CatalogRules()
    check(rules)
    where = url or _own_url(body) or _NOWHERE
    got = Fetched(request=Request(url=where), url=where, status=200, headers={}, body=body, at=_BEFORE)
    reading = KIND.read(got, rules, None)
    if reading.outcome is not None or not reading.complete:
        raise BadFile(
            "the file shows no products", problem=reading.reason or "", hint="set the rule card, or give a list of products"
        )
    return [{"url": item.url, **msgspec.structs.asdict(item.state)} for item in reading.items]


def _own_url(body: bytes) -> str | None:
    """Where a saved page says that it comes from, else the site that most of its links lead to."""
    if body.lstrip()[:1] != b"<":
        return None
    tree = LexborHTMLParser(body)
    for selector, name in (('link[rel="canonical" i][href]', "href"), ('meta[property="og:url"][content]', "content")):
        named = tree.css_first(selector)
        if named is not None and (found := clean(named.attributes.get(name) or "")):
            return found
    hosts = Counter(
        f"{parts.scheme}://{parts.netloc}/"
        for link in tree.css("a[href^=http]")
        if (found := clean(link.attributes.get("href") or "")) and (parts := urlsplit(found)).netloc
    )
    return hosts.most_common(1)[0][0] if hosts else None


def compare_catalog(
    before: Iterable[Mapping[str, Any]], after: Iterable[Mapping[str, Any]], rules: CatalogRules | None = None
) -> list[Finding]:
    """The changes between two lists of products (`url`, `title`, `price`, `currency`, `in_stock`), in the order of `after`.

    A URL that is absent from `before` is a `new_product`, one that is absent from `after` is nothing.

    >>> kettle = "https://shop.example/kettle"
    >>> changes = compare_catalog([{"url": kettle, "price": "20.00"}], [{"url": kettle, "price": 15}])
    >>> [(change.type, change.before["price"], change.after["price"]) for change in changes]
    [('price_decrease', '20', '15')]
    """
    rules = rules or CatalogRules()
    check(rules)
    given: dict[str, str] = {}  # bare paths and ids by the key that they stand for
    old, new = _read(before, rules, given), _read(after, rules, given)
    known = {
        item.key: StoredItem(item_id=_NOBODY, key=item.key, fingerprint=item.fingerprint, version=1, member=True)
        for item in old
    }
    delta = compare(new, known, exhaustive=False)
    moved = {entry.observed.key for entry in delta.entries}
    past = {item.key: _past(item) for item in old if item.key in moved}
    found = judge(Baseline(first=False, snapshots=past), delta, rules, at=_BEFORE).findings
    return [_as_given(finding, given.get(finding.key or "")) for finding in found]


def _read(rows: Iterable[Mapping[str, Any]], rules: CatalogRules, given: dict[str, str]) -> list[Observed[Product]]:
    reader = RowReader(rules, _NOWHERE)
    items: list[Observed[Product]] = []
    for number, row in enumerate(rows, start=1):
        plain = dict(row) if isinstance(row, Mapping) else row
        read = reader.read(plain)
        if isinstance(read, Rejected):
            raise UsageError("a product cannot be read", number=number, reason=read.reason, hint='{"url": ..., "price": ...}')
        if read.key.startswith(_NOWHERE):
            given.setdefault(read.key, str(plain.get("url") or read.key))
        items.append(read)
    return collapse(items)[0]


def _as_given(finding: Finding, given: str | None) -> Finding:
    if given is None:
        return finding
    headline = finding.headline.replace(finding.key or given, given)
    return msgspec.structs.replace(finding, key=given, url=given, headline=headline)


def _past(item: Observed[Product]) -> SnapshotState[Product]:
    return SnapshotState(
        item_id=_NOBODY,
        key=item.key,
        snapshot_id=_NOBODY,
        version=1,
        fingerprint=item.fingerprint,
        state=item.state,
        at=_BEFORE,
    )
