"""The bench of real pages holds verdicts against what differs: else its figures mean nothing."""

from __future__ import annotations

from typing import Literal

from bench.real import material
from bench.real.figures import Cost, Tally
from bench.real.pairs import judge
from bench.real.truth import names_nothing, seen, standing, stands_on_both

from driftline.model.change import Block

JOBS = "<title>Jobs</title><h1>Jobs</h1><ul><li><a href='/1'>Baker in Graz</a></li><li><a href='/2'>Cook in Linz</a></li></ul>"


def test_a_headline_names_something_if_it_has_a_word_of_what_differs() -> None:
    before, after = seen(JOBS), seen(JOBS.replace("Cook in Linz", "Driver in Wels"))
    assert not names_nothing("New: “Driver in Wels”", before, after)
    assert names_nothing("1 entry added, 1 removed", before, after)
    assert names_nothing("New: “Baker in Graz”", before, after)


def test_a_headline_that_quotes_a_word_of_ours_names_it() -> None:
    before, after = seen("<p>Rowing</p><b>New</b>"), seen("<p>Rowing</p>")
    assert not names_nothing("“Rowing New” → “Rowing”", before, after)
    assert names_nothing("New: “Chess”", before, after)


def entry(action: Literal["added", "removed"], key: str, title: str) -> Block:
    return Block(block_key=key, action=action, title=title, text_excerpt=title)


def test_an_entry_that_stands_on_both_sides_as_often_was_neither_added_nor_removed() -> None:
    url = "http://e.example/"
    sides = standing(JOBS, url), standing(JOBS.replace("Cook in Linz", "Driver in Wels").replace("/2", "/3"), url)
    assert stands_on_both(entry("added", f"{url}1", "Baker in Graz"), "Baker in Graz", *sides)
    assert stands_on_both(entry("removed", "li:baker in graz", "Baker in Graz"), "Baker in Graz", *sides)
    assert not stands_on_both(entry("added", f"{url}3", "Driver in Wels"), "Driver in Wels", *sides)
    assert not stands_on_both(entry("removed", f"{url}2", "Cook in Linz"), "Cook in Linz", *sides)
    assert not stands_on_both(entry("added", "li:graz", "Graz"), "Graz", *sides)  # no element says this alone


def test_an_entry_of_a_document_is_known_again_by_its_field() -> None:
    sides = standing('[{"id": 1, "points": 3}]', ""), standing('[{"id": 1, "points": 4}, {"id": 2}]', "")
    assert stands_on_both(entry("added", "id=1", "1"), "points: 4", *sides)
    assert not stands_on_both(entry("added", "id=2", "2"), "", *sides)


def test_what_is_set_apart_is_a_third_that_never_moves() -> None:
    apart = [number for number in range(203) if material.held_out(number)]
    assert apart[:6] == [0, 1, 2, 4, 11, 13]
    assert 50 < len(apart) < 85


def test_labelled_pairs_are_judged_by_their_label() -> None:
    noisy = JOBS.replace("</ul>", "</ul><p>Page generated in 0.12 seconds</p>")
    rows = [
        material.Pair("1", "jobs", "http://e.example/", JOBS, JOBS.replace("Cook in Linz", "Driver in Wels"), "change"),
        material.Pair("2", "jobs", "http://e.example/", noisy, noisy.replace("0.12", "0.31"), "noise"),
        material.Pair("3", "jobs", "http://e.example/", JOBS, JOBS, "change"),
    ]
    (tally,), cost = judge(rows, "training")
    assert (tally.quiet, tally.changed, tally.reported) == (1, 2, 1)
    assert [one.what for one in tally.wrong] == ["missed"]
    assert cost.checks == 3
    assert cost.seconds > 0


def test_a_tally_counts_what_contradicts_the_label() -> None:
    tally = Tally("jobs", "training")
    sides = seen(JOBS), seen(JOBS)
    tally.verdict("1", "noise", reported=True, said="something", sides=sides)
    tally.verdict("2", "ambiguous", reported=True, said="something", sides=sides)
    assert (tally.count("false alarm"), tally.count("missed"), tally.quiet, tally.changed) == (1, 0, 1, 0)
    assert Cost(2, 0.006, 0.001).cells() == "2 | 0.50 | 3.00 | 6.0"
