from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.diff import lines as diff
from driftline.core.diff.lcs import common_runs
from driftline.core.diff.lines import Op, WordMark, align, mark_words

LINES = st.lists(st.sampled_from(["alpha", "beta one", "beta two", "gamma", "", "-", "7", "8"]), max_size=30)
UNIQUE = st.lists(st.text("abcdefgh ", min_size=2, max_size=12), max_size=30, unique=True)


def applied(ops: list[Op], before: list[str], after: list[str]) -> list[str]:
    """The after side, built from the before side wherever the op says that it stayed."""
    lines: list[str] = []
    for op in ops:
        match op.action:
            case "equal" | "moved":
                lines += before[op.before : op.before_end]
            case "changed" | "added":
                lines += after[op.after : op.after_end]
            case "removed":
                pass
    return lines


def check_laws(before: list[str], after: list[str]) -> None:
    ops = align(before, after)
    assert applied(ops, before, after) == after
    assert sorted(line for op in ops for line in range(op.before, op.before_end)) == list(range(len(before)))
    assert [line for op in ops for line in range(op.after, op.after_end)] == list(range(len(after)))
    for op in ops:
        match op.action:
            case "equal" | "moved":
                assert before[op.before : op.before_end] == after[op.after : op.after_end] != []
            case "changed":
                assert (op.before_end - op.before, op.after_end - op.after) == (1, 1)
            case "added":
                assert op.before == op.before_end
            case "removed":
                assert op.after == op.after_end


@given(LINES, LINES)
def test_applying_an_alignment_to_before_gives_after(before: list[str], after: list[str]) -> None:
    check_laws(before, after)


@given(UNIQUE, st.randoms(use_true_random=False))
def test_lines_in_another_order_are_only_kept_and_moved(before: list[str], random: object) -> None:
    after = before[:]
    random.shuffle(after)  # type: ignore[attr-defined]  # hypothesis types randoms as object
    check_laws(before, after)
    known = {line for line in before if max(map(len, line.split()), default=0) >= 2}
    reported = [op for op in align(before, after) if op.action in ("added", "removed", "changed")]
    assert not [line for op in reported for line in before[op.before : op.before_end] if line in known]


@given(LINES)
def test_equal_lines_are_one_equal_op(lines: list[str]) -> None:
    assert align(lines, lines) == ([Op("equal", 0, len(lines), 0, len(lines))] if lines else [])


@given(LINES, LINES)
def test_the_laws_hold_when_only_a_part_of_the_lines_is_aligned(before: list[str], after: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diff, "_LINES", 5)
        check_laws(before, after)


@given(LINES, LINES, st.integers(1, 40))
def test_common_runs_are_a_common_subsequence_however_small_the_budget(before: list[str], after: list[str], cells: int) -> None:
    at_before = at_after = 0
    for run in common_runs(before, after, cells=cells):
        assert run.size > 0
        assert run.before >= at_before
        assert run.after >= at_after
        assert before[run.before : run.before + run.size] == after[run.after : run.after + run.size]
        at_before, at_after = run.before + run.size, run.after + run.size


def actions(before: str, after: str) -> list[tuple[str, list[str], list[str]]]:
    one, other = before.splitlines(), after.splitlines()
    return [
        (op.action, one[op.before : op.before_end], other[op.after : op.after_end])
        for op in align(one, other)
        if op.action != "equal"
    ]


def test_an_edited_line_is_changed_and_not_removed_and_added() -> None:
    assert actions("title\nPrice: 79,999 INR\nend", "title\nPrice: 74,999 INR\nend") == [
        ("changed", ["Price: 79,999 INR"], ["Price: 74,999 INR"])
    ]


def test_a_short_line_in_the_same_place_is_changed_however_different() -> None:
    assert actions("Widget\nIn stock\nBuy", "Widget\nSold out\nBuy") == [("changed", ["In stock"], ["Sold out"])]


def test_a_line_that_shares_nothing_with_a_long_one_replaces_it() -> None:
    old, new = "x" * 100, "a wholly different paragraph " * 5
    assert actions(f"a\n{old}\nb", f"a\n{new}\nb") == [("removed", [old], []), ("added", [], [new])]


def test_a_moved_block_is_moved_as_a_whole() -> None:
    before = "top\nNews\nfirst story\nRead more\nSport\nscores\nRead more\nWeather\nsunny today\nbottom"
    after = "top\nSport\nscores\nRead more\nWeather\nsunny today\nNews\nfirst story\nRead more\nbottom"
    assert actions(before, after) == [("moved", ["News", "first story", "Read more"], ["News", "first story", "Read more"])]


def test_a_number_that_turns_up_elsewhere_did_not_move() -> None:
    reported = actions("apples\n3\npears\n4\nplums", "apples\n4\npears\n5\nplums")
    assert [action for action, _, _ in reported] == ["changed", "changed"]


def test_an_inserted_entry_among_similar_ones_is_the_only_difference() -> None:
    before = [f"Job {number}: engineer in town {number}" for number in range(50)]
    after = [*before[:20], "Job 77: baker in town 77", *before[20:]]
    assert actions("\n".join(before), "\n".join(after)) == [("added", [], ["Job 77: baker in town 77"])]


def test_long_gaps_pair_lines_by_their_place() -> None:
    before = [f"entry {number} was like this before" for number in range(100)]
    after = [f"entry {number} was like this after!" for number in range(100)]
    assert Counter(op.action for op in align(before, after)) == {"changed": 100}


@given(st.text("ab c1.,東京\n", max_size=40), st.text("ab c1.,東京\n", max_size=40))
def test_marks_give_back_both_lines(before: str, after: str) -> None:
    marks = mark_words(before, after)
    assert "".join(mark.text for mark in marks if mark.action != "added") == before
    assert "".join(mark.text for mark in marks if mark.action != "removed") == after
    assert all(mark.text for mark in marks)


def test_marks_are_whole_words_and_whole_numbers() -> None:
    assert mark_words("Price: 79,999 INR", "Price: 74,999 INR") == [
        WordMark("same", "Price: "),
        WordMark("removed", "79,999"),
        WordMark("added", "74,999"),
        WordMark("same", " INR"),
    ]


def test_marks_in_scripts_without_spaces_are_single_characters() -> None:
    assert mark_words("東京は晴れ", "東京は雨") == [
        WordMark("same", "東京は"),
        WordMark("removed", "晴れ"),
        WordMark("added", "雨"),
    ]


def test_a_lone_space_between_two_changed_words_does_not_split_the_mark() -> None:
    assert mark_words("see red cars now", "see blue boats now") == [
        WordMark("same", "see "),
        WordMark("removed", "red cars"),
        WordMark("added", "blue boats"),
        WordMark("same", " now"),
    ]
