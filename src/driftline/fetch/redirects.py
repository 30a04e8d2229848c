"""Requests and redirects: what is sent at each hop, and which headers a redirect removes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, urljoin

from aiohttp import ClientResponse, CookieJar
from yarl import URL

from driftline.core.identity.urls import checked, same_place
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache
from driftline.errors import BadRule, BadUrl
from driftline.model.fetch import CONNECTION_HEADERS, HARMLESS_HEADERS, FetchOptions, Request

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = lazy_regex(r"[\t\x20-\x7e\x80-\ud7ff\ue000-\U0010ffff]*")  # no control character, no lone surrogate
_COOKIE_VALUE = re.compile(r"[\x20-\x3a\x3c-\x7e]*")  # no semicolon either
_NOT_FOR_URLS = re.compile(r"[^A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%|]")


class RedirectRefused(Exception):
    """A redirect that is not followed."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def check_options(options: FetchOptions) -> None:
    """Raise BadRule for headers and cookies that would not be sent."""
    for name, value in options.headers.items():
        if not _TOKEN.fullmatch(name) or not _VALUE.fullmatch(value):
            raise BadRule("invalid request header", header=name, hint="no line breaks or control characters")
        if name.lower() in CONNECTION_HEADERS:
            raise BadRule("this request header cannot be set", header=name, hint="leave it out")
    for name, value in options.cookies.items():
        if not _TOKEN.fullmatch(name) or not _COOKIE_VALUE.fullmatch(value):
            raise BadRule("invalid cookie", cookie=name, hint="no semicolons, line breaks or control characters")


@short_cache(4_096)  # the same URLs are requested again and again
def visitable(url: str) -> URL:
    """The URL as it is sent, or BadUrl; percent-encodings stay as written."""
    text = checked(url)
    if _NOT_FOR_URLS.search(text):
        try:
            # Bytes of a Location header that are not UTF-8 arrive as surrogates: they are sent unchanged.
            text = quote(text, safe="-._~:/?#[]@!$&'()*+,;=%|", errors="surrogateescape")
        except UnicodeEncodeError:
            raise BadUrl("the URL holds a forbidden character", hint="no lone surrogates") from None
    try:
        visited = URL(text, encoded=True)
        visited.host  # noqa: B018 - decoded when first asked for, which a name like `xn--` does not survive
    except ValueError:
        raise BadUrl("invalid URL", url=text, hint="write it as https://host/path") from None
    return visited


class CurrentRequest:
    """The request at the present hop."""

    __slots__ = ("_cookies", "_jar", "_own", "body", "conditional", "headers", "method", "url")

    def __init__(self, request: Request) -> None:
        """Raises BadUrl and BadRule for what is never sent."""
        options = request.options
        self.url = visitable(request.url)
        self.method: str = options.method
        self.body: bytes | None = None
        self.headers: dict[str, str] = {}  # in addition to the session's own
        self.conditional = False
        self._own: Mapping[str, str] = {}  # the watch's cookies
        self._jar: CookieJar | None = None  # cookies set by redirects
        if options.headers or options.cookies:
            check_options(options)
            self.headers.update(options.headers)
            self._own = _cookie_pairs(self.headers) | options.cookies
            self._set_cookies()
        if options.body is not None:
            self._set_body(options.body)
        if self.method != "POST":
            self._set_validators(request)

    def _set_body(self, body: str) -> None:
        self.body = body.encode("utf-8", "replace")
        if not any(name.lower() == "content-type" for name in self.headers):
            looks_json = body.lstrip()[:1] in {"{", "["}
            self.headers["Content-Type"] = "application/json" if looks_json else "application/x-www-form-urlencoded"

    def _set_validators(self, request: Request) -> None:
        """They come from the final address of the redirects, so every hop gets them."""
        for name, value in (("If-None-Match", request.etag), ("If-Modified-Since", request.last_modified)):
            if value and value.isascii() and value.isprintable():
                self.headers[name] = value
                self.conditional = True

    def _set_cookies(self) -> None:
        pairs = dict(self._own)
        if self._jar is not None:
            pairs |= {name: morsel.coded_value for name, morsel in self._jar.filter_cookies(self.url).items()}
        self.headers.pop("Cookie", None)
        if pairs:
            self.headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in pairs.items())

    def follow(self, response: ClientResponse) -> None:
        """Follow a redirect, without credentials on another origin; raises RedirectRefused."""
        location = response.headers.get("Location", "")
        if not location:
            raise RedirectRefused("redirect without a target")
        try:
            target = visitable(urljoin(str(self.url), location))
        except (BadUrl, ValueError):
            raise RedirectRefused("redirect to a refused url") from None
        if self.url.scheme == "https" and target.scheme == "http":
            raise RedirectRefused("redirect from https to http")
        if (response.status == 303 and self.method != "HEAD") or (response.status in {301, 302} and self.method == "POST"):
            self.method = "GET"
            self.body = None
            self.headers = {name: value for name, value in self.headers.items() if not name.lower().startswith("content-")}
        if not same_place(str(self.url), str(target)):
            self._drop_credentials()
        if response.cookies:
            self._jar = self._jar or CookieJar(unsafe=True, quote_cookie=False)
            self._jar.update_cookies(response.cookies, self.url)
        self.url = target
        self._set_cookies()

    def _drop_credentials(self) -> None:
        if self.body is not None:
            raise RedirectRefused("redirect of a body to another origin")
        validators = {"if-none-match", "if-modified-since"} if self.conditional else set()
        self.headers = {name: value for name, value in self.headers.items() if name.lower() in HARMLESS_HEADERS | validators}
        self._own = {}


def _cookie_pairs(headers: dict[str, str]) -> dict[str, str]:
    """The cookies of a handwritten header, which is removed: cookies are sent in one way only."""
    found = [name for name in headers if name.lower() == "cookie"]
    pairs = (pair.partition("=") for name in found for pair in headers.pop(name).split(";"))
    return {name.strip(): value.strip() for name, equals, value in pairs if equals}
