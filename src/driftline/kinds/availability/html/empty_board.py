"""Whether a page says that there are no slots: in a short sentence, without a failure next to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Final

from driftline.core.lexicon import any_of, word_set
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache
from driftline.kinds.availability.html.tree import MAX_TEXT, Element
from driftline.kinds.availability.state_words import around, taken

_NEARLY_EMPTY: Final = 400  # characters of a page with hardly any content
_SMALL: Final = 2_000  # characters; on larger pages only nearby text counts
_SENTENCE: Final = re.compile(r"[^.!?;:。！？\n]{2,160}[?？]?")
_INLINE: Final = frozenset("b strong i em span a small mark u br font sup sub abbr wbr".split())
_TOKEN: Final = re.compile(r"[^\W_]+")


_SLOT: Final = lazy_regex(lambda: any_of("board.slot", ending=_ENDING))
_ROOM: Final = lazy_regex(lambda: any_of("board.room", ending=_ENDING))
_ENDING: Final = r"\w{0,12}"
_FULL: Final = lazy_regex(lambda: f"(?:{any_of('board.full')})")
# Languages without spaces between words: something to book, and that there is none.
_UNPARTED: Final = lazy_regex(
    lambda: (
        rf"(?:{any_of('board_solid.what')})[^.。\n]{{0,20}}(?:{any_of('board_solid.none_after')})"
        rf"|(?:{any_of('board_solid.none_before')})[^。\n]{{0,12}}(?:{any_of('board_solid.what')})|{any_of('board_solid.full')}"
    )
)
_FAILURE: Final = lazy_regex(
    lambda: (
        r"\berrors?\b|went wrong|\bfailed\b|unhandled exception|(?:request|connection|gateway|session) time|timed out|"
        r"session (?:has )?expired|(?:under|down for|scheduled|undergoing) maintenance|access denied|403 forbidden|"
        r"not a robot|enable javascript|could(?: not|n.t) (?:load|connect|retrieve|be loaded)|"
        r"you are (?:now )?in (?:line|the queue)|estimated wait|virtual (?:queue|waiting room)|"
        r"unable to (?:load|connect|retrieve|process)|server (?:is )?(?:busy|down|overloaded)|too many requests|"
        rf"\b(?:{any_of('board.trouble')})\b|{any_of('board.trouble_solid')}"
    ),
    re.IGNORECASE,
)
_AGAIN: Final = lazy_regex(
    lambda: (
        r"try again(?! (?:later|soon|tomorrow|another (?:day|date))| in a (?:few|day|week))|\b(?:sign|log) ?in\b|"
        rf"\breload\b|^retry$|\bloading\b|{any_of('board.again')}"
    ),
    re.IGNORECASE,
)
_NEEDED: Final = lazy_regex(lambda: rf"{any_of('board.needed')}|wait(?!list)")


@cache
def _filler() -> frozenset[str]:
    return around() | word_set("board.filler")


def says_no_slots(page: Element, cells: frozenset[Element] = frozenset()) -> bool:
    """Whether a page without slots says that there are none; `cells`: elements whose text stands alone."""
    texts = list(_texts(page, cells))
    denials = [number for number, text in enumerate(texts) if any(denies_slots(found[0]) for found in _SENTENCE.finditer(text))]
    if page.chars <= _SMALL:
        return bool(denials) and not any(_is_failure(text, page) for text in texts)
    return any(not any(_is_failure(text, page) for text in texts[max(at - 3, 0) : at + 4]) for at in denials)


def says_none_free(text: str) -> bool:
    """Whether a text says that nothing can be booked, without mentioning a failure."""
    return not _FAILURE.search(text) and any(denies_slots(found[0]) for found in _SENTENCE.finditer(text))


def _is_failure(text: str, page: Element) -> bool:
    return bool(_FAILURE.search(text) or (page.chars <= _NEARLY_EMPTY and _AGAIN.search(text)))


def _texts(page: Element, cells: frozenset[Element]) -> Iterator[str]:
    """The visible texts of the page, one per element with at most a few sentences."""
    waiting = [page]
    while waiting:
        part = waiting.pop()
        if part.hidden or part in cells:
            continue
        if 0 < part.chars <= MAX_TEXT and all(child.tag in _INLINE for child in part.children):
            yield part.text
        else:
            waiting.extend(reversed(part.children))


@short_cache(1024)
def denies_slots(sentence: str) -> bool:
    """Whether a sentence states that nothing can be booked."""
    sentence = sentence.strip().lower().replace("rendez-vous", "rendezvous")
    if sentence.endswith(("?", "？")):
        return False
    if _UNPARTED.search(sentence):
        return True
    tokens = _TOKEN.findall(sentence)
    if not 1 <= len(tokens) <= 24:
        return False
    if (full := _FULL.search(sentence)) is not None:
        rest = _TOKEN.findall(sentence[: full.start()] + " " + sentence[full.end() :])
        return all(token in word_set("board.event") or _kind(token) in {"filler", "slot", "room"} for token in rest)
    return _denies(tokens) or _is_all_taken(tokens)


def _is_all_taken(tokens: list[str]) -> bool:
    """Whether a sentence says that all of something bookable is taken."""
    if word_set("board.all").isdisjoint(tokens[:2]) or not word_set("board.if").isdisjoint(tokens) or tokens[-1] not in taken():
        return False
    kinds = [_kind(token) for token in tokens]
    return "slot" in kinds and "not" not in kinds and kinds[:-1].count("other") <= 2


def _denies(tokens: list[str]) -> bool:
    """Whether a negation is followed closely by something to book."""
    if any(_NEEDED.match(token) for token in tokens):
        return False
    if any(
        one in word_set("board.not") and other in word_set("board.all") for one, other in pairwise(tokens)
    ):  # "not all" is no denial
        return False
    kinds = [_kind(token) for token in tokens]
    if not (nothing := word_set("board.nothing")).isdisjoint(tokens):
        return "room" in kinds and all(kind != "other" or token in nothing for kind, token in zip(kinds, tokens, strict=True))
    if "not" not in kinds or "slot" not in kinds:
        return False
    if "other" not in kinds:
        return True
    begins = kinds.index("not")
    behind = kinds[begins : begins + 7]
    if "slot" not in behind or not ("room" in kinds or _says_both(tokens)):
        return tokens[-1] in word_set("board.last_not") and "slot" in kinds and "room" in kinds
    if "other" not in kinds[: begins + behind.index("slot")]:
        return True
    # "For X, there are no slots available": the negation is adjacent, and unconditional.
    at = begins + behind.index("slot")
    near = "other" not in kinds[begins:at] and at - begins <= 2 and "room" in kinds[at : at + 4]
    return near and word_set("board.if").isdisjoint(tokens) and kinds[:begins].count("other") <= 4


def _says_both(tokens: list[str]) -> bool:
    """Whether one word is something to book and another one, which may be either, that it is available: date disponibili."""
    rooms = sum(_ROOM.fullmatch(token) is not None for token in tokens)
    return rooms > 0 and sum(_SLOT.fullmatch(token) is not None for token in tokens) > 1


def _kind(token: str) -> str:
    if token in word_set("board.not"):
        return "not"
    if _SLOT.fullmatch(token):
        return "slot"
    return "room" if _ROOM.fullmatch(token) else "filler" if token in _filler() or token.isdecimal() else "other"
