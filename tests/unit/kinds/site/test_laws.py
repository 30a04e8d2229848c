"""Laws 12 and 13 for whole sites: what was reported adds up to the pages that are there, and what was not asked is not gone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.kinds.site.test_frontier import Answer, crawl, distinct, found, page

NAMES = [f"/{letter}" for letter in "abcdefgh"]
pages = st.frozensets(st.sampled_from(NAMES), max_size=len(NAMES))


@given(st.lists(st.tuples(pages, pages), min_size=1, max_size=5), st.integers(1, 12))
def test_only_a_crawl_that_asked_all_known_pages_says_which_are_gone(
    visits: list[tuple[frozenset[str], frozenset[str]]], budget: int
) -> None:
    known: set[str] = set()
    for there, failing in visits:

        def answers(path: str, there: frozenset[str] = there, failing: frozenset[str] = failing) -> Answer:
            if path == "/":
                return page(distinct("start"), *sorted(there))
            return 500 if path in failing else page(distinct(path[1:])) if path in there else 404

        reading = crawl(answers, known=sorted(known), pages=budget)
        shown = set(found(reading))
        assert shown <= {"/"} | (there - failing)
        if reading.complete:  # what is not shown counts as removed
            assert known - shown <= set(NAMES) - there
            assert shown == {"/"} | (there - failing)
            known = shown
        else:
            known |= shown
        assert len(known) <= max(budget, 1)
