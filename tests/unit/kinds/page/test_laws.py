"""Laws 12 and 13 for pages: readers end up with what the page says, and an answer that is no page says nothing."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.kinds.page.test_kind import Shown, hint_of, page, read

from driftline.kinds.page.rules import PageRules
from driftline.policy import flapping

SAYINGS = ("Open on Monday", "Shut until May", "Sold to the city")
NO_PAGES = ("", page(""), page("<div>" * 200_000 + "Open on Monday"), page("<h1>404 Not Found</h1>", title="404 Not Found"))


def saying(text: str) -> str:
    return page(f"<main><h1>The old mill</h1><p>{text}</p><p>Built by the river in 1890.</p></main>")


@given(st.lists(st.sampled_from(SAYINGS), min_size=1, max_size=12))
def test_the_last_message_says_what_the_page_says(texts: list[str]) -> None:
    shown = Shown(saying(texts[0]))
    told = said = texts[0]
    for text in texts[1:]:
        if text != said:
            if any("muted" not in finding.flags for finding in shown.then(saying(text)).findings):
                told = text
            said = text
    places, at = shown.places, shown.at
    for _ in range(2 * flapping.WINDOW_CHECKS):  # it rests
        at += timedelta(days=1)
        rested = flapping.step(places, (), at=at, window_for=PageRules().revert_window_for)
        places = rested.places
        told = next((one.after.shown for one in rested.settled), told)
    assert told == texts[-1]


@given(st.sampled_from(NO_PAGES), st.sampled_from(SAYINGS))
def test_an_answer_that_is_no_page_gives_nothing_to_compare(body: str, before: str) -> None:
    reading = read(body, hint=hint_of(saying(before)))
    assert (list(reading.items), reading.complete) == ([], False)
    assert reading.outcome is not None
