"""Changes as they come, to whoever listens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.contract.store.conftest import emptied
from tests.web_server import Tenant

from driftline.engine.editing.watch_input import WatchInput
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
        self.events = Events(app.store, app.clock, poll_every_for=0.05)
        self.watch_id = self._watch()
        self.price = 10

    def _watch(self) -> UUID:
        return self.app.add([self.app.draft(WatchInput(url="http://shop.example/", kind="catalog"))])[0].id

    async def change(self) -> str:
        """Something happens; its headline."""
        self.price += 1
        run_id = await asyncio.to_thread(self.tenant.push, self.watch_id, str(self.price))
        page = await self.app.store.read(lambda session: session.org(self.app.org.id).changes.page(run_id=run_id))
        return page.rows[0].headline

    def listen(self, org_id: UUID | None = None, after: UUID | None = None) -> AsyncIterator[Change | None]:
        return self.events.follow(self.events.join(org_id or self.app.org.id), after)


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
    reported = [await room.change()]
    assert (await first).headline == (await also).headline == reported[0]
    reported += [await room.change(), await room.change()]
    assert [(await heard(one)).headline, (await heard(one)).headline] == reported[1:]


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


async def test_who_comes_back_in_the_midst_of_a_run_hears_the_rest_of_it(room: Room) -> None:
    rows = [
        {"url": f"http://shop.example/{name}", "title": name, "price": "5", "currency": "EUR", "in_stock": True}
        for name in "abc"
    ]
    run = await asyncio.to_thread(room.app.ingest, room.watch_id, [msgspec.json.encode(rows)])
    page = await room.app.store.read(lambda session: session.org(room.app.org.id).changes.page(run_id=run.run_id))
    first, *others = reversed(page.rows)
    assert len(others) == 2
    assert {change.created_at for change in others} == {first.created_at}  # only their ids tell them apart
    back = room.listen(after=first.id)
    assert [(await heard(back)).id, (await heard(back)).id] == [change.id for change in others]


async def test_what_was_missed_and_waits_in_the_queue_as_well_is_heard_once(room: Room) -> None:
    other = room.listen()
    waiting = await started(other)
    await room.change()
    last = await waiting
    late = room.events.join(room.app.org.id)  # has a place, and does not follow yet
    missed = await room.change()
    assert (await heard(other)).headline == missed  # so it is in the queue of both
    following = room.events.follow(late, last.id)
    assert (await heard(following)).headline == missed
    again = asyncio.create_task(heard(following))
    following_one = await room.change()
    assert (await again).headline == following_one


class Connection:
    """A stream as a server carries it; it may stop taking, and go away."""

    def __init__(self, web: Any, token: str) -> None:
        self.reported: asyncio.Queue[Any] = asyncio.Queue()
        self.stuck = asyncio.Event()
        self._jammed = False
        self._gone = asyncio.Event()
        scope: Any = {
            "type": "http", "method": "GET", "path": "/api/v1/changes/stream", "query_string": b"", "root_path": "",
            "headers": [(b"host", b"127.0.0.1"), (b"authorization", b"Bearer " + token.encode())],
        }  # fmt: skip
        self.answering = asyncio.create_task(web(scope, self._receive, self._send))

    async def heard(self, text: str) -> bytes:
        """Everything until the text, or until the end."""
        body = b""
        async with asyncio.timeout(SOON):
            while text.encode() not in body:
                message = await self.reported.get()
                body += message.get("body", b"")
                if message.get("more_body") is False:
                    break
        return body

    def jam(self) -> None:
        """Take nothing any more."""
        self._jammed = True

    async def hang_up(self) -> None:
        self._gone.set()
        await asyncio.wait([self.answering], timeout=SOON)

    async def _receive(self) -> Any:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if self._jammed:
            self.stuck.set()
            await asyncio.Event().wait()
        await self.reported.put(message)
        if message.get("more_body") is False:
            self._gone.set()  # as servers say it after the last byte


@pytest.fixture
async def web(room: Room) -> AsyncIterator[Any]:
    web = create_app(room.app, pages=False)
    yield web
    await web.state.events.close()


async def test_a_stream_says_at_once_that_it_is_alive_and_when_to_come_back(room: Room, web: Any) -> None:
    token = await asyncio.to_thread(room.tenant.token_for, room.tenant.owner)
    stream = Connection(web, token)
    assert (await stream.heard("still here")).split() == [b"retry:", b"3000", b":", b"still", b"here"]
    first = await room.change()
    event = (await stream.heard(first)).decode().splitlines()
    found = await room.app.store.read(lambda session: session.org(room.app.org.id).changes.page(limit=1))
    assert f"id: {found.rows[0].id}" in event
    assert "event: change" in event
    await stream.hang_up()


async def test_a_stream_ends_with_the_token_that_opened_it(room: Room, web: Any) -> None:
    token = await asyncio.to_thread(room.tenant.token_for, room.tenant.owner)
    stream = Connection(web, token)
    await stream.heard("still here")
    await stream.heard(await room.change())
    await asyncio.to_thread(room.app.write, lambda data: [data.tokens.remove(one.id) for one in data.tokens.all()])
    second = await room.change()
    assert second.encode() not in await stream.heard("never said")
    await asyncio.wait_for(stream.answering, SOON)


@pytest.mark.parametrize("how", ["cancelled by the server", "the line is cut"])
async def test_whoever_goes_while_joining_leaves_their_place_to_others(
    room: Room, web: Any, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(module, "LISTENERS_AT_MOST", 1)
    token = await asyncio.to_thread(room.tenant.token_for, room.tenant.owner)
    joining, read = asyncio.Event(), Events._recent

    async def held_up(*_: Any) -> None:  # a place is taken, and the store has not answered yet
        joining.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(Events, "_recent", held_up)
    hasty = Connection(web, token)
    await asyncio.wait_for(joining.wait(), SOON)
    if how == "the line is cut":
        await hasty.hang_up()
    else:
        hasty.answering.cancel()
        await asyncio.wait([hasty.answering], timeout=SOON)
    monkeypatch.setattr(Events, "_recent", read)
    patient = Connection(web, token)
    assert b"still here" in await patient.heard("still here")
    await patient.hang_up()


async def test_whoever_hangs_up_while_something_is_on_its_way_to_them_leaves_their_place_to_others(
    room: Room, web: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LISTENERS_AT_MOST", 1)
    token = await asyncio.to_thread(room.tenant.token_for, room.tenant.owner)
    gone = Connection(web, token)
    await gone.heard("still here")
    gone.jam()
    await room.change()
    await asyncio.wait_for(gone.stuck.wait(), SOON)
    await gone.hang_up()
    other = Connection(web, token)
    assert b"still here" in await other.heard("still here")
    await other.hang_up()


async def test_many_who_come_at_once_cost_one_look_at_the_store(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, read = [], Events._recent

    async def counted(self: Events, org_id: UUID, since_at: datetime) -> Sequence[Change]:
        looks.append(org_id)
        return await read(self, org_id, since_at)

    monkeypatch.setattr(Events, "_recent", counted)
    await room.change()
    room.events._polling = asyncio.create_task(asyncio.Event().wait())  # type: ignore[arg-type]  # not yet
    listeners = [room.listen() for _ in range(50)]
    assert await asyncio.gather(*(anext(one) for one in listeners)) == [None] * 50
    assert len(looks) == 1


async def test_one_listener_too_many_is_told_so(room: Room, web: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LISTENERS_AT_MOST", 1)
    token = await asyncio.to_thread(room.tenant.token_for, room.tenant.owner)
    first = Connection(web, token)
    await first.heard("still here")
    assert b"too many open streams" in await Connection(web, token).heard("too many open streams")
    await first.hang_up()


async def test_a_listener_that_is_too_slow_is_let_go(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    other = room.listen()
    monkeypatch.setattr(module, "BACKLOG_AT_MOST", 1)
    slow = room.listen()
    assert (await anext(other), await anext(slow)) == (None, None)
    reported = [await room.change() for _ in range(3)]
    assert [(await heard(other)).headline for _ in reported] == reported
    assert [one async for one in slow] == []


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
