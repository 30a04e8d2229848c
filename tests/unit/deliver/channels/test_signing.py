"""Signatures, checked by an independent implementation of the convention."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError, webhooks

from driftline.deliver.channels import signing
from driftline.model.delivery import Secret

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class Standing(datetime):
    """A clock that stands at NOW."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]  # the plain type, as it is compared
        return NOW.astimezone(tz)


@pytest.fixture(autouse=True, scope="module")
def clock() -> Iterator[None]:
    """The other implementation reads the real clock; here it reads ours."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(webhooks, "datetime", Standing)
        yield


def secret(number: int = 0, *, at: datetime = NOW) -> Secret:
    return signing.new_secret(bytes([number]) * 32, at=at)


@given(st.text(st.characters(codec="utf-8")), st.binary(min_size=32, max_size=32))
def test_signatures_verify_with_the_standard_webhooks_package(text: str, random: bytes) -> None:
    one = signing.new_secret(random, at=NOW)
    headers = signing.headers("msg", text.encode(), [one], at=NOW)
    assert Webhook(one.value).verify(text, headers, json_parse=False) is None  # and raises what does not verify


def test_a_changed_body_id_or_secret_does_not_verify() -> None:
    headers = signing.headers("msg", b"body", [secret()], at=NOW)
    for body, given_headers, key in (
        ("bodY", headers, secret()),
        ("body", headers | {"webhook-id": "other"}, secret()),
        ("body", headers, secret(1)),
    ):
        with pytest.raises(WebhookVerificationError):
            Webhook(key.value).verify(body, given_headers, json_parse=False)


def test_while_a_secret_is_rotated_both_verify_and_then_only_the_new_one() -> None:
    old, new = secret(1, at=NOW - timedelta(days=30)), secret(2)
    both = signing.rotate([old], new, at=NOW)
    headers = signing.headers("msg", b"{}", both, at=NOW)
    for key in (old, new):
        Webhook(key.value).verify("{}", headers)
    later = signing.headers("msg", b"{}", both, at=NOW + timedelta(seconds=signing.OVERLAP_FOR))
    assert len(later["webhook-signature"].split()) == 1
    third = signing.rotate(both, secret(3), at=NOW + timedelta(days=2))
    assert [one.value for one in third] == [secret(3).value, new.value]


def test_a_rotation_never_prolongs_a_secret() -> None:
    once = signing.rotate([secret(1)], secret(2), at=NOW)
    twice = signing.rotate(once, secret(3), at=NOW + timedelta(hours=12))
    assert twice[2].expires_at == once[1].expires_at


def test_a_link_proves_itself_and_no_other() -> None:
    secrets = (secret(1),)
    token = signing.token(secrets, "unsubscribe")
    assert signing.is_valid_token(secrets, "unsubscribe", token)
    assert not signing.is_valid_token(secrets, "other", token)
    assert not signing.is_valid_token((secret(2),), "unsubscribe", token)
    assert not signing.is_valid_token(secrets, "unsubscribe", "")
    assert not signing.is_valid_token((), "unsubscribe", signing.token((), "unsubscribe"))


def test_a_link_that_was_sent_before_a_rotation_still_proves_itself() -> None:
    sent = signing.token((secret(1),), "unsubscribe")
    rotated = signing.rotate((secret(1),), secret(2), at=NOW)
    assert signing.is_valid_token(rotated, "unsubscribe", sent)
