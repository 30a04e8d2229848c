"""Metrics of this process and of the store, in Prometheus' text format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from driftline.engine.check.context import Checked
from driftline.store.session import Session
from driftline.wiring import App

MEDIA_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
_PAUSE_FACTOR: Final = (
    100  # the store is not queried again for so many times as long as it took: at most a hundredth of its time
)
_CHEAP_FOR: Final = 0.02  # seconds; a faster query is repeated every time
_BOUNDS: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Counters of this process, in a registry of their own."""

    def __init__(self) -> None:
        mine = self._registry = CollectorRegistry()
        self._checks = Counter("driftline_checks", "checks by kind and outcome", ["kind", "outcome"], registry=mine)
        self._changes = Counter(
            "driftline_changes", "changes reported, by type and severity", ["type", "severity"], registry=mine
        )
        self._requests = Counter(
            "driftline_http_requests", "requests by method and status", ["method", "status"], registry=mine
        )
        self._browser_pages = Counter("driftline_browser_pages", "pages that checks loaded in the browser", registry=mine)
        self._browser_took = Counter("driftline_browser_seconds", "seconds that checks took in the browser", registry=mine)
        self._suppressed = Counter("driftline_noise_suppressed", "differences ignored as noise", registry=mine)
        self._checks_took = Histogram("driftline_check_seconds", "how long checks took", buckets=_BOUNDS, registry=mine)
        self._requests_took = Histogram(
            "driftline_http_request_seconds", "how long requests took", buckets=_BOUNDS, registry=mine
        )
        self._counted: Sequence[Metric] = ()
        self._counted_until = 0.0  # monotonic

    async def checked(self, checked: Checked) -> None:
        """Count a check."""
        run = checked.run
        self._checks.labels(checked.watch.kind, "stale" if checked.stale else run.outcome or run.status).inc()
        for change in checked.changes:
            self._changes.labels(change.type, change.severity).inc()
        self._suppressed.inc(len(run.suppressed))
        self._browser_pages.inc(run.browser.pages)
        self._browser_took.inc(run.browser.took_for)
        if run.completed_at is not None:
            self._checks_took.observe((run.completed_at - run.started_at).total_seconds())

    def answered(self, method: str, status: int, seconds: float) -> None:
        """Count a request; unknown methods share one label, because clients can invent any number of them."""
        self._requests.labels(method if method in _METHODS else "other", str(status)).inc()
        self._requests_took.observe(seconds)

    async def text(self, app: App) -> bytes:
        """All metrics now; those of a large store may be a little old."""
        return generate_latest(_Exposed(self._registry, await self._stored(app)))

    async def _stored(self, app: App) -> Sequence[Metric]:
        began, at = app.clock.monotonic(), app.clock.now()
        if began >= self._counted_until:
            health, deliveries = await app.store.read(lambda session: (session.health(at=at), _deliveries(session)))
            waited = (at - health.oldest_due_at).total_seconds() if health.oldest_due_at else 0.0
            by_state = GaugeMetricFamily("driftline_deliveries", "deliveries by state", labels=["state"])
            for state, count in sorted(deliveries.items()):
                by_state.add_metric([state], count)
            self._counted = (
                by_state,
                GaugeMetricFamily("driftline_watches", "watches", health.watches),
                GaugeMetricFamily("driftline_watches_paused", "watches that are paused", health.paused),
                GaugeMetricFamily("driftline_watches_due", "watches that are due", health.due),
                GaugeMetricFamily("driftline_watches_due_for_seconds", "how long the oldest is due", max(waited, 0.0)),
                GaugeMetricFamily("driftline_leases_held", "watches that are being checked", health.leases_held),
                GaugeMetricFamily("driftline_leases_expired", "watches with an expired lease", health.leases_expired),
                GaugeMetricFamily("driftline_changes_stored", "changes in the store", health.changes),
                GaugeMetricFamily("driftline_snapshots_stored", "snapshots in the store", health.snapshots),
                GaugeMetricFamily("driftline_store_bytes", "size of the store", health.bytes_used),
            )
            ended = app.clock.monotonic()
            self._counted_until = ended + _PAUSE_FACTOR * (ended - began) if ended - began > _CHEAP_FOR else 0.0
        return self._counted


class _Exposed(Collector):
    """Without creation times, which the library can only turn off for the whole process."""

    def __init__(self, registry: CollectorRegistry, stored: Sequence[Metric]) -> None:
        self._registry = registry
        self._stored = stored

    def collect(self) -> Iterator[Metric]:
        for metric in self._registry.collect():
            metric.samples = [sample for sample in metric.samples if not sample.name.endswith("_created")]
            yield metric
        yield from self._stored


def _deliveries(session: Session) -> dict[str, int]:
    return dict(session.tx.rows("SELECT state, count(*) FROM deliveries GROUP BY state"))
