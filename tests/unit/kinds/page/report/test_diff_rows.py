"""The diff for people is made of the differences that count."""

from __future__ import annotations

from tests.unit.kinds.page.watching import body

from driftline.pages import compare_pages


def listed(*names: str) -> str:
    return body("<ul>" + "".join(f"<li>{name}</li>" for name in names) + "</ul>")


def test_entries_in_another_order_stay_out_of_the_diff_of_what_came() -> None:
    diff = compare_pages(listed("Pears", "Plums", "Figs"), listed("Figs", "Plums", "Pears", "Quinces"))
    assert [(row.action, row.new) for row in diff.rows if row.action not in ("context", "skipped")] == [("added", "Quinces")]


def test_a_heading_in_other_letters_elsewhere_is_one_changed_row() -> None:
    kept = "".join(f"<p>Clause {number} of the terms stays as it is.</p>" for number in range(6))
    before, after = body(f"<h2>YOUR RIGHTS AND DUTIES</h2>{kept}"), body(f"{kept}<h2>Your rights and duties</h2>")
    changed = [row for row in compare_pages(before, after).rows if row.action not in ("context", "skipped")]
    assert [(row.action, row.old, row.new) for row in changed] == [
        ("changed", "YOUR RIGHTS AND DUTIES", "Your rights and duties")
    ]


def test_a_removed_line_stands_behind_the_line_that_it_stood_behind() -> None:
    lines = [f"Rule {name} holds for everybody." for name in ("one", "two", "three", "four")]
    diff = compare_pages(*(body("".join(f"<p>{line}</p>" for line in some)) for some in (lines, [*lines[:2], lines[3]])))
    at = next(number for number, row in enumerate(diff.rows) if row.action == "removed")
    assert [row.old for row in diff.rows[at - 1 : at + 2]] == lines[1:]
