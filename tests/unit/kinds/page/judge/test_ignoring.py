"""What ignoring a change would hide, what would still be reported, and the text rules that cover the rest."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from driftline.kinds.page.judge.ignoring import ignoring
from driftline.kinds.page.judge.masks import learn
from driftline.kinds.page.rules import PageRules
from driftline.model.noise.mask import Ignoring, Mask
from driftline.pages import read_page

AT = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)


def page(promo: str = "Try our kayaks", note: str = "Boats leave at noon", title: str = "Harbour", more: str = "") -> str:
    return (
        f"<html><head><title>{title}</title></head><body><main><h1>Harbour</h1><p>Welcome to the harbour of the town.</p>"
        f'<div class="promo"><p>{promo}</p></div><p class="note">{note}</p>{more}</main></body></html>'
    )


def told(before: str, after: str, masks: list[Mask] | None = None) -> Ignoring:
    rules = PageRules()
    return ignoring(read_page(before, rules=rules), read_page(after, rules=rules), rules, masks or [])


def test_what_a_mask_covers_is_hidden_and_the_rest_is_left() -> None:
    one, other = page("Try our kayaks"), page("Rivers run deep")
    masks = learn(read_page(one), read_page(other), evidence="differed", at=AT)
    found = told(one, page("Rivers run deep", "Boats leave at dawn"), masks)
    assert [(hidden.before, hidden.after) for hidden in found.hidden] == [("Try our kayaks", ""), ("", "Rivers run deep")]
    assert [(left.rule, left.before, left.after) for left in found.left] == [("", "Boats leave at noon", "Boats leave at dawn")]
    assert found.ignore_text == ("Boats leave at noon", "Boats leave at dawn")


@pytest.mark.parametrize(
    ("before", "after", "patterns"),
    [
        ("Gate 12 of 14/b opens", "Gate 7 of 15/b opens", (r"/^Gate\ \d+(?:[.,:]\d+)*\ of\ \d+(?:[.,:]\d+)*\/b\ opens$/",)),
        ("A1", "B2", ()),  # too short to name a line
        ("Open", "/closed/ for now", ("Open",)),
        ("Open now", "Now closed", ("Open now", "Now closed")),
        ("Open " + "x" * 300, "Closed for good", ("Closed for good",)),
    ],
)
def test_a_line_that_is_left_is_offered_as_a_text_rule(before: str, after: str, patterns: tuple[str, ...]) -> None:
    assert told(page(note=before), page(note=after)).ignore_text == patterns


def test_a_title_is_left_too() -> None:
    (left,) = told(page(), page(title="Marina")).left
    assert (left.place, left.before, left.after) == ("title", "Harbour", "Marina")


def test_a_line_that_came_has_nothing_before_it_and_ten_rules_are_enough() -> None:
    came = "".join(f"<p>Notice {'abcdefghijkl'[number] * 4} was put up</p>" for number in range(12))
    found = told(page(), page(more=came))
    assert {left.before for left in found.left} == {""}
    assert (len(found.left), len(found.ignore_text)) == (12, 10)
