from __future__ import annotations

import pytest

from driftline.core.identity.severity import CHANGE_TYPES, ContentFacts, content_severity, worst
from driftline.model.run import FAILED_OUTCOMES


@pytest.mark.parametrize(
    ("facts", "severity"),
    [
        (ContentFacts(price_or_stock=True), "high"),
        (ContentFacts(text=True, similarity=0.8999, edits=1), "high"),
        (ContentFacts(text=True, similarity=0.90, edits=1), "medium"),
        (ContentFacts(title=True, text=True, similarity=0.999, edits=1), "high"),
        (ContentFacts(text=True, similarity=0.95, removed_share=0.21, edits=1), "high"),
        (ContentFacts(text=True, similarity=0.95, removed_share=0.20, edits=1), "medium"),
        (ContentFacts(text=True, similarity=0.999, edits=1), "low"),
        (ContentFacts(text=True, similarity=0.999, edits=5), "medium"),
        (ContentFacts(text=True, similarity=0.999, edits=1, images=2), "medium"),
        (ContentFacts(title=True), "medium"),
        (ContentFacts(links=1), "low"),
        (ContentFacts(images=1), "low"),
        (ContentFacts(links=1, images=1), "medium"),
        (ContentFacts(metadata=4), "low"),
        (ContentFacts(metadata=4, links=2), "medium"),
    ],
)
def test_content_severity_follows_the_table(facts: ContentFacts, severity: str) -> None:
    assert content_severity(facts) == severity


def test_what_nobody_should_miss_is_high_in_the_table() -> None:
    for name in ("price_increase", "price_decrease", "sold_out", "back_in_stock", "drop", "blocked"):
        assert CHANGE_TYPES[name].severity == "high"


def test_health_changes_are_open_to_every_kind_and_no_content_change_is_one() -> None:
    health = {name for name, row in CHANGE_TYPES.items() if row.health}
    assert health == (FAILED_OUTCOMES - {"truncated"}) | {"recovered"}
    assert all(set(CHANGE_TYPES[name].kinds) == {"page", "catalog", "availability", "sitemap", "site"} for name in health)


def test_the_worst_of_several_severities_wins() -> None:
    assert worst(["low", "high", "medium"]) == "high"
    assert worst([]) == "low"
