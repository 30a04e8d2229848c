"""Stored versions as people read them."""

from __future__ import annotations

from driftline.engine.history.versions import as_it_looked, compared, readable, reported_lines


def test_a_version_is_its_text_or_the_fields_of_its_state() -> None:
    assert readable("We are open.", {"price": "3"}) == "We are open."
    assert readable("", {"price": "3"}) == ""
    state = {
        "price": "3.20", "in_stock": False, "price_told": "3", "note": "", "sizes": [2, "four"],
        "seller": {"name": "Ann", "known": True, "fingerprint": "x"}, "tags": [], "rank": 4,
    }  # fmt: skip
    lines = ["price: 3.20", "in stock: no", "sizes: 2, four", "seller name: Ann", "seller known: yes", "rank: 4"]
    assert readable(None, state).split("\n") == lines
    assert readable(None, None) == ""


def test_a_changed_line_is_one_added_and_one_removed() -> None:
    found = compared("a\nopen from nine\nb", "a\nopen from ten\nb\nc")
    assert (found.added, found.removed) == (2, 1)
    assert {row.action for row in found.rows} >= {"changed", "added"}
    assert found.summary == "1 line changed, 1 added"
    gone = compared("a\nb", "a")
    assert (gone.added, gone.removed) == (0, 1)
    assert gone.summary == "1 line removed"


def test_only_html_is_shown_as_it_looked() -> None:
    page = b"<p>We are open.</p>"
    for type_ in ("text/html", "TEXT/HTML ; charset=utf-8", "", "application/xhtml+xml"):
        assert "We are open." in (as_it_looked(page, type_) or "")
    assert as_it_looked(page, "text/plain") is None
    assert as_it_looked(b"no markup at all", "text/html") is None


def test_counters_and_ids_are_shown_and_not_marked() -> None:
    before = "Open from nine\nRequest id 1f3a9c0b77de\n1,203 visitors\nPrice: 20 EUR"
    after = "Open from ten\nRequest id 7bbc00d1e5f2\n1,212 visitors\nPrice: 25 EUR"
    found = compared(before, after)
    assert [row.new for row in found.rows if row.action == "changed"] == ["Open from ten", "Price: 25 EUR"]
    assert (found.added, found.removed, found.quiet) == (2, 2, 2)
    assert "Request id 7bbc00d1e5f2" in [row.new for row in found.rows]


def test_what_checks_saw_and_did_not_report_is_not_marked() -> None:
    before, after = "Open from nine\nRequest 00000001. 117 look at it.", "Open from ten\nRequest 00000017. 131 look at it."
    marks = [["same", "Open from "], ["removed", "nine"], ["added", "ten"]]
    reported = reported_lines([{"rows": [{"action": "changed", "before": 1, "after": 1, "marks": marks}]}])
    found = compared(before, after, reported)
    assert [row.new for row in found.rows if row.action == "changed"] == ["Open from ten"]
    assert (found.summary, found.quiet) == ("1 line changed", 1)
    assert compared(before, after).summary == "2 lines changed"
    assert reported_lines([{"rows": [{"action": "cut", "count": 3}]}]) is None


def test_files_show_no_hash_and_dates_are_written_for_people() -> None:
    old = f"PNG picture, 2 KB\nsha256: {'0a' * 32}"
    assert readable(old, {"file": {"label": "PNG picture"}}) == "PNG picture, 2 KB"
    assert readable(old, {}) == old  # the page itself says so
    assert readable(None, {"time": "2026-11-25T20:30"}) == "time: 25 November 2026, 20:30"
