"""The words that a search finds a text by."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.text.search_words import LONGEST, search_words

SIGNS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The price, the PRICE!", ["the", "price"]),
        ("snake_case and e-mail", ["snake", "case", "and", "e", "mail"]),
        ("Straße, café and CAFE\u0301", ["strasse", "cafe", "and"]),
        ("don’t “quote”", ["don", "t", "quote"]),
        ("価格は¥1,200", ["価", "格", "は", "1", "200"]),
        ("x" * 100, ["x" * LONGEST]),
        ("  \u00a0 —", []),
    ],
)
def test_words_are_small_without_accents_and_listed_once(text: str, words: list[str]) -> None:
    assert search_words(text) == words


@given(st.text(alphabet="aAbZ09_ .-!éÉß’ﬁ\u0301\u0338\u00a0\u3042漢Жİ½≠\u200b\x00\ud800", max_size=40))
def test_a_text_has_the_words_of_its_folded_form(text: str) -> None:
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign)).casefold()
    assert search_words(text) == list(dict.fromkeys(re.findall(rf"[{SIGNS}]|[^\W_{SIGNS}]+", plain)))
