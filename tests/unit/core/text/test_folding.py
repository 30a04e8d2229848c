"""Text as people read it."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from driftline.core.text.folding import composed, excerpt, fold, letters_and_digits, title_key


def test_whitespace_of_every_kind_folds_into_one_space() -> None:
    assert fold("  a\u00a0\u2003b\n\tc\r\n ") == "a b c"


def test_invisible_characters_are_not_there() -> None:
    assert fold("exam\u00adple\u200b \ufefftext") == "example text"


def test_joiners_that_spell_words_stay() -> None:
    assert fold("می‌خواهم") == "می‌خواهم"


def test_titles_compare_without_case_and_composition() -> None:
    assert title_key("Cafe\u0301  NEWS") == title_key("café news")


def test_an_excerpt_ends_at_a_word_and_says_that_it_was_cut() -> None:
    assert excerpt("one two three four", 12) == "one two…"
    assert excerpt("short", 12) == "short"


def test_every_space_and_every_invisible_character_is_found_in_other_scripts_too() -> None:
    invisible = re.compile("[\u00ad\u200b\u200e\u200f\u2060-\u2063\ufeff]")
    for character in map(chr, range(0x80, 0x30000)):
        plain = " ".join(invisible.sub("", f"é{character}é").split())
        assert fold(f"é{character}é") == plain, hex(ord(character))


def test_letters_are_what_a_text_says_whatever_parts_them() -> None:
    assert letters_and_digits("Ein Wort – zwei_ЯЗЫКА, №3!") == "einwortzweiязыка3"


@given(st.text())
def test_letters_of_any_text_are_those_without_signs(text: str) -> None:
    assert letters_and_digits(text) == re.sub(r"[\W_]+", "", text.casefold())


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_every_character_composes_as_unicode_says() -> None:
    characters = [chr(code) for code in range(0x80, 0x30000) if not 0xD800 <= code < 0xE000]
    for first in ("e", "\u0b47"):
        pairs = " ".join(first + second for second in characters)  # at once: one by one they take seconds
        assert composed(pairs).split(" ") == unicodedata.normalize("NFC", pairs).split(" ")


@given(
    st.text(alphabet='ae" <\u0301\u0323\u0327\u0654\u1100\u1161\u11a8\uac00\u0b47\u0b3e\u212b\u0344\u3099\u304b\u05d0\u05b8')
)
def test_any_text_composes_as_unicode_says(text: str) -> None:
    assert composed(text) == unicodedata.normalize("NFC", text)
