"""Reads query parameters and form fields: plain text, bounded, and only known names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from litestar import Request

from driftline.core.text.safety.sanitize import sanitize
from driftline.policy.schedule.zones import zone

MAX_VALUE: Final = 4096  # characters of one query parameter
MAX_FIELD: Final = 200_000  # characters of one form field


class FormValues(Mapping[str, str]):
    """Values by name; one that was not given is empty."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self.given = {name: value for name, value in values.items() if value}  # those that are not empty

    @classmethod
    def of(cls, request: Request[Any, Any, Any], *names: str) -> FormValues:
        """These query parameters."""
        text = request.scope["query_string"].decode("latin-1")
        given = dict(reversed(parse_qsl(text, keep_blank_values=True)))  # the first of each counts
        return cls({name: sanitize(given.get(name, ""))[:MAX_VALUE].strip() for name in names})

    @classmethod
    async def form(cls, request: Request[Any, Any, Any]) -> FormValues:
        """The fields of a form."""
        fields = await request.form()
        return cls({name: sanitize(value)[:MAX_FIELD].strip() for name, value in fields.items() if isinstance(value, str)})

    def __getitem__(self, name: str) -> str:
        return self._values.get(name, "")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


_FIRST_DAY, _LAST_DAY = date(1970, 1, 1), date(2200, 1, 1)  # beyond them there are no changes, and clocks of other zones end


def days_between(since: str, until: str, timezone: str) -> tuple[datetime | None, datetime | None]:
    """From the beginning of one day to the end of another, on the reader's clock; nothing where it is no day."""
    return _day(since, timezone), _day(until, timezone, after=timedelta(days=1))


def _day(text: str, timezone: str, *, after: timedelta = timedelta(0)) -> datetime | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return datetime.combine(min(max(day, _FIRST_DAY), _LAST_DAY) + after, time(), zone(timezone))


async def all_values(request: Request[Any, Any, Any], name: str) -> list[str]:
    """Every value of a field that may be repeated."""
    return [value for value in (await request.form()).getall(name, []) if isinstance(value, str)]


def query(given: Mapping[str, str], **more: str) -> str:
    """The query string of an address."""
    values = {name: value for name, value in {**given, **more}.items() if value}
    return f"?{urlencode(values)}" if values else ""
