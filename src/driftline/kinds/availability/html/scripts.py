"""Reads slots from JSON in a page's scripts, if the page itself shows none."""

from __future__ import annotations

from typing import Final

from selectolax.lexbor import LexborHTMLParser

from driftline.core.text.json_text import decode_json
from driftline.errors import BadFile
from driftline.kinds.availability.json.discovery import Discovery

_CARRIERS: Final = 'script[type="application/json"], script[type="application/ld+json"], script#__NEXT_DATA__'
_LARGE: Final = 4_000_000  # characters of one script
_MANY: Final = 20  # scripts


def read_scripts(source: str, timezone: str, day: str | None, *, month_first: bool) -> Discovery | None:
    """The slots of a page's data; None if it has none, free or taken: an empty list there may mean anything."""
    for node in LexborHTMLParser(source).css(_CARRIERS)[:_MANY] if "<script" in source else ():
        text = node.text()
        if not 2 < len(text) <= _LARGE:
            continue
        found = Discovery(timezone, month_first=month_first)
        try:
            found.walk(decode_json(text.encode()), day)
        except BadFile:
            continue
        if found.named and (found.slots or found.taken):
            return found
    return None
