"""Messages as the tests of their forms want them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from driftline.deliver.channels.signing import new_secret
from driftline.model.account import User
from driftline.model.change import Change
from driftline.model.delivery import Channel, ChannelKind, ChannelOptions, Message, Reported, Section

AT = datetime(2026, 11, 15, 20, 28, tzinfo=UTC)


def uid(number: int) -> UUID:
    return UUID(int=(0x0190 << 112) | (7 << 76) | (2 << 62) | number)


def change(number: int = 1, **given: Any) -> Change:
    fields: dict[str, Any] = {
        "type": "content",
        "severity": "medium",
        "headline": f"Paragraph {number} edited",
        "url": f"https://example.org/p/{number}",
        "before": None,
        "after": None,
        "diff": None,
    }
    return Change(
        id=uid(100 + number),
        org_id=uid(1),
        watch_id=uid(2),
        run_id=uid(3),
        report_id=uid(4),
        item_id=uid(500 + number),
        created_at=AT,
        **{**fields, **given},
    )


def price(number: int = 1, *, before: str = "79999", now: str = "74999", currency: str = "INR", **given: Any) -> Change:
    return change(
        number,
        type="price_decrease",
        severity="high",
        headline=given.pop("headline", f"Kettle {number}: price fell from {before} to {now} {currency}"),
        before={"price": before, "currency": currency},
        after={"price": now, "currency": currency},
        **given,
    )


def reported(*changes: Change, name: str = "Example shop", url: str = "https://example.org/", number: int = 4) -> Reported:
    return Reported(
        id=uid(number),
        run_id=uid(3),
        watch_id=uid(2 if number == 4 else 1000 + number),
        parent_id=None,
        watch_name=name,
        watch_url=url,
        watch_kind="page",
        changes=changes,
        created_at=AT,
    )


def channel(kind: ChannelKind = "email", target: str = "reader@example.org", **given: Any) -> Channel:
    return Channel(
        id=uid(7),
        org_id=uid(1),
        user_id=uid(8),
        kind=kind,
        name="post",
        target=target,
        options=ChannelOptions(**given),
        secrets=(new_secret(bytes(range(32)), at=AT),),
        is_default=True,
        created_at=AT,
    )


def user(**given: Any) -> User:
    fields: dict[str, Any] = {"email": "reader@example.org", "name": "Reader", "timezone": "Europe/Berlin"}
    return User(id=uid(8), org_id=uid(1), next_digest_at=AT, created_at=AT, **{**fields, **given})


def message(*reports: Reported, to: Channel | None = None, **given: Any) -> Message:
    sections = tuple(
        Section(delivery_id=uid(9000 + number), report=report, changes=report.changes) for number, report in enumerate(reports)
    )
    return Message(
        id=uid(9), channel=to or channel(), user=given.pop("of", None) or user(), sections=sections, written_at=AT, **given
    )
