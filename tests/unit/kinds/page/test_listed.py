"""Lists of other pages below a heading, in the markup that sites put around the two; and lists beside them that are content."""

# ruff: noqa: E501 - fragments stand here as servers send them

from __future__ import annotations

import pytest
from tests.unit.kinds.page.watching import body, seen

from driftline.pages import compare_pages

FIRST = ("Bridge closed until May", "New bus line opens", "Market moves to the square")
LATER = ("School wins a prize", "Bridge closed until May", "Rain for the weekend")


def listed(titles: tuple[str, ...]) -> str:
    return "<ul>" + "".join(f'<li><a href="/n/{title[:6]}">{title}</a></li>' for title in titles) + "</ul>"


def cards(titles: tuple[str, ...]) -> str:
    card = '<div class="card"><a href="/n/{0}"><img src="/i/{0}.jpg" alt=""></a><h4><a href="/n/{0}">{1}</a></h4><p>Jane Roe</p></div>'
    return '<div class="row">' + "".join(card.format(title[:6], title) for title in titles) + "</div>"


AROUND = [
    '<div class="widget"><div class="section-title"><h2>{head}</h2></div>{list}</div>',
    '<div class="box"><div class="hd"><h3><span>{head}</span></h3><a href="/all">View all</a></div><div class="bd">{list}</div></div>',
    "<div><header><h2>{head}</h2></header><div>{list}</div></div>",
    '<section aria-labelledby="q1"><div><div><h2 id="q1">{head}</h2></div></div><div>{list}</div></section>',
    "<div><h2>{head}</h2><hr><div class='line'></div>{list}</div>",
    "<div><p><strong>{head}</strong></p>{list}</div>",
    '<div class="sc-1x"><span class="sc-9a">{head}</span>{list}</div>',
    '<section aria-label="{head}">{list}</section>',
    "<dl><dt>{head}</dt><dd>{list}</dd></dl>",
]


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("head", ["Most read", "You may also like", "Читайте также"])
def test_a_list_of_others_passes_whatever_boxes_its_heading_stands_in(around: str, head: str) -> None:
    for made in (listed, cards):
        before, after = (body(around.format(head=head, list=made(titles))) for titles in (FIRST, LATER))
        assert not compare_pages(before, after).different
        assert seen(before, after) is None


@pytest.mark.parametrize("head", ["<h2>{}</h2>", '<div class="hd"><h2>{}</h2></div>', "<header><h3>{}</h3></header>"])
@pytest.mark.parametrize("first", ["Trending now", "Open calls"])
def test_a_list_that_stands_beside_such_a_list_is_read(head: str, first: str) -> None:
    def page(calls: tuple[str, ...]) -> str:
        lists = {"Trending now": listed(FIRST), "Open calls": listed(calls)}
        order = sorted(lists, key=lambda name: name != first)
        return body("<div>" + "".join(head.format(name) + lists[name] for name in order) + "</div>")

    before, after = page(("Call for artists", "Call for writers")), page(("Call for artists", "Call for dancers"))
    assert compare_pages(before, after).meaningful
    assert seen(before, after) is not None


def test_terms_beside_a_recommended_one_are_read() -> None:
    terms = '<dl><dt>Recommended</dt><dd><a href="/1">Plan A</a></dd><dt>Price</dt><dd><a href="/2">{} euros</a></dd></dl>'
    assert compare_pages(body(terms.format("Ten")), body(terms.format("Twelve"))).meaningful


NOTICE = "<p>{}</p>".format(
    "The plan leaves little for schools, and the mayor called it a careful answer to falling revenue. " * 2
)


@pytest.mark.parametrize(
    "head",
    [
        "More from The Post", "More by Jane Roe", "Most read in News", "Readers also read", "Mehr aus Politik", "Meistgelesene Artikel",
        "Les + lus", "Dans la même rubrique", "Las más leídas", "Más en Política", "Le più lette", "As mais lidas", "Meest bekeken",
        "Najchętniej czytane", "Související", "Kapcsolódó cikkek", "Mest sett", "Самое популярное", "Новости партнеров", "Най-четени",
        "Diğer yazılar", "Διαβάστε επίσης", "Berita terkait", "Đọc nhiều", "週間ランキング", "热门资讯", "相關報導", "랭킹 뉴스", "مواضيع متعلقة",
        "כתבות נוספות", "संबंधित खबरें",
    ],
)  # fmt: skip
def test_a_list_below_an_article_passes_if_its_heading_begins_so(head: str) -> None:
    before, after = (body(f"{NOTICE * 3}<div><h3>{head}</h3>{listed(titles)}</div>") for titles in (FIRST, LATER))
    assert not compare_pages(before, after).different


@pytest.mark.parametrize(
    "head",
    [
        "Documents", "Related documents", "Related legislation", "More information", "See also", "Most recent decisions", "Weitere Informationen",
        "En savoir plus", "Más información", "Saiba mais", "Więcej informacji", "Дополнительная информация", "関連法令", "相关法规", "관련 법령",
    ],
)  # fmt: skip
def test_a_list_below_an_article_that_belongs_to_it_is_read(head: str) -> None:
    before, after = (body(f"{NOTICE * 3}<div><h3>{head}</h3>{listed(titles)}</div>") for titles in (FIRST, LATER))
    assert compare_pages(before, after).meaningful


def test_such_a_list_is_read_where_it_is_what_the_page_is_for() -> None:
    before, after = (
        f"<html><body><h1>The Post</h1><div><h3>Latest from News</h3>{listed(titles)}</div></body></html>"
        for titles in (FIRST, LATER)
    )
    assert compare_pages(before, after).meaningful
