"""Requests to a source, and the four ways in which a fetch can end."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal

import msgspec

# What another origin may see; anything else that a watch sends may be a credential.
HARMLESS_HEADERS: Final = frozenset({"accept", "accept-language", "accept-encoding", "user-agent", "cache-control", "pragma"})

# What belongs to the connection is ours to say.
CONNECTION_HEADERS: Final = frozenset(
    "host connection keep-alive proxy-connection proxy-authorization proxy-authenticate te trailer transfer-encoding upgrade "
    "content-length expect http2-settings".split()
)
LONGEST_FOR: Final = 600.0  # seconds that a watch may allow for one answer
LARGEST_BODY: Final = 50 * 1024 * 1024  # bytes that it may allow a body to have: what the sitemap protocol allows


class FetchOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How the source of a watch is requested; the same for every kind."""

    method: Literal["GET", "POST", "HEAD"] = "GET"
    headers: dict[str, str] = {}
    cookies: dict[str, str] = {}
    body: str | None = None  # sent as it is, UTF-8
    timeout_for: float | None = None  # seconds, the total deadline; None: the setting's
    max_bytes: int | None = None  # after decompression; None: the setting's
    robots: bool | None = None  # None: the kind's own default (on for listings and sitemaps)
    proxy: str | None = None  # the name of a proxy that the operator configured
    browser: Literal["auto", "never", "always"] = "auto"  # auto: where the plain answer does not hold the content
    wait_for: str | None = None  # in the browser: a CSS selector, or text=..., that must be there; None: until it is quiet

    def for_strangers(self) -> FetchOptions:
        """The same, without what is meant for the watch's own origin."""
        kept = {name: value for name, value in self.headers.items() if name.lower() in HARMLESS_HEADERS}
        return msgspec.structs.replace(self, method="GET", headers=kept, cookies={}, body=None)


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One question to a source."""

    url: str
    options: FetchOptions = FetchOptions()
    etag: str | None = None  # sent as If-None-Match, only while the recipe is unchanged
    last_modified: str | None = None  # sent as If-Modified-Since, likewise
    label: str = ""  # the kind's own mark, given back untouched (a party size, a sitemap's parent)
    depth: int = 0  # how many readings deep this request was asked for
    same_as: str = ""  # two requests of one run with this and the URL in common are one, whatever their labels

    @property
    def question(self) -> tuple[str, str]:
        """What is asked once in a run."""
        return self.url, self.same_as or self.label


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """A whole answer with a body. Status is 2xx."""

    request: Request
    url: str  # after redirects
    status: int
    headers: dict[str, str]  # names in lower case; repeated ones joined by ", "
    body: bytes  # decompressed, complete
    at: datetime  # when the answer was complete
    rendered: bool = False  # by the browser: what scripts made is in it

    @property
    def content_type(self) -> str:
        """The media type alone, lower case, without parameters; empty if there is none."""
        return self.headers.get("content-type", "").split(";", 1)[0].strip().lower()


class Unmodified(msgspec.Struct, frozen=True, kw_only=True):
    """The server said 304 to our validators."""

    request: Request


HELD: Final = "host asked to wait"  # the reason of a request that was not made: an earlier answer named a time
ASKED_TO_WAIT: Final = frozenset({"http 429", "http 503", HELD})


class Blocked(msgspec.Struct, frozen=True, kw_only=True):
    """A wall in front of the content: a challenge, a consent or sign-in page, 401/403/429/503 with their marks, robots.txt."""

    request: Request
    reason: str  # short and constant: "http 403", "challenge: cloudflare", "robots.txt"
    status: int | None = None
    retry_after: float | None = None  # seconds, as the server asked


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    """No usable answer: refused address, DNS, TLS, timeout, 4xx/5xx, cut or oversized body."""

    request: Request
    reason: str  # short and constant: "timeout", "http 500", "address refused: 127.0.0.1"
    status: int | None = None
    retry_after: float | None = None
    truncated: bool = False  # the body was larger than allowed


Answer = Fetched | Unmodified | Blocked | Failed
