"""Whole sites: their pages become watches, and their changes are reported."""

from __future__ import annotations

from collections import Counter

from tests.integration.conftest import Driftline, Runner
from tests.integration.whole_sites import LargeSite, html, words
from tests.scripted import Page, ScriptedSite

from driftline.engine.check.context import Checked
from driftline.model.watch import Watch


def everything(runner: Runner, watch: Watch) -> list[Checked]:
    """Check a site and its pages; how each ended, the site first."""
    ended: list[Checked] = []

    async def listen(checked: Checked) -> None:
        ended.append(checked)

    runner.app.check([watch.id], listen)
    return ended


def children(runner: Runner, watch: Watch, *, retired: bool = False) -> set[str]:
    found = runner.app.read(lambda data: data.watches.children(watch.id))
    return {child.url for child in found if (child.retired_at is not None) is retired}


def types(ended: list[Checked]) -> Counter[str]:
    return Counter(change.type for checked in ended for change in checked.changes)


def test_exactly_the_pages_of_a_large_site_are_watched_and_each_change_is_reported_once(
    runner: Runner, site: ScriptedSite
) -> None:
    large = LargeSite(site)
    watch = runner.watch(site.url + "/", kind="site", name="town", rules={"pages": 503})
    ended = everything(runner, watch)
    assert ended[0].run.status == "completed", ended[0].run.reason
    assert ended[0].run.outcome == "baseline"
    assert children(runner, watch) == large.pages
    assert len(large.pages) == 500
    assert types(ended) == {}

    for path in [f"/s3/story-{one}" for one in range(5)]:
        large.stories[path] = "second"
    for one in range(3):
        large.stories[f"/s7/new-{one}"] = "first"
    for path in ("/s9/story-1", "/s9/story-2"):
        del large.stories[path], site.pages[path]
    large.publish()
    ended = everything(runner, watch)
    assert {change.type for change in ended[0].changes} == {"page_added", "page_removed"}
    assert types(ended) == {"content": 5, "page_added": 3, "page_removed": 2}
    assert children(runner, watch) == large.pages
    assert children(runner, watch, retired=True) == {f"{site.url}/s9/story-1", f"{site.url}/s9/story-2"}
    assert types(everything(runner, watch)) == {}


def small(site: ScriptedSite, *names: str) -> None:
    """A start page with links to these."""
    for name in names:
        site.show(f"/{name}", html(name, words(name)))
    site.show("/", html("start", words("/"), *(f"/{name}" for name in names)))


def test_a_crawl_that_was_cut_short_removes_nothing_and_says_so(runner: Runner, site: ScriptedSite) -> None:
    small(site, "a", "b", "c")
    watch = runner.watch(site.url + "/", kind="site", name="town")
    everything(runner, watch)
    assert len(children(runner, watch)) == 4

    del site.pages["/a"]
    site.show("/b", Page(status=500))  # a page that is watched: others may be behind it
    ended = everything(runner, watch)
    assert (ended[0].run.status, ended[0].changes) == ("partial", ())
    assert [notice.code for notice in ended[0].run.warnings] == ["crawl_cut_short", "unread_page"]
    assert len(children(runner, watch)) == 4

    small(site, "b", "c")
    site.show("/", html("start", words("/"), "/b", "/c"))
    assert types(everything(runner, watch))["page_removed"] == 1


def test_what_a_crawl_cut_short_by_its_budget_did_not_find_joins_later_without_a_report(
    runner: Runner, site: ScriptedSite
) -> None:
    small(site, *(f"p{number}" for number in range(10)))
    watch = runner.watch(site.url + "/", kind="site", name="town", rules={"pages": 5})
    ended = everything(runner, watch)
    assert (ended[0].run.status, ended[0].run.reason) == ("partial", "the site has more than 5 pages")
    before = children(runner, watch)
    assert len(before) == 5
    for rules, expected in (({"pages": 5}, 5), ({"pages": 50}, 11)):
        runner.app.write(lambda data, rules=rules: data.watches.update(watch.id, rules=rules))  # type: ignore[misc]  # bound now
        assert types(everything(runner, watch)) == {}
        assert before <= children(runner, watch)
        assert len(children(runner, watch)) == expected


def test_a_page_that_no_link_leads_to_any_more_stays_as_long_as_it_answers(runner: Runner, site: ScriptedSite) -> None:
    small(site, "a", "b")
    watch = runner.watch(site.url + "/", kind="site", name="town")
    everything(runner, watch)
    site.show("/", html("start", words("/"), "/a"))
    assert types(everything(runner, watch)) == {}
    del site.pages["/b"]
    assert types(everything(runner, watch)) == {"page_removed": 1}
    small(site, "a", "b")
    ended = everything(runner, watch)
    assert [change.headline for change in ended[0].changes] == [f"Page is back: b ({site.url}/b)"]
    assert len(children(runner, watch)) == 3
    assert runner.count("watches") == 4


def test_pages_follow_the_settings_of_their_site(runner: Runner, site: ScriptedSite) -> None:
    small(site, "a", "b")
    watch = runner.watch(site.url + "/", kind="site", name="town", tags=("one",))
    everything(runner, watch)
    runner.app.write(
        lambda data: data.watches.update(watch.id, tags=["two"], rules={"page": {"select": ["article"]}, "exclude": ["/b"]})
    )
    ended = everything(runner, watch)
    assert types(ended) == {}, "a rule never alerts by itself"
    assert children(runner, watch) == {f"{site.url}/", f"{site.url}/a"}
    found = runner.app.read(lambda data: data.watches.children(watch.id))
    assert {(child.kind, child.tags, tuple(child.rules["select"])) for child in found if not child.retired_at} == {
        ("page", ("two",), ("article",))
    }


def test_a_sitemap_names_the_pages_of_a_site(runner: Runner, site: ScriptedSite) -> None:
    def publish(*names: str) -> str:
        listed = "".join(f"<url><loc>{site.url}/{name}</loc></url>" for name in names)
        return site.show("/sitemap.xml", Page(body=f"<urlset>{listed}</urlset>".encode(), headers={"content-type": "text/xml"}))

    small(site, "a", "b", "c")
    watch = runner.watch(publish("a", "b"), kind="site", name="town")
    ended = everything(runner, watch)
    assert children(runner, watch) == {f"{site.url}/a", f"{site.url}/b"}
    assert ended[0].run.outcome == "baseline"
    publish("a", "c")
    assert types(everything(runner, watch)) == {"page_added": 1, "page_removed": 1}
    site.show("/sitemap.xml", Page(status=503))
    ended = everything(runner, watch)
    assert ended[0].run.status == "failed"
    assert children(runner, watch) == {f"{site.url}/a", f"{site.url}/c"}


def test_the_command_line_adds_checks_and_lists_a_site(driftline: Driftline, site: ScriptedSite) -> None:
    small(site, "a", "b")
    assert driftline("add", f"{site.url}/", "--kind", "site", "--name", "town").code == 0
    ended = driftline("check", "town", "--json")
    assert [row["outcome"] for row in ended.rows] == ["baseline"] * 4
    listed = [row["url"] for row in driftline("pages", "town", "--json").rows]
    assert listed == [f"{site.url}/{name}" for name in ("", "a", "b")]
    assert "3 pages" in driftline("list").out
    del site.pages["/b"]
    changes = [change["type"] for row in driftline("check", "town", "--json").rows for change in row["changes"]]
    assert changes == ["page_removed"]
    assert [row["url"] for row in driftline("pages", "town", "--removed", "--json").rows] == [f"{site.url}/b"]
