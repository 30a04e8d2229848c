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
        "Further reading", "Latest from the council", "Aktuelle Meldungen", "Aktuelle Themen", "Articoli recenti", "Последние новости", "Останні новини",
    ],
)  # fmt: skip
def test_a_list_below_an_article_that_belongs_to_it_is_read(head: str) -> None:
    before, after = (body(f"{NOTICE * 3}<div><h3>{head}</h3>{listed(titles)}</div>") for titles in (FIRST, LATER))
    assert compare_pages(before, after).meaningful


@pytest.mark.parametrize("head", ["Related content", "Related reading", "Recommended", "Mehr zum Thema", "Weitere Artikel"])
@pytest.mark.parametrize("column", ["<div>{}</div>", "<aside>{}</aside>"])
def test_a_list_of_documents_is_read_whatever_its_heading_says(head: str, column: str) -> None:
    def page(*names: str) -> str:
        links = "".join(f'<li><a href="/files/{name[:4]}.pdf?v=1">{name}</a></li>' for name in names)
        return body(f"{NOTICE * 3}{column.format(f'<h3>{head}</h3><ul>{links}</ul>')}")

    before, after = page("Plan of the site", "Report of experts"), page("Plan of the site", "Report of experts", "Decision")
    assert compare_pages(before, after).meaningful
    assert seen(before, after) is not None


def test_recommendations_outside_an_article_are_read() -> None:
    before, after = (body(f"<div><h3>Recommendations</h3>{listed(titles)}</div>") for titles in (FIRST, LATER))
    assert compare_pages(before, after).meaningful


def test_such_a_list_is_read_where_it_is_what_the_page_is_for() -> None:
    before, after = (
        f"<html><body><h1>The Post</h1><div><h3>Latest from News</h3>{listed(titles)}</div></body></html>"
        for titles in (FIRST, LATER)
    )
    assert compare_pages(before, after).meaningful


@pytest.mark.parametrize(
    "head",
    [
        "Latest headlines", "From the blog", "Blog archive", "Topics", "Aktuelles", "Neueste Meldungen", "Les dernières publications",
        "En ce moment", "Lo último", "In evidenza", "Em destaque", "Najnowsze", "Legfrissebb", "Senaste nytt", "Лента новостей", "Главное",
        "Artikel terbaru", "Tin mới", "新着情報", "最新资讯", "최신기사", "أحدث المقالات",
    ],
)  # fmt: skip
@pytest.mark.parametrize("column", ["<aside>{}</aside>", '<div class="left-sidebar">{}</div>'])
def test_a_list_of_the_newest_passes_beside_the_content_alone(head: str, column: str) -> None:
    boxes = [f"<div><h3>{head}</h3>{listed(titles)}</div>" for titles in (FIRST, LATER)]
    assert not compare_pages(*(body("").replace("<main>", column.format(box) + "<main>") for box in boxes)).different
    assert compare_pages(*(body(box) for box in boxes)).meaningful


@pytest.mark.parametrize(
    "head", ["Contact persons", "Downloads", "Open positions", "Upcoming events", "Opening hours", "Releases", "公告"]
)
def test_other_lists_beside_the_content_are_read(head: str) -> None:
    pages = [body("").replace("<main>", f"<aside><h3>{head}</h3>{listed(titles)}</aside><main>") for titles in (FIRST, LATER)]
    assert compare_pages(*pages).meaningful


def test_a_text_that_is_named_after_the_column_beside_it_is_read() -> None:
    def page(titles: tuple[str, ...]) -> str:
        return f'<html><body><div class="sidebar_content"><h3>Calls</h3>{NOTICE * 4}<h4>News</h4>{listed(titles)}</div></body></html>'

    assert compare_pages(page(FIRST), page(LATER)).meaningful


@pytest.mark.parametrize("count", ["({})", '<span class="badge">{}</span>'])
def test_how_many_pages_a_topic_has_is_no_rewriting(count: str) -> None:
    def page(number: int) -> str:
        topic = f'<li><a href="/c/politics">Politics {count.format(number)}</a></li><li><a href="/c/sport">Sport {count.format(45)}</a></li>'
        return body("").replace("<main>", f"<aside><h3>Categories</h3><ul>{topic}</ul></aside><main>")

    assert not compare_pages(page(123), page(124)).different


TURNS = [
    ('<nav class="navigation post-navigation"><div class="nav-previous"><a href="/a" rel="prev">Older story</a></div>{}</nav>', '<div class="nav-next"><a href="/b" rel="next">Newer story</a></div>'),
    ('<ul class="pager"><li class="previous"><a href="/a">Older story</a></li>{}</ul>', '<li class="next"><a href="/b">Newer story</a></li>'),
    ('<div class="td-post-next-prev"><span>Previous article</span><a href="/a">Older story</a>{}</div>', '<span>Next article</span><a href="/b">Newer story</a>'),
    ("<div>{}</div>", '<div class="next-article"><span>Next article</span><a href="/b">Newer story</a></div>'),
]  # fmt: skip


@pytest.mark.parametrize(("around", "newer"), TURNS)
def test_the_next_article_comes_by_itself(around: str, newer: str) -> None:
    before, after = body(around.format("")), body(around.format(newer))
    assert not compare_pages(before, after).different
    assert seen(before, after) is None


@pytest.mark.parametrize(
    "around",
    [
        '<ul><li class="next"><a href="/e/{0}">{0}</a></li><li>Fair</li></ul>',
        '<div class="article-links"><a href="/{0}.pdf">{0}</a></div>',
    ],
)
def test_other_entries_and_files_with_such_names_are_told(around: str) -> None:
    assert compare_pages(body(around.format("Concert in the hall")), body(around.format("Reading in the hall"))).meaningful


def test_what_comes_next_on_some_day_is_told() -> None:
    event = '<div class="next"><a href="/e/{0}">Next meeting: {0} June 2026</a></div>'
    assert compare_pages(body(event.format(3)), body(event.format(10))).meaningful
