"""Two pages as a watch sees them: the first is kept, the second is looked at as quickly as may be, and judged if it differs."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from driftline.kinds.kind import Hint
from driftline.kinds.page.diff import PageDiff, compare
from driftline.kinds.page.kind import KIND
from driftline.kinds.page.rules import PageRules
from driftline.model.account import Features
from driftline.model.fetch import Fetched, Request
from driftline.model.item import StoredItem

AT = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)
URL = "https://site.example/page"


def fetched(html: str) -> Fetched:
    headers = {"content-type": "text/html"}
    return Fetched(request=Request(url=URL), url=URL, status=200, headers=headers, body=html.encode(), at=AT)


def seen(before: str, after: str) -> PageDiff | None:
    """What a watch tells of the second page; None where it calls it the first."""
    rules = PageRules()
    old = KIND.read(fetched(before), rules, None).items[0]
    known = StoredItem(
        item_id=UUID(int=1), key=old.key, fingerprint=old.fingerprint, version=1, member=True,
        memo=KIND.pack(old.state, Features()).memo,
    )  # fmt: skip
    reading = KIND.read(fetched(after), rules, Hint(stored=known))
    new = reading.items[0]
    if reading.unchanged or new.fingerprint == old.fingerprint:
        return None
    diff = compare(old.state, new.state, rules)
    return diff if diff.meaningful else None


def body(html: str) -> str:
    """A page with that in the middle of its own text."""
    words = (
        "<p>The centre was founded by residents of the district and offers courses, rooms and a café, run by volunteers.</p>"
    )
    return (
        "<html><head><title>Riverside</title></head><body><header><a href=/>Home</a></header>"
        f"<main><h1>Riverside</h1>{words}{html}{words.replace('café', 'garden')}</main>"
        "<footer><p>Imprint</p></footer></body></html>"
    )
