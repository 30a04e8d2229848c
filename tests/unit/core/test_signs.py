"""Words of a source, looked for all at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from driftline.core.signs import Signs, Sought

WORDS = st.lists(st.text("ab-<.*(куки", min_size=1, max_size=4), min_size=1, max_size=8)


@given(WORDS, st.text("ab-<.*(куки ", max_size=60), st.binary(max_size=5))
def test_exactly_the_words_that_a_source_holds_are_found(words: list[str], text: str, odd: bytes) -> None:
    source = odd + text.encode() + odd
    known = [word.encode() for word in words]
    assert Signs(known).found_in(source) == {word for word in known if word in source}


@given(WORDS, st.text("abAB-<.*(куки ", max_size=60))
def test_words_that_many_look_for_are_found_whatever_their_case(words: list[str], text: str) -> None:
    sought = Sought()
    known = sought.words(word.encode() for word in words)
    found = {known[number] for number in sought.found_in(text.encode())}
    assert found == {word.encode() for word in words if word in text.lower()}


def test_each_source_is_looked_at_anew_and_so_is_one_after_something_else_is_looked_for() -> None:
    sought = Sought()
    table, source = sought.add("<(?i:table)"), b"<p><TABLE>"
    assert sought.found_in(source) == {table}
    assert sought.found_in(b"<p>") == frozenset()
    paragraph = sought.add("<p>")
    assert sought.found_in(source) == {table, paragraph}
