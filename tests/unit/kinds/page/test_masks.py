"""Learned noise: what it covers, what it never covers, and that the scan alone recognises it."""

# ruff: noqa: E501 - pages stand here as servers send them

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import msgspec
import pytest

from driftline.kinds.kind import Hint
from driftline.kinds.page.compare import PageDiff, compare, learn_masks
from driftline.kinds.page.kind import KIND
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.model.account import Features
from driftline.model.fetch import Fetched, Request
from driftline.model.item import Known, Mask
from driftline.pages import read_page

AT = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)
URL = "https://site.example/page"


def page(promo: str = "<p>Try our kayaks</p>", extra: str = "", **more: str) -> str:
    said = {"title": "Harbour", "price": "5.00", "stock": "In stock", "tide": "high", "note": "Closed on Sunday"} | more
    return f"""<html><head><title>{said["title"]}</title></head><body><main><h1>{said["title"]}</h1><p>Welcome to the harbour.</p>
<div class="promo">{promo}</div><p class="price">{said["price"]} €</p><p class="stock">{said["stock"]}</p>{extra}
<p class="tide">Tide now {said["tide"]} at the pier</p><p>{said["note"]}</p></main></body></html>"""


def parsed(html: str, rules: PageRules | None = None) -> ParsedPage:
    return read_page(html, url=URL, rules=rules)


def taught(one: str, other: str, rules: PageRules | None = None) -> list[Mask]:
    return learn_masks(parsed(one, rules), parsed(other, rules), evidence="differed", at=AT)


def judged(before: str, after: str, masks: list[Mask], rules: PageRules | None = None) -> PageDiff:
    return compare(parsed(before, rules), parsed(after, rules), rules or PageRules(), masks)


ADS = [
    '<p>Try our <a href="https://ads.example/1">kayaks</a></p><img src="https://ads.example/1.png">',
    '<p>Twenty percent off <a href="https://ads.example/2">tents</a></p><img src="https://ads.example/2.png">',
    '<p>A free month of <a href="https://ads.example/3">tea</a></p><img src="https://ads.example/3.png">',
    '<p>Nobody beats <a href="https://ads.example/4">our boots</a></p><img src="https://ads.example/4.png">',
]


def test_a_rotating_ad_is_masked_with_its_link_and_image() -> None:
    masks = taught(page(ADS[0]), page(ADS[1]))
    assert {mask.data["part"] for mask in masks} == {"text", "link", "image"}
    diff = judged(page(ADS[0]), page(ADS[2]), masks)
    assert not diff.different
    assert any(shown.rule.startswith("mask") for shown in diff.suppressed)


def test_words_that_two_quotes_share_by_chance_are_no_skeleton() -> None:
    quotes = [
        "Many hands make light work. — Anna",
        "Rivers run deep in winter. — Anna",
        "Stone by stone the wall grows. — Bert",
    ]
    for form in ("<p>{}</p>", "<p>Tip: {}</p>"):
        one, other, third = (page(form.format(quote)) for quote in quotes)
        assert not judged(one, third, taught(one, other)).different


def test_a_label_stays_in_the_skeleton() -> None:
    masks = taught(page("<p>Tip: Many hands make light work.</p>"), page("<p>Tip: Rivers run deep in winter.</p>"))
    assert judged(page("<p>Tip: Many hands make light work.</p>"), page("<p>Closed: Many hands left us.</p>"), masks).meaningful


def test_varying_lines_of_two_places_may_be_taken_for_each_other() -> None:
    words = ["Grey herons over the pier", "Boats for sale at noon", "Grey herons near the pier", "Nobody minds the rain"]
    one, other, third = (page(f"<p>{words[i]}</p><ul><li>{words[i + 1]}</li></ul>") for i in range(3))
    assert not judged(one, third, taught(one, other)).different


def test_a_mask_names_its_place_and_evidence() -> None:
    (mask,) = taught(page("<p>One thing</p>"), page("<p>Another matter</p>"))
    assert "div.promo" in mask.place
    assert mask.evidence == "differed"


@pytest.mark.parametrize(
    "after",
    [
        page(ADS[2], note="Closed on Monday"),
        page(ADS[2], title="Harbor"),
        page(ADS[2], price="6.00"),
        page(ADS[2], stock="Sold out"),
        page(ADS[2], extra="<p>New ferry line</p>"),
        page(ADS[2] + "<p>The harbour is closed until May.</p>"),
        page(ADS[2] + "<h2>Closed</h2>"),
        page("<p>The pier is closed.</p>" + ADS[2]),
        page(ADS[2], extra='<a href="/ferry">Ferry</a>'),
        page(ADS[2], extra='<img src="/pier.jpg">'),
    ],
)
def test_a_real_change_beside_or_inside_the_masked_container_is_told(after: str) -> None:
    masks = taught(page(ADS[0]), page(ADS[1]))
    assert judged(page(ADS[0]), after, masks).meaningful
    reading = KIND.read(_fetched(after), PageRules(), _hint(page(ADS[0]), masks))
    assert not reading.unchanged


def test_a_span_mask_covers_the_varying_words_and_not_the_line() -> None:
    (mask,) = taught(page(tide="high"), page(tide="low"))
    assert mask.skeleton.startswith("Tide now")
    assert not judged(page(tide="high"), page(tide="rising"), [mask]).meaningful
    changed = page(tide="rising").replace("at the pier", "at the dock")
    assert judged(page(tide="high"), changed, [mask]).meaningful


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (page(title="Harbour"), page(title="Harbor")),
        (page(price="5.00"), page(price="6.00")),
        (page(stock="In stock"), page(stock="Sold out")),
    ],
    ids=["title", "price", "stock"],
)
def test_a_title_a_price_and_stock_are_never_masked(one: str, other: str) -> None:
    masks = taught(one, other)
    assert judged(one, other, masks).meaningful


def test_nothing_is_learned_on_a_selected_part() -> None:
    rules = PageRules(select=(".promo",))
    assert taught(page(ADS[0]), page(ADS[1]), rules) == []


def test_masks_do_not_cover_a_selected_part() -> None:
    masks = taught(page(ADS[0]), page(ADS[1]))
    assert judged(page(ADS[0]), page(ADS[1]), masks, PageRules(select=(".promo",))).meaningful


def test_a_list_that_is_shuffled_is_masked_by_its_order() -> None:
    names = ["Anna Berg", "Bo Carlsen", "Cy Dahl", "Di Engel"]
    one, other, third = (
        page("<ul>" + "".join(f"<li>Sponsor: {name}</li>" for name in order) + "</ul>")
        for order in (names, names[::-1], [names[2], names[0], names[3], names[1]])
    )
    masks = taught(one, other)
    assert masks
    assert not judged(one, third, masks).meaningful
    assert judged(one, third.replace("Di Engel", "Ed Falk"), masks).meaningful


def test_parameters_that_vary_are_masked_and_the_address_is_not() -> None:
    one, other, third = (page(f'<a href="/offer?id=7&amp;click={click}">Offer</a>') for click in ("aa", "bb", "cc"))
    masks = taught(one, other)
    assert [mask.data["params"] for mask in masks] == ["click"]
    assert not judged(one, third, masks).meaningful
    assert judged(one, third.replace("id=7", "id=8"), masks).meaningful


def test_two_wholly_different_pages_teach_nothing() -> None:
    one = "".join(f"<p class=c{letter}>{letter * 9}</p>" for letter in "abcdefghijklmnopqrstuvwxyz" * 4)
    other = "".join(f"<h3 class=d{letter}>{letter * 7} {letter}</h3>" for letter in "zyxwvutsrqponmlkjihgfedcba" * 4)
    assert len(taught(page(one), page(other))) <= 60


# --- the scan alone


def _fetched(html: str) -> Fetched:
    return Fetched(
        request=Request(url=URL), url=URL, status=200, headers={"content-type": "text/html"}, body=html.encode(), at=AT
    )


def _hint(html: str, masks: list[Mask]) -> Hint:
    item = KIND.read(_fetched(html), PageRules(), None).items[0]
    known = Known(
        item_id=UUID(int=1), key=item.key, fingerprint=item.fingerprint, version=1, member=True,
        memo=KIND.pack(item.state, Features()).memo,
    )  # fmt: skip
    return Hint(known=known, masks=tuple(masks))


@pytest.mark.parametrize("ad", ADS[1:])
def test_masked_noise_is_recognised_from_the_scan_alone(ad: str) -> None:
    masks = taught(page(ADS[0]), page(ADS[1]))
    reading = KIND.read(_fetched(page(ad)), PageRules(), _hint(page(ADS[0]), masks))
    assert reading.unchanged
    assert reading.suppressed


def test_a_masked_span_split_over_elements_is_recognised_from_the_scan_alone() -> None:
    one, other, third = (page(tide=f"<b>{word}</b>") for word in ("high", "low", "rising"))
    masks = taught(one, other)
    assert KIND.read(_fetched(third), PageRules(), _hint(one, masks)).unchanged
    assert not KIND.read(_fetched(third.replace("Tide now", "Tide soon")), PageRules(), _hint(one, masks)).unchanged


def test_what_the_scan_recognises_the_judge_would_drop_too() -> None:
    masks = taught(page(ADS[0]), page(ADS[1]))
    for ad in ADS[1:]:
        assert not judged(page(ADS[0]), page(ad), masks).different


def test_a_price_in_a_masked_place_goes_the_long_way() -> None:
    masks = taught(page("<p>One thing</p>"), page("<p>Another matter</p>"))
    reading = KIND.read(_fetched(page("<p>Boots for 5 €</p>")), PageRules(), _hint(page("<p>One thing</p>"), masks))
    assert not reading.unchanged


# --- addresses: only what varies is masked


MOVED = [
    ('<a href="https://mirror{}.photo.example/files/app-5.2.0.exe">Get</a>', "123", "app-5.2.0", "app-5.3.0-signed"),
    ('<a href="/dl/{}/tariff-2025.pdf">Tariff</a>', ["1f3a5b7c9d0e2f4a", "9e8d7c6b5a4f3e2d", "0a1b2c3d4e5f6a7b"], "2025", "2026"),
    ('<a href="/s/{}/tariff.pdf?v={}">Tariff</a>', ["1f3a5b7c9d0e", "9e8d7c6b5a4f", "0a1b2c3d4e5f"], "tariff", "fees"),
    ('<a href="https://dl{0}.example/a/notes-2025.pdf">Get</a><a href="https://dl{0}.example/a/plan.pdf">Plan</a>', "abc", "2025", "2026"),
    ('<img src="https://srv{}.img.example/poster-april.jpg">', "abc", "april", "may"),
    ('<img src="https://img.example/t/{}/poster-april.jpg" alt="x">', ["1f3a5b7c9d0e2f4a", "9e8d7c6b5a4f3e2d", "0a1b2c3d4e5f6a7b"], "april", "may"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "turns", "old", "new"), MOVED)
def test_an_address_is_masked_by_the_span_that_varies_and_what_else_changes_is_told(
    form: str, turns: str, old: str, new: str
) -> None:
    one, other, third = (page(form.format(turn, turn)) for turn in turns)
    masks = taught(one, other)
    assert [mask.data["mode"] for mask in masks] == ["span"]
    assert not judged(one, third, masks).different
    assert judged(one, third.replace(old, new), masks).meaningful
    assert not KIND.read(_fetched(third.replace(old, new)), PageRules(), _hint(one, masks)).unchanged
    # The mask still covers the place once another file stands there.
    assert not judged(other.replace(old, new), third.replace(old, new), masks).different


def test_what_a_mask_dropped_of_an_address_is_noted() -> None:
    form = '<a href="/dl/{0}/tariff-2025.pdf">Tariff</a><img src="https://img.example/t/{0}/april.jpg">'
    one, other, third = (page(form.format(turn)) for turn in ("1f3a5b7c9d0e2f4a", "9e8d7c6b5a4f3e2d", "0a1b2c3d4e5f6a7b"))
    reading = KIND.read(_fetched(third), PageRules(), _hint(one, taught(one, other)))
    assert reading.unchanged
    assert [(shown.place, shown.after) for shown in reading.suppressed] == [
        ("link", "https://site.example/dl/0a1b2c3d4e5f6a7b/tariff-2025.pdf"),
        ("image", "https://img.example/t/0a1b2c3d4e5f6a7b/april.jpg"),
    ]


def test_a_rotating_link_to_another_page_is_masked_as_a_whole() -> None:
    one, other, third = (page(f'<a href="{href}">Ad</a>') for href in ("/kayaks", "https://x.example/tea", "/boots/red"))
    assert not judged(one, third, taught(one, other)).different


def test_a_picture_that_is_described_anew_is_told_though_its_address_varies() -> None:
    form = '<img src="https://img.example/t/{}/lift.jpg" alt="{}">'
    one, other = (page(form.format(turn, "open")) for turn in ("1f3a5b7c9d0e2f4a", "9e8d7c6b5a4f3e2d"))
    masks = taught(one, other)
    third = page(form.format("0a1b2c3d4e5f6a7b", "closed"))
    assert not KIND.read(_fetched(third), PageRules(), _hint(one, masks)).unchanged
    assert judged(one, third, masks).meaningful


def test_masked_noise_does_not_raise_the_severity() -> None:
    words = "<p>The harbour was built by fishermen of three villages, who still own the larger part of its boats.</p>" * 12
    cards = [
        f'<div class="card"><h3>Boat {name}</h3></div>' for name in ("of Anna", "from Porto", "with two masts", "for sale")
    ]
    one, other, third = (page("".join(cards[i] for i in turn), words) for turn in ((0, 1), (2, 3), (3, 0)))
    masks = taught(one, other)
    plain = judged(one, one.replace("on Sunday", "on Monday"), [])
    noisy = judged(one, third.replace("on Sunday", "on Monday"), masks)
    assert (
        (noisy.severity, noisy.headline)
        == (plain.severity, plain.headline)
        == ("low", "“Closed on Sunday” became “Closed on Monday”")
    )
    assert noisy.similarity == pytest.approx(plain.similarity, abs=0.001)


ENTRIES = ("Opening hours are nine to five", "The fee is twelve euros", "Bring your own towel", "Dogs stay outside")
TURNING = ("Plant a tree while you can", "Simplicity is the best", "Never cut what you can untie")


@pytest.mark.parametrize("turning_at", range(len(ENTRIES) + 1))
def test_a_turning_entry_covers_none_that_stands_beside_it(turning_at: int) -> None:
    def listed(turn: int, entries: tuple[str, ...] = ENTRIES) -> str:
        shown = (*entries[:turning_at], TURNING[turn], *entries[turning_at:])
        return "<html><body><h1>Pool</h1><ul>" + "".join(f"<li>{entry}</li>" for entry in shown) + "</ul></body></html>"

    masks = taught(listed(0), listed(1))
    assert not judged(listed(0), listed(2), masks).different
    for index in range(len(ENTRIES)):
        edited = (*ENTRIES[:index], "Members now pay nothing at all", *ENTRIES[index + 1 :])
        assert judged(listed(0), listed(2, edited), masks).meaningful


def test_a_mask_of_old_that_names_its_neighbours_without_a_side_still_covers() -> None:
    def listed(turn: int) -> str:
        return f"<html><body><h1>Pool</h1><ul><li>{ENTRIES[0]}</li><li>{TURNING[turn]}</li><li>{ENTRIES[1]}</li></ul></body></html>"

    masks = [
        msgspec.structs.replace(mask, data={**mask.data, "beside": " ".join(near[2:] for near in mask.data["beside"].split())})
        for mask in taught(listed(0), listed(1))
    ]
    assert not judged(listed(0), listed(2), masks).different


def test_a_turning_card_covers_none_of_those_with_the_same_words_around_their_titles() -> None:
    def cards(turn: int, titles: tuple[str, ...] = ENTRIES) -> str:
        shown = (*titles[:2], TURNING[turn], *titles[2:])
        card = '<div class="card"><h3>{}</h3><p>Details</p><a href="/more">Read more</a></div>'
        return f"<html><body><h1>Pool</h1>{''.join(map(card.format, shown))}</body></html>"

    masks = taught(cards(0), cards(1))
    assert not judged(cards(0), cards(2), masks).different
    for index in range(len(ENTRIES)):
        edited = (*ENTRIES[:index], "Members now pay nothing at all", *ENTRIES[index + 1 :])
        assert judged(cards(0), cards(2, edited), masks).meaningful


def test_entries_that_turn_together_are_covered_though_one_came_again_by_chance() -> None:
    def drawn(*picked: str) -> str:
        return "<html><body><h1>Pool</h1><ul>" + "".join(f"<li>{entry}</li>" for entry in picked) + "</ul></body></html>"

    masks = taught(
        drawn("Amber lamp", "Tea set", "Oak desk", "Blue rug"), drawn("Wool hat", "Tea set", "Garden hose", "Iron pan")
    )
    assert not judged(
        drawn("Amber lamp", "Tea set", "Oak desk", "Blue rug"), drawn("Jar", "Clock", "Old map", "Pen"), masks
    ).different
