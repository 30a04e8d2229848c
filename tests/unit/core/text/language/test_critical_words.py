from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.diff.lines import critical_tokens
from driftline.core.text.language import critical_words


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Costs 79,999 INR", "Costs 74,999 INR"),
        ("Costs €5", "Costs $5"),
        ("Costs 5 EUR", "Costs 5 USD"),
        ("Rate 5%", "Rate 5"),
        ("It is -5 outside", "It is 5 outside"),
        ("Open until 3 March", "Open until 3 April"),
        ("Deadline 2026-03-01", "Deadline 2026-03-02"),
        ("On Mar 3", "On Apr 3"),
        ("Closed on Mondays and Tuesday", "Closed on Mondays and Thursday"),
        ("Doors at 20:30", "Doors at 20:00"),
        ("Version 1.2.3", "Version 1.2.4"),
        ("You may enter", "You may not enter"),
        ("You can enter", "You can't enter"),
        ("Sie dürfen eintreten", "Sie dürfen nicht eintreten"),
        ("mit Zucker", "ohne Zucker"),
        ("Il est ouvert", "Il n'est pas ouvert"),
        ("El precio incluye", "El precio no incluye"),
        ("È incluso", "Non è incluso"),
        ("está incluído", "não está incluído"),
        ("Вход разрешён", "Вход не разрешён"),
        ("可以退款", "不可以退款"),
        ("返品できます", "返品できません"),
        ("환불됩니다", "환불되지 않습니다"),
        ("มีสินค้า", "ไม่มีสินค้า"),
        ("three rooms", "four rooms"),
        ("価格は１２００円", "価格は１３００円"),
        ("3月5日", "4月5日"),
        ("月曜定休", "火曜定休"),
        ("السعر ٥٠", "السعر ٦٠"),
    ],
)
def test_a_changed_number_date_or_negation_is_seen(before: str, after: str) -> None:
    assert critical_tokens(before) != critical_tokens(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The colour is nice", "The color is lovely"),
        ("It costs 5 EUR today", "Today it costs 5 EUR"),
        ("Notable nonsense", "Remarkable nonsense"),
        ("Costs 1200", "Costs １２００"),
        ("mayor Martin", "minister Setter"),
        ("", "words only"),
    ],
)
def test_other_words_are_left_to_the_threshold(before: str, after: str) -> None:
    assert critical_tokens(before) == critical_tokens(after)


@given(st.text(max_size=80))
def test_any_text_has_the_same_critical_tokens_as_itself_in_one_more_line(text: str) -> None:
    assert critical_tokens(text) == critical_tokens(f"{text}\nword")


@given(st.lists(st.sampled_from([*"aZ nt-.,:$%+\n", "no", "not", "never", "May", "mar", "Monday", "usd", "two"]), max_size=20))
def test_words_count_alike_whether_or_not_a_number_stands_in_another_line(parts: list[str]) -> None:
    text = "".join(parts)
    assert critical_tokens(f"7\n{text}") == critical_tokens("7") + critical_tokens(text)


_SOME = (
    "the",
    "no",
    "not",
    "may",
    "May",
    "5",
    "12,50",
    "USD",
    "EUR.",
    "3",
    "days,",
    "-4",
    "%",
    "nicht",
    "ohne",
    "don't",
    "x",
    "für",
    "ไม่",
    "月曜",
)


@given(st.lists(st.sampled_from(_SOME), max_size=12).map(" ".join))
def test_plain_words_are_left_out_without_losing_what_counts(text: str) -> None:
    whole = critical_words.critical_tokens(text)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(critical_words, "_without_prose", lambda plain: plain)
        assert critical_words.critical_tokens(text) == whole
