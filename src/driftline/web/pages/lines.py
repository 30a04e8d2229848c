"""Rows of long lists as HTML: each made once and kept. How long ago its instants are is filled in whenever it is shown."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from markupsafe import Markup

from driftline.store.codec import Codec
from driftline.store.rows import Row
from driftline.web.kept import Kept
from driftline.web.pages.rendering import Line, apart, environment
from driftline.web.pages.times import ago

_ZONES: Final = 64  # whose macros are held


def lines(macro: str, value: Callable[[Codec, Row], object]) -> Kept[Line]:
    """Rows as `macro` of rows.html shows them; kept by the row, the reader's time zone, and what else the macro is told."""

    def draw(codec: Codec, row: Row, timezone: str, *more: Hashable) -> Line:
        return drawn(macro, timezone, value(codec, row), *more)

    return Kept(draw)


def drawn(macro: str, timezone: str, *values: object) -> Line:
    """One row."""
    return apart(str(getattr(_macros(timezone), macro)(*values)))


def filled(shown: Iterable[Line], *, now: datetime) -> Markup:
    """The rows, one after the other, as they are now."""
    parts = [part if isinstance(part, str) else ago(part, now=now) for line in shown for part in line]
    return Markup("".join(parts))  # noqa: S704 - templates wrote it, and escaped what was not theirs


@lru_cache(maxsize=_ZONES)
def _macros(timezone: str) -> Any:
    return environment().get_template("rows.html").make_module({"timezone": timezone, "now": None})
