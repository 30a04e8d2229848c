"""Laws 12 and 13 for sitemaps: the reader ends up knowing the truth, and what was not verified never counts as verified."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from tests.unit.kinds.sitemap.crawls import Site, page, told

from driftline.kinds.sitemap.rules import SitemapRules

BUDGET = 7
DATED = [f"d{number}" for number in range(22)]
UNDATED = [f"u{number}" for number in range(8)]
EVERY = DATED + UNDATED
slugs = st.sampled_from(["d0", "d1", "d21", "u0", "u7"])  # few: what happens to one of them adds up
steps = st.lists(
    st.tuples(st.sampled_from(["edit", "edit without a date", "down", "up"]), slugs)
    | st.tuples(st.sampled_from(["rebuild", "crawl", "crawl", "summarize"]), st.just("")),
    max_size=24,
)


class Story:
    """A site that is edited, rebuilt and down now and then, beside what its reader was told of it."""

    def __init__(self) -> None:
        self.site = Site(SitemapRules(content_budget=BUDGET))
        self.lastmods: dict[str, str | None] = {slug: f"2024-01-{number + 1:02}" for number, slug in enumerate(DATED)}
        self.lastmods |= dict.fromkeys(UNDATED)
        self.version = dict.fromkeys(EVERY, 0)
        self.known = dict.fromkeys(EVERY, 0)  # the versions that the reader knows of
        self.by_date: set[str] = set()  # reported by their date alone: their pages may be news once more
        self.down: set[str] = set()
        self.ticks = 0
        self.show()
        for _ in range(3):
            self.site.crawl(self.lastmods)
            self.site.summarize()

    def show(self) -> None:
        for slug in EVERY:
            text = f"{slug} has the text of edition {self.version[slug]} " * 9
            self.site.pages[f"https://a.example/{slug}"] = page(text)
        for slug in self.down:
            del self.site.pages[f"https://a.example/{slug}"]

    def step(self, what: str, slug: str) -> None:
        self.ticks += 1
        match what:
            case "edit" | "edit without a date":
                self.version[slug] += 1
                if what == "edit" and slug in DATED:
                    self.lastmods[slug] = f"2025-01-01T00:{self.ticks // 60:02}:{self.ticks % 60:02}Z"
            case "rebuild":
                self.lastmods |= dict.fromkeys(DATED, f"2025-06-{self.ticks:02}T03:00:00Z")
            case "down":
                self.down.add(slug)
            case "up":
                self.down.discard(slug)
            case "summarize":  # says what the page says by then; an article without a date is compared by its text all the same
                waiting = {key.rpartition("/")[2] for key, summary in self.site.summaries.items() if not summary}
                read = {slug for slug in waiting - self.down if self.site.article(slug).basis == "lastmod"}
                self.known |= {slug: self.version[slug] for slug in read}
                self.by_date -= read
                self.site.summarize()
            case _:
                self.crawl()
        self.show()

    def crawl(self) -> None:
        same = sum(self.lastmods[slug] == self.site.article(slug).updated for slug in DATED)
        verdict = self.site.crawl(self.lastmods)
        read = {key.rpartition("/")[2] for key in self.site.reading.verified}
        for _, slug in told(verdict):
            assert self.version[slug] != self.known[slug] or slug in self.by_date  # news, and no alarm
            self.known[slug] = self.version[slug]
            self.by_date.add(slug)
        self.by_date -= read
        count = verdict.counters
        assert count["unchanged"] <= same + len(self.site.reading.verified)
        assert count["updated"] == count["changed"] + count["unchanged"] + count["unverified"] == len(EVERY)
        assert len(self.site.reading.verified) + len(self.site.reading.unread) <= BUDGET


@given(steps)
@example([("edit", "u0"), ("crawl", ""), ("edit", "u0"), ("summarize", "")])
def test_once_a_site_has_settled_its_reader_knows_every_text(told_steps: list[tuple[str, str]]) -> None:
    """Laws 12 and 13, whatever was edited, stamped, unreadable or beyond the budget on the way."""
    story = Story()
    for what, slug in told_steps:
        story.step(what, slug)
    story.down.clear()
    story.step("rebuild", "")
    for _ in range(len(EVERY) // BUDGET + 2):
        story.step("crawl", "")
    assert story.known == story.version
    assert {story.site.article(slug).updated for slug in DATED} == {story.lastmods["d0"]}
