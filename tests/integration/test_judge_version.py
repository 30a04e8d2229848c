"""Other rules of judging never alert by themselves: the last seen state becomes the baseline (law 6); on both databases."""

from __future__ import annotations

from tests.integration.test_flips import Clocked, clocked
from tests.scripted import ScriptedSite

from driftline.engine.recording import LastSeen
from driftline.kinds.page.judge.dropped import VERSION, value_of
from driftline.model.noise.habit import Ignored
from driftline.model.watch import Watch
from driftline.store.watches import last_seen

__all__ = ["clocked"]


def page(text: str, views: int = 12) -> str:
    return f"<html><head><title>Museum</title></head><body><main><h1>Museum</h1><p>{text}</p><p>{views} views</p></main></body>"


def _dropped_by_older_rules(clocked: Clocked, watch: Watch, text: str) -> None:
    """As if rules of another version had dropped that this line differs."""
    ignored = Ignored(VERSION - 1, value_of(text, None).to_bytes(8, "little"))
    clocked.app.store.write_now(lambda session: last_seen.write(session.tx, watch.id, LastSeen(ignored=ignored)))


def test_what_older_rules_dropped_becomes_the_baseline_and_later_changes_count(clocked: Clocked, site: ScriptedSite) -> None:
    watch = clocked.watch(site.show("/hours", page("Open on Sundays.")))
    clocked.check(watch)
    _dropped_by_older_rules(clocked, watch, "Open on Sundays.")
    assert clocked.hourly(watch, page("Closed on Sundays.")) == []
    assert clocked.count("snapshots") == 2, "it is the baseline now"
    (news,) = clocked.hourly(watch, page("Open on Sundays."))
    assert "Open" in news.headline


def test_a_change_beside_what_older_rules_dropped_is_reported(clocked: Clocked, site: ScriptedSite) -> None:
    watch = clocked.watch(site.show("/hours", page("Open on Sundays.").replace("</main>", "<p>Tea is 3 EUR.</p></main>")))
    clocked.check(watch)
    _dropped_by_older_rules(clocked, watch, "Open on Sundays.")
    (news,) = clocked.hourly(watch, page("Closed on Sundays.").replace("</main>", "<p>Tea is 4 EUR.</p></main>"))
    assert "4 EUR" in news.headline
    assert "Sundays" not in news.headline


def test_what_is_dropped_is_kept_until_the_page_shows_the_snapshot_again(clocked: Clocked, site: ScriptedSite) -> None:
    watch = clocked.watch(site.show("/hours", page("Open on Sundays.")))
    clocked.check(watch)
    assert clocked.hourly(watch, page("Open on Sundays.", 40), page("Open on Sundays.", 52)) == []
    assert clocked.count("last_seen") == 1
    assert clocked.count("snapshots") == 1
    (news,) = clocked.hourly(watch, page("Closed on Sundays.", 60))
    assert "Closed" in news.headline
    clocked.hourly(watch, *[page("Closed on Sundays.", 60)] * 25)
    assert clocked.count("last_seen") == 0, "what is in the snapshot is not kept beside it"


def test_a_page_that_stays_as_it_was_when_it_was_dropped_is_explained_by_every_check(
    clocked: Clocked, site: ScriptedSite
) -> None:
    links = ["<li><a href=/tea>Tea</a></li>", "<li><a href=/milk>Milk</a></li>"]
    lists = [page(f"Open on Sundays.</p><ul>{''.join(order)}</ul><p>As ever.") for order in (links, links[::-1])]
    watch = clocked.watch(site.show("/hours", lists[0]))
    clocked.check(watch)
    runs = []
    for nonce in range(3):  # every answer has other bytes
        assert clocked.hourly(watch, f"{lists[1]}<!-- {nonce} -->") == []
        runs.append(clocked.app.read(lambda data: data.runs.latest(watch.id)))
    assert [[one.rule for one in run.suppressed] for run in runs if run is not None] == [["order"]] * 3
    assert clocked.count("snapshots") == 1
    (news,) = clocked.hourly(watch, lists[1].replace("Open", "Closed"))
    assert "Closed" in news.headline
