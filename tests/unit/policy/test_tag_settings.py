"""A watch over its tags over the defaults."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from driftline.model.fetch import FetchOptions
from driftline.model.tag import Tag, TagSettings
from driftline.model.watch import OwnSettings, Schedule
from driftline.policy.tag_settings import combined, kept_defaults

SHOPS = Tag(
    name="shops",
    settings=TagSettings(
        schedule=Schedule(every_for=900.0, timezone="Europe/Berlin"),
        fetch=FetchOptions(browser="always", proxy="home", headers={"Accept-Language": "de", "X-Shop": "1"}),
        rules={"page": {"select": ["main"], "remove": ["nav"]}, "catalog": {"currency": "EUR"}},
    ),
)
NIGHT = Tag(name="night", settings=TagSettings(schedule=Schedule(cron="0 3 * * *"), fetch=FetchOptions(method="POST")))


def test_what_the_watch_sets_wins_and_the_rest_comes_from_its_first_tag() -> None:
    own = OwnSettings(fetch=FetchOptions(proxy="office", headers={"X-Shop": "2"}), rules={"select": ["h1"]})
    both = combined(own, "page", [SHOPS, NIGHT])
    assert (both.schedule.every_for, both.schedule.cron, both.schedule.timezone) == (900.0, None, "Europe/Berlin")
    assert (both.fetch.proxy, both.fetch.browser, both.fetch.method) == ("office", "always", "POST")
    assert both.fetch.headers == {"Accept-Language": "de", "X-Shop": "2"}
    assert both.rules == {"select": ["h1"], "remove": ["nav"]}
    assert both.origins == {
        "every": "shops", "timezone": "shops", "browser": "shops", "header": "shops", "method": "night",
        "rules.remove": "shops",
    }  # fmt: skip


def test_a_default_that_is_set_on_purpose_holds_against_a_tag() -> None:
    own = OwnSettings(own=("browser", "every"))
    both = combined(own, "sitemap", [SHOPS])
    assert (both.schedule.every_for, both.fetch.browser, both.fetch.proxy) == (3600.0, "auto", "home")
    assert both.rules == {}
    assert kept_defaults(Schedule(every_for=5.0), FetchOptions(), ("every", "browser")) == ("browser",)


@given(st.lists(st.sampled_from([SHOPS, NIGHT]), max_size=3), st.sampled_from([60.0, 3600.0]), st.sampled_from(["GET", "POST"]))
def test_every_value_is_the_watchs_own_a_tags_or_the_default(tags: list[Tag], every: float, method: str) -> None:
    own = OwnSettings(schedule=Schedule(every_for=every), fetch=FetchOptions(method=method))  # type: ignore[arg-type]
    both = combined(own, "page", tags)
    assert set(both.origins.values()) <= {tag.name for tag in tags}
    if not tags:
        assert (both.schedule, both.fetch, both.rules) == (own.schedule, own.fetch, own.rules)
    if every != 3600.0:
        assert (both.schedule.every_for, both.schedule.cron) == (every, None)
