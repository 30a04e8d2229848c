"""The pool of children: who computes beside whom, and what becomes of a call that takes too long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from driftline.engine.pool import Overrun, Pool
from driftline.errors import Busy


@pytest.fixture
async def pool() -> AsyncIterator[Pool]:
    one = Pool(size=2, deadline_for=30.0)
    yield one
    one.close()


def exists(file: str) -> bool:
    """Whether it does within some seconds."""
    until = time.monotonic() + 20
    while not Path(file).exists() and time.monotonic() < until:
        time.sleep(0.01)
    return Path(file).exists()


def write_and_wait_for(own: str, other: str) -> bool:
    Path(own).touch()
    return exists(other)


async def test_a_second_call_does_not_wait_for_the_first_while_there_is_room(pool: Pool, tmp_path: Path) -> None:
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    first = asyncio.ensure_future(pool.share("a").run(write_and_wait_for, one, other))
    assert await asyncio.to_thread(exists, one)
    assert await pool.share("a").run(write_and_wait_for, other, one)
    assert await first


async def test_a_call_beyond_its_deadline_is_ended_and_the_next_one_is_served(pool: Pool) -> None:
    with pytest.raises(Overrun):
        await pool.share("a", deadline_for=0.2).run(time.sleep, 30)
    assert await pool.share("a").run(abs, -1) == 1


async def test_what_a_call_raises_reaches_the_caller(pool: Pool) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        await pool.share("a").run(int, "x")


async def test_a_closed_pool_takes_no_calls(pool: Pool) -> None:
    pool.close()
    with pytest.raises(Overrun, match="stopping"):
        await pool.share("a").run(abs, -1)


async def test_an_org_has_so_many_previews_at_once_and_others_have_theirs(pool: Pool) -> None:
    with pool.preview("a"), pool.preview("a"), pool.preview("a"):
        with pool.preview("a"):
            with pytest.raises(Busy), pool.preview("a"):
                pass
            with pool.preview("b"):
                pass
        with pool.preview("a"):  # one has ended
            pass
