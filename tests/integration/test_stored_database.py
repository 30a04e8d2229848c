"""A database that earlier code wrote goes on with the present one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.stored.database import Watched, restore, watched

from driftline.demo.script import SCRIPT


def written(stage: Watched) -> dict[str, int]:
    """How much anybody was ever told."""

    def count(session: Any) -> dict[str, int]:
        return {table: session.tx.rows(f"SELECT count(*) FROM {table}")[0][0] for table in ("changes", "reports", "deliveries")}

    return stage.app.store.read_now(count)


async def test_a_database_of_earlier_code_goes_on_without_a_report_and_still_tells_what_changes(tmp_path: Path) -> None:
    restore(tmp_path / "stored.db")
    async with watched(tmp_path / "stored.db", hours=len(SCRIPT)) as stage:
        while not stage.site.finished:
            stage.site.advance()
        roots = [watch.id for watch in stage.app.all_watches() if watch.parent_id is None]
        before = written(stage)
        again = await stage.check(roots)
        assert {checked.watch.kind for checked in again} == {"page", "catalog", "availability", "sitemap"}
        failed = [(checked.watch.name, checked.run.reason) for checked in again if checked.run.status != "completed"]
        assert not failed
        assert len(again) == len(roots)
        assert not any(checked.changes for checked in again)
        assert written(stage) == before
        for _ in range(6):
            stage.site.wander()  # back to where all of the four kinds have other things to show
        told = {(checked.watch.kind, change.type) for checked in await stage.check(roots) for change in checked.changes}
        assert told == {
            ("page", "back_in_stock"),
            ("page", "content"),
            ("catalog", "price_increase"),
            ("catalog", "sold_out"),
            ("catalog", "back_in_stock"),
            ("availability", "drop"),
            ("sitemap", "article_updated"),
        }
