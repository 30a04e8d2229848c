"""Parts of pages that are called after something they are not: a layer, a menu, a header; and counts that have no word."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from driftline import compare_pages

SAID = (
    "We collect what you give us when you open an account, buy something or write to us, and what your browser sends along. "
    "We share it with those who work for us under a written agreement, and they may not use it for purposes of their own. "
)
FEES = "<div class='doc'><h1>Fees</h1><p>{} applies to each transaction.</p></div>"
PLANS = (
    "<body><div class='container'><div class='row'><div class='col'><div class='card'>"
    "<div class='card-header'><h4>Pro: {}</h4></div>"
    "<ul><li>10 users</li><li>20 GB</li></ul></div></div></div></div></body>"
)
CODE = (
    "<main><h1>Install</h1><p>Run this:</p><div class='language-bash highlighter'><pre>pip install lume=={}</pre></div></main>"
)
MENU = "<body><h1>Da Ugo</h1><div class='menu-section'><div class='menu-item'><b>Carbonara</b> <i>{} €</i></div></div></body>"
HEAD = f"<body><div class='terms-header'><h1>Terms</h1><p>Effective {{}}</p></div><div><p>{SAID}</p><p>{SAID}</p></div></body>"
HELP = (
    "<main><div class='article intercom-force-break'><h1>Terms</h1>"
    f"<article><p>{SAID}</p><p>Kept for {{}} months.</p></article></div></main>"
)
COOKIES = (
    f"<body><div id='content'><h1>Cookie policy</h1><p>{SAID}</p><div id='cookies' class='cookie-section'><h2>Which we use</h2>"
    "<ul><li>_ga: analytics, {}</li><li>sid: session</li></ul></div></div>"
    "<div class='cookie-banner'><p>We use cookies.</p><button>OK</button></div></body>"
)


@pytest.mark.parametrize(
    ("page", "before", "after"),
    [
        (FEES, "A fee of 2.9% + 30¢", "A fee of 3.1% + 30¢"),
        (PLANS, "$20 a month", "$25 a month"),
        (CODE, "2.3.0", "2.4.0"),
        (MENU, "13,50", "14,50"),
        (HEAD, "1 May 2026", "1 June 2027"),
        (HELP, "12", "24"),
        (COOKIES, "2 years", "13 months"),
    ],
)
def test_what_a_page_says_counts_whatever_its_part_is_called(page: str, before: str, after: str) -> None:
    assert compare_pages(page.format(before), page.format(after)).meaningful


def test_a_banner_about_cookies_is_still_one_on_a_page_about_them() -> None:
    after = COOKIES.replace("We use cookies.", "We and our partners use cookies. Change your mind at any time.")
    assert not compare_pages(COOKIES, after).meaningful


LINKS = "<table>{}</table>"
ROW = (
    "<tr><td><a href='https://{0}.example/'>{0}</a></td></tr>"
    "<tr><td>{1} points by <a href='user?id={0}'>{0}</a> <a href='item?id={0}'>5 hours ago</a> | hide | "
    "<a href='item?id={0}'>{2}</a></td></tr>"
)


def board(first: str) -> str:
    rows = (("knots", 10, first), ("tomatoes", 120, "44 comments"), ("lamps", 35, "12 comments"))
    return LINKS.format("".join(ROW.format(*row) for row in rows))


def test_a_part_that_became_a_count_is_one_where_its_siblings_have_one() -> None:
    assert not compare_pages(board("discuss"), board("1 comment")).meaningful
    assert compare_pages(board("discuss"), board("closed by its author")).meaningful


def status(newest: date, *, days: int = 12, named: str = "") -> str:
    shown = (newest - timedelta(days=number) for number in range(days))
    listed = "".join(f"<div class='day'><h3>{day:%b %d, %Y}</h3><p>No incidents reported.</p></div>" for day in shown)
    return f"<body><h1>Status</h1><p>{named or 'All systems operational'}</p><div class='past'>{listed}</div></body>"


def test_a_list_that_shows_one_day_after_the_other_moves_on_with_the_days() -> None:
    before = status(date(2026, 11, 17))
    assert not compare_pages(before, status(date(2026, 11, 18))).meaningful
    assert compare_pages(before, status(date(2026, 11, 18), named="Partial outage")).meaningful
    assert compare_pages(before, status(date(2026, 11, 18), days=14)).meaningful, "it shows more than it did"


def test_what_markup_calls_votes_is_a_counter_and_a_score_is_none() -> None:
    helpful = "<article><h1>Refunds</h1><div class='article-votes'>{} out of 20 found this helpful</div></article>"
    assert not compare_pages(helpful.format(12), helpful.format(14)).meaningful
    scored = helpful.replace("article-votes", "score")
    assert compare_pages(scored.format(12), scored.format(14)).meaningful
