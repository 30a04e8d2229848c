"""Requests to a source, and the four ways in which a fetch can end."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

from driftline.model.browser.steps import Step, StepResult

# Headers that other origins may see; any other header of a watch may be a credential.
HARMLESS_HEADERS: Final = frozenset({"accept", "accept-language", "accept-encoding", "user-agent", "cache-control", "pragma"})

# Headers of the connection, which users cannot set.
CONNECTION_HEADERS: Final = frozenset(
    "host connection keep-alive proxy-connection proxy-authorization proxy-authenticate te trailer transfer-encoding upgrade "
    "content-length expect http2-settings".split()
)
MAX_TIMEOUT: Final = 600.0  # seconds; the largest timeout that a watch may set
MAX_BODY_BYTES: Final = 50 * 1024 * 1024  # the largest limit that a watch may set: that of the sitemap protocol

BROWSER_PICTURE: Final = "image/png; taken-by=browser"  # the content type of a picture that the browser took of a page


class FetchOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How the source of a watch is requested; the same for every kind."""

    method: Literal["GET", "POST", "HEAD"] = "GET"
    headers: dict[str, str] = {}
    cookies: dict[str, str] = {}
    body: str | None = None  # sent unchanged, as UTF-8
    timeout_for: float | None = None  # seconds in total; None: the setting's
    max_bytes: int | None = None  # after decompression; None: the setting's
    robots: bool | None = None  # None: the kind's own default (on for listings and sitemaps)
    proxy: str | None = None  # the name of a proxy that the operator configured
    browser: Literal["auto", "never", "always"] = "auto"  # auto: where the plain answer does not hold the content
    wait_for: str | None = None  # in the browser: a CSS selector, or text=..., that must be there; None: until it is quiet
    steps: tuple[Step, ...] = ()  # done in the browser before the page is read
    session: str | None = None  # the name of a browser session that is signed in

    def without_credentials(self) -> FetchOptions:
        """The options for other origins: without headers, cookies, sessions and steps, which may be credentials."""
        kept = {name: value for name, value in self.headers.items() if name.lower() in HARMLESS_HEADERS}
        return msgspec.structs.replace(self, method="GET", headers=kept, cookies={}, body=None, steps=(), session=None)

    @property
    def needs_browser(self) -> bool:
        """Whether a plain request cannot do what it asks for."""
        return bool(self.browser == "always" or self.steps or self.session)

    def texts(self) -> tuple[str, ...]:
        """Every text in which a secret may stand."""
        fields = (getattr(step, name) for step in self.steps for name in step.__struct_fields__)
        return (
            *self.headers.values(),
            *self.cookies.values(),
            self.body or "",
            *(one for one in fields if isinstance(one, str)),
        )


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One request to a source."""

    url: str
    options: FetchOptions = FetchOptions()
    etag: str | None = None  # sent as If-None-Match, only while the recipe is unchanged
    last_modified: str | None = None  # sent as If-Modified-Since, under the same condition
    label: str = ""  # the kind's own label, returned unchanged (a party size, a sitemap's parent)
    depth: int = 0  # number of readings that led to this request
    picture: str | None = None  # a PNG instead of HTML: of the whole page if empty, else of what this selects
    outlined: bool = False  # with a picture: its elements too, as JSON of an OutlinedPage
    org_id: UUID | None = None  # whose secrets and sessions it may use; None: nobody's
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
    browser_for: float = 0.0  # seconds that it took in the browser

    @property
    def content_type(self) -> str:
        """The media type alone, lower case, without parameters; empty if there is none."""
        return self.headers.get("content-type", "").split(";", 1)[0].strip().lower()


class Unmodified(msgspec.Struct, frozen=True, kw_only=True):
    """The server said 304 to our validators."""

    request: Request


HELD: Final = "host asked to wait"  # reason of a request that was not sent because an earlier answer asked to wait
ASKED_TO_WAIT: Final = frozenset({"http 429", "http 503", HELD})


class Blocked(msgspec.Struct, frozen=True, kw_only=True):
    """Something came instead of the content: a challenge, a consent or sign-in page, 401/403/429/503, robots.txt."""

    request: Request
    reason: str  # short and constant: "http 403", "challenge: cloudflare", "robots.txt"
    status: int | None = None
    retry_after: float | None = None  # seconds, as the server requested
    browser_for: float = 0.0  # seconds that it took in the browser


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    """No usable answer: refused address, DNS, TLS, timeout, 4xx/5xx, cut or oversized body."""

    request: Request
    reason: str  # short and constant: "timeout", "http 500", "address refused: 127.0.0.1"
    status: int | None = None
    retry_after: float | None = None
    truncated: bool = False  # the body was larger than allowed
    outcome: Literal["error", "step_failed", "signed_out", "selector_missing"] = "error"  # how the run ends
    step: StepResult | None = None  # the step that failed, with its picture
    browser_for: float = 0.0  # seconds that it took in the browser


Answer = Fetched | Unmodified | Blocked | Failed
