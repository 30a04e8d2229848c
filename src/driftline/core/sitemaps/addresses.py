"""Resolves addresses in sitemap files: absolute, relative, without a scheme, escaped twice, or broken over lines."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.identity.urls import clean

_ESCAPED: Final = re.compile(r"&(?:amp;)+")
_SPACE: Final = re.compile(r"\s+")
_END_OF_HOST: Final = re.compile(r"[/?#]")
_SCHEMES: Final = frozenset(("http", "https"))
# A name without a scheme that is a host, not a file or folder next to the sitemap.
_HOST: Final = re.compile(r"www\.[^/]+\.[a-z]{2,}|(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?", re.IGNORECASE)
_FILE: Final = re.compile(r"\.(?:x?html?|php\d?|aspx?|jspx?|cgi|pl|do|md|txt|pdf|xml)$", re.IGNORECASE)


def address_of(loc: str, base: str, *, fragment: bool = False) -> str | None:
    """The clean address of an entry in the file at `base`; None if it has none.

    With `fragment`, an anchor stays: entries of a feed may be parts of one page. One with an `=` says where readers came from.
    """
    whole = _with_scheme(_repair(loc), base) if loc else None
    found = clean(whole, base) if whole else None
    anchor = whole.partition("#")[2] if fragment and whole else ""
    return f"{found}#{anchor}" if found and anchor and "=" not in anchor else found


def file_address(loc: str, base: str) -> str:
    """The address of a file that an index names."""
    text = _repair(loc)
    return _with_scheme(text, base) or text


def site_prefixes(base: str) -> tuple[str, str]:
    """The beginning of a file's own site, with its scheme and with the other one."""
    scheme, _, rest = base.partition("://")
    host = rest.partition("/")[0].lower()
    if scheme not in ("http", "https") or not host or ":" in host:
        return "", ""
    return f"{scheme}://{host}/", f"{'http' if scheme == 'https' else 'https'}://{host}/"


def _with_scheme(text: str, base: str) -> str | None:
    """`example.com/x` with a scheme if it is the sitemap's own host; None for any other host, and for another scheme."""
    named, found, _ = text.partition("://")
    if found and not _END_OF_HOST.search(named):
        return text if named.lower() in _SCHEMES else None
    if text.startswith(("/", ".", "?", "#")):
        return text
    host = _END_OF_HOST.split(text, maxsplit=1)[0]
    scheme, _, rest = base.partition("://")
    own = _END_OF_HOST.split(rest, maxsplit=1)[0]
    if own and _without_www(host) == _without_www(own):
        return f"{scheme}://{text}"
    is_host = _HOST.fullmatch(host) and not _FILE.search(host) and (len(host) < len(text) or host.lower().startswith("www."))
    return None if is_host else text


def _without_www(host: str) -> str:
    return host.lower().removeprefix("www.")


def _repair(loc: str) -> str:
    """An address without double escapes and line breaks."""
    return _ESCAPED.sub("&", _SPACE.sub(_unbroken, loc.strip())).replace(" ", "%20")


def _unbroken(space: re.Match[str]) -> str:
    """Empty for a space that ends a line, else the space."""
    return "" if any(sign in "\r\n\t" for sign in space[0]) else space[0]
