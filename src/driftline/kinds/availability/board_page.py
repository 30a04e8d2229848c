"""Slots on a page of HTML: buttons, links and cells that are a time, with the day and the venue around them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.charset import decode
from driftline.core.depth import too_deep
from driftline.core.text import fold
from driftline.errors import BadFile
from driftline.kinds.availability.board_tree import tree_of
from driftline.kinds.availability.clock import day_of, has_halves, local_time
from driftline.kinds.availability.discovery import Around, Discovery
from driftline.kinds.availability.nothing import says_nothing
from driftline.kinds.availability.openness import is_yes
from driftline.kinds.availability.slot import name_of

_Attributes = Mapping[str, str | None]

_BESIDE: Final = "script, style, template, noscript, svg, iframe, nav, footer"
_TIMES: Final = (
    "data-datetime", "data-start", "data-start-time", "data-starttime", "data-slot", "data-slot-time", "data-timeslot",
    "data-appointment", "data-time", "data-hour", "datetime", "value", "data-value",
)  # fmt: skip
_DAYS: Final = ("data-date", "data-day", "data-slot-date")
_VENUES: Final = (
    "data-venue-id", "data-location-id", "data-office-id", "data-resource-id", "data-staff-id", "data-doctor-id",
    "data-court-id", "data-venue", "data-location", "data-resource", "data-staff", "data-doctor", "data-court",
)  # fmt: skip
_STATES: Final = ("data-status", "data-state", "data-available", "data-availability")
_CHOICES: Final = frozenset({"button", "a", "option", "input", "label", "td", "li"})
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "caption", "legend", "dt", "time"})
_SLOTTY: Final = re.compile(r"slot|time|appointment|avail|booking|termin|free|spot", re.IGNORECASE)
_FREE: Final = frozenset("available free open bookable vacant frei disponible libre".split())
_GONE: Final = frozenset(
    "disabled unavailable booked taken busy soldout reserved occupied blocked notavailable fullybooked".split()
)
_ITSELF_GONE: Final = _GONE | frozenset(
    "full past inactive closed sold expired off".split()
)  # may mean a whole page's part, too
_CLOCK: Final = re.compile(
    r"(?:[01]?\d|2[0-3])[:.h][0-5]\d(?:\s?[ap]\.?m\.?|\s?uhr)?(?:\s?[-–]\s?(?:[01]?\d|2[0-3])[:.h][0-5]\d(?:\s?[ap]\.?m\.?)?)?"
    r"|(?:1[0-2]|[1-9])\s?[ap]\.?m\.?",
    re.IGNORECASE,
)
_DATE: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{1,2}\.?\s(?:de\s)?[^\W\d_]{3,10}\.?\s(?:de\s)?\d{4}|[^\W\d_]{3,10}\s\d{1,2},?\s\d{4}"
)


def read_board(body: bytes, content_type: str, timezone: str, day: str | None) -> Discovery:
    """The slots that a page offers; `listed` also where it says in words that there are none."""
    source = decode(body, content_type)
    if too_deep(source):
        raise BadFile("the page is nested too deeply")
    tree = LexborHTMLParser(source)
    for node in reversed(tree.css(_BESIDE)):
        node.decompose()
    board = _Board(timezone, month_first=has_halves(source))
    if tree.body is not None:
        board.walk(_Place(tree.body, Around(day=day)))
        board.found.listed = board.found.listed or says_nothing(tree_of(tree.body))
    return board.found


class _Place(NamedTuple):
    """An element of the page, and what encloses it."""

    node: LexborNode
    around: Around
    is_open: bool = True
    slotty: bool = False  # something around it is named like a slot
    row_time: str | None = None  # of a table with a day a column and a time a row


class _Board:
    """A walk in the order of the page: headings say the day of what follows, attributes that of what they enclose."""

    def __init__(self, timezone: str, *, month_first: bool) -> None:
        self.found = Discovery(timezone, month_first=month_first)
        self._timezone = timezone
        self._month_first = month_first
        self._columns: list[str | None] = []
        self._heading: str | None = None

    def walk(self, top: _Place) -> None:
        waiting = [top]
        while waiting:
            place = self._entered(waiting.pop())
            node = place.node
            if node.tag in _HEADINGS and (day := self._day(node)):
                self._heading = day
            if not self._is_slot(place):
                waiting.extend(reversed(self._inside(place)))

    def _entered(self, place: _Place) -> _Place:
        """With what the element's own attributes say."""
        node, around, attributes = place.node, place.around, place.node.attributes
        day = next((day for name in _DAYS if (day := self._day_of(attributes.get(name)))), None)
        venue = next((venue for name in _VENUES if (venue := name_of(attributes.get(name)))), None)
        around = around._replace(
            day=day or around.day,
            venue_id=venue or around.venue_id,
            venue_name=name_of(attributes.get("data-venue-name")) or around.venue_name,
        )
        slotty = place.slotty or _SLOTTY.search(attributes.get("class") or "") is not None
        return place._replace(
            node=node, around=around, slotty=slotty, is_open=place.is_open and not _is_gone(attributes, _GONE)
        )

    def _inside(self, place: _Place) -> list[_Place]:
        children = [place._replace(node=child) for child in place.node.iter() if child.tag]
        if place.node.tag != "tr":
            return children
        self._columns = self._days_of_row(place.node) or self._columns
        if not self._columns or not children:
            return children
        label = fold(children[0].node.text())
        row_time = label if _CLOCK.fullmatch(label) and not self._columns[0] else None
        days = (*self._columns, *[None] * len(children))
        return [
            child._replace(around=child.around._replace(day=day or child.around.day), row_time=row_time if day else None)
            for child, day in zip(children, days, strict=False)
            if day or row_time is None or child is not children[0]
        ]

    def _is_slot(self, place: _Place) -> bool:
        """Whether this element is a slot; then it is noted, if it is to be had."""
        node, attributes = place.node, place.node.attributes
        day = place.around.day or self._heading
        text = ""
        local = None
        if node.tag in _CHOICES or place.slotty or "data-time" in attributes:
            local = next((at for name in _TIMES if (at := local_time(attributes.get(name), self._timezone, day))), None)
            text = fold(node.text()) if local is None and _is_single(node) else ""
            if _CLOCK.fullmatch(text) or (text[:4].isdigit() and len(text) <= 30):
                local = local_time(text, self._timezone, day)
        if local is None and place.row_time and node.tag == "td":
            local = local_time(place.row_time, self._timezone, day) if self._is_offer(node, text) else None
        if local is None:
            return False
        self.found.listed = True
        if (
            place.is_open
            and is_yes(text) is not False
            and not any(_is_gone(one.attributes, _ITSELF_GONE) for one in (node, *_choices(node)))
        ):
            linked = node if "href" in attributes else node.css_first("a[href]")
            self.found.add(local, place.around._replace(booking_url=linked.attributes.get("href") if linked else None))
        return True

    def _is_offer(self, cell: LexborNode, text: str) -> bool:
        """Whether a cell of a table of days and times stands for a slot, free or gone."""
        words = {word.replace("-", "").replace("_", "") for word in (cell.attributes.get("class") or "").lower().split()}
        said = is_yes(text) if text else None
        return said is not None or bool(words & (_FREE | _ITSELF_GONE)) or cell.css_first("a[href], button, input") is not None

    def _day(self, node: LexborNode) -> str | None:
        return self._day_of(node.attributes.get("datetime") or fold(node.text())[:200])

    def _day_of(self, written: str | None) -> str | None:
        found = _DATE.search(written) if written else None
        day = day_of(found[0] if found else written, self._timezone, month_first=self._month_first)
        return day or day_of(written, self._timezone, month_first=self._month_first)

    def _days_of_row(self, row: LexborNode) -> list[str | None]:
        """The days that head the columns of a table, if this row has them."""
        heads = [self._day(cell) if cell.tag == "th" else None for cell in row.iter() if cell.tag in {"th", "td"}]
        return heads if any(heads) else []


def _choices(node: LexborNode) -> list[LexborNode]:
    """What can be clicked inside of an element."""
    return [inner for inner in node.css("button, a, input, option") if inner.mem_id != node.mem_id]


def _is_single(node: LexborNode) -> bool:
    """Whether an element is no more than one choice: a cell or an item may enclose its button."""
    return len(_choices(node)) <= (1 if node.tag in {"td", "li", "label"} else 0)


def _is_gone(attributes: _Attributes, words: frozenset[str]) -> bool:
    if "disabled" in attributes or attributes.get("aria-disabled") == "true":
        return True
    if any(is_yes(attributes.get(name)) is False for name in _STATES):
        return True
    return any(word.replace("-", "").replace("_", "") in words for word in (attributes.get("class") or "").lower().split())
