"""What a plan allows is content, what visitors move is not, however alike they are written."""

from __future__ import annotations

import pytest
from tests.unit.kinds.page.watching import body, seen


@pytest.mark.parametrize(
    ("form", "old", "new"),
    [
        ("<h2>Pro plan, $29</h2><ul><li>5 GB</li><li>{}</li></ul>", "10 downloads", "5 downloads"),
        ("<h2>Pro plan, $29</h2><dl><dt>Files</dt><dd>{}</dd></dl>", "10 downloads", "25 downloads"),
        ("<h2>Pro</h2><p>$29 / month</p><ul><li><span>{}</span></li></ul>", "10 downloads", "7 downloads"),
        ("<table><tr><th>Basic</th><td>{}</td><td>$9</td></tr></table>", "10,000 page views", "5,000 page views"),
        ("<table><tr><th>Pro</th><td>$29</td><td>{}</td></tr></table>", "500 subscribers", "250 subscribers"),
        ("<h2>A pass for 29 pounds</h2><ul><li>{}</li><li>Towels</li></ul>", "3 visits", "1 visit"),
        ('<h2>Plans</h2><ul class="plan"><li>{}</li><li>Email support</li></ul>', "10 downloads", "5 downloads"),
        ("<h2>Abo 12 € pro Monat</h2><ul><li>{}</li></ul>", "1,000 downloads", "500 downloads"),
    ],
)
def test_an_allowance_beside_a_price_is_told(form: str, old: str, new: str) -> None:
    assert seen(body(form.format(old)), body(form.format(new))) is not None


@pytest.mark.parametrize(
    ("form", "old", "new"),
    [
        ("<p>{}</p>", "10 downloads", "11 downloads"),
        ("<p>{}</p>", "1,204 views", "2,000 views"),
        ("<p>Manual.pdf</p><span>{}</span>", "499 downloads", "500 downloads"),
        ("<p>Bike</p><p>£120</p><p>{}</p>", "9 views", "10 views"),
        ("<p>Bike</p><p>£120</p><p>{}</p>", "3 visits", "5 visits"),
        ("<p>Flat</p><p>£900 per month</p><p>{}</p>", "9 views", "10 views"),
        ("<p>Bike, £120 · {}</p>", "49 views", "50 views"),
        ("<ul><li>{}</li><li>3 comments</li></ul>", "5 downloads", "6 downloads"),
        ("<p>Theme $29</p><p>{}</p>", "3 downloads", "5 downloads"),
    ],
)
def test_a_counter_stays_silent_though_its_number_is_round_or_a_price_stands_beside_it(form: str, old: str, new: str) -> None:
    assert seen(body(form.format(old)), body(form.format(new))) is None
