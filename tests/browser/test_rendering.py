"""Pages that scripts make, in a real Chromium: what is read of them, what they may not do, and what happens when it dies."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from tests.attacks.loopback import SetClock, reply, site

from driftline.core.answers.failure_text import failure_text
from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.fetch.browser.fetcher import BrowserOptions, BrowsingFetcher
from driftline.fetch.egress import Egress
from driftline.fetch.http import FetchLimits, HttpFetcher
from driftline.model.fetch import Answer, Failed, Fetched, FetchOptions, Request
from driftline.model.watch import Watch
from driftline.policy.rendering import READ_IN_BROWSER
from driftline.settings import Settings
from driftline.web.metrics import Metrics
from driftline.web.pages.watching.preview import previewed
from driftline.wiring.app import App

SHELL = """<!doctype html><title>Hours</title><div id="root"></div>
<noscript>You need to enable JavaScript to run this app.</noscript><script src="/app.js"></script>"""
APP = """setTimeout(async () => {
  const text = await (await fetch('/hours')).text();
  const root = document.getElementById('root');
  root.innerHTML = '<h1>Hours</h1><p>' + text + '</p><p>Loaded at ' + new Date().toLocaleTimeString() + '</p>';
}, 300)"""
PAGES = {
    "/hollow": "<div id=root></div><noscript>Enable JavaScript.</noscript><script src='/worker.js'></script>",
    "/shadow": """<h1>Shop</h1><x-card>Blue chair</x-card><script>
        customElements.define('x-card', class extends HTMLElement {
          connectedCallback() {
            const root = this.attachShadow({mode: 'open'});
            root.innerHTML = '<style>p{color:red}</style><p>In stock: <slot></slot></p>';
          }
        })</script>""",
    "/frames": '<h1>Outside</h1><iframe src="/inside"></iframe>',
    "/inside": "<p>Words of the frame</p>",
    "/never-quiet": "<h1>Busy</h1><script>setInterval(() => fetch('/hours'), 50)</script>",
    "/alerts": "<h1>Alarm</h1><script>for (let i = 0; i < 50; i++) alert(i)</script><p>After the alarm</p>",
    "/popup": "<h1>Popup</h1><script>for (let i = 0; i < 5; i++) window.open('/inside')</script><p>Still here</p>",
    "/later": "<p id=late></p><script>setTimeout(() => { late.innerHTML = '<b class=done>At last</b>' }, 1500)</script>",
    "/hangs": "<h1>Hangs</h1><script>setTimeout(() => { for (;;) {} }, 50)</script>",
    "/local-file": "<script>location = 'file:///etc/passwd'</script><p>Stays</p>",
    "/webgl": """<h1>Painted</h1><canvas id=c></canvas><script>const gl = c.getContext('webgl');
        const paint = () => { for (let i = 0; gl && i < 1e4; i++) gl.clear(gl.COLOR_BUFFER_BIT);
          requestAnimationFrame(paint) };
        paint()</script><p>Without a graphics card</p>""",
    "/grows": "<script>const held = []; setInterval(() => held.push(new Uint8Array(64e6).fill(1)), 1)</script>",
}


class Site:
    """Pages with scripts, and what was asked for."""

    def __init__(self) -> None:
        self.hours = "Open from nine to five on weekdays, and closed on Sundays."
        self.canary = ""
        self.seen: list[web.Request] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.seen.append(request)
        match request.path:
            case "/app":
                return web.Response(text=SHELL, content_type="text/html")
            case "/empty-app":
                return web.Response(text=SHELL.replace("app.js", "empty.js"), content_type="text/html")
            case "/empty.js":
                return web.Response(text="", content_type="text/javascript")
            case "/app.js":
                return web.Response(text=APP, content_type="text/javascript")
            case "/hours":
                return web.Response(text=self.hours)
            case "/download":
                return web.Response(body=b"x" * 100, headers={"Content-Disposition": "attachment; filename=a.bin"})
            case "/json":
                return web.json_response({"a": 1})
            case "/missing":
                return web.Response(status=404, text="<p>no</p>", content_type="text/html")
            case "/private":
                socket = self.canary.replace("http", "ws")
                script = f"fetch('{self.canary}/a'); new WebSocket('{socket}/b'); new Image().src = '{self.canary}/c'"
                frame = f"<iframe src='{self.canary}/d'></iframe><link rel=prefetch href='{self.canary}/e'>"
                worker = "navigator.serviceWorker && navigator.serviceWorker.register('/worker.js')"
                return web.Response(text=f"<p>Here</p>{frame}<script>{script};{worker}</script>", content_type="text/html")
            case "/to-private":
                return web.Response(text=f"<script>location = '{self.canary}/f'</script><p>x</p>", content_type="text/html")
            case "/worker.js":
                return web.Response(text=f"fetch('{self.canary}/g')", content_type="text/javascript")
            case "/huge":
                answer = web.StreamResponse(headers={"Content-Type": "text/html"})
                await answer.prepare(request)
                with contextlib.suppress(ConnectionError):
                    for _ in range(200):
                        await answer.write(b"<p>" + b"word " * 209_715 + b"</p>")  # a megabyte
                return answer
            case "/favicon.ico":
                return web.Response(status=404)
            case path:
                return web.Response(text=f"<!doctype html><body>{PAGES[path]}", content_type="text/html")


@asynccontextmanager
async def pages() -> AsyncIterator[tuple[Site, str]]:
    local = Site()
    app = web.Application()
    app.router.add_get("/{path:.*}", local.answer)
    async with TestServer(app, host="127.0.0.1") as server:
        yield local, str(server.make_url("")).rstrip("/")


def fetcher(chromium: str, *ports: str, total_for: float = 20.0) -> BrowsingFetcher:
    egress, clock, limits = Egress(ports), SetClock(), FetchLimits(total_for=total_for)
    return BrowsingFetcher(
        HttpFetcher(egress, clock, limits=limits), egress, clock, limits=limits, options=BrowserOptions(path=chromium)
    )


def rendered(url: str, **options: object) -> Request:
    return Request(url=url, options=FetchOptions(browser="always", **options))  # type: ignore[arg-type]


async def text_of(answer: Answer) -> str:
    assert isinstance(answer, Fetched), answer
    assert answer.rendered
    return answer.body.decode()


async def test_what_scripts_shadow_roots_and_frames_show_is_read(chromium: str) -> None:
    async with pages() as (_, url), fetcher(chromium, "127.0.0.1") as browser:
        app = await text_of(await browser.fetch(rendered(f"{url}/app"), robots=False))
        assert "Open from nine to five" in app
        shadow = await text_of(await browser.fetch(rendered(f"{url}/shadow"), robots=False))
        assert "In stock: <slot>Blue chair</slot>" in shadow
        assert shadow.count("color:red") == 1  # in the script's own source
        frames = await text_of(await browser.fetch(rendered(f"{url}/frames"), robots=False))
        assert "Words of the frame" in frames
        assert frames.index("Outside") < frames.index("Words of the frame")


async def test_a_page_is_waited_for_until_it_is_quiet_or_shows_what_was_named(chromium: str) -> None:
    async with pages() as (_, url), fetcher(chromium, "127.0.0.1") as browser:
        assert "Busy" in await text_of(await browser.fetch(rendered(f"{url}/never-quiet"), robots=False))
        late = await browser.fetch(rendered(f"{url}/later", wait_for=".done"), robots=False)
        assert "At last" in await text_of(late)
        never = await browser.fetch(rendered(f"{url}/later", wait_for=".no-such", timeout_for=3.0), robots=False)
        assert isinstance(never, Failed)
        assert never.reason == "timeout"


async def test_windows_alarms_and_other_schemes_do_not_keep_a_page_from_being_read(chromium: str) -> None:
    async with pages() as (_, url), fetcher(chromium, "127.0.0.1") as browser:
        assert "After the alarm" in await text_of(await browser.fetch(rendered(f"{url}/alerts"), robots=False))
        assert "Still here" in await text_of(await browser.fetch(rendered(f"{url}/popup"), robots=False))
        stays = await browser.fetch(rendered(f"{url}/local-file"), robots=False)
        assert "root:" not in await text_of(stays)


async def test_what_is_no_page_is_fetched_plainly(chromium: str) -> None:
    async with pages() as (_, url), fetcher(chromium, "127.0.0.1") as browser:
        json = await browser.fetch(rendered(f"{url}/json"), robots=False)
        assert isinstance(json, Fetched)
        assert (json.body, json.rendered) == (b'{"a": 1}', False)
        download = await browser.fetch(rendered(f"{url}/download"), robots=False)
        assert isinstance(download, Fetched)
        assert not download.rendered
        missing = await browser.fetch(rendered(f"{url}/missing"), robots=False)
        assert (isinstance(missing, Failed), missing.reason if isinstance(missing, Failed) else "") == (True, "http 404")


async def test_nothing_private_is_reached_by_any_way(chromium: str) -> None:
    async with site(reply(b"secret")) as canary, pages() as (local, url):
        local.canary = f"http://127.0.0.1:{canary.port}"
        allowed = url.removeprefix("http://")  # this port of loopback, and no other
        async with fetcher(chromium, allowed) as browser:
            assert "Here" in await text_of(await browser.fetch(rendered(f"{url}/private"), robots=False))
            await browser.fetch(rendered(f"{url}/to-private"), robots=False)
            refused = await browser.fetch(rendered(f"{local.canary}/"), robots=False)
            assert not isinstance(refused, Fetched)
        assert canary.connections == 0


async def test_a_page_of_200_megabytes_ends_alone_and_one_that_paints_is_read(chromium: str) -> None:
    async with site(reply(b"secret")) as canary, pages() as (local, url):
        local.canary = f"http://127.0.0.1:{canary.port}"
        async with fetcher(chromium, url.removeprefix("http://"), total_for=60.0) as browser:
            huge = await browser.fetch(rendered(f"{url}/huge"), robots=False)
            assert isinstance(huge, Failed)
            assert huge.reason in ("body too large", "the browser could not hold the page", "timeout")
            painted = await browser.fetch(rendered(f"{url}/webgl"), robots=False)
            assert "Without a graphics card" in await text_of(painted)
        assert canary.connections == 0


async def test_headers_and_cookies_go_to_the_own_origin_alone(chromium: str) -> None:
    async with pages() as (other, elsewhere), pages() as (local, url), fetcher(chromium, "127.0.0.1", "localhost") as browser:
        local.canary = elsewhere.replace("127.0.0.1", "localhost")
        asked = rendered(f"{url}/private", headers={"X-Key": "secret"}, cookies={"session": "secret"})
        await browser.fetch(asked, robots=False)
        first = local.seen[0]
        assert (first.headers["x-key"], first.cookies["session"]) == ("secret", "secret")
        assert other.seen
        assert not any("x-key" in request.headers or request.cookies for request in other.seen)


async def test_a_page_that_hangs_ends_at_its_deadline_and_others_go_on(chromium: str) -> None:
    async with pages() as (_, url), fetcher(chromium, "127.0.0.1") as browser:
        hangs, app = await asyncio.gather(
            browser.fetch(rendered(f"{url}/hangs", timeout_for=4.0), robots=False),
            browser.fetch(rendered(f"{url}/app"), robots=False),
        )
        assert isinstance(hangs, Failed)
        assert "Open from nine" in await text_of(app)
        assert "Open from nine" in await text_of(await browser.fetch(rendered(f"{url}/app"), robots=False))


async def test_a_page_that_grows_without_end_is_ended_alone(chromium: str) -> None:
    async with pages() as (_, url), fetcher(chromium, "127.0.0.1") as browser:
        grows, app = await asyncio.gather(
            browser.fetch(rendered(f"{url}/grows", wait_for=".never"), robots=False),
            browser.fetch(rendered(f"{url}/app"), robots=False),
        )
        assert isinstance(grows, Failed)
        assert grows.reason == "the browser could not hold the page"
        assert "Open from nine" in await text_of(app)


def browsers() -> set[int]:
    """Chromium's main processes below this one; a child that has not yet become what it will be looks like its parent."""
    found: dict[int, list[str]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if (
            b"--headless" in command
            and b"--type=" not in command
            and f"{os.getpid()}" in (line := _ancestors(int(folder.name)))
        ):
            found[int(folder.name)] = line
    return {pid for pid, line in found.items() if not any(f"{other}" in line for other in found)}


def _ancestors(pid: int) -> list[str]:
    line = []
    while pid > 1:
        try:
            pid = int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            break
        line.append(str(pid))
    return line


async def test_a_killed_browser_fails_one_fetch_and_the_next_one_starts_another(chromium: str) -> None:
    others = browsers()  # of other tests in this process
    async with pages() as (_, url), fetcher(chromium, "127.0.0.1") as browser:
        assert isinstance(await browser.fetch(rendered(f"{url}/app"), robots=False), Fetched)
        (first,) = browsers() - others
        waiting = asyncio.create_task(browser.fetch(rendered(f"{url}/later", wait_for=".no-such"), robots=False))
        await asyncio.sleep(1)
        os.kill(first, signal.SIGKILL)
        assert isinstance(await waiting, Failed)
        assert "Open from nine" in await text_of(await browser.fetch(rendered(f"{url}/app"), robots=False))
        (second,) = browsers() - others
        assert second != first
    assert browsers() <= others


async def test_a_browser_that_hangs_fails_one_fetch_and_is_replaced_and_leaves_nothing(chromium: str) -> None:
    others = browsers()
    async with pages() as (_, url), fetcher(chromium, "127.0.0.1", total_for=3.0) as browser:
        assert isinstance(await browser.fetch(rendered(f"{url}/app", timeout_for=20.0), robots=False), Fetched)
        (first,) = browsers() - others
        os.kill(first, signal.SIGSTOP)  # it takes no orders, and does not end
        hung = await browser.fetch(rendered(f"{url}/app"), robots=False)
        assert isinstance(hung, Failed)
        assert "Open from nine" in await text_of(await browser.fetch(rendered(f"{url}/app", timeout_for=20.0), robots=False))
    assert browsers() <= others


@pytest.fixture
def app(tmp_path: Path, chromium: str) -> Iterator[App]:
    settings = Settings(
        db=f"sqlite:///{tmp_path}/d.db", allow_hosts=("127.0.0.1",), calibrate_after=0.0, chromium=chromium, timeout_for=20.0
    )
    with closing(App(settings)) as opened:
        yield opened


async def checked(app: App, watch: Watch) -> Checked:
    """The watch, checked as a worker does."""
    ended: list[Checked] = []

    async def listen(one: Checked) -> None:
        ended.append(one)

    async with app.worker(listen) as worker:
        await worker.check_now([watch.id])
    (one,) = ended
    return one


def stored(app: App, watch: Watch) -> Watch:
    return app.store.read_now(lambda session: session.org(app.org.id).watches.get(str(watch.id)))


async def test_a_page_made_by_scripts_is_watched_without_any_option(app: App) -> None:
    async with pages() as (local, url):
        (watch,) = await asyncio.to_thread(app.add, [app.draft(WatchInput(url=f"{url}/app"))])
        first = (await checked(app, watch)).run
        assert (first.outcome, first.reason) == ("baseline", READ_IN_BROWSER)
        note = await asyncio.to_thread(lambda: app.read(lambda data: data.runs.notes([watch.id])))
        assert note == {watch.id: READ_IN_BROWSER}  # what the list and the watch's page say of it
        known = await asyncio.to_thread(stored, app, watch)
        assert known.browser_until is not None
        plain = len([request for request in local.seen if request.path == "/app"])
        assert (await checked(app, watch)).run.outcome == "unchanged"
        assert len([request for request in local.seen if request.path == "/app"]) == plain + 1  # straight to the browser
        local.hours = "Open from nine to six on weekdays, and closed on Sundays."
        changed = await checked(app, watch)
        assert (changed.run.outcome, len(changed.changes)) == ("changed", 1)
        assert "five" in changed.changes[0].headline
        assert "six" in changed.changes[0].headline
        cost = await asyncio.to_thread(lambda: app.read(lambda data: data.runs.browser_cost(watch.id)))
        loads = [request.path for request in local.seen].count("/app.js")
        assert (cost.checks, cost.pages) == (3, loads)  # with second looks and pictures
        assert str(cost).endswith(" s in the latest 3 checks")
        metrics = Metrics()
        await metrics.checked(changed)
        text = (await metrics.text(app)).decode()
        assert f"driftline_browser_pages_total {changed.run.browser.pages:.1f}" in text


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "hung"])
async def test_a_browser_that_ends_or_hangs_fails_its_run_with_a_sentence_and_others_go_on(
    app: App, end: signal.Signals
) -> None:
    others, ended = browsers(), {}

    async def listen(one: Checked) -> None:
        ended[one.watch.name] = one.run

    async with pages() as (local, url):
        fetch = FetchOptions(browser="always", wait_for=".never", timeout_for=8.0)
        drafts = [
            app.draft(WatchInput(url=f"{url}/later", name="waits", fetch=fetch)),
            app.draft(WatchInput(url=f"{url}/alerts", name="plain", fetch=FetchOptions(browser="never"))),
            app.draft(WatchInput(url=f"{url}/app", name="next")),
        ]
        waits, plain, following = await asyncio.to_thread(app.add, drafts)
        async with app.worker(listen) as worker:
            checking = asyncio.create_task(worker.check_now([waits.id, plain.id]))
            for _ in range(600):
                if any(request.path == "/later" for request in local.seen):
                    break
                await asyncio.sleep(0.1)
            for browser in browsers() - others:
                os.kill(browser, end)
            await checking
            await worker.check_now([following.id])
    assert {name: run.outcome for name, run in ended.items()} == {"waits": "error", "plain": "baseline", "next": "baseline"}
    said = failure_text(ended["waits"].outcome, ended["waits"].reason).what
    assert said in ("The browser could not load the page", "The site did not answer in time")
    assert browsers() <= others


async def test_a_page_made_by_scripts_is_previewed_as_it_will_be_watched(app: App) -> None:
    async with pages() as (_, url):
        shown = await previewed(app, WatchInput(url=f"{url}/app"))
    assert shown.seen is not None
    assert shown.seen.rendered
    assert shown.seen.message == READ_IN_BROWSER
    assert "Open from nine to five" in shown.seen.text


async def test_a_page_that_is_empty_in_the_browser_too_is_not_said_to_need_one(app: App) -> None:
    async with pages() as (_, url):
        (watch,) = await asyncio.to_thread(app.add, [app.draft(WatchInput(url=f"{url}/hollow"))])
        run = (await checked(app, watch)).run
        shown = await previewed(app, WatchInput(url=f"{url}/hollow"))
    assert failure_text(run.outcome, run.reason).what == "The page is empty, in the browser too"
    assert shown.seen is not None
    assert shown.seen.message is not None
    assert shown.seen.message.startswith("The page is empty, in the browser too")


async def test_a_shell_that_stays_empty_starts_the_browser_once_a_day(app: App) -> None:
    async with pages() as (local, url):
        (watch,) = await asyncio.to_thread(app.add, [app.draft(WatchInput(url=f"{url}/empty-app"))])
        ended = [(await checked(app, watch)).run for _ in range(3)]
        assert [(run.outcome, run.reason) for run in ended] == [("error", "empty in the browser")] * 3
        assert len([request for request in local.seen if request.path == "/empty.js"]) == 1


@pytest.mark.parametrize("without", [{"browser": False}, {"chromium": "/no/such/chromium"}], ids=["turned off", "not there"])
async def test_without_a_browser_the_check_says_what_is_missing(tmp_path: Path, without: dict[str, Any]) -> None:
    settings = Settings(db=f"sqlite:///{tmp_path}/d.db", allow_hosts=("127.0.0.1",), calibrate_after=0.0, **without)
    async with pages() as (_, url):
        with closing(App(settings)) as app:
            (watch,) = await asyncio.to_thread(app.add, [app.draft(WatchInput(url=f"{url}/app"))])
            ended = await checked(app, watch)
            assert ended.run.outcome == "needs_browser"
            advice = failure_text(ended.run.outcome, ended.run.reason).advice
            assert "pip install 'driftline[browser]', and Chromium" in advice
