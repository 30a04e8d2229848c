from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import is_in_proportion

from driftline.core.answers.block_pages import block_page, block_page_at, redirect_note

HTML = {"content-type": "text/html; charset=utf-8"}
ARTICLE = "<p>The committee met on Tuesday and agreed on the budget for the coming year after a long debate.</p>" * 60
CONTACT = (
    '<form><input type="email" name="mail"><textarea name="message"></textarea>'
    '<div class="g-recaptcha" data-sitekey="x"></div><button>Send</button></form>'
    '<script src="https://www.google.com/recaptcha/api.js"></script>'
)


def _page(title: str, body: str, head: str = "") -> bytes:
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>".encode()


WALLS = {
    "imperva by its script on an empty page": (
        _page("", "", '<script src="/_Incapsula_Resource?SWJIYLWA=5074a744"></script>'),
        "challenge: imperva",
    ),
    "captcha in German": (
        _page("Prüfung", '<h1>Bitte bestätigen Sie, dass Sie kein Roboter sind</h1><div class="g-recaptcha"></div>'),
        "captcha: recaptcha",
    ),
    "captcha in Chinese": (_page("验证码", '<p>请完成安全验证</p><div id="nc_1_wrapper"></div>'), "captcha: alibaba"),
    "captcha in Japanese": (
        _page("確認", '<p>ロボットではないことを確認してください</p><div class="g-recaptcha"></div>'),
        "captcha: recaptcha",
    ),
    "cloudflare managed challenge": (
        _page(
            "Just a moment...",
            '<noscript>Enable JavaScript and cookies to continue</noscript><script>window._cf_chl_opt={cvId:"3"}</script>',
        ),
        "challenge: cloudflare",
    ),
    "cloudflare challenge in another language": (
        _page("Nur einen Moment…", "<h1>shop.example</h1><script>(function(){window._cf_chl_opt = {};})()</script>"),
        "challenge: cloudflare",
    ),
    "cloudflare five seconds": (
        _page(
            "Just a moment...",
            '<div class="cf-browser-verification">Checking your browser before accessing shop.example.</div>',
        ),
        "challenge: cloudflare",
    ),
    "cloudflare by its title alone": (_page("Just a moment...", "<p>Please wait</p>"), "challenge: cloudflare"),
    "cloudflare block": (
        _page(
            "Attention Required! | Cloudflare",
            '<div id="cf-error-details"><h1>Sorry, you have been blocked</h1><h2>You are unable to access shop.example</h2>'
            "<p>This website is using a security service to protect itself from online attacks.</p></div>",
        ),
        "challenge: cloudflare",
    ),
    "datadome": (
        _page(
            "shop.example",
            "<p>Please enable JS and disable any ad blocker</p><script>var dd={'host':'geo.captcha-delivery.com'}</script>",
        ),
        "challenge: datadome",
    ),
    "perimeterx": (
        _page("Access to this page has been denied", '<div id="px-captcha"></div><script>window._pxAppId="PX1"</script>'),
        "challenge: perimeterx",
    ),
    "press and hold": (
        _page("Robot or human?", "<p>Activate and hold the button to confirm that you're human.</p>"),
        "challenge: perimeterx",
    ),
    "akamai denied": (
        (
            b"<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>\nYou don't have permission to access "
            b'"http&#58;&#47;&#47;shop&#46;example&#47;" on this server.<P>\nReference&#32;&#35;18&#46;2d\n</BODY>\n</HTML>\n'
        ),
        "challenge: akamai",
    ),
    "akamai behavioural": (_page("Challenge Validation", '<div id="sec-if-cpt-container"></div>'), "challenge: akamai"),
    "akamai refresh": (
        b'<html><head><meta http-equiv="refresh" content="5; URL=\'/?bm-verify=AAQ\'"/></head><body></body></html>',
        "challenge: akamai",
    ),
    "imperva frame": (
        (
            b'<html><body style="margin:0px"><iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&incident_id=7-8">'
            b"Request unsuccessful. Incapsula incident ID: 7-8</iframe></body></html>"
        ),
        "challenge: imperva",
    ),
    "imperva interruption": (
        _page(
            "Pardon Our Interruption",
            "<p>As you were browsing something about your browser made us think you were a bot.</p>",
        ),
        "challenge: imperva",
    ),
    "aws waf": (
        _page("", '<div id="challenge-container"></div><script>window.gokuProps = {};AwsWafIntegration.getToken()</script>'),
        "challenge: aws waf",
    ),
    "sucuri": (
        b"<html><title>You are being redirected...</title><script>sucuri_cloudproxy_js='';</script></html>",
        "challenge: sucuri",
    ),
    "ddos-guard": (_page("DDoS-Guard", "<p>Checking your browser before accessing shop.example</p>"), "challenge: ddos-guard"),
    "anubis": (
        _page(
            "Making sure you&#39;re not a bot!",
            '<script id="anubis_challenge" type="application/json">{}</script><p>Loading...</p>',
        ),
        "challenge: anubis",
    ),
    "vercel": (_page("Vercel Security Checkpoint", "<p>We're verifying your browser</p>"), "challenge: vercel"),
    "kasada": (
        b'<html><body><script>window.KPSDK={};</script><script src="/a/b/ips.js?x=1"></script></body></html>',
        "challenge: kasada",
    ),
    "f5": (
        _page(
            "Request Rejected", "The requested URL was rejected. Please consult with your administrator. Your support ID is: 1"
        ),
        "challenge: f5",
    ),
    "siteground": (
        b'<html><head><meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F"></meta></head></html>',
        "challenge: siteground",
    ),
    "amazon": (
        _page("Amazon.com", '<form action="/errors/validateCaptcha"><p>Type the characters you see in this image</p></form>'),
        "captcha: amazon",
    ),
    "google": (
        _page("https://www.google.com/search", "<p>Our systems have detected unusual traffic from your computer network.</p>"),
        "captcha: google",
    ),
    "recaptcha alone": (
        _page("shop.example", '<p>Please verify you are human</p><div class="g-recaptcha"></div>'),
        "captcha: recaptcha",
    ),
    "hcaptcha alone": (
        _page("One more step", '<p>Please complete the security check to access</p><div class="h-captcha"></div>'),
        "captcha: hcaptcha",
    ),
    "words alone": (_page("shop.example", "<p>Checking your browser before you proceed.</p>"), "challenge: unknown"),
    "google consent": (
        _page(
            "Before you continue to Google Search",
            '<form action="https://consent.google.com/save">'
            + "<p>We use cookies and data to deliver services.</p>" * 20
            + "</form>",
            head="<script>" + "var filler = 1;" * 4_000 + "</script>",
        ),
        "consent: google",
    ),
    "consent alone": (
        _page("News", "<h1>We value your privacy</h1><p>Please accept cookies to continue.</p><button>Accept</button>"),
        "consent: unknown",
    ),
}


@pytest.mark.parametrize("name", WALLS)
def test_a_wall_is_recognised_whatever_its_status(name: str) -> None:
    body, expected = WALLS[name]
    assert [block_page(status, HTML, body) for status in (200, 403, 429, 503)] == [expected] * 4


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"cf-mitigated": "challenge"}, "challenge: cloudflare"),
        ({"x-amzn-waf-action": "captcha"}, "challenge: aws waf"),
        ({"x-vercel-mitigated": "challenge"}, "challenge: vercel"),
        ({"sg-captcha": "challenge"}, "challenge: siteground"),
        ({"server": "cloudflare", "cf-ray": "1", "cf-cache-status": "HIT"}, None),
        ({"x-datadome": "protected", "server": "DataDome"}, None),
        ({"x-iinfo": "1", "x-cdn": "Imperva"}, None),
        ({"set-cookie": "__cf_bm=1, _abck=2, datadome=3, incap_ses=4"}, None),
    ],
)
def test_some_headers_tell_and_those_of_ordinary_answers_do_not(headers: dict[str, str], expected: str | None) -> None:
    assert block_page(200, HTML | headers, _page("Home", ARTICLE)) == expected


ORDINARY = {
    "a short page with a cookie banner": _page(
        "Opening hours",
        '<h1>Opening hours</h1><p>Mon-Fri 9-17</p><div class="cookie-banner">Cookies. <b>Accept and continue</b></div>',
    ),
    "a short page that speaks of robots": _page("Robots", "<h1>Are you a robot fan?</h1><p>Are you a robot? Buy one.</p>"),
    "a page that loads a vendor's script": _page(
        "Bank", "<h1>Bank</h1><p>Open an account.</p>", '<script src="/_Incapsula_Resource?SWJIYLWA=719d34d3"></script>'
    ),
    "an article": _page("Budget agreed", ARTICLE),
    "an article about captchas": _page("CAPTCHA", "<p>Sites ask you to verify you are human. I'm not a robot!</p>" + ARTICLE),
    "an article with a wall's title": _page("Just a moment...", ARTICLE),
    "an article about cloudflare's challenge": _page(
        "Attention Required! | Cloudflare: what it means", "<code>window._cf_chl_opt cf-browser-verification</code>" + ARTICLE
    ),
    "a short post that quotes a mark": _page(
        "errors.edgesuite.net?",
        "<p>I get errors.edgesuite.net and _cf_chl_opt in my logs. What is it?</p>" + "<p>More words here.</p>" * 60,
    ),
    "a contact form with recaptcha": _page("Contact", f"<h1>Write to us</h1>{CONTACT}"),
    "a contact form that says so": _page("Contact", f"<p>Please verify you are human.</p>{CONTACT}"),
    "a sign-in page with turnstile": _page("Sign in", '<input type="password"><div class="cf-turnstile"></div>'),
    "a page with a cookie banner": _page("Shop", ARTICLE + "<div>We use cookies. <button>Accept and continue</button></div>"),
    "a page with javascript detections": _page(
        "Shop", ARTICLE + "<script>window.__CF$cv$params={};/cdn-cgi/challenge-platform/</script>"
    ),
    "a page with datadome's script": _page("Shop", ARTICLE + "<script src='https://js.datadome.co/tags.js'></script>"),
    "a page with perimeterx": _page("Shop", ARTICLE + "<script>window._pxAppId='PX1'</script>"),
    "a page with imperva's script": _page("Shop", "<p>Hi</p><script src='/_Incapsula_Resource?SWJIYLWA=7'></script>"),
    "an application shell": _page(
        "App", "<noscript>You need to enable JavaScript to run this app.</noscript><div id='root'></div>"
    ),
    "a tiny page": b"<p>Price: 10 EUR</p>",
    "a page of security checks": _page("Security checks at the airport", ARTICLE),
    "an empty body": b"",
}


@pytest.mark.parametrize("name", ORDINARY)
def test_an_ordinary_page_is_no_wall(name: str) -> None:
    assert block_page(200, HTML, ORDINARY[name]) is None


def test_only_pages_are_walls() -> None:
    body, expected = WALLS["cloudflare managed challenge"]
    assert block_page(200, {"content-type": "application/json"}, body) is None
    assert block_page(200, {}, body) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://consent.google.com/ml?continue=x", "consent: google"),
        ("https://consent.youtube.com/m?x", "consent: google"),
        ("https://guce.yahoo.com/consent?x", "consent: yahoo"),
        ("https://consent.yahoo.com/v2/collectConsent", "consent: yahoo"),
        ("https://www.google.com/sorry/index?continue=x", "captcha: google"),
        ("https://www.google.com/search?q=sorry", None),
        ("https://example.com/consent.google.com/", None),
    ],
)
def test_some_addresses_are_walls_by_themselves(url: str, expected: str | None) -> None:
    assert block_page_at(url) == expected


@given(st.binary(max_size=600), st.sampled_from([200, 403, 503]))
def test_no_body_is_too_strange(body: bytes, status: int) -> None:
    found = block_page(status, {}, body)
    assert found is None or ": " in found


@pytest.mark.parametrize("nasty", [b"<script", b"<!--", b"<", b"<title>just a moment...", b"<svg><script>", b"&nbsp;"])
def test_a_hostile_page_is_read_in_linear_time(nasty: bytes) -> None:
    assert is_in_proportion(
        lambda size: block_page(200, HTML, b"<title>Just a moment...</title>" + nasty * (size // len(nasty))), 110_000
    )


@pytest.mark.parametrize(
    ("url", "note"),
    [
        ("https://www.example.com/a/", None),
        ("https://example.com/b?x=1", "redirects to /b"),
        ("https://example.com/a?page=2", "redirects to /a"),
        ("https://shop.example.com/a", "redirects to shop.example.com/a"),
    ],
)
def test_a_redirect_is_named_unless_it_is_the_same_page(url: str, note: str | None) -> None:
    assert redirect_note(url, "http://example.com/a") == note
