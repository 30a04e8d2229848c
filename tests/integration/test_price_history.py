"""Prices of pages and catalogs end to end, on both databases."""

from __future__ import annotations

import json

from tests.integration.conftest import Driftline, Runner
from tests.integration.test_pages import A, shown, types
from tests.scripted import ScriptedSite


def product(price: str, *, stock: bool = True) -> str:
    availability = "InStock" if stock else "OutOfStock"
    return f"""<html><head><title>Kettle</title><script type="application/ld+json">{{"@context": "https://schema.org",
    "@type": "Product", "name": "Kettle", "offers": {{"@type": "Offer", "price": "{price}", "priceCurrency": "EUR",
    "availability": "https://schema.org/{availability}"}}}}</script></head><body><main><h1>Kettle</h1>
    <p>A kettle for tea and coffee, made of steel.</p><p class="price">€{price}</p></main></body></html>"""


def test_price_and_stock_of_a_product_page_are_findings_of_their_own(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", product("79.90")))
    runner.check(watch)
    reported = [
        types(shown(runner, site, watch, page))
        for page in (
            product("69.90"),
            product("74.50"),
            product("74.50", stock=False),
            product("74.50"),
            product("75.00", stock=False),
        )
    ]
    assert reported == [["price_decrease"], ["price_increase"], ["sold_out"], ["back_in_stock"], ["price_increase", "sold_out"]]


def test_price_history_is_kept_and_shown_as_a_course_as_csv_and_as_json(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/kettle", product("79.90")), "--name", "Kettle")
    driftline("check", "Kettle")
    for page in (product("69.90"), product("74.90"), product("74.90", stock=False)):
        site.show("/kettle", page)
        driftline("check", "Kettle")
    rows = driftline("prices", "Kettle", "--json").rows
    assert [(row["price"], row["currency"], row["in_stock"]) for row in rows] == [
        ("79.9", "EUR", True),
        ("69.9", "EUR", True),
        ("74.9", "EUR", True),
        ("74.9", "EUR", False),
    ]
    assert driftline("prices", rows[0]["item"][-12:], "--json").rows == rows
    assert driftline("prices", rows[0]["url"], "--json").rows == rows
    table = driftline("prices", "Kettle").out
    assert "█▁▄▄" in table
    assert "sold out" in table
    lines = driftline("prices", "Kettle", "--csv").out.splitlines()
    assert lines[0] == "item,url,title,at,price,currency,in_stock"
    assert lines[-1].endswith(",74.9,EUR,no")
    (told,) = driftline("prices", "Kettle", "--summary", "--json").rows
    shown = ("price", "low", "high", "low_30_days", "high_90_days")
    assert [told[name] for name in shown] == ["74.9", "69.9", "79.9", "69.9", "79.9"]
    assert {"median_30_days", "median_90_days", "discount_percent_90_days", "low_at"} < told.keys()
    head, row = driftline("prices", "Kettle", "--summary", "--csv").out.splitlines()
    assert head.startswith("item,url,title,price,currency,in_stock,low,low_at,")
    assert row.split(",")[3:6] == ["74.9", "EUR", "no"]
    assert driftline("prices", "Kettle", "--csv", "--json").code == 2
    assert driftline("prices", "nobody").code == 2


def test_prices_of_a_catalog_are_those_of_its_products(driftline: Driftline, site: ScriptedSite) -> None:
    def listing(*prices: str) -> str:
        cards = "".join(
            f'<li class="product"><a href="/p/{number}"><img src="/{number}.jpg"><h2>Cup {number}</h2></a>'
            f'<span class="price">€{price}</span></li>'
            for number, price in enumerate(prices)
        )
        return f"<html><head><title>Cups</title></head><body><ul class='products'>{cards}</ul></body></html>"

    driftline("add", site.show("/cups", listing("5.00", "6.00", "7.00")), "--kind", "catalog", "--name", "Cups")
    driftline("check", "Cups")
    site.show("/cups", listing("5.00", "4.50", "7.00"))
    driftline("check", "Cups")
    rows = driftline("prices", "Cups", "--json").rows
    courses: dict[str, list[str]] = {}
    for row in rows:
        courses.setdefault(row["title"], []).append(row["price"])
    assert courses == {"Cup 0": ["5"], "Cup 1": ["6", "4.5"], "Cup 2": ["7"]}


def test_an_address_names_the_product_and_not_the_article_about_it(driftline: Driftline, site: ScriptedSite) -> None:
    url = site.show("/kettle", product("79"))
    articles = f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>{url}</loc></url></urlset>"
    driftline("add", url, "--name", "Kettle")
    driftline("add", site.show("/sitemap.xml", articles), "--kind", "sitemap", "--name", "Articles")
    driftline("check", "--all")
    assert [row["price"] for row in driftline("prices", url, "--json").rows] == ["79"]
    assert "79.00 EUR" in driftline("prices", url).out


def test_a_watch_without_prices_says_so(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/hours", A), "--name", "Hours")
    driftline("check", "Hours")
    assert driftline("prices", "Hours", "--json").rows == []
    assert "No prices yet" in driftline("prices", "Hours").out
    assert driftline("prune", "--bytes", "lots").code == 2
    assert set(driftline("prune", "--older-than", "1d", "--keep", "3", "--bytes", "1G", "--json").rows[0].values()) == {0}


def test_the_same_thing_in_several_shops_is_listed_cheapest_first(driftline: Driftline, site: ScriptedSite) -> None:
    for shop, page in {"A": product("79.90"), "B": product("59.90", stock=False), "C": product("69.90")}.items():
        driftline("add", site.show(f"/{shop}", page), "--name", shop)
    driftline("check", "A", "B", "C")
    rows = driftline("prices", "A", "B", "C", "--summary", "--json").rows
    assert [(row["price"], row["in_stock"]) for row in rows] == [("69.9", True), ("79.9", True), ("59.9", False)]
    assert driftline("prices", "A", "nobody").code == 2


def offered(price: str, *, stock: str = "InStock", gtin: str = "4006381333931", title: str = "Coffee 500 g") -> str:
    data = {
        "@type": "Product",
        "name": title,
        "gtin13": gtin,
        "offers": {"@type": "Offer", "price": price, "priceCurrency": "EUR", "availability": stock},
    }
    return (
        f'<html><head><script type="application/ld+json">{json.dumps(data)}</script></head><body><h1>{title}</h1></body></html>'
    )


def test_a_product_is_found_in_other_shops_by_its_gtin(driftline: Driftline, site: ScriptedSite) -> None:
    shops = {
        "one": offered("7.50"),
        "two": offered("6.90"),
        "three": offered("5.90", stock="OutOfStock"),
        "tea": offered("2", gtin=""),
    }
    for name, page in shops.items():
        driftline("add", site.show(f"/{name}", page), "--kind", "catalog", "--name", name)
        driftline("check", name)
    rows = driftline("prices", "one", "--same", "--json").rows
    assert [(row["url"].rpartition("/")[2], row["price"], row["in_stock"]) for row in rows] == [
        ("two", "6.9", True),
        ("one", "7.5", True),
        ("three", "5.9", False),
    ]
    assert [row["price"] for row in driftline("prices", "tea", "--same", "--json").rows] == ["2"]


def test_the_lowest_price_in_all_shops_is_a_change_of_its_own(driftline: Driftline, site: ScriptedSite) -> None:
    for name, price in {"one": "7.50", "two": "6.90", "three": "7.90"}.items():
        driftline("add", site.show(f"/{name}", offered(price)), "--kind", "catalog", "--name", name)
        driftline("check", name)
    site.show("/one", offered("7.00"))  # its own low, and two is cheaper
    driftline("check", "one")
    site.show("/three", offered("6.50"))
    driftline("check", "three")
    changes = driftline("changes", "--json").rows
    assert [change["type"] for change in changes if change["type"] == "new_low"] == ["new_low"]
    assert [change["headline"] for change in changes if change["type"] == "new_low"] == [
        "Coffee 500 g: 6.50 EUR, the lowest in all shops (before: 6.90)"
    ]
    assert {change["type"] for change in changes} == {"new_product", "price_decrease", "new_low"}
