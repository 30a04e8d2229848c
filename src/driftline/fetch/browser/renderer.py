"""One page in the browser: loaded, waited for, and taken as HTML; every ending is a value."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Final

import msgspec
from playwright.async_api import BrowserContext, Error, Page, Response, Route
from playwright.async_api import TimeoutError as TookTooLong

from driftline.core.answers.block_pages import block_page, block_page_at
from driftline.core.identity.urls import same_place
from driftline.core.text.safety.placeholders import hidden, names_in
from driftline.core.text.safety.sanitize import sanitize
from driftline.core.text.step_texts import step_text
from driftline.engine.ports import Clock
from driftline.errors import BadSetting
from driftline.fetch.browser import isolated
from driftline.fetch.browser.dom import TAKE
from driftline.fetch.browser.outlines import ELEMENTS_AT_MOST, LOOKED_FOR, OUTLINE
from driftline.fetch.browser.pictures import HEIGHT, WIDTH, take_picture
from driftline.fetch.browser.pool import ChromiumPool
from driftline.fetch.browser.step_runner import StepRunner
from driftline.model.browser.credentials import OpenedSession, SiteSession
from driftline.model.browser.picking import OutlinedElement, OutlinedPage
from driftline.model.browser.steps import Fill, Step, StepResult
from driftline.model.fetch import (
    BROWSER_PICTURE,
    HARMLESS_HEADERS,
    MAX_TIMEOUT,
    Answer,
    Blocked,
    Failed,
    Fetched,
    FetchOptions,
    Request,
    Unmodified,
)

NOT_HTML: Final = "not a page"  # nothing to render: the plain answer holds the content
SIGNED_OUT: Final = "signed out: the page asks to sign in"
_LOADS_FOR: Final = 8.0  # seconds that a page may go on loading once it is there
_HTML: Final = frozenset({"", "text/html", "application/xhtml+xml"})
_BLOCKED_STATUSES: Final = frozenset({401, 403, 429})
_LARGEST_PICTURE: Final = 8 * 1024 * 1024  # bytes
_MARKS: Final = 64 * 1024  # bytes of an answer in which a block page shows its marks


FindSecrets = Callable[[frozenset[str]], Awaitable[Mapping[str, str]]]  # by name; raises BadSetting without a key


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """What a request may use: secrets by name, and the session that it names."""

    secrets: Mapping[str, str] = {}
    session: OpenedSession | None = None


class Renderer:
    """Renders pages, each in a fresh context."""

    def __init__(self, pool: ChromiumPool, clock: Clock, *, max_bytes: int, scripts: bool = False) -> None:
        self._pool = pool
        self._clock = clock
        self._max_bytes = max_bytes
        self._scripts = scripts  # whether steps may run their own

    async def render(
        self, request: Request, *, total_for: float, opened: Opened | None = None, results: list[StepResult] | None = None
    ) -> Answer:
        """Never raises for what a page, a server or the browser may do; `results` gets how each step went."""
        opened = opened or Opened()
        options = request.options
        total_for = min(MAX_TIMEOUT, total_for + sum(step.timeout_for for step in options.steps))
        began = self._clock.monotonic()
        answer: Answer
        try:
            async with self._pool.context(
                proxy=options.proxy, opens_for=total_for, **_identity(request), **_state(opened)
            ) as context:
                began = self._clock.monotonic()  # to wait for a turn costs nothing
                async with asyncio.timeout(total_for):
                    answer = await self._rendered(context, request, opened, [] if results is None else results)
        except (TimeoutError, TookTooLong):
            answer = Failed(request=request, reason="timeout")
        except Error as error:
            answer = Failed(request=request, reason=_reason(error))
        if isinstance(answer, Unmodified):
            return answer
        return msgspec.structs.replace(answer, browser_for=max(0.001, self._clock.monotonic() - began))

    async def sign_in(self, request: Request, opened: Opened, *, total_for: float) -> bytes | Failed:
        """Do the steps of the request's session in a context of its own: the state that they made, or how they failed."""
        session = _session(opened)
        total_for = min(MAX_TIMEOUT, total_for + sum(step.timeout_for for step in session.steps))
        failed = Failed(request=request, reason="signed out: the sign-in page does not load", outcome="signed_out")
        try:
            async with self._pool.context(proxy=request.options.proxy, **_identity(request)) as context:
                async with asyncio.timeout(total_for):
                    page = await context.new_page()
                    await page.goto(session.url, wait_until="domcontentloaded", timeout=0)
                    await _ready(page, None)
                    result = await self._steps(page, session.url, session.steps, opened, [])
                    if result is not None:
                        reason = f"signed out: step {result.number} of the sign-in, {result.step}: {result.sentence}"
                        return msgspec.structs.replace(failed, reason=reason, step=result)
                    await _ready(page, None)
                    if await _asks_to_sign_in(page, session, None):
                        return msgspec.structs.replace(failed, reason="signed out: the sign-in was refused")
                    return msgspec.json.encode(await context.storage_state())
        except (TimeoutError, Error):
            return failed

    @asynccontextmanager
    async def live(
        self, request: Request, opened: Opened, find_secrets: FindSecrets, *, total_for: float
    ) -> AsyncIterator[LivePage | Failed]:
        """The page of a request, open for steps one by one until the end of the block."""
        secrets = dict(opened.secrets)
        async with AsyncExitStack() as stack:
            found: LivePage | Failed
            try:
                context = await stack.enter_async_context(
                    self._pool.context(proxy=request.options.proxy, **_identity(request), **_state(opened))
                )
                async with asyncio.timeout(total_for):
                    page = await _new_page(context, request)
                    await page.goto(request.url, wait_until="domcontentloaded", timeout=0)
                    await _ready(page, None)
                runner = StepRunner(page, home=request.url, steps=(), secrets=secrets, scripts=self._scripts)
                found = LivePage(page, runner, secrets, find_secrets)
            except (TimeoutError, TookTooLong):
                found = Failed(request=request, reason="timeout")
            except Error as error:
                found = Failed(request=request, reason=_reason(error))
            yield found

    async def _rendered(self, context: BrowserContext, request: Request, opened: Opened, results: list[StepResult]) -> Answer:
        options = request.options
        page = await _new_page(context, request)
        response = await page.goto(request.url, wait_until="domcontentloaded", timeout=0)
        if response is None:
            return Failed(request=request, reason="malformed response")
        if (await response.header_value("content-type") or "").split(";")[0].strip().lower() not in _HTML:
            return Failed(request=request, reason=NOT_HTML)
        if opened.session is not None:
            await _ready(page, None)
            if await _asks_to_sign_in(page, opened.session.session, response):
                return Failed(request=request, reason=SIGNED_OUT, outcome="signed_out")
        if options.steps:
            await _ready(page, None)
            failed = await self._steps(page, request.url, options.steps, opened, results)
            if failed is not None:
                reason = f"step {failed.number}, {failed.step}: {failed.sentence}"
                return Failed(request=request, reason=reason, outcome="step_failed", step=failed)
        await _ready(page, options.wait_for)
        max_bytes = options.max_bytes or self._max_bytes
        html = await isolated.evaluate(page, TAKE, max_bytes)
        if html is not None and opened.secrets:
            html = hidden(html, opened.secrets.values())
        answer = await self._answer(page, response, request, html, max_bytes)
        if request.picture is None or not isinstance(answer, Fetched):  # of an error page no picture is wanted
            return answer
        return await self._pictured(page, request, opened)

    async def _pictured(self, page: Page, request: Request, opened: Opened) -> Answer:
        filled = (step for step in request.options.steps if isinstance(step, Fill) and "{{" in step.value)
        covered = [page.locator(step.on).first for step in filled]
        if request.picture and not await page.locator(request.picture).count():
            return Failed(request=request, reason=f"nothing matches {request.picture}", outcome="selector_missing")
        picture = await take_picture(
            page, secrets=opened.secrets.values(), covered=covered, whole=True, of=request.picture or None
        )
        if picture is None or len(picture) > _LARGEST_PICTURE:
            return Failed(request=request, reason="no picture")
        headers, body = {"content-type": BROWSER_PICTURE}, picture
        if request.outlined:
            headers = {"content-type": "application/json"}
            outlines = await _outlines(page, opened.secrets, controls=False)
            body = msgspec.json.encode(OutlinedPage(picture=picture, outlines=outlines))
        return Fetched(
            request=request, url=page.url, status=200, headers=headers, body=body, at=self._clock.now(), rendered=True
        )

    async def _steps(
        self, page: Page, home: str, steps: tuple[Step, ...], opened: Opened, results: list[StepResult]
    ) -> StepResult | None:
        """The step that failed, if one did."""
        runner = StepRunner(page, home=home, steps=steps, secrets=opened.secrets, scripts=self._scripts)
        results += await runner.run()
        return next((one for one in results if one.outcome == "failed"), None)

    async def _answer(self, page: Page, response: Response, request: Request, html: str | None, max_bytes: int) -> Answer:
        final, status = page.url, response.status
        if not final.startswith(("http://", "https://")):
            return Failed(request=request, reason="redirect to a refused url")
        body = sanitize(html).encode() if html is not None else b""
        if html is None or len(body) > max_bytes:
            return Failed(request=request, reason="body too large", truncated=True)
        headers = {**await response.all_headers(), "content-type": "text/html; charset=utf-8"}
        blocked_by = block_page(status, headers, body[:_MARKS])
        if blocked_by is None and final != request.url and not request.options.steps:  # steps go where they say
            blocked_by = block_page_at(final, request.url)
        if blocked_by is not None or status in _BLOCKED_STATUSES:
            return Blocked(request=request, reason=blocked_by or f"http {status}", status=status)
        if not 200 <= status < 300:
            return Failed(request=request, reason=f"http {status}", status=status)
        kept = {name: sanitize(value) for name, value in headers.items() if name not in ("etag", "last-modified")}
        return Fetched(request=request, url=final, status=status, headers=kept, body=body, at=self._clock.now(), rendered=True)


class LivePage:
    """A page that stays open: each step is done at once, with a picture of what the page shows then."""

    def __init__(self, page: Page, runner: StepRunner, secrets: dict[str, str], find_secrets: FindSecrets) -> None:
        self._page = page
        self._runner = runner
        self._secrets = secrets  # the runner's too; grows with the steps that name some
        self._find_secrets = find_secrets

    async def do(self, number: int, step: Step) -> StepResult:
        """How one more step went; never raises for what a page may do."""
        if (why_not := await self._lacks(step)) is not None:
            return StepResult(number=number, step=step_text(step), outcome="failed", sentence=why_not)
        result = await self._runner.do(number, step)
        if result.outcome in ("done", "stopped", "skipped"):
            with suppress(TimeoutError, Error):
                async with asyncio.timeout(_LOADS_FOR):
                    await _ready(self._page, None)
        return result if result.picture else msgspec.structs.replace(result, picture=await self._runner.picture())

    async def _lacks(self, step: Step) -> str | None:
        """Why a step cannot be done: it names a secret that there is not."""
        names = names_in(FetchOptions(steps=(step,)).texts()) - self._secrets.keys()
        if not names:
            return None
        try:
            self._secrets.update(await self._find_secrets(names))
        except BadSetting as error:
            return error.message
        missing = sorted(names - self._secrets.keys())
        return f'there is no secret named "{missing[0]}"' if missing else None

    async def shown(self) -> OutlinedPage | None:
        """The page as it is, with its elements and fields; None if it does not let itself be painted."""
        try:
            async with asyncio.timeout(2 * _LOADS_FOR):
                covered = self._runner.covered
                picture = await take_picture(self._page, secrets=self._secrets.values(), covered=covered, whole=True)
                if picture is None or len(picture) > _LARGEST_PICTURE:
                    return None
                return OutlinedPage(picture=picture, outlines=await _outlines(self._page, self._secrets, controls=True))
        except (TimeoutError, Error):
            return None


async def _new_page(context: BrowserContext, request: Request) -> Page:
    """A page with what the watch sends to its own origin."""
    page, options = await context.new_page(), request.options
    context.on("page", lambda other: _close_later(other, page))
    if own := {name: value for name, value in options.headers.items() if name.lower() not in HARMLESS_HEADERS}:
        await page.route("**/*", lambda route: _with_headers(route, request.url, own))
    if options.cookies:
        await context.add_cookies(
            [{"name": name, "value": value, "url": request.url} for name, value in options.cookies.items()]
        )
    return page


async def _outlines(page: Page, secrets: Mapping[str, str], *, controls: bool) -> tuple[OutlinedElement, ...]:
    given = [ELEMENTS_AT_MOST, controls, LOOKED_FOR]
    found = msgspec.convert(await isolated.evaluate(page, OUTLINE, given), tuple[OutlinedElement, ...])
    return tuple(msgspec.structs.replace(one, text=hidden(one.text, secrets.values())) for one in found)


def _session(opened: Opened) -> SiteSession:
    if opened.session is None:
        raise ValueError("a sign-in needs a session")
    return opened.session.session


def _state(opened: Opened) -> dict[str, Any]:
    state = opened.session.state if opened.session is not None else None
    return {} if state is None else {"storage_state": msgspec.json.decode(state)}


async def _asks_to_sign_in(page: Page, session: SiteSession, response: Response | None) -> bool:
    """Whether the page says that nobody is signed in: by the session's own mark, else by a password field or the status."""
    if session.signed_out_if is not None:
        return await page.locator(session.signed_out_if).first.is_visible()
    if response is not None and response.status in (401, 403):
        return True
    return await page.locator("input[type=password]").first.is_visible()


def _identity(request: Request) -> dict[str, Any]:
    """How the context looks to every host; what is meant for the watch's own origin is not in it."""
    headers = {name.lower(): value for name, value in request.options.headers.items()}
    found: dict[str, Any] = {"viewport": {"width": WIDTH, "height": HEIGHT}}
    if agent := headers.get("user-agent"):
        found["user_agent"] = agent
    if language := headers.get("accept-language"):
        found["locale"] = language.split(",")[0].split(";")[0].strip()
    return found


async def _with_headers(route: Route, home: str, own: dict[str, str]) -> None:
    """Send the watch's own headers to its own origin, and to nobody else."""
    asked = route.request
    if same_place(home, asked.url):
        await route.continue_(headers={**asked.headers, **own})
    else:
        await route.continue_()


async def _ready(page: Page, wait_for: str | None) -> None:
    """Wait until a named part is there, or until the network has been quiet; bounded, since some pages never are."""
    if wait_for:
        await page.wait_for_selector(wait_for, state="attached", timeout=0)
        return
    try:
        await page.wait_for_load_state("networkidle", timeout=_LOADS_FOR * 1000)
    except TookTooLong:
        return  # it loads for ever: what is there is taken


_closing: set[asyncio.Task[None]] = set()


def _close_later(other: Page, page: Page) -> None:
    """A window that the page opened is nobody's business."""
    if other is not page:
        task = asyncio.get_running_loop().create_task(other.close())
        _closing.add(task)
        task.add_done_callback(_closing.discard)


# How Chromium names what went wrong, and how a fetch without a browser does.
_ERRORS: Final = (
    ("ERR_NAME_NOT_RESOLVED", "host not found"),
    ("ERR_TUNNEL_CONNECTION_FAILED", "connection failed"),
    ("ERR_CONNECTION_REFUSED", "connection refused"),
    ("ERR_CERT", "tls certificate refused"),
    ("ERR_SSL", "tls failed"),
    ("ERR_TOO_MANY_REDIRECTS", "too many redirects"),
    ("ERR_EMPTY_RESPONSE", "connection lost"),
    ("ERR_CONNECTION", "connection lost"),
    ("ERR_ABORTED", NOT_HTML),
    ("Download is starting", NOT_HTML),
    ("crashed", "the browser could not hold the page"),
    ("is not a valid selector", "the selector is not valid"),
    ("Unexpected token", "the selector is not valid"),
)


def _reason(error: Error) -> str:
    message = error.message
    return next((reason for mark, reason in _ERRORS if mark in message), "the browser failed")
