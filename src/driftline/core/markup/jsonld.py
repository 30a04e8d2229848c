"""Decodes JSON that is embedded in pages, and repairs it first where a template or a person broke it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

import msgspec

from driftline.core.markup.entities import unescaped

MAX_LENGTH: Final = 4_000_000  # characters of one script; longer ones are skipped
_MAX_VALUES: Final = 50  # consecutive values in one script

_decoder: Final = msgspec.json.Decoder(float_hook=Decimal)  # 2879.20 stays exact, 1e999 is not infinite
_plain: Final = json.JSONDecoder(parse_float=Decimal, parse_int=Decimal, parse_constant=lambda _: None, strict=False)
_STARTS: Final = re.compile(r"(?://|/\*)?\s*(?:<!--|<!\[CDATA\[)\s*(?:\*/)?")
# Each alternative is greedy, and an unclosed one takes the rest: no character is examined twice.
_PIECES: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|//[^\n]*|/\*.*?(?:\*/|\Z)|\s+|[^"/,\s]+|.', re.DOTALL)
_BAD_ESCAPE: Final = re.compile(r'\\(?!["\\/bfnrtu])')
_PRODUCT: Final = re.compile(r"""["']@type["']\s*+:\s*+(?:\[\s*+)?["']Product["']""")
_FIELDS: Final = {
    name: re.compile(rf"""(["']){name}\1\s*+:\s*+["']?([^"',}}\]\s][^"',}}\]\n]{{0,200}})""")
    for name in ("name", "price", "priceCurrency", "availability")
}


def decode_embedded(text: str) -> list[Any]:
    """The JSON values of a script, usually one; none if it cannot be decoded. Numbers with a point are Decimals."""
    if len(text) > MAX_LENGTH:
        return []
    try:
        return [_decoder.decode(text)]
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        pass
    bare = _unwrap(text)
    for candidate in (bare, unescaped(bare) if "&" in bare else ""):
        values = _repair(candidate) if candidate else []
        if values:
            return values
    return _salvage(bare)


def _unwrap(text: str) -> str:
    """Without the comment or CDATA section around it."""
    bare = text.strip("\ufeff \t\r\n;")
    if opening := _STARTS.match(bare):
        bare = bare[opening.end() :]
    closed = bare.removesuffix("*/").rstrip()
    if closed.endswith(("-->", "]]>")):
        bare = closed[:-3].rstrip().removesuffix("//").removesuffix("/*")
    return bare.strip()


def _repair(text: str) -> list[Any]:
    repaired = "".join(_repair_pieces(text))
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


def _repair_pieces(text: str) -> Iterator[str]:
    """Without comments, trailing commas, and invalid escapes."""
    comma = False  # a comma whose next character is not known yet
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


def _salvage(text: str) -> list[Any]:
    """The product of a script that cannot be repaired, by its price and availability fields."""
    if _PRODUCT.search(text) is None:
        return []
    found = {name: seen[2] for name, pattern in _FIELDS.items() if (seen := pattern.search(text)) is not None}
    named = {"name": found.pop("name")} if "name" in found else {}
    return [{"@type": "Product", **named, "offers": {"@type": "Offer", **found}}] if "price" in found else []
