"""Learned noise: ignored areas, each a place with a type of span or with the exact values that were seen there.

A mask applies only where both sides of a difference fit it: an exact one hides no value that it has not seen, a typed one
no value of another type. Nothing is learned of titles, prices, stock, negations, amounts, dates that somebody set, or parts
that were selected.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from driftline.core.commerce.stock import stock_from_text
from driftline.core.lexicon import any_of, word_set
from driftline.core.text.folding import title_key
from driftline.core.text.language.critical_words import differs_critically
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.page.compare import fields
from driftline.kinds.page.compare.fields import ImageChange, LinkChange, Pair
from driftline.kinds.page.compare.lines import LineDifference, line_differences
from driftline.kinds.page.judge.counts import bare_number
from driftline.kinds.page.judge.dropped import SEEN, value_of
from driftline.kinds.page.judge.spans import blanked, moved_spans
from driftline.kinds.page.parsed import Line, ParsedPage, line_hash
from driftline.model.noise.mask import Mask, MaskedArea, Part

IGNORED: Final = "ignored area"  # how the rule of a mask begins
MOST_LEARNED: Final = 60  # at once: more places than that are a page that changed, not noise
_MOST_VALUES: Final = 12  # that one mask keeps
_FEW: Final = 2  # words by which two lines differ that may be a state
HERO: Final = "main picture"  # the path of whatever stands for the page
CREEPING: Final = "creeping"  # a bare number that went up a little in check after check
_ABSENT: Final = "absent"  # among the values of a line that comes and goes
_MOVING: Final = frozenset(("relative", "moment", "token", "counter"))
# How long a server took: the only bare number that says nothing.
_TOOK: Final = lazy_regex(lambda: rf"\s?(?:{any_of('took.second', ending=_ENDING)})\b", re.IGNORECASE)
_ENDING: Final = r"\w{0,5}"
_WORDS: Final = re.compile(r"\w+")
# A part of an address that nobody chose: letters and digits mixed, or many digits. Names with a date in them are chosen.
_OPAQUE: Final = re.compile(
    r"(?<=[/=])(?:[0-9a-f]{8,}|\d{6,}|(?=[A-Za-z_-]*\d)(?=\d*[A-Za-z])[0-9A-Za-z_-]{10,}={0,2})(?=[/?&=#]|$)"
)
_SERVER: Final = re.compile(r"\d+")  # of a host: mirror3
_NEVER: Final = ("title", "name", "headline", "price", "Price", "amount", "currency", "availability", "salary", "value")


class ActiveMasks:
    """The masks of a watch, indexed for lookup, and what was dropped before the rules changed."""

    def __init__(self, masks: Iterable[Mask] = (), seen: frozenset[int] = frozenset()) -> None:
        self._seen = seen
        self._at: dict[tuple[Part, str], list[tuple[MaskedArea, Mask]]] = {}
        for mask in masks:
            if mask.state == "active" and (area := mask.area) is not None:
                self._at.setdefault((area.part, area.path), []).append((area, mask))

    def line(self, one: LineDifference, before: ParsedPage, after: ParsedPage) -> str | None:
        """The name of the mask that covers a changed line; None if there is none."""
        if self._seen and self._is_seen(_text(one.before), _text(one.after)):
            return SEEN
        if not self._at or one.action == "moved":
            return None
        path = path_at(one.after, after) if one.after is not None else path_at(one.before, before)
        known = self._at.get(("line", path))
        if not known or (one.before is not None and one.after is not None and path_at(one.before, before) != path):
            return None
        if (name := _typed_name(known, _text(one.before), _text(one.after))) is not None:
            return name
        if _is_creeping(one) and (grows := next((mask for area, mask in known if CREEPING in area.types), None)) is not None:
            return _name(grows)
        seen = {value: mask for area, mask in known for value in area.values}
        values = [_line_value(one.before), _line_value(one.after)]
        if _ABSENT in values and _ABSENT not in seen:  # one that took its turn stands there instead
            page = after if one.after is None else before
            turns = {_line_value(line) for line in page.line_details if path_at(line, page) == path}
            values = [value for value in values if value != _ABSENT] if not turns.isdisjoint(seen) else values
        return _name(seen[values[-1]]) if all(value in seen for value in values) else None

    def value(self, key: str, pair: Pair) -> str | None:
        """The name of the mask that covers a changed field."""
        if self._is_seen(*pair):
            return SEEN
        return self._covering("field", key, pair.before, pair.after) if self._at else None

    def link(self, change: LinkChange, after: ParsedPage) -> str | None:
        """The name of the mask that covers a link whose target changes in an opaque part."""
        if self._is_seen(*(side.url if side is not None else None for side in change)):
            return SEEN
        if not self._at or change.before is None or change.after is None:
            return None
        shapes = {address_shape(change.before.url), address_shape(change.after.url)}
        known = self._at.get(("link", path_at(change.after, after)), ())
        return next((_name(mask) for area, mask in known if shapes == {area.shape}), None)

    def image(self, change: ImageChange, before: ParsedPage, after: ParsedPage) -> str | None:
        """The name of the mask that covers a place where pictures rotate."""
        if self._is_seen(*(side.url if side is not None else None for side in change)):
            return SEEN
        if not self._at:
            return None
        path = path_at(change.after, after) if change.after is not None else path_at(change.before, before)
        known = self._at.get(("image", path), ())
        return _name(known[0][1]) if known else None

    def hero(self) -> str | None:
        """The name of the mask that covers the page's main picture."""
        known = self._at.get(("image", HERO), ())
        return _name(known[0][1]) if known else None

    def _is_seen(self, before: str | None, after: str | None) -> bool:
        return bool(self._seen) and value_of(before, after) in self._seen

    def _covering(self, part: Part, path: str, before: str | None, after: str | None) -> str | None:
        known = self._at.get((part, path), ())
        if (name := _typed_name(known, before, after)) is not None:
            return name
        seen = {value: mask for area, mask in known for value in area.values}
        return _name(seen[_value(after)]) if _value(before) in seen and _value(after) in seen else None


def _typed_name(known: Sequence[tuple[MaskedArea, Mask]], before: str | None, after: str | None) -> str | None:
    if before is None or after is None:
        return None
    return next((_name(mask) for area, mask in known if area.types and _fits(area, before, after)), None)


def _fits(area: MaskedArea, before: str, after: str) -> bool:
    """Whether two lines have the mask's shape and differ only in spans of its types."""
    found = _typed(before, after)
    return found is not None and found[0] == area.shape and set(found[1]) <= set(area.types)


def _typed(before: str, after: str) -> tuple[str, tuple[str, ...]] | None:
    """Shape and types of the spans in which two lines differ; None where they differ in more than spans that move."""
    differing: set[str] = set()
    for old, new in moved_spans(before, after) or ():
        took = old.type == new.type == "number" and _TOOK.match(before, old.end) and _TOOK.match(after, new.end)
        differing |= {"relative"} if took else {old.type, new.type}
    if not differing or not differing <= _MOVING:
        return None
    return _shape(before), tuple(sorted(differing))


def _shape(text: str) -> str:
    """A line without its typed spans."""
    return f"{line_hash(blanked(text)[0]):016x}"


def _is_creeping(one: LineDifference) -> bool:
    """Whether a bare number grew by less than its value; one that fell or leapt is news."""
    old, new = bare_number(_text(one.before)), bare_number(_text(one.after))
    return old is not None and new is not None and 0 < new - old < old


def _value(text: str | None) -> str:
    return _ABSENT if text is None else f"{line_hash(text):016x}"


def _line_value(line: Line | None) -> str:
    return _ABSENT if line is None else f"{line.hash:016x}"


def _text(line: Line | None) -> str | None:
    return line.text if line is not None else None


def path_at(thing: object, page: ParsedPage) -> str:
    """The structural path of a line, link or picture."""
    place = getattr(thing, "place", 0)
    return page.paths[place] if place < len(page.paths) else ""


def _name(mask: Mask) -> str:
    return f"{IGNORED} {mask.id}" if mask.id is not None else f"{IGNORED} at {mask.place}"


def address_shape(url: str) -> str:
    """An address without opaque parts: tokens, hashes, generated numbers, the number of a server."""
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{_SERVER.sub('*', host)}{_OPAQUE.sub('*', slash + path)}" if mark else url


def learn(one: ParsedPage, other: ParsedPage, *, evidence: str, at: datetime, protected: bool = False) -> list[Mask]:
    """Masks for whatever differs between two versions that were fetched seconds apart.

    With what is `protected` they may be applied once, to wait for servers to agree, and are never kept.
    """
    if one.literal or other.literal or one.text is None or other.text is None:
        return []
    areas = {*_line_areas(one, other, protected=protected), *_field_areas(one, other), *_address_areas(one, other)}
    if protected and one.title != other.title:
        areas.add(MaskedArea(part="field", path="title", values=tuple(sorted((_value(one.title), _value(other.title))))))
    ordered = sorted(areas, key=lambda area: (area.part, area.path, area.shape, area.values))
    return [to_mask(area, evidence=evidence, at=at) for area in ordered] if len(areas) <= MOST_LEARNED else []


def to_mask(area: MaskedArea, *, evidence: str, at: datetime) -> Mask:
    """An area as a mask, with texts for users."""
    skeleton = " ".join(area.types or ("values seen",))
    return Mask(place=_shown(area), skeleton=skeleton, evidence=evidence, area=area, learned_at=at)


def _shown(area: MaskedArea) -> str:
    return " > ".join(area.path.split(">")[-4:]).strip(" >") or "the page" if area.part != "field" else area.path


def _line_areas(one: ParsedPage, other: ParsedPage, *, protected: bool) -> Iterator[MaskedArea]:
    seen: dict[str, set[str]] = {}
    for difference in line_differences(one, other):
        before, after = _text(difference.before), _text(difference.after)
        if difference.action == "moved" or difference.line.region in ("overlay", "advert"):
            continue
        path = path_at(difference.after, other) if difference.after is not None else path_at(difference.before, one)
        if before is not None and after is not None and (typed := _typed(before, after)) is not None:
            yield MaskedArea(part="line", path=path, shape=typed[0], types=typed[1])
        elif protected or not is_protected(before, after, (one.title, other.title)):
            seen.setdefault(path, set()).update((_value(before), _value(after)))
    for path, values in seen.items():
        if len(values) <= _MOST_VALUES:
            yield MaskedArea(part="line", path=path, values=tuple(sorted(values)))


def is_protected(before: str | None, after: str | None, titles: Sequence[str] = ()) -> bool:
    """Whether no mask may hide a difference: titles, prices, negations, amounts and the like."""
    sides = [side for side in (before, after) if side is not None]
    if any(title_key(side) in {title_key(title) for title in titles} for side in sides):
        return True
    if differs_critically(before or "", after or ""):
        return True
    if any(stock_from_text(side) is not None for side in sides):
        return True
    one, other = (set(_WORDS.findall((side or "").lower())) for side in (before, after))
    words = one ^ other
    return not words.isdisjoint(word_set("state.word")) or (
        len(words) <= _FEW and not words.isdisjoint(word_set("state.short"))
    )


def _field_areas(one: ParsedPage, other: ParsedPage) -> Iterator[MaskedArea]:
    for key, pair in fields.metadata_changes(one, other).items():
        if key.endswith(_NEVER) or pair.before is None or pair.after is None:
            continue
        if (typed := _typed(pair.before, pair.after)) is not None:
            yield MaskedArea(part="field", path=key, shape=typed[0], types=typed[1])
        elif not is_protected(pair.before, pair.after):
            yield MaskedArea(part="field", path=key, values=tuple(sorted((_value(pair.before), _value(pair.after)))))


def _address_areas(one: ParsedPage, other: ParsedPage) -> Iterator[MaskedArea]:
    for change in fields.link_changes(one, other):
        if change.before is not None and change.after is not None:
            shape = address_shape(change.after.url)
            if shape == address_shape(change.before.url):
                yield MaskedArea(part="link", path=path_at(change.after, other), shape=shape, types=("address",))
    for picture in fields.image_changes(one, other):
        if picture.before is None or picture.after is None:
            page = other if picture.after is not None else one
            yield MaskedArea(part="image", path=path_at(picture.image, page), types=("picture",))


def hold(past: ParsedPage, one: ParsedPage, other: ParsedPage, *, at: datetime) -> list[Mask]:
    """Masks for this judgement only: over changes that a second answer does not confirm."""
    masks = learn(one, other, evidence="two answers do not agree", at=at, protected=True)
    areas = [mask.area for mask in masks if mask.area is not None and mask.area.part == "line"]
    shown = {(area.path, value) for area in areas for value in area.values}
    typed = {(area.path, area.shape) for area in areas if area.types}
    came_from: dict[str, set[str]] = {}
    went: dict[str, list[str]] = {}
    came: Counter[str] = Counter()
    for change in line_differences(past, one) if areas else ():
        if change.action == "moved":
            continue
        if change.after is None:
            went.setdefault(path_at(change.before, past), []).append(_line_value(change.before))
            continue
        path = path_at(change.after, one)
        if (path, _shape(change.after.text or "")) in typed or (path, _line_value(change.after)) in shown:
            came_from.setdefault(path, {_ABSENT}).update((_line_value(change.before), _line_value(change.after)))
            came[path] += change.before is None
    for path, values in came_from.items():
        if len(went.get(path, ())) <= came[path]:  # what went made room for what came
            values.update(went.get(path, ()))
        kept = values | {value for area in areas if area.path == path for value in area.values}
        area = MaskedArea(part="line", path=path, values=tuple(sorted(kept)))
        masks.append(Mask(place=_shown(area), skeleton="", evidence="two answers do not agree", area=area, learned_at=at))
    return masks
