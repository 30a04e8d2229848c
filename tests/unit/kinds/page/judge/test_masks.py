"""Learned noise: what it covers, and what it never covers."""

# ruff: noqa: E501 - pages stand here as servers send them

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.kinds.page.compare.lines import line_differences
from driftline.kinds.page.diff import PageDiff, compare
from driftline.kinds.page.judge.masks import ActiveMasks, hold, learn
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.model.noise.mask import Mask
from driftline.pages import read_page

AT = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)
URL = "https://site.example/page"


def page(promo: str = "<p>Try our kayaks</p>", extra: str = "", **more: str) -> str:
    said = {"title": "Harbour", "price": "5.00", "stock": "In stock", "note": "Boats leave at noon"} | more
    return f"""<html><head><title>{said["title"]}</title></head><body><main><h1>{said["title"]}</h1><p>Welcome to the harbour.</p>
<div class="promo">{promo}</div><p class="price">{said["price"]} €</p><p class="stock">{said["stock"]}</p>{extra}
<p class="note">{said["note"]}</p></main></body></html>"""


def parsed(html: str, rules: PageRules | None = None) -> ParsedPage:
    return read_page(html, url=URL, rules=rules)


def taught(one: str, other: str, rules: PageRules | None = None) -> list[Mask]:
    return learn(parsed(one, rules), parsed(other, rules), evidence="differed", at=AT)


def judged(before: str, after: str, masks: list[Mask], rules: PageRules | None = None) -> PageDiff:
    return compare(parsed(before, rules), parsed(after, rules), rules or PageRules(), masks)


SAYINGS = ("<p>Many hands make light work</p>", "<p>Rivers run deep in winter</p>", "<p>Stone by stone the wall grows</p>")


def test_an_exact_mask_hides_the_values_that_were_seen_and_no_other() -> None:
    one, other, third = map(page, SAYINGS)
    masks = taught(one, other)
    assert not judged(one, other, masks).different
    assert not judged(other, one, masks).different
    assert judged(one, third, masks).meaningful
    assert not judged(one, third, [*masks, *taught(other, third)]).different


def test_a_line_that_comes_and_goes_is_hidden_as_long_as_it_says_the_same() -> None:
    masks = taught(page(""), page(SAYINGS[0]))
    assert not judged(page(SAYINGS[0]), page(""), masks).different
    assert judged(page(""), page(SAYINGS[1]), masks).meaningful


def test_a_typed_mask_hides_values_of_its_type_alone() -> None:
    form = "<p>Ticket {} was drawn</p>"
    one, other, third = (
        page(form.format(token)) for token in ("1f3a5b7c9d0e2f4a6b", "9e8d7c6b5a4f3e2d1c", "0a1b2c3d4e5f6a7b8c")
    )
    masks = taught(one, other)
    assert not judged(one, third, masks).different
    assert judged(one, page(form.format("of Anna")), masks).meaningful
    assert judged(one, page("<p>Ticket 0a1b2c3d4e5f6a7b8c was lost</p>"), masks).meaningful


def test_how_long_a_server_took_is_learned() -> None:
    one, other, third = (page(f"<p>Page made in {took} seconds</p>") for took in ("0.021", "0.034", "0.118"))
    assert not judged(one, third, taught(one, other)).different


@pytest.mark.parametrize(
    ("one", "other", "third"),
    [
        ("The museum is open on Sunday", "The museum is closed on Sunday", "The museum is shut by court order on Sunday"),
        ("Heating: on", "Heating: off", "Heating: off"),
        ("Dogs are allowed", "Dogs are not allowed", "Dogs are not allowed"),
        ("Seats left: 14", "Seats left: 13", "Seats left: 2"),
        ("Entry 5 €", "Entry 6 €", "Entry 9 €"),
    ],
)
def test_states_negations_numbers_and_amounts_are_never_learned(one: str, other: str, third: str) -> None:
    masks = taught(page(note=one), page(note=other))
    assert judged(page(note=one), page(note=other), masks).meaningful
    assert judged(page(note=one), page(note=third), masks).meaningful


@pytest.mark.parametrize(
    "more", [{"title": "Harbor"}, {"price": "6.00"}, {"stock": "Sold out"}], ids=["title", "price", "stock"]
)
def test_a_title_a_price_and_stock_are_never_masked(more: dict[str, str]) -> None:
    one, other = page(), page(**more)
    assert judged(one, other, taught(one, other)).meaningful


@pytest.mark.parametrize(
    "after",
    [
        page(SAYINGS[1], note="Boats leave at one"),
        page(SAYINGS[1], extra="<p>New ferry line</p>"),
        page(SAYINGS[1] + "<p>The harbour is closed until May.</p>"),
        page("<p>The pier is closed.</p>" + SAYINGS[1]),
        page(SAYINGS[1], extra='<a href="/ferry">Ferry</a>'),
    ],
)
def test_a_real_change_beside_or_inside_the_masked_place_is_reported(after: str) -> None:
    assert judged(page(SAYINGS[0]), after, taught(page(SAYINGS[0]), page(SAYINGS[1]))).meaningful


def test_nothing_is_learned_of_a_selected_part_and_no_mask_covers_it() -> None:
    rules = PageRules(select=(".promo",))
    one, other = page(SAYINGS[0]), page(SAYINGS[1])
    assert taught(one, other, rules) == []
    assert judged(one, other, taught(one, other), rules).meaningful


def test_a_mask_names_its_place_and_evidence() -> None:
    (mask,) = taught(page(SAYINGS[0]), page(SAYINGS[1]))
    assert "div.promo" in mask.place
    assert mask.evidence == "differed"
    diff = judged(page(SAYINGS[0]), page(SAYINGS[1]), [mask])
    assert [dropped.rule for dropped in diff.suppressed] == [f"ignored area at {mask.place}"]


@pytest.mark.parametrize("form", ["/dl/{}/tariff-2025.pdf", "https://mirror{}.files.example/tariff-2025.pdf"])
def test_an_address_is_masked_by_its_opaque_part_and_another_file_there_is_reported(form: str) -> None:
    turns = ("1f3a5b7c9d0e2f4a", "9e8d7c6b5a4f3e2d", "0a1b2c3d4e5f6a7b") if "/dl/" in form else ("1", "2", "3")
    one, other, third = (page(f'<a href="{form.format(turn)}">Tariff</a>') for turn in turns)
    masks = taught(one, other)
    assert not judged(one, third, masks).different
    assert judged(one, third.replace("2025", "2026"), masks).meaningful


def test_pictures_that_take_turns_at_one_place_are_masked_there_alone() -> None:
    one, other, third = (page(f'<img src="/{name}.jpg">') for name in ("kayak", "tent", "boots"))
    masks = taught(one, other)
    assert not judged(one, third, masks).different
    assert judged(one, page('<img src="/kayak.jpg">', extra='<p><img src="/pier.jpg"></p>'), masks).meaningful


@pytest.mark.parametrize(("count", "learned"), [(60, 60), (61, 0)])
def test_more_than_sixty_differences_are_a_page_that_changed_and_teach_nothing(count: int, learned: int) -> None:
    names = [f"{first}{second}" for first in "klmnpqrs" for second in "klmnpqrs"][:count]
    one, other = (
        page("".join(f"<section><h2>Part {name}</h2><p class={name}>{word}</p></section>" for name in names))
        for word in ("kayak", "tent")
    )
    assert len(taught(one, other)) == learned


def test_two_wholly_different_pages_teach_nothing() -> None:
    one = "".join(f"<p class=c{letter}>{letter * 9}</p>" for letter in "abcdefghijklmnopqrstuvwxyz" * 4)
    other = "".join(f"<h3 class=d{letter}>{letter * 7} {letter}</h3>" for letter in "zyxwvutsrqponmlkjihgfedcba" * 4)
    assert len(taught(page(one), page(other))) <= 60


def test_a_mask_of_an_older_form_covers_nothing() -> None:
    old = Mask(place="div.promo > p", skeleton="•", evidence="differed", learned_at=AT)
    assert judged(page(SAYINGS[0]), page(SAYINGS[1]), [old]).meaningful


def test_a_lifted_mask_covers_nothing() -> None:
    masks = [msgspec.structs.replace(mask, state="lifted") for mask in taught(page(SAYINGS[0]), page(SAYINGS[1]))]
    assert judged(page(SAYINGS[0]), page(SAYINGS[1]), masks).meaningful


WORDS = st.lists(
    st.sampled_from("kayak tent boot lamp river stone open not 5 12 1f3a5b7c9d0e2f4a6b".split()), min_size=1, max_size=4
)


@given(WORDS, WORDS, WORDS)
def test_no_mask_hides_a_value_that_it_has_not_seen_unless_types_alone_differ(
    one: list[str], other: list[str], third: list[str]
) -> None:
    first, second, last = (page(f"<p>{' '.join(words)}</p>") for words in (one, other, third))
    masks = taught(first, second)
    if [word for word in third if word[0] != "1"] not in ([word for word in side if word[0] != "1"] for side in (one, other)):
        assert judged(first, last, masks).different


TOKENS = st.sampled_from(["1f3a5b7c9d0e2f4a6b", "9e8d7c6b5a4f3e2d1c", "0a1b2c3d4e5f6a7b8c", "77aa66bb55cc44dd33"])
AGES = st.sampled_from(["2 minutes ago", "5 hours ago", "3 days ago"])
PLAIN = st.sampled_from(["of Anna", "nobody", "5 €", "12", "closed", "in May 2027", "", "kayak"])
FORM = "<p>Ticket {} was drawn</p>"


def hidden(before: str, after: str, masks: list[Mask]) -> list[str | None]:
    """For each line that differs, what covers it."""
    one, other = parsed(before), parsed(after)
    known = ActiveMasks(masks)
    return [known.line(difference, one, other) for difference in line_differences(one, other) if difference.action != "moved"]


@given(st.sampled_from((TOKENS, AGES)).flatmap(lambda values: st.tuples(values, values, values)), PLAIN)
def test_a_typed_mask_never_hides_a_value_of_another_type(seen: tuple[str, str, str], alien: str) -> None:
    first, second, third = (page(FORM.format(value)) for value in seen)
    masks = [mask for mask in taught(first, second) if mask.skeleton != "values seen"]
    assert all(hidden(first, third, masks)) or not masks
    assert not any(hidden(first, page(FORM.format(alien)), masks))
    assert not any(hidden(page(FORM.format(alien)), first, masks))


LINES = st.text(alphabet="abcdé 字ж-,", min_size=1, max_size=24).map(str.strip).filter(bool)


@given(LINES, LINES, LINES)
def test_an_exact_mask_never_hides_a_value_that_it_has_not_seen(one: str, other: str, third: str) -> None:
    first, second, last = (page(f"<p>{text}</p>") for text in (one, other, third))
    masks = taught(first, second)
    if third not in (one, other):
        assert not any(hidden(first, last, masks))
        assert not any(hidden(last, second, masks))


# --- answers that do not agree: for one judgement only


def held(past: str, one: str, other: str) -> list[Mask]:
    return hold(parsed(past), parsed(one), parsed(other), at=AT)


def test_what_the_second_answer_does_not_show_waits_be_it_what_no_mask_may_cover() -> None:
    past, one = page(note="Open on Sunday"), page(note="Closed on Sunday")
    assert judged(past, one, []).meaningful
    assert not judged(past, one, held(past, one, past)).different


def test_what_both_answers_show_is_reported() -> None:
    past, one, other = (
        page(SAYINGS[0]),
        page(SAYINGS[1], note="Boats leave at one"),
        page(SAYINGS[0], note="Boats leave at one"),
    )
    diff = judged(past, one, held(past, one, other))
    assert diff.meaningful
    assert "one" in diff.headline
    assert "Rivers" not in diff.headline


def test_a_line_that_the_second_answer_does_not_have_waits_and_its_neighbour_does_not() -> None:
    past, one, other = page(), page(extra="<p>New ferry</p><p>New pier</p>"), page(extra="<p>New pier</p>")
    diff = judged(past, one, held(past, one, other))
    assert "New pier" in diff.headline
    assert "New ferry" not in diff.headline


def test_a_clock_beside_a_line_does_not_hold_that_line_back() -> None:
    def hours(until: str, clock: str) -> str:
        return page(f"<p>Open from nine to {until} on weekdays.</p><p>Loaded at {clock}</p>")

    past, one, other = hours("five", "11:12:27 PM"), hours("six", "11:14:44 PM"), hours("six", "11:14:46 PM")
    diff = judged(past, one, held(past, one, other))
    assert diff.meaningful
    assert "six" in diff.headline


def test_a_third_answer_holds_back_what_neither_of_the_others_shows() -> None:
    past, one, other = map(page, SAYINGS)
    assert not judged(past, one, held(past, one, other)).different


def test_a_title_that_two_servers_do_not_agree_on_waits() -> None:
    past, one = page(title="Harbour"), page(title="Harbor")
    assert judged(past, one, []).meaningful
    masks = held(past, one, past)
    assert "title" in {mask.place for mask in masks}
    assert judged(past, page(title="Marina"), masks).meaningful


def test_answers_that_agree_hold_nothing_back() -> None:
    past, one = page(), page(note="Boats leave at one")
    assert held(past, one, one) == []
