"""Steps and sessions in a real Chromium: what they do, how they fail, and that a password appears nowhere."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import msgspec
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from litestar.testing import TestClient
from tests.browser.test_rendering import checked, stored
from tests.web_server import HERE, WebServer

from driftline.core.answers.failure_text import failure_text
from driftline.core.text.step_texts import read_steps
from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.imports.watch_list import input_of
from driftline.model.fetch import Failed, Fetched, FetchOptions, Request
from driftline.model.watch import Watch
from driftline.settings import Settings
from driftline.web.app import create_app
from driftline.wiring.app import App

PASSWORD = "correct-horse-battery-staple"
KEY = "k" * 40
_PARAMETER = re.compile(r"\{(\w+):\w+\}")
_ID = re.compile(r"\{\w+:uuid\}")
# What a route shows only to who asks for it.
_QUERIES: dict[str, tuple[str, ...]] = {
    "/api/v1/search": ("?words=password",),
    "/search": ("?words=password",),
    "/api/v1/items/{item_id:uuid}/compare": ("?from=1&to=2",),
    "/items/{item_id:uuid}/compare": ("?from=1&to=2",),
    "/api/v1/items/{item_id:uuid}/version": ("?number=1",),
    "/items/{item_id:uuid}/version": ("?number=1",),
    "/items/{item_id:uuid}/look": ("?number=1",),
    "/watches/{watch_id:uuid}": ("", "?tab=history", "?tab=checks", "?tab=noise", "?tab=edit"),
}
TOOLS = """<!doctype html><title>Tools</title><h1>Tools</h1>
<div role="dialog" id="ask" style="position:fixed;inset:0;background:#fff"><p>We value your privacy</p>
<button onclick="ask.remove()">Alle akzeptieren</button>
<button onclick="ask.remove(); document.title = 'refused'">Reject all</button></div>
<input id="q" onkeydown="if (event.key === 'Enter') said.textContent = 'searched ' + q.value">
<select id="color"><option value="r">Red</option><option value="b">Blue</option></select>
<label><input type="checkbox" id="box"> Box</label>
<b id="menu" onmouseenter="said.dataset.over = 1">Menu</b>
<button id="more" onclick="list.innerHTML += '<li>More</li>'">More</button><ul id="list"></ul>
<iframe srcdoc="<button onclick='parent.said.dataset.inside = 1'>Inside</button>" id="pay"></iframe>
<p id="said"></p><script>setTimeout(() => { said.insertAdjacentHTML('afterend', '<p id=late>Late words</p>') }, 400)</script>"""
SCROLL = """<!doctype html><title>Endless</title><ul id="list"></ul><script>
let count = 0;
const more = () => { for (let i = 0; i < 40; i++) list.innerHTML += '<li style="height:40px">Entry ' + (++count) + '</li>' };
more();
addEventListener('scroll', () => {
  if (count < 120 && innerHeight + scrollY >= document.documentElement.scrollHeight - 5) setTimeout(more, 100);
});</script>"""
FORM = """<!doctype html><title>Sign in</title><form method="post" action="/enter">
<input name="user" id="user"><input name="password" id="password" type="{type}"><button>Sign in</button></form>"""


def html(text: str) -> web.Response:
    return web.Response(text=text, content_type="text/html")


class Members:
    """A site with a door: a session lives until it is ended, and the page repeats what it was told."""

    def __init__(self) -> None:
        self.tickets: set[str] = set()
        self.entered = 0
        self.news = "The first news for members."
        self.password = PASSWORD
        self.type = "password"

    async def answer(self, request: web.Request) -> web.StreamResponse:
        match request.path:
            case "/tools":
                return html(TOOLS)
            case "/scroll":
                return html(SCROLL)
            case "/enter":
                form = await request.post()
                if (form.get("user"), form.get("password")) != ("ada", self.password):
                    return html(FORM.format(type=self.type))
                self.entered += 1
                ticket = f"ticket-{self.entered}"
                self.tickets.add(ticket)
                found = web.Response(status=303, headers={"Location": "/members"})
                found.set_cookie("ticket", ticket)
                return found
            case "/members" if request.cookies.get("ticket") in self.tickets:
                words = f"<h1>Members</h1><p>{self.news}</p><p>Your password is {self.password}</p>"
                return html(f"<!doctype html><title>Members</title>{words}")
            case "/echo":
                return html(f"<!doctype html><h1>Echo</h1><p>You sent {request.headers.get('x-key')}</p>")
            case "/members":
                raise web.HTTPFound("/door")
            case _:
                return html(FORM.format(type=self.type))


@asynccontextmanager
async def members() -> AsyncIterator[tuple[Members, str]]:
    local = Members()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", local.answer)
    async with TestServer(app, host="127.0.0.1") as server:
        yield local, str(server.make_url("")).rstrip("/")


@pytest.fixture
def app(tmp_path: Path, chromium: str) -> Iterator[App]:
    settings = Settings(
        db=f"sqlite:///{tmp_path}/d.db",
        allow_hosts=("127.0.0.1",),
        calibrate_after=0.0,
        chromium=chromium,
        timeout_for=20.0,
        secret_key=KEY,
    )
    with closing(App(settings)) as opened:
        yield opened


@asynccontextmanager
async def checking(app: App) -> AsyncIterator[Callable[[Watch], Awaitable[Checked]]]:
    """A worker that stays, with its browser."""
    ended: list[Checked] = []

    async def listen(one: Checked) -> None:
        ended.append(one)

    async with app.worker(listen) as worker:

        async def check(watch: Watch) -> Checked:
            await worker.check_now([watch.id])
            return ended.pop()

        yield check


def asked(app: App, url: str, *steps: str, **options: object) -> Request:
    return Request(url=url, options=FetchOptions(steps=read_steps(steps), **options), org_id=app.org.id)  # type: ignore[arg-type]


async def test_steps_do_what_they_say(app: App) -> None:
    steps = (
        "dismiss",
        "fill #q with blue lamps",
        "press Enter in #q",
        "select Blue in #color",
        "check #box",
        "hover #menu",
        "click text=More",
        "wait_for text Late words",
        "frame #pay",
        "click text=Inside",
        "frame",
        "screenshot",
        "try click #no-such within 1s",
        "stop_if #late",
        "click #never",
    )
    async with members() as (_, url), app.fetcher() as fetcher:
        results, answer = await fetcher.try_steps(asked(app, f"{url}/tools", *steps))
    assert [one.outcome for one in results] == ["done"] * 12 + ["skipped", "stopped", "left_out"], results
    assert isinstance(answer, Fetched)
    page = answer.body.decode()
    assert "searched blue lamps" in page
    assert "<title>refused</title>" in page  # to refuse is preferred, in whatever language
    assert "<li>More</li>" in page
    assert all(mark in page for mark in ('data-over="1"', 'data-inside="1"'))
    assert (results[11].picture or b"").startswith(b"\x89PNG")


async def test_scrolling_loads_all_of_a_page_that_grows(app: App) -> None:
    async with members() as (_, url), app.fetcher() as fetcher:
        _, answer = await fetcher.try_steps(asked(app, f"{url}/scroll", "scroll"))
    assert isinstance(answer, Fetched)
    assert b"Entry 120</li>" in answer.body


async def test_a_step_that_fails_ends_the_check_with_its_number_and_a_picture(app: App) -> None:
    async with members() as (_, url):
        fetch = FetchOptions(steps=read_steps(["dismiss", "click #no-such within 1s"]))
        (watch,) = await asyncio.to_thread(app.add, [app.draft(WatchInput(url=f"{url}/tools", fetch=fetch))])
        async with checking(app) as check:
            first, second = await check(watch), await check(watch)
        async with app.fetcher() as fetcher:
            answer = await fetcher.fetch(asked(app, f"{url}/tools", "click #no-such within 1s"), robots=False)
    assert (first.run.outcome, first.changes[0].type) == ("step_failed", "step_failed")
    assert first.changes[0].headline.startswith("Step 2, click #no-such within 1s: nothing on the page matches after 1 s")
    assert second.changes == ()  # reported once
    assert isinstance(answer, Failed)
    assert answer.step is not None
    assert (answer.step.picture or b"").startswith(b"\x89PNG")


async def test_scripts_are_run_only_where_the_operator_allows_them(app: App) -> None:
    async with members() as (_, url), app.fetcher() as fetcher:
        (result,), answer = await fetcher.try_steps(asked(app, f"{url}/tools", "evaluate 1 + 1"))
    assert (result.outcome, isinstance(answer, Failed)) == ("failed", True)
    assert "operator" in result.sentence


async def test_a_secret_is_not_filled_in_on_another_site(app: App) -> None:
    await asyncio.to_thread(app.set_secret, "pw", PASSWORD)
    async with members() as (_, url), members() as (_, other), app.fetcher() as fetcher:
        moved = "evaluate location = 'x'".replace("x", f"{other}/door")
        opened = msgspec.structs.replace(app.settings, browser_scripts=True)
        with closing(App(opened)) as lenient:
            async with lenient.fetcher() as loose:
                steps = (moved, "wait_for #password", "fill #password with {{secret:pw}}")
                for given in (steps, (*steps[:2], "select {{secret:pw}} in #password")):
                    results, _ = await loose.try_steps(asked(app, f"{url}/tools", *given))
                    assert results[-1].outcome == "failed"
                    assert "a secret is not filled in on" in results[-1].sentence
        results, _ = await fetcher.try_steps(asked(app, f"{url}/tools", f"goto {other}/door", *steps[1:]))
        assert results[-1].outcome == "done"  # the watch names that address


async def test_a_secret_in_a_header_is_sent_and_never_stored(app: App) -> None:
    await asyncio.to_thread(app.set_secret, "key", PASSWORD)
    async with members() as (_, url):
        fetch = FetchOptions(headers={"X-Key": "Bearer {{secret:key}}"})
        (watch,) = await asyncio.to_thread(app.add, [app.draft(WatchInput(url=f"{url}/echo", fetch=fetch))])
        assert (await checked(app, watch)).run.outcome == "baseline"
        text = await asyncio.to_thread(dump, app)
        assert "You sent Bearer [secret]" in text
        await asyncio.to_thread(lambda: app.write(lambda data: data.secrets.remove("key")))
        run = (await checked(app, watch)).run
    assert failure_text(run.outcome, run.reason).what == 'There is no secret named "key"'


def dump(app: App) -> str:
    """Every row of every table, and every stored body, as text."""
    found: list[str] = []

    def rows(session: object) -> None:
        tx = session.tx  # type: ignore[attr-defined]
        for (table,) in tx.rows("SELECT name FROM sqlite_master WHERE type = 'table'"):
            if not table.startswith("search_words"):
                found.extend(str(row) for row in tx.rows(f"SELECT * FROM {table}"))
        for (key,) in tx.rows("SELECT key FROM blobs"):
            found.append((app.store._blobs.load(tx, key) or b"").decode(errors="replace"))

    app.store.read_now(rows)
    return "\n".join(found)


def every_answer(app: App) -> dict[str, bytes]:
    """What every GET route says to the owner, of each thing that the org has: the API and the dashboard."""
    client = TestClient(create_app(app, bound_to="127.0.0.1"), base_url=HERE)
    ids: dict[str, list[str]] = {}

    def find(session: object) -> None:
        tx = session.tx  # type: ignore[attr-defined]  # of the store
        for table in ("watch", "run", "change", "item", "snapshot", "mask", "user", "token"):
            plural = "watches" if table == "watch" else f"{table}s"
            ids[f"{table}_id"] = [str(tx.codec.id(key)) for (key,) in tx.rows(f"SELECT id FROM {plural}")]

    answers = {}
    with client:
        server = WebServer(app, client)
        app.store.read_now(find)
        for method, path, _ in list(server.routes()):
            names = _PARAMETER.findall(path)
            if method != "GET" or path.endswith("/stream") or not set(names) <= {*ids, "side"}:
                continue
            for one in ids[names[0]] if names else [""]:
                side = ("before", "after") if "side" in names else ("",)
                for asked in (re.sub(r"\{side:str\}", name, _ID.sub(one, path)) for name in side):
                    for query in _QUERIES.get(path, ("",)):
                        answers[asked + query] = server.ask("GET", asked + query).content
    return answers


async def test_a_session_that_expires_ten_times_is_signed_in_again_and_the_password_appears_nowhere(
    app: App, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    await asyncio.to_thread(app.set_secret, "pw", PASSWORD)
    steps = ["fill #user with ada", "fill #password with {{secret:pw}}", "screenshot", "click text=Sign in >> nth=-1"]
    async with members() as (local, url):
        await asyncio.to_thread(lambda: app.set_session("club", url=f"{url}/door", steps=steps))
        fetch = FetchOptions(session="club")
        rules = {"calibrate": False}
        drafts = [app.draft(WatchInput(url=f"{url}/members", name=name, fetch=fetch, rules=rules)) for name in ("one", "two")]
        watch, other = await asyncio.to_thread(app.add, drafts)
        async with checking(app) as check:
            assert [(await check(one)).run.outcome for one in (watch, other)] == ["baseline", "baseline"]
            assert local.entered == 1  # one session for both
            for time in range(10):
                local.tickets.clear()
                local.news = f"News number {time} for members."
                ended = await check(watch)
                assert (ended.run.outcome, len(ended.changes)) == ("changed", 1), ended.run.reason
            assert local.entered == 11
            local.password = "another-password-now"
            local.tickets.clear()
            refused = [await check(watch) for _ in range(2)]
        assert [one.run.outcome for one in refused] == ["signed_out", "signed_out"]
        assert [len(one.changes) for one in refused] == [1, 0]  # reported once
        assert "Check the sign-in steps" in refused[0].changes[0].headline
        seen = await asyncio.to_thread(dump, app)
        exported = msgspec.json.encode(input_of(await asyncio.to_thread(stored, app, watch)))
        raw = await asyncio.to_thread(lambda: b"".join(path.read_bytes() for path in tmp_path.iterdir()))
        answers = await asyncio.to_thread(every_answer, app)
    assert "Your password is [secret]" in seen
    assert PASSWORD not in seen
    assert PASSWORD.encode() not in raw
    assert b"ticket-" not in raw  # nor what the site gave for it
    assert PASSWORD not in caplog.text
    assert PASSWORD.encode() not in exported
    assert b'"pw"' in answers["/api/v1/secrets"]
    assert b"{{secret:pw}}" in answers["/api/v1/browser-sessions"]
    assert any(b"News number 9" in said for said in answers.values())
    assert len(answers) > 100
    for path, said in answers.items():
        assert PASSWORD.encode() not in said, path
        assert b"ticket-" not in said, path


async def test_pictures_look_the_same_whatever_the_password_is(app: App) -> None:
    async with members() as (local, url), app.fetcher() as fetcher:
        local.type = "text"  # a form that shows what is typed
        pictures = []
        for value in ("first-password", "a-second-one!!"):
            await asyncio.to_thread(app.set_secret, "pw", value)
            results, _ = await fetcher.try_steps(asked(app, f"{url}/door", "fill #password with {{secret:pw}}", "screenshot"))
            pictures.append(results[-1].picture)
    assert pictures[0] is not None
    assert pictures[0] == pictures[1]


async def test_a_session_is_used_on_its_own_site_alone(app: App) -> None:
    async with members() as (_, url), members() as (_, other), app.fetcher() as fetcher:
        await asyncio.to_thread(lambda: app.set_session("club", url=f"{url}/door", steps=["click text=Sign in"]))
        answer = await fetcher.fetch(asked(app, f"{other}/members", session="club"), robots=False)
    assert isinstance(answer, Failed)
    assert answer.reason.startswith("session of another site: ")
