"""Settings of slots and summaries: exact names in the environment, and what they give to watches."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from driftline.engine.editing.watch_input import WatchInput, draft_of
from driftline.errors import BadSetting
from driftline.kinds.registry import KINDS
from driftline.settings import load

HOME = {"HOME": "/nowhere"}


def test_the_names_of_the_source_document_are_read(tmp_path: Path) -> None:
    settings = load(HOME | {"DISCOVERY_PARTY_SIZES": "2, 6", "NOTIFIED_DEDUPE_MINUTES": "45"}, folder=tmp_path)
    assert (settings.discovery_party_sizes, settings.notified_dedupe_minutes) == ((2, 6), 45.0)
    usual = load(HOME, folder=tmp_path)
    assert (usual.discovery_party_sizes, usual.notified_dedupe_minutes) == ((2, 4), 30.0)


def test_the_prefixed_name_wins(tmp_path: Path) -> None:
    both = {"NOTIFIED_DEDUPE_MINUTES": "45", "DRIFTLINE_NOTIFIED_DEDUPE_MINUTES": "5"}
    assert load(HOME | both, folder=tmp_path).notified_dedupe_minutes == 5.0


@pytest.mark.parametrize(
    "environ",
    [
        {"DISCOVERY_PARTY_SIZES": "two"},
        {"DISCOVERY_PARTY_SIZES": "0"},
        {"NOTIFIED_DEDUPE_MINUTES": "-1"},
        {"DRIFTLINE_SUMMARIZER": "oracle"},
        {"DRIFTLINE_SUMMARIZER": "openai"},
        {"DRIFTLINE_CLASSIFIER": "openai", "DRIFTLINE_MODEL_URL": "http://127.0.0.1/v1"},
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_refused(environ: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(BadSetting):
        load(HOME | environ, folder=tmp_path)


def test_a_rule_that_was_said_is_kept_although_it_is_the_usual_one() -> None:
    watch_input = WatchInput(
        url="https://b.example/?d={date}", kind="availability", rules={"party_sizes": [2, 4], "timezone": "UTC"}
    )
    draft = draft_of(watch_input, KINDS, at=datetime(2026, 1, 1, tzinfo=UTC))
    assert draft.rules == {"party_sizes": (2, 4), "timezone": "UTC"}
