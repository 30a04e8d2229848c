"""The operator's sources as watches: checked, reported, and out of reach for other orgs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.integration.conftest import Runner

from driftline.errors import BadUrl
from driftline.model.operator_source import OperatorSource
from driftline.settings import Settings
from driftline.wiring import App


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    sources = {
        "prices": OperatorSource(orgs=("default",), file=str(tmp_path / "prices.csv")),
        "theirs": OperatorSource(orgs=("finance",), file=str(tmp_path / "prices.csv")),
    }
    return Settings(db=database_url, calibrate_after=0.0, browser=False, sources=sources)


@pytest.fixture
def sourced(settings: Settings) -> Iterator[Runner]:
    runner = Runner(App(settings))
    yield runner
    runner.app.close()


def test_a_file_that_the_operator_named_is_watched_like_a_page(sourced: Runner, tmp_path: Path) -> None:
    file = tmp_path / "prices.csv"
    file.write_text("sku,price\na,1.00\nb,2.00\n")
    watch = sourced.watch("source://prices", name="prices")
    assert sourced.outcome(watch) == "baseline"
    assert sourced.outcome(watch) == "unchanged"
    file.write_text("sku,price\na,1.00\nb,3.00\n")
    (checked,) = sourced.check(watch)
    assert [change.headline for change in checked.changes] == ["“b”: price “2.00” → “3.00”"]
    file.unlink()
    assert sourced.outcome(watch) == "error"


@pytest.mark.parametrize("url", ["source://theirs", "source://unknown", "file:///etc/passwd", "SOURCE://theirs"])
def test_what_the_operator_did_not_allow_to_an_org_cannot_be_added(url: str, sourced: Runner) -> None:
    with pytest.raises(BadUrl):
        sourced.watch(url)


def test_a_stored_watch_of_a_source_that_was_taken_away_fails_and_shows_nothing(
    sourced: Runner, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "prices.csv").write_text("sku,price\na,1.00\n")
    watch = sourced.watch("source://prices", name="prices")
    sourced.app.close()
    sourced.app = App(msgspec.structs.replace(settings, sources={}))
    (checked,) = sourced.check(watch)
    assert (checked.run.outcome, checked.run.reason) == ("error", "no such source")
