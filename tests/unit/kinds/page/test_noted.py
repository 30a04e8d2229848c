"""Differences that turned out to be noise are noted, by source and by scan, and named when somebody asks."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from driftline.kinds.kind import Hint
from driftline.kinds.page.kind import KIND
from driftline.kinds.page.noted import RAW, of_pieces
from driftline.kinds.page.rules import PageRules
from driftline.model.account import Features
from driftline.model.change import Suppressed
from driftline.model.fetch import Fetched, Request
from driftline.model.item import Known

AT = datetime(2026, 3, 1, tzinfo=UTC)
LONG = "The reading room is on the second floor, behind the stairs. " * 5
PAGE = """<html><head><title>Hours</title><meta name="request-id" content="{0}"></head><body><h1>Hours</h1><p>{1}</p>
<p>1,20{0} views</p><a href="/map?utm_source={0}">Map</a></body></html>"""


def answer(number: int, text: str) -> Fetched:
    body = PAGE.format(number, text).encode()
    return Fetched(request=Request(url="http://a.example/"), url="http://a.example/", status=200, headers={}, body=body, at=AT)


def noted(text: str, *, number: int) -> tuple[Suppressed, ...]:
    """What a second reading notes of a page that differs from the first by noise."""
    rules = PageRules()
    (item,) = KIND.read(answer(1, text), rules, None).items
    memo = KIND.pack(item.state, Features()).memo
    known = Known(item_id=UUID(int=1), key=item.key, fingerprint=item.fingerprint, version=1, memo=memo)
    reading = KIND.read(answer(number, text), rules, Hint(known=known))
    assert reading.items[0].fingerprint == item.fingerprint
    return reading.suppressed


@pytest.mark.parametrize("text", [LONG, "Open."], ids=["by-source", "by-scan"])
def test_what_a_reading_drops_is_noted(text: str) -> None:
    notes = noted(text, number=2)
    assert any("1,202 views" in note.after for note in notes)
    assert any("utm_source=2" in note.after for note in notes)
    assert {note.rule for note in notes} <= {RAW, "address", "metadata"}


@pytest.mark.parametrize("text", [LONG, "Open."], ids=["by-source", "by-scan"])
def test_the_same_answer_leaves_no_note(text: str) -> None:
    assert noted(text, number=1) == ()


def test_notes_are_few_and_short() -> None:
    notes = of_pieces([b"p>" + b"x" * 100_000] * 1_000)
    assert len(notes) <= 12
    assert max(len(note.after) for note in notes) <= 160
