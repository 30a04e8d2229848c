"""Cards read side by side: a name tells them apart, each has its price in its place, and a button that sells says so."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.kinds.catalog.test_reading import read, shown

from driftline.kinds.catalog.rules import CatalogRules

MODELS = st.from_regex(
    r"(?:RS|VPS|R|Ft|TL|KM|Q|GT|kr|P|Fr|XL|Ryzen|Model|No\.|S) ?[1-9]\d{0,3}(?: G\d(?:\.5)?| Pro| SE)?", fullmatch=True
)
BESIDE = st.one_of(
    st.from_regex(r"4[.,]\d(?: / 5)?|\(\d{1,4}\)|\d{1,3} (?:reviews|Bewertungen|avis|opinii)", fullmatch=True),
    st.from_regex(r"(?:0[1-9]|[12]\d)\.(?:0[1-9]|1[0-2])\.20(?:1\d|2[0-6])|20(?:1\d|2[0-6])-0[1-9]-[12]\d", fullmatch=True),
    st.from_regex(r"\d{1,3} ?x ?\d{1,3} cm|\d{1,3}(?:[.,]5)? (?:GB|TB|GHz|mm|kg|l|V|W|Mbit/s)|EU \d\d", fullmatch=True),
    st.from_regex(r"\+49 89 \d{5,7}|0\d{2,4}[/ -]\d{5,8}|SKU \d{4,8}|EAN \d{13}|-\d{1,2}%", fullmatch=True),
    MODELS,
)
CARD = st.tuples(MODELS, st.integers(100, 999_99), st.lists(BESIDE, max_size=4), st.booleans())


@settings(max_examples=10, deadline=None)
@given(st.lists(CARD, min_size=20, max_size=20))
def test_no_name_rating_date_size_or_phone_number_is_a_price(cards: list[tuple[str, int, list[str], bool]]) -> None:
    page, expected = [], {}
    for number, (model, cents, beside, before) in enumerate(cards):
        name = f"{model} {number}a"
        notes = "".join(f"<p>{text}</p>" for text in beside)
        price = f"<p>{cents // 100},{cents % 100:02} €</p>"
        before_it, behind_it = (notes, "") if before else ("", notes)
        details = f"<a href='/p/{number}'>Details ></a>"
        page.append(f"<div><div><b>{name}</b></div>{before_it}{price}{behind_it}{details}</div>")
        expected[f"https://shop.example/p/{number}"] = (name, Decimal(cents) / 100, "EUR", None)
    assert shown(read(f"<html lang='de'><body><div>{''.join(page)}</div></body></html>")) == expected


@pytest.mark.parametrize("name", ["Boots EUR 40", "EUR7498s SSD", "Lamp € 12 W"])
def test_a_name_with_the_currency_of_the_page_in_it_is_no_price(name: str) -> None:
    cards = [f"<h3>Lamp {number}</h3><p>1{number},90 €</p>" for number in range(5)] + [f"<h3>{name}</h3><p>On request</p>"]
    found = {title: price for title, price, *_ in shown(read(offers(*cards))).values()}
    assert sorted(map(str, found.values())) == ["10.9", "11.9", "12.9", "13.9", "14.9", "None"]


def offers(*inner: str) -> str:
    cards = (f"<div class='offer'>{text}<a href='/offer/{at}'>Offer details ></a></div>" for at, text in enumerate(inner))
    return f"<html lang='en'><body><div>{''.join(cards)}</div></body></html>"


def test_a_button_is_no_title() -> None:
    names = ["RS 2000 G9", "VPS 500", "Storage 100", "Web 4000"]
    page = offers(
        *(f"<div>{name}</div><div><span>\n5{at}.99\n</span>\n<span>\n€\n</span></div>" for at, name in enumerate(names))
    )
    assert [seen[:3] for seen in shown(read(page)).values()] == [
        (name, Decimal(f"5{at}.99"), "EUR") for at, name in enumerate(names)
    ]


def test_what_is_paid_by_the_month_is_the_price_and_not_the_hour() -> None:
    inner = "<div>Server {0}</div><div>0.00{0} € / hour</div><div>{0}.50 € / month</div><div>0.00{0} € per hour</div>"
    assert [seen[1] for seen in shown(read(offers(*map(inner.format, "3456")))).values()] == [Decimal(f"{n}.5") for n in "3456"]
    hourly = "<div>Server {0}</div><div>0.00{0} € / hour</div>"
    assert [seen[1] for seen in shown(read(offers(*map(hourly.format, "34")))).values()] == [Decimal("0.003"), Decimal("0.004")]


def test_a_fee_that_is_paid_once_is_not_the_price() -> None:
    inner = "<div>Server {0}</div> <div><b>{0}.50 €</b> <span>pro Monat</span> <small>Setup: 39,00 €</small></div>"
    assert [seen[1] for seen in shown(read(offers(*map(inner.format, "3456")))).values()] == [Decimal(f"{n}.5") for n in "3456"]


def test_a_link_with_spaces_in_it_leads_where_browsers_go() -> None:
    page = "".join(f"<li><a href='/p/canon eos {n}d'>Canon EOS {n}D</a> <b>${n}98.00</b></li>" for n in range(5, 8))
    assert list(shown(read(f"<ul>{page}</ul>"))) == [f"https://shop.example/p/canon%20eos%20{n}d" for n in range(5, 8)]


def test_a_name_that_is_cut_off_is_read_whole() -> None:
    inner = "<h3>A table with drawers {0} and…</h3><img alt='A table with drawers {0} and a lamp'><b>$1{0}</b>"
    assert [seen[0] for seen in shown(read(offers(*map(inner.format, "123")))).values()] == [
        f"A table with drawers {n} and a lamp" for n in "123"
    ]


def test_a_brand_that_several_share_is_no_title() -> None:
    inner = "<h4>{1}</h4><h5>Thing {0}</h5><b>$1{0}</b>"
    page = offers(*(inner.format(at, "Acme" if at < 4 else "Bolt") for at in range(6)))
    assert [seen[0] for seen in shown(read(page)).values()] == [f"Thing {at}" for at in range(6)]


LIVE = "<button>Add to cart</button>"


@pytest.mark.parametrize(
    ("last", "stock"),
    [
        (LIVE, True),
        ("", False),
        ("<button disabled>Add to cart</button>", False),
        ("<button aria-disabled='true'>Add to cart</button>", False),
        ("<a class='button' href='/p/3'>Read more</a>", False),
        ("<button>Notify me when available</button>", False),
        ("<button>Select options</button>", True),
        ("<i class='icon-sold-out'></i><button>Add to cart</button>", False),
        ("<i title='Out of stock'></i>", False),
        ("<span data-stock='0'></span>", False),
        ("<span class='hidden'>Sold out</span><button>Add to cart</button>", True),
        ("<a href='/order.php?product=3'>Details</a>", True),
    ],
)
def test_what_can_be_bought_is_in_stock_and_what_cannot_is_not(last: str, stock: bool) -> None:
    page = offers(*(f"<h3>Thing {at}</h3><b>$1{at}</b>{LIVE if at < 4 else last}" for at in range(5)))
    assert [seen[3] for seen in shown(read(page)).values()] == [True, True, True, True, stock]


def test_buttons_that_most_siblings_lack_say_nothing_of_the_others() -> None:
    page = offers(*(f"<h3>Thing {at}</h3><b>$1{at}</b>{LIVE if at < 2 else ''}" for at in range(6)))
    assert [seen[3] for seen in shown(read(page)).values()] == [True, True, None, None, None, None]


@pytest.mark.parametrize(
    "label", ["Agregar al carro", "Commander", "Bestel nu", "Compra ora", "購入する", "Στο καλάθι", "+ Add"]
)
def test_buttons_that_say_buy_in_fewer_words_are_live(label: str) -> None:
    cards = [f"<li><a href='/p/{n}'><h3>Kettle {name}</h3></a><p>€ {n}9.90</p><button>{label}</button></li>" for n, name in
             enumerate(("Alba", "Brisa", "Celia", "Dora"), 1)]  # fmt: skip
    assert [item.state.in_stock for item in read(f"<ul>{''.join(cards)}</ul>").items] == [True] * 4


def test_cards_without_a_word_about_stock_are_in_stock_where_the_watch_says_so() -> None:
    page = (
        "<ul>"
        + "".join(f"<li><a href='/p/{at}'>Cup {at}</a> <b>${at}</b>{' Sold out' * (at == 2)}</li>" for at in (1, 2, 3))
        + "</ul>"
    )
    states = {
        wanted: [one.state.in_stock for one in read(page, CatalogRules(unmarked_in_stock=wanted)).items]
        for wanted in (False, True)
    }
    assert states == {False: [None, False, None], True: [True, False, True]}


def test_a_price_right_behind_another_word_is_read_where_only_styles_put_them_apart() -> None:
    page = "".join(f"<li><a href='/p/{at}'>Cup {at}</a><i>{at} GB RAM</i><b>CHF {at}9.90</b></li>" for at in (1, 2, 3))
    found = read(f"<html lang='de-CH'><ul>{page}</ul></html>")
    assert [(one.state.price, one.state.currency) for one in found.items] == [("19.9", "CHF"), ("29.9", "CHF"), ("39.9", "CHF")]
