"""Normal forms: Unicode's own, but for texts that no language has."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import is_in_proportion

from driftline.core.text.normal_form import normalized

FORMS = st.sampled_from(["NFC", "NFKC", "NFKD"])


@given(FORMS, st.text(max_size=20))
def test_a_text_is_normalized_as_unicode_says(form: str, text: str) -> None:
    long = "x".join([text] * 30)
    assert normalized(form, long) == unicodedata.normalize(form, long)  # type: ignore[arg-type]  # one of three


@pytest.mark.parametrize("marks", ["\u0315\u0300", "\u0308", "\u0344"])
def test_accents_on_one_letter_take_time_in_proportion(marks: str) -> None:
    assert is_in_proportion(lambda size: normalized("NFC", "a" + marks * size), 2_000)
