"""Lists of other pages beside the text that a page is about pass; lists that are the page, or part of its text, are read."""

from __future__ import annotations

import pytest
from tests.unit.kinds.page.watching import body, seen

FIRST = ("Bridge closed until May", "New bus line opens", "Market moves to the square")
LATER = ("School wins a prize", "Bridge closed until May", "Rain for the weekend")
NOTICE = "<p>{}</p>".format(
    "The plan leaves little for schools, and the mayor called it a careful answer to falling revenue. " * 2
)


def listed(titles: tuple[str, ...], form: str = "/n/{}") -> str:
    return "<ul>" + "".join(f'<li><a href="{form.format(title[:6])}">{title}</a></li>' for title in titles) + "</ul>"


def cards(titles: tuple[str, ...]) -> str:
    card = '<div class="card"><img src="/i/{0}.jpg" alt=""><h4><a href="/n/{0}">{1}</a></h4><p>5 May</p></div>'
    return '<div class="row">' + "".join(card.format(title[:6], title) for title in titles) + "</div>"


def beside(html: str, column: str = "<aside>{}</aside>", text: str = "") -> str:
    return body(text).replace("<main>", f"{column.format(html)}<main>")


@pytest.mark.parametrize("column", ["<aside>{}</aside>", '<div class="left">{}</div>', '<section aria-label="x">{}</section>'])
@pytest.mark.parametrize("text", ["", NOTICE * 4])
def test_a_list_beside_the_text_passes_whatever_heads_it(column: str, text: str) -> None:
    for made in (listed, cards):
        before, after = (beside(f"<h3>Meistgelesen</h3>{made(titles)}", column, text) for titles in (FIRST, LATER))
        assert seen(before, after) is None


def test_an_entry_that_was_rewritten_is_reported_and_one_that_moved_up_is_not() -> None:
    before = beside(listed(("Bridge closed until May", "New bus line opens")))
    assert seen(before, beside(listed(("New bus line opens", "Bridge closed until May")))) is None
    assert seen(before, beside(listed(("Bridge closed until June", "New bus line opens")))) is not None


def test_how_many_pages_a_topic_has_is_no_rewriting() -> None:
    assert seen(*(beside(listed((f"Politics ({count})", "Sport (45)"))) for count in (123, 124))) is None


@pytest.mark.parametrize("head", ["More from The Post", "Documents", "See also"])
def test_a_list_within_the_text_is_read_whatever_heads_it(head: str) -> None:
    before, after = (body(f"{NOTICE * 3}<div><h3>{head}</h3>{listed(titles)}</div>") for titles in (FIRST, LATER))
    assert seen(before, after) is not None


def test_a_list_of_documents_beside_the_text_is_read() -> None:
    names = ("Plan of the site", "Report of experts")
    before, after = (beside(listed(shown, "/files/{}.pdf?v=1")) for shown in (names, (*names, "Decision")))
    assert seen(before, after) is not None


def test_what_stands_beside_the_text_and_leads_nowhere_is_read() -> None:
    assert seen(*(beside(f"<h3>Opening hours</h3><p>{hours}</p>") for hours in ("9-17", "9-18"))) is not None


@pytest.mark.parametrize("name", ["related-posts", "sidebar_content", "content-sidebar-wrap"])
def test_a_page_that_is_nothing_but_such_a_list_is_read(name: str) -> None:
    before, after = (
        f'<html><body><div class="{name}"><h1>The Post</h1>{listed(titles)}</div></body></html>' for titles in (FIRST, LATER)
    )
    assert seen(before, after) is not None


def test_a_text_that_is_named_after_the_column_beside_it_is_read() -> None:
    before, after = (
        f'<html><body><div class="sidebar_content"><h3>Calls</h3>{NOTICE * 4}<h4>News</h4>{listed(titles)}</div></body></html>'
        for titles in (FIRST, LATER)
    )
    assert seen(before, after) is not None
