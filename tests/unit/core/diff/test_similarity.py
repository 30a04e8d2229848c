from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from driftline.core.diff import similarity as measures
from driftline.core.diff.similarity import below, jaccard, similarity

TEXT = st.text(st.sampled_from("ab \n東é"), max_size=60)


def plain_levenshtein(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


@given(TEXT, TEXT)
def test_similarity_is_the_normalized_levenshtein_distance(a: str, b: str) -> None:
    longer = max(len(a), len(b))
    assert similarity(a, b) == (1.0 - plain_levenshtein(a, b) / longer if longer else 1.0)


@given(TEXT, TEXT)
def test_similarity_is_symmetric_within_bounds_and_one_exactly_for_equal_texts(a: str, b: str) -> None:
    assert similarity(a, b) == similarity(b, a)
    assert 0.0 <= similarity(a, b) <= 1.0
    assert (similarity(a, b) == 1.0) == (a == b)


@given(TEXT, TEXT, st.floats(0, 1.5))
@example("a" * 10, "a" * 9, 0.9)
@example("", "", 1.0)
def test_below_says_what_similarity_says(a: str, b: str, threshold: float) -> None:
    assert below(a, b, threshold) == (similarity(a, b) < threshold)


def test_similarity_of_exactly_the_threshold_is_not_below_it() -> None:
    assert not below("0123456789", "012345678X", 0.90)
    assert below("0123456789", "01234567XY", 0.90)


@given(a=TEXT, b=TEXT, cells=st.integers(8, 400))
def test_an_estimate_is_symmetric_and_never_above_the_true_similarity(a: str, b: str, cells: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measures, "_CELLS", cells)
        estimate = similarity(a, b)
        assert estimate == similarity(b, a)
        assert (estimate == 1.0) == (a == b)
    assert 0.0 <= estimate <= similarity(a, b)


def test_an_estimate_stays_close_where_lines_moved_a_little(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [f"line {number} says something of its own" for number in range(400)]
    after = ["an inserted line", *before[:200], *before[220:], "and a last one"]
    true = similarity("\n".join(before), "\n".join(after))
    monkeypatch.setattr(measures, "_CELLS", 50_000)
    assert true - 0.01 <= similarity("\n".join(before), "\n".join(after)) <= true


@given(TEXT, TEXT)
def test_jaccard_is_symmetric_within_bounds_and_one_for_equal_texts(a: str, b: str) -> None:
    assert jaccard(a, b) == jaccard(b, a)
    assert 0.0 <= jaccard(a, b) <= 1.0
    assert jaccard(a, a) == 1.0


def test_jaccard_counts_three_word_shingles() -> None:
    assert jaccard("a b c d", "a b c e") == pytest.approx(1 / 3)  # abc of abc, bcd, bce
    assert jaccard("The quick fox", "the QUICK fox") == 1.0
    assert jaccard("one two", "two one") == 0.0


def test_jaccard_sees_words_in_scripts_without_spaces() -> None:
    assert 0.3 < jaccard("東京都庁は新宿にあります", "東京都庁は渋谷にあります") < 0.8
    assert 0.0 < jaccard("ไม่มีสินค้าในสต็อก", "มีสินค้าในสต็อก") < 1.0


@given(st.lists(st.sampled_from("abcdefgh"), max_size=80), st.lists(st.sampled_from("abcdefgh"), max_size=80))
def test_a_sample_of_shingles_is_still_symmetric_and_within_bounds(a: list[str], b: list[str]) -> None:
    one, other = " ".join(a), " ".join(b)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measures, "_SAMPLE_FROM", 40)
        patch.setattr(measures, "_SLICE", 30)
        assert jaccard(one, other) == jaccard(other, one)
        assert 0.0 <= jaccard(one, other) <= 1.0


def test_lone_surrogates_are_compared_like_any_character() -> None:
    assert similarity("a\udc80", "a\udc81") == 0.5
    assert jaccard("a b \udc80", "a b \udc80 c") == 0.5
