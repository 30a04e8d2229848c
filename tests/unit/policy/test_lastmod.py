"""Which pages of a site rest, by the dates of its sitemap."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from driftline.model.watch import ChildCheck
from driftline.policy.lastmod import resting

AT = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
LONG_AGO = AT - 300 * DAY
HONEST = {f"proof {number}": AT - 5 * DAY for number in range(10)}
PROOFS = [ChildCheck(key=key, checked_at=AT - DAY, changed_after_at=date) for key, date in HONEST.items()]


def rest(modified: Mapping[str, datetime], *checks: ChildCheck, every: timedelta = DAY) -> set[str]:
    """Which of these rest beside ten pages whose dates moved with their changes."""
    return set(resting([*PROOFS, *checks], HONEST | dict(modified), at=AT, next_at=AT + every)) - set(HONEST)


def test_a_page_that_was_checked_well_after_its_date_rests() -> None:
    assert rest({"old": LONG_AGO}, ChildCheck(key="old", checked_at=AT - DAY)) == {"old"}


def test_a_page_that_was_modified_lately_or_has_no_date_is_fetched() -> None:
    checked = [ChildCheck(key=key, checked_at=AT - DAY) for key in ("since", "just_before", "to_come", "undated")]
    assert rest({"since": AT, "just_before": AT - 2 * DAY, "to_come": AT + 300 * DAY}, *checked) == set()


def test_a_page_is_fetched_after_a_while_whatever_its_date_says() -> None:
    checks = [ChildCheck(key=f"d{days}", checked_at=AT - days * DAY) for days in range(1, 40)]
    dates = dict.fromkeys((check.key for check in checks), LONG_AGO)
    assert rest(dates, *checks) == {f"d{days}" for days in range(1, 7)}
    assert rest(dates, *checks, every=7 * DAY) == {f"d{days}" for days in range(1, 24)}, "no longer than a month"
    assert rest(dates, *checks, every=60 * DAY) == set()


def test_dates_are_not_believed_before_changes_proved_them() -> None:
    old = ChildCheck(key="old", checked_at=AT - DAY)
    for proofs, rests in ((0, False), (2, False), (3, True)):
        found = resting([old, *PROOFS[:proofs]], HONEST | {"old": LONG_AGO}, at=AT, next_at=AT + DAY)
        assert ("old" in found) is rests


def test_a_page_that_changed_under_its_old_date_is_always_fetched_and_few_such_let_none_rest() -> None:
    old = ChildCheck(key="old", checked_at=AT - DAY)
    wrong = [ChildCheck(key=f"wrong{number}", checked_at=AT - DAY, changed_after_at=AT - 5 * DAY) for number in range(2)]
    dates = dict.fromkeys((check.key for check in (old, *wrong)), LONG_AGO)
    assert rest(dates, old, wrong[0]) == {"old"}
    assert rest(dates, old, *wrong) == set()
