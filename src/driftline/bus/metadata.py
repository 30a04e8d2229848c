"""Flattens the metadata shapes that crawlers send (flat, nested, lists of tags) into one value per key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from driftline.core.identity.urls import clean
from driftline.core.text.folding import fold
from driftline.core.text.json_text import child_path
from driftline.core.text.safety.sanitize import sanitize

# Names without a meaning for readers.
_IRRELEVANT: Final = frozenset(
    "og:site_name fb:app_id og:locale og:updated_time og:url generator viewport charset theme-color referrer color-scheme "
    "format-detection handheldfriendly mobileoptimized x-ua-compatible content-type language google msvalidate.01 twitter:site "
    "twitter:card twitter:widgets:csp".split()
)
_IRRELEVANT_FAMILIES: Final = ("@", "fb:", "al:", "apple-", "msapplication-", "next-", "csrf-", "shopify-", "twitter:app:")
# Parts of names whose values change without a change of content.
_VOLATILE: Final = re.compile(
    r"@id|@context|modified|updated|generated|rendered|count|rating|token|nonce|csrf|timestamp|request|session|trace|verif"
    r"|build|etag|checksum|fetched|crawled|visitor|cache"
)
_EDITORIAL_DATES: Final = re.compile(
    r"publish|start|end|expir|valid|release|deadline|event|door|posted|created|birth|depart|arriv"
)
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?|\d{10}(\d{3})?|\w{3}, \d{1,2} \w{3} \d{4} .*", re.ASCII)
_TOKEN: Final = re.compile(r"(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])[\w.~+/=-]{20,}", re.ASCII)
_SLUG: Final = re.compile(r"[a-z]{3}[-_./][a-z]{3}")  # a long slug is no token
_FAMILIES: Final = {"og": "og", "opengraph": "og", "open_graph": "og", "twitter": "twitter", "fb": "fb", "facebook": "fb",
                    "article": "article", "product": "product", "event": "event", "dc": "dc", "al": "al"}  # fmt: skip
_LISTS: Final = frozenset(
    "meta metas metatags meta_tags metadata tags".split()
)  # lists of tags: the tags' own names count, not the list's
_NAMES: Final = ("name", "property", "itemprop", "key", "http-equiv")
_URLS: Final = ("canonical", "image", "video", "audio", "url", "href", "src", "thumbnail", "logo")
_MAX_DEPTH: Final = 20
_MAX_VALUES: Final = 2_000  # values of one page
_MAX_CHARACTERS: Final = 4_000  # characters of one value


def flatten(metadata: dict[str, Any] | list[Any] | None, url: str) -> dict[str, str]:
    """The metadata that means something to readers, by key: `og:title`, `canonical`, `jsonLd.offers.price`."""
    found: dict[str, str] = {}
    for key, value in _leaves(metadata):
        name = key.casefold()
        if len(found) >= _MAX_VALUES or key in found or not _is_relevant(name):
            continue
        text = fold(sanitize(value))[:_MAX_CHARACTERS]
        if not _is_volatile(name, text):
            is_url = name.rpartition(":")[2].rpartition(".")[2] in _URLS
            found[sanitize(key)] = (clean(text, url) or text) if is_url else text
    return found


def _is_relevant(name: str) -> bool:
    last = re.split(r"[.:]", name)[-1]
    return not (name in _IRRELEVANT or name.startswith(_IRRELEVANT_FAMILIES) or _VOLATILE.search(last))


def _is_volatile(name: str, text: str) -> bool:
    """A date that no editor set, or a generated token."""
    if _DATE.fullmatch(text):
        return not _EDITORIAL_DATES.search(name)
    return _TOKEN.fullmatch(text) is not None and not _SLUG.search(text.lower())


def _leaves(metadata: Any) -> Iterator[tuple[str, str]]:
    """Key and value of every leaf; the values of a plain list are joined under its key."""
    waiting: list[tuple[str, Any, int]] = [("", metadata, 0)]
    while waiting:
        path, value, depth = waiting.pop()
        match value:
            case dict() if (named := _tag_name(value)) is not None:
                waiting.append((named, value["content"], depth + 1))
            case dict() if depth < _MAX_DEPTH:
                waiting += [(_joined_key(path, key), inner, depth + 1) for key, inner in reversed(value.items())]
            case list() if any(isinstance(inner, dict | list) for inner in value) and depth < _MAX_DEPTH:
                alone = len(value) == 1 or not path
                steps = (
                    (path if alone or _is_tag(inner) else child_path(path, f".{at}"), inner) for at, inner in enumerate(value)
                )
                waiting += [(step, inner, depth + 1) for step, inner in reversed(list(steps))]
            case list():
                yield path, ", ".join(str(inner) for inner in value if inner is not None)
            case None | dict():
                continue
            case _:
                yield path, str(value)


def _tag_name(value: dict[str, Any]) -> str | None:
    """The name of a tag that is given as an object: `{"property": "og:title", "content": "A"}`."""
    if "content" not in value:
        return None
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    return _normalized_name(name) if name else None


def _is_tag(value: Any) -> bool:
    return isinstance(value, dict) and _tag_name(value) is not None


def _joined_key(path: str, key: str) -> str:
    """The key of a nested value: `title` below `og` is `og:title`; a list of tags adds no name."""
    if not path:
        low = key.casefold()
        return _FAMILIES.get(low, "") or ("" if low in _LISTS else _normalized_name(key))
    family = path in _FAMILIES.values()
    return key if family and key.casefold().startswith(f"{path}:") else child_path(path, f"{':' if family else '.'}{key}")


def _normalized_name(name: str) -> str:
    """Names of tags are lower-cased; names in linked data keep their case."""
    low = name.strip().casefold()
    return low if ":" in low or "." in low or "-" in low else name.strip()
