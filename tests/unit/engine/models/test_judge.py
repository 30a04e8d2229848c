"""What a model is asked about a change, and what becomes of its answer."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import pytest
from tests.messages import change

from driftline.engine.jobs.summaries import NotWritten
from driftline.engine.models import prompts
from driftline.engine.models.client import ModelClient
from driftline.engine.models.judge import CHANGES_AT_MOST, ChangeJudge
from driftline.model.delivery import Judgement

YES, NO = '{"notify": true, "reason": "the price fell"}', '{"notify": false, "reason": "only a typo"}'


class Client:
    """Answers what it is asked about intents with one text, and about summaries with another."""

    def __init__(self, judged: str | NotWritten, summary: str | NotWritten = "It is cheaper now.") -> None:
        self.judged, self.summary = judged, summary
        self.asked: list[str] = []
        self.stored: dict[UUID, Judgement] = {}
        self.grace_for = 30.0
        self.clock = SimpleNamespace(now=lambda: datetime(2026, 5, 4, tzinfo=UTC))
        self.store = SimpleNamespace(judged=self._keep)

    async def ask(self, _org: UUID, prompt: str, _text: str, _cost: object) -> str | NotWritten:
        about = "summary" if prompt == prompts.SUMMARY.format(language=prompts.PAGES_OWN) else "intent"
        self.asked.append(about)
        return self.summary if about == "summary" else self.judged

    async def _keep(self, _org: UUID, number: UUID, judgement: Judgement, **_: Any) -> None:
        self.stored[number] = judgement


async def judged(client: Client, intent: str = "only prices", *, summaries: bool = True) -> Judgement:
    one = change()
    found = await ChangeJudge(cast("ModelClient", client), summaries=summaries).judge([one], intent)
    return found[one.id]


async def test_a_change_that_is_wanted_is_summarized() -> None:
    client = Client(YES)
    assert await judged(client) == Judgement(reason="the price fell", summary="It is cheaper now.")
    assert client.asked == ["intent", "summary"]
    assert list(client.stored.values()) == [Judgement(reason="the price fell", summary="It is cheaper now.")]


async def test_a_change_that_nobody_wants_costs_no_summary() -> None:
    client = Client(NO)
    assert await judged(client) == Judgement(notify=False, reason="only a typo")
    assert client.asked == ["intent"]


async def test_nothing_is_asked_that_nobody_asked_for() -> None:
    client = Client(YES)
    assert await judged(client, intent="", summaries=False) == Judgement()
    assert (client.asked, client.stored) == ([], {})
    assert await judged(client, intent="") == Judgement(summary="It is cheaper now.")
    assert client.asked == ["summary"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (NotWritten(reason="http 500"), "the model could not be asked: http 500"),
        ("I think so.", "the model's answer is not understood"),
        ('{"notify": null, "reason": ""}', "the model is unsure"),
    ],
)
async def test_without_a_clear_no_the_change_is_sent(answer: str | NotWritten, reason: str) -> None:
    assert await judged(Client(answer), summaries=False) == Judgement(reason=reason)


async def test_changes_beyond_the_limit_are_sent_unread() -> None:
    client = Client(NO)
    changes = [change(number) for number in range(1, CHANGES_AT_MOST + 2)]
    found = await ChangeJudge(cast("ModelClient", client), summaries=False).judge(changes, "only prices")
    assert [one.notify for one in found.values()].count(False) == CHANGES_AT_MOST
    assert found[changes[-1].id] == Judgement(reason="the model did not answer in time")
