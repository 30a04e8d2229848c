"""Laws of comparing, over pages of any sort: nothing from nothing, the whole difference, and a rule for what is dropped."""

from __future__ import annotations

from collections import Counter
from random import Random

from bench.real.explained import unexplained
from hypothesis import given
from hypothesis import strategies as st

from driftline.kinds.page.compare.lines import line_differences
from driftline.pages import compare_pages, read_page

URL = "https://a.example/"
words = st.sampled_from(
    [
        "open",
        "closed",
        "12 views",
        "3 days ago",
        "5.00 EUR",
        "v1.2.3",
        "not",
        "Terms",
        "Contact us",
        "1 March 2026",
        "Tea",
        "7.",
    ]
)
texts = st.lists(words, min_size=1, max_size=4).map(" ".join)
paragraphs = texts.map(lambda text: f"<p>{text}</p>")
headings = texts.map(lambda text: f"<h2>{text}</h2>")
menus = texts.map(lambda text: f"<nav><a href='/{len(text)}'>{text}</a></nav>")
pictures = texts.map(lambda text: f"<img src='/{len(text)}.png' alt='{text}' width=300 height=300>")
lists = st.lists(texts, min_size=2, max_size=5).map(
    lambda found: "<ul>" + "".join(f"<li><a href='/{text}'>{text}</a><p>{text}</p></li>" for text in found) + "</ul>"
)
asides = lists.map(lambda found: f"<aside class=cookie>{found}</aside>")
pages = st.lists(st.one_of(paragraphs, headings, menus, pictures, lists, asides), min_size=1, max_size=8).map(
    lambda parts: f"<html><title>{len(parts)}</title><body>{''.join(parts)}</body></html>"
)


@given(pages)
def test_the_same_page_twice_says_nothing(page: str) -> None:
    diff = compare_pages(page, page, url=URL)
    assert not diff.different
    assert not diff.findings


@given(pages, pages)
def test_the_difference_applied_to_before_gives_after(one: str, other: str) -> None:
    before, after = read_page(one, url=URL), read_page(other, url=URL)
    lines = Counter(before.lines)
    for difference in line_differences(before, after):
        if difference.action != "moved":
            lines.update([difference.after.text or ""] if difference.after else ())
            lines.subtract([difference.before.text or ""] if difference.before else ())
    assert +lines == Counter(after.lines)


@given(pages, pages)
def test_every_difference_is_reported_or_dropped_by_a_rule_with_a_reason(one: str, other: str) -> None:
    assert unexplained(read_page(one, url=URL), read_page(other, url=URL)) == 0


@given(st.lists(texts, min_size=2, max_size=8, unique=True), st.integers())
def test_entries_in_another_order_are_no_change(names: list[str], seed: int) -> None:
    entries = [f"<li><h3><a href='/{number}'>{name}</a></h3><p>About {name}</p></li>" for number, name in enumerate(names)]
    before = "".join(entries)
    Random(seed).shuffle(entries)
    assert not compare_pages(f"<ul>{before}</ul>", f"<ul>{''.join(entries)}</ul>", url=URL).different
