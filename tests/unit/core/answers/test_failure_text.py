"""Reasons in plain sentences, from one table."""

from __future__ import annotations

import pytest

from driftline.core.answers.failure_text import failure_text


@pytest.mark.parametrize(
    ("outcome", "reason", "said"),
    [
        ("error", "http 404", "Page not found (404)"),
        ("error", "http 500", "The site has an error (500)"),
        ("error", "http 418", "The site refuses the page (418)"),
        ("blocked", "consent: unknown", "Blocked by a cookie banner"),
        ("blocked", "challenge: cloudflare", "Blocked by a robot check (cloudflare)"),
        ("blocked", "challenge: unknown", "Blocked by a robot check"),
        ("blocked", "sign in: redirects to /login", "Redirects to /login: this looks like a sign-in page"),
        ("error", "address refused: 10.0.0.1", "10.0.0.1 is a private address"),
        ("selector_missing", "nothing matches #a {b}", "Nothing on the page matches #a {b}"),
        ("error", "answers with a picture (PNG) instead of a page", "Answers with a picture (PNG) instead of a page"),
        ("error", "https://a.example/s.xml: http 404", "Page not found (404) (https://a.example/s.xml)"),
        ("error", None, "The page cannot be read"),
        (None, None, "The check failed"),
    ],
)
def test_a_reason_is_said_in_plain_words(outcome: str | None, reason: str | None, said: str) -> None:
    assert failure_text(outcome, reason).what == said


def test_where_something_can_be_done_the_sentence_says_what() -> None:
    assert failure_text("error", "http 404").sentence == "Page not found (404). Check the address"
    assert failure_text("error", "timeout").sentence == "The site did not answer in time"
