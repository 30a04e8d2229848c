"""What a request is for, written in its label: where it stands in the tree of indexes, or whose page it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urljoin, urlsplit

from driftline.core.identity.urls import checked
from driftline.errors import BadUrl
from driftline.kinds.kind import Target
from driftline.model.fetch import Request

MAX_NESTING: Final = 3  # indexes below the first
ROBOTS: Final = "robots"
GUESS: Final = "guess"  # the usual place, for a site whose robots.txt names none
_ARTICLE: Final = "article"
_BELOW: Final = "below"
_FILE: Final = "file"  # a file that several name is read once


def first_requests(target: Target) -> Sequence[Request]:
    """The file itself; for a bare site, its robots.txt and the usual place."""
    parts = urlsplit(target.url)
    if parts.path == "/robots.txt":
        return [Request(url=target.url, label=ROBOTS)]
    if parts.path.strip("/") or parts.query:
        return [Request(url=target.url, same_as=_FILE)]
    return [
        Request(url=urljoin(target.url, "/robots.txt"), label=ROBOTS),
        Request(url=urljoin(target.url, "/sitemap.xml"), label=GUESS, same_as=_FILE),
    ]


def below(request: Request, url: str, base: str) -> Request:
    """A nested file; raises BadUrl with the reason why it is not asked for."""
    address = checked(urljoin(base, url.strip()))
    chain = _chain(request)
    if address in {*chain, request.url, base}:
        raise BadUrl("a sitemap index refers back to itself", url=address)
    if len(chain) >= MAX_NESTING:
        raise BadUrl("sitemap indexes are nested too deeply", url=address, limit=MAX_NESTING)
    label = "\n".join((_BELOW, *chain, request.url))
    return Request(url=address, label=label, depth=request.depth + 1, same_as=_FILE)


def named_in_robots(request: Request, url: str, base: str) -> Request:
    """A file that robots.txt names: it stands at the top of its own tree."""
    return Request(url=checked(urljoin(base, url)), depth=request.depth + 1, same_as=_FILE)


def article(key: str, *, seen: bytes = b"", etag: str | None = None, last_modified: str | None = None) -> Request:
    """An article's own page; `seen` is the fingerprint that stands if the server says that it is the same as before."""
    return Request(url=key, label=f"{_ARTICLE}\n{key}\n{seen.hex()}", etag=etag, last_modified=last_modified, depth=1)


def article_key(request: Request) -> str | None:
    """Whose page a request asked for; None if it asked for a file."""
    kind, *rest = request.label.split("\n")
    return rest[0] if kind == _ARTICLE else None


def article_seen(request: Request) -> bytes:
    """The fingerprint that a page had when its validators were taken."""
    return bytes.fromhex(request.label.rpartition("\n")[2])


def _chain(request: Request) -> tuple[str, ...]:
    kind, *chain = request.label.split("\n")
    return tuple(chain) if kind == _BELOW else ()
