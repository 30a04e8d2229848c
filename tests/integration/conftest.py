"""An app on both databases, and a site to watch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.scripted import ScriptedSite, scripted_site

from driftline.engine.context import Checked
from driftline.engine.drafting import Wish
from driftline.model.watch import Watch
from driftline.settings import Settings
from driftline.wiring import App


class Desk:
    """What a test does with driftline, in the words of a user."""

    def __init__(self, app: App) -> None:
        self.app = app

    def watch(self, url: str, **wish: object) -> Watch:
        """Add a watch."""
        return self.app.add([self.app.draft(Wish(url=url, **wish))])[0]  # type: ignore[arg-type]  # the wish checks itself

    def check(self, *watches: Watch) -> list[Checked]:
        """Check these now; how each ended, in their order."""
        ended: dict[object, Checked] = {}

        async def listen(checked: Checked) -> None:
            ended[checked.watch.id] = checked

        self.app.check([watch.id for watch in watches], listen)
        return [ended[watch.id] for watch in watches]

    def outcome(self, watch: Watch) -> str | None:
        """Check one watch; its outcome."""
        return self.check(watch)[0].run.outcome

    def count(self, table: str) -> int:
        """How many rows a table has."""
        return self.app.store.read_now(lambda session: int(session.tx.row(f"SELECT count(*) FROM {table}")[0]))

    def again(self, watch: Watch) -> Watch:
        """The watch as it is stored now."""
        return self.app.read(lambda data: data.watches.get(watch.id))


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    """A site that answers as the test tells it to."""
    with scripted_site() as scripted:
        yield scripted


@pytest.fixture
def desk(database_url: str) -> Iterator[Desk]:
    """Driftline on SQLite, then on PostgreSQL; only loopback may be visited, and no second is waited for."""
    app = App(Settings(db=database_url, allow_hosts=("127.0.0.1",), calibrate_after=0.0, timeout_for=2.0))
    try:
        yield Desk(app)
    finally:
        app.close()
