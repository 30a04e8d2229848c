"""The agent over a real RabbitMQ, as its users run it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import aio_pika
import pytest
from tests.integration.agent.conftest import UNCHANGED, Post, example, parsed, until, with_page

from driftline.bus.rabbit import RabbitBus

OTHER = "Another text that has nothing to do with the one before."


def environ(folder: Path, rabbit_url: str, **more: str) -> dict[str, str]:
    """A clean environment with the pipeline's own names."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("DRIFTLINE_")}
    return clean | {"DRIFTLINE_DB": f"sqlite:///{folder / 'driftline.db'}", "RABBIT_URL": rabbit_url, **more}


def driftline(*words: str, env: Mapping[str, str], folder: Path) -> list[dict[str, Any]]:
    """What a command prints with --json."""
    ended = subprocess.run(
        [sys.executable, "-m", "driftline", *words, "--json"],
        env=env,
        cwd=folder,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr.decode()
    return [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.fixture
def env(tmp_path: Path, rabbit_url: str) -> dict[str, str]:
    return environ(tmp_path, rabbit_url)


@pytest.fixture
def process(env: dict[str, str], tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`driftline agent` in a process of its own."""
    with (tmp_path / "agent.log").open("wb") as log:
        started = subprocess.Popen(
            [sys.executable, "-m", "driftline", "agent", "--json"], env=env, cwd=tmp_path, stdout=subprocess.PIPE, stderr=log
        )
        try:
            yield started
        finally:
            started.kill()
            started.wait()


async def test_the_example_message_gives_the_exact_fields_on_the_output_queues(rabbit_post: Post) -> None:
    new = await rabbit_post.ask(example(version=2, snapshotHash="0a"))
    assert set(new) == {"storage-agent"}
    said = await rabbit_post.ask(example(parsed=parsed(title="iPhone 13 (2021)")))
    assert set(said) == {"price.update", "notify", "storage-agent"}
    (reported,) = said["notify"]
    assert list(reported) == [
        "jobId", "url", "hasChanges", "diff", "changes", "previousVersion", "currentVersion", "snapshotHash", "version",
    ]  # fmt: skip
    assert list(reported["diff"]) == ["titleChanged", "textDiff", "metadataChanges", "imageChanges", "priceChanged"]
    assert (reported["jobId"], reported["url"], reported["hasChanges"]) == ("abc123", "https://example.com/p/12", True)
    assert (reported["previousVersion"], reported["currentVersion"], reported["snapshotHash"]) == (2, 3, "1be6fa09")
    assert said["price.update"][0]["prices"] == [{"candidate": "₹79999", "amount": "79999", "currency": "INR"}]
    again = await rabbit_post.ask(example(version=4))
    assert again == {"storage-agent": [with_page(UNCHANGED, example())]}


async def test_poison_is_dead_with_a_reason_and_the_agent_stays_up(rabbit_post: Post) -> None:
    agent = rabbit_post.agent()
    said = await rabbit_post.ask(b"\x00poison", b"[" * 100_000, b'{"a":' * 100_000, example(), agent=agent)
    assert len(said["storage-agent"]) == 1
    assert [dead.headers["attempts"] for dead in said["dead_letter"]] == [1, 1, 1]
    assert ["nested too deeply" in dead.headers["reason"] for dead in said["dead_letter"]] == [False, False, True]


async def test_a_classic_input_queue_is_used_as_it_is(rabbit_post: Post, rabbit_url: str) -> None:
    async with await aio_pika.connect(rabbit_url) as connection:
        await (await connection.channel()).declare_queue("change.check", durable=True)
    said = await rabbit_post.ask(example())
    assert len(said["storage-agent"]) == 1


async def test_a_process_drains_on_sigterm_and_says_what_it_did(
    process: subprocess.Popen[bytes], rabbit_post: Post, tmp_path: Path
) -> None:
    await rabbit_post.send(*(example(url=f"https://example.com/{number}") for number in range(50)))
    bus = await rabbit_post.connect()
    await bus.prepare("storage-agent")
    reported: list[Any] = []

    async def enough() -> None:
        while len(reported) < 50:
            reported.extend(await bus.take("storage-agent", 50))
            await asyncio.sleep(0.02)
            assert process.poll() is None, (tmp_path / "agent.log").read_text()

    await asyncio.wait_for(enough(), 90)
    await bus.close()
    process.send_signal(signal.SIGTERM)
    out, _ = await asyncio.to_thread(process.communicate, timeout=60)
    assert process.returncode == 0
    assert json.loads(out) == {"new": 50}
    assert await (await rabbit_post.connect()).take("change.check", 1) == []


async def test_dead_letters_are_listed_shown_and_sent_again(
    env: dict[str, str], tmp_path: Path, rabbit_post: Post, rabbit_url: str
) -> None:
    await rabbit_post.ask(b"poison")  # taken from the queue by `ask`, so another one stays
    await rabbit_post.send(b"not a message", b"another one")
    async with rabbit_post.running() as agent:
        await until(lambda: agent.counts["dead"] == 2)
    listed = await asyncio.to_thread(driftline, "dead-letters", "list", env=env, folder=tmp_path)
    assert [(one["number"], one["queue"], one["attempts"], one["bytes"]) for one in listed] == [
        (1, "change.check", 1, 13), (2, "change.check", 1, 11),
    ]  # fmt: skip
    (shown,) = await asyncio.to_thread(driftline, "dead-letters", "show", "2", env=env, folder=tmp_path)
    assert shown["body"] == "another one"
    assert "invalid message" in shown["reason"]
    sent = await asyncio.to_thread(driftline, "dead-letters", "requeue", "1", env=env, folder=tmp_path)
    assert sent == [{"requeued": 1}]
    bus = await RabbitBus.connect(rabbit_url)
    (again,) = await bus.take("change.check", 5)
    assert (again.body, again.attempts) == (b"not a message", 0)
    assert len(await bus.take("dead_letter", 5)) == 1
    await bus.close()


def test_the_agent_imports_only_what_it_needs(env: dict[str, str], tmp_path: Path) -> None:
    script = (
        "import sys\nfrom driftline.wiring import opened\n"
        "with opened() as app: pass\n"  # the schema is made here, once
    )
    subprocess.run([sys.executable, "-c", script], env=env, cwd=tmp_path, check=True, timeout=120)
    script = (
        "import sys\nfrom driftline import agent, cli\nfrom driftline.wiring import opened\n"
        "async def make(app): return app.agent()\n"
        "import asyncio\n"
        "with opened() as app: asyncio.run(make(app))\n"
        "heavy = ('sqlalchemy', 'alembic', 'litestar', 'aiohttp', 'lxml', 'apprise', 'psycopg', 'jinja2', 'rich', 'typer',\n"
        "         'selectolax', 'rapidfuzz', 're2', 'jsonpath_rfc9535')  # with the first page that has to be compared\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", script], env=env, cwd=tmp_path, check=True, timeout=120, capture_output=True)
    assert ended.stdout.decode().strip() == "[]"
