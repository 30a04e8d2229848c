"""Whether memory stays flat: the histories over and over through one worker."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from contextlib import closing
from itertools import cycle
from pathlib import Path
from typing import Final

from bench.real.histories import DailyClock
from bench.real.material import VISITS, History, Player
from driftline.engine.editing.watch_input import WatchInput
from driftline.settings import Settings
from driftline.wiring import App, run_loop

CHECKS: Final = 20_000
WARM: Final = 4_000  # checks after which all that is remembered is there
TABLE: Final = ("| memory over real checks | after the first | after all | growth |", "|---|--:|--:|--:|")


def row(player: Player, some: Sequence[History], folder: Path) -> str:
    """Resident megabytes of the process, early and late."""
    settings = Settings(
        db=f"sqlite:///{folder}/memory.db", allow_hosts=("127.0.0.1",), per_own_host=200, calibrate_after=0.0, browser=False
    )
    clock = DailyClock()
    sizes: list[float] = []

    async def play(app: App) -> None:
        ids = [watch.id for watch in app.add([app.draft(WatchInput(url=player.url(one.number))) for one in some])]
        done = 0
        async with app.worker() as worker:
            for day, visit in enumerate(cycle(range(VISITS))):
                player.go_to(visit)
                clock.days = day
                await worker.check_now(ids)
                done += len(ids)
                if done >= (CHECKS if sizes else WARM):
                    gc.collect()
                    sizes.append(resident())
                    if len(sizes) == 2:
                        return

    with closing(App(settings, clock=clock)) as app:
        run_loop(lambda: play(app))
    early, late = sizes
    return f"| {CHECKS:,} checks of {len(some)} pages | {early:.0f} MB | {late:.0f} MB | {(late / early - 1) * 100:+.0f} % |"


def resident() -> float:
    """Megabytes that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1024**2
