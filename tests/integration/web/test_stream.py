"""Changes as they come, to whoever listens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest
from tests.contract.store.conftest import emptied
from tests.offices import Tenant

from driftline.engine.drafting import Wish
from driftline.errors import Refused
from driftline.model.account import Org
from driftline.model.change import Change
from driftline.settings import Settings
from driftline.web import events as module
from driftline.web.app import create_app
from driftline.web.events import Events
from driftline.wiring import App

SOON = 30.0  # seconds: far more than it takes, for a busy machine


class Room:
    """An org with a shop, and somebody who listens."""

    def __init__(self, app: App) -> None:
        self.tenant = Tenant(app, app.org)
        self.app = app
        self.events = Events(app.store, app.clock, look_every_for=0.05)
        self.watch_id = self._watch()
        self.price = 10

    def _watch(self) -> UUID:
        return self.app.add([self.app.draft(Wish(url="http://shop.example/", kind="catalog"))])[0].id

    async def change(self) -> str:
        """Something happens; its headline."""
        self.price += 1
        run_id = await asyncio.to_thread(self.tenant.push, self.watch_id, str(self.price))
        page = await self.app.store.read(lambda session: session.org(self.app.org.id).changes.page(run_id=run_id))
        return page.rows[0].headline

    def listen(self, org_id: UUID | None = None, after: UUID | None = None) -> AsyncIterator[Change | None]:
        return self.events.follow(org_id or self.app.org.id, after)


@pytest.fixture
async def room(shared_url: str) -> AsyncIterator[Room]:
    app = await asyncio.to_thread(App, Settings(db=shared_url))
    made = await asyncio.to_thread(Room, app)
    yield made
    await made.events.close()
    app.close()
    await asyncio.to_thread(emptied, shared_url)


async def heard(listener: AsyncIterator[Change | None]) -> Change:
    async def next_change() -> Change:
        async for change in listener:
            if change is not None:
                return change
        raise AssertionError("the stream ended")

    return await asyncio.wait_for(next_change(), SOON)


async def started(listener: AsyncIterator[Change | None]) -> asyncio.Task[Change]:
    """The listener waits; what happens from now on is heard."""
    assert await anext(listener) is None
    return asyncio.create_task(heard(listener))


async def test_listeners_hear_each_change_once_and_in_order(room: Room) -> None:
    await room.change()
    one, other = room.listen(), room.listen()
    first, also = await started(one), await started(other)
    told = [await room.change()]
    assert (await first).headline == (await also).headline == told[0]
    told += [await room.change(), await room.change()]
    assert [(await heard(one)).headline, (await heard(one)).headline] == told[1:]


async def test_another_org_hears_nothing(room: Room) -> None:
    org = Org(id=room.app.ids(), name="other")
    await room.app.store.write(lambda session: session.add_org(org, at=room.app.clock.now()))
    theirs, ours = await started(room.listen(org.id)), await started(room.listen())
    await room.change()
    await ours
    assert not theirs.done()
    theirs.cancel()


async def test_who_comes_back_hears_what_was_missed(room: Room) -> None:
    listener = room.listen()
    waiting = await started(listener)
    await room.change()
    last = await waiting
    await listener.aclose()  # type: ignore[attr-defined]  # follow is a generator
    missed = [await room.change(), await room.change()]
    back = room.listen(after=last.id)
    assert [(await heard(back)).headline, (await heard(back)).headline] == missed
    again = asyncio.create_task(heard(back))
    next_one = await room.change()
    assert (await again).headline == next_one


async def test_a_stream_ends_with_the_token_that_opened_it(room: Room) -> None:
    token = await asyncio.to_thread(room.tenant.token_for, room.tenant.owner)
    web = create_app(room.app, pages=False)
    scope: Any = {
        "type": "http", "method": "GET", "path": "/api/v1/changes/stream", "query_string": b"", "root_path": "",
        "headers": [(b"host", b"127.0.0.1"), (b"authorization", b"Bearer " + token.encode())],
    }  # fmt: skip
    told: asyncio.Queue[Any] = asyncio.Queue()

    async def receive() -> Any:
        await asyncio.Event().wait()

    streaming = asyncio.create_task(web(scope, receive, told.put))
    try:
        async with asyncio.timeout(SOON):
            while b"still here" not in (await told.get()).get("body", b""):
                pass
            first = await room.change()
            while first.encode() not in (await told.get()).get("body", b""):
                pass
            await asyncio.to_thread(room.app.write, lambda data: [data.tokens.remove(one.id) for one in data.tokens.all()])
            second = await room.change()
            rest = [await told.get()]
            while rest[-1].get("more_body"):
                rest.append(await told.get())
        assert second.encode() not in b"".join(message["body"] for message in rest)
    finally:
        streaming.cancel()
        await web.state.events.close()


async def test_too_many_listeners_are_refused(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LISTENERS_AT_MOST", 1)
    waiting = await started(room.listen())
    with pytest.raises(Refused):
        await heard(room.listen())
    waiting.cancel()


async def test_closing_lets_everybody_go(room: Room) -> None:
    waiting = await started(room.listen())
    await room.events.close()
    with pytest.raises(AssertionError, match="the stream ended"):
        await waiting
