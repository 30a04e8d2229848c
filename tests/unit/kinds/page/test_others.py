"""What other things a page shows beside its own: lists of similar ones, offers that take turns, requests, experiments."""

# ruff: noqa: E501 - fragments stand here as servers send them

from __future__ import annotations

import json

import pytest

from driftline.pages import compare_pages

PAGE = """<!doctype html><html lang="en"><head><title>Two rooms by the river</title></head><body><header><a href="/">Home</a>{header}</header>
<main><h1>Two rooms by the river</h1><p>Bright rooms on the third floor, five minutes from the station.</p><p class="price">{price}</p>{main}
<p>Viewings by appointment, pets are welcome in this house.</p></main><footer><p>Homes of Example</p></footer></body></html>"""


def page(price: str = "1,200 €", **slots: str) -> str:
    return PAGE.format(**{"header": "", "main": "", "price": price, **slots})


def cards(*names: str) -> str:
    return "".join(
        f'<div class="card"><a href="/o/{name}"><img src="/i/{name}.jpg"><h3>{name}</h3></a><p>{len(name)}00 €</p></div>'
        for name in names
    )


HEADINGS = (
    "Similar properties|Similar vacancies|More from this seller|Seller's other items|People also viewed|Jobs you may be interested in|"
    "Ähnliche Immobilien|Ähnliche Stellenangebote|Vergleichbare Objekte|Weitere Artikel des Verkäufers|Kunden haben auch gekauft|"
    "Annonces similaires|Offres d'emploi similaires|Autres annonces du vendeur|Souvent achetés ensemble|"
    "Inmuebles similares|Ofertas de empleo similares|Los clientes también compraron|Vistos recientemente|"
    "Immobili simili|Annunci correlati|Spesso comprati insieme|Potrebbero interessarti|"
    "Imóveis semelhantes|Vagas semelhantes|Quem viu também viu|Bekijk ook|Vergelijkbare woningen|Soortgelijke vacatures|Anderen kochten ook|"
    "Podobne oferty|Podobne oferty pracy|Inne oferty sprzedawcy|Często kupowane razem|Podobné nemovitosti|Další inzeráty prodejce|"
    "Liknande bostäder|Andra köpte också|Lignende boliger|Andre købte også|Andre kjøpte også|Lignende stillinger|"
    "Samankaltaisia kohteita|Muut ostivat myös|Benzer ilanlar|Benzer iş ilanları|Satıcının diğer ilanları|"
    "Похожие объявления|Похожие вакансии|С этим товаром покупают|Другие объявления продавца|Схожі оголошення|Разом з цим купують|"
    "この商品を見た人はこんな商品も見ています|類似物件|似ている求人|あなたにおすすめの商品|看了又看|相似房源|您可能还喜欢|猜你可能喜歡|"
    "비슷한 매물|이 상품을 본 고객이 함께 본 상품|유사한 채용 공고|إعلانات مشابهة|وظائف مشابهة|قد يهمك أيضا"
).split("|")


@pytest.mark.parametrize("heading", HEADINGS)
def test_lists_of_similar_things_turn_in_silence_and_what_stands_beside_them_is_told(heading: str) -> None:
    before = page(main=f"<section><h2>{heading}</h2>{cards('Alpha', 'Bravo', 'Charlie')}</section>")
    later = f"<section><h2>{heading}</h2>{cards('Delta', 'Bravo', 'Echo')}</section>"
    assert not compare_pages(before, page(main=later)).different
    assert compare_pages(before, page("1,300 €", main=later)).meaningful
    assert compare_pages(before, page(main=f"<p>Reserved</p>{later}")).meaningful


@pytest.mark.parametrize(
    "heading",
    ["Related documents", "Our properties", "Recommended books", "See also", "Siehe auch", "Voir aussi", "Jobs", "Offene Stellen", "More on this topic", "Similar", "Downloads"],
)  # fmt: skip
def test_lists_that_are_the_pages_own_are_told(heading: str) -> None:
    lists = [f"<section><h2>{heading}</h2>{cards(*names)}</section>" for names in (("Alpha", "Bravo"), ("Alpha", "Delta"))]
    assert compare_pages(*(page(main=shown) for shown in lists)).meaningful


def test_an_entry_that_only_got_another_token_is_the_same() -> None:
    listed = '<section><h2>You may like</h2><a href="https://x.example/b?cid={}">Ten mistakes of every gardener</a> <a href="https://y.example/{}">{} tricks</a></section>'
    before = page(main=listed.format("a3cd2309", 1, "Two"))
    assert not compare_pages(before, page(main=listed.format("5a364899", 2, "Six"))).different
    moved = listed.replace("/b?", "/c?")
    assert compare_pages(before, page(main=moved.format("5a364899", 2, "Six"))).meaningful


def bar(said: str, name: str = "announcement-bar") -> str:
    return page(header=f'<div class="{name}" role="region"><p class="announcement-bar__message">{said}</p></div>')


OFFERS = [
    "Free shipping over €75",
    "Join the club and get 10% off your first order",
    "New: spring collection is here",
    "Versandkostenfrei ab 50 €",
    "Livraison offerte dès 60 €",
    "Бесплатная доставка от 3000 ₽",
    "送料無料キャンペーン",
]


@pytest.mark.parametrize("name", ["announcement-bar", "usp-bar", "topbar-message"])
@pytest.mark.parametrize("said", OFFERS)
def test_offers_that_take_turns_above_a_page_are_noise(said: str, name: str) -> None:
    assert not compare_pages(bar(OFFERS[0], name), bar(said, name)).different


@pytest.mark.parametrize(
    "said",
    ["We are closed on 5 May", "Orders are delayed: strike at the port", "Tickets on sale from 15 November", "Rückruf: Sale-Artikel 311", "The office moved to Main street 7"],
)  # fmt: skip
def test_what_a_bar_announces_is_told(said: str) -> None:
    assert compare_pages(bar(OFFERS[0]), bar(said)).meaningful


@pytest.mark.parametrize(
    "appeal",
    [
        '<div id="siteNotice"><div class="cn-fundraising"><p>Please donate today: less than 2% of our readers give.</p><a href="https://d.example/">Donate</a></div></div>',
        '<div id="siteNotice"><p>Bitte unterstützen Sie uns mit einer Spende.</p></div>',
        '<div class="donation-banner"><p>Faire un don</p></div>',
    ],
)
def test_requests_for_donations_come_and_go_in_silence(appeal: str) -> None:
    assert not compare_pages(page(), page(header=appeal)).different


@pytest.mark.parametrize(
    "notice",
    [
        '<div id="siteNotice"><p>Editing is closed on 5 May.</p></div>',
        '<div id="siteNotice"><p>The site is closed on 5 May, donations too.</p></div>',
    ],
)
def test_a_sites_notice_is_told(notice: str) -> None:
    assert compare_pages(page(), page(header=notice)).meaningful


def shell(**more: object) -> str:
    props = {"product": {"name": "Air Runner", "price": 129.95, "region": "Bavaria", "variant": "Red"}, **more}
    state = json.dumps({"props": {"pageProps": props}, "buildId": "abc"})
    return f'<html><head><title>Air</title></head><body><script id="__NEXT_DATA__" type="application/json">{state}</script></body></html>'


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"experiments": {"checkout-v2": "A"}}, {"experiments": {"checkout-v2": "B"}}),
        ({"edge": {"region": "fra1", "pop": "FRA"}}, {"edge": {"region": "cdg1", "pop": "CDG"}}),
        ({"abTest": "hero-large"}, {"abTest": "hero-small"}),
        ({"featureFlags": {"newCart": "on"}}, {"featureFlags": {"newCart": "off"}}),
        ({"served": {"region": "us-east-1"}}, {"served": {"region": "eu-west-2"}}),
        ({"layout": {"variant": "control"}}, {"layout": {"variant": "variant-b"}}),
    ],
)
def test_which_experiment_and_server_made_a_page_is_noise(one: dict[str, object], other: dict[str, object]) -> None:
    assert not compare_pages(shell(**one), shell(**other)).different


@pytest.mark.parametrize(
    ("old", "new"), [("129.95", "109.95"), ("Bavaria", "Saxony"), ("Red", "Blue"), ("Air Runner", "Air Walker")]
)
def test_what_a_shell_says_of_its_product_is_told(old: str, new: str) -> None:
    assert compare_pages(shell(), shell().replace(old, new)).meaningful


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"experiments": [{"title": "Growing salt crystals"}]}, {"experiments": [{"title": "Growing sugar crystals"}]}),
        ({"tracking": {"status": "Sent"}}, {"tracking": {"status": "Arrived"}}),
        ({"variant": {"price": 5}}, {"variant": {"price": 6}}),
        ({"request": {"state": "open"}}, {"request": {"state": "answered"}}),
        ({"plan": {"analytics": "basic"}}, {"plan": {"analytics": "full"}}),
    ],
)
def test_what_only_sounds_like_machinery_is_told(one: dict[str, object], other: dict[str, object]) -> None:
    assert compare_pages(shell(**one), shell(**other)).meaningful


def test_an_appeal_that_is_the_pages_own_is_told() -> None:
    appeal = '<section class="appeal"><h2>Flood appeal</h2><p>Donate for {}.</p></section>'
    assert compare_pages(*(page(main=appeal.format(place)) for place in ("Spain", "Italy"))).meaningful
