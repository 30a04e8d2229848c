"""Builds the application from the settings; the only place that knows which store, fetcher or clock is behind a protocol."""

from driftline.wiring.app import App, opened
from driftline.wiring.listening import RABBIT_URL
from driftline.wiring.loop import Service, run_alone, run_loop

__all__ = ["RABBIT_URL", "App", "Service", "opened", "run_alone", "run_loop"]
