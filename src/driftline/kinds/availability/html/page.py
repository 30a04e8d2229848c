"""Reads slots from an HTML page: buttons, links, rows and cells with a time, and the day and venue around them."""

from __future__ import annotations

import re
from datetime import date
from typing import Final, NamedTuple
from urllib.parse import unquote_plus

from selectolax.lexbor import LexborHTMLParser

from driftline.core.markup.depth import too_deep
from driftline.core.text.charset import with_utf8
from driftline.errors import BadFile
from driftline.kinds.availability.html.days import MIN_CELLS, CalendarDay, read_days
from driftline.kinds.availability.html.empty_board import says_no_slots
from driftline.kinds.availability.html.headings import DayHeadings, is_chosen
from driftline.kinds.availability.html.scripts import read_scripts
from driftline.kinds.availability.html.slot_attributes import (
    STRIKES,
    gone,
    is_blocked,
    is_gone,
    is_marked_gone,
    is_offer,
    is_offered,
    is_struck,
    says_gone,
    verdicts_in_text,
)
from driftline.kinds.availability.html.tables import CellLabel, Table, is_grid
from driftline.kinds.availability.html.tree import CHOICES, Element, tree_of
from driftline.kinds.availability.html.venues import HEADINGS, Venues
from driftline.kinds.availability.json.discovery import Discovery
from driftline.kinds.availability.json.found import Around, within
from driftline.kinds.availability.slot import name_of
from driftline.kinds.availability.slot_text import SlotTime, has_clock, slot_time_in, state_in, states_in
from driftline.kinds.availability.slot_times import has_am_pm, local_time

_BESIDE: Final = "script, style, template, noscript, svg, iframe, nav, footer"
_TIMES: Final = (
    "data-datetime", "data-start", "data-start-time", "data-starttime", "data-slot", "data-slot-time", "data-timeslot",
    "data-appointment", "data-time", "data-hour", "datetime", "value", "data-value",
)  # fmt: skip
_DAYS: Final = ("data-date", "data-day", "data-slot-date")
_VENUES: Final = (
    "data-venue-id", "data-location-id", "data-office-id", "data-resource-id", "data-staff-id", "data-doctor-id",
    "data-court-id", "data-venue", "data-location", "data-resource", "data-staff", "data-doctor", "data-court",
    "data-resource-name", "data-court-name", "data-location-name", "data-staff-name",
)  # fmt: skip
_SURE: Final = CHOICES | {"label", "td", "li"}  # elements whose time is a slot's
_HOLDING: Final = frozenset({"td", "li", "label"})  # may contain the element to click
_PERHAPS: Final = frozenset("p div span strong b dd dt h2 h3 h4 h5 h6 time".split())  # only together with something to click
_TICKED: Final = frozenset({"radio", "checkbox"})
_ROWS: Final = frozenset({"tr", "li", "article", "dd", "option"})  # elements about a single slot
_WHOLES: Final = frozenset("body main table tbody thead ul ol dl form select section fieldset".split())
_TABLED: Final = frozenset({"td", "th", "tr"})  # a row or column may be about anything
_TABLES: Final = frozenset({"table", "tbody", "thead"})
_SLOTTY: Final = re.compile(r"slot|time|appointment|avail|booking|termin|free|spot", re.IGNORECASE)
_LINKED: Final = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T /_,+-]|/|&\w{1,12}=)(\d{2})[:.-]?(\d{2})(?!\d)")
_LINKED_DAY: Final = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_MAX_CLIMB: Final = 4  # levels from a time to the element about its slot


def read_board(body: bytes, content_type: str, timezone: str, day: str | None, near: date | None = None) -> Discovery:
    """The slots of a page; `listed` also if it says that there are none. `near`: when it was read."""
    source, utf8 = with_utf8(body, content_type)
    if too_deep(utf8):
        raise BadFile("the page is nested too deeply")
    tree = LexborHTMLParser(source)
    for node in reversed(tree.css(_BESIDE)):
        node.decompose()
    if tree.body is None:
        return Discovery(timezone)
    page = tree_of(tree.body)
    board = _Board(timezone, month_first=has_am_pm(source), near=near)
    board.walk(_Place(page, Around(day=day)))
    several = day is not None and board.has_days_besides(day)
    if several:
        board = _Board(timezone, month_first=has_am_pm(source), near=near, heading=day)
        board.walk(_Place(page, Around()))
    board.judge()
    found = board.found
    if several and day:  # other days are other requests
        found.slots = [slot for slot in found.slots if slot.local.startswith(day)]
    if not found.listed and not board.unread:
        days = [] if day else read_days(page, timezone, month_first=has_am_pm(source))
        _find_days(found, page, days)
    if not found.listed and not board.unread:
        return read_scripts(source, timezone, day, month_first=has_am_pm(source)) or found
    return found


def _find_days(found: Discovery, page: Element, days: list[CalendarDay]) -> None:
    """For a page without times: whether it says that there are none, or the days that can be chosen."""
    found.listed = says_no_slots(page, frozenset(day.part for day in days))
    if not found.listed and (len(days) >= MIN_CELLS or any(day.is_open for day in days)):
        found.listed = True
        for day in days:
            if day.is_open:
                found.add(f"{day.day}T00:00", Around(booking_url=day.link))


class _Place(NamedTuple):
    """An element of the page and its context."""

    part: Element
    around: Around
    is_open: bool = True
    slotty: bool = False  # a surrounding element is named like a slot


class _Candidate(NamedTuple):
    """An element with the time of a slot."""

    place: _Place
    local: str
    sure: bool  # else only together with something to click
    alone: bool = False  # a cell of a grid: its surroundings are not about it


class _Board:
    """Walks a page in order: headings set the day for what follows, attributes for what they contain."""

    def __init__(self, timezone: str, *, month_first: bool, near: date | None, heading: str | None = None) -> None:
        self.found = Discovery(timezone, month_first=month_first)
        self._near = near
        self._days = DayHeadings(timezone, month_first=month_first, near=near)
        self.unread = False  # something to click has a time that could not be read as a slot
        self._timezone = timezone
        self._month_first = month_first
        self._heading = heading
        self._below_taken_heading = False  # the last heading says that the following slots are taken
        self._heading_days: set[str] = set()  # all days of headings
        self._days_with_times: set[str] = set()  # days with times below them
        self._headings: list[Element] = []  # headings without a day
        self._labels: dict[Element, CellLabel] = {}
        self._heads: set[Element] = set()
        self._full: set[Element] = set()  # rows of tables that count no place left
        self._candidates: list[_Candidate] = []
        self._times: dict[Element, set[str]] = {}  # up to two times inside each element
        self._by_id: dict[str, Element] = {}

    def walk(self, top: _Place) -> None:
        """Collect all possible slots."""
        waiting = [top]
        while waiting:
            place = self._with_attributes(waiting.pop())
            part = place.part
            if part in self._heads:
                continue
            if part.tag == "table" or is_grid(part, self._days.is_one):
                self._enter_table(part)
            if day := self._days.of(part):
                self._heading = day
                self._heading_days.add(day)
            elif part.tag in HEADINGS:
                self._headings.append(part)
            if part.tag in HEADINGS:
                self._below_taken_heading = state_in(part.text) is False
            candidate = self._candidate(place)
            if candidate is None:
                waiting.extend(place._replace(part=child) for child in reversed(part.children))
            else:
                self._add_slot(
                    candidate._replace(place=place._replace(is_open=False)) if self._below_taken_heading else candidate
                )

    def has_days_besides(self, day: str) -> bool:
        """Whether the page lists times of several days; one other day may be today."""
        return len(self._days_with_times) > 1 or (day in self._heading_days and len(self._heading_days) > 1)

    def judge(self) -> None:
        """Add every candidate that is an open slot."""
        venues = Venues(self._headings, lambda text: self._days.read(text) is not None)
        items = [(candidate, self._item(candidate)) for candidate in self._candidates]
        clickable = {(item.parent, item.tag) for _, item in items if item.choices and item.tag not in _TABLED}
        for candidate, item in items:
            if not candidate.sure and not is_offered(item):
                continue
            self.found.listed = True
            beside = (item.parent, item.tag) in clickable and not item.choices and not is_chosen(item)
            if not beside and self._is_open(candidate, item):
                linked = next((part for part in item.walk() if part.tag == "a" and part.attributes.get("href")), None)
                link = linked.attributes.get("href") if linked else None
                around = self._of_venue(candidate, venues.of(candidate.place.part))
                self.found.add(candidate.local, around._replace(booking_url=link))

    def _of_venue(self, candidate: _Candidate, name: str | None) -> Around:
        """The slot with the venue of a heading, if nothing nearer names one; courts in a table belong to that venue."""
        around = candidate.place.around
        label = self._labels.get(candidate.place.part, CellLabel())
        if name is None or (around.venue_id and not (label.name or label.whose)):
            return around
        there = within(around._replace(venue_id=None, venue_name=""), name, name)
        return within(there, around.venue_id, around.venue_name) if around.venue_id else there

    def _enter_table(self, part: Element) -> None:
        table = Table(part, self._timezone, month_first=self._month_first, near=self._near)
        self._labels |= table.labels
        self._heads |= table.heads
        self._full |= table.full

    def _with_attributes(self, place: _Place) -> _Place:
        """The place with what the element's attributes and its table say."""
        part, around, attributes = place.part, place.around, place.part.attributes
        if name := attributes.get("id"):
            self._by_id.setdefault(name, part)
        day = venue = None
        if part.has_data:
            day = next((day for one in _DAYS if (day := self._days.read(attributes.get(one)))), None)
            venue = next((venue for one in _VENUES if (venue := name_of(attributes.get(one)))), None)
        if day is None and name and (found := _LINKED_DAY.search(name)):
            day = self._days.read(found[0])
        label = self._labels.get(part, CellLabel())
        around = around._replace(
            day=day or label.day or around.day,
            venue_id=venue or around.venue_id,
            venue_name=name_of(attributes.get("data-venue-name")) or around.venue_name,
        )
        named = label.name or label.whose
        around = within(around, named, named) if named and not venue else around
        slotty = place.slotty or _SLOTTY.search(attributes.get("class") or "") is not None
        is_open = place.is_open and not is_gone(part, gone()) and part.tag not in STRIKES and part not in self._full
        return place._replace(around=around, slotty=slotty, is_open=is_open)

    def _candidate(self, place: _Place) -> _Candidate | None:
        part = place.part
        day = place.around.day or self._heading
        if part.tag in _TABLES or (
            part.tag == "tr" and not self._heads.isdisjoint(part.children)
        ):  # the slots are in its cells
            return None
        sure = part.tag in _SURE or place.slotty or "data-time" in part.attributes
        label = self._labels.get(part, CellLabel())
        local = (self._by_attributes(place, day) or self._by_text(place, day, sure=True)) if sure else None
        if local is None and label.clock and is_offer(part):
            local = local_time(label.clock, self._timezone, day)
        if local is not None:
            return _Candidate(place, local, sure=True, alone=bool(label.clock or label.name))
        self.unread = self.unread or self._is_unread(part)
        local = self._by_any_text(place, day) if part.tag in _PERHAPS else None
        return _Candidate(place, local, sure=False) if local else None

    def _by_attributes(self, place: _Place, day: str | None) -> str | None:
        """The time in the attributes of an element, or of the one or two times inside it."""
        part = place.part
        if (local := self._attribute(part, day)) is not None:
            return local
        if part.tag not in _HOLDING or part.inner_choices > 1 or not 0 < part.chars <= 200:
            return None
        times = [inner for inner in part.walk(40) if inner.tag == "time" and "datetime" in inner.attributes]
        if not 1 <= len(times) <= 2 or not has_clock(part.text):
            return None
        return self._attribute(times[0], day)

    def _attribute(self, part: Element, day: str | None) -> str | None:
        written = (part.attributes.get(name) for name in _TIMES)
        return next((local for value in written if value and (local := local_time(value, self._timezone, day))), None)

    def _by_text(self, place: _Place, day: str | None, *, sure: bool) -> str | None:
        part = place.part
        if part.inner_choices > (1 if part.tag in _HOLDING or not sure else 0):
            return None
        text = part.text
        linked = self._by_link(part, text, day) if part.tag == "a" else None
        slot_time = None if linked else self._slot_time(part, text, day)
        if linked or (slot_time and self._is_slot_time(part, slot_time)):
            return linked or (slot_time.local if slot_time else None)
        return self._by_accessible_label(part, day) if part.tag in CHOICES else None

    def _by_accessible_label(self, part: Element, day: str | None) -> str | None:
        """The day and time of an aria-label, where only the time is visible."""
        slot_time = (
            slot_time_in(part.labels_text, self._timezone, day, month_first=self._month_first) if has_clock(part.text) else None
        )
        return slot_time.local if slot_time and slot_time.dated else None

    def _slot_time(self, part: Element, text: str, day: str | None) -> SlotTime | None:
        if not text or len(text) > 120:
            return None
        joined = " ".join(part.node.text().split())  # 09<sup>:30</sup>
        return slot_time_in(text, self._timezone, day, month_first=self._month_first) or (
            slot_time_in(joined, self._timezone, day, month_first=self._month_first) if joined != text else None
        )

    def _is_slot_time(self, part: Element, slot_time: SlotTime) -> bool:
        """Whether the text around a time allows it to be a slot's."""
        known = not slot_time.rest or state_in(slot_time.rest) is not None or bool(states_in(slot_time.rest))
        if slot_time.dated:
            return known or slot_time.leading or part.tag in CHOICES or part.tag == "label"
        offered = part.tag in _HOLDING and part.inner_choices == 1
        return known or (slot_time.leading and (offered or part.tag in {"button", "option", "label"}))

    def _by_link(self, link: Element, text: str, day: str | None) -> str | None:
        """The time in a link's address, if its text is a time or an offer."""
        href = link.attributes.get("href") or ""
        if not any(sign.isdigit() for sign in href) or len(text) > 60 or href.startswith(("tel:", "mailto:")):
            return None
        address = unquote_plus(href[:2_000])
        found = _LINKED.search(address)
        whole = local_time(f"{found[1]}T{found[2]}:{found[3]}", self._timezone) if found else None
        days = _LINKED_DAY.search(address)
        slot_time = self._slot_time(link, text, day or (days[0] if days else None))
        if slot_time is None:
            return whole if text and state_in(text) else None
        if whole and whole[11:] == slot_time.local[11:] and not slot_time.dated:
            return whole
        return slot_time.local if self._is_slot_time(link, slot_time) else None

    def _by_any_text(self, place: _Place, day: str | None) -> str | None:
        """A full date and time in any element."""
        part = place.part
        if part.chars > 120 or part.inner_choices > 1:
            return None
        if part.tag == "time":
            return self._attribute(part, day) if has_clock(part.text) else None
        inside = [inner for inner in part.walk(40) if inner is not part]
        if any(self._attribute(inner, day) for inner in inside):
            return None
        slot_time = self._slot_time(part, part.text, day)
        if slot_time is None or (not slot_time.dated and part.inner_choices):
            return None
        if not slot_time.leading and not (slot_time.dated and any(one.attributes.get("type") in _TICKED for one in inside)):
            return None
        return slot_time.local if slot_time.dated or not slot_time.rest or states_in(slot_time.rest) else None

    def _is_unread(self, part: Element) -> bool:
        """Whether something to click has a time, alone or in its row, that is no slot yet."""
        if part.tag == "option":  # usually of a search form
            return False
        if part.tag in CHOICES and not (part.attributes.get("href") or "").startswith(("tel:", "mailto:")):
            return has_clock(part.text or (part.attributes.get("value") or "")[:100])
        if part.tag not in {"td", "li"} or not has_clock(part.text):
            return False
        row = part.parent if part.tag == "td" else part
        return row is not None and row.choices > 0

    def _add_slot(self, candidate: _Candidate) -> None:
        self._candidates.append(candidate)
        if self._heading:
            self._days_with_times.add(self._heading)
        self._headings += [part for part in candidate.place.part.walk(40) if part.tag in HEADINGS and not has_clock(part.text)]
        above: Element | None = candidate.place.part
        for _ in range(_MAX_CLIMB + 1):
            if above is None:
                return
            times = self._times.setdefault(above, set())
            if len(times) < 2:
                times.add(candidate.local)
            above = above.parent

    def _item(self, candidate: _Candidate) -> Element:
        """The largest element around a time without other times: the row, the item, the card."""
        item = candidate.place.part
        if candidate.alone or item.tag in _ROWS:
            return item
        above = item
        for _ in range(_MAX_CLIMB):
            if above.parent is None or above.parent.tag in _WHOLES or len(self._times.get(above.parent, ())) > 1:
                break
            above = above.parent
            if above.tag in _ROWS:
                return above
            if item.tag not in CHOICES and above.chars <= 240:
                item = above
        return item

    def _is_open(self, candidate: _Candidate, item: Element) -> bool:
        part = candidate.place.part
        named = self._by_id.get(part.attributes.get("for") or "", part) if part.tag == "label" else part
        if not candidate.place.is_open or any(map(says_gone, (part, item, named))) or is_struck(item) or is_blocked(item):
            return False
        slot_time = verdicts_in_text(item)
        if item.tag in _ROWS or item is part:
            return False not in slot_time and not is_marked_gone(item)
        return False not in slot_time or True in slot_time  # a card may contain a legend
