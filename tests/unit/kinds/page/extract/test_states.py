"""States that attributes and tags tell are content where readers see them, and noise where scripts move them."""

# ruff: noqa: E501 - pages stand here as servers send them

from __future__ import annotations

import pytest
from tests.unit.kinds.page.watching import body, seen


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('<p>Lift <span role="img" aria-label="working"></span></p>', '<p>Lift <span role="img" aria-label="out of order"></span></p>', "out of order"),
        ('<table><tr><td>Lift</td><td><i class="fa fa-check" title="In service"></i></td></tr></table>', '<table><tr><td>Lift</td><td><i class="fa fa-times" title="Out of service"></i></td></tr></table>', "Out of service"),
        ("<ul><li>Workshop A, 10am</li><li>Workshop B, 11am</li></ul>", "<ul><li><s>Workshop A, 10am</s></li><li>Workshop B, 11am</li></ul>", "struck out"),
        ("<p>Workshop A, 10am</p>", "<p><del>Workshop A, 10am</del></p>", "struck out"),
        ('<ul><li><input type="checkbox" disabled> Roof repaired</li></ul>', '<ul><li><input type="checkbox" disabled checked> Roof repaired</li></ul>', "[checked]"),
        ('<p><label>Annual fee</label><input readonly value="120"></p>', '<p><label>Annual fee</label><input readonly value="140"></p>', "140"),
        ('<table><tr><td>Tea</td><td><svg aria-label="In stock"></svg></td></tr></table>', '<table><tr><td>Tea</td><td><svg aria-label="Gone"></svg></td></tr></table>', "Gone"),
    ],
)  # fmt: skip
def test_a_state_without_a_text_is_reported_in_words(before: str, after: str, said: str) -> None:
    diff = seen(body(before), body(after))
    assert diff is not None
    assert said in diff.headline


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('<p>Tea <span role="img" aria-label="4.5 of 5 stars"></span></p>', '<p>Tea <span role="img" aria-label="4.4 of 5 stars"></span></p>'),
        ('<p><button><i title="Save this"></i></button></p>', '<p><button><i title="Saved"></i></button></p>'),
        ('<p><input type="checkbox"> Remember me</p>', '<p><input type="checkbox" checked> Remember me</p>'),
        ('<p>Words <span title="Explained here">here</span></p>', '<p>Words <span title="Explained there">here</span></p>'),
    ],
)  # fmt: skip
def test_what_moves_by_itself_is_no_state(before: str, after: str) -> None:
    assert seen(body(before), body(after)) is None


@pytest.mark.parametrize("price", ["5 €", "Old price: 5,-", "Unser Preis 5,00"])
def test_the_price_of_before_is_not_called_struck_out(price: str) -> None:
    before, after = f"<p>Tea {price}</p>", f"<p>Tea <del>{price}</del> 4 €</p>"
    diff = seen(body(before), body(after))
    assert diff is not None
    assert "struck" not in diff.headline
