"""What many addresses of a site have in common: how endless calendars, paths and session ids are recognized."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit, urlunsplit

_DIGITS: Final = re.compile(r"\d+")
_GENERATED: Final = re.compile(r"(?=.*\d)[0-9A-Za-z_-]{8,}|[0-9a-fA-F-]{16,}")
MAX_WITHHELD: Final = 20_000  # addresses that wait until a parameter is judged


def shape_of(url: str) -> str:
    """The address without its numbers; a part of the path that occurs again counts once: /a/b/a/b is like /a/b."""
    parts = urlsplit(url)
    path = dict.fromkeys(_DIGITS.sub("#", part) for part in parts.path.split("/") if part)
    query = sorted(_DIGITS.sub("#", pair) for pair in parts.query.split("&") if pair)
    return f"{'/'.join(path)}?{'&'.join(query)}"


def without(url: str, names: frozenset[str] | set[str]) -> str:
    """The address without these parameters."""
    parts = urlsplit(url)
    if not names or not parts.query:
        return url
    kept = "&".join(pair for pair in parts.query.split("&") if pair.partition("=")[0] not in names)
    return urlunsplit((parts.scheme, parts.netloc, parts.path, kept, ""))


def generated_names(url: str) -> frozenset[str]:
    """The parameters whose values look generated."""
    pairs = (pair.partition("=") for pair in urlsplit(url).query.split("&"))
    return frozenset(name for name, _, value in pairs if _GENERATED.fullmatch(value))


class SessionParameters:
    """Learns which generated parameters say nothing of the page: two addresses that differ in them alone show the same text."""

    def __init__(self) -> None:
        self.meaningless: set[str] = set()
        self._meaningful: set[str] = set()
        self._pairs: dict[str, list[str]] = {}  # by address without generated parameters: the two that are compared
        self._texts: dict[str, bytes] = {}
        self._withheld: dict[frozenset[str], list[str]] = {}

    def stripped(self, url: str) -> str:
        """The address without parameters that say nothing."""
        return without(url, self.meaningless)

    def is_withheld(self, url: str) -> bool:
        """Whether an address has to wait: two that differ from it in generated parameters alone are compared first."""
        names = generated_names(url) - self._meaningful
        if not names:
            return False
        pair = self._pairs.setdefault(without(url, names), [])
        if len(pair) < 2:
            pair.append(url)
            return False
        waiting = self._withheld.setdefault(names, [])
        if len(waiting) < MAX_WITHHELD:
            waiting.append(url)
        return True

    def learn(self, url: str, text: bytes) -> list[str]:
        """Note the text of an address; gives those that wait no longer."""
        names = generated_names(url) - self._meaningful - self.meaningless
        pair = self._pairs.get(without(url, names), []) if names else []
        if url not in pair:
            return []
        self._texts[url] = text
        texts = {self._texts.get(one) for one in pair}
        if len(pair) < 2 or None in texts:
            return []
        if len(texts) == 1 and text:
            self.meaningless |= names
            self._withheld.pop(names, None)  # each is like one that was asked
            return []
        self._meaningful |= names
        return self._withheld.pop(names, [])

    def rest(self) -> list[str]:
        """What still waits at the end, because the two could not be compared."""
        waiting = [url for urls in self._withheld.values() for url in urls]
        self._withheld.clear()
        return waiting
