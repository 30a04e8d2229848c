"""The queue agent on its hash path against a bare consumer, over a real RabbitMQ.

python -m bench.agent [--count 10000]

Both find all messages waiting and are timed by what arrives in `storage-agent`. The floor looks one row up, commits one row,
publishes with a confirm and acks, message by message; the second floor does the same for 200 messages at once.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import aio_pika
import msgspec
import uvloop

PAGES = 1000
TOGETHER = 200
SLOW = 1000  # messages that are enough for the floor that waits for each confirm
MARKS = ("<!-- agent, written by make bench -->", "<!-- agent until here -->")
TEXT = " ".join(f"word{number}" for number in range(250))  # about 2 KB, as a short page


def body(page: int, version: int, *, price: str = "₹79999") -> bytes:
    return msgspec.json.encode(
        {
            "jobId": f"job-{page}-{version}",
            "url": f"https://example.com/{page}",
            "parsed": {"title": f"Page {page}", "text": TEXT, "images": [], "metadata": {}, "priceCandidates": [price]},
            "classification": {"type": "product", "confidence": 0.92},
            "snapshotHash": f"hash-{page}-{price}",
            "version": version,
        }
    )


class Measured(NamedTuple):
    """How quick, and how large at the end."""

    rate: float  # messages a second
    rss: float  # megabytes


async def bare(url: str, path: Path, together: int) -> None:
    """The floor: what nobody can leave out."""
    database = sqlite3.connect(path, isolation_level=None)
    database.executescript(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "CREATE TABLE pages (url TEXT PRIMARY KEY, hash TEXT, version INTEGER) WITHOUT ROWID;"
    )
    database.executemany(
        "INSERT INTO pages VALUES (?, ?, 0)", [(f"https://example.com/{n}", f"hash-{n}-₹79999") for n in range(PAGES)]
    )
    arrived: asyncio.Queue[Any] = asyncio.Queue()
    async with await aio_pika.connect(url) as connection:
        incoming, outgoing = await connection.channel(publisher_confirms=False), await connection.channel()
        await incoming.set_qos(prefetch_count=TOGETHER)
        queue = await incoming.get_queue("change.check", ensure=False)
        await queue.consume(arrived.put)
        while True:
            messages = [await arrived.get()]
            while len(messages) < together and not arrived.empty():
                messages.append(arrived.get_nowait())
            database.execute("BEGIN IMMEDIATE")
            said = [_looked_up(database, msgspec.json.decode(message.body)) for message in messages]
            database.execute("COMMIT")
            await asyncio.gather(
                *(
                    outgoing.default_exchange.publish(
                        aio_pika.Message(one, delivery_mode=aio_pika.DeliveryMode.PERSISTENT), "storage-agent"
                    )
                    for one in said
                )
            )
            for message in messages:
                await message.ack()


def _looked_up(database: sqlite3.Connection, message: dict[str, Any]) -> bytes:
    stored, version = database.execute("SELECT hash, version FROM pages WHERE url = ?", (message["url"],)).fetchone()
    database.execute("UPDATE pages SET version = ? WHERE url = ?", (message["version"], message["url"]))
    return msgspec.json.encode(
        {
            "jobId": message["jobId"],
            "url": message["url"],
            "hasChanges": stored != message["snapshotHash"],
            "previousVersion": version,
            "currentVersion": message["version"],
            "snapshotHash": message["snapshotHash"],
        }
    )


@contextmanager
def running(command: Sequence[str], folder: Path, url: str) -> Iterator[subprocess.Popen[bytes]]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("DRIFTLINE_")}
    env = clean | {"RABBIT_URL": url, "DRIFTLINE_DB": f"sqlite:///{folder / 'driftline.db'}"}
    process = subprocess.Popen([sys.executable, "-m", *command], env=env, stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


async def fill(url: str, bodies: Sequence[bytes]) -> None:
    async with await aio_pika.connect(url) as connection:
        channel = await connection.channel()
        await (await channel.get_queue("change.check")).purge()  # what a stopped consumer did not ack came back
        for at in range(0, len(bodies), TOGETHER):
            await asyncio.gather(
                *(
                    channel.default_exchange.publish(
                        aio_pika.Message(one, delivery_mode=aio_pika.DeliveryMode.PERSISTENT), "change.check"
                    )
                    for one in bodies[at : at + TOGETHER]
                )
            )


async def emptied(url: str, count: int, process: subprocess.Popen[bytes]) -> Measured:
    """Until so many messages are out; the rate between the first tenth and the end, start-up left out."""
    async with await aio_pika.connect(url) as connection:
        channel = await connection.channel()
        begun: tuple[float, int] | None = None
        while True:
            declared = await channel.declare_queue("storage-agent", passive=True)
            out, now = declared.declaration_result.message_count or 0, time.perf_counter()
            if begun is None and out >= count // 10:
                begun = now, out
            if out >= count and begun is not None:
                break
            await asyncio.sleep(0.02)
        await declared.purge()
    return Measured((count - begun[1]) / (now - begun[0]), _rss(process))


def _rss(process: subprocess.Popen[bytes]) -> float:
    status = Path(f"/proc/{process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


async def measured(url: str, bodies: Sequence[bytes], command: Sequence[str], folder: Path) -> Measured:
    await fill(url, bodies)
    with running(command, folder, url) as process:
        return await emptied(url, len(bodies), process)


async def prepare(url: str, folder: Path) -> None:
    """Queues as the agent makes them, and every page known."""
    with running(("driftline", "agent"), folder, url) as process:
        from driftline.bus.rabbit import RabbitBus  # here: the floor's own process does without

        bus = await RabbitBus.connect(url)
        await bus.prepare("change.check", "storage-agent")
        await bus.close()
        await fill(url, [body(page, 0) for page in range(PAGES)])
        await emptied(url, PAGES, process)


async def bench(url: str, count: int, folder: Path) -> None:
    await prepare(url, folder)
    bodies = [body(at % PAGES, 1 + at // PAGES) for at in range(count)]
    floor = await measured(url, bodies[:SLOW], ("bench.agent", "--bare", "1", "--folder", str(folder / "one.db")), folder)
    batched = await measured(url, bodies, ("bench.agent", "--bare", str(TOGETHER), "--folder", str(folder / "many.db")), folder)
    agent = await measured(url, bodies, ("driftline", "agent"), folder)
    last = 1 + count // PAGES
    changed = await measured(url, [body(page, last, price="₹74999") for page in range(PAGES)], ("driftline", "agent"), folder)
    from bench.contenders import ROOT  # here, as above
    from bench.report import put

    put(lines(count, floor, batched, agent, changed), MARKS, ROOT / "docs" / "performance.md")
    print(f"of the floor: {agent.rate / floor.rate:.0%} (at least 60%), {agent.rss:.0f} MB")


def lines(count: int, floor: Measured, batched: Measured, agent: Measured, changed: Measured) -> Iterator[str]:
    """The table."""
    yield "| | messages/s | of the floor (at least 0.6) | RSS at the end |"
    yield "|---|--:|--:|--:|"
    for name, found in (
        (f"floor: bare consumer, one by one, {SLOW:,} messages", floor),
        (f"bare consumer, {TOGETHER} at once, {count:,} messages", batched),
        (f"driftline agent, {count:,} messages of known hash", agent),
        (f"driftline agent, {PAGES:,} messages of changed pages", changed),
    ):
        yield f"| {name} | {found.rate:,.0f} | {found.rate / floor.rate:.1f} | {found.rss:.0f} MB |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--bare", type=int, default=0, help="be the floor, with so many messages at once")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    if options.bare:
        uvloop.run(bare(os.environ["RABBIT_URL"], options.folder, options.bare))
        return
    from tests.services import Found, Services  # here: the floor's own process does without

    services = Services.open()
    try:
        broker = services.rabbit()
        if not isinstance(broker, Found):
            sys.exit(f"no RabbitMQ: {broker.reason}")
        with services.fresh_vhost(broker) as url, tempfile.TemporaryDirectory() as folder:
            uvloop.run(bench(url, options.count, Path(folder)))
    finally:
        services.close()


if __name__ == "__main__":
    main()
