"""What Prometheus reads."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from driftline.settings import Settings
from driftline.web.metrics import Metrics
from driftline.wiring import App


async def reported(metrics: Metrics, app: App) -> dict[str, float]:
    text = (await metrics.text(app)).decode()
    samples = [one for family in text_string_to_metric_families(text) for one in family.samples]
    return {f"{one.name}{sorted(one.labels.items()) or ''}": one.value for one in samples}


async def test_counters_keep_their_names_and_belong_to_one_application(tmp_path: Path) -> None:
    with closing(App(Settings(db=f"sqlite:///{tmp_path}/m.db"))) as app:
        mine, other = Metrics(), Metrics()
        for method in ("GET", "GET", "BREW", "STEEP"):
            mine.answered(method, 200, 0.02)
        found = await reported(mine, app)
        assert found["driftline_http_requests_total[('method', 'GET'), ('status', '200')]"] == 2
        assert found["driftline_http_requests_total[('method', 'other'), ('status', '200')]"] == 2
        assert found["driftline_http_request_seconds_bucket[('le', '0.01')]"] == 0
        assert found["driftline_http_request_seconds_bucket[('le', '0.05')]"] == 4
        assert found["driftline_http_request_seconds_count"] == 4
        assert found["driftline_noise_suppressed_total"] == 0
        assert found["driftline_watches"] == 0
        assert found["driftline_store_bytes"] > 0
        assert not any("_created" in name for name in found)
        assert (await reported(other, app))["driftline_http_request_seconds_count"] == 0
