"""Deliveries: 10,000 messages to a local sink against a bare client, and rows for 10,000 subscribers against a bare INSERT.

The same once more for subscribers who all have conditions of their own, against those without.

python -m bench.deliveries [--count 10000] [--only sqlite|postgres]
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from multiprocessing import Process, Queue, get_context
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple
from uuid import UUID

import aiohttp
import uvloop

from bench.contenders import ROOT, postgres
from bench.report import put
from driftline.core.identity.ids import make_ids
from driftline.deliver.channels.signing import new_secret
from driftline.deliver.channels.webhook import WebhookTransport
from driftline.deliver.dispatch.dispatcher import Dispatcher
from driftline.deliver.render.document import DocumentWriter
from driftline.engine.clock import SystemClock
from driftline.engine.recording import ChangeWrite, Recording, WatchAfter
from driftline.fetch.egress import Egress
from driftline.fetch.post import HttpPoster
from driftline.model.account import User
from driftline.model.change import Finding
from driftline.model.delivery import Channel, Filter, Message, Section, Subscription
from driftline.model.run import Run
from driftline.model.watch import Validators
from driftline.policy.fanout import decide
from driftline.store.queues.delivery_queue import DeliveryQueue
from driftline.store.rows import NewWatch
from driftline.store.store import Store
from driftline.wiring import run_loop

CONNECTIONS = WebhookTransport.at_once  # of the bare client, as of the sender to one endpoint
ROUNDS = 7  # a bare one beside each of ours, so that a busy machine is busy for both
MARKS: Final = ("<!-- deliveries, written by make bench -->", "<!-- deliveries until here -->")
ROWS: Final = [  # of ten lines that changed
    {
        "action": "changed",
        "before": line,
        "after": line,
        "marks": [["same", f"Hall {line}: Open from 9 to "], ["removed", "17"], ["added", "18"]],
    }
    for line in range(1, 11)
]
CONDITIONS: Final = (  # one each, so that nothing is read once for all
    'added "to 18" and not added "to {0} o\'clock"',
    "added /9 to 1[0-9]/ or removed /never {0}/",
    "severity at least medium and not status = 404 or size > {0}",
    'changed "Open" and not (added "sold {0}" or removed "sold {0}")',
    "time between 00:00 and 23:59 or price < {0}",
)
_ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"


class _Receiver(asyncio.Protocol):
    """The cheapest HTTP server that tells requests apart."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.data = b""

    def data_received(self, data: bytes) -> None:
        self.data += data
        while (end := self.data.find(b"\r\n\r\n")) >= 0:
            head = self.data[:end].lower()
            at = head.find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self.data) < end + 4 + length:
                return
            self.data = self.data[end + 4 + length :]
            self.transport.write(_ANSWER)  # type: ignore[attr-defined]  # a stream


def _serve(port: Queue[int]) -> None:
    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(_Receiver, "127.0.0.1", 0)
        port.put(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    uvloop.run(run())


@contextmanager
def receiver() -> Iterator[str]:
    """A sink in a process of its own."""
    context = get_context("spawn")
    port: Queue[int] = context.Queue()
    process: Process = context.Process(target=_serve, args=(port,), daemon=True)  # type: ignore[assignment]  # a spawned one
    process.start()
    try:
        yield f"http://127.0.0.1:{port.get(timeout=30)}/hook"
    finally:
        process.terminate()
        process.join()


class Bench:
    """One org with one watch on an empty store."""

    def __init__(self, url: str) -> None:
        self.store = Store.open(url)
        self.id = make_ids(lambda: time.time_ns() // 1_000_000, random.Random(1).getrandbits)
        self.at = datetime.now(UTC) - timedelta(hours=2)
        self.org = self.store.write_now(lambda s: s.default_org(at=self.at))
        watch_id = self.id()
        new = NewWatch(
            id=watch_id, kind="page", scope=str(watch_id), url="https://example.org/", name="a page", next_due_at=self.at
        )
        (self.watch,) = self.store.write_now(lambda s: s.org(self.org.id).watches.add([new], at=self.at))

    def people(self, count: int, target: str, *, conditions: bool = False) -> None:
        """Users with one webhook and one subscription each, and perhaps a condition of their own, which holds."""
        secret = new_secret(bytes(32), at=self.at)
        due_at = self.at + timedelta(days=1)

        def add(data: Any) -> None:
            for number in range(count):
                user_id = self.id()
                data.users.add(
                    User(
                        id=user_id,
                        org_id=self.org.id,
                        email=f"u{number}@example.org",
                        name="u",
                        next_digest_at=due_at,
                        created_at=self.at,
                    )
                )
                data.channels.add(
                    Channel(
                        id=self.id(), org_id=self.org.id, user_id=user_id, kind="webhook", name=f"c{number}", target=target,
                        secrets=(secret,), created_at=self.at,
                    )
                )  # fmt: skip
                data.subscriptions.add(
                    Subscription(
                        id=self.id(), org_id=self.org.id, user_id=user_id, watch_id=self.watch.id, created_at=self.at,
                        filter=Filter(when=CONDITIONS[number % len(CONDITIONS)].format(number)) if conditions else Filter(),
                    )
                )  # fmt: skip

        self.store.write_now(lambda s: add(s.org(self.org.id)))

    async def report(self) -> UUID:
        """A run with one change."""
        self.at += timedelta(seconds=1)
        (claim,) = await self.store.claim([self.watch.id], owner="bench", at=self.at, until_at=self.at + timedelta(hours=1))
        run = Run(
            id=self.id(), watch_id=self.watch.id, fence=claim.lease.fence, started_at=self.at, completed_at=self.at,
            status="completed", outcome="changed", judged_at=self.at,
        )  # fmt: skip
        after = WatchAfter(
            recipe=b"r", validators=Validators(), last_outcome="changed", last_checked_at=self.at, last_change_at=self.at,
            failures=0, trouble=None, heat=0.0, baseline_run_id=run.id, next_due_at=None,
        )  # fmt: skip
        diff = {"unified": "-Open from 9 to 17\n+Open from 9 to 18", "similarity": 0.98, "rows": ROWS}
        finding = Finding(type="content", severity="medium", headline="1 paragraph edited", dedupe_key=str(run.id), diff=diff)
        report_id = self.id()
        await self.store.record(
            Recording(
                lease=claim.lease, watch=claim.watch, run=run, after=after, report_id=report_id,
                changes=(ChangeWrite(id=self.id(), finding=finding),),
            )
        )  # fmt: skip
        return report_id


async def bare(url: str, bodies: list[bytes]) -> float:
    """Seconds that a client needs which does nothing but post."""
    began = time.perf_counter()
    left = iter(bodies)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=CONNECTIONS)) as session:

        async def post() -> None:
            for body in left:
                async with session.post(url, data=body, headers={"content-type": "application/json"}) as answer:
                    await answer.read()

        await asyncio.gather(*(post() for _ in range(CONNECTIONS)))
    return time.perf_counter() - began


async def drained(bench: Bench) -> tuple[float, int]:
    """Seconds that the dispatcher needs for all that is pending, and how many messages that was."""
    clock = SystemClock()
    began = time.perf_counter()
    async with HttpPoster(Egress(["127.0.0.1"]), clock) as poster:
        dispatcher = Dispatcher(
            queue=DeliveryQueue(bench.store.database),
            transports={"webhook": WebhookTransport(poster, clock)},
            clock=clock,
            owner="bench",
        )
        sent = await dispatcher.run(once=True)
    return time.perf_counter() - began, sent


async def bodies_of(bench: Bench, count: int) -> list[bytes]:
    """What the dispatcher is going to post."""
    queue, at = DeliveryQueue(bench.store.database), datetime.now(UTC)
    claimed = await queue.claim(count, owner="peek", busy=(), at=at, until_at=at + timedelta(hours=1))
    outbound_batches = await queue.outbound_batches(claimed, at=at)
    await queue.release("peek", at=at)
    found = []
    for batch in outbound_batches:
        (section,) = decide(batch, at=at)
        if isinstance(section, Section):
            message = Message(id=batch.id, channel=batch.channel, user=batch.user, sections=(section,), written_at=at)
            found.append(DocumentWriter().encoded(message))
    return found


def fan_out(bench: Bench, count: int) -> tuple[float, float]:
    """Seconds for the rows of one report: the bare INSERT ... SELECT, and ours inside the recording commit."""
    new_id = "gen_random_uuid()" if bench.store.database.driver.name == "postgres" else "randomblob(16)"
    report_id = asyncio.run(bench.report())
    tx_text = (
        "INSERT INTO deliveries (id, org_id, report_id, user_id, channel_id, state, attempts, next_attempt_at, created_at) "
        f"SELECT {new_id}, c.org_id, ?, c.user_id, c.id, 'pending', 0, ?, ? FROM subscriptions AS s "
        "JOIN channels AS c ON c.user_id = s.user_id AND c.is_default WHERE s.watch_id = ?"
    )
    floor, ours = [], []
    for _ in range(3):
        bench.store.write_now(lambda s: s.tx.run("DELETE FROM deliveries"))
        began = time.perf_counter()
        rows = bench.store.write_now(lambda s: s.tx.run(tx_text, (report_id, bench.at, bench.at, bench.watch.id)))
        floor.append(time.perf_counter() - began)
        assert rows == count
        bench.store.write_now(lambda s: s.tx.run("DELETE FROM deliveries"))
        began = time.perf_counter()
        asyncio.run(bench.report())
        ours.append(time.perf_counter() - began)
    return min(floor), min(ours)


class Found(NamedTuple):
    """What was measured on one database; seconds."""

    database: str
    bare_rows: float
    rows: float
    bare_sending: tuple[float, ...]  # round by round
    sending: tuple[float, ...]
    with_conditions: tuple[float, ...]  # beside each of them

    def line(self, count: int) -> str:
        """A row of the table."""
        share = median(bare / ours for bare, ours in zip(self.bare_sending, self.sending, strict=True))
        slower = median(asked / ours for asked, ours in zip(self.with_conditions, self.sending, strict=True))
        return (
            f"| {self.database} | {self.bare_rows * 1e3:.0f} ms | {self.rows * 1e3:.0f} ms | {self.rows / self.bare_rows:.1f} "
            f"| {count / median(self.bare_sending):,.0f}/s | {count / median(self.sending):,.0f}/s | {share:.2f} "
            f"| {count / median(self.with_conditions):,.0f}/s | {slower:.2f} |"
        )


def measured(name: str, database_url: str, other_url: str, sink: str, count: int) -> Found:
    """Both figures. Messages take seconds, in which other work comes and goes: each round is held against the one beside it."""
    bench, asking = Bench(database_url), Bench(other_url)
    bench.people(count, sink)
    asking.people(count, sink, conditions=True)
    bare_rows, rows = fan_out(bench, count)
    bodies = run_loop(lambda: bodies_of(bench, count))
    assert len(bodies) == count
    floors: list[float] = []
    rounds: list[float] = []
    asked: list[float] = []
    for _ in range(ROUNDS):
        floors.append(uvloop.run(bare(sink, bodies)))
        for one, seconds_of in ((bench, rounds), (asking, asked)):
            asyncio.run(one.report())
            seconds, sent = run_loop(partial(drained, one))
            assert sent in (count, 2 * count), sent  # the first round has what the rows were measured with
            seconds_of.append(seconds * count / sent)
    bench.store.close()
    asking.store.close()
    return Found(name, bare_rows, rows, tuple(floors), tuple(rounds), tuple(asked))


def lines(found: Iterable[Found], count: int) -> Iterator[str]:
    """The table."""
    yield f"{count:,} subscribers of one report, each with a webhook."
    yield ""
    yield (
        "| | rows, bare INSERT | with the report | x bare (at most 3) | bare client | driftline | of it (at least 0.50) "
        "| with conditions | x the time without (at most 3) |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for one in found:
        yield one.line(count)


def main() -> None:
    """The two ratios that the specification bounds, on both databases."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--only", default="", help="sqlite or postgres; the table is then only printed")
    given = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as temporary, receiver() as sink, ExitStack() as opened:
        folder = Path(temporary)
        urls: dict[str, Callable[[str], str]] = {
            "SQLite": lambda kind: f"sqlite:///{folder / kind}.db",
            "PostgreSQL": lambda _: opened.enter_context(postgres())(folder),
        }
        for name, url in urls.items():
            if given.only in name.lower():
                found.append(measured(name, url("plain"), url("conditions"), sink, given.count))
                print(found[-1].line(given.count), flush=True)
    put(lines(found, given.count), MARKS, None if given.only else ROOT / "docs" / "performance.md")


if __name__ == "__main__":
    main()
