"""Parts of pages that change by themselves, in pairs within one page; and what looks like them and is content."""

# ruff: noqa: E501 - fragments stand here as servers send them

from __future__ import annotations

import pytest

from driftline.core import passing_words
from driftline.core.passing import called
from driftline.pages import compare_pages, read_page

PAGE = """<!doctype html><html lang="en"><head><title>Library plan agreed</title></head><body><header><a href="/">Home</a>{header}</header>
<main><h1>Library plan agreed</h1><p>The council met on Tuesday and agreed on the plan for the new library.</p>{main}
<p>Residents may send comments by post or in person at the town hall.</p></main>
<aside class="sidebar"><h2>Contact</h2><p>Town hall, Main street 5</p>{side}</aside><footer><p>Town of Example</p>{footer}</footer>{tail}</body></html>"""
OTHERS = '<ul><li><a href="/n/1">Bridge closed until May</a></li><li><a href="/n/2">New bus line opens</a></li></ul>'
OTHERS_LATER = (
    '<ul><li><a href="/n/7">Market moves to the square</a></li><li><a href="/n/1">Bridge closed until May</a></li></ul>'
)


def page(slot: str, fragment: str) -> str:
    slots = dict.fromkeys(("header", "main", "side", "footer", "tail"), "")
    return PAGE.format(**{**slots, slot: fragment})


PASSING = [
    ("header", "<span>Saturday, 15 November</span>", "<span>Sunday, 16 November</span>"),
    ("header", '<div class="date">15.11.2026</div>', '<div class="date">16.11.2026</div>'),
    ("header", "<div>samedi 15 novembre 2026</div>", "<div>dimanche 16 novembre 2026</div>"),
    ("header", "<div>2026年11月15日 星期六</div>", "<div>2026年11月16日 星期日</div>"),
    ("header", "<div>15 Kasım 2026 Cumartesi</div>", "<div>16 Kasım 2026 Pazar</div>"),
    ("header", "<div>Sat, Nov 15, 2026 | 10:22 AM</div>", "<div>Sun, Nov 16, 2026 | 9:41 AM</div>"),
    ("footer", "<p>15 November 2026</p>", "<p>16 November 2026</p>"),
    ("footer", "<span>10:22</span>", "<span>10:29</span>"),
    ("main", '<div class="current-date">15 November 2026</div>', '<div class="current-date">16 November 2026</div>'),
    ("main", "<p>anna <time>2h</time></p>", "<p>anna <time>3d</time></p>"),
    ("main", "<p>anna <time>yesterday</time></p>", "<p>anna <time>2 days ago</time></p>"),
    ("main", "<p>anna <time>Yesterday at 10:22 PM</time></p>", "<p>anna <time>Sunday at 10:22 PM</time></p>"),
    ("main", '<span class="view-count">1204</span>', '<span class="view-count">1391</span>'),
    ("main", '<button class="like-button"><svg></svg><span>12</span></button>', '<button class="like-button"><svg></svg><span>15</span></button>'),
    ("main", '<div class="countdown"><b>02</b> d <b>13</b> h</div>', '<div class="countdown"><b>01</b> d <b>9</b> h</div>'),
    ("main", '<div class="share-buttons"><b>120</b> <span>Facebook</span></div>', '<div class="share-buttons"><b>131</b> <span>Facebook</span></div>'),
    ("main", '<div style="display: none">trap 123</div>', '<div style="display: none">other words</div>'),
    ("main", "", "<div hidden>Loading dialog</div>"),
    ("main", f'<div class="related-posts">{OTHERS}</div>', f'<div class="related-posts">{OTHERS_LATER}</div>'),
    ("main", f"<h3>You may also like</h3>{OTHERS}", f"<h3>You may also like</h3>{OTHERS_LATER}"),
    ("main", f"<div><h3>Meistgelesen</h3>{OTHERS}</div>", f"<div><h3>Meistgelesen</h3>{OTHERS_LATER}</div>"),
    ("main", f"<div><h3>関連記事</h3>{OTHERS}</div>", f"<div><h3>関連記事</h3>{OTHERS_LATER}</div>"),
    ("main", f"<div><h3>İlgili Haberler</h3>{OTHERS}</div>", f"<div><h3>İlgili Haberler</h3>{OTHERS_LATER}</div>"),
    ("side", f"<h3>Latest news</h3>{OTHERS}", f"<h3>Latest news</h3>{OTHERS_LATER}"),
    ("side", f'<div class="recent-posts">{OTHERS}</div>', f'<div class="recent-posts">{OTHERS_LATER}</div>'),
    ("side", '<div class="weather-widget">Berlin 12°C cloudy</div>', '<div class="weather-widget">Berlin 9°C rain</div>'),
    ("tail", '<div class="ticker">DAX 19,204</div>', '<div class="ticker">DAX 19,188</div>'),
    ("main", "<button><span>204</span></button>", "<button><span>231</span></button>"),
    ("side", '<div class="ticker">DAX 19,204 +0.4%</div>', '<div class="ticker">DAX 19,188 -0.1%</div>'),
    ("side", '<div class="taboola"><a href="https://a.example/1">Kayaks</a></div>', '<div class="taboola"><a href="https://b.example/2">French</a></div>'),
    ("side", '<div><span>Anzeige</span><a href="https://a.example/1">Kayaks</a></div>', '<div><span>Anzeige</span><a href="https://b.example/2">French</a></div>'),
    ("side", "<div class=outbrain><a href=https://a.example/1>Kayaks</a></div>", "<div class=outbrain><a href=https://b.example/2>French</a></div>"),
    ("main", '<div class="swiper"><p>Anna: nice</p><p>Bert: fine</p><p>Cleo: good</p></div>', '<div class="swiper"><p>Bert: fine</p><p>Cleo: good</p><p>Anna: nice</p></div>'),
    ("main", "<div><p>anna</p><p>3 likes</p></div>", "<div><p>anna</p></div>"),
    ("main", "<iframe src='/f'><a href='https://ads.example/1'>Kayaks</a></iframe>", "<iframe src='/f'><a href='https://ads.example/2'>French</a></iframe>"),
    ("main", "<p>anna <TIME>2h</TIME></p>", "<p>anna <TIME>3d</TIME></p>"),
    ("main", '<img src="/dot.png" alt="News"><img src="/dot.png" alt="Opinion">', '<img src="/dot.png" alt="Opinion"><img src="/dot.png" alt="News">'),
    ("tail", "", '<div id="onetrust-consent-sdk"><p>We use cookies.</p><button>Accept all</button></div>'),
    ("tail", "", '<div class="cc-window cc-banner">This website uses cookies.</div>'),
    ("tail", "", '<div role="dialog" aria-label="Cookie consent"><p>We use cookies</p></div>'),
    ("tail", "", '<div class="newsletter-popup"><p>Get 10% off</p></div>'),
    ("header", "<p>2026年3月10日（火曜日）</p>", "<p>2026年3月11日（水曜日）</p>"),
    ("header", "<span>10 марта 2026, вторник</span>", "<span>11 марта 2026, среда</span>"),
    ("header", "<span>الثلاثاء، 10 مارس 2026 م - 21 رمضان 1447 هـ</span>", "<span>الأربعاء، 11 مارس 2026 م - 22 رمضان 1447 هـ</span>"),
    ("header", "<div>Wtorek, 10 marca 2026<br>Imieniny: Cypriana, Makarego</div>", "<div>Środa, 11 marca 2026<br>Imieniny: Benedykta, Konstantego</div>"),
    ("header", "<p>Dnes je úterý 10. 3. 2026, svátek má Viktorie</p>", "<p>Dnes je středa 11. 3. 2026, svátek má Anděla</p>"),
    ("header", "<p>Today is Tuesday, March 10. Open now</p>", "<p>Today is Wednesday, March 11. Closed now</p>"),
    ("header", "<span>今天是：2026年3月10日 星期二</span> <i>多云 9℃~16℃</i>", "<span>今天是：2026年3月11日 星期三</span> <i>晴 11℃~20℃</i>"),
    ("header", "<div><span>Dólar 0,92</span> <span>Libra 1,17</span></div>", "<div><span>Dólar 0,93</span> <span>Libra 1,16</span></div>"),
    ("header", "<span>USD 86,37 ₽ EUR 96,37 ₽</span>", "<span>USD 93,63 ₽ EUR 103,63 ₽</span>"),
    ("side", "<h3>Курсы валют</h3><p>USD 86,37</p>", "<h3>Курсы валют</h3><p>USD 87,37</p>"),
    ("header", "<div>Oggi è martedì 10 marzo 2026 - Santa Vittoria</div>", "<div>Oggi è mercoledì 11 marzo 2026 - San Costantino</div>"),
    ("header", "<div>Tirsdag d. 10. marts 2026</div>", "<div>Onsdag d. 11. marts 2026</div>"),
    ("side", '<div class="prayer-times"><p>Fajr 4:52 Dhuhr 12:05</p></div>', '<div class="prayer-times"><p>Fajr 4:51 Dhuhr 12:06</p></div>'),
    ("side", "<div><h3>Quote of the day</h3><p>Plant a tree.</p></div>", "<div><h3>Quote of the day</h3><p>Simplicity is best.</p></div>"),
    ("side", "<div><h3>Zitat des Tages</h3><p>Aller Anfang ist schwer.</p></div>", "<div><h3>Zitat des Tages</h3><p>Ende gut, alles gut.</p></div>"),
    ("main", '<ul class="ticker"><li>FTSE 100 <b>8059.49</b></li><li>GBP/USD <b>1.2954</b></li></ul>', '<ul class="ticker"><li>FTSE 100 <b>7970.27</b></li><li>GBP/USD <b>1.2940</b></li></ul>'),
    ("main", '<h2>Past</h2><div><b>Mar <var>10</var>, 2026</b><p>No incidents reported today.</p></div><div><b>Mar 9, 2026</b><p>No incidents reported.</p></div>', '<h2>Past</h2><div><b>Mar 11, 2026</b><p>No incidents reported today.</p></div><div><b>Mar 10, 2026</b><p>No incidents reported.</p></div>'),
    ("main", "<p>Open now · Closes 6 pm</p>", "<p>Closed now · Opens 9 am</p>"),
    ("side", '<div class="vvisit_counter"><table><tr><td>Heute</td><td>12</td></tr><tr><td>Alle</td><td>998211</td></tr></table></div>', '<div class="vvisit_counter"><table><tr><td>Heute</td><td>91</td></tr><tr><td>Alle</td><td>998423</td></tr></table></div>'),
    ("main", '<div class="stat-block online-list"><h3>Wer ist online?</h3><p>Hans, Anna</p></div>', '<div class="stat-block online-list"><h3>Wer ist online?</h3><p>Bert</p></div>'),
    ("main", "<dl><dt>Beobachter</dt><dd>14</dd></dl>", "<dl><dt>Beobachter</dt><dd>19</dd></dl>"),
    ("main", '<img src="/captcha.php?n=1" alt="sum">', '<img src="/captcha.php?n=2" alt="sum">'),
]  # fmt: skip

CONTENT = [
    ("main", "<p>15 November 2026</p>", "<p>22 November 2026</p>"),
    ("main", "<header><p>15 November 2026</p></header>", "<header><p>22 November 2026</p></header>"),
    ("main", "<p>anna <time>15 November 2026</time></p>", "<p>anna <time>22 November 2026</time></p>"),
    ("header", "<p>Tickets on sale from 15 November</p>", "<p>Tickets on sale from 22 November</p>"),
    ("footer", "<p>Phone 555-1234</p>", "<p>Phone 555-1299</p>"),
    ("side", "<p>Open 9-17</p>", "<p>Open 9-18</p>"),
    ("side", "<p>Next meeting: 15.11.2026</p>", "<p>Next meeting: 22.11.2026</p>"),
    ("main", '<div class="related"><h2>Related legislation</h2><ul><li>Act of 1998, section 4</li></ul></div>', '<div class="related"><h2>Related legislation</h2><ul><li>Act of 1998, section 5</li></ul></div>'),
    ("main", '<div class="plan recommended"><h3>Pro</h3><p>20 seats</p><a href="/buy">Buy</a></div>', '<div class="plan recommended"><h3>Pro</h3><p>25 seats</p><a href="/buy">Buy</a></div>'),
    ("main", f"<h2>News</h2>{OTHERS}", f"<h2>News</h2>{OTHERS_LATER}"),
    ("main", f"<h2>Latest releases</h2>{OTHERS}", f"<h2>Latest releases</h2>{OTHERS_LATER}"),
    ("main", '<div class="temperature">Store below 25 °C</div>', '<div class="temperature">Store below 30 °C</div>'),
    ("main", '<p class="comments">Objections: none</p>', '<p class="comments">Objections: two</p>'),
    ("main", f'<div style="display:none"><p>{"A long answer. " * 30}</p></div>', f'<div style="display:none"><p>{"A long reply. " * 30}</p></div>'),
    ("main", '<img src="/plan.jpg" alt="The ground floor">', '<img src="/plan.jpg" alt="The first floor">'),
    ("main", "<ul><li>Apples</li><li>Pears</li><li>Plums</li></ul>", "<ul><li>Pears</li><li>Plums</li><li>Apples</li></ul>"),
    ("main", '<p>Anna Smith <span class="votes">1204</span></p>', '<p>Anna Smith <span class="votes">1391</span></p>'),
    ("main", '<div class="countdown">Doors open 15 November 2026</div>', '<div class="countdown">Doors open 22 November 2026</div>'),
    ("main", '<section id="gdpr"><h2>Your rights</h2><p>You may object.</p></section>', '<section id="gdpr"><h2>Your rights</h2><p>You may not object.</p></section>'),
    ("main", '<h2 id="cookie-settings-page">Cookies: two kinds</h2>', '<h2 id="cookie-settings-page">Cookies: three kinds</h2>'),
    ("footer", '<ul class="social-links"><li><a href="https://x.example/a">X</a></li></ul>', '<ul class="social-links"><li><a href="https://x.example/b">X</a></li></ul>'),
    ("main", f"<h2>More news</h2>{OTHERS}", f"<h2>More news</h2>{OTHERS_LATER}"),
    ("main", '<div class="related" role="navigation"><a href="/">Tool 12.18</a> <a href="/next">next</a></div>', '<div class="related" role="navigation"><a href="/">Tool 12.19</a> <a href="/next">next</a></div>'),
    ("main", "<p>Today is Tuesday, March 10. Open now, in the hall</p>", "<p>Today is Tuesday, March 10. Closed now, in the hall</p>"),
    ("header", "<p>Conference, 10 June 2026, Vienna</p>", "<p>Conference, 11 June 2026, Vienna</p>"),
    ("header", "<p>Entry EUR 12,50, children free</p>", "<p>Entry EUR 14,50, children free</p>"),
    ("footer", "<p>Shipping: <b>EUR 4,90</b></p>", "<p>Shipping: <b>EUR 5,90</b></p>"),
    ("main", '<div class="counter-box"><b>25</b> <span>years</span></div>', '<div class="counter-box"><b>26</b> <span>years</span></div>'),
    ("main", "<p>USD 86,37 EUR 96,37</p>", "<p>USD 93,63 EUR 103,63</p>"),
    ("main", "<div><h3>Quote of the day</h3><p>Plant a tree.</p></div>", "<div><h3>Quote of the day</h3><p>Simplicity is best.</p></div>"),
    ("side", "<div><h3>Menu of the day</h3><p>Soup 5 €</p></div>", "<div><h3>Menu of the day</h3><p>Soup 6 €</p></div>"),
    ("main", '<div class="prayer-times"><p>Fajr 4:52 Dhuhr 12:05</p></div>', '<div class="prayer-times"><p>Fajr 4:51 Dhuhr 12:06</p></div>'),
    ("main", '<ul class="ticker"><li>The ferry runs again from 5.30 on Monday</li></ul>', '<ul class="ticker"><li>The ferry does not run from 5.30 on Monday</li></ul>'),
    ("main", "<div><b>Mar 10, 2026</b><p>No incidents reported today.</p></div>", "<div><b>Mar 10, 2026</b><p>Delayed webhooks. Investigating.</p></div>"),
    ("main", "<div><b>Mar 10, 2026</b><p>No incidents reported today.</p></div>", "<div><b>Mar 10, 2026</b><p>No incidents reported, but one outage of mail.</p></div>"),
    ("main", "<p>Advertisement of the post of clerk</p>", "<p>Advertisement of the post of baker</p>"),
]  # fmt: skip


@pytest.mark.parametrize(("slot", "before", "after"), PASSING)
def test_what_passes_by_itself_tells_nothing(slot: str, before: str, after: str) -> None:
    diff = compare_pages(page(slot, before), page(slot, after))
    assert not diff.different, diff.headline


@pytest.mark.parametrize(("slot", "before", "after"), CONTENT)
def test_what_only_looks_like_it_is_told(slot: str, before: str, after: str) -> None:
    assert compare_pages(page(slot, before), page(slot, after)).meaningful


def test_a_page_that_is_nothing_but_such_a_list_is_read() -> None:
    lists = [f"<html><body><div class='related-posts'>{others}</div></body></html>" for others in (OTHERS, OTHERS_LATER)]
    assert compare_pages(*lists).meaningful


@pytest.mark.parametrize(("share", "told"), [(1, False), (40, True)])
def test_many_ad_slots_are_noise_unless_they_are_the_page(share: int, told: bool) -> None:
    def slots(word: str) -> str:
        return "".join(
            f'<div class="ad-slot"><p>{word} {number} for sale{" and more" * share}</p></div>' for number in range(12)
        )

    text = "<p>The council met on Tuesday and agreed on the plan for the new library building.</p>" * 20
    diff = compare_pages(*(f"<html><body><h1>Ads</h1>{text}{slots(word)}</body></html>" for word in ("Boat", "Tent")))
    assert diff.meaningful is told


def test_an_entry_that_was_rewritten_is_told_and_one_that_moved_up_is_not() -> None:
    ranked = '<div class="most-read"><ol><li><a href="/n/1"><b>{}</b> {}</a></li><li><a href="/n/{}">New bus line opens</a></li></ol></div>'
    before = page("main", ranked.format(1, "Bridge closed until May", 2))
    assert not compare_pages(before, page("main", ranked.format(2, "Bridge closed until May", 7))).different
    diff = compare_pages(before, page("main", ranked.format(1, "Bridge closed until June", 2)))
    assert diff.headline == "“Bridge closed until May” became “Bridge closed until June”"
    listed = '<div class="most-read"><a href="/n/1">Bridge closed until May</a> <a href="/n/{}">A new bus line opens on Monday</a></div>'
    assert compare_pages(*(page("main", listed.format(target)) for target in (2, 3))).meaningful


def test_a_selected_part_is_read_whatever_it_is_called() -> None:
    source = page("main", '<span class="view-count">1204</span>')
    assert read_page(source, rules={"select": (".view-count",)}).lines == ("1204",)


def test_the_alt_text_of_a_picture_is_told_in_words() -> None:
    diff = compare_pages(*(page("main", f'<img src="/plan.jpg" alt="The {floor} floor">') for floor in ("ground", "first")))
    assert diff.headline == "Image description “The ground floor” became “The first floor”"
    assert diff.changes["images"]["alt"]["http://localhost/plan.jpg"] == {
        "before": "The ground floor",
        "after": "The first floor",
    }


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("related-posts", "list"),
        ("recent-posts", "list aside"),
        ("weather", "day"),
        ("cookie-notice", "around"),
        ("comment-count", "count"),
        ("current-date", "today"),
        ("g-recaptcha", "around"),
        ("product", ""),
        ("price", ""),
        ("code-block", ""),
        ("stock", ""),
        ("content", ""),
    ],
)
def test_a_class_says_what_a_part_is(name: str, kind: str) -> None:
    assert called(name, "") == kind


@pytest.mark.parametrize("part", ["a-", "a_", "related-", "x_count-", "cookie-", "social_share-"])
def test_a_hostile_class_is_looked_at_in_no_time(part: str) -> None:
    names = [(part * 30)[:length] + "!" for length in (58, 59)] + [part * 4_000]
    for pattern in (
        getattr(passing_words, name)
        for name in ("LISTS", "LISTS_ASIDE", "OF_THE_DAY", "AROUND", "CLOCKS", "COUNTS", "TODAY", "VISITS")
    ):
        assert [pattern.fullmatch(name) for name in names[:2]] == [None, None]
    assert called(" ".join(names), names[-1]) == ""


def test_every_pattern_compiles() -> None:
    for pattern in (
        getattr(passing_words, name)
        for name in ("LISTS", "LISTS_ASIDE", "OF_THE_DAY", "AROUND", "CLOCKS", "COUNTS", "TODAY", "VISITS")
    ):
        assert pattern.fullmatch("no such name") is None
