"""What users write and pages answer to keep a process busy: one line on its own run, and everybody else goes on."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.growth import slowness
from tests.scripted import Page, ScriptedSite, scripted_site
from tests.web_server import server_on

from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.pool import CHECKS_FOR, PREVIEWS_AT_ONCE
from driftline.errors import BadRule
from driftline.model.watch import Watch
from driftline.settings import Settings
from driftline.wiring import App, run_loop

JSON = {"content-type": "application/json"}
SIBLINGS = Page(body=b"<p>x" * 25_000)
NESTED = Page(body=b"[" * 450 + b"1" + b"]" * 450 + b" " * 900, headers=JSON)

# Elements that are never closed begin again in every paragraph: 65 KB, twenty million elements.
REOPENED = Page(body=("<p>" + "".join(f"<b a={number}>" for number in range(1_000)) + "</p><p>x" * 6_000).encode())
MANY = [f"/nowhere{number}.*here/" for number in range(366)]  # as many as could be stored once


def wide(count: int) -> str:
    return "~".join("*" * count)


ATTACKS: dict[str, tuple[Page, dict[str, Any], str, str]] = {
    "siblings of siblings": (SIBLINGS, {"select": [wide(490), wide(480)]}, "error", "The selector `*~*~*~"),
    "many selectors": (
        SIBLINGS, {"remove": [wide(20)] * 40}, "error", "The 40 selectors together are too slow",
    ),
    "descents of descents": (
        NESTED, {"select": ["$..[*]..[*]"]}, "error", "The JSONPath `$..[*]..[*]` is too slow for this answer (",
    ),
    "elements that begin again": (REOPENED, {}, "truncated", "too much to read: "),
}  # fmt: skip


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as scripted:
        yield scripted


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    opened = App(Settings(db=f"sqlite:///{tmp_path / 'a.db'}", allow_hosts=("127.0.0.1",), calibrate_after=0.0))
    opened.pool.deadline_for = 5.0
    try:
        yield opened
    finally:
        opened.close()


def stored(app: App, watch: Watch, rules: dict[str, Any]) -> None:
    """These rules, as an earlier version took them."""
    app.store.write_now(
        lambda session: session.tx.run(
            "UPDATE watches SET rules = ? WHERE id = ?", (msgspec.json.encode(rules).decode(), watch.id)
        )
    )


def checked(app: App) -> tuple[dict[str, Checked], float]:
    """Every watch checked by a worker, and how long its loop was busy with one thing at most."""
    ended: dict[str, Checked] = {}
    longest = 0.0

    async def listen(one: Checked) -> None:
        ended[one.watch.name] = one

    async def ticking() -> None:
        nonlocal longest
        while True:
            before = time.thread_time()
            await asyncio.sleep(0.001)
            longest = max(longest, time.thread_time() - before)

    async def check() -> None:
        async with app.worker(listen) as worker:
            tick = asyncio.create_task(ticking())
            await worker.check_now([watch.id for watch in app.all_watches()])
            tick.cancel()

    run_loop(check)
    return ended, longest


XML = {"content-type": "application/xml"}
TIMED = Page(body=REOPENED.body + b"<h2>12 May 2026</h2><a href=/b>18:30</a>")
ARTICLE = Page(body=b"<article>" + b"Words of an article that can be read. " * 50 + b"</article>")


def sitemap(*urls: str) -> Page:
    return Page(body=f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>".encode(), headers=XML)


def test_a_board_that_takes_too_long_ends_in_one_line_on_its_own_run(app: App, site: ScriptedSite) -> None:
    app.add([app.draft(WatchInput(url=site.show("/hostile", TIMED), name="hostile", kind="availability"))])
    app.add([app.draft(WatchInput(url=site.show("/calm", Page(body=b"<p>Nothing to see." * 2_000)), name="calm"))])
    before = memory()
    ended, longest = checked(app)
    assert (ended["hostile"].run.outcome, (ended["hostile"].run.reason or "")[:18]) == ("truncated", "too much to read: ")
    assert ended["calm"].run.outcome == "baseline"
    assert longest < 0.25 * slowness()
    assert memory() - before < 100


def test_an_article_that_takes_too_long_is_one_line_and_the_others_are_read(app: App, site: ScriptedSite) -> None:
    urls = [site.show("/hostile", REOPENED), site.show("/calm", ARTICLE)]
    url = site.show("/sitemap.xml", sitemap(*urls))
    app.add([app.draft(WatchInput(url=url, name="blog", kind="sitemap", rules={"compare": "content"}))])
    before = memory()
    ended, longest = checked(app)
    run = ended["blog"].run
    assert run.counters["created"] == 2
    (unread,) = (warning for warning in run.warnings if warning.code == "unread_article")
    assert unread.message.startswith(f"{urls[0]}: too much to read: ")
    again = checked(app)[0]["blog"].run  # first sight is created; a known article that cannot be read is never unchanged
    assert {name: again.counters[name] for name in ("unchanged", "unverified", "errors")} == {
        "unchanged": 1, "unverified": 1, "errors": 0
    }  # fmt: skip
    assert longest < 0.25 * slowness()
    assert memory() - before < 100


def test_a_large_sitemap_whose_articles_are_all_new_holds_up_nobody(app: App, site: ScriptedSite) -> None:
    first, second = (sitemap(*(f"https://a.example/{part}/{number}" for number in range(8_000))) for part in ("old", "new"))
    app.add([app.draft(WatchInput(url=site.show("/sitemap.xml", first), name="news", kind="sitemap"))])
    for page, outcome in ((first, "baseline"), (first, "unchanged"), (second, "changed")):
        site.show("/sitemap.xml", page)
        ended, longest = checked(app)
        assert ended["news"].run.outcome == outcome
        assert longest < 0.25 * slowness()  # seconds of the loop's own thread; it was 0.5


@pytest.mark.parametrize("name", ATTACKS)
def test_what_takes_too_long_ends_in_one_line_on_its_own_run(app: App, site: ScriptedSite, name: str) -> None:
    page, rules, outcome, reason = ATTACKS[name]
    if outcome != "truncated":
        app.pool.deadline_for = CHECKS_FOR  # it is refused for its price, however slow the machine is
    (watch,) = app.add([app.draft(WatchInput(url=site.show("/hostile", page), name="hostile"))])
    stored(app, watch, rules)
    app.add([app.draft(WatchInput(url=site.show("/calm", Page(body=b"<p>Nothing to see." * 2_000)), name="calm"))])
    ended, longest = checked(app)
    hostile = ended["hostile"].run
    assert (hostile.outcome, (hostile.reason or "")[: len(reason)]) == (outcome, reason)
    assert "\n" not in (hostile.reason or "")
    assert ended["calm"].run.outcome == "baseline"
    assert longest < 0.25 * slowness()  # seconds of the loop's own thread


@pytest.mark.parametrize(
    ("rules", "reported"),
    [
        ({"select": ["main"] * 30, "remove": ["nav"] * 21}, "Too many selectors"),
        ({"ignore_text": MANY[:51]}, "Too many text patterns"),
    ],
)
def test_more_expressions_than_a_page_can_bear_are_not_stored(app: App, rules: dict[str, Any], reported: str) -> None:
    with pytest.raises(BadRule, match=f"{reported} .*50 at most"):
        app.draft(WatchInput(url="https://example.org/", rules=rules))


def children() -> int:
    """How many child processes of ours there are."""
    return len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()) + sum(
        len(task.joinpath("children").read_text().split())
        for task in Path("/proc/self/task").iterdir()
        if task.name != str(os.getpid())
    )


DEADLINE_FOR = 3.0  # seconds, for one preview


def test_forty_previews_make_two_children_and_the_rest_is_reported_to_wait(tmp_path: Path, site: ScriptedSite) -> None:
    url, calm = site.show("/hostile", REOPENED), site.show("/calm", Page(body=b"<p>Nothing to see." * 2_000))
    with server_on(f"sqlite:///{tmp_path / 'a.db'}") as server:
        server.app.pool.deadline_for = DEADLINE_FOR
        other = server.another("other")
        before, most, waited = children(), 0, 0.0
        done = threading.Event()

        def watching() -> None:
            nonlocal most, waited
            while not done.wait(0.05):
                began = time.monotonic()
                assert server.client.get("/healthz").status_code == 200
                waited = max(waited, time.monotonic() - began)
                most = max(most, children() - before)

        with ThreadPoolExecutor(42) as threads:
            health = threads.submit(watching)
            asked = [threads.submit(server.post, "/preview", {"url": url}) for _ in range(40)]
            beside = threads.submit(server.post, "/preview", {"url": calm}, token=other.token)
            answers = [one.result() for one in asked]
            read = beside.result().json()
            done.set()
            health.result()
    codes = [answer.status_code for answer in answers]
    assert codes.count(200) >= PREVIEWS_AT_ONCE
    assert set(codes) == {200, 429}
    assert {answer.json()["title"] for answer in answers if answer.status_code == 429} == {"Too many previews at once"}
    assert {answer.json()["outcome"] for answer in answers if answer.status_code == 200} == {"truncated"}
    assert (read["outcome"], read["text"][:14]) == (None, "Nothing to see")
    assert most <= 2
    assert waited < DEADLINE_FOR  # a loop that computes a preview itself answers nobody for so long


def memory() -> int:
    """The most that this process ever held, in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) // 1024


# Made when they are sent: a file of 16 MB costs time that collecting has not.
IMPORTS: dict[str, Callable[[], bytes]] = {
    "bad lines": lambda: b"x\n" * (8 * 1024 * 1024 - 10),
    "blank lines": lambda: b"\n" * (16 * 1024 * 1024 - 10),
    "one line": lambda: b"x" * (16 * 1024 * 1024 - 10),
    "YAML": lambda: b"- url: x\n" * 200_000,
    "OPML": lambda: b"<opml>" + b"<outline url='x'/>" * 900_000 + b"</opml>",
    "a file of all watches": lambda: b'{"watching":{' + b",".join(b'"%x":1' % number for number in range(1_100_000)) + b"}}",
}


@pytest.mark.parametrize("name", IMPORTS)
def test_an_import_stops_at_its_limits_as_it_reads(tmp_path: Path, name: str) -> None:
    with server_on(f"sqlite:///{tmp_path / 'a.db'}") as server:
        content = IMPORTS[name]()
        server.get("/watches")
        before, began = memory(), time.process_time()
        answer = server.ask("POST", "/api/v1/import", content=content)
        assert time.process_time() - began < 60
        assert memory() - before < 150
        if name == "one line":
            assert (answer.status_code, answer.json()["refused_count"]) == (201, 1)
        else:
            stopped = any(
                words in answer.text for words in ("at most", "more than", "longer than")
            )  # by size, or by the deadline
            assert (answer.status_code, stopped) == (422, True), answer.text[:500]
