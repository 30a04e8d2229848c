"""Why a message was not delivered, in words that say what to do."""

from __future__ import annotations

import pytest

from driftline.core.answers.undelivered_text import undelivered_text


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("http 404", "The receiver answered with an error (404). Check the address of the channel"),
        ("http 503", "The receiver answered with an error (503)"),
        ("http 302: redirects are not followed", "The receiver redirects (302). Use the address that it redirects to"),
        ("recipient refused: 550", "The mail server refused the address: 550. Check the address of the channel"),
        (
            "address refused: 10.0.0.1",
            "10.0.0.1 is a private address. To allow it, start driftline with DRIFTLINE_ALLOW_HOSTS=10.0.0.1",
        ),
        ("reverted", "It changed back within 24 hours"),
        ("quiet hours", "Quiet hours"),
    ],
)  # fmt: skip
def test_each_reason_is_a_sentence(reason: str, said: str) -> None:
    assert undelivered_text(reason).sentence == said
