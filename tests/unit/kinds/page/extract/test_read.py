"""Everything that a page says, read from HTML, JSON, XML, feeds and plain text."""

# ruff: noqa: E501 - pages stand here as servers send them

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.pages import compare_pages, read_page

URL = "https://shop.example/p/1"
PRODUCT = """<!doctype html><html lang="en-GB"><head><title>  Blue &amp; white
 kettle </title><meta name="description" content="Boils &quot;well&quot;."><meta property="og:image" content="/big.jpg"><link rel="canonical" href="/p/1?utm_source=a">
<script type="application/ld+json">{"@type": "Product", "name": "Kettle", "offers": {"@type": "Offer", "price": 79.9, "priceCurrency": "EUR", "availability": "InStock"}}</script></head>
<body><nav><a href="/home">Home</a></nav><main><h1>Kettle</h1><img src="/small.jpg"><img src="/big.jpg"><p>Now 79,90 € (was 99,00 €)</p><p>In stock</p>
<a href="/manual.pdf?fbclid=1">Manual</a></main><div class="pagination"><a rel="next" href="?p=2">Next</a></div></body></html>"""


def parsed(body: bytes | str, content_type: str = "", rules: PageRules | None = None) -> ParsedPage:
    return read_page(body, url=URL, content_type=content_type, rules=rules)


def test_every_field_of_a_product_page() -> None:
    page = parsed(PRODUCT)
    assert page.title == "Blue & white kettle"
    assert page.description == 'Boils "well".'
    assert page.language == "en-GB"
    assert page.lines[1:4] == ("Kettle", "Now 79,90 € (was 99,00 €)", "In stock")
    assert [image.url for image in page.images] == ["https://shop.example/big.jpg", "https://shop.example/small.jpg"]
    assert page.hero == "https://shop.example/big.jpg"
    assert {link.url: link.role for link in page.links} == {
        "https://shop.example/home": "navigation",
        "https://shop.example/manual.pdf": "content",
        "https://shop.example/p/1?p=2": "pagination",
    }
    assert page.metadata["canonical"] == URL
    assert page.metadata["Product.name"] == "Kettle"
    assert page.metadata["Offer.price"] == "79.9"
    assert len(page.price_candidates) == 2
    assert (page.offer.price, page.offer.currency, page.availability) == ("79.9", "EUR", True)
    assert page.classification.type == "product"
    assert 0.0 <= page.classification.confidence <= 1.0


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ('<script type="application/ld+json">{"@type":"NewsArticle","headline":"x"}</script>', "article"),
        ('<script type="application/ld+json">{"@type":"JobPosting","title":"x"}</script>', "job"),
        ('<meta property="og:type" content="product">', "product"),
        ('<meta property="og:type" content="article">', "article"),
        ('<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">K</b></div>', "product"),
        ("<ul>" + "".join(f'<li><a href="/j/{n}">Position number {n}</a></li>' for n in range(12)) + "</ul>", "listing"),
        ("<h1>Kettle</h1><p>5 €</p><button>Add to cart</button>", "product"),
        ("<p>Hello</p>", "other"),
    ],
)
def test_a_page_is_classified_by_what_it_says_then_by_its_structure(html: str, kind: str) -> None:
    assert parsed(html).classification.type == kind


def test_structured_data_wins_over_text() -> None:
    html = PRODUCT.replace("79.9,", "74.5,")
    assert parsed(html).offer.price == "74.5"


def test_inline_elements_stay_in_their_line_and_blocks_begin_one() -> None:
    page = parsed("<p>One <b>bold</b> wo<i>rd</i>.</p><div>Two<br>Three</div><ul><li>Four<li>Five</ul>")
    assert page.lines == ("One bold word.", "Two", "Three", "Four", "Five")


def test_code_keeps_its_lines() -> None:
    page = parsed("<p>Run\nthis:</p><pre><code><span>pip</span> install lume\n\n  lume <b>start</b>\n</code></pre>")
    assert page.lines == ("Run this:", "pip install lume", "lume start")


def test_a_table_row_is_a_line() -> None:
    assert parsed("<table><tr><td>API</td><td>up</td></tr><tr><td>Web</td><td>down</td></tr></table>").lines == (
        "API up",
        "Web down",
    )


def test_entities_and_charset_are_decoded_once() -> None:
    assert parsed("<title>A &amp;amp; B</title><p>5 &lt; 6</p>").title == "A &amp; B"
    assert parsed('<meta charset="windows-1251"><title>Кофе</title>'.encode("cp1251")).title == "Кофе"
    assert parsed("<title>caf\xe9</title>".encode("latin-1"), "text/html; charset=utf-8").title == "café"


def test_scripts_styles_templates_and_comments_are_no_text() -> None:
    page = parsed("<p>a</p><script>b</script><style>c</style><template><p>d</p></template><!-- e --><noscript>f</noscript>")
    assert page.text == "a"


def test_missing_ends_and_broken_markup_are_read() -> None:
    assert parsed("<p>one<p>two<div><b>three</div>four</b><table><tr><td>five").lines == ("one", "two", "three", "four", "five")


def test_base_href_is_where_links_start() -> None:
    assert parsed('<base href="https://other.example/x/"><a href="y">y</a>').links[0].url == "https://other.example/x/y"


def test_mail_and_phone_links_are_links_and_scripts_are_not() -> None:
    urls = [
        link.url
        for link in parsed(
            '<a href="mailto:a@b.example">m</a><a href="tel:+341">t</a><a href="javascript:x()">j</a><a href="#top">u</a>'
        ).links
    ]
    assert urls == ["mailto:a@b.example", "tel:+341"]


def test_links_inside_svg_are_links() -> None:
    page = parsed('<svg><a xlink:href="/chart"><text>Chart</text></a></svg><a href>none</a>')
    assert [link.url for link in page.links] == ["https://shop.example/chart"]


# --- other formats


def test_json_is_read_as_fields() -> None:
    page = parsed('{"name": "Kettle", "offers": [{"price": 5}, {"price": 6}], "on": true}', "application/json")
    assert (page.format, page.title) == ("json", "Kettle")
    assert page.lines == ("name: Kettle", "offers[].price: 5", "offers[].price: 6", "on: true")


def test_json_compares_by_value_and_not_by_the_order_of_keys() -> None:
    assert not compare_pages('{"a": 1, "b": 2}', '{"b": 2, "a": 1}').different
    assert compare_pages('{"a": 1, "b": 2}', '{"a": 1, "b": 3}').meaningful


def test_fields_that_machines_fill_are_noise_in_json() -> None:
    before = '{"price": 5, "requestId": "a1b2", "generated_at": "2026-01-05 10:00", "ts": {"timestamp": 1767606000}}'
    after = '{"price": 5, "requestId": "c3d4", "generated_at": "2026-01-06 11:00", "ts": {"timestamp": 1767609999}}'
    assert not compare_pages(before, after).different
    assert compare_pages(before, after.replace('"price": 5', '"price": 6')).meaningful


@pytest.mark.parametrize(
    "entries",
    [
        [{"data": {"slug": 2640, "country": "DE"}}, {"data": {"slug": 2641, "country": "DE"}}],  # in an envelope
        [{"node": {"id": "x1"}, "cursor": "a"}, {"node": {"id": "x2"}, "cursor": "b"}],
        [{"sku": "K-1", "categoryId": 7}, {"sku": "K-2", "categoryId": 7}],
        [{"categoryId": 7, "productId": 1}, {"categoryId": 7, "productId": 2}],  # by what tells them apart
    ],
)
def test_entries_of_a_json_list_are_known_by_an_id_like_field(entries: list[object]) -> None:
    page = parsed(json.dumps({"jobs": entries}), "application/json")
    assert len({entry.key for entry in page.entries}) == 2
    assert len(page.entry_sizes) == 2


def test_entries_that_share_their_only_id_like_field_are_none() -> None:
    shared = json.dumps([{"categoryId": 7, "count": count} for count in (1, 2, 3)])
    assert parsed(shared, "application/json").entries == ()


def test_jsonpath_selects() -> None:
    rules = PageRules(select=("$.offers[*].price",))
    assert parsed('{"offers": [{"price": 5}, {"price": 6}], "x": 1}', "application/json", rules).lines == ("5", "6")
    assert parsed('{"x": 1}', "application/json", rules).missing == ("$.offers[*].price",)


def test_broken_json_is_read_as_text_and_not_lost() -> None:
    assert "oops" in (parsed("{oops", "application/json").text or "")


def test_xml_is_read_as_elements_and_attributes() -> None:
    page = parsed('<?xml version="1.0"?><list><item id="7"><name>Tea &amp; milk</name></item></list>', "application/xml")
    assert page.format == "xml"
    assert page.lines == ("item@id: 7", "name: Tea & milk")


FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><lastBuildDate>{built}</lastBuildDate>
<item><title>{title}</title><link>https://n.example/1</link><pubDate>Mon, 05 Jan 2026 10:22:31 GMT</pubDate></item></channel></rss>"""


def test_a_feed_is_read_and_its_build_date_is_noise() -> None:
    before = FEED.format(built="Mon, 05 Jan 2026 10:22:31 GMT", title="One")
    page = parsed(before, "application/rss+xml")
    assert (page.format, page.title) == ("feed", "News")
    assert not compare_pages(before, FEED.format(built="Tue, 06 Jan 2026 08:00:00 GMT", title="One")).different
    assert compare_pages(before, FEED.format(built="Tue, 06 Jan 2026 08:00:00 GMT", title="Two")).meaningful


def test_a_doctype_in_xml_is_never_expanded() -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;</x>'
    assert "hahaha" not in (parsed(bomb, "application/xml").text or "")


def test_xhtml_with_a_doctype_is_html() -> None:
    page = parsed(
        '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0"><html><head><title>T</title></head><body><p>x</p></body></html>',
        "application/xhtml+xml",
    )
    assert (page.format, page.title, page.text) == ("html", "T", "x")


def test_plain_text_is_lines() -> None:
    page = parsed("one\n\n  two  \r\nthree", "text/plain")
    assert (page.format, page.lines) == ("text", ("one", "two", "three"))


def test_an_answer_of_no_type_without_a_tag_is_text() -> None:
    page = read_page("Gale warning\nViking: 7 < 9\nwrite to Ann <ann@site.example>\n")
    assert (page.format, len(page.lines)) == ("text", 3)
    assert read_page("some <b>words</b>").format == read_page("").format == "html"


def test_deep_pages_are_flagged_and_not_cut() -> None:
    page = parsed("<div>" * 200_000)
    assert page.truncated
    assert parsed("<a>" * 2_000 + "x", "application/xml").truncated or parsed("<a>" * 2_000 + "x", "application/xml").text


@given(
    st.binary(max_size=600),
    st.sampled_from(["", "text/html", "application/json", "application/xml", "text/plain", "application/rss+xml"]),
)
def test_no_bytes_make_it_fail(body: bytes, content_type: str) -> None:
    page = parsed(body, content_type)
    assert "\x00" not in (page.text or "")
    (page.text or "").encode()


@given(st.text(alphabet="<>/=\"' abdivp!-&;#0x1\x00\ud800", max_size=300))
def test_no_markup_makes_it_fail(markup: str) -> None:
    page = parsed(markup)
    assert len(page.line_details) == len(page.lines)
    assert not compare_pages(page, page).different


@pytest.mark.parametrize(("select", "reported"), [("#reviews", False), (".price", True)])
def test_a_price_is_reported_only_where_the_selected_part_says_it(select: str, reported: bool) -> None:
    sold = '<script type="application/ld+json">{"@type": "Product", "offers": {"@type": "Offer", "price": "%s", "priceCurrency": "EUR"}}</script>'
    shop = sold + '<h1>Kettle</h1><div id="reviews"><p>Good for tea</p></div><p class="price">%s EUR</p>'
    diff = compare_pages(shop % (5, 5), shop % (6, 6), rules={"select": [select]})
    assert [finding.type for finding in diff.findings] == (["price_increase"] if reported else [])


def test_xml_with_a_doctype_is_xml() -> None:
    dtd = '<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://dtd.example/rss-0.91.dtd">'
    rss = f"<?xml version='1.0'?>{dtd}<rss><channel><title>News</title><item><title>Caf&eacute;</title></item></channel></rss>"
    page = parsed(rss, "text/xml")
    assert page.format == "feed"
    assert "title: Caf\u00e9" in (page.text or "")
    own = '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x "http://a.example/">]><r><s>&x;one</s></r>'
    assert "s: http://a.example/one" in (parsed(own, "application/xml").text or "")
