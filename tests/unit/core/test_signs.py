"""Words of a source, looked for all at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from driftline.core.signs import Signs

WORDS = st.lists(st.text("ab-<.*(куки", min_size=1, max_size=4), min_size=1, max_size=8)


@given(WORDS, st.text("ab-<.*(куки ", max_size=60), st.binary(max_size=5))
def test_exactly_the_words_that_a_source_holds_are_found(words: list[str], text: str, odd: bytes) -> None:
    source = odd + text.encode() + odd
    known = [word.encode() for word in words]
    assert Signs(known).found_in(source) == {word for word in known if word in source}
