"""What a page may grow to when HTML opens elements again."""

from __future__ import annotations

from driftline.core.markup.depth import reopened


def test_elements_that_are_closed_are_not_opened_again() -> None:
    assert reopened(b"<p><b>one</b> <i>two</i></p>" * 500) == 1


def test_markup_that_a_script_holds_with_escaped_ends_is_not_taken_for_hundreds_of_open_elements() -> None:
    assert reopened(rb'<script>[{"text": "<strong>Name<\/strong>"}]</script>' * 500) <= 3


def test_open_elements_of_other_attributes_are_opened_again_each() -> None:
    assert reopened(b"".join(b'<font size="%d">' % size for size in range(500))) > 400


def test_open_elements_whose_attributes_hide_their_end_count_as_others() -> None:
    assert reopened(b"".join(b'<b a=">%d">' % size for size in range(500))) > 400
    assert reopened(b"".join(b'<b a=x" b=">%d">' % size for size in range(500))) > 400
    assert reopened(b"".join(b"<b a='>%d'>" % size for size in range(500))) > 400
