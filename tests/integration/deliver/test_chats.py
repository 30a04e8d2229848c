"""Chats: a child process that reaches nothing but the checking proxy."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
from tests.messages import change, channel, message, reported
from tests.scripted import Page, ScriptedSite, scripted_site

from driftline.deliver.channels.apprise import AppriseTransport, ChildInput
from driftline.fetch.egress import Egress
from driftline.fetch.proxy import CheckingProxy
from driftline.model.delivery import Sent, Undelivered


@pytest.fixture
def chat() -> Iterator[ScriptedSite]:
    with scripted_site() as site:
        site.show("/", Page(body=b"{}"))
        yield site


@pytest.fixture
async def proxy() -> AsyncIterator[CheckingProxy]:
    async with CheckingProxy(Egress(["127.0.0.1"])) as running:
        yield running


def transport(proxy: CheckingProxy, **given: float) -> AppriseTransport:
    async def url() -> str:
        return proxy.url

    return AppriseTransport(url, refused=lambda: proxy.refused, **given)  # type: ignore[arg-type] # timeout_for alone


def target(chat: ScriptedSite) -> str:
    return f"ntfy://{chat.url.removeprefix('http://')}/topic"


async def test_a_chat_gets_title_and_text_through_the_proxy(proxy: CheckingProxy, chat: ScriptedSite) -> None:
    reports = message(reported(change()), to=channel("apprise", target(chat)))
    assert await transport(proxy).deliver(reports) == Sent()
    assert len(chat.asked) == 1


async def test_what_the_guard_refuses_is_refused_for_chats_too(chat: ScriptedSite) -> None:
    async with CheckingProxy(Egress()) as guarded:
        outcome = await transport(guarded).deliver(message(reported(change()), to=channel("apprise", target(chat))))
    assert outcome == Undelivered(reason="address is private; DRIFTLINE_ALLOW_HOSTS may allow it", endpoint_down=True)
    assert chat.asked == []


async def test_a_chat_that_fails_is_tried_again(proxy: CheckingProxy, chat: ScriptedSite) -> None:
    chat.show("/", Page(status=500))
    outcome = await transport(proxy).deliver(message(reported(change()), to=channel("apprise", target(chat))))
    assert isinstance(outcome, Undelivered)
    assert not outcome.final


async def test_a_child_that_does_not_end_is_ended(proxy: CheckingProxy, chat: ScriptedSite) -> None:
    chat.show("/", Page(ends="never"))
    reports = message(reported(change()), to=channel("apprise", target(chat)))
    outcome = await transport(proxy, timeout_for=3.0).deliver(reports)
    assert outcome == Undelivered(reason="timeout", endpoint_down=True)


async def test_a_scheme_that_is_not_allowed_never_starts_a_child(proxy: CheckingProxy) -> None:
    outcome = await transport(proxy).deliver(message(reported(change()), to=channel("apprise", "mailto://a:b@example.org")))
    assert outcome == Undelivered(reason="this chat service is not allowed", final=True)


async def test_nothing_in_the_child_connects_past_the_proxy(proxy: CheckingProxy, chat: ScriptedSite) -> None:
    """The transport's own check is left aside: a service with sockets of its own meets the audit hook."""
    host = chat.url.removeprefix("http://")
    verdict = await transport(proxy)._run(ChildInput(url=f"mailto://a:b@{host}?smtp={host}", title="t", body="b"), proxy.url)
    assert not verdict.sent
    assert chat.asked == []
