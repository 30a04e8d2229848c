"""Which pages of a site need not be fetched, by the dates of its sitemap; a pure function of its arguments.

The dates are believed only where they proved honest: changes that checks found had moved them. A page that rests is not
recorded as checked, and is fetched again after a while whatever its date says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final

from driftline.model.watch import ChildCheck

LATE_FOR: Final = timedelta(days=2)  # a page that was modified so shortly before its check is checked again: caches, time zones
_PRECISION: Final = timedelta(days=1)  # many dates have no time
_RESTS_AT_MOST: Final = 7  # checks of the site without one of the page
_RESTS_AT_MOST_FOR: Final = timedelta(days=30)
_HONEST_AT_LEAST: Final = 3  # changes that moved the date of their page
_HONEST_SHARE: Final = 10  # of those for each change that did not


def resting(
    checks: Iterable[ChildCheck], modified: Mapping[str, datetime], *, at: datetime, next_at: datetime
) -> frozenset[str]:
    """The keys of pages that did not change since their last check, if the site's dates can be believed.

    `next_at` is when the site itself is checked again.
    """
    known = [(check, modified[check.key]) for check in checks if check.key in modified]
    honest = sum(1 for check, date in known if check.changed_after_at and date + _PRECISION >= check.changed_after_at)
    wrong = {check.key for check, date in known if check.changed_after_at and date + LATE_FOR < check.changed_after_at}
    if honest < _HONEST_AT_LEAST or len(wrong) * _HONEST_SHARE > honest:
        return frozenset()
    longest = min((next_at - at) * _RESTS_AT_MOST, _RESTS_AT_MOST_FOR)
    return frozenset(
        check.key
        for check, date in known
        if date + LATE_FOR < check.checked_at and next_at - check.checked_at <= longest and check.key not in wrong
    )
