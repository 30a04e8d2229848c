"""What is refused when an account is saved."""

from __future__ import annotations

import pytest
from tests.messages import AT, uid

from driftline.deliver.account_input import draft_channel, draft_filter, draft_user, mail_address
from driftline.errors import BadRule, BadSchedule, BadUrl, UsageError
from driftline.fetch.egress import Egress
from driftline.fetch.post import refused_literal
from driftline.model.delivery import ChannelOptions

GUARD = Egress()


def refused(url: str) -> str | None:
    return refused_literal(GUARD, url)


@pytest.mark.parametrize(
    "address",
    [
        "reader",
        "@example.org",
        "reader@",
        "reader@exa mple.org",
        "reader@example.org\r\nBcc: other@example.org",
        "reader@example.org, other@example.org",
        "Reader <reader@example.org>",
        "reader\n@example.org",
        "reader..b@example.org",
        ".reader@example.org",
        '"a b"@example.org',
        "reader@-example.org",
        "reader@example.org\x00",
        "a" * 65 + "@example.org",
    ],
)
def test_what_is_not_one_bare_address_is_refused(address: str) -> None:
    with pytest.raises(BadRule):
        draft_channel("email", address, refused_literal=refused)


def test_addresses_are_kept_as_written_with_a_lower_case_host() -> None:
    assert mail_address(" Reader.B+x@EXAMPLE.org ") == "Reader.B+x@example.org"
    assert mail_address("reader@bücher.example") == "reader@xn--bcher-kva.example"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://10.1.2.3:8080/hook",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://169.254.169.254/latest/",
        "http://①②⑦.0.0.1/",
        "http://0/",
        "http://192.168.0.1/",
    ],
)
def test_a_private_webhook_address_is_refused_on_save(url: str) -> None:
    with pytest.raises(BadUrl):
        draft_channel("webhook", url, refused_literal=refused)


@pytest.mark.parametrize(
    "url", ["ftp://example.org/", "file:///etc/passwd", "http://a:b@example.org/", "http://x\r\ny/", "nonsense"]
)
def test_a_webhook_is_http_and_nothing_else(url: str) -> None:
    with pytest.raises(BadUrl):
        draft_channel("webhook", url, refused_literal=refused)


def test_an_allowed_private_address_is_kept() -> None:
    own = Egress(["127.0.0.1"])
    draft = draft_channel("webhook", "http://127.0.0.1:9/x", refused_literal=lambda url: refused_literal(own, url))
    assert draft.target == "http://127.0.0.1:9/x"


@pytest.mark.parametrize(
    "url",
    [
        "mailto://u:p@example.org",
        "json://127.0.0.1",
        "syslog://",
        "dbus://",
        "file://x",
        "slack",
        "slack://",
        "slack://a b/",
        "ntfy://x\r\ny",
    ],
)
def test_only_chats_that_speak_http_are_allowed(url: str) -> None:
    with pytest.raises(BadRule):
        draft_channel("apprise", url, refused_literal=refused)


@pytest.mark.parametrize(
    "headers",
    [
        {"X-A": "b\r\nc: d"},
        {"X A": "b"},
        {"X-A:": "b"},
        {"Host": "x"},
        {"webhook-id": "x"},
        {"Content-Length": "0"},
        {"X-A": "é"},
        {"": "x"},
    ],
)
def test_a_header_that_could_forge_a_request_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(BadRule):
        draft_channel("webhook", "https://example.org/", options=ChannelOptions(headers=headers), refused_literal=refused)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("email", ChannelOptions(subject="a\r\nBcc: other@example.org")),
        ("email", ChannelOptions(text="{{nobody}}")),
        ("email", ChannelOptions(body="{}")),
        ("email", ChannelOptions(headers={"X": "y"})),
        ("webhook", ChannelOptions(body="{{headline}}")),
        ("webhook", ChannelOptions(subject="x")),
    ],
)
def test_templates_are_checked_when_the_channel_is_saved(kind: str, options: ChannelOptions) -> None:
    target = {"email": "reader@example.org", "webhook": "https://example.org/"}[kind]
    with pytest.raises(BadRule):
        draft_channel(kind, target, options=options, refused_literal=refused)


@pytest.mark.parametrize("name", ["a\nb", "a\x00", " ", "x" * 121])
def test_a_name_stays_on_one_line(name: str) -> None:
    with pytest.raises(UsageError):
        draft_channel("email", "reader@example.org", name=name, refused_literal=refused)


@pytest.mark.parametrize(
    "values",
    [
        {"types": ["nonsense"]},
        {"min_severity": "urgent"},
        {"price_below": "-1"},
        {"price_below": "NaN"},
        {"cooldown_for": -1},
        {"quiet": [{"weekdays": [9], "starts": "22:00:00", "ends": "07:00:00"}]},
        {"colour": "red"},
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(values: dict[str, object]) -> None:
    with pytest.raises((BadRule, BadSchedule)):
        draft_filter(values)


@pytest.mark.parametrize("given", [{"timezone": "Mars/Base"}, {"role": "king"}, {"digest_hour": 24}, {"name": "a\r\nb"}])
def test_a_user_that_makes_no_sense_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        draft_user(uid(1), uid(2), "reader@example.org", at=AT, **given)  # type: ignore[arg-type] # one wrong value each
