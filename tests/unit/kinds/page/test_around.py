"""Counters, clocks, banners and boxes of the usual systems in pairs; and what is written like them and is content."""

# ruff: noqa: E501 - fragments stand here as servers send them

from __future__ import annotations

import pytest
from tests.unit.kinds.page.watching import body, seen

from driftline.pages import compare_pages

PASSING = [
    ('<a href="#c">Kommentare lesen (<span>128</span>)</a>', '<a href="#c">Kommentare lesen (<span>131</span>)</a>'),
    ('<a href="#c"><i>Discussion</i> <span itemprop="commentCount">128</span></a>', '<a href="#c"><i>Discussion</i> <span itemprop="commentCount">131</span></a>'),
    ("<h3>12 thoughts on “The plan”</h3>", "<h3>13 thoughts on “The plan”</h3>"),
    ("<p>Share <b>1.2K</b> Tweet <b>340</b></p>", "<p>Share <b>1.3K</b> Tweet <b>341</b></p>"),
    ("<p>Προβολές: 1234</p>", "<p>Προβολές: 1255</p>"),
    ("<p>Dilihat 1234 kali</p>", "<p>Dilihat 1255 kali</p>"),
    ("<p>Zobrazeno: 1234x</p>", "<p>Zobrazeno: 1255x</p>"),
    ("<p>12 out of 34 found this helpful</p>", "<p>13 out of 35 found this helpful</p>"),
    ("<p>12 von 34 fanden dies hilfreich</p>", "<p>13 von 35 fanden dies hilfreich</p>"),
    ("<p>Rated 4.5/5 (1204 votes)</p>", "<p>Rated 4.6/5 (1210 votes)</p>"),
    ("<h3>Weekly Downloads</h3><p>1,234,567</p>", "<h3>Weekly Downloads</h3><p>1,240,001</p>"),
    ("<p>45 applicants</p>", "<p>51 applicants</p>"),
    ('<p><a href="/">Sign in</a> <a href="/cart">Cart (0)</a></p>', '<p><a href="/">Sign in</a> <a href="/cart">Cart (2)</a></p>'),
    ('<p><a href="/">Sign in</a> <a href="/c">Cart <b class="cart-count">0</b></a></p>', '<p><a href="/">Sign in</a> <a href="/c">Cart <b class="cart-count">2</b></a></p>'),
    ("<li><span>Berlin</span> <span>Posted 2 days ago</span> <span>45 applicants</span></li>", "<li><span>Berlin</span> <span>Posted 3 days ago</span> <span>61 applicants</span></li>"),
    ("<p><b>29.90 €</b> <span>★★★★☆ (120)</span></p>", "<p><b>29.90 €</b> <span>★★★★☆ (124)</span></p>"),
    ("<table><tr><td>Liczba wyświetleń</td><td>120</td></tr></table>", "<table><tr><td>Liczba wyświetleń</td><td>133</td></tr></table>"),
    ("<p>Aggiornato alle 10:22</p>", "<p>Aggiornato alle 11:40</p>"),
    ('<div class="newsletter-signup"><h4>Get our letter</h4><button>Subscribe</button></div>', '<div class="newsletter-signup"><h4>The morning brief</h4><button>Sign up</button></div>'),
    ('<div class="paywall"><p>You have 3 free articles left</p></div>', '<div class="paywall"><p>You have 2 free articles left</p></div>'),
    ('<div class="paywall"><p>Lesen Sie weiter mit einem Abo</p></div>', '<div class="paywall"><p>Testen Sie unser Abo jetzt</p></div>'),
    ("<li>Open issues: 33</li>", "<li>Open issues: 35</li>"),
    ("<p>91% of the 345 user reviews are positive</p>", "<p>92% of the 351 user reviews are positive</p>"),
    ('<a href="/u/5">Jon</a><span class="badge-count">35</span>', '<a href="/u/5">Jon</a><span class="badge-count">36</span>'),
    ('<img src="/cgi-bin/counter.cgi?n=12045">', '<img src="/cgi-bin/counter.cgi?n=12061">'),
    ("<p>120 fans online</p>", "<p>95 fans online</p>"),
    ('<div class="legend-item-uptime-value"><var>99.98</var> % uptime</div>', '<div class="legend-item-uptime-value"><var>99.97</var> % uptime</div>'),
    ('<div class="printfooter">Retrieved from "<a href="/w?title=A&amp;oldid=12">/w?title=A&amp;oldid=12</a>"</div>', '<div class="printfooter">Retrieved from "<a href="/w?title=A&amp;oldid=14">/w?title=A&amp;oldid=14</a>"</div>'),
    ("<p>Jane Roe · Aujourd’hui à 10:22</p>", "<p>Jane Roe · Hier à 10:22</p>"),
    ('<span class="post-time">3h</span>', '<span class="post-time">2d</span>'),
    ('<a href="/home?p_auth=aB3dE5fG">Login</a>', '<a href="/home?p_auth=zX9yW8vU">Login</a>'),
    ('<a href="https://ad.doubleclick.net/clk/1"><img src="https://img.example/1.jpg" alt="Kayaks"></a>', '<a href="https://ad.doubleclick.net/clk/9"><img src="https://img.example/9.jpg" alt="Tents"></a>'),
    ('<a href="/adclick.php?bannerid=12"><img src="/i.php?f=12.gif"></a>', '<a href="/adclick.php?bannerid=17"><img src="/i.php?f=17.gif"></a>'),
]  # fmt: skip
BESIDE = [
    ('<a href="/go/12"><img src="/banners/12.jpg" alt=""></a>', '<a href="/go/17"><img src="/banners/17.jpg" alt=""></a>'),
    ('<div class="poll"><p>Yes 52% (1,204 votes)</p></div>', '<div class="poll"><p>Yes 53% (1,304 votes)</p></div>'),
    ('<div class="widget_recent_comments"><ul><li>Bob on <a href="/p">Tea</a></li><li>Al on <a href="/q">Mud</a></li></ul></div>', '<div class="widget_recent_comments"><ul><li>Cleo on <a href="/r">Sun</a></li><li>Bob on <a href="/p">Tea</a></li></ul></div>'),
    ("<div><h3>Horoscope</h3><p>Aries: plans</p></div>", "<div><h3>Horoscope</h3><p>Aries: rest</p></div>"),
    ('<div><h3>Instagram</h3><a href="https://i.example/1"><img src="/1.jpg"></a><a href="https://i.example/2"><img src="/2.jpg"></a></div>', '<div><h3>Instagram</h3><a href="https://i.example/3"><img src="/3.jpg"></a><a href="https://i.example/1"><img src="/1.jpg"></a></div>'),
    ("<div><h3>Members online</h3><p>bob, ann</p></div>", "<div><h3>Members online</h3><p>dora</p></div>"),
    ("<div><h3>Forum statistics</h3><dl><dt>Threads</dt><dd>120</dd></dl></div>", "<div><h3>Forum statistics</h3><dl><dt>Threads</dt><dd>121</dd></dl></div>"),
    ('<div class="breaking-news"><a href="/n/1">Storm warning</a></div>', '<div class="breaking-news"><a href="/n/2">Train late</a></div>'),
    ("<div><span>Nasdaq 18,342.94</span> <span>Dow 42,992.21</span></div>", "<div><span>Nasdaq 18,342.95</span> <span>Dow 43,011.07</span></div>"),
    ("<div><span>BTC $91,234</span> <span>ETH $3,120</span></div>", "<div><span>BTC $90,111</span> <span>ETH $3,020</span></div>"),
]  # fmt: skip
CONTENT = [
    ('<div class="paywall"><p>The hearing takes place in the small hall.</p></div>', '<div class="paywall"><p>The hearing takes place in the large hall.</p></div>'),
    ('<p class="paywall">Registered voters meet on Monday.</p>', '<p class="paywall">Registered voters meet on Friday.</p>'),
    ('<div class="countdown">Sale starts soon</div>', '<div class="countdown">The sale has ended</div>'),
    ("<p>Anna Smith 1204 votes</p>", "<p>Anna Smith 1391 votes</p>"),
    ("<p>PIN: 1234</p>", "<p>PIN: 1255</p>"),
    ("<p>Facebook: 120</p>", "<p>Facebook: 131</p>"),
    ("<p>Share capital: 120</p>", "<p>Share capital: 140</p>"),
    ("<p>We accept 45 applicants</p>", "<p>We accept 50 applicants</p>"),
    ("<p>12 of 34 stations found lead in water</p>", "<p>13 of 34 stations found lead in water</p>"),
    ("<p>2 of 5 halls closed</p>", "<p>3 of 5 halls closed</p>"),
    ("<p>We accept <b>45 applicants</b></p>", "<p>We accept <b>50 applicants</b></p>"),
    ('<section class="newsletter"><h2>Newsletter</h2><p>Issue of May</p></section>', '<section class="newsletter"><h2>Newsletter</h2><p>Issue of June</p></section>'),
    ('<pre><code>sum(6, 7) <span class="hljs-comment">// 13</span></code></pre>', '<pre><code>sum(6, 7) <span class="hljs-comment">// 42</span></code></pre>'),
    ("<p>4 stars</p>", "<p>5 stars</p>"),
    ("<li>99.9% uptime</li>", "<li>99.99% uptime</li>"),
    ("<p><span>Room 12</span> <span>Floor 2</span></p>", "<p><span>Room 14</span> <span>Floor 2</span></p>"),
    ('<span class="course-time">3h</span>', '<span class="course-time">4h</span>'),
    ('<a href="/go/12"><img src="/banners/12.jpg" alt=""></a>', '<a href="/go/17"><img src="/banners/17.jpg" alt=""></a>'),
    ('<div class="poll"><p>Yes 52% (1,204 votes)</p></div>', '<div class="poll"><p>Yes 53% (1,304 votes)</p></div>'),
    ('<a href="/get?hash=8f2a9c1b7d1e6a5c">Plan</a>', '<a href="/get?hash=1f2a9c1b7d1e6a5d">Plan</a>'),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), PASSING)
def test_what_visitors_and_ad_servers_move_tells_nothing(before: str, after: str) -> None:
    assert not compare_pages(body(before), body(after)).different
    assert seen(body(before), body(after)) is None


@pytest.mark.parametrize(("before", "after"), BESIDE)
@pytest.mark.parametrize("column", ["<aside>{}</aside>", '<div class="right-column">{}</div>', '<div class="p-body-sidebar">{}</div>', '<div class="l-sidebar--right">{}</div>', "<header>{}</header>"])  # fmt: skip
def test_what_turns_beside_the_content_tells_nothing(column: str, before: str, after: str) -> None:
    if "Nasdaq" in before or "BTC" in before:
        column = "<header>{}</header>"  # elsewhere a rate may be the page's own
    pages = [body("").replace("<main>", column.format(part) + "<main>") for part in (before, after)]
    assert not compare_pages(*pages).different
    assert seen(*pages) is None


@pytest.mark.parametrize(("before", "after"), CONTENT)
def test_what_is_written_like_it_is_told(before: str, after: str) -> None:
    assert compare_pages(body(before), body(after)).meaningful


def test_a_layout_that_is_named_after_its_column_is_the_page() -> None:
    inner = '<div class="content-sidebar-wrap"><h1>Calls</h1><h3>Latest news</h3><ul><li><a href="/1">{}</a></li><li><a href="/2">Call for writers</a></li></ul></div>'
    assert compare_pages(
        *(f"<html><body>{inner.format(call)}</body></html>" for call in ("Call for artists", "Call for dancers"))
    ).meaningful


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Sunday, November 15, 2026", "Monday, November 16, 2026"),
        ("الأحد 15 نوفمبر 2026", "الإثنين 16 نوفمبر 2026"),
        ("2026年11月15日（日曜日）", "2026年11月16日（月曜日）"),
    ],
)
def test_the_day_above_all_headings_passes_and_one_below_is_told(before: str, after: str) -> None:
    page = "<html><body><table><tr><td><font>Chess club</font><br><font>{}</font></td></tr></table><h2>Next round</h2><p>{}</p></body></html>"
    assert not compare_pages(page.format(before, "In the hall"), page.format(after, "In the hall")).different
    assert compare_pages(page.format("", before), page.format("", after)).meaningful


def test_a_new_price_is_told_once_beside_a_counter() -> None:
    card = '<html><head><title>Kettle</title></head><body><h1>Kettle</h1><p><b class="price">{} €</b> <span>★★★★☆ ({})</span></p><button>Add to cart</button></body></html>'
    diff = compare_pages(card.format("29.90", 120), card.format("24.90", 124))
    assert diff.headline == "Price fell from 29.90 to 24.90 EUR"


@pytest.mark.parametrize("name", ["promo-bar", "site-promo", "promo-banner"])
def test_a_bar_for_offers_that_announces_a_closure_is_told(name: str) -> None:
    def page(said: str) -> str:
        return body("").replace("<main>", f'<div class="{name}">{said}</div><main>')

    assert not compare_pages(page("Spring is here"), page("Summer is here")).different
    assert compare_pages(page("Spring is here"), page("The shop is closed until Monday")).meaningful
    assert seen(page("Spring is here"), page("Our trains are delayed")) is not None
