"""What servers send instead of a page with status 200 is a failure, and never looks like removed content."""

from __future__ import annotations

import pytest
from tests.unit.kinds.page.test_kind import hint_of, read

_MENU = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in ("home", "news", "shop", "help", "about"))
_TEXT = "".join(f"<p>Paragraph {number} of a page that says something of its own.</p>" for number in range(20))


def _page(title: str, text: str = _TEXT) -> str:
    return f"<html><head><title>{title}</title></head><body><ul>{_MENU}</ul><h1>{title}</h1>{text}</body></html>"


PAGE = _page("Opening hours | City pool")


@pytest.mark.parametrize(
    "title",
    [
        "Page not found | City pool",
        "404 - City pool",
        "City pool: Error 404",
        "404 Not Found",
        "Sorry, this page could not be found",
        "Seite nicht gefunden – Stadtbad",
        "Page introuvable | Piscine",
        "Página no encontrada - Piscina",
        "Страница не найдена | Бассейн",
        "ページが見つかりません | プール",
    ],
)
def test_a_page_that_says_it_is_not_there_is_an_error(title: str) -> None:
    reading = read(_page(title, "<p>Nothing is here.</p>"), hint=hint_of(PAGE))
    assert (reading.outcome, reading.complete) == ("error", False)
    assert "no such page" in (reading.reason or "")


@pytest.mark.parametrize(
    "title", ["503 Service Unavailable", "City pool - Under maintenance", "Wartungsarbeiten", "Server error"]
)
def test_a_site_that_says_it_is_down_is_an_error(title: str) -> None:
    assert read(_page(title, "<p>Back soon.</p>"), hint=hint_of(PAGE)).outcome == "error"


@pytest.mark.parametrize("title", ["Sign in", "Log in to City pool", "Anmelden | Stadtbad", "Connexion - Piscine"])
def test_a_page_that_asks_to_sign_in_first_blocks(title: str) -> None:
    form = '<form><input name="user"><input type="password" name="p"><button>Go</button></form>'
    assert read(_page(title, form), hint=hint_of(PAGE)).outcome == "blocked"


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Page not found: the art of the error page | City pool", _TEXT),  # an article
        ("Under maintenance | City pool", _TEXT),  # as long as before
        ("Sign in", "<p>Nothing to type in.</p>"),
        ("Opening hours | City pool", "<p>Closed.</p>"),
    ],
)
def test_what_only_sounds_like_it_is_read(title: str, text: str) -> None:
    assert read(_page(title, text), hint=hint_of(PAGE)).outcome is None


def test_a_page_that_was_a_notice_from_the_start_is_watched_as_it_is() -> None:
    first = _page("404 Not Found", "<p>Nothing is here.</p>")
    assert read(_page("404 Not Found", "<p>Nothing is here yet.</p>"), hint=hint_of(first)).outcome is None
