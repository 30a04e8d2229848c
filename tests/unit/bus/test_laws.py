"""Law 12 for the agent: however a page creeps, what was reported last is what it says, but for less than the threshold."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.bus.test_pages import RULES, message

from driftline.bus.comparable import comparable
from driftline.bus.pages import page_of
from driftline.kinds.page.diff import compare

WORDS = 60
edits = st.tuples(st.just("text"), st.lists(st.integers(0, WORDS - 1), min_size=1, max_size=12))
others = st.tuples(
    st.sampled_from(["prices", "images", "title", "tracking"]), st.lists(st.integers(0, 3), min_size=1, max_size=3)
)
steps = st.lists(edits | edits | others, max_size=15)


class Crawled:
    """A page as it is edited on and on."""

    def __init__(self) -> None:
        self.words = [f"kettle{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(WORDS)]
        self.parsed: dict[str, Any] = {"title": "Tea", "images": ["/0.png"], "priceCandidates": ["100 EUR"], "links": ["/x"]}
        self.edition = 0

    def edit(self, what: str, numbers: list[int]) -> dict[str, Any]:
        self.edition += 1
        match what:
            case "text":
                for number in numbers:
                    self.words[number] = f"teapot{chr(97 + self.edition)}{self.words[number][-2:]}"
            case "prices":
                self.parsed["priceCandidates"] = [f"{100 + number} EUR" for number in numbers]
            case "images":
                self.parsed["images"] = [f"/{number}.png" for number in numbers]
            case "title":
                self.parsed["title"] = f"Tea of the sort {numbers[0]}"
            case _:
                self.parsed["links"] = [f"/x?utm_source={number}" for number in numbers]
        lines = (" ".join(self.words[start : start + 6]) for start in range(0, WORDS, 6))
        return self.parsed | {"text": "\n".join(lines)}


@given(steps)
def test_what_was_reported_last_is_what_the_page_says(told_steps: list[tuple[str, list[int]]]) -> None:
    """Law 12, and law 13: a version that did not count yet is no baseline for the next one."""
    crawled = Crawled()
    page = reported = stored = page_of(message(**crawled.edit("text", [0])))
    for what, numbers in told_steps:
        page = page_of(message(**crawled.edit(what, numbers)))
        diff = compare(*comparable(stored, page), RULES)
        stored = page if diff.stored else stored
        reported = page if diff.meaningful else reported
        assert not (what == "tracking" and diff.meaningful)
    assert not compare(*comparable(reported, page), RULES).meaningful
