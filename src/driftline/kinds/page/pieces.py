"""Pieces of a source, cut at every `<`: a tag with the text behind it. What the scan would see of them, told without parsing.

The canonical form of a piece has attributes that say nothing to readers gone, addresses cleaned, noise in the text replaced.
Equal canonical pieces in equal order, between equal surroundings, make equal pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import Final, Literal

from xxhash import xxh3_64_intdigest

from driftline.core.buying import is_called_so, is_off, said_by_value
from driftline.core.clutter import AD_PAGE, LONG, clutter_of
from driftline.core.embedded import SELECTOR
from driftline.core.noise import sense
from driftline.core.states import ICONS, said_by_field, said_by_icon
from driftline.core.text import fold
from driftline.core.urls import clean
from driftline.kinds.page import links
from driftline.kinds.page.metadata import KEYS, asset_url

Extent = tuple[int, Literal["gap", "slot", "noscript", "kept"]]  # the first piece behind it, and what to make of it

_RAW: Final = frozenset((b"script", b"style"))  # what they hold is not markup
_TEXTUAL: Final = frozenset(b"title textarea xmp iframe noembed noframes plaintext".split())  # tags inside them are text
_FOREIGN: Final = frozenset((b"svg", b"math"))  # other rules hold inside
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))  # say what follows, whatever they are called
_SHOWN: Final = frozenset(SELECTOR.encode().split(b","))
_HOLDS_THE_PAGE: Final = frozenset((b"h1", b"main", b"article", b"body", b"html"))
_VOID: Final = frozenset(b"area base br col embed hr img input link meta param source track wbr".split())
_LEFT_OPEN: Final = frozenset(b"p li dt dd option tr td th tbody thead tfoot".split())  # may end without an end tag
_TABLE: Final = frozenset(b"tr td th tbody thead tfoot caption col colgroup".split())  # mean nothing outside a table
_INLINE: Final = frozenset(b"a b i u em strong span small img br time label".split())

_NAME: Final = re.compile(rb"/?[a-zA-Z][^\s/>]*")
_TAG: Final = re.compile(r"""(/?[a-zA-Z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>""")
_ATTRIBUTE: Final = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`]+)))?""")
# Attributes that the scan never looks at, and that pages like to fill anew for every answer.
_SILENT: Final = frozenset("nonce value style integrity class id for role tabindex title action".split())
_SILENT_STARTS: Final = ("aria-", "on", "data-")
_LAZY: Final = frozenset("data-src data-original data-lazy-src data-lazy data-url data-image data-srcset".split())


def told(pieces: Sequence[bytes], url: str, fresh: list[bytes]) -> list[int] | None:
    """What the scan sees of a gap's pieces, and into `fresh` those that readers might see; None where parsing has to tell."""
    seen: list[int] = []
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        name = _name(piece)
        if piece.startswith(b"!--"):
            end = _comment_end(pieces, index)
            if end is None:
                return None
            seen.append(_hash("!--", _words(pieces[end].partition(b"-->")[2].decode("utf-8", "replace"))))
            index = end + 1
            continue
        if not _is_plain(piece, name) or name in _TEXTUAL or name in _FOREIGN or _is_data(piece, name):
            return None
        if name in _RAW:
            end = _closing(pieces, index, b"/" + name)
        elif name == b"noscript":
            end = _balanced(pieces, index, name, page=True)
            seen.append(_hash("noscript"))
        elif is_slot(piece):
            end = _slot_end(pieces, index, name)
            seen.append(_hash("slot", str(slots_in(pieces[index:end]))))
        else:
            end = index + 1
            fresh.append(piece)
            seen.append(_told(piece, url))
        if end is None:
            return None
        index = end
    return seen


def extent(pieces: Sequence[bytes], index: int, *, sure: bool) -> Extent | None:
    """How far what begins with a piece reaches; None where it is unsure what is markup from there on.

    `sure`: what stands before the piece is known to have ended.
    """
    piece = pieces[index]
    name = _name(piece)
    if piece.startswith(b"!--"):
        end = _comment_end(pieces, index)
        return None if end is None else (end + 1, "gap")
    if not _is_plain(piece, name) or not (sure or _is_plain(pieces[index - 1], _name(pieces[index - 1]))):
        return None if name in _RAW | _TEXTUAL | _FOREIGN else (index + 1, "kept")
    if name in _RAW:
        end = _closing(pieces, index, b"/" + name)
        return None if end is None else (end + 1, "kept" if _is_data(piece, name) else "gap")
    if name in _TEXTUAL or name in _FOREIGN:
        end = _end_of(pieces, index, name)
        return None if end is None else (end, "kept")
    if name == b"noscript":
        end = _balanced(pieces, index, name, page=True)
        return (index + 1, "kept") if end is None else (end + 1, "noscript")
    if is_slot(piece):
        end = _slot_end(pieces, index, name)
        return (index + 1, "kept") if end is None else (end + 1, "slot")
    return index + 1, "gap"


def slots_in(pieces: Sequence[bytes]) -> int:
    """How many ad slots and cookie banners begin there."""
    return sum(map(is_slot, pieces))


def _is_data(piece: bytes, name: bytes) -> bool:
    return name == b"script" and b"json" in piece[:200]


def _end_of(pieces: Sequence[bytes], index: int, name: bytes) -> int | None:
    """The first piece behind an element in which other rules hold."""
    depth = 0
    for at in range(index, len(pieces)):
        inner = _name(pieces[at])
        if inner == name and not (at > index and name in _TEXTUAL):
            depth += not pieces[at].partition(b">")[0].endswith(b"/") or name in _TEXTUAL
        elif inner == b"/" + name:
            depth -= 1
        if depth == 0:
            return at + 1
    return None


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


def _comment_end(pieces: Sequence[bytes], index: int) -> int | None:
    """The piece in which a comment that holds markup ends; None for anything else, or where its end is unsure."""
    if not pieces[index].startswith(b"!--") or pieces[index].startswith((b"!-->", b"!--->")):
        return None
    for at in range(index, len(pieces)):
        if b"--!>" in pieces[at]:
            return None
        if b"-->" in pieces[at]:
            return at
    return None


def is_slot(piece: bytes) -> bool:
    """Whether a tag is called like an ad slot or a cookie banner."""
    if piece[:1] == b"/" or not (b"ad" in piece or b"ookie" in piece or b"onsor" in piece or b"onsent" in piece):
        return False
    tag = _TAG.match(piece.decode("utf-8", "replace"))
    if tag is None:
        return False
    return tag[1].lower() not in _HEADINGS and bool(_called(tag))


def _called(tag: re.Match[str]) -> str:
    given = {name.lower(): one or two or three for name, one, two, three in _ATTRIBUTE.findall(tag[2])}
    return clutter_of(unescape(given.get("class", "")), unescape(given.get("id", "")))


def _slot_end(pieces: Sequence[bytes], index: int, name: bytes) -> int | None:
    """The piece that closes an ad slot or a banner; None where it may be the page, classifieds, or a policy about cookies."""
    end = _balanced(pieces, index, name, page=False)
    tag = _TAG.match(pieces[index].decode("utf-8", "replace"))
    if end is None or tag is None:
        return end
    inside = pieces[index : end + 1]
    if _called(tag) != "consent":
        return None if any(map(_leads_to_an_ad, inside)) else end
    pressed = any(_name(piece) in (b"button", b"input") for piece in inside)
    return end if pressed or sum(len(piece.partition(b">")[2]) for piece in inside) <= LONG else None


def _leads_to_an_ad(piece: bytes) -> bool:
    """Whether a tag is a link to what may be an ad on the site itself."""
    tag = _TAG.match(piece.decode("utf-8", "replace")) if _name(piece) == b"a" else None
    return tag is not None and AD_PAGE.search(_given(tag[2]).get("href", "")) is not None


def _closing(pieces: Sequence[bytes], index: int, name: bytes) -> int | None:
    """The piece that ends raw text; None where it does not, or where comments inside make its end unsure."""
    for at in range(index + 1, len(pieces)):
        piece = pieces[at]
        if piece[:1] == b"/" and _name(piece) == name:
            return at
        if piece.startswith(b"!--"):
            return None
    return None


def _balanced(pieces: Sequence[bytes], index: int, name: bytes, *, page: bool) -> int | None:
    """The piece that closes an element; None where tags do not match, or where it holds the page, unless it may (`page`)."""
    waiting: list[bytes] = []
    at: int | None = index
    while at is not None and (at := at + 1) < len(pieces):
        piece = pieces[at]
        inner = _name(piece)
        bare = inner.removeprefix(b"/")
        if not _is_plain(piece, inner) or bare in _TEXTUAL or bare in _FOREIGN or (not page and bare in _HOLDS_THE_PAGE):
            return None
        if bare in _SHOWN:  # what is embedded counts wherever it stands
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
            return _hash("input", kind, *_button(name, tag[2]), *_state(name, tag[2]), _words(rest))
    attributes: list[str] = [name, *_button(name, tag[2]), *_state(name, tag[2])]
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


def _button(name: str, attributes: str) -> tuple[str, ...]:
    """What the scan sees of a button besides its text."""
    if name != "input" and "disabled" not in attributes.lower():
        return ()
    given = _given(attributes)
    return said_by_value(name, given), str(is_off(given)), str(is_called_so(given))


def _state(name: str, attributes: str) -> tuple[str, ...]:
    """What the scan reads off an icon's label, or a field that nobody can fill in."""
    if name not in ICONS and name != "input":
        return ()
    low = attributes.lower()
    if name == "input":
        return (said_by_field(_given(attributes)),) if "readonly" in low or "checkbox" in low else ()
    return (said_by_icon(name, _given(attributes)),) if "title" in low or "aria-label" in low else ()


def _given(attributes: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, one, two, three in _ATTRIBUTE.findall(attributes):
        found.setdefault(key.lower(), unescape(one or two or three))
    return found


def _words(text: str) -> str:
    """The text behind a tag as it is compared; its role is told apart by `settle` alone, so a bare value keeps its digits."""
    folded = fold(unescape(text))
    return sense(folded) if folded else ""


def _hash(*parts: str) -> int:
    return xxh3_64_intdigest("\x00".join(parts).encode("utf-8", "replace")) or 1
