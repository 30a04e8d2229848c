"""What a short text says about a slot: its state, and its time."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from driftline.core.lexicon import any_of, word_set
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache
from driftline.kinds.availability.slot_openness import MARKS, plain
from driftline.kinds.availability.slot_times import day_of, local_time
from driftline.kinds.availability.state_words import around, free, taken

_HOUR: Final = (
    r"(?:(?:[01]?\d|2[0-3])(?::[0-5]\d(?::[0-5]\d)?|h[0-5]\d)(?:\s?[ap]\.?m\b\.?|\s?(?:uhr|h)\b)?"
    r"|(?:[01]?\d|2[0-3])\.[0-5]\d\s?(?:[ap]\.?m\b\.?|uhr\b)|(?:1[0-2]|0?[1-9])\s?[ap]\.?m\b\.?|(?:[01]?\d|2[0-3])\s?uhr\b)"
)
_SPAN: Final = lazy_regex(
    lambda: rf"(?<![\d:.,])(?P<start>{_HOUR})(?:\s?(?:[-–—]|{any_of('slot.until')})\s?(?P<end>{_HOUR}))?(?![\d:])",
    re.IGNORECASE,
)
CLOCK: Final = re.compile(
    r"(?:[01]?\d|2[0-3])[:.h][0-5]\d(?:\s?[ap]\.?m\.?|\s?uhr)?(?:\s?[-–—]\s?(?:[01]?\d|2[0-3])[:.h][0-5]\d(?:\s?[ap]\.?m\.?|\s?uhr)?)?"
    r"|(?:1[0-2]|[1-9])\s?[ap]\.?m\.?",
    re.IGNORECASE,
)
DATE: Final = lazy_regex(
    lambda: (
        r"\d{4}-\d{2}-\d{2}|\d{4}[/.]\d{1,2}[/.]\d{1,2}|"
        rf"\d{{4}}(?:{any_of('date.year')})\s?\d{{1,2}}(?:{any_of('date.month')})\s?\d{{1,2}}(?:{any_of('date.day')})|"
        r"\d{1,2}[./]\d{1,2}[./]\d{4}|\d{1,2}(?:\.|st|nd|rd|th)?\s(?:de\s)?[^\W\d_]{3,10}\.?,?\s(?:de\s)?\d{4}|"
        r"[^\W\d_]{3,10}\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s\d{4}|"
        r"\d{4}\.?\s[^\W\d_]{3,12}\.?\s\d{1,2}(?![\d:])"
    )
)
_SPLIT: Final = re.compile(r"[|·•,;:()\[\]/–—!.]|\s-\s|[。、！]")
_TOKEN: Final = re.compile(r"[^\W_]+")
_JOINTS: Final = lazy_regex(lambda: rf"\b(?:{any_of('slot.joint')})\b", re.IGNORECASE)
# A date that is not a slot's: "Last updated 2026-03-14 09:00".
_ASIDE: Final = lazy_regex(
    lambda: (
        r"\b(?:updated?|posted|published|created|"
        r"last(?! (?:spot|seat|place|chance|ticket|slot|few|minute|table|one|remaining))|"
        r"since|until|deadline|expires?|copyright|as of|registration|server|generated|ago|error|failed|exception|"
        rf"{any_of('slot.aside', ending=_ENDING)})\b|{any_of('slot.aside_solid')}"
    ),
    re.IGNORECASE,
)
_ENDING: Final = r"\w{0,2}"
_SHARE: Final = lazy_regex(lambda: rf"(\d{{1,5}})\s?(?:/|{any_of('slot.share')})\s?(\d{{1,5}})", re.IGNORECASE)


class SlotTime(NamedTuple):
    """The time in a text, and the states that the rest of it names."""

    local: str
    rest: str
    dated: bool  # the day is in the text itself
    leading: bool  # the text begins with the day or the time


@short_cache(4096)
def state_in(text: str) -> bool | None:
    """Whether a text means available; None if it means neither, or says more."""
    text = text.strip()
    if not text or len(text) > 80:
        return None
    if text in MARKS:
        return MARKS[text]
    if (share := _SHARE.search(text)) is not None:
        return _state_by_count(text, int(share[1]), int(share[2]))
    whole = plain(text)
    if whole in taken() or whole in free():
        return whole in free()
    tokens = [token.lower() for token in _TOKEN.findall(text)]
    if not word_set("slot.not").isdisjoint(tokens):
        room = [token for token in tokens if token in word_set("slot.place") or token in free()]
        return (
            False
            if room and all(token in word_set("slot.not") or token in around() or token in room for token in tokens)
            else None
        )
    telling = [token for token in tokens if token not in around() and token not in word_set("slot.place")]
    if len(telling) > 1 and telling[0] in taken() and telling[1] in word_set("slot.by"):
        return False
    left = "".join(telling)
    return left in free() if left in taken() or left in free() else None


def _state_by_count(text: str, some: int, all_of_them: int) -> bool | None:
    """What `3 of 10 booked` and `0/8 available` mean."""
    words = {token.lower() for token in _TOKEN.findall(text)}
    if not words.isdisjoint(taken()):
        return some < all_of_them
    return some > 0 if not words.isdisjoint(free() | word_set("slot.place")) else None


def states_in(text: str) -> list[bool]:
    """The states that the parts of a text name, without days and times."""
    rest = _SPAN.sub(" | ", DATE.sub(" | ", text))
    verdicts = [state_in(part) for part in (rest, *_SPLIT.split(rest))]
    return [one for one in verdicts if one is not None]


def slot_time_in(text: str, timezone: str, day: str | None, *, month_first: bool = False) -> SlotTime | None:
    """The only time in a text, with its own day or the given one; None if there is none, or several."""
    if CLOCK.fullmatch(text) or (text[:4].isdigit() and len(text) <= 30):
        local = local_time(text, timezone, day)
        if local is not None:
            return SlotTime(local, "", not CLOCK.fullmatch(text), leading=True)
    date = DATE.search(text)
    own = day_of(date[0], timezone, month_first=month_first) if date else None
    without = f"{text[: date.start()]} {text[date.end() :]}" if date and own else text
    spans = [*_SPAN.finditer(without)][:3]
    if len(spans) != 1 or (own and DATE.search(without)):
        return None
    span = spans[0]
    local = local_time(span[0], timezone, own or day) or local_time(span["start"], timezone, own or day)
    begins = min(span.start(), date.start()) if date and own else span.start()
    rest = f"{without[: span.start()]} {without[span.end() :]}"
    rest = " ".join(_JOINTS.sub(" ", rest).split()).strip(" ,.;:|-–—·•()@")
    if local is None or len(rest) > 80 or _ASIDE.search(rest):
        return None
    return SlotTime(
        local, rest, own is not None, leading=begins == 0 or (own is not None and text[:begins].strip(" ,.").isalpha())
    )


def is_aside(text: str) -> bool:
    """Whether a text is about a time that is not a slot's."""
    return _ASIDE.search(text) is not None


def has_clock(text: str) -> bool:
    """Whether a text contains a time of day."""
    return _SPAN.search(text) is not None


def is_day(text: str, timezone: str, *, month_first: bool = False) -> str | None:
    """The day of a text that is only a date, with or without its weekday."""
    found = DATE.search(text) if len(text) <= 60 and not has_clock(text) else None
    if found is None:
        return None
    rest = text[: found.start()] + text[found.end() :]
    day = day_of(found[0], timezone, month_first=month_first)
    return day if len(rest) <= 16 and not any(sign.isdigit() for sign in rest) else None
