"""Pages that scripts make, told from small pages that are what they are."""

from __future__ import annotations

import pytest

from driftline.core.answers.shells import is_shell

SCRIPT = '<script type="module" src="/assets/index.js"></script>'


def page(body: str, head: str = SCRIPT) -> str:
    return f"<!doctype html><html><head><title>App</title>{head}</head><body>{body}</body></html>"


@pytest.mark.parametrize(
    "source",
    [
        page("<noscript>You need to enable JavaScript to run this app.</noscript><div id='root'></div>"),
        page("<div id='app'>\n</div>"),
        page("<app-root>Loading...</app-root>"),
        page("<div class='wrap'><main id='__content'></main></div><footer><p>© 2026</p></footer>"),
        page("<img src='/splash.svg'><div id='root'></div>"),
        page("<div id='root'><span>Bitte warten Sie auf die Anwendung</span></div><noscript>JavaScript fehlt</noscript>"),
        page("<p>This site needs JavaScript. Please switch it on to go on.</p><div id='root'></div>"),
        page("", "<script>location.href = '/new'</script>"),
        page("<a href='/'>Products</a> <a href='/p'>Pricing</a><p>Redirecting</p>", f"<script>{'x();' * 20_000}</script>"),
    ],
    ids=["react", "vue", "angular", "nested root", "splash", "loading", "asks in its text", "script redirect", "heavy"],
)
def test_an_answer_that_says_nothing_until_its_scripts_ran_is_a_shell(source: str) -> None:
    assert is_shell(source)


@pytest.mark.parametrize(
    "source",
    [
        page("<h1>It works!</h1>"),
        page("<p>We have no open positions at the moment.</p><div id='toast'></div>"),
        page("<p>Status: all systems are up</p><noscript>Enable JavaScript for live updates</noscript>"),
        page("<noscript><img src='/pixel.gif'></noscript><h1>Closed today</h1>"),
        page("<div id='root'></div>" + "<p>A paragraph that says what the page is about.</p>" * 8),
        page("<form><label>Postcode <input name='code'></label></form><div id='result'></div>"),
        page("<img src='/webcam.jpg'>"),
        page("<div id='root'></div>", ""),
        page("", ""),
        page("<div id='root'></div>", '<script type="application/ld+json">{"name": "x"}</script>'),
        "",
    ],
    ids=["tiny", "toast", "live updates", "pixel", "text", "form", "webcam", "no scripts", "empty", "data only", "nothing"],
)
def test_a_small_page_that_says_what_it_has_to_say_is_no_shell(source: str) -> None:
    assert not is_shell(source)
