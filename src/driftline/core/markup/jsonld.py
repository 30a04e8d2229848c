"""JSON as pages embed it: decoded, or repaired first where a template or a person broke it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

import msgspec

MAX_LENGTH: Final = 4_000_000  # characters of one script; more is not read
_MAX_VALUES: Final = 50  # values one after the other in one script

_decoder: Final = msgspec.json.Decoder(float_hook=Decimal)  # 2879.20 stays exact, 1e999 stays recognisable
_plain: Final = json.JSONDecoder(parse_float=Decimal, parse_int=Decimal, parse_constant=lambda _: None, strict=False)
_OPENS: Final = re.compile(r"(?://|/\*)?\s*(?:<!--|<!\[CDATA\[)\s*(?:\*/)?")
# Every piece takes in all that could be it, and what is never closed takes in the rest: no place is looked at twice.
_PIECES: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|//[^\n]*|/\*.*?(?:\*/|\Z)|\s+|[^"/,\s]+|.', re.DOTALL)
_BAD_ESCAPE: Final = re.compile(r'\\(?!["\\/bfnrtu])')
_PRODUCT: Final = re.compile(r"""["']@type["']\s*+:\s*+(?:\[\s*+)?["']Product["']""")
_FIELDS: Final = {
    name: re.compile(rf"""(["']){name}\1\s*+:\s*+["']?([^"',}}\]\s][^"',}}\]\n]{{0,200}})""")
    for name in ("name", "price", "priceCurrency", "availability")
}


def decode_embedded(text: str) -> list[Any]:
    """The JSON values of a script, usually one; none where nothing can be made of it. Numbers with a point are Decimals."""
    if len(text) > MAX_LENGTH:
        return []
    try:
        return [_decoder.decode(text)]
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        pass
    bare = _unwrapped(text)
    for candidate in (bare, html.unescape(bare) if "&" in bare else ""):
        values = _repaired(candidate) if candidate else []
        if values:
            return values
    return _salvaged(bare)


def _unwrapped(text: str) -> str:
    """Without the comment or CDATA section around it."""
    bare = text.strip("\ufeff \t\r\n;")
    if opening := _OPENS.match(bare):
        bare = bare[opening.end() :]
    closed = bare.removesuffix("*/").rstrip()
    if closed.endswith(("-->", "]]>")):
        bare = closed[:-3].rstrip().removesuffix("//").removesuffix("/*")
    return bare.strip()


def _repaired(text: str) -> list[Any]:
    repaired = "".join(_pieces_repaired(text))
    values: list[Any] = []
    at = 0
    try:
        while at < len(repaired) and len(values) < _MAX_VALUES:
            value, at = _plain.raw_decode(repaired, at)
            values.append(value)
            while at < len(repaired) and repaired[at] in " \t\r\n,;":
                at += 1
    except (ValueError, RecursionError):
        return values
    return values


def _pieces_repaired(text: str) -> Iterator[str]:
    """Without comments, commas before a closing bracket, and escapes that JSON does not know."""
    comma = False  # one that waits for what it stands before
    for piece in _PIECES.finditer(text):
        found = piece.group()
        if found.isspace() or found.startswith(("//", "/*")):
            yield " "
            continue
        if comma and found[0] not in "}]":
            yield ","
        comma = found == ","
        if not comma:
            yield _BAD_ESCAPE.sub("", found) if found[0] == '"' and "\\" in found else found


def _salvaged(text: str) -> list[Any]:
    """The product of a script that is broken beyond repair, by the fields that say what it costs and whether it is there."""
    if _PRODUCT.search(text) is None:
        return []
    found = {name: said[2] for name, pattern in _FIELDS.items() if (said := pattern.search(text)) is not None}
    named = {"name": found.pop("name")} if "name" in found else {}
    return [{"@type": "Product", **named, "offers": {"@type": "Offer", **found}}] if "price" in found else []
