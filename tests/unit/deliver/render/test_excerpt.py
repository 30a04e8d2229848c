"""The lines of a change that a message shows."""

from __future__ import annotations

from tests.messages import change

import driftline
from driftline.deliver.render.excerpt import excerpt

BEFORE = (
    "<title>Hours</title><p>Open Monday to Friday from 9 to 17 in the main hall of the city office.</p><p>Closed on Sunday.</p>"
)
AFTER = BEFORE.replace("17", "18") + "<p>Saturday from 10 to 14.</p>"


def test_lines_of_a_real_page_are_reported_with_the_words_that_differ() -> None:
    (finding,) = driftline.compare_pages(BEFORE.encode(), AFTER.encode()).findings
    lines, more = excerpt(change(diff=finding.diff), 10)
    assert not more
    assert [(line.sign, line.text) for line in lines] == [
        ("-", "Open Monday to Friday from 9 to 17 in the main hall of the city office."),
        ("+", "Open Monday to Friday from 9 to 18 in the main hall of the city office."),
        ("+", "Saturday from 10 to 14."),
    ]
    assert [piece.text for line in lines for piece in line.pieces if piece.marked] == ["17", "18"]


def test_title_metadata_links_and_images_are_reported_where_they_changed() -> None:
    changes = {
        "title": {"changed": True, "before": "Old", "after": "New"},
        "metadata": {"og:price": {"before": None, "after": "5"}},
        "links": {"added": ["https://example.org/a"], "removed": [{"url": "https://example.org/b"}]},
        "images": {"added": [], "removed": None},
    }
    lines, _ = excerpt(change(diff={"changes": changes}), 10)
    reported = ["-title: Old", "+title: New", "+og:price: 5", "+link https://example.org/a", "-link https://example.org/b"]
    assert [f"{line.sign}{line.text}" for line in lines] == reported


def test_long_lines_are_cut_around_what_differs() -> None:
    marks = [["same", "x" * 5000], ["removed", "a"], ["added", "b"], ["same", "y" * 5000]]
    lines, _ = excerpt(change(diff={"rows": [{"action": "changed", "marks": marks}]}), 10)
    assert all(len(line.text) <= 240 for line in lines)
    assert [piece.text for line in lines for piece in line.pieces if piece.marked] == ["a", "b"]


def test_there_is_more_than_is_shown() -> None:
    rows = [{"action": "added", "marks": [["added", f"line {number}"]]} for number in range(5)]
    assert excerpt(change(diff={"rows": rows}), 5)[1] is False
    assert excerpt(change(diff={"rows": rows}), 4)[1] is True
    assert excerpt(change(diff=None), 4) == ([], False)
