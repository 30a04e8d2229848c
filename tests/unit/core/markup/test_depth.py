"""What a page may grow to when HTML opens elements again."""

from __future__ import annotations

import pytest

from driftline.core.markup.depth import MAX_DEPTH, reopened, too_deep


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


@pytest.mark.parametrize(
    "name", [b"b", b"I", b"S", b"u", b"em", b"TT", b"big", b"code", b"Font", b"nobr", b"small", b"strike", b"STRONG"]
)
def test_every_element_that_html_opens_again_counts(name: bytes) -> None:
    assert reopened(b"".join(b'<%b id="%d">' % (name, number) for number in range(50))) > 40


def test_depth_is_what_is_open_at_once() -> None:
    deep = b"<div>" * (MAX_DEPTH + 1)
    assert too_deep(deep)
    assert too_deep(deep.upper())
    assert too_deep(b"<p>closed</p>" * MAX_DEPTH + deep)
    assert not too_deep(b"<div></div>" * 3 * MAX_DEPTH)
    assert not too_deep(b"<div>" * MAX_DEPTH)


def test_ends_of_nothing_do_not_hide_depth_in_a_large_document() -> None:
    assert too_deep(b"</b>" * 10_000 + b"<div>" * (MAX_DEPTH + 1))
