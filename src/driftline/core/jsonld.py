"""JSON as pages embed it: decoded, or repaired first where a template or a person broke it."""

from __future__ import annotations

import html
import json
import re
from decimal import Decimal
from typing import Any, Final

import msgspec

MAX_LENGTH: Final = 4_000_000  # characters of one script; more is not read
_MAX_VALUES: Final = 50  # values one after the other in one script

_decoder: Final = msgspec.json.Decoder(float_hook=Decimal)  # 2879.20 stays exact, 1e999 stays recognisable
_plain: Final = json.JSONDecoder(parse_float=Decimal, parse_int=Decimal, parse_constant=lambda _: None, strict=False)
_WRAPPED: Final = re.compile(r"^\s*(?://|/\*)?\s*(?:<!--|<!\[CDATA\[)\s*(?:\*/)?|(?://|/\*)?\s*(?:-->|\]\]>)\s*(?:\*/)?\s*$")
# A string, or what does not belong between strings: comments and commas before a closing bracket.
_COMMENT: Final = r"(?://[^\n]*|/\*(?:.*?\*/|.*\Z))"
_PIECES: Final = re.compile(rf'"(?:[^"\\]|\\.)*"|{_COMMENT}|,(?=\s*(?:{_COMMENT}\s*)*[}}\]])', re.DOTALL)
_BAD_ESCAPE: Final = re.compile(r'\\(?!["\\/bfnrtu])')


def decode_embedded(text: str) -> list[Any]:
    """The JSON values of a script, usually one; none where nothing can be made of it. Numbers with a point are Decimals."""
    if len(text) > MAX_LENGTH:
        return []
    try:
        return [_decoder.decode(text)]
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        pass
    bare = _WRAPPED.sub("", text.strip("\ufeff \t\r\n;"))
    for candidate in (bare, html.unescape(bare) if "&" in bare else ""):
        values = _repaired(candidate) if candidate else []
        if values:
            return values
    return []


def _repaired(text: str) -> list[Any]:
    mended = _PIECES.sub(_mend, text)
    values: list[Any] = []
    at = 0
    try:
        while at < len(mended) and len(values) < _MAX_VALUES:
            value, at = _plain.raw_decode(mended, at)
            values.append(value)
            while at < len(mended) and mended[at] in " \t\r\n,;":
                at += 1
    except (ValueError, RecursionError):
        return values
    return values


def _mend(piece: re.Match[str]) -> str:
    found = piece.group()
    if found[0] != '"':
        return ""
    return _BAD_ESCAPE.sub("", found) if "\\" in found else found
