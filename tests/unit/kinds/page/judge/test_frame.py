"""What stands around the text of a page: layers, slots, bars, its frame; and what is called like them and is content."""

# ruff: noqa: E501 - fragments stand here as servers send them

from __future__ import annotations

import pytest
from tests.unit.kinds.page.watching import body, seen

from driftline.pages import compare_pages, read_page


def above(html: str) -> str:
    return body("").replace("<main>", f"{html}<main>")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '<div id="onetrust-consent-sdk"><p>We use cookies.</p><button>Accept all</button></div>'),
        ("", '<div role="dialog" aria-label="Cookie consent"><p>We use cookies</p></div>'),
        ("", '<div class="newsletter-popup"><p>Get 10% off</p></div>'),
        ('<div class="ad-slot"><a href="https://a.example/1">Kayaks</a></div>', '<div class="ad-slot"><a href="https://b.example/2">French</a></div>'),
    ],
)  # fmt: skip
def test_layers_and_slots_outside_the_text_come_and_go_in_silence(before: str, after: str) -> None:
    assert not compare_pages(above(before), above(after)).different


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('<section id="gdpr"><h2>Your rights</h2><p>You may object.</p></section>', '<section id="gdpr"><h2>Your rights</h2><p>You may not object.</p></section>'),
        ('<div id="cookies"><h3>Cookies</h3><p>We keep them for 30 days.</p></div>', '<div id="cookies"><h3>Cookies</h3><p>We keep them for 90 days.</p></div>'),
        ('<section class="newsletter"><h2>Newsletter</h2><p>Issue of May</p></section>', '<section class="newsletter"><h2>Newsletter</h2><p>Issue of June</p></section>'),
        ('<div class="plan recommended"><h3>Pro</h3><p>20 seats</p><a href="/buy">Buy</a></div>', '<div class="plan recommended"><h3>Pro</h3><p>25 seats</p><a href="/buy">Buy</a></div>'),
        ('<div class="countdown">Sale starts soon</div>', '<div class="countdown">The sale has ended</div>'),
    ],
)  # fmt: skip
def test_a_section_of_the_text_is_read_whatever_it_is_called(before: str, after: str) -> None:
    assert seen(body(before), body(after)) is not None


@pytest.mark.parametrize(("share", "reported"), [(1, False), (40, True)])
def test_many_ad_slots_are_noise_unless_they_are_the_page(share: int, reported: bool) -> None:
    def slots(word: str) -> str:
        return "".join(
            f'<div class="ad-slot"><p>{word} {number} for sale{" and more" * share}</p></div>' for number in range(12)
        )

    text = "<p>The council met on Tuesday and agreed on the plan for the new library building.</p>" * 20
    diff = compare_pages(*(f"<html><body><h1>Ads</h1>{text}{slots(word)}</body></html>" for word in ("Boat", "Tent")))
    assert diff.meaningful is reported


def bar(said: str) -> str:
    return above("").replace("</header>", f'<div class="announcement-bar"><p>{said}</p></div></header>')


@pytest.mark.parametrize("said", ["Join the club and get 10% off your first order", "New: spring collection is here"])
def test_offers_that_take_turns_in_the_head_are_not_sent(said: str) -> None:
    assert seen(bar("Free shipping over €75"), bar(said)) is None


@pytest.mark.parametrize(
    "said", ["We are closed on 5 May", "Tickets on sale from 15 November", "The office moved to Main street 7"]
)
def test_what_the_head_announces_is_reported(said: str) -> None:
    assert seen(bar("Free shipping over €75"), bar(said)) is not None
    assert seen(above(""), bar(said)) is not None


@pytest.mark.parametrize("name", ["promo-bar", "site-promo", "donation-banner"])
def test_a_bar_above_the_text_is_reported(name: str) -> None:
    pages = [above(f'<div class="{name}">{said}</div>') for said in ("Spring is here", "The shop is closed until Monday")]
    assert seen(*pages) is not None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('<nav><a href="/a">Courses</a></nav>', '<nav><a href="/a">Courses</a> <a href="/b">Rooms</a></nav>'),
        ('<nav class="post-navigation"><a href="/a" rel="prev">Older story</a></nav>', '<nav class="post-navigation"><a href="/a" rel="prev">Older story</a> <a href="/b" rel="next">Newer story</a></nav>'),
        ("<footer><p>Phone 555-1234</p></footer>", "<footer><p>Phone 555-1299</p></footer>"),
    ],
)  # fmt: skip
def test_the_frame_of_a_page_is_recorded_and_not_sent(before: str, after: str) -> None:
    diff = compare_pages(above(before), above(after))
    assert diff.different
    assert not diff.meaningful


def test_a_selected_part_is_read_whatever_it_is_called() -> None:
    source = body('<span class="view-count">1204</span>')
    assert read_page(source, rules={"select": (".view-count",)}).lines == ("1204",)


def test_a_new_price_is_reported_once_beside_a_counter() -> None:
    card = '<html><head><title>Kettle</title></head><body><h1>Kettle</h1><p><b class="price">{} €</b> <span>★★★★☆ ({})</span></p><button>Add to cart</button></body></html>'
    diff = compare_pages(card.format("29.90", 120), card.format("24.90", 124))
    assert diff.headline == "Price fell from 29.90 to 24.90 EUR"


def test_teasers_that_are_whole_links_are_no_text_of_the_page() -> None:
    """An imprint with the newest articles below it: they lead elsewhere, so the imprint is what the page is about."""
    imprint = "<section id=imprint><h1>Imprint</h1>" + "".join(
        f"<p>The publisher of these pages is answerable for their contents, as article {number} of the press law has it.</p>"
        for number in range(8)
    )

    def page(title: str) -> str:
        teasers = "".join(
            f"<article><a href=/{name}><h2>{name}</h2><p>What is said of it here is long enough to be taken for running text of the"
            " page, though all of it leads to another page, which has the text itself.</p></a></article>"
            for name in (title, "Glaciers", "Satellites", "Standards", "Chips", "Elections")
        )
        return f"<main><div>{imprint}</section></div><div>{teasers}</div></main>"

    assert not compare_pages(page("Security"), page("Antarctica")).meaningful


def test_a_person_who_is_linked_by_mail_is_no_other_page() -> None:
    text = (
        "<div>"
        + "<p>We are answerable for what stands here, in all of its parts, and for nothing that others write.</p>" * 9
        + "</div>"
    )
    staff = "<div><p><a href='mailto:{0}@site.example'>{1}</a></p></div>"
    before, after = staff.format("ann", "Ann Lee"), staff.format("bob", "Bob Ray")
    assert compare_pages(f"<main>{text}{before}</main>", f"<main>{text}{after}</main>").meaningful


SIZES = '<div id="sizes" class="modal" role="dialog"><h3>Sizes</h3><table><tr><td>{}</td></tr></table></div>'


def test_a_dialog_that_a_link_opens_is_a_part_of_the_page() -> None:
    opener = '<a href="#sizes" data-target="#sizes">Size guide</a>'
    opened = [body(opener) + SIZES.format(said) for said in ("38 is 24 cm", "38 is 25 cm")]
    assert compare_pages(*opened).meaningful
    unasked = [body("") + SIZES.format(said) for said in ("38 is 24 cm", "38 is 25 cm")]
    assert not compare_pages(*unasked).different


@pytest.mark.parametrize("asks", ["<form><input name=mail></form>", "<textarea></textarea>"])
def test_a_dialog_that_asks_for_something_is_none(asks: str) -> None:
    opener = '<a href="#sizes" data-target="#sizes">Subscribe</a>'
    dialogs = [body(opener) + SIZES.format(said).replace("<table>", f"{asks}<table>") for said in ("10% off", "20% off")]
    assert not compare_pages(*dialogs).different


_QUOTED = "<main><h1>Beans</h1><p>Sow them in May, when no frost is to be feared any more, and water them well.</p></main><aside><h3>Quote</h3>{}</aside>"


@pytest.mark.parametrize(
    ("old", "new", "reported"),
    [
        ("<blockquote>Plant for tomorrow.</blockquote>", "<blockquote>The earth laughs.</blockquote>", False),
        ("<p class=quote>Plant for tomorrow.</p>", "<p class=quote>The earth laughs.</p>", False),
        ("<p>The shop is run by Ann.</p>", "<p>The shop is run by Bob.</p>", True),
        ("<p class=quote>ACME 45.20</p>", "<p class=quote>ACME 12.10</p>", True),
        ("<p class=quote>One.</p><p class=quote>Two.</p>", "<p class=quote>One.</p><p class=quote>Three.</p>", True),
    ],
)
def test_a_quotation_beside_the_text_gives_way_to_another_one(old: str, new: str, reported: bool) -> None:
    assert compare_pages(_QUOTED.format(old), _QUOTED.format(new)).meaningful is reported


def test_an_article_that_is_called_an_ad_is_one_unless_it_is_what_the_page_lists() -> None:
    text = (
        "<article class=item><h1>How to prune roses</h1><p>Cut above a bud that faces outwards, in early spring.</p></article>"
    )
    ads = [f"<article class=item_ad><a href=/{name}>{name}</a></article>" for name in ("Gloves", "Mowers")]
    assert not compare_pages(text + ads[0], text + ads[1]).meaningful
    assert compare_pages(*(f"<h1>Small ads</h1>{ads[0]}{ad}" for ad in ads)).meaningful
