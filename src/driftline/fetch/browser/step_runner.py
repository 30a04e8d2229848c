"""Does the steps of a watch on a page, each with its deadline; every ending is a value."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urljoin, urlsplit

from playwright.async_api import Error, FrameLocator, Locator, Page
from playwright.async_api import TimeoutError as TookTooLong

from driftline.core.identity.urls import same_place
from driftline.core.text.safety.placeholders import filled, names_in
from driftline.core.text.step_texts import step_text
from driftline.fetch.browser import isolated
from driftline.fetch.browser.banners import FIND, button_words
from driftline.fetch.browser.pictures import take_picture
from driftline.model.browser import steps as model
from driftline.model.browser.steps import Step, StepResult

_GRACE: Final = 1.0  # seconds after which a step that ignores its deadline is given up
_GROWS_FOR: Final = 1.0  # seconds in which a page that loads more has begun to do so
_TO_THE_END: Final = "() => { const height = document.documentElement.scrollHeight; scrollTo(0, height); return height }"
_PRESENT_FOR: Final = 2_000  # milliseconds in which `stop_if` finds what it looks for


class _Refused(Exception):
    """A step that cannot be done, with a sentence."""


class _Stop(Exception):
    """No further steps."""


class StepRunner:
    """Does steps on one page."""

    def __init__(self, page: Page, *, home: str, steps: Sequence[Step], secrets: Mapping[str, str], scripts: bool) -> None:
        self._page = page
        self._steps = steps
        self._secrets = secrets
        self._scripts = scripts
        self._at: Page | FrameLocator = page
        self._home: tuple[str, ...] = (
            home,
            *(step.url for step in steps if isinstance(step, model.Goto) and "://" in step.url),
        )
        self.covered: list[Locator] = []  # fields that were filled from secrets

    async def do(self, number: int, step: Step) -> StepResult:
        """The result of one more step, after those that were done."""
        if isinstance(step, model.Goto) and "://" in step.url:
            self._home += (step.url,)
        return await self._one(number, step, step_text(step))

    async def run(self) -> list[StepResult]:
        """The result of each step until one fails."""
        results: list[StepResult] = []
        stopped = False
        for number, step in enumerate(self._steps, start=1):
            text = step_text(step)
            if stopped:
                results.append(StepResult(number=number, step=text, outcome="left_out"))
                continue
            result = await self._one(number, step, text)
            results.append(result)
            stopped = result.outcome == "stopped"
            if result.outcome == "failed":
                break
        return results

    async def picture(self) -> bytes | None:
        """The page as it is, with secrets covered."""
        return await take_picture(self._page, secrets=self._secrets.values(), covered=self.covered)

    async def _one(self, number: int, step: Step, text: str) -> StepResult:
        started = time.monotonic()
        outcome, sentence, picture = "done", "", None
        try:
            async with asyncio.timeout(step.timeout_for + _GRACE):
                picture = await self._do(step)
        except _Stop:
            outcome = "stopped"
        except _Refused as error:
            outcome, sentence = "failed", str(error)
        except (TimeoutError, TookTooLong):
            outcome, sentence = "failed", await self._late(step)
        except Error as error:
            outcome, sentence = "failed", _sentence(error)
        if outcome == "failed" and step.optional:
            outcome = "skipped"
        if outcome == "failed":
            picture = await self.picture()
        took_for = time.monotonic() - started
        return StepResult(number=number, step=text, outcome=outcome, sentence=sentence, took_for=took_for, picture=picture)

    def _locator(self, selector: str) -> Locator:
        return self._at.locator(selector).first

    async def _late(self, step: Step) -> str:
        on = getattr(step, "on", None)
        waited = f"after {step.timeout_for:g} s"
        if on is None:
            return f"not done {waited}"
        try:
            there = await asyncio.wait_for(self._at.locator(on).count(), 2)
        except (Error, TimeoutError):
            there = 0
        return f"it is there, and was not ready {waited}" if there else f"nothing on the page matches {waited}"

    async def _do(self, step: Step) -> bytes | None:
        """Do one step; gives the picture that it took."""
        page, deadline = self._page, step.timeout_for * 1000
        match step:
            case model.Goto(url=url):
                await page.goto(self._allowed(url), wait_until="domcontentloaded", timeout=deadline)
                self._at = page
            case model.Click(on=on):
                await self._locator(on).click(timeout=deadline)
            case model.Fill(on=on, value=value):
                await self._fill(self._locator(on), value, deadline)
            case model.Press(key=key, on=on):
                await (self._locator(on).press(key, timeout=deadline) if on else page.keyboard.press(key))
            case model.Select(on=on, value=value):
                await self._choose(self._locator(on), value, deadline)
            case model.Check(on=on):
                await self._locator(on).check(timeout=deadline)
            case model.Hover(on=on):
                await self._locator(on).hover(timeout=deadline)
            case model.Scroll(on=on, times=times):
                await (self._locator(on).scroll_into_view_if_needed(timeout=deadline) if on else self._scroll(times))
            case model.WaitFor(on=on, text=text, ms=ms):
                await self._wait(on, text, ms, deadline)
            case model.Dismiss():
                await self._dismiss(deadline)
            case model.Frame(on=on):
                if on is not None:
                    await self._locator(on).wait_for(state="attached", timeout=deadline)
                self._at = page if on is None else self._at.frame_locator(on)
            case model.Evaluate(script=script):
                if not self._scripts:
                    raise _Refused("the operator does not allow scripts (browser_scripts)")
                await page.evaluate(script)
            case model.Screenshot():
                return await self.picture()
            case model.StopIf(on=on, text=text):
                if await self._is_there(on, text):
                    raise _Stop
        return None

    def _allowed(self, url: str) -> str:
        target = urljoin(self._page.url, url)
        if urlsplit(target).scheme not in ("http", "https"):
            raise _Refused("only http and https addresses are opened")
        return target

    async def _opened(self, field: Locator, value: str, deadline: float) -> str:
        """The value with its secrets, which are given only to the watch's own site, and to sites that its steps name."""
        if names_in([value]):
            handle = await field.element_handle(timeout=deadline)
            frame = await handle.owner_frame()
            place = frame.url if frame is not None else self._page.url
            if not any(same_place(home, place) for home in self._home):
                host = urlsplit(place).netloc
                raise _Refused(f"a secret is not filled in on {host}: name that address in a goto step if it is right")
            self.covered.append(field)
        return filled(value, self._secrets)

    async def _fill(self, field: Locator, value: str, deadline: float) -> None:
        await field.wait_for(state="visible", timeout=deadline)
        await field.fill(await self._opened(field, value, deadline), timeout=deadline)

    async def _choose(self, field: Locator, value: str, deadline: float) -> None:
        chosen = await self._opened(field, value, deadline)
        try:
            await field.select_option(value=chosen, timeout=deadline / 2)
        except TookTooLong:
            await field.select_option(label=chosen, timeout=deadline / 2)

    async def _scroll(self, times: int) -> None:
        """To the end, again while the page grows."""
        height = -1
        for _ in range(times):
            now = await isolated.evaluate(self._page, _TO_THE_END)
            if now == height:
                break
            height = now
            try:
                await self._page.wait_for_function(
                    "(known) => document.documentElement.scrollHeight > known", arg=height, timeout=_GROWS_FOR * 1000
                )
            except TookTooLong:
                break

    async def _wait(self, on: str | None, text: str | None, ms: int | None, deadline: float) -> None:
        if ms is not None:
            await self._page.wait_for_timeout(min(float(ms), deadline))
        elif text is not None:
            await self._at.get_by_text(text).first.wait_for(state="visible", timeout=deadline)
        elif on is not None:
            await self._locator(on).wait_for(state="visible", timeout=deadline)

    async def _is_there(self, on: str | None, text: str | None) -> bool:
        target = self._at.get_by_text(text).first if text is not None else self._locator(on or "")
        try:
            await target.wait_for(state="visible", timeout=_PRESENT_FOR)
        except TookTooLong:
            return False
        return True

    async def _dismiss(self, deadline: float) -> None:
        for frame in self._page.frames:
            found = (await frame.evaluate_handle(FIND, button_words())).as_element()
            if found is not None:
                await found.click(timeout=deadline)
                return


def _sentence(error: Error) -> str:
    """What went wrong, in a few words of our own: a browser's message may hold what was filled in."""
    message = error.message
    known = (
        ("is not a valid selector", "the selector is not valid"),
        ("Unknown engine", "the selector is not valid"),
        ("Unexpected token", "the selector is not valid"),
        ("Element is not an <input>", "it is no field that can be filled"),
        ("Not a checkbox", "it is no box that can be ticked"),
        ("Element is not a <select>", "it is no list to choose from"),
        ("Unknown key", "there is no such key"),
        ("ERR_", "the address could not be opened"),
        ("Target closed", "the page was closed"),
        ("has been closed", "the page was closed"),
        ("crashed", "the page took too much memory"),
    )
    return next((text for mark, text in known if mark in message), "the browser could not do it")
