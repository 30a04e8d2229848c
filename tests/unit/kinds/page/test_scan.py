"""The laws of the quick look: the memo changes nothing, and what the source shows to be equal the scan calls equal."""

# ruff: noqa: E501 - pages stand here as servers send them

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.kinds.page.watching import body, seen

from driftline.core.clutter import CLUTTER
from driftline.core.text import fold
from driftline.kinds.page.lines import line_marks, marks_by_nodes, settled
from driftline.kinds.page.memo import Memo, decode
from driftline.kinds.page.parse import build
from driftline.kinds.page.read import same_but
from driftline.kinds.page.rules import PageRules
from driftline.kinds.page.scan import Scan, scan
from driftline.kinds.page.walk import Walk
from driftline.pages import compare_pages

URL = "https://site.example/a/page"
RULES = PageRules()

TEXTS = st.sampled_from(
    [
        "Plain words",
        "1,204",
        "views",
        "Last updated:",
        "5 January 2026",
        "3 minutes ago",
        "12 views",
        "500 subscribers",
        "3 visits",
        "Pro plan, $9",
        "Price 5 €",
        "not sold",
        "a &amp; b",
        "caf\u00e9 \u201cno\u201d \u2026",
        'cafe\u0301 "no" ...',
        "We have 3 guests and no members online",
        "Open now \u00b7 Closes 6 pm",
        "",
        " ",
    ]
)
ATTRIBUTES = st.sampled_from(
    [
        "",
        ' class="x"',
        ' id="n1"',
        ' data-t="81"',
        ' class="ad"',
        ' nonce="q1"',
        ' style="top:1px"',
        ' title="On"',
        ' role=img aria-label="Off"',
        ' class="cookie-banner"',
    ]
)
LEAVES = st.one_of(
    st.builds("<p{0}>{1}</p>".format, ATTRIBUTES, TEXTS),
    st.builds("<b>{0}</b> <i{1}>{2}</i>".format, TEXTS, ATTRIBUTES, TEXTS),
    st.builds(
        '<a href="{0}">{1}</a>'.format,
        st.sampled_from(["/x", "/x?utm_source=a", "/x?b=1&a=2", "/x?a=2&b=1", "y", "#top", "mailto:a@b.c", "javascript:x()"]),
        TEXTS,
    ),
    st.builds('<img src="{0}">'.format, st.sampled_from(["/i.png", "/i.png?v=2", "/j.png", "data:x"])),
    st.builds(
        '<img class="{0}" alt="{1}" src="{2}" srcset="{3}">'.format,
        st.sampled_from(["emoji", "x"]),
        st.sampled_from(["\U0001f642", "Sun", ""]),
        st.sampled_from(
            ["/emoji/1.svg", "/emoji/1.svg?v=2", "/h-800.jpg", "/h-600.jpg", "/_processed_/a/b/csm_h_0123456789.jpg"]
        ),
        st.sampled_from(["", "/h-800.jpg 800w", "/h-600.jpg 600w"]),
    ),
    st.builds('<h2>{0}<a class="headerlink" href="#i">{1}</a></h2>'.format, TEXTS, st.sampled_from(["\u00b6", "#"])),
    st.builds("<script{0}>{1}</script>".format, ATTRIBUTES, st.sampled_from(["a()", "if (a<b) {}", "'<p>'", ""])),
    st.builds("<noscript>{0}</noscript>".format, TEXTS),
    st.builds("<!-- {0} -->".format, TEXTS),
    st.builds("<{0}>{1}</{0}>".format, st.sampled_from(["title", "textarea", "iframe", "xmp", "svg", "math", "select"]), TEXTS),
    st.sampled_from(
        [
            "<title>",
            "<textarea>",
            "<plaintext>",
            "<svg>",
            "</svg>",
            "<style>",
            "</style>",
            "<noscript>",
            "</",
            "<!x",
            "<a title='<p>'>",
        ]
    ),
    st.builds("<p class=ad>{0}<div>{1}</div></p>".format, TEXTS, TEXTS),
    st.builds('<div id=ads><a href="/ad/{0}">{1}</a></div>'.format, st.sampled_from(["1", "click", "2?a=b"]), TEXTS),
    st.builds('<script type="application/ld+json">{{"name": "{0}"}}</script>'.format, TEXTS),
    st.builds('<input type=hidden value="{0}">'.format, TEXTS),
    st.builds('<input readonly value="{0}">'.format, TEXTS),
    st.builds("<input type=checkbox {0}>".format, st.sampled_from(["", "disabled", "disabled checked", "checked"])),
    st.builds("<li>Lift <span{0}>{1}</span></li>".format, ATTRIBUTES, TEXTS),
    st.builds("<{0}>{1} words</{0}>".format, st.sampled_from(["s", "del", "b"]), TEXTS),
    st.builds('<meta itemprop="price" content="{0}">'.format, TEXTS),
    TEXTS,
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds("<div{0}>{1}</div>".format, ATTRIBUTES, st.lists(inner, max_size=4).map("".join)),
        st.builds("<ul><li>{0}<li>{1}</ul>".format, inner, inner),
        st.builds("<section{0}>{1}".format, ATTRIBUTES, inner),  # left open
    ),
    max_leaves=12,
)
PAGES = st.builds(
    '<html><head><title>{0}</title><meta name="{1}" content="{2}"></head><body>{3}</body></html>'.format,
    TEXTS,
    st.sampled_from(["description", "csrf-token", "keywords"]),
    TEXTS,
    st.lists(TREES, max_size=6).map("".join),
)


def looked(html: str, memo: Memo | None = None) -> Scan:
    return scan(html, URL, RULES, memo or Memo())


@settings(max_examples=150, deadline=None)
@given(PAGES, PAGES)
def test_memo_or_no_memo_the_signature_is_the_same(one: str, other: str) -> None:
    memo = decode(build(looked(one), RULES).memo)
    assert looked(other, memo).signature == looked(other).signature
    assert looked(one, memo).signature == looked(one).signature
    assert build(looked(other, memo), RULES) == build(looked(other), RULES)


@settings(max_examples=300, deadline=None)
@given(PAGES, st.integers(0, 2**32), st.sampled_from(["swap", "attribute", "text", "drop"]))
def test_what_is_recognised_by_its_source_the_scan_calls_the_same(html: str, seed: int, way: str) -> None:
    changed = _mutated(html, random.Random(seed), way)
    memo = decode(build(looked(html), RULES).memo)
    if same_but(changed, URL, RULES, memo) is not None:
        assert looked(changed).signature == looked(html).signature


def _mutated(html: str, dice: random.Random, way: str) -> str:
    pieces = re.split(r"(?=<)", html)
    index = dice.randrange(len(pieces))
    match way:
        case "swap":
            other = dice.randrange(len(pieces))
            pieces[index], pieces[other] = pieces[other], pieces[index]
        case "attribute":
            pieces[index] = re.sub(
                r'"[^"]*"', f'"{dice.choice(["ad", "x7", "/z", "12 views", "cookie-bar"])}"', pieces[index], count=1
            )
        case "text":
            pieces[index] = re.sub(
                r">[^<]*", f">{dice.choice(['13 views', 'Other words', '4 hours ago', ''])}", pieces[index], count=1
            )
        case _:
            del pieces[index]
    return "".join(pieces)


@settings(max_examples=100, deadline=None)
@given(PAGES)
def test_every_text_node_of_the_scan_has_the_place_of_its_line(html: str) -> None:
    found = looked(html)
    lines = Walk(found.roots).lines
    assert len(lines.node_places) == len(found.nodes) == len(found.marks)
    for text, node in zip(lines.texts, lines.nodes, strict=True):
        assert node < 0 or fold(found.nodes[node].decode()) == text
    joined, _ = marks_by_nodes(lines._replace(pieces={}), found.marks, {}, literal=False)
    assert settled(joined) == line_marks(lines.texts, literal=False)
    marks, several = marks_by_nodes(lines, found.marks, {}, literal=False)
    assert marks_by_nodes(lines, found.marks, several, literal=False) == (marks, several)


@settings(max_examples=60, deadline=None)
@given(PAGES)
def test_the_same_page_twice_tells_nothing(html: str) -> None:
    diff = compare_pages(html, html, url=URL)
    assert not diff.different
    assert not diff.suppressed


PRODUCT = """<html><head><title>Kettle</title></head><body><nav><a href="/a?utm_source=x">A</a></nav><h1 class="t" id="h">Kettle</h1>
<p class="price" data-x="1">{price} €</p><p title="q" class="c">Good for tea &amp; coffee.</p><img alt="kettle" src="/k.jpg?v=1"><button>Add to cart</button></body></html>"""


@given(st.permutations(['class="c"', 'title="q"', 'lang="en"', 'data-y="2"']))
def test_the_order_of_attributes_is_nothing(order: list[str]) -> None:
    before = PRODUCT.format(price="5").replace('title="q" class="c"', 'class="c" title="q" lang="en" data-y="2"')
    after = PRODUCT.format(price="5").replace('title="q" class="c"', " ".join(order))
    assert looked(before).signature == looked(after).signature
    assert not compare_pages(before, after, url=URL).different


@given(st.sampled_from([" ", "\n", "\t\t", "\r\n  ", "\u00a0"]))
def test_whitespace_is_nothing(space: str) -> None:
    before = PRODUCT.format(price="5")
    after = before.replace("> <", f">{space}<").replace("Good for", f"Good{space}for{space}").replace("<p", f"{space}<p")
    assert not compare_pages(before, after.replace(f"for{space} tea", f"for{space}tea"), url=URL).different


@given(
    st.sampled_from(
        ["utm_source=a", "gclid=Q1", "fbclid=Z", "mc_cid=5", "utm_campaign=x&utm_medium=y", "PHPSESSID=abcdef0123456789abcd"]
    )
)
def test_tracking_parameters_are_nothing(query: str) -> None:
    before = PRODUCT.format(price="5")
    after = before.replace("/a?utm_source=x", f"/a?{query}").replace("/k.jpg?v=1", "/k.jpg?v=99")
    assert looked(before).signature == looked(after).signature
    assert not compare_pages(before, after, url=URL).different


@given(st.integers(0, 9999), st.integers(0, 99), st.integers(0, 5), st.integers(1, 9))
def test_one_changed_digit_in_a_price_is_exactly_one_change(whole: int, cents: int, digit: int, step: int) -> None:
    price = f"{whole}.{cents:02}"
    index = [at for at, character in enumerate(price) if character.isdigit()][digit % (len(price) - 1)]
    other = price[:index] + str((int(price[index]) + step) % 10) + price[index + 1 :]
    diff = compare_pages(PRODUCT.format(price=price), PRODUCT.format(price=other), url=URL)
    assert [finding.type for finding in diff.findings] == [
        "price_increase" if float(other) > float(price) else "price_decrease"
    ]


def test_an_unchanged_page_with_new_tokens_is_recognised_without_parsing() -> None:
    html = (
        '<html><head><meta name="csrf" content="{0}"></head><body><script nonce="{0}">t="{0}"</script><p data-r="{0}">Seen 12 views, plain words</p>'
        + "<p>Words that fill a page.</p>" * 10
    )
    memo = decode(build(looked(html.replace("{0}", "aa11")), RULES).memo)
    assert same_but(html.replace("{0}", "bb22").replace("12 views", "13 views"), URL, RULES, memo) is not None
    assert same_but(html.replace("{0}", "bb22").replace("plain", "other"), URL, RULES, memo) is None
    assert same_but(html.replace("{0}", "aa11"), "https://elsewhere.example/", RULES, memo) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('<h1>News <script>t="a1"</script></h1>', '<h1>News <script>t="b2"</script></h1>'),
        ("<h1>News, updated 3 minutes ago</h1>", "<h1>News, updated 5 minutes ago</h1>"),
        ("<title>News, updated 3 minutes ago</title>", "<title>News, updated 5 minutes ago</title>"),
    ],
)
def test_noise_in_a_title_is_nothing(before: str, after: str) -> None:
    fill = "<p>Words that fill a page.</p>" * 10
    assert looked(before + fill).signature == looked(after + fill).signature
    assert not compare_pages(before + fill, after + fill, url=URL).different


def test_metadata_that_a_broken_head_left_in_the_body_counts_with_a_memo_too() -> None:
    html = '<head><div></div><meta name="robots" content="{}"><link rel="canonical" href="/a"></head><body><p>x</p>'
    memo = decode(build(looked(html.format("index")), RULES).memo)
    assert looked(html.format("noindex"), memo).signature == looked(html.format("noindex")).signature
    assert looked(html.format("noindex")).signature != looked(html.format("index")).signature


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<title><script></title><p>one</p></script>", "<title><script></title><p>two</p></script>"),
        ("</<script><p>one</p></script>", "</<script><p>two</p></script>"),
        ("<p class=ad>x<div>one</div></p>", "<p class=ad>x<div>two</div></p>"),
        ("<head><noscript><p>one</p></noscript></head>", "<head><noscript><p>two</p></noscript></head>"),
        ("<textarea><!-- one --></textarea>", "<textarea><!-- two --></textarea>"),
        ("<!-- --!>one-->", "<!-- --!>two-->"),
        ("<!--[if IE]><p>x</p><![endif]-->one", "<!--[if IE]><p>x</p><![endif]-->two"),
        ("<a title='<script>'>one</a></script>", "<a title='<script>'>two</a></script>"),
        ("<section><div class=ad>x</section><p>one</p></div>", "<section><div class=ad>x</section><p>two</p></div>"),
    ],
)
def test_odd_markup_hides_no_change(before: str, after: str) -> None:
    fill = "<p>Words that fill a page.</p>" * 10
    memo = decode(build(looked(fill + before), RULES).memo)
    if looked(fill + before).signature != looked(fill + after).signature:
        assert same_but(fill + after, URL, RULES, memo) is None


def test_comments_that_hold_markup_do_not_hinder_recognising() -> None:
    html = (
        "<!--[if lte IE 8]><p nonce={}>old</p><![endif]--><p>Words</p><noscript><style>p{{}}</style>{}</noscript>"
        + "<p>fill</p>" * 70
    )
    memo = decode(build(looked("<body>" + html.format("a1", "x")), RULES).memo)
    assert same_but("<body>" + html.format("b2", "y"), URL, RULES, memo) is not None
    assert same_but("<body>" + html.format("b2", "y").replace("Words", "Others"), URL, RULES, memo) is None


def test_rules_that_look_at_anything_switch_recognising_off() -> None:
    html = "<p data-x=1>one</p>" + "<p>Words that fill a page.</p>" * 10
    for rules in (PageRules(select=("p",)), PageRules(remove=("[data-x]",))):
        memo = decode(build(scan(html, URL, rules, Memo()), rules).memo)
        assert memo.stretches == ()
        assert same_but(html, URL, rules, memo) is None


def test_every_row_of_the_clutter_table_has_a_reason() -> None:
    assert all(row.reason and row.candidates for row in CLUTTER)


@pytest.mark.parametrize(
    "slot",
    [
        '<div class="ad">{0}</div>',
        '<aside id="sidebar-ad"><p>{0}</p></aside>',
        '<div class="advertisement wide"><b>{0}</b></div>',
        '<div class="cookie-banner">{0}</div>',
        '<div id="cookie-consent">{0}</div>',
        '<div class="sponsored-content">{0}</div>',
        "<noscript>{0}</noscript>",
    ],
)
def test_ad_slots_and_cookie_banners_are_not_content(slot: str) -> None:
    html = "<h1>T</h1><p>words</p>" + slot
    assert looked(html.replace("{0}", "Buy kayaks")).signature == looked(html.replace("{0}", "Try tents now")).signature


@pytest.mark.parametrize(
    "kept",
    [
        '<header class="ad-hero"><h1>{0}</h1></header>',
        '<body class="ads">{0}</body>',
        '<p class="badge">{0}</p>',
        '<div class="download">{0}</div>',
        '<div class="cookie-recipes">{0}</div>',
        '<div class="lead">{0}</div>',
    ],
)
def test_content_that_is_called_a_little_like_an_ad_stays(kept: str) -> None:
    assert looked(kept.replace("{0}", "one")).signature != looked(kept.replace("{0}", "two")).signature


def test_a_site_of_classified_ads_means_its_ads() -> None:
    html = "".join(f'<li class="ad"><a href="/ad/{number}">Bicycle {number}</a></li>' for number in range(20))
    assert looked(f"<ul>{html}</ul>").signature != looked(f"<ul>{html}</ul>".replace("Bicycle 7", "Tricycle 7")).signature


@pytest.mark.parametrize(
    "form",
    [
        '<div id="ads"><div class="ad-item"><a href="/ad/1">Bike</a> {0} pounds</div></div>',
        '<div class="ads"><div class="ad-box"><a href="/de/anzeigen/rad-77">Bike</a> {0} pounds</div></div>',
    ],
)
def test_a_list_of_classifieds_is_content_however_it_is_called(form: str) -> None:
    assert seen(body(form.format(120)), body(form.format(100))) is not None
    assert seen(body(form.format(120)), body(form.format(120).replace("</div></div>", "</div><p>Piano</p></div>"))) is not None


@pytest.mark.parametrize(
    "form",
    [
        '<div id="ads"><a href="/ad/click-1?to=shop">Bike</a> {0} pounds</div>',
        '<div id="ads"><a href="https://ads.example/ad/1">Bike</a> {0} pounds</div>',
        '<div id="ads"><a href="/shop/bike">Bike</a> {0} pounds</div>',
    ],
)
def test_advertising_that_leads_away_or_to_the_shop_is_no_classified(form: str) -> None:
    assert seen(body(form.format(120)), body(form.format(100))) is None
