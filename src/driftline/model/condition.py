"""Conditions: what has to hold of a change before somebody is notified of it."""

from __future__ import annotations

from datetime import datetime, time
from decimal import Decimal
from typing import Literal, TypeAlias, get_args

import msgspec

from driftline.model.change import Change, Severity

Way = Literal["added", "removed", "changed", "appears", "disappears"]
Quantity = Literal["price", "number", "count", "size", "status"]
Comparison = Literal["<", "<=", "=", "!=", ">=", ">"]


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="is"):
    """One form of condition; in JSON and YAML, `is` names it."""


class AllOf(_Part, frozen=True, kw_only=True, tag="all"):
    """Every one of them holds."""

    of: tuple[Condition, ...]


class AnyOf(_Part, frozen=True, kw_only=True, tag="any"):
    """At least one of them holds."""

    of: tuple[Condition, ...]


class Not(_Part, frozen=True, kw_only=True, tag="not"):
    """It does not hold."""

    of: Condition


class Says(_Part, frozen=True, kw_only=True, tag="text"):
    """What the change adds, removes or changes; without a text: anything."""

    how: Way
    text: str | None = None  # plain text, or /a regular expression/
    field: str | None = None  # of an entry: only its value is read


class Measure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is measured of a page or an entry."""

    of: Quantity
    text: str | None = None  # number: on the first line with this text; count: how often it occurs
    field: str | None = None  # number: the value of this field of an entry


class Compared(_Part, frozen=True, kw_only=True, tag="compare"):
    """The measure after the change, against a fixed value."""

    what: Measure
    op: Comparison
    value: Decimal


class Between(_Part, frozen=True, kw_only=True, tag="between"):
    """The measure after the change lies in a range, bounds included."""

    what: Measure
    low: Decimal
    high: Decimal


class Moved(_Part, frozen=True, kw_only=True, tag="moves"):
    """The measure rose or fell with the change."""

    what: Measure
    way: Literal["rises", "falls"]
    by: Decimal | None = None  # at least this much; None: at all
    percent: bool = False  # `by` is a percentage of the value before


class Extreme(_Part, frozen=True, kw_only=True, tag="extreme"):
    """The measure is lower or higher than ever before, or than in the last days."""

    what: Measure
    which: Literal["low", "high"]
    days: int | None = None  # None: of all time


class HasSelector(_Part, frozen=True, kw_only=True, tag="selector"):
    """Whether a selector finds something on the page after the change."""

    selector: str
    present: bool = True


class SeverityAtLeast(_Part, frozen=True, kw_only=True, tag="severity"):
    """The change is at least this severe."""

    level: Severity


class TimeOfDay(_Part, frozen=True, kw_only=True, tag="time"):
    """The change was found at this time of day; if `ends` is before `starts`, past midnight."""

    starts: time
    ends: time


Condition: TypeAlias = (
    AllOf | AnyOf | Not | Says | Compared | Between | Moved | Extreme | HasSelector | SeverityAtLeast | TimeOfDay
)
Measuring: TypeAlias = Compared | Between | Moved | Extreme


class ConditionVerdict(msgspec.Struct, frozen=True):
    """Whether a condition holds, with the reason in words."""

    holds: bool | None  # None: it cannot be known
    reason: str


class MeasuredAt(msgspec.Struct, frozen=True):
    """The value of a measure from an instant on; None: there was none."""

    at: datetime
    value: Decimal | None


class VersionText(msgspec.Struct, frozen=True):
    """The text of a stored version; None: it was not kept."""

    at: datetime
    text: str | None


class StoredBody(msgspec.Struct, frozen=True):
    """Where the page after a change is kept."""

    key: str
    content_type: str


class ChangeEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """A change with what else conditions ask about; the rest is loaded only where a condition needs it."""

    change: Change
    timezone: str = "UTC"  # for the time of day
    prices: tuple[MeasuredAt, ...] = ()  # of the item's versions up to the one after the change, oldest first
    versions: tuple[VersionText, ...] = ()  # of the page up to the one after the change, oldest first
    body: StoredBody | None = None  # of the page after the change, for selectors; None: not kept
    selectors: dict[str, bool | None] = {}  # whether each finds something; None: the page was not kept


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """What conditions can ask about the watches of a kind."""

    kind: str = ""
    fields: tuple[str, ...] = ()  # of its entries; none: any name is taken
    quantities: tuple[Quantity, ...] = get_args(Quantity)
    selectors: bool = False


class EvidenceNeeds(msgspec.Struct, frozen=True, kw_only=True):
    """What a condition asks about beyond the change itself."""

    prices: bool = False
    price_history: bool = False  # also of changes that say their price
    versions: bool = False  # the texts of earlier versions
    texts: bool = False  # the text before and after
    selectors: frozenset[str] = frozenset()

    def __or__(self, other: EvidenceNeeds) -> EvidenceNeeds:
        return EvidenceNeeds(
            prices=self.prices or other.prices,
            price_history=self.price_history or other.price_history,
            versions=self.versions or other.versions,
            texts=self.texts or other.texts,
            selectors=self.selectors | other.selectors,
        )
