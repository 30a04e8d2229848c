"""What readers see although it is in no text: labels of buttons, films and documents, policies that are called like banners."""

from __future__ import annotations

import pytest

import driftline
from driftline.kinds.page.stretches import recognise, stretches_of

_PROSE = "".join(f"<p>Paragraph {number} of a page that says something of its own.</p>" for number in range(6))


def _page(part: str, end: str = "") -> bytes:
    return f"<html><head><title>Page</title></head><body><main><h1>Page</h1>{_PROSE}{part}</main>{end}</body></html>".encode()


def _told(before: str, after: str) -> bool:
    return driftline.compare_pages(_page(before), _page(after)).meaningful


@pytest.mark.parametrize("kind", ["submit", "button", "SUBMIT"])
def test_the_label_of_a_button_that_is_an_input_counts(kind: str) -> None:
    form = '<form action="/apply"><input type="{}" value="{}"></form>'
    diff = driftline.compare_pages(_page(form.format(kind, "Apply now")), _page(form.format(kind, "Applications have ended")))
    assert diff.meaningful
    assert "Applications have ended" in diff.headline


def test_a_changed_label_is_not_recognised_by_its_source() -> None:
    form = '<form action="/apply"><input type="submit" value="{}"></form>'
    old, new = (_page(form.format(label)).decode() for label in ("Apply now", "Applications have ended"))
    assert recognise(new, "https://e.example/", stretches_of(old, "https://e.example/", ())) is None


@pytest.mark.parametrize(
    ("shape", "before", "after"),
    [
        ('<iframe src="https://www.youtube.com/embed/{}?rel=0"></iframe>', "aaaaaaaaaaa", "bbbbbbbbbbb"),
        ('<iframe src="https://player.vimeo.com/video/{}"></iframe>', "111", "222"),
        ('<iframe data-src="//www.youtube-nocookie.com/embed/{}" src="about:blank"></iframe>', "aaaaaaaaaaa", "bbbbbbbbbbb"),
        ('<iframe src="/docs/{}.pdf"></iframe>', "agenda-may", "agenda-june"),
        ('<object data="/docs/{}.pdf" type="application/pdf"></object>', "agenda-may", "agenda-june"),
        ('<video controls src="/media/{}.mp4"></video>', "episode-11", "episode-12"),
        ('<audio controls><source src="/media/{}.mp3"></audio>', "episode-11", "episode-12"),
    ],
)
def test_another_film_or_document_is_a_change(shape: str, before: str, after: str) -> None:
    assert _told(shape.format(before), shape.format(after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("https://www.youtube.com/embed/aaaaaaaaaaa?origin=x", "https://www.youtube.com/embed/aaaaaaaaaaa?rel=0&amp;t=9"),
        ("https://ad.example/frame?ord=1", "https://ad.example/frame?ord=2"),
        ("https://www.facebook.com/plugins/like.php?h=1", "https://www.facebook.com/plugins/like.php?h=2"),
        ("https://www.google.com/recaptcha/api2/anchor?k=1", "https://www.google.com/recaptcha/api2/anchor?k=2"),
    ],
)
def test_how_a_film_is_shown_and_frames_of_widgets_say_nothing(before: str, after: str) -> None:
    assert not _told(f'<iframe src="{before}"></iframe>', f'<iframe src="{after}"></iframe>')


def test_a_film_in_an_ad_slot_is_not_recognised_by_the_source_alone() -> None:
    slot = '<div class="ad-slot"><video src="/media/{}.mp4"></video></div>'
    old, new = (_page(slot.format(name)).decode() for name in ("one", "two"))
    assert recognise(new, "https://e.example/", stretches_of(old, "https://e.example/", ())) is None


@pytest.mark.parametrize("name", ["cookie-notice", "cookie-consent", "cookie-banner"])
def test_a_heading_is_never_clutter(name: str) -> None:
    assert _told(f'<h2 id="{name}">Cookies of 2024</h2>', f'<h2 id="{name}">Cookies of 2025</h2>')


_POLICY = (
    "<h2>Cookie notice</h2><p>We store one session cookie that is needed to keep you signed in, and a preference cookie for "
    "the language that you chose. Neither is shared with anybody.</p><p>The session cookie expires after {} days. You can "
    "delete it in your browser at any time, after which you have to sign in again.</p>"
)


@pytest.mark.parametrize("name", ["cookie-notice", "cookie-consent", "cookies-info"])
def test_a_policy_that_is_called_like_a_banner_is_content(name: str) -> None:
    before, after = (f'<section id="{name}">{_POLICY.format(days)}</section>' for days in (30, 90))
    assert _told(before, after)
    old, new = _page(before).decode(), _page(after).decode()
    assert recognise(new, "https://e.example/", stretches_of(old, "https://e.example/", ())) is None


def test_a_long_banner_with_a_button_is_clutter() -> None:
    banner = f'<div id="cookie-notice">{_POLICY.format(30)}<button>Accept</button></div>'
    assert not driftline.compare_pages(_page("", banner), _page("")).meaningful


@pytest.mark.parametrize(
    ("data", "old", "new"),
    [
        (
            '{"@type":"JobPosting","baseSalary":{"@type":"MonetaryAmount","value":{"@type":"QuantitativeValue","minValue":{}}}}',
            "40000",
            "36000",
        ),
        ('{"@type":"JobPosting","title":"Cook","validThrough":"{}"}', "2026-05-01", "2026-06-01"),
        ('{"@type":"MusicEvent","name":"Concert","startDate":"{}"}', "2026-05-01T19:00", "2026-05-08T19:00"),
        ('{"@type":"Event","name":"Concert","offers":{"@type":"Offer","price":"{}","priceCurrency":"EUR"}}', "20", "25"),
    ],
)
def test_pay_and_dates_in_structured_data_count(data: str, old: str, new: str) -> None:
    script = '<script type="application/ld+json">{}</script>'
    assert _told(*(script.replace("{}", data.replace("{}", value)) for value in (old, new)))


def test_a_value_that_is_no_pay_is_left_to_the_machines() -> None:
    data = (
        '<script type="application/ld+json">{"@type":"Product","name":"Tea","offers":{"@type":"Offer","price":"5",'
        '"inventoryLevel":{"@type":"QuantitativeValue","value":%d}}}</script>'
    )
    assert not _told(data % 7, data % 6)
