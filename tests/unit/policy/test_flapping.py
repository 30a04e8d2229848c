"""Changing back: what is sent of any sequence of versions, and that nobody is left with a false belief (law 12)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from driftline.model.noise.flapping import (
    ABSENT,
    ChangedBack,
    Decision,
    HoldBack,
    KeepsSwitching,
    Place,
    Send,
    Settled,
    Transition,
    Value,
)
from driftline.policy.flapping import PLACES_AT_MOST, SENT_AT_MOST, SETTLED_AFTER, WINDOW_CHECKS, step

AT = datetime(2026, 11, 16, 8, tzinfo=UTC)
DAY = 86_400.0
HOUR = timedelta(hours=1)


class Watched:
    """One place, check by check."""

    def __init__(self, first: str = "A", *, window_for: float = DAY) -> None:
        self.at = AT
        self.value = first
        self.window_for = window_for
        self.places: tuple[Place, ...] = ()
        self.believed: str | None = first  # by a reader who got every message; None: that it moves
        self.sent: list[tuple[int, datetime, frozenset[str]]] = []  # number of the check, when, the two values
        self.checks = 0
        self.seen: list[tuple[str, str]] = []

    def show(self, value: str, after: timedelta = HOUR) -> Decision | Settled | None:
        """The next check; what came of it."""
        self.at += after
        self.checks += 1
        moved = [transition(self.value, value)] if value != self.value else []
        done = step(self.places, moved, at=self.at, window_for=self.window_for if moved else 0.0)
        self.places = done.places
        if not moved:
            for settled in done.settled:
                self._hear(settled.after.id, settled.before.id, settled.after.id)
                return settled
            return None
        assert not done.settled
        (decision,) = done.decisions
        if isinstance(decision, HoldBack):
            assert (value, self.value) in self.seen or (self.value, value) in self.seen, "nothing but flips is held back"
        else:
            self._hear(None if isinstance(decision, KeepsSwitching) else value, self.value, value)
        self.seen.append((self.value, value))
        self.value = value
        return decision

    def _hear(self, belief: str | None, one: str, other: str) -> None:
        self.believed = belief
        self.sent.append((self.checks, self.at, frozenset((one, other))))

    def types(self, values: str) -> list[str]:
        """What came of each check, by name."""
        return [type(self.show(value)).__name__ for value in values]


def transition(before: str, after: str, place: str = "p") -> Transition:
    return Transition(level="content", place=place, before=Value(before, before), after=Value(after, after))


def test_the_change_the_way_back_and_that_it_keeps_switching_are_sent_and_no_more() -> None:
    watched = Watched()
    assert watched.show("B", HOUR) == Send()
    assert watched.show("A", 2 * HOUR) == ChangedBack(7_200.0)
    assert watched.types("BABAB") == ["KeepsSwitching", *["HoldBack"] * 4]


def test_a_value_outside_the_pair_is_reported_at_once() -> None:
    watched = Watched()
    assert watched.types("BABAB")[-1] == "HoldBack"
    assert watched.show("C") == Send()
    assert watched.show("B") == ChangedBack(3_600.0)


def test_what_came_to_rest_while_it_was_held_back_is_said_when_the_window_is_past() -> None:
    watched = Watched()
    watched.types("BABA")
    assert watched.types("A" * 19) == ["NoneType"] * 19
    assert watched.at - AT == 23 * HOUR
    said = [watched.show("A"), watched.show("A")]
    assert [one.after.id for one in said if isinstance(one, Settled)] == ["A"]
    assert watched.types("A" * 40) == ["NoneType"] * 40
    assert watched.places == ()


def test_a_window_is_eight_checks_long_where_checks_are_rare() -> None:
    watched = Watched()
    rarely = timedelta(days=7)
    assert [type(watched.show(value, rarely)) for value in "BAB"] == [Send, ChangedBack, KeepsSwitching]
    assert [watched.show("B", rarely) for _ in range(WINDOW_CHECKS - 3)] == [None] * (WINDOW_CHECKS - 3)
    assert isinstance(watched.show("B", rarely), Settled)


def test_what_never_rests_is_said_to_switch_once_a_window() -> None:
    watched = Watched()
    names = watched.types("BA" * 48)
    assert names.count("KeepsSwitching") == 4
    assert names.count("Send") == names.count("ChangedBack") == 1


def test_a_change_that_comes_back_long_after_is_news() -> None:
    watched = Watched()
    assert watched.show("B") == Send()
    assert watched.types("B" * 25) == ["NoneType"] * 25
    assert watched.show("A") == Send()


def test_a_window_of_nothing_limits_nothing() -> None:
    assert set(Watched(window_for=0.0).types("BABABABA")) == {"Send"}


def test_a_line_that_comes_and_goes_beside_its_siblings_is_a_difference_of_its_own() -> None:
    one, other = Value("1", "one"), Value("2", "two")
    came = [Transition(level="content", place="li", before=ABSENT, after=value) for value in (one, other)]
    first = step((), came, at=AT, window_for=DAY)
    assert first.decisions == (Send(), Send())
    gone = Transition(level="content", place="li", before=other, after=ABSENT)
    second = step(first.places, [gone], at=AT + HOUR, window_for=DAY)
    assert second.decisions == (ChangedBack(3_600.0),)
    again = [Transition(level="content", place="li", before=ABSENT, after=value) for value in (Value("3"), other)]
    assert step(second.places, again, at=AT + 2 * HOUR, window_for=DAY).decisions == (Send(), KeepsSwitching())


def test_a_flip_is_known_whether_the_line_changed_or_one_went_and_another_came() -> None:
    for whole_first in (True, False):
        places: tuple[Place, ...] = ()
        names = []
        for number, (old, new) in enumerate([("A", "B"), ("B", "A")] * 3):
            whole = transition(old, new)
            halves = [msgspec.structs.replace(whole, after=ABSENT), msgspec.structs.replace(whole, before=ABSENT)]
            done = step(places, [whole] if (number % 2 == 0) is whole_first else halves, at=AT + number * HOUR, window_for=DAY)
            places = done.places
            names.append({type(one).__name__ for one in done.decisions})
        assert names == [{"Send"}, {"ChangedBack"}, {"KeepsSwitching"}, {"HoldBack"}, {"HoldBack"}, {"HoldBack"}]


def test_quiet_checks_write_nothing_more_once_all_is_counted() -> None:
    watched = Watched()
    watched.show("B", timedelta(minutes=5))
    for _ in range(WINDOW_CHECKS):
        watched.show("B", timedelta(minutes=5))
    counted = watched.places
    watched.show("B", timedelta(minutes=5))
    assert watched.places == counted


def test_places_are_bounded_and_what_the_reader_has_to_hear_is_kept() -> None:
    places: tuple[Place, ...] = ()
    values = "AB"
    for turn in range(5):
        moved = [transition(values[turn % 2], values[(turn + 1) % 2], f"p{number}") for number in range(10)]
        places = step(places, moved, at=AT + turn * HOUR, window_for=DAY).places
    many = [transition("x", "y", f"q{number}") for number in range(3 * PLACES_AT_MOST)]
    done = step(places, many, at=AT + 6 * HOUR, window_for=DAY)
    assert len(done.places) == PLACES_AT_MOST
    assert {place.place for place in done.places} >= {f"p{number}" for number in range(10)}


steps = st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from((0.2, 1.0, 5.0, 20.0, 100.0))), max_size=60)


@given(steps, st.sampled_from((3_600.0, DAY)))
def test_once_settled_and_the_window_past_the_last_message_agrees_with_the_page(
    versions: Sequence[tuple[str, float]], window_for: float
) -> None:
    watched = Watched(window_for=window_for)
    for value, hours in versions:
        watched.show(value, hours * HOUR)
    for _ in range(SETTLED_AFTER + WINDOW_CHECKS):
        watched.show(watched.value, timedelta(seconds=window_for))
    assert watched.believed == watched.value
    for _ in range(WINDOW_CHECKS):
        watched.show(watched.value, timedelta(seconds=window_for))
    assert watched.places == (), "and then nothing is kept"


@given(steps)
def test_at_most_three_messages_are_sent_about_one_difference_in_one_window(versions: Sequence[tuple[str, float]]) -> None:
    watched = Watched()
    for value, hours in versions:
        watched.show(value, hours * HOUR)
    for pair in {pair for _, _, pair in watched.sent}:
        begun: tuple[int, datetime] | None = None
        count = 0
        for number, at, _ in (one for one in watched.sent if one[2] == pair):
            if begun is None or (number - begun[0] >= WINDOW_CHECKS and (at - begun[1]).total_seconds() >= DAY):
                begun, count = (number, at), 0
            count += 1
            assert count <= SENT_AT_MOST


@given(steps)
def test_a_value_that_was_never_seen_beside_the_present_one_is_always_sent(versions: Sequence[tuple[str, float]]) -> None:
    watched = Watched()
    for value, hours in versions:
        watched.show(value, hours * HOUR)
    assert watched.show("never seen") == Send()
