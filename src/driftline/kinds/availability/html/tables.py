"""What the rows and columns of a table say about its cells: the day, the time, the court or the person."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Final, NamedTuple

from driftline.core.lexicon import all_of, any_of, pattern_of, words
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.availability.html.slot_attributes import is_offer
from driftline.kinds.availability.html.tree import CHOICES, Element
from driftline.kinds.availability.html.venues import is_venue_name
from driftline.kinds.availability.slot import name_of
from driftline.kinds.availability.slot_text import CLOCK, has_clock, is_day, slot_time_in, state_in
from driftline.kinds.availability.yearless_dates import day_near

_MAX_COLUMNS: Final = 100  # columns
_MAX_ROW_SPAN: Final = 100  # of one cell
_MAX_GRID_COLUMNS: Final = 15  # of a grid that is not a table element
_LAID_OUT: Final = frozenset({"div", "section", "ul", "ol"})
_MAX_CELLS: Final = 50_000  # of one table, spans included

# Column headings that describe the row, and are no court or person; one with a number always is.
_ROW_INFO: Final = lazy_regex(
    lambda: (
        rf"\b(?:{any_of('board.heading.stem')})\w*|\b(?:{any_of('board.heading.word')})\b|#|{any_of('board.heading.solid')}"
    ),
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(r"\w\s?(?:\d{1,3}|\b[A-Z])$")
# Days without a year, which are no courts either, if all headings are like these.
_WEEKDAY: Final = lazy_regex(
    lambda: (
        rf"(?:{pattern_of((*all_of('weekdays'), *all_of('weekdays_short'), *words('board.weekday')))})\b|"
        rf"(?:{pattern_of(all_of('weekdays_sign'))})\b|\d{{1,2}}[./]\d{{1,2}}\.?(?:\s|$)"
    ),
    re.IGNORECASE,
)
_ENDS: Final = lazy_regex(lambda: rf"end|to$|until|closes|{any_of('board.ends')}", re.IGNORECASE)


class CellLabel(NamedTuple):
    """What headings say about a cell."""

    day: str | None = None
    clock: str | None = None
    name: str | None = None
    whose: str | None = None  # named by the first cell of a row whose other cells are about one slot

    def over(self, other: CellLabel) -> CellLabel:
        """Both labels combined, this one first."""
        return CellLabel(self.day or other.day, self.clock or other.clock, self.name or other.name, self.whose or other.whose)


_Row = list[Element | None]  # a cell is in every column and row that it spans


class Table:
    """The labels of a table's cells, and which cells are labels themselves."""

    def __init__(self, table: Element, timezone: str, *, month_first: bool, near: date | None = None) -> None:
        self.labels: dict[Element, CellLabel] = {}
        self.heads: set[Element] = set()
        self.full: set[Element] = set()  # rows whose column of places left has none
        self._timezone = timezone
        self._month_first = month_first
        self._near = near
        self._columns: list[CellLabel] = []
        self._day: str | None = None  # of a row that is only a day
        rows = [(row, self._is_heading(row, first=not number)) for number, row in enumerate(_grid(table))]
        self._courts = self._named_columns(rows)
        again = False
        for row, heads in rows:
            if heads:
                self._head(row, add=again)
            else:
                self._body(row)
            again = heads

    def _label(self, cell: Element | None) -> CellLabel:
        if cell is None:
            return CellLabel()
        text = cell.text
        if CLOCK.fullmatch(text) and not cell.inner_choices:
            return CellLabel(clock=text)
        day = self._day_in(cell)
        return (
            CellLabel(day=day)
            if day
            else CellLabel(name=name_of(text) if text and len(text) <= 60 and not has_clock(text) else None)
        )

    def _day_in(self, cell: Element) -> str | None:
        """The day of a date cell: by its text, or by an attribute if it has nothing to click."""
        said = (inner.attributes.get(name) for inner in cell.walk(10) for name in ("data-date", "datetime"))
        written = cell.text if cell.inner_choices or has_clock(cell.text) else next(filter(None, said), cell.text)
        if not cell.text:
            return None
        return is_day(written, self._timezone, month_first=self._month_first) or day_near(written, self._near, self._timezone)

    def _is_heading(self, row: _Row, *, first: bool) -> bool:
        cells = list(dict.fromkeys(cell for cell in row if cell is not None))
        if not cells:
            return False
        if all(cell.tag == "th" for cell in cells) or _is_in_head(cells[0]):
            return True
        if len(cells) == 1:
            return self._day_in(cells[0]) is not None
        if first and all(not cell.choices and self._day_in(cell) for cell in cells):
            return True
        said = [cell for cell in cells if has_clock(cell.text) or is_offer(cell)]
        return first and not said and all(cell.text for cell in cells[1:]) and not self._day_in(cells[0])

    def _head(self, row: _Row, *, add: bool) -> None:
        """Read a row of headings; a second one refines each column."""
        labels = [self._label(cell) for cell in row]
        self.heads.update(cell for cell in row if cell is not None)
        if len({*row}) == 1 and labels[0].day:
            self._day = labels[0].day
            return
        others = labels[1:]
        if len(others) > 1 and labels[0].day and (all(one.name for one in others) or all(one.clock for one in others)):
            self._day, labels[0] = labels[0].day, CellLabel()  # in the corner: for the whole grid
        above = [*(self._columns if add else []), *[CellLabel()] * len(labels)]
        self._columns = [_combine(label, above[number]) for number, label in enumerate(labels)]

    def _column(self, number: int) -> CellLabel:
        label = self._columns[number] if number < len(self._columns) else CellLabel()
        return label if number in self._courts else label._replace(name=None)

    def _body(self, row: _Row) -> None:
        """Labels of a row's cells: from the column headings, or from the row's own day."""
        first = row[0] if row else None
        head = self._label(first)
        columns = [self._column(number) for number in range(len(row))]
        across = any(label.clock for label in columns[1:])
        if (
            first is not None
            and not columns[0].day
            and 0 not in self._courts
            and (across or (head.clock and any(map(any, columns[1:]))))
        ):
            self.heads.add(first)
        else:
            head = self._row_day(row)._replace(whose=self._row_name(row))
        self._count_places(row)
        for cell, column in zip(row, columns, strict=True):
            if cell is not None and cell not in self.heads:
                self.labels.setdefault(cell, head.over(column).over(CellLabel(day=self._day)))

    def _row_day(self, row: _Row) -> CellLabel:
        """The day that one cell gives the others; a second time next to an offer is the end of the first."""
        cells = list(dict.fromkeys(cell for cell in row if cell is not None))
        days = {cell: day for cell in cells if not cell.inner_choices and (day := self._day_in(cell))}
        clocks = [cell for cell in cells if CLOCK.fullmatch(cell.text) and not cell.inner_choices]
        if len(days) == 1:
            self.heads.update(days)
        offered = any(is_offer(cell) for cell in cells if cell not in clocks)
        for number, cell in enumerate(row):
            heading = self._columns[number].name if number < len(self._columns) else None
            described = heading is not None and (
                _ENDS.match(heading) or (clocks[:1] == row[:1] and not _WEEKDAY.match(heading))
            )
            if cell in clocks[1:] and number not in self._courts and (offered or described):
                self.heads.add(cell)
        return CellLabel(day=next(iter(days.values()))) if len(days) == 1 else CellLabel()

    def _row_name(self, row: _Row) -> str | None:
        """The office, doctor or class that the first cell names, in a table with headings."""
        first = row[0] if row else None
        if first is None or not self._columns or self._columns[0].day or self._courts or row.count(first) > 1:
            return None
        name = self._label(first).name
        return name if name and name[0].isalpha() and is_venue_name(name) else None

    def _count_places(self, row: _Row) -> None:
        """Remember a row that has `0` below `Seats left`."""
        for cell, column in zip(row, self._columns, strict=False):
            if cell is None or cell.parent is None or not column.name or cell.text != "0":
                continue
            if state_in(f"0 {column.name}") is False:
                self.full.add(cell.parent)

    def _named_columns(self, rows: list[tuple[_Row, bool]]) -> set[int]:
        """The columns of courts and persons: below their names are only offers and times."""
        names: dict[int, str] = {}
        fit: dict[int, bool] = {}
        for row, heads in rows:
            for number, cell in enumerate(row):
                if cell is not None and heads and row.count(cell) == 1 and (name := self._label(cell).name):
                    names[number] = name
                elif cell is not None and not heads and (cell.text or cell.choices or is_offer(cell)):
                    fit[number] = fit.get(number, True) and (
                        is_offer(cell) or _is_blank(cell) or self._is_time(cell, beside=row[0])
                    )
        others = [name for number, name in names.items() if number]
        if len(others) > 1 and all(map(_WEEKDAY.match, others)):
            return set()
        return {
            number
            for number, name in names.items()
            if fit.get(number) and (_NUMBERED.search(name) or (number and not _ROW_INFO.search(name)))
        }

    def _is_time(self, cell: Element, beside: Element | None) -> bool:
        """Whether a cell is a time of its column's court: not one of any day, nor the end of the row's time."""
        found = slot_time_in(cell.text, self._timezone, "2000-01-01")
        if found is None or found.dated:
            return False
        ends = beside is not None and CLOCK.fullmatch(beside.text) and CLOCK.fullmatch(cell.text) and not cell.choices
        return not ends or (beside is not None and beside.text == cell.text)


def _combine(label: CellLabel, above: CellLabel) -> CellLabel:
    """A heading with the one above it: a day, or the hall of a court."""
    both = label.over(above)
    return both._replace(name=f"{above.name} {label.name}") if label.name and above.name else both


def _is_blank(cell: Element) -> bool:
    return not any(sign.isalnum() for sign in cell.text)


def _is_in_head(cell: Element) -> bool:
    row = cell.parent
    return row is not None and row.parent is not None and row.parent.tag == "thead"


def is_grid(part: Element, is_day: Callable[[Element], bool]) -> bool:
    """Whether plain elements are laid out like a table: a row of days, and as many columns below."""
    if part.tag not in _LAID_OUT or not 2 <= len(part.children) <= _MAX_ROW_SPAN:
        return False
    head, *body = (row.children for row in part.children)
    if not 2 <= len(head) <= _MAX_GRID_COLUMNS or any(len(row) != len(head) for row in body):
        return False
    if any(cell.tag in CHOICES for row in body for cell in row) or not all(map(is_day, head[1:])):
        return False
    return is_day(head[0]) or not head[0].chars or all(CLOCK.fullmatch(row[0].text) for row in body)


def _rows(table: Element) -> Iterator[Element]:
    if table.tag in _LAID_OUT:
        yield from table.children
        return
    for part in table.children:
        if part.tag == "tr":
            yield part
        elif part.tag in {"thead", "tbody", "tfoot"}:
            yield from (row for row in part.children if row.tag == "tr")


def _grid(table: Element) -> list[_Row]:
    """The rows, with every cell in each position that it spans."""
    rows: list[_Row] = []
    below: dict[int, tuple[Element, int]] = {}  # column -> a spanning cell, and its remaining rows
    budget = _MAX_CELLS
    for part in _rows(table):
        row: _Row = []
        waiting = [cell for cell in part.children if cell.tag in {"td", "th"} or table.tag in _LAID_OUT]
        for cell in waiting:
            _continue_spans(row, below)
            wide, long = _span(cell, "colspan", _MAX_COLUMNS), _span(cell, "rowspan", _MAX_ROW_SPAN)
            for _ in range(min(wide, max(_MAX_COLUMNS - len(row), 0))):
                if long > 1:
                    below[len(row)] = (cell, long - 1)
                row.append(cell)
        _continue_spans(row, below)
        budget -= len(row)
        if budget < 0:
            return rows
        rows.append(row)
    return rows


def _continue_spans(row: _Row, below: dict[int, tuple[Element, int]]) -> None:
    """Add the cells that span into this row."""
    while len(row) in below and len(row) < _MAX_COLUMNS:
        cell, more = below.pop(len(row))
        if more > 1:
            below[len(row)] = (cell, more - 1)
        row.append(cell)


def _span(cell: Element, name: str, limit: int) -> int:
    said = (cell.attributes.get(name) or "1").strip()
    return max(1, min(int(said), limit)) if said.isdecimal() and len(said) < 6 else 1
