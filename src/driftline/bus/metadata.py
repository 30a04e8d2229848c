"""Metadata in the shapes that crawlers give it: flat, nested, or a list of names with content; by one key each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from driftline.core.identity.urls import clean
from driftline.core.text.folding import fold
from driftline.core.text.json_text import way_to
from driftline.core.text.sanitize import sanitize

# Names that say nothing of what a page is about; the source material names the first two.
_IRRELEVANT: Final = frozenset(
    "og:site_name fb:app_id og:locale og:updated_time og:url generator viewport charset theme-color referrer color-scheme "
    "format-detection handheldfriendly mobileoptimized x-ua-compatible content-type language google msvalidate.01 twitter:site "
    "twitter:card twitter:widgets:csp".split()
)
_IRRELEVANT_FAMILIES: Final = ("@", "fb:", "al:", "apple-", "msapplication-", "next-", "csrf-", "shopify-", "twitter:app:")
# What moves without anything having changed for a reader, by a part of its name.
_MOVES: Final = re.compile(
    r"@id|@context|modified|updated|generated|rendered|count|rating|token|nonce|csrf|timestamp|request|session|trace|verif"
    r"|build|etag|checksum|fetched|crawled|visitor|cache"
)
_SET_DATES: Final = re.compile(r"publish|start|end|expir|valid|release|deadline|event|door|posted|created|birth|depart|arriv")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?|\d{10}(\d{3})?|\w{3}, \d{1,2} \w{3} \d{4} .*", re.ASCII)
_TOKEN: Final = re.compile(r"(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])[\w.~+/=-]{20,}", re.ASCII)
_WORDS: Final = re.compile(r"[a-z]{3}[-_./][a-z]{3}")  # a long slug is no token
_FAMILIES: Final = {"og": "og", "opengraph": "og", "open_graph": "og", "twitter": "twitter", "fb": "fb", "facebook": "fb",
                    "article": "article", "product": "product", "event": "event", "dc": "dc", "al": "al"}  # fmt: skip
_LISTS: Final = frozenset("meta metas metatags meta_tags metadata tags".split())  # of tags: their own names count, not this one
_NAMES: Final = ("name", "property", "itemprop", "key", "http-equiv")
_URLS: Final = ("canonical", "image", "video", "audio", "url", "href", "src", "thumbnail", "logo")
_DEEPEST: Final = 20
_MOST: Final = 2_000  # values of one page
_LONGEST: Final = 4_000  # characters of one value


def flattened(metadata: dict[str, Any] | list[Any] | None, url: str) -> dict[str, str]:
    """What says something to readers, by key: `og:title`, `canonical`, `jsonLd.offers.price`."""
    found: dict[str, str] = {}
    for key, value in _leaves(metadata):
        name = key.casefold()
        if len(found) >= _MOST or key in found or not _says(name):
            continue
        text = fold(sanitize(value))[:_LONGEST]
        if not _moves_by_itself(name, text):
            is_url = name.rpartition(":")[2].rpartition(".")[2] in _URLS
            found[sanitize(key)] = (clean(text, url) or text) if is_url else text
    return found


def _says(name: str) -> bool:
    last = re.split(r"[.:]", name)[-1]
    return not (name in _IRRELEVANT or name.startswith(_IRRELEVANT_FAMILIES) or _MOVES.search(last))


def _moves_by_itself(name: str, text: str) -> bool:
    """A date that nobody set, or a value that no person chose."""
    if _DATE.fullmatch(text):
        return not _SET_DATES.search(name)
    return _TOKEN.fullmatch(text) is not None and not _WORDS.search(text.lower())


def _leaves(metadata: Any) -> Iterator[tuple[str, str]]:
    """Key and value; the values of a plain list share their key and are joined."""
    waiting: list[tuple[str, Any, int]] = [("", metadata, 0)]
    while waiting:
        path, value, depth = waiting.pop()
        match value:
            case dict() if (named := _named(value)) is not None:
                waiting.append((named, value["content"], depth + 1))
            case dict() if depth < _DEEPEST:
                waiting += [(_below(path, key), inner, depth + 1) for key, inner in reversed(value.items())]
            case list() if any(isinstance(inner, dict | list) for inner in value) and depth < _DEEPEST:
                alone = len(value) == 1 or not path
                steps = ((path if alone or _tag(inner) else way_to(path, f".{at}"), inner) for at, inner in enumerate(value))
                waiting += [(step, inner, depth + 1) for step, inner in reversed(list(steps))]
            case list():
                yield path, ", ".join(str(inner) for inner in value if inner is not None)
            case None | dict():
                continue
            case _:
                yield path, str(value)


def _named(value: dict[str, Any]) -> str | None:
    """The name of a tag that is written out: `{"property": "og:title", "content": "A"}`."""
    if "content" not in value:
        return None
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    return _tidy(name) if name else None


def _tag(value: Any) -> bool:
    return isinstance(value, dict) and _named(value) is not None


def _below(path: str, key: str) -> str:
    """`title` below `og` is `og:title`; a list of tags has no name of its own."""
    if not path:
        low = key.casefold()
        return _FAMILIES.get(low, "") or ("" if low in _LISTS else _tidy(key))
    family = path in _FAMILIES.values()
    return key if family and key.casefold().startswith(f"{path}:") else way_to(path, f"{':' if family else '.'}{key}")


def _tidy(name: str) -> str:
    """Names of tags are blind to case; those of linked data keep theirs."""
    low = name.strip().casefold()
    return low if ":" in low or "." in low or "-" in low else name.strip()
