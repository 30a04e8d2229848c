"""An app to look through, processes to hurt, and how much of it: `make faults` asks for the whole suite."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.faults import workers as crews
from tests.faults.workers import Workers

from driftline.settings import Settings
from driftline.wiring import App

LEASE_FOR = 2.0  # seconds; the dead are waited for


@pytest.fixture(scope="session")
def times() -> Callable[[int, int], int]:
    """The first number in the short form, the second in the whole one."""
    whole = os.environ.get("DRIFTLINE_TEST_FAULTS") == "whole"
    return lambda short, long: long if whole else short


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    """Workers that may visit loopback; bodies are files, so that they could be torn."""
    return Settings(
        db=database_url,
        blobs=str(tmp_path / "bodies"),
        allow_hosts=("127.0.0.1",),
        lease_for=LEASE_FOR,
        calibrate_after=0.0,
        timeout_for=30.0,
    )


@pytest.fixture
def app(settings: Settings) -> Iterator[App]:
    """The test's own look at the database."""
    opened = App(settings)
    try:
        yield opened
    finally:
        opened.close()


@pytest.fixture
def workers() -> Iterator[Workers]:
    """Processes that are gone at the end."""
    with crews.workers() as gathered:
        yield gathered
