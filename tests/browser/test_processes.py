"""What is left when driftline ends: no browser; what plain watches pay for the browser: nothing; and many visits in a row."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from tests.browser.server import serving
from tests.faults.history import until
from tests.scripted import Page, ScriptedSite, scripted_site

from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.model.fetch import FetchOptions
from driftline.settings import Settings
from driftline.wiring.app import App

PLAIN_CHECK = """
import sys
from driftline.cli import main
try:
    main()
except SystemExit:
    pass
print(",".join(name for name in ("playwright", "PIL", "driftline.fetch.browser.pool") if name in sys.modules) or "nothing")
"""
# A page of scripts with everything that moves by itself: clocks, counters, tokens, an order, an ad, a banner.
NOISY = """<!doctype html><title>Hall hire</title><div id=root></div><noscript>Please enable JavaScript.</noscript><script>
const seed = {seed};
setTimeout(() => {{
  const people = 20 + seed * 37 % 400;
  const near = ['Library', 'Swimming pool', 'Town archive'].sort(() => (seed * 7) % 3 - 1);
  root.innerHTML = `<header>It is ${{new Date(1.79e12 + seed * 61e3).toLocaleTimeString()}}</header><main><h1>Hall hire</h1>
    <p>{words}</p><p>The hall has room for two hundred people, a stage and a small kitchen.</p>
    <p class="x-${{seed.toString(36)}}9f">Updated ${{1 + seed % 50}} minutes ago</p>
    <p>${{people}} people are looking at this page</p><p>Viewed ${{4000 + seed * 13}} times</p></main>
    <aside><h2>Nearby</h2><ul>${{near.map((one) => `<li><a href="/${{one}}?t=${{seed}}">${{one}}</a></li>`).join('')}}</ul>
    </aside>
    <div class="ad" id="google_ads_${{seed}}"><p>Advertisement ${{seed}}</p></div>
    <footer>Request id ${{(seed * 2654435761 >>> 0).toString(16).padStart(8, '0')}}</footer>`;
}}, 300)</script>"""


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as opened:
        yield opened


def below(pid: int) -> dict[int, str]:
    """Every process below this one: its id, and when it started, since ids are used again."""
    children: dict[int, list[int]] = {}
    started = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(folder.name))
        started[int(folder.name)] = fields[19]
    found, left = {}, [pid]
    while left:
        for child in children.get(left.pop(), ()):
            found[child] = started[child]
            left.append(child)
    return found


def alive(processes: dict[int, str]) -> list[int]:
    """Those that still run."""
    found = []
    for pid, started in processes.items():
        try:
            fields = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[19] == started and fields[0] != "Z":
            found.append(pid)
    return found


def is_browser(pid: int) -> bool:
    """Whether this is the browser itself, and none of its own processes."""
    words = (Path("/proc") / str(pid) / "cmdline").read_bytes().split(b"\0")
    return any(one.startswith(b"--driftline-browser") for one in words) and not any(one.startswith(b"--type") for one in words)


def ended(process: subprocess.Popen[str]) -> None:
    os.kill(process.pid, signal.SIGTERM)


def killed(process: subprocess.Popen[str]) -> None:
    os.kill(process.pid, signal.SIGKILL)


def interrupted(process: subprocess.Popen[str]) -> None:
    """As a terminal does at Ctrl-C: everything that was started in it hears of it."""
    os.killpg(process.pid, signal.SIGINT)


@pytest.mark.parametrize("hangs", [False, True], ids=["works", "hangs"])
@pytest.mark.parametrize("end", [ended, killed, interrupted])
def test_no_process_is_left_after_serve_ends_while_a_page_loads(
    end: Callable[[subprocess.Popen[str]], None], hangs: bool, chromium: str, tmp_path: Path, site: ScriptedSite
) -> None:
    database = f"sqlite:///{tmp_path}/driftline.db"
    site.show("/busy", "<!doctype html><h1>Busy</h1><script>setInterval(() => fetch('/busy'), 50)</script>")
    with closing(App(Settings(db=database, allow_hosts=("127.0.0.1",)))) as app:
        fetch = FetchOptions(browser="always", wait_for=".never")
        app.add([app.draft(WatchInput(url=f"{site.url}/busy", fetch=fetch))])
    with serving(database, DRIFTLINE_CHROMIUM=chromium, DRIFTLINE_DRAIN_FOR="1") as server:
        pid = server.process.pid

        def page_is_loading() -> bool:
            return len([one for one in site.asked if one == "/busy"]) > 5

        until(page_is_loading, "the page loads in the browser")
        family = below(pid)
        assert len(family) > 3  # the browser with its own processes
        if hangs:
            (main,) = (one for one in family if is_browser(one))
            os.kill(main, signal.SIGSTOP)
        end(server.process)
        server.process.wait(timeout=60)
        until(lambda: not alive(family), "every process of it is gone")


def test_a_plain_check_loads_nothing_of_the_browser(tmp_path: Path, site: ScriptedSite) -> None:
    site.show("/plain", "<!doctype html><title>Plain</title><h1>Plain words</h1><p>" + "Words that stand there. " * 30)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DRIFTLINE_")}
    settings = {
        "DRIFTLINE_DB": f"sqlite:///{tmp_path}/d.db",
        "DRIFTLINE_ALLOW_HOSTS": "127.0.0.1",
        "DRIFTLINE_CALIBRATE_AFTER": "0",
    }
    said = []
    for command in (["add", f"{site.url}/plain"], ["check", "--all"]):
        ended = subprocess.run(
            [sys.executable, "-c", PLAIN_CHECK, *command], env=kept | settings, capture_output=True, text=True, check=True
        )
        said.append(ended.stdout)
    assert "baseline" in said[-1]
    assert [one.splitlines()[-1] for one in said] == ["nothing", "nothing"]


async def test_twenty_visits_of_a_noisy_page_of_scripts_report_its_one_change_and_nothing_else(
    chromium: str, tmp_path: Path, site: ScriptedSite
) -> None:
    settings = Settings(
        db=f"sqlite:///{tmp_path}/d.db", allow_hosts=("127.0.0.1",), calibrate_after=0.0, chromium=chromium, pictures="none"
    )
    numbers, now = Random(23), {"words": "An evening costs 120 euros, a weekend 300 euros."}

    with closing(App(settings)) as app:
        ended: list[Checked] = []

        async def listen(one: Checked) -> None:
            ended.append(one)

        site.show("/hall", lambda _: Page(body=NOISY.format(seed=numbers.randrange(1, 10_000), **now).encode()))
        (watch,) = await asyncio.to_thread(app.add, [app.draft(WatchInput(url=f"{site.url}/hall"))])
        async with app.worker(listen) as worker:
            for _ in range(20):
                await worker.check_now([watch.id])
            quiet = [(one.run.outcome, [change.headline for change in one.changes]) for one in ended]
            assert quiet == [("baseline", [])] + [("unchanged", [])] * 19
            now["words"] = "An evening costs 150 euros, a weekend 300 euros."
            await worker.check_now([watch.id])
    (change,) = ended[-1].changes
    assert "120" in change.headline
    assert "150" in change.headline
    assert ended[-1].run.browser.pages >= 1
