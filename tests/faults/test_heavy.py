"""Large and hostile answers: computed in children, bounded, and never in the way of others."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.growth import slowness
from tests.scripted import Page, ScriptedSite, scripted_site
from tests.services import Services

from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.pool import PREVIEWS_AT_ONCE, SMALL, Overrun, Pool, Share
from driftline.errors import Busy
from driftline.wiring import App, run_loop


@pytest.fixture
def pool() -> Iterator[Pool]:
    """Children with little patience and little memory."""
    opened = Pool(size=1, deadline_for=1.0, memory_bytes=1 << 30)
    try:
        yield opened
    finally:
        opened.close()


@pytest.fixture
def database_url(services: Services, tmp_path: Path) -> str:
    """The database plays no part in it."""
    return services.migrated_file(tmp_path / "driftline.db")


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as scripted:
        yield scripted


async def test_a_child_that_takes_too_long_is_replaced(pool: Pool) -> None:
    with pytest.raises(Overrun):
        await pool.run(time.sleep, 600)
    assert await pool.run(len, "abc") == 3


async def test_a_child_that_dies_is_replaced(pool: Pool) -> None:
    with pytest.raises(Overrun):
        await pool.run(os._exit, 1)
    assert await pool.run(len, "abc") == 3


def test_a_child_does_not_run_the_program_again_that_it_was_started_from(tmp_path: Path) -> None:
    program = tmp_path / "program"  # as short as the scripts that installers write
    program.write_text(
        "import asyncio\nfrom driftline.engine.pool import Pool\nprint('begun')\npool = Pool()\n"
        "print(asyncio.run(pool.run(len, 'abc')))\npool.close()\n"
    )
    ended = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False, timeout=60)
    assert (ended.stdout.split(), ended.stderr, ended.returncode) == (["begun", "3"], "", 0)


async def test_a_child_has_only_so_much_memory(pool: Pool) -> None:
    with pytest.raises(MemoryError):
        await pool.run(bytearray, 4 << 30)
    assert await pool.run(len, "abc") == 3


async def test_what_a_call_raises_comes_back(pool: Pool) -> None:
    with pytest.raises(ZeroDivisionError):
        await pool.run(divmod, 1, 0)


async def test_closing_ends_a_call_that_nobody_waits_for() -> None:
    pool = Pool(size=1, deadline_for=600.0)
    assert await pool.run(len, "abc") == 3
    waiting = asyncio.create_task(pool.run(time.sleep, 600))
    await asyncio.sleep(0.1)
    await asyncio.to_thread(pool.close)
    with pytest.raises(Overrun):
        await waiting


async def test_what_is_small_is_computed_here_and_what_is_large_elsewhere(pool: Pool) -> None:
    share = pool.share("org")
    assert await share.compute(SMALL - 1, os.getpid) == os.getpid()
    assert await share.compute(SMALL, os.getpid) != os.getpid()


async def test_orgs_have_their_turns_however_much_one_of_them_asks(pool: Pool) -> None:
    greedy, modest = pool.share("greedy"), pool.share("modest")
    ended: list[str] = []

    async def call(share: Share, name: str) -> None:
        await share.run(time.sleep, 0.01)
        ended.append(name)

    await asyncio.gather(*(call(greedy, "greedy") for _ in range(40)), *(call(modest, "modest") for _ in range(2)))
    assert [place for place, name in enumerate(ended) if name == "modest"] <= [3, 5]


def test_the_same_pool_serves_other_loops_and_threads(pool: Pool) -> None:
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda size: asyncio.run(pool.run(len, "a" * size)), range(8))) == list(range(8))


def test_only_so_many_previews_of_an_org_are_under_way(pool: Pool) -> None:
    with ExitStack() as stack:
        for _ in range(PREVIEWS_AT_ONCE):
            stack.enter_context(pool.preview("org"))
        with pytest.raises(Busy, match="Too many previews at once"), pool.preview("org"):
            pass
        with pool.preview("another org"):
            pass
    with pool.preview("org"):
        pass


async def test_a_call_whose_caller_went_away_is_not_begun(pool: Pool) -> None:
    share = pool.share("org")
    running = asyncio.create_task(share.run(time.sleep, 0.3))
    await asyncio.sleep(0.05)
    gone = asyncio.create_task(share.run(time.sleep, 600))
    await asyncio.sleep(0)
    gone.cancel()
    await running
    assert await share.run(len, "abc") == 3


def checked(app: App, *paths: str) -> dict[str, Checked]:
    """Each page, checked now on a loop that people wait for; how that ended."""
    ended: dict[str, Checked] = {}

    async def listen(one: Checked) -> None:
        ended[one.watch.name] = one

    async def check() -> None:
        async with app.worker(listen, beside_people=True) as worker:
            await worker.check_now([watch.id for watch in app.all_watches() if watch.name in paths])

    run_loop(check)
    return ended


def gazette(count: int, last: str) -> Page:
    """A page as long as it takes."""
    lines = "".join(
        f"<p>line {'abcdefghij'[number % 10] * 3} of many, and its own {number * 7919}</p>" for number in range(count)
    )
    return Page(body=f"<html><body><h1>Long</h1>{lines}<p>{last}</p></body></html>".encode())


def figures(count: int, step: int) -> Page:
    """One line that is nothing but numbers."""
    line = " ".join(str(number * number * step // 7 % 10) for number in range(count))
    return Page(body=f"<html><body><h1>Figures</h1><p>{line}</p></body></html>".encode())


@pytest.mark.parametrize(
    ("first", "then", "within"),  # seconds of the loop's thread; the whole check takes many times that
    [
        pytest.param(gazette(7_000, "It begins."), gazette(7_000, "It ends."), 0.5, id="long"),
        pytest.param(gazette(7_000, "It begins."), gazette(20, "It ends."), 0.3, id="long before and short now"),
        pytest.param(figures(8_000, 3), figures(8_000, 5), 0.1, id="small and nothing but figures"),
    ],
)
def test_a_page_that_takes_long_is_read_and_judged_beside_the_loop(
    app: App, site: ScriptedSite, first: Page, then: Page, within: float
) -> None:
    url = site.show("/long", first)
    app.add([app.draft(WatchInput(url=url, name="long", rules={"calibrate": False}))])
    longest = 0.0

    async def ticking() -> None:
        nonlocal longest
        while True:
            before = time.thread_time()
            await asyncio.sleep(0.002)
            longest = max(longest, time.thread_time() - before)

    async def check() -> Checked:
        ended: list[Checked] = []

        async def listen(one: Checked) -> None:
            ended.append(one)

        async with app.worker(listen, beside_people=True) as worker:
            tick = asyncio.create_task(ticking())
            await worker.check_now([watch.id for watch in app.all_watches()])
            tick.cancel()
        return ended[0]

    assert run_loop(check).run.outcome == "baseline"
    site.show("/long", then)
    longest = 0.0
    assert run_loop(check).run.outcome == "changed"
    assert longest < within * slowness()


def test_a_page_that_overruns_is_truncated_and_others_are_not(
    app: App, site: ScriptedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.add([app.draft(WatchInput(url=site.show(f"/{name}", page), name=name)) for name, page in
             {"long": gazette(30_000, "It begins."), "short": gazette(20, "It begins.")}.items()])  # fmt: skip
    monkeypatch.setattr(app.pool, "deadline_for", 0.001)
    ended = checked(app, "long", "short")
    assert ended["short"].run.outcome == "baseline"
    assert ended["long"].run.outcome == "truncated"
    monkeypatch.undo()
    assert checked(app, "long")["long"].run.outcome == "baseline"
