from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

from hypothesis import example, given
from hypothesis import strategies as st

from driftline.core.diff.render import as_html, as_markdown, pieces, snippet, unified
from driftline.core.diff.rows import DiffLimits, Row, rows

LINES = st.lists(st.text(max_size=20), max_size=12)

BEFORE = ["Title", "an intro here", "Price: 79,999 INR", *(f"line {number}" for number in range(12)), "the end"]
AFTER = ["Title", "an intro there", "Price: 74,999 INR", *(f"line {number}" for number in range(12)), "the end", "one more"]


class Tags(HTMLParser):
    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=True)
        self.seen: set[str] = set()
        self.text = ""
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(f"{tag} {' '.join(sorted(name for name, _ in attrs))}".strip())

    def handle_data(self, data: str) -> None:
        self.text += data


@given(LINES, LINES)
def test_html_holds_no_unescaped_input(before: list[str], after: list[str]) -> None:
    page = Tags(as_html(rows(before, after)))
    allowed = {"ol class", "li class", "li class data-after", "li class data-before", "li class data-after data-before"}
    assert page.seen <= allowed | {"ins", "del", "span class"}


def test_html_escapes_markup_and_quotes() -> None:
    document = as_html(rows(["a"], ["<script>alert('x')</script> & \"q\""]))
    assert "<script" not in document
    assert "alert(&#x27;x&#x27;)" in document
    assert "alert('x')" in unescape(document)
    assert "style=" not in document


def test_html_marks_words_with_ins_and_del() -> None:
    assert "<del>79,999</del><ins>74,999</ins>" in as_html(rows(BEFORE, AFTER))


@given(LINES, LINES)
def test_no_rendering_lets_a_character_act(before: list[str], after: list[str]) -> None:
    shown = rows(before, after)
    reported = [
        unified(shown),
        as_markdown(shown),
        snippet(shown),
        *("".join(piece.text for piece in line) for line in pieces(shown)),
    ]
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]", "".join(reported))


def test_a_terminal_escape_from_a_page_is_defused() -> None:
    shown = rows(["calm"], ["calm \x1b]0;owned\x07 \x9b31m \u202egnp.exe"])
    assert "\x1b" not in unified(shown)
    assert "\u202e" not in "".join(piece.text for line in pieces(shown) for piece in line)


def test_markdown_from_a_page_does_not_act() -> None:
    reported = as_markdown(rows(["plain"], ["plain [click](https://evil.example) ![x](y) <img src=x> **b** `c`"]))
    assert "[click](" not in reported
    assert "![x]" not in reported
    assert "<img" not in reported
    assert "`c`" not in reported.replace("\\`", "")


@given(LINES)
def test_equal_texts_render_as_nothing(lines: list[str]) -> None:
    shown = rows(lines, lines)
    assert shown == []
    assert unified(shown) == as_html(shown) == as_markdown(shown) == snippet(shown) == ""


def test_unified_text_shows_context_hunks_and_both_lines_of_a_change() -> None:
    assert unified(rows(BEFORE, AFTER)).splitlines() == [
        "--- before",
        "+++ after",
        "@@ -1,6 +1,6 @@",
        " Title",
        "-an intro here",
        "+an intro there",
        "-Price: 79,999 INR",
        "+Price: 74,999 INR",
        " line 0",
        " line 1",
        " line 2",
        "@@ -14,3 +14,4 @@",
        " line 10",
        " line 11",
        " the end",
        "+one more",
    ]


def test_a_moved_line_is_reported_once_with_the_place_it_came_from() -> None:
    before = ["News of today", "Sport", "scores", "Weather", "sunny"]
    after = ["Sport", "scores", "Weather", "sunny", "News of today"]
    reported = unified(rows(before, after))
    assert reported.count("News of today") == 1
    assert "~News of today (moved from line 1)" in reported


def test_the_snippet_has_the_form_that_the_source_names() -> None:
    assert snippet(rows(["old text"], ["new text"])) == "[+ new - old]"
    assert snippet(rows(["kept"], ["kept", "new text"])) == "[+ new text]"
    assert snippet(rows(["kept", "old text"], ["kept"])) == "[- old text]"


@given(LINES, LINES, st.integers(20, 200))
@example(["", "0000", ""], ["", "00000000"], 20)
def test_a_snippet_keeps_its_limit(before: list[str], after: list[str], limit: int) -> None:
    assert len(snippet(rows(before, after), limit=limit)) <= limit


@given(LINES, LINES, st.integers(1, 6))
def test_rows_keep_their_limits_and_say_what_they_leave_out(before: list[str], after: list[str], most: int) -> None:
    shown = rows(before, after, limits=DiffLimits(rows=most, context=1))
    whole = rows(before, after, limits=DiffLimits(context=1))
    assert len(shown) <= most + 1
    assert shown[:most] == whole[:most]
    if any(row.action not in ("context", "skipped") for row in whole[most:]):
        assert shown[-1].action == "cut"
        assert shown[-1].count > 0


def test_a_very_long_line_is_shown_around_its_change() -> None:
    shown = rows(["word " * 50_000 + "old" + " word" * 50_000], ["word " * 50_000 + "new" + " word" * 50_000])
    assert len(unified(shown)) < 2_000
    assert "<del>old</del><ins>new</ins>" in as_html(shown)


def test_the_terminal_gets_styles_and_no_colours() -> None:
    (line,) = pieces(rows(["pay 5 now"], ["pay 6 now"]))
    assert [(piece.text, piece.style) for piece in line] == [
        ("~ ", "plain"),
        ("pay ", "plain"),
        ("5", "removed"),
        ("6", "added"),
        (" now", "plain"),
    ]


def test_a_row_knows_its_old_and_new_line() -> None:
    (row,) = rows(["pay 5 now"], ["pay 6 now"])
    assert isinstance(row, Row)
    assert (row.old, row.new) == ("pay 5 now", "pay 6 now")
