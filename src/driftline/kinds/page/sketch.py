"""A page recognised from its source, before it is parsed: most answers differ from the last one by a few tokens and a clock.

The source is cut at every `<`. A piece is a tag with the text behind it, and its canonical form is what the scan would see
of it:
attributes that say nothing to readers gone, addresses cleaned, noise in the text replaced. Equal canonical pieces in equal
order
make equal pages, so nothing has to be parsed to say so. Whatever is not plainly equal is scanned.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Final, NamedTuple

import msgspec
from xxhash import xxh3_64_intdigest

from driftline.core.clutter import MOST_SLOTS, is_clutter
from driftline.core.fingerprint import digest
from driftline.core.noise import canonical
from driftline.core.text import fold
from driftline.core.urls import clean
from driftline.kinds.page import links
from driftline.kinds.page.memo import Memo, column
from driftline.kinds.page.metadata import KEYS, asset_url

_HUGE: Final = 1 << 20  # bytes; a larger source is scanned at once
_RAW: Final = frozenset((b"script", b"style"))  # what they hold is not markup
_TEXTUAL: Final = frozenset(b"title textarea xmp iframe noembed noframes plaintext".split())  # tags inside them are text
_FOREIGN: Final = frozenset((b"svg", b"math"))  # other rules hold inside
_HOLDS_THE_PAGE: Final = frozenset((b"h1", b"main", b"article", b"body", b"html"))
_VOID: Final = frozenset(b"area base br col embed hr img input link meta param source track wbr".split())
_LEFT_OPEN: Final = frozenset(b"p li dt dd option tr td th tbody thead tfoot".split())  # may end without an end tag
_TABLE: Final = frozenset(b"tr td th tbody thead tfoot caption col colgroup".split())  # mean nothing outside a table
_INLINE: Final = frozenset(b"a b i u em strong span small img br time label".split())
_ENCODER: Final = msgspec.msgpack.Encoder()  # the quickest way from numbers to bytes
_DROPPED: Final = 0  # contribution of what no reader sees

_NAME: Final = re.compile(rb"/?[a-zA-Z][^\s/>]*")
_TAG: Final = re.compile(r"""(/?[a-zA-Z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>""")
_ATTRIBUTE: Final = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`]+)))?""")
# Attributes that the scan never looks at, and that pages like to fill anew for every answer.
_SILENT: Final = frozenset("nonce value style integrity class id for role tabindex title action".split())
_SILENT_STARTS: Final = ("aria-", "on", "data-")
_LAZY: Final = frozenset("data-src data-original data-lazy-src data-lazy data-url data-image data-srcset".split())


class Sketch(NamedTuple):
    """The pieces of a source: raw hashes and what each contributes."""

    raw: list[int]
    told: list[int]
    fresh: list[bytes]  # pieces that the memo did not know and readers might see
    guarded: frozenset[int]  # pieces that have to be looked at every time, for what may follow them

    @property
    def digest(self) -> bytes:
        """Equal for pages that are equal without their noise."""
        return digest(_ENCODER.encode(list(filter(None, self.told))))

    def known(self) -> dict[int, int]:
        """What a memo keeps: the pieces that mean the same wherever they stand."""
        return {raw: told for raw, told in zip(self.raw, self.told, strict=True) if told and raw not in self.guarded}


def sketch(source: str, url: str, memo: Memo) -> Sketch | None:
    """Look at a source; None where it has to be parsed to be understood. The memo saves work and changes nothing."""
    body = source.encode("utf-8", "replace")
    if len(body) > _HUGE:
        return None
    pieces = body.split(b"<")
    raw = list(map(xxh3_64_intdigest, pieces))
    known = dict(zip(column(memo.raw_pieces), column(memo.pieces), strict=True)) if memo.raw_pieces else {}
    told: list[int | None] = [_hash(pieces[0].decode("utf-8", "replace")), *map(known.get, raw[1:])]
    fresh: list[bytes] = []
    guarded: set[int] = set()
    index = slots = 0
    while True:
        try:
            index = told.index(None, index)
        except ValueError:
            break
        piece = pieces[index]
        name = _name(piece)
        if not _is_plain(piece, name):
            end = _comment_end(pieces, index)
            if end is None:
                return None
            told[index:end] = [_DROPPED] * (end - index)
            told[end] = _hash("!--", _words(pieces[end].partition(b"-->")[2].decode("utf-8", "replace")))
            guarded.add(raw[end])
            continue
        end = _region(pieces, told, index, name)
        if end is None:
            return None
        if end:
            slots += sum(map(is_slot, pieces[index:end]))
            if slots > MOST_SLOTS:
                return None
            told[index:end] = [_DROPPED] * (end - index)
            continue
        if name in _TEXTUAL or name == b"script":
            if index + 1 >= len(pieces) or _name(pieces[index + 1]) != b"/" + name:
                return None
            guarded.add(raw[index])
        else:
            fresh.append(piece)
        told[index] = _told(piece, url)
    return Sketch(raw, told, fresh, frozenset(guarded))  # type: ignore[arg-type]  # no None is left


def _name(piece: bytes) -> bytes:
    found = _NAME.match(piece)
    return found[0].lower() if found else b""


def _is_plain(piece: bytes, name: bytes) -> bool:
    """Whether a piece ends where it seems to: a whole tag, a whole comment, or text that only looks like one."""
    if name:
        return _TAG.match(piece.decode("utf-8", "replace")) is not None
    if piece[:3] == b"!--":
        return b"-->" in piece and b"--!>" not in piece
    return piece[:1] not in (b"/", b"!", b"?") or (b">" in piece and not piece.startswith((b"/", b"![")))


def _comment_end(pieces: list[bytes], index: int) -> int | None:
    """The piece in which a comment that holds markup ends; None for anything else, or where its end is unsure."""
    if not pieces[index].startswith(b"!--") or pieces[index].startswith((b"!-->", b"!--->")):
        return None
    for at in range(index, len(pieces)):
        if b"--!>" in pieces[at]:
            return None
        if b"-->" in pieces[at]:
            return at
    return None


def _region(pieces: list[bytes], told: list[int | None], index: int, name: bytes) -> int | None:
    """Where an element ends that no reader sees; 0: it is none; None: its end is unsure."""
    if name in _RAW and b"json" not in pieces[index][:200]:
        end = _closing(pieces, index, b"/" + name)
        return None if end is not None and end > index + 1 and _is_foreign(pieces, told, index) else end
    if name == b"noscript":
        return _balanced(pieces, index, name, page=True) if _is_in_body(pieces, told, index) else 0
    return _balanced(pieces, index, name, page=False) if is_slot(pieces[index]) else 0


def _is_foreign(pieces: list[bytes], told: list[int | None], index: int) -> bool:
    """Whether the last drawing or formula that began before a piece is still open."""
    for at in range(index - 1, -1, -1):
        if told[at]:
            name = _name(pieces[at])
            if name.removeprefix(b"/") in _FOREIGN:
                return name in _FOREIGN
    return False


def _is_in_body(pieces: list[bytes], told: list[int | None], index: int) -> bool:
    """Whether the body has plainly begun: in a head, `noscript` ends where the head does."""
    return any(told[at] and pieces[at][:4].lower() == b"body" for at in range(index))


def is_slot(piece: bytes) -> bool:
    """Whether a tag is called like an ad slot or a cookie banner."""
    if piece[:1] == b"/" or not (b"ad" in piece or b"ookie" in piece or b"onsor" in piece or b"onsent" in piece):
        return False
    tag = _TAG.match(piece.decode("utf-8", "replace"))
    if tag is None:
        return False
    given = {name.lower(): one or two or three for name, one, two, three in _ATTRIBUTE.findall(tag[2])}
    return is_clutter(unescape(given.get("class", "")), unescape(given.get("id", "")))


def _closing(pieces: list[bytes], index: int, name: bytes) -> int | None:
    """The piece that ends raw text; None where it does not, or where comments inside make its end unsure."""
    for at in range(index + 1, len(pieces)):
        piece = pieces[at]
        if piece[:1] == b"/" and _name(piece) == name:
            return at
        if piece.startswith(b"!--"):
            return None
    return None


def _balanced(pieces: list[bytes], index: int, name: bytes, *, page: bool) -> int | None:
    """The piece that closes an element; None where tags do not match, or where it holds the page, unless it may (`page`)."""
    waiting: list[bytes] = []
    at: int | None = index
    while at is not None and (at := at + 1) < len(pieces):
        piece = pieces[at]
        inner = _name(piece)
        bare = inner.removeprefix(b"/")
        if not _is_plain(piece, inner) or bare in _TEXTUAL or bare in _FOREIGN or (not page and bare in _HOLDS_THE_PAGE):
            return None
        if (bare in _TABLE and b"table" not in waiting) or (name in _LEFT_OPEN and bare not in _INLINE and bare != name):
            return None
        if inner in _RAW:
            at = _closing(pieces, at, b"/" + inner)
        elif inner[:1] != b"/":
            if inner == name and name in _LEFT_OPEN:
                return None
            if inner and inner not in _VOID:
                waiting.append(inner)
        else:
            while waiting and waiting[-1] != bare and waiting[-1] in _LEFT_OPEN:
                waiting.pop()
            if not waiting or waiting[-1] != bare:
                return at if not waiting and bare == name else None
            waiting.pop()
    return None


def _told(piece: bytes, url: str) -> int:
    """The hash of what the scan sees of a piece; never zero."""
    text = piece.decode("utf-8", "replace")
    if text.startswith("!--"):
        return _hash("!--", _words(text[text.index("-->") + 3 :]))
    tag = _TAG.match(text)
    if tag is None:
        return _hash(text)
    name = tag[1].lower()
    rest = text[tag.end() :]
    match name:
        case "title" | "script" | "base":
            return _hash(text)
        case "meta":
            given = {key.lower(): one or two or three for key, one, two, three in _ATTRIBUTE.findall(tag[2])}
            key = (given.get("property") or given.get("name") or "").strip().lower()
            return _hash(text) if key in KEYS or "itemprop" in given else _hash("meta", _words(rest))
        case "link":
            return _hash(text) if "canonical" in tag[2] else _hash("link", _words(rest))
        case "input":
            kind = "hidden" if "hidden" in tag[2].lower() else ""
            return _hash("input", kind, _words(rest))
    attributes: list[str] = [name]
    for attribute, one, two, three in _ATTRIBUTE.findall(tag[2]):
        key = attribute.lower()
        if key in _SILENT or (key.startswith(_SILENT_STARTS) and key not in _LAZY):
            continue
        value = one or two or three
        if name == "a" and key == "href":
            value = links.address(unescape(value), url) or ""
        elif name == "img" and (key == "src" or key in _LAZY):
            cleaned = clean(links.absolute(unescape(value).strip(), url), url)
            value = asset_url(cleaned) if cleaned else value
        attributes += (key, value)
    return _hash(*attributes, "", _words(rest))


def _words(text: str) -> str:
    """The text behind a tag as it is compared; its role is told apart by `settle` alone, so a bare value keeps its digits."""
    folded = fold(unescape(text))
    return canonical(folded).text if folded else ""


def _hash(*parts: str) -> int:
    return xxh3_64_intdigest("\x00".join(parts).encode("utf-8", "replace")) or 1
