"""Secrets taken out of what is logged."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from driftline.core.text.safety.redaction import redact

TOKEN = "dl_Ab-9_secretsecretsecret"
ENCODED = "".join(f"%{ord(letter):02x}" for letter in TOKEN)
FEED = f"/api/v1/feeds/{TOKEN}/changes.atom"


@pytest.mark.parametrize(
    "text",
    [
        FEED,
        FEED.upper(),
        FEED.replace("/", "//"),
        f"/feeds/{TOKEN}",
        f"/api/v1/feeds/{ENCODED}/changes.atom",
        f"/api/v1/feeds/{quote(ENCODED)}/changes.atom",
        quote(FEED, safe=""),
        quote(quote(quote(FEED, safe=""), safe="")),
        FEED.replace("feeds", "f%65eds"),
        FEED.replace("dl_", "other"),
        f"/changes.atom?token={TOKEN}",
        "/changes.atom?token=" + TOKEN.removeprefix("dl_"),
        f"/sign-in?x=1&LINK={TOKEN.removeprefix('dl_')}",
        f"/api/v1/changes?%74oken={ENCODED}",
        f"/unsubscribe/0f0f/{TOKEN[3:]}",
        f"//Unsubscribe//0f0f//{TOKEN[3:]}?x",
        f"amqp://me:{TOKEN[3:]}@broker/",
        f"KeyError: b'Bearer {TOKEN}'",
        FEED.replace(TOKEN, "%25" * 200 + TOKEN),
    ],
)
def test_no_spelling_of_a_secret_is_left(text: str) -> None:
    shown = redact(text).lower()
    assert "secretsecret" not in shown
    assert ENCODED not in shown


@pytest.mark.parametrize(
    "text",
    [
        "/api/v1/watches/0f0f?limit=10",
        "https://example.org/feeds/news.xml?page=2&a=%20b%2Fc",
        "100% of it: %d",
        "idl_interfaces",
        "unsubscribe",
    ],
)
def test_what_is_no_secret_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


def test_what_is_encoded_without_end_is_not_shown() -> None:
    text = "dl_secret"
    for _ in range(20):
        text = quote(text + "%", safe="")
    assert redact(text) == "..."
