"""What this process did, and what waits in the store, in the text form that Prometheus reads."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from driftline.engine.context import Checked
from driftline.store.database import Tx
from driftline.store.session import Session
from driftline.wiring import App

MEDIA_TYPE: Final = "text/plain; version=0.0.4"
_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
_RESTS_FOR: Final = 100  # times as long as it took, the store is not counted again: at most a hundredth of its time goes there
_AT_ONCE_FOR: Final = 0.02  # seconds that may be spent every time
_BOUNDS: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

Labels = tuple[tuple[str, str], ...]


class Histogram:
    """Counts by upper bound, and their sum."""

    def __init__(self) -> None:
        self.counts = [0] * (len(_BOUNDS) + 1)
        self.total = 0.0

    def note(self, seconds: float) -> None:
        """One more."""
        self.counts[bisect_left(_BOUNDS, seconds)] += 1
        self.total += seconds

    def lines(self, name: str) -> Iterable[str]:
        """As Prometheus wants it: each bucket holds all smaller ones."""
        running = 0
        for bound, count in zip((*map(str, _BOUNDS), "+Inf"), self.counts, strict=True):
            running += count
            yield f'{name}_bucket{{le="{bound}"}} {running}'
        yield f"{name}_sum {self.total:.6f}"
        yield f"{name}_count {running}"


class Metrics:
    """Counters of this process; the loop's thread alone writes them."""

    def __init__(self) -> None:
        self._checks: Counter[Labels] = Counter()
        self._changes: Counter[Labels] = Counter()
        self._requests: Counter[Labels] = Counter()
        self._suppressed = 0
        self._checks_took = Histogram()
        self._requests_took = Histogram()
        self._counted: tuple[Mapping[str, float], Mapping[Labels, int]] = {}, {}
        self._counted_until = 0.0  # monotonic

    async def checked(self, checked: Checked) -> None:
        """A check has ended."""
        run = checked.run
        outcome = "stale" if checked.stale else run.outcome or run.status
        self._checks[(("kind", checked.watch.kind), ("outcome", outcome))] += 1
        for change in checked.changes:
            self._changes[(("type", change.type), ("severity", change.severity))] += 1
        self._suppressed += len(run.suppressed)
        if run.completed_at is not None:
            self._checks_took.note((run.completed_at - run.started_at).total_seconds())

    def answered(self, method: str, status: int, seconds: float) -> None:
        """A request has been answered; whoever asks may call a method what they like, and would fill our memory with it."""
        method = method if method in _METHODS else "other"
        self._requests[(("method", method), ("status", str(status)))] += 1
        self._requests_took.note(seconds)

    async def _stored(self, app: App) -> tuple[Mapping[str, float], Mapping[Labels, int]]:
        """What is in the store; of a large one, what was there a while ago."""
        began, at = app.clock.monotonic(), app.clock.now()
        if began < self._counted_until:
            return self._counted

        def ask(session: Session) -> tuple[Mapping[str, float], Mapping[Labels, int]]:
            health = session.health(at=at)
            waited = (at - health.oldest_due_at).total_seconds() if health.oldest_due_at else 0.0
            gauges = {
                "driftline_watches": health.watches,
                "driftline_watches_paused": health.paused,
                "driftline_watches_due": health.due,
                "driftline_watches_due_for_seconds": max(waited, 0.0),
                "driftline_leases_held": health.leases_held,
                "driftline_leases_expired": health.leases_expired,
                "driftline_changes_stored": health.changes,
                "driftline_snapshots_stored": health.snapshots,
                "driftline_store_bytes": health.bytes_used,
            }
            return gauges, _deliveries(session.tx)

        self._counted = await app.store.read(ask)
        ended = app.clock.monotonic()
        self._counted_until = ended + _RESTS_FOR * (ended - began) if ended - began > _AT_ONCE_FOR else 0.0
        return self._counted

    async def text(self, app: App) -> str:
        """Everything, now."""
        gauges, deliveries = await self._stored(app)
        lines: list[str] = []
        for name, help_, counted in (
            ("driftline_checks_total", "checks by kind and outcome", self._checks),
            ("driftline_changes_total", "changes told, by type and severity", self._changes),
            ("driftline_http_requests_total", "requests by method and status", self._requests),
        ):
            lines += _counter(name, help_, counted)
        lines += _counter("driftline_noise_suppressed_total", "differences that were dropped as noise", {(): self._suppressed})
        for name, help_, histogram in (
            ("driftline_check_seconds", "how long checks took", self._checks_took),
            ("driftline_http_request_seconds", "how long requests took", self._requests_took),
        ):
            lines += [f"# HELP {name} {help_}", f"# TYPE {name} histogram", *histogram.lines(name)]
        lines += ["# HELP driftline_deliveries deliveries by state", "# TYPE driftline_deliveries gauge"]
        lines += _samples("driftline_deliveries", deliveries)
        for name, value in gauges.items():
            lines += [f"# TYPE {name} gauge", f"{name} {value:g}"]
        return "\n".join(lines) + "\n"


def _counter(name: str, help_: str, counted: Mapping[Labels, int]) -> list[str]:
    return [f"# HELP {name} {help_}", f"# TYPE {name} counter", *_samples(name, counted)]


def _samples(name: str, counted: Mapping[Labels, int]) -> list[str]:
    return [f"{name}{_labels(labels)} {value}" for labels, value in sorted(counted.items())]


def _labels(labels: Labels) -> str:
    written = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels)
    return f"{{{written}}}" if written else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _deliveries(tx: Tx) -> dict[Labels, int]:
    return {(("state", state),): count for state, count in tx.rows("SELECT state, count(*) FROM deliveries GROUP BY state")}
