"""The live demo: the site keeps changing, the dashboard shows it, the mailbox fills."""

from __future__ import annotations

import asyncio
import webbrowser
from typing import TYPE_CHECKING

import msgspec

from driftline.cli.demo.stage import left_out, subscribe, watch_site
from driftline.cli.output import console

if TYPE_CHECKING:
    from collections.abc import Callable

    from driftline.demo.site import Site
    from driftline.engine.check.context import Checked
    from driftline.wiring import App

CHECKS_A_TURN = 3  # so that no turn is missed


class LiveDemo:
    """Lets the site change every few seconds until it is stopped; `begun` is called once Ctrl-C is listened for."""

    def __init__(self, site: Site, pause_for: float, begun: Callable[[], None]) -> None:
        self._site = site
        self._pause_for = pause_for
        self._begun = begun
        self._stopped = asyncio.Event()

    async def run(self) -> None:
        """Play turns until `stop` is called."""
        self._begun()
        while not self._stopped.is_set():
            try:
                async with asyncio.timeout(self._pause_for):
                    await self._stopped.wait()
            except TimeoutError:
                self._site.wander()

    def stop(self) -> None:
        """End after the present turn."""
        self._stopped.set()


async def live(app: App, *, pause_for: float, port: int, browse: bool) -> None:
    """Site, worker, API and dashboard in one process, until stopped."""
    from driftline.demo.receivers import receivers
    from driftline.demo.site import serve
    from driftline.model.watch import Schedule
    from driftline.web.app import create_app
    from driftline.web.auth.sign_in import new_link
    from driftline.web.server import Server, bind, url_of

    with bind("127.0.0.1", port) as listening:
        async with receivers() as inbox, serve(inbox) as site:
            url = url_of(listening)
            app.settings = msgspec.structs.replace(app.settings, public_url=url)
            user = subscribe(app, inbox)
            without = left_out(app)
            watch_site(app, site, Schedule(every_for=max(pause_for / CHECKS_A_TURN, 1.0)), departures=not without)
            web = create_app(app)
            link = f"{url}/sign-in?link={new_link(app, user)}"

            def greet() -> None:
                print(_greeting(link, site.address, pause_for, without), flush=True)
                if browse:
                    _browse(link)

            async def listen(checked: Checked) -> None:
                await web.state.metrics.checked(checked)
                await web.state.events.checked(checked)
                for severity, headline in checked.headlines:
                    console().print(f"  {severity:<6} {checked.watch.name}: {headline}", markup=False)

            server = Server(web, listening, drain_for=2.0)  # nobody waits for a demo
            await app.work(listen, once=False, beside=[server, LiveDemo(site, pause_for, greet)])
    print("\nThe demo is over; nothing of it was kept.")


def _greeting(link: str, site: str, pause_for: float, without: str) -> str:
    without = f"{without}\n" if without else ""
    return f"""driftline watches a small site of its own: pages, a shop, a booking board and a blog.

  dashboard  {link}
             (the link signs you in, once)
  mailbox    {site}/mailbox
  the site   {site}

Every {pause_for:g} seconds something changes there. What is found shows up here, on the dashboard and in the mailbox.
{without}Press Ctrl-C to end it.
"""


def _browse(link: str) -> None:
    """Open a browser with a window of its own; one that would take this terminal over is left alone."""
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return
    if type(found) is not webbrowser.GenericBrowser and getattr(found, "background", True):
        found.open(link)
