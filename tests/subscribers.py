"""Subscribers: users, channels, subscriptions and reports for the tests of deliveries."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from driftline.deliver.channels.signing import new_secret
from driftline.engine.recording import ItemWrite, Recorded
from driftline.model.account import Features, Org, User
from driftline.model.delivery import (
    Channel,
    ChannelKind,
    ChannelOptions,
    Delivery,
    Filter,
    Message,
    OutboundBatch,
    Subscription,
)
from driftline.model.watch import Watch
from driftline.policy.digest import next_digest
from driftline.policy.fanout import Skip, decide
from driftline.policy.plans import plan
from driftline.store.queues.delivery_payloads import outbound_batches
from driftline.store.queues.delivery_queue import DeliveryQueue
from tests.contract.store.world import World

LEASE = timedelta(seconds=30)
TARGETS: dict[str, str] = {
    "email": "{}@example.org",
    "webhook": "https://hooks.example.org/{}",
    "apprise": "ntfy://ntfy.example.org/{}",
    "bus": "{}",
}


class Subscribers:
    """Accounts in a world's org; every name is taken once."""

    def __init__(self, world: World, *, features: Features | None = None) -> None:
        self.world = world
        self.store = world.store
        self.queue = DeliveryQueue(world.store.database)
        self.org: Org = world.org
        if features is not None:
            self.org = Org(id=world.id(), name="another", features=features)
            self.store.write_now(lambda s: s.add_org(self.org, at=world.now))

    @classmethod
    def on_plan(cls, world: World, name: str) -> Subscribers:
        return cls(world, features=plan(name))

    def user(self, name: str = "reader", **given: Any) -> User:
        at = self.world.now
        due_at = next_digest(hour=given.get("digest_hour", 8), timezone=given.get("timezone", "UTC"), after=at)
        user = User(
            id=self.world.id(),
            org_id=self.org.id,
            email=f"{name}@example.org",
            name=name.capitalize(),
            next_digest_at=due_at,
            created_at=at,
            **given,
        )
        return self.store.write_now(lambda s: s.org(self.org.id).users.add(user))

    def channel(
        self,
        user: User,
        name: str = "post",
        *,
        kind: ChannelKind = "webhook",
        target: str | None = None,
        default: bool = False,
        options: ChannelOptions | None = None,
    ) -> Channel:
        at = self.world.now
        channel = Channel(
            id=self.world.id(),
            org_id=self.org.id,
            user_id=user.id,
            kind=kind,
            name=name,
            target=target or TARGETS[kind].format(name),
            options=options or ChannelOptions(),
            secrets=(new_secret(bytes(range(32)), at=at),),
            is_default=default,
            created_at=at,
        )
        return self.store.write_now(lambda s: s.org(self.org.id).channels.add(channel))

    def subscribe(
        self, user: User, watch: Watch | None, *channels: Channel, wanted: Filter | None = None, **given: Any
    ) -> Subscription:
        subscription = Subscription(
            id=self.world.id(),
            org_id=self.org.id,
            user_id=user.id,
            watch_id=watch.id if watch else None,
            channel_ids=tuple(channel.id for channel in channels),
            filter=wanted or Filter(),
            created_at=self.world.now,
            **given,
        )
        return self.store.write_now(lambda s: s.org(self.org.id).subscriptions.add(subscription))

    def listener(self, watch: Watch | None, name: str = "reader", **given: Any) -> Channel:
        """A user with a default channel who subscribed."""
        user = self.user(name, **given)
        channel = self.channel(user, f"{name}-post")
        self.subscribe(user, watch)
        return channel

    def watch(self, name: str = "a page", **given: Any) -> Watch:
        return self.world.add(self.world.draft(name, **given), org=self.org)[0]

    async def report(self, watch: Watch, *items: ItemWrite, kind: str = "content", count: int = 1, **given: Any) -> UUID | None:
        """A run of the watch that tells of these items, or of none in particular; gives the report's id."""
        world = self.world
        claim = await world.claim(watch)
        reported = [world.change(item, kind=kind) for item in items] or [
            world.change(kind=kind, dedupe_key=f"{world.now}-{number}") for number in range(count)
        ]
        reported = [msgspec.structs.replace(one, finding=msgspec.structs.replace(one.finding, **given)) for one in reported]
        result = await self.store.record(world.recording(claim, items=items, changes=reported))
        assert isinstance(result, Recorded)
        world.later()
        return result.report_id

    def deliveries(self) -> list[Delivery]:
        return list(self.store.read_now(lambda s: s.org(self.org.id).deliveries.page(limit=10_000)).rows)

    def outgoing(self, *, at: datetime) -> dict[UUID, list[Message | Skip]]:
        """What each channel is sent, or why it is sent nothing, in the order of the reports."""
        ids = [delivery.id for delivery in self.deliveries()]
        found: dict[UUID, list[Message | Skip]] = {}
        for batch in self.store.read_now(lambda session: outbound_batches(session.tx, ids, at=at)):
            for part in decide(batch, at=at):
                channel, user = batch.channel, batch.user
                found.setdefault(channel.id, []).append(
                    part
                    if isinstance(part, Skip)
                    else Message(id=batch.id, channel=channel, user=user, sections=(part,), written_at=at)
                )
        return found

    async def claim(
        self, limit: int = 100, *, owner: str = "sender", busy: frozenset[str] = frozenset()
    ) -> list[OutboundBatch]:
        at = self.world.now
        claimed = await self.queue.claim(limit, owner=owner, busy=busy, at=at, until_at=at + LEASE)
        return list(await self.queue.outbound_batches(claimed, at=at))
