"""The command that shows what driftline does, on a site of its own."""

from __future__ import annotations

import sys
import tempfile
from typing import Annotated

import typer

from driftline.cli.options import Json


def demo(
    once: Annotated[
        bool | None,
        typer.Option(
            "--once/--live",
            help="Play the script once without pauses and check the result, or serve the dashboard until stopped. "
            "Default: live in a terminal, once everywhere else.",
            show_default=False,
        ),
    ] = None,
    pause_for: Annotated[
        float, typer.Option("--pause", min=0.1, help="Seconds between two changes of the live script.")
    ] = 12.0,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The dashboard's port; 0: any free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the dashboard in a browser.")] = True,
    as_json: Json = False,
) -> int:
    """Watch a small local site whose pages change, with noise in every answer: see it in a browser, or have it checked.

    Live, the dashboard is served on this machine, the site goes on changing, and its mailbox shows what was delivered; Ctrl-C
    ends it, and nothing is kept. Once, it leaves with 0 only if exactly the changes that the site made were found, and every
    report arrived by mail and webhook.
    """
    from driftline.settings import Settings, in_ci
    from driftline.wiring import opened, run_loop

    watched = sys.stdout.isatty() and not in_ci() and not as_json
    if once is None and not watched and not as_json:
        print("not a terminal: playing the script once (driftline demo --live serves the dashboard)", flush=True)
    with tempfile.TemporaryDirectory(prefix="driftline-demo-") as folder:
        played = once or (once is None and not watched)
        settings = Settings(
            db=f"sqlite:///{folder}/demo.db",
            allow_hosts=("127.0.0.1",),
            calibrate_after=0.0,
            pictures="none" if played else "browser",
        )
        with opened(settings) as app:
            if played:
                from driftline.cli.demo.once import play

                return run_loop(lambda: play(app, as_json=as_json))
            from driftline.cli.demo.live import live

            run_loop(lambda: live(app, pause_for=pause_for, port=port, browse=browser and watched))
            return 0


COMMANDS = (demo,)
