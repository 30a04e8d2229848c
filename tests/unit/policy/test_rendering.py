"""When the browser is asked, and how long that is remembered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec
import pytest

from driftline.model.fetch import FetchOptions
from driftline.model.watch import Watch
from driftline.policy.rendering import (
    IN_VAIN_FOR,
    REMEMBERED_FOR,
    asked_again_at,
    is_better_rendered,
    is_rendered_first,
    is_worth_rendering,
    remembered,
    was_in_vain,
)

AT = datetime(2026, 2, 1, tzinfo=UTC)
LATER = AT + timedelta(days=1)


def watch(options: FetchOptions | None = None, *, browser_until: datetime | None = None) -> Watch:
    one = UUID(int=1)
    return Watch(
        id=one,
        org_id=one,
        source_id=one,
        kind="page",
        url="https://a.example/",
        name="a",
        created_at=AT,
        fetch=options or FetchOptions(),
        browser_until=browser_until,
    )


@pytest.mark.parametrize(
    ("outcome", "reason", "worth"),
    [
        ("needs_browser", "made by scripts", True),
        ("selector_missing", "nothing matches .price", True),
        ("blocked", "challenge: cloudflare", True),
        ("blocked", "http 403", True),
        ("blocked", "robots.txt", False),
        ("blocked", "consent: google", False),
        ("error", "http 404", False),
        (None, None, False),
    ],
)
def test_the_browser_is_asked_where_it_may_get_what_the_plain_answer_did_not_hold(
    outcome: str | None, reason: str | None, worth: bool
) -> None:
    assert is_worth_rendering(FetchOptions(), outcome, reason) is worth
    assert not is_worth_rendering(FetchOptions(browser="never"), outcome, reason)
    assert not is_worth_rendering(FetchOptions(method="POST"), outcome, reason)


def test_a_watch_that_needed_the_browser_goes_there_at_once_for_a_week() -> None:
    until = remembered(watch(), rendered=True, at=AT)
    assert until == AT + REMEMBERED_FOR
    known = watch(browser_until=until)
    assert is_rendered_first(known, at=LATER)
    assert remembered(known, rendered=True, at=LATER) == until
    assert not is_rendered_first(known, at=AT + REMEMBERED_FOR)
    assert remembered(known, rendered=True, at=AT + REMEMBERED_FOR) == AT + 2 * REMEMBERED_FOR


def test_a_plain_answer_that_is_enough_ends_the_memory() -> None:
    assert remembered(watch(browser_until=LATER), rendered=False, at=AT) is None


def test_the_watch_may_always_or_never_want_the_browser() -> None:
    assert is_rendered_first(watch(FetchOptions(browser="always")), at=AT)
    assert not is_rendered_first(watch(FetchOptions(browser="never"), browser_until=LATER), at=AT)
    assert not is_rendered_first(watch(FetchOptions(browser="always", method="POST")), at=AT)
    assert remembered(watch(FetchOptions(browser="always")), rendered=True, at=AT) is None


def test_what_the_browser_saw_counts_where_it_saw_the_page_or_that_nothing_is_on_it() -> None:
    assert is_better_rendered(None, None)
    assert is_better_rendered("error", "empty in the browser")
    assert not is_better_rendered("error", "no browser: Chromium is not installed")
    assert not is_better_rendered("needs_browser", "made by scripts")


def test_a_browser_that_did_not_help_is_asked_again_after_a_day() -> None:
    again_at = asked_again_at(watch(), in_vain=True, at=AT)
    assert again_at == AT + IN_VAIN_FOR
    known = msgspec.structs.replace(watch(), browser_again_at=again_at)
    assert was_in_vain(known, at=AT + IN_VAIN_FOR / 2)
    assert asked_again_at(known, in_vain=False, at=AT + IN_VAIN_FOR / 2) == again_at
    assert not was_in_vain(known, at=AT + IN_VAIN_FOR)
    assert not was_in_vain(watch(), at=AT)
