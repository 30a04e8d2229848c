"""What a plan allows is content, what visitors move is not, however alike they are written."""

from __future__ import annotations

import pytest
from tests.unit.kinds.page.watching import body, seen

from driftline.kinds.page.judge.spans import quieted
from driftline.pages import compare_pages


@pytest.mark.parametrize(
    ("form", "old", "new"),
    [
        ("<h2>Pro plan, $29</h2><ul><li>5 GB</li><li>{}</li></ul>", "10 downloads", "5 downloads"),
        ("<h2>Pro plan, $29</h2><dl><dt>Files</dt><dd>{}</dd></dl>", "10 downloads", "25 downloads"),
        ("<h2>Pro</h2><p>$29 / month</p><ul><li><span>{}</span></li></ul>", "10 downloads", "7 downloads"),
        ("<table><tr><th>Pro</th><td>$29</td><td>{}</td></tr></table>", "500 subscribers", "250 subscribers"),
        ("<ul><li>Workshop</li><li>{}</li></ul>", "12 places left", "3 places left"),
        ("<p>Hotel</p><p>{}</p>", "4 stars", "5 stars"),
        ("<ol><li>{}</li><li>United 38 points</li></ol>", "Rovers 40 points", "Rovers 41 points"),
    ],
)
def test_an_allowance_is_reported(form: str, old: str, new: str) -> None:
    assert seen(body(form.format(old)), body(form.format(new))) is not None


@pytest.mark.parametrize(
    ("form", "old", "new"),
    [
        ("<p>{}</p>", "1,204 views", "2,000 views"),
        ("<p>{}</p>", "1204 просмотров", "1311 просмотров"),
        ("<p>{}</p>", "120 fans online", "95 fans online"),
        ("<p>Bike</p><p>£120</p><p>{}</p>", "9 views", "10 views"),
        ("<p>Bike, £120 · {}</p>", "49 views", "50 views"),
        ("<p><b>29.90 €</b> <span>★★★★☆ {}</span></p>", "(120)", "(124)"),
        ("<ul><li>{}</li><li>3 comments</li></ul>", "5 downloads", "6 downloads"),
    ],
)
def test_a_counter_stays_silent_though_its_number_is_round_or_a_price_stands_beside_it(form: str, old: str, new: str) -> None:
    assert seen(body(form.format(old)), body(form.format(new))) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("You must reach 1,000 subscribers to earn money.", "You must reach 500 subscribers to earn money."),
        ("Each account may have 5 followers at most.", "Each account may have 3 followers at most."),
        ("Up to 20 comments are shown for free.", "Up to 10 comments are shown for free."),
    ],
)
def test_what_a_sentence_counts_is_reported_whether_its_text_is_kept_or_not(old: str, new: str) -> None:
    assert seen(body(f"<p>{old}</p>"), body(f"<p>{new}</p>")) is not None
    assert quieted(old) != quieted(new)


_THREADS = "<table><thead><tr><th>Thread</th><th>Replies</th><th>Views</th><th>Price</th></tr></thead><tbody>{}</tbody></table>"
_ROW = "<tr><td><a href=/t/{0}>Thread {0} about boats</a></td><td>{1}</td></tr>"


def rows(last: str) -> str:
    return body(_THREADS.format(_ROW.format("a", "3</td><td>88") + _ROW.format("b", last)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (body("<ul><li>API <b>99.97</b> % uptime</li></ul>"), body("<ul><li>API <b>99.98</b> % uptime</li></ul>")),
        (body("<p>Knots</p><p>10,233 3 weeks ago</p>"), body("<p>Knots</p><p>10,412 3 weeks ago</p>")),
        (body("<p>Go 12,102 1210 301 stars today</p>"), body("<p>Go 12,140 1214 339 stars today</p>")),
        (body("<p>10,233 results</p>"), body("<p>10,235 results</p>")),
        (body("<p>There are 3 users and 12 guests online.</p>"), body("<p>There are 1 users and 9 guests online.</p>")),
        (rows("12</td><td>340"), rows("13</td><td>352")),
    ],
)
def test_what_visitors_and_time_move_is_a_count(old: str, new: str) -> None:
    assert compare_pages(old, new).meaningful is False


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            body("<p>We guarantee an uptime of 99.9 % in every month of the contract.</p>"),
            body("<p>We guarantee an uptime of 99.5 % in every month of the contract.</p>"),
        ),
        (body("<ul><li>API 99.97 % uptime</li></ul>"), body("<ul><li>API 93.1 % uptime</li></ul>")),
        (body("<p>3 results</p>"), body("<p>5 results</p>")),
        (rows("12</td><td>340</td><td>20"), rows("13</td><td>352</td><td>25")),
        (rows("12</td><td>340"), rows("2</td><td>30")),
    ],
)
def test_what_only_looks_like_such_a_count_is_reported(old: str, new: str) -> None:
    assert compare_pages(old, new).meaningful
