"""What lies above a page, turns beside it or counts its visitors, as real sites write it; and what only looks like that."""

from __future__ import annotations

import pytest

import driftline

_PROSE = "".join(
    f"<p>Paragraph {number} of a page that says something of its own, and a little more.</p>" for number in range(8)
)


def _page(*, inside: str = "", before: str = "", behind: str = "") -> bytes:
    text = (
        f"<html><head><title>Page</title></head><body>{before}<div class='c'><h1>Page</h1>{_PROSE}{inside}</div>{behind}</body>"
    )
    return text.encode()


def _told(old: bytes, new: bytes) -> bool:
    return driftline.compare_pages(old, new).meaningful


@pytest.mark.parametrize(
    "layer",
    [
        '<div class="x1"><p>Wir und unsere Partner nutzen Cookies auf dieser Seite.</p><button>Zustimmen</button></div>',
        '<section><p>Ta strona używa plików cookie do analizy ruchu.</p><a class="btn" href="/ok">Rozumiem</a></section>',
        "<div><p>Мы используем файлы куки на этом сайте.</p><button>Принять</button></div>",
        '<div role="dialog" aria-modal="true"><h2>Stay in touch</h2><p>Get our letter.</p><button>No thanks</button></div>',
        '<div class="modal"><p>Enter your mail address.</p><button>Close</button></div>',
        '<div id="intercom-container"><span>Chat with us</span></div>',
        '<div class="chat-widget"><p>How can we help you?</p><button>Start</button></div>',
        '<div class="smartbanner"><span>Our app</span><a href="https://play.google.com/store/apps/details?id=x">View</a></div>',
        '<div class="promo-bar"><a href="/sale">Free shipping this weekend</a></div>',
        '<div class="publicidad"><a href="https://brand.example/1">Buy now</a></div>',
        '<section aria-label="Advertisement"><a href="https://brand.example/1">Buy now</a></section>',
        '<a href="https://brand.example/1"><img src="/b/1.gif" width="728" height="90" alt=""></a>',
        '<a rel="sponsored" href="https://brand.example/1"><img src="/b/1.jpg" alt="Buy"></a>',
        '<a href="https://www.facebook.com/sharer/sharer.php?u=x">Facebook 12</a>',
    ],
)
def test_layers_and_banners_come_and_go_in_silence(layer: str) -> None:
    assert not _told(_page(), _page(behind=layer))
    assert not _told(_page(before=layer), _page())


@pytest.mark.parametrize(
    "inside",
    [
        "<p>We use cookies to keep you signed in for 30 days.</p>",
        '<p><a name="cookies"></a>We use cookies to keep you signed in for 30 days.</p>',
        '<p>We use cookies to keep you signed in. <a href="#">To the top</a></p>',
        '<div class="alert"><p>The pool is closed today.</p></div>',
        '<section id="live-chat-hours"><h2>Live chat</h2><p>Open from 9 to 5.</p></section>',
        '<div class="announcement">The office is closed on Friday.</div>',
        "<p>12 online courses</p>",
        "<p>4 guests, 2 bedrooms</p>",
    ],
)
def test_what_a_page_says_of_its_own_is_told(inside: str) -> None:
    assert _told(_page(), _page(inside=inside))


def test_the_foot_of_a_page_is_no_request_for_consent() -> None:
    foot = (
        '<footer><form><input type="email"><button>Subscribe</button></form><p>Call {}</p>'
        '<a href="/privacy">Privacy</a> <a href="/cookies">Cookies</a></footer>'
    )
    assert _told(_page(behind=foot.format("030 1234567")), _page(behind=foot.format("030 1234599")))


def _cards(*names: str, head: str = "<h2>Related products</h2>") -> str:
    card = '<div class="item"><a href="/p/{0}">{0}</a> <span class="price">€9.90</span> <button>Add to cart</button></div>'
    return f'<div class="row">{head}{"".join(card.format(name) for name in names)}</div>'


@pytest.mark.parametrize(
    "head", ["<h2>Related products</h2>", '<div class="title">Ähnliche Produkte</div>', "<h3>Похожие товары</h3>"]
)
def test_suggested_products_turn_although_they_have_prices_and_buttons(head: str) -> None:
    old, new = _cards("desk", "lamp", "rug", head=head), _cards("vase", "lamp", "shelf", head=head)
    assert not _told(_page(behind=old), _page(behind=new))


def test_products_below_another_heading_are_the_page() -> None:
    head = "<h2>Our range</h2>"
    assert _told(_page(behind=_cards("desk", "lamp", head=head)), _page(behind=_cards("vase", "lamp", head=head)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<p>Letto 88 volte</p>", "<p>Letto 91 volte</p>"),
        ("<p>Visto 59460 veces</p>", "<p>Visto 59690 veces</p>"),
        ("<p>Bekeken: 2909 keer</p>", "<p>Bekeken: 3000 keer</p>"),
        ("<p>Bu sayfa 47 kez görüntülendi</p>", "<p>Bu sayfa 51 kez görüntülendi</p>"),
        ("<p>Seitenaufrufe: 8912</p>", "<p>Seitenaufrufe: 9066</p>"),
        ("<p>عدد المشاهدات: 53</p>", "<p>عدد المشاهدات: 59</p>"),
        ("<p>Нравится 2858</p>", "<p>Нравится 2875</p>"),
        ("<p>Liked by 2024 people</p>", "<p>Liked by 2037 people</p>"),
        ("<p>Wir haben 17 Gäste und keine Mitglieder online</p>", "<p>Wir haben 22 Gäste und keine Mitglieder online</p>"),
        ("<p>28 personas están viendo esto</p>", "<p>37 personas están viendo esto</p>"),
        ("<p>Сейчас на сайте: 36</p>", "<p>Сейчас на сайте: 40</p>"),
        ("<p>Quedan 9 días</p>", "<p>Quedan 8 días</p>"),
        ("<p>Plus que 9 jours</p>", "<p>Plus que 8 jours</p>"),
        ("<p>Page créée en 0.209 secondes</p>", "<p>Page créée en 0.709 secondes</p>"),
        ('<p><i class="fa fa-eye"></i> 3,485</p>', '<p><i class="fa fa-eye"></i> 3,503</p>'),
        (
            '<p>Our newest member <strong><a href="/u/ann">ann</a></strong></p>',
            '<p>Our newest member <strong><a href="/u/ben">ben</a></strong></p>',
        ),
        ('<img src="https://i.example/upload/w_300,q_auto/v1390361680/a.jpg">',
         '<img src="https://i.example/upload/w_800,q_auto/v1702215127/a.jpg">'),
        ('<img src="/media/cache/16615e8bbbc63361a159198779aacfa4/a.jpg">',
         '<img src="/media/cache/d0172e72002f113e07d31e2cce5cac4f/a.jpg">'),
        ('<img src="https://lh4.googleusercontent.com/abcDEF123=w300-h300">',
         '<img src="https://lh6.googleusercontent.com/abcDEF123=w1024-h600">'),
        ('<img src="/images/I/71abcDEF._AC_SX300_.jpg">', '<img src="/images/I/71abcDEF._AC_SX1200_.jpg">'),
        ('<img src="/a b/é.png">', '<img src="/a%20b/%C3%A9.png">'),
        ('<a href="https://e.example/x">Docs</a>', '<a href="https://E.example:443/x">Docs</a>'),
    ],
)  # fmt: skip
def test_counters_and_ways_to_write_an_address_are_noise(old: str, new: str) -> None:
    assert not _told(_page(inside=old), _page(inside=new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<p>Quedan 9 plazas</p>", "<p>Quedan 8 plazas</p>"),
        ("<p>Plus que 3 en stock</p>", "<p>Plus que 2 en stock</p>"),
        ('<img src="/my_photos/a.jpg">', '<img src="/old_photos/a.jpg">'),
        ('<img src="https://i.example/w_300/v1390361680/a.jpg">', '<img src="https://i.example/w_300/v1390361680/b.jpg">'),
    ],
)
def test_what_is_left_and_other_pictures_are_told(old: str, new: str) -> None:
    assert _told(_page(inside=old), _page(inside=new))


def test_the_order_of_languages_is_noise() -> None:
    menu = '<ul class="lang-switcher"><li><a href="/{0}/">{0}</a></li><li><a href="/{1}/">{1}</a></li></ul>'
    assert not _told(_page(before=menu.format("English", "Deutsch")), _page(before=menu.format("Deutsch", "English")))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Pondělí 3. března 2025", "Úterý 4. března 2025"),
        ("Heute ist Montag, der 3. März 2025", "Heute ist Dienstag, der 4. März 2025"),
        ("Tallinn 12°C", "Tallinn -3°C"),
    ],
)
def test_day_and_weather_in_the_head_are_noise(old: str, new: str) -> None:
    head = '<header class="top"><p>{}</p></header>'
    assert not _told(_page(before=head.format(old)), _page(before=head.format(new)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "This page was last edited on 3 March 2025, at 10:12 (UTC).",
            "This page was last edited on 5 March 2025, at 11:12 (UTC).",
        ),
        ("Diese Seite wurde zuletzt am 3. März 2025 bearbeitet.", "Diese Seite wurde zuletzt am 5. März 2025 bearbeitet."),
        (
            "La dernière modification de cette page a été faite le 3 mars 2025 à 10:12.",
            "La dernière modification de cette page a été faite le 5 mars 2025 à 11:12.",
        ),
        (
            "Esta página foi editada pela última vez às 10h12min de 3 de março de 2025.",
            "Esta página foi editada pela última vez às 11h12min de 5 de março de 2025.",
        ),
        ("Tę stronę ostatnio edytowano 3 mar 2025, 10:12.", "Tę stronę ostatnio edytowano 5 mar 2025, 11:12."),
        ("本页面最后修订于2025年3月3日 (星期一) 10:12。", "本页面最后修订于2025年3月5日 (星期三) 11:12。"),
        (
            "이 문서는 2025년 3월 3일 (월) 10:12에 마지막으로 편집되었습니다.",
            "이 문서는 2025년 3월 5일 (수) 11:12에 마지막으로 편집되었습니다.",
        ),
        ("Booked 12 times in the last 24 hours", "Booked 15 times in the last 24 hours"),
        ("Good morning", "Good evening"),
    ],
)
def test_when_a_page_was_touched_is_noise_in_every_language(old: str, new: str) -> None:
    assert not _told(_page(inside=f"<p>{old}</p>"), _page(inside=f"<p>{new}</p>"))


def _board(views: str, replies: str = "3") -> bytes:
    head = "<tr><th>Topic</th><th>Replies</th><th>Views</th></tr>"
    return _page(inside=f"<table>{head}<tr><td>Pump</td><td>{replies}</td><td>{views}</td></tr></table>")


def test_a_column_of_views_is_noise_and_one_of_replies_is_not() -> None:
    assert not _told(_board("120"), _board("131"))
    assert _told(_board("120"), _board("120", "4"))


def test_messages_that_wait_are_no_part_of_a_title() -> None:
    old, new = (_page().replace(b"<title>Page", f"<title>({count}) Page".encode()) for count in (3, 5))
    assert not _told(old, new)


def test_a_request_for_consent_behind_many_buttons_is_found() -> None:
    buttons = "".join(f"<button>Pick {number}</button>" for number in range(100))
    layer = "<div><p>This site uses cookies to work well.</p><button>Fine</button></div>"
    assert not _told(_page(inside=buttons), _page(inside=buttons, behind=layer))
