"""Recordings of steps: one a user, a few at once, and none that nobody uses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast
from uuid import UUID

import pytest

from driftline.core.text.step_texts import read_steps, step_text
from driftline.errors import Busy
from driftline.model.browser.picking import OutlinedPage
from driftline.model.browser.steps import Step, StepResult
from driftline.model.fetch import Failed, Request
from driftline.web.step_recordings import AT_ONCE, StepRecording, StepRecordings
from driftline.wiring import App

ASKED = Request(url="https://example.org/")


class Browsers:
    """Stands for the app: counts the pages that are open, on which every step works but those with `fail` in them."""

    def __init__(self) -> None:
        self.open = 0
        self.closed = asyncio.Event()
        self.broken = False

    @asynccontextmanager
    async def fetcher(self) -> AsyncIterator[Browsers]:
        yield self

    @asynccontextmanager
    async def live(self, request: Request) -> AsyncIterator[Browsers | Failed]:
        if self.broken:
            yield Failed(request=request, reason="timeout")
            return
        self.open += 1
        try:
            yield self
        finally:
            self.open -= 1
            self.closed.set()

    async def do(self, number: int, step: Step) -> StepResult:
        text = step_text(step)
        return StepResult(number=number, step=text, outcome="failed" if "fail" in text else "done")

    async def shown(self) -> OutlinedPage | None:
        return None


async def started(recordings: StepRecordings, browsers: Browsers, user: int) -> StepRecording | Failed:
    return await recordings.start(cast("App", browsers), UUID(int=user), ASKED)


def recording_of(found: StepRecording | Failed | None) -> StepRecording:
    assert isinstance(found, StepRecording)
    return found


async def test_a_user_has_one_and_a_few_have_one_at_once() -> None:
    recordings, browsers = StepRecordings(), Browsers()
    await started(recordings, browsers, 1)
    second = recording_of(await started(recordings, browsers, 1))
    assert (browsers.open, recordings.of(UUID(int=1))) == (1, second)
    for user in range(2, AT_ONCE + 1):
        await started(recordings, browsers, user)
    with pytest.raises(Busy):
        await started(recordings, browsers, AT_ONCE + 1)
    await recordings.end(UUID(int=2))
    recording_of(await started(recordings, browsers, AT_ONCE + 1))
    await recordings.close()
    assert (browsers.open, recordings.of(UUID(int=1))) == (0, None)


async def test_one_that_nobody_uses_ends_by_itself() -> None:
    recordings, browsers = StepRecordings(idle_for=0.01), Browsers()
    await started(recordings, browsers, 1)
    async with asyncio.timeout(30):
        await browsers.closed.wait()
    assert (browsers.open, recordings.of(UUID(int=1))) == (0, None)
    await recordings.close()


async def test_steps_are_done_until_one_fails_which_does_not_count() -> None:
    recordings, browsers = StepRecordings(), Browsers()
    recording = recording_of(await started(recordings, browsers, 1))
    done = await recording.do(read_steps(["dismiss", "click #fail", "click #never"]))
    assert [(one.number, one.outcome) for one in done.results] == [(1, "done"), (2, "failed")]
    again: Any = (await recording.do(read_steps(["click #b"]))).results[0]
    assert again.number == 2
    await recordings.close()


async def test_a_page_that_does_not_open_leaves_nothing_open() -> None:
    recordings, browsers = StepRecordings(), Browsers()
    browsers.broken = True
    assert isinstance(await started(recordings, browsers, 1), Failed)
    assert recordings.of(UUID(int=1)) is None
