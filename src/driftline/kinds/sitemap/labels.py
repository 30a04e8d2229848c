"""Labels of requests: the position in the tree of indexes, or the article whose page is requested."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urljoin, urlsplit

from driftline.core.identity.urls import checked
from driftline.errors import BadUrl
from driftline.kinds.kind import Target
from driftline.model.fetch import Request

MAX_NESTING: Final = 3  # nested indexes
ROBOTS: Final = "robots"
DEFAULT_LOCATION: Final = "guess"  # the default location, for a site whose robots.txt names none
_ARTICLE: Final = "article"
_NESTED: Final = "below"
_FILE: Final = "file"  # a file named several times is read once


def first_requests(target: Target) -> Sequence[Request]:
    """The file itself; for a bare site, its robots.txt and the default location."""
    parts = urlsplit(target.url)
    if parts.path == "/robots.txt":
        return [Request(url=target.url, label=ROBOTS)]
    if parts.path.strip("/") or parts.query:
        return [Request(url=target.url, same_as=_FILE)]
    return [
        Request(url=urljoin(target.url, "/robots.txt"), label=ROBOTS),
        Request(url=urljoin(target.url, "/sitemap.xml"), label=DEFAULT_LOCATION, same_as=_FILE),
    ]


def nested_request(request: Request, url: str, base: str) -> Request:
    """The request for a nested file; raises BadUrl with the reason if it may not be requested."""
    address = checked(urljoin(base, url.strip()))
    chain = _chain(request)
    if address in {*chain, request.url, base}:
        raise BadUrl("a sitemap index refers back to itself", url=address)
    if len(chain) >= MAX_NESTING:
        raise BadUrl("sitemap indexes are nested too deeply", url=address, limit=MAX_NESTING)
    label = "\n".join((_NESTED, *chain, request.url))
    return Request(url=address, label=label, depth=request.depth + 1, same_as=_FILE)


def robots_request(request: Request, url: str, base: str) -> Request:
    """The request for a file that robots.txt names."""
    return Request(url=checked(urljoin(base, url)), depth=request.depth + 1, same_as=_FILE)


def article_request(
    key: str, *, fingerprint: bytes = b"", etag: str | None = None, last_modified: str | None = None
) -> Request:
    """The request for an article's page; `fingerprint` stays valid if the server answers that it is unchanged."""
    return Request(url=key, label=f"{_ARTICLE}\n{key}\n{fingerprint.hex()}", etag=etag, last_modified=last_modified, depth=1)


def article_key(request: Request) -> str | None:
    """The article whose page was requested; None for a file."""
    kind, *rest = request.label.split("\n")
    return rest[0] if kind == _ARTICLE else None


def article_fingerprint(request: Request) -> bytes:
    """The fingerprint of a page when its validators were stored."""
    return bytes.fromhex(request.label.rpartition("\n")[2])


def _chain(request: Request) -> tuple[str, ...]:
    kind, *chain = request.label.split("\n")
    return tuple(chain) if kind == _NESTED else ()
