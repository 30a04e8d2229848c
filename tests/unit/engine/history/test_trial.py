"""Conditions tried on changes that happened: sent or not, and why."""

from __future__ import annotations

import msgspec
from tests.messages import change, price, reported, uid

from driftline.engine.history.trial import Trial, tried
from driftline.model.delivery import Judgement, OwnedCondition


def test_each_change_is_sent_or_held_back_with_its_reason() -> None:
    cheap, dear = price(1, before="100", now="70"), price(2, before="100", now="90")
    report = msgspec.structs.replace(reported(cheap, dear), conditions=(OwnedCondition("", "price < 80"),))
    rows = tried(report)
    assert [(row.change, row.notify, row.type) for row in rows] == [
        (cheap.id, True, "price_decrease"),
        (dear.id, False, "price_decrease"),
    ]
    assert rows[0].reason.startswith("price")
    assert "was false" in rows[1].reason
    assert Trial(rows=tuple(rows)).notified == 1
    assert [row.change for row in tried(report, stored=False)] == [None, None]


def test_without_a_condition_everything_is_sent_but_what_is_muted() -> None:
    muted = change(2, flags={"muted": "less than 5%"})
    rows = tried(reported(change(1), muted))
    assert [(row.notify, row.reason) for row in rows] == [(True, "there is no condition"), (False, "less than 5%")]


def test_what_the_intent_decided_is_the_reason() -> None:
    judged = {
        change(1).id: Judgement(notify=True, reason="it is about refunds"),
        change(2).id: Judgement(notify=False, reason="it is about colours"),
    }
    rows = tried(msgspec.structs.replace(reported(change(1), change(2)), judgements=judged))
    assert [row.notify for row in rows] == [True, False]
    assert rows[0].reason == "it is about refunds"
    assert "it is about colours" in rows[1].reason
    assert rows[0].change == uid(101)
