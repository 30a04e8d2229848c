"""What is learned as noise, and how a run explains what it dropped and kept; on both databases."""

from __future__ import annotations

from datetime import timedelta
from itertools import count

import pytest
from tests.integration.conftest import Driftline, Runner
from tests.integration.test_pages import WALL, A, B
from tests.scripted import Page, ScriptedSite


def rotating(numbers: count[int]) -> object:
    def answer(_: object) -> Page:
        return Page(body=A.replace("</main>", f"<p>{WISDOM[next(numbers) % 2]}</p></main>").encode())

    return answer


WISDOM = ["Many hands make light work", "Rivers run deep in winter", "Stone by stone the wall grows", "Nobody minds the rain"]


def wise(saying: str, note: str = "Closed on Sunday") -> Page:
    return Page(body=f"<h1>Harbour</h1><p>{note}</p><div><p>{saying}</p></div>".encode() + b"<p>Words</p>" * 20)


def test_what_turns_among_few_is_learned_at_the_third_look(runner: Runner, site: ScriptedSite) -> None:
    turn = iter([WISDOM[0], WISDOM[0], WISDOM[1], *WISDOM[2:]])
    watch = runner.watch(site.show("/", lambda _: wise(next(turn))))
    assert runner.outcome(watch) == "baseline"
    assert len(runner.app.read(lambda data: data.masks.of(watch.id))) == 1
    assert runner.outcome(watch) == "unchanged"


def test_what_turns_with_every_answer_is_noise_though_the_first_three_were_alike(runner: Runner, site: ScriptedSite) -> None:
    turn = iter([WISDOM[0], WISDOM[0], *WISDOM])
    watch = runner.watch(site.show("/", lambda _: wise(next(turn))))
    assert runner.outcome(watch) == "baseline"
    assert runner.outcome(watch) == "unchanged"  # it saw the second saying, asked again, and saw the third
    assert [mask.evidence for mask in runner.app.read(lambda data: data.masks.of(watch.id))] == ["differed between two fetches"]
    site.show("/", wise(WISDOM[3], note="Open on Sunday"))
    assert runner.outcome(watch) == "changed"


def stamped(token: int, note: str = "Closed on Sunday") -> Page:
    data = f'{{"@type": "NewsArticle", "image": ["https://img.example/resizer/{token:x}=/a.jpg"]}}'
    head = f'<script type="application/ld+json">{data}</script><img src="//stat.example/hit?t14;r;0.{token}" width=88>'
    return Page(body=f"<h1>Harbour</h1>{head}<p>{note}</p>".encode() + b"<p>Words</p>" * 20)


def test_pictures_and_metadata_that_turn_with_every_answer_are_learned(runner: Runner, site: ScriptedSite) -> None:
    numbers = count(9_000_001, 77_777)
    watch = runner.watch(site.show("/", lambda _: stamped(next(numbers))))
    assert runner.outcome(watch) == "baseline"
    assert [runner.outcome(watch) for _ in range(3)] == ["unchanged"] * 3
    site.show("/", lambda _: stamped(next(numbers), note="Open on Sunday"))
    assert runner.outcome(watch) == "changed"


def test_servers_that_do_not_agree_yet_are_reported_of_when_they_agree(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/", wise(WISDOM[0])))
    assert runner.outcome(watch) == "baseline"
    turn = iter([wise(WISDOM[0], note="Open on Sunday"), wise(WISDOM[0])])
    site.show("/", lambda _: next(turn))
    assert runner.outcome(watch) == "unchanged"
    assert not runner.app.read(lambda data: data.masks.of(watch.id))
    site.show("/", wise(WISDOM[0], note="Open on Sunday"))
    assert runner.outcome(watch) == "changed"


def test_what_goes_and_comes_back_within_seconds_a_second_time_is_noise(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/", wise(WISDOM[0])))
    assert runner.outcome(watch) == "baseline"
    for _ in range(2):
        turn = iter([wise(WISDOM[1]), wise(WISDOM[0])])
        site.show("/", lambda _, turn=turn: next(turn))
        assert runner.outcome(watch) == "unchanged"
    assert [mask.evidence for mask in runner.app.read(lambda data: data.masks.of(watch.id))] == ["differed between two fetches"]
    site.show("/", wise(WISDOM[1]))
    assert runner.outcome(watch) == "unchanged"
    site.show("/", wise(WISDOM[1], note="Open on Sunday"))
    assert runner.outcome(watch) == "changed"


def test_a_doubt_that_is_a_week_old_begins_anew(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/", wise(WISDOM[0])))
    assert runner.outcome(watch) == "baseline"
    old = runner.app.clock.now() - timedelta(days=8)
    learned = []
    for number in range(3):
        turn = iter([wise(WISDOM[1]), wise(WISDOM[0])])
        site.show("/", lambda _, turn=turn: next(turn))
        assert runner.outcome(watch) == "unchanged"
        learned.append(len(runner.app.read(lambda data: data.masks.of(watch.id))))
        if number == 0:
            runner.app.store.write_now(lambda session: session.tx.run("UPDATE masks SET learned_at = ?", (old,)))
    assert learned == [0, 0, 1]


def test_a_mask_that_hid_nothing_for_a_month_is_gone_and_one_that_did_stays(runner: Runner, site: ScriptedSite) -> None:
    turn = count(1)
    watch = runner.watch(site.show("/", lambda _: wise(WISDOM[next(turn) % 2])))
    runner.check(watch)

    def aged(days: int) -> None:
        old = runner.app.clock.now() - timedelta(days=days)
        runner.app.store.write_now(lambda session: session.tx.run("UPDATE masks SET learned_at = ?, needed_at = NULL", (old,)))

    aged(29)
    for _ in range(2):  # one of them shows the other saying
        assert runner.outcome(watch) == "unchanged"
    (mask,) = runner.app.read(lambda data: data.masks.of(watch.id))
    assert mask.needed_at is not None
    aged(31)
    site.show("/", wise(WISDOM[0]))
    runner.check(watch)
    assert not runner.app.read(lambda data: data.masks.of(watch.id))


def test_what_came_back_once_is_reported_only_if_it_stays_three_times(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/", wise(WISDOM[0])))
    assert runner.outcome(watch) == "baseline"
    for looks in ([1, 0], [1, 1, 0]):
        turn = iter([wise(WISDOM[look]) for look in looks])
        site.show("/", lambda _, turn=turn: next(turn))
        assert runner.outcome(watch) == "unchanged"
    assert len(runner.app.read(lambda data: data.masks.of(watch.id))) == 1


def test_a_change_is_reported_beside_something_that_goes_and_comes_back(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/", wise(WISDOM[0])))
    assert runner.outcome(watch) == "baseline"
    turn = iter([wise(WISDOM[1], note="Open on Sunday"), wise(WISDOM[0], note="Open on Sunday")])
    site.show("/", lambda _: next(turn))
    (checked,) = runner.check(watch)
    (change,) = checked.changes
    assert "Open on Sunday" in change.headline
    assert WISDOM[1] not in change.headline


def test_a_watch_that_is_not_calibrated_is_asked_once_a_check(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/", wise(WISDOM[0])), rules={"calibrate": False})
    runner.check(watch)
    site.show("/", wise(WISDOM[1]))
    assert runner.outcome(watch) == "changed"
    assert len(site.asked) == 2


def test_masks_are_listed_with_their_evidence_and_can_be_removed(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/hours", rotating(count(1))), "--name", "Hours")  # type: ignore[arg-type]  # an Answering
    driftline("check", "Hours")
    (mask,) = driftline("masks", "Hours", "--json").rows
    assert mask["skeleton"] == "values seen"
    assert "differed between two fetches" in mask["evidence"]
    assert "differed between" in driftline("masks", "Hours").out
    assert driftline("check", "Hours", "--json").rows[0]["outcome"] == "unchanged"
    assert driftline("masks", "Hours", "--remove", "ffff0000").code == 2
    assert driftline("masks", "Hours", "--remove", mask["id"][-8:], "--json").rows == []
    site.show("/hours", A.replace("</main>", f"<p>{WISDOM[2]}</p></main>"))
    assert [change["type"] for change in driftline("check", "Hours", "--json").rows[0]["changes"]] == ["content"]


def test_explain_names_the_mask_that_dropped_a_difference_and_what_taught_it(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/hours", rotating(count(1))), "--name", "Hours")  # type: ignore[arg-type]  # an Answering
    driftline("check", "Hours")
    driftline("check", "Hours")
    (mask,) = driftline("masks", "Hours", "--json").rows
    (reported,) = driftline("explain", "Hours", "--json").rows
    (dropped,) = reported["differences"]
    assert (dropped["fate"], dropped["by"], dropped["reason"]) == ("dropped", f"ignored area {mask['id']}", mask["evidence"])
    shown = driftline("explain", "Hours").out
    assert f"ignored area {mask['id'][-8:]}" in shown
    assert mask["id"] not in shown


def test_explain_lists_each_difference_with_the_rule_that_dropped_it_or_the_level_that_kept_it(
    driftline: Driftline, site: ScriptedSite
) -> None:
    noisy = "<p>Last updated: 3 March 2026</p><p>1,204 views</p>"
    driftline("add", site.show("/hours", A.replace("</main>", f"{noisy}</main>")), "--name", "Hours")
    driftline("check", "Hours")
    other = noisy.replace("3 March", "9 April").replace("1,204", "1,377")
    page = B.replace("</main>", f"{other}</main>").replace("<title>Opening hours", "<title>New hours")
    site.show("/hours", page.replace("<main>", "<main><img src='/door.jpg' width=600 height=400>"))
    run = driftline("check", "Hours", "--json").rows[0]["run"]
    (reported,) = driftline("explain", run[-8:], "--json").rows
    fates = {(one["fate"], one["by"]) for one in reported["differences"]}
    assert {
        ("kept", "title"),
        ("kept", "text"),
        ("kept", "images"),
        ("dropped", "date of change"),
        ("dropped", "counter"),
    } <= fates
    assert reported["compared_again"]
    (counter,) = (one for one in reported["differences"] if one["by"] == "counter")
    assert (counter["before"], counter["after"], counter["reason"]) == (
        "1,204 views",
        "1,377 views",
        "a number that changes with visits",
    )
    shown_to_people = driftline("explain", run[-8:]).out
    assert "a number that changes with visits" in shown_to_people
    assert "stays closed" in shown_to_people


@pytest.mark.parametrize("learned", [False, True], ids=["by-rules", "by-a-mask"])
def test_explain_names_the_rule_of_every_difference_of_an_unchanged_run(
    driftline: Driftline, site: ScriptedSite, learned: bool
) -> None:
    noisy = "<p>Last updated: {0} March 2026</p><p>1,20{0} views</p><p data-token='{0}a'>Ask us</p>"
    noisy += "<p>" + "The reading room is on the second floor, behind the stairs. " * 5 + "</p>"
    tips = count(1)

    def answer(number: int) -> Page:
        tip = f"<p>Ticket {next(tips) * 37:020x}: read more</p>" if learned else ""
        return Page(body=A.replace("</main>", f"{noisy.format(number)}{tip}</main>").encode())

    driftline("add", site.show("/hours", lambda _: answer(1)), "--name", "Hours")
    driftline("check", "Hours")
    site.show("/hours", lambda _: answer(2))
    (checked,) = driftline("check", "Hours", "--json").rows
    assert checked["outcome"] == "unchanged"
    (reported,) = driftline("explain", checked["run"], "--json").rows
    named = {one["by"]: one.get("after", "") for one in reported["differences"]}
    before = {one["by"]: one.get("before", "") for one in reported["differences"]}
    if learned:
        assert any(rule.startswith("ignored area ") for rule in named)
        return
    assert named["date of change"] == "Last updated: 2 March 2026"
    assert named["counter"] == "1,202 views"
    assert (before["date of change"], before["counter"]) == ("Last updated: 1 March 2026", "1,201 views")
    assert {(one["fate"], bool(one["reason"])) for one in reported["differences"]} == {("dropped", True)}
    assert "a number that changes with visits" in driftline("explain", "Hours").out


def test_explain_of_a_catalog_names_the_types_that_kept_its_changes(driftline: Driftline, site: ScriptedSite) -> None:
    cards = "".join(f"<li><a href='/p/{n}'><img src='/{n}.jpg'><h2>Cup {n}</h2></a><b>€{n}.00</b></li>" for n in range(5, 9))
    driftline("add", site.show("/cups", f"<html><body><ul>{cards}</ul></body></html>"), "--kind", "catalog", "--name", "Cups")
    driftline("check", "Cups")
    site.show("/cups", f"<html><body><ul>{cards.replace('€7.00', '€4.00')}</ul></body></html>")
    driftline("check", "Cups")
    (reported,) = driftline("explain", "Cups", "--json").rows
    assert [(one["fate"], one["by"]) for one in reported["differences"]] == [("kept", "price_decrease")]


def test_explain_of_a_failed_run_says_that_nothing_was_compared(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/hours", A), "--name", "Hours")
    driftline("check", "Hours")
    assert "nothing to compare" in driftline("explain", "Hours", "--json").rows[0]["note"]
    site.show("/hours", WALL)
    driftline("check", "Hours")
    (reported,) = driftline("explain", "Hours", "--json").rows
    assert (reported["outcome"], "baseline stays" in reported["note"]) == ("blocked", True)
    assert driftline("explain", "nobody").code == 2


def test_another_file_behind_a_token_is_reported_and_explain_names_what_was_dropped(
    driftline: Driftline, site: ScriptedSite
) -> None:
    numbers = count(0x1F3A5B7C9D0E2F4A, 7)

    def answer(year: int) -> object:
        link = '<a href="/dl/{:016x}/tariff-{}.pdf">Tariff</a></main>'
        return lambda _: Page(body=A.replace("</main>", link.format(next(numbers), year)).encode())

    driftline("add", site.show("/fees", answer(2025)), "--name", "Fees")  # type: ignore[arg-type]  # an Answering
    driftline("check", "Fees")
    assert driftline("check", "Fees", "--json").rows[0]["outcome"] == "unchanged"
    (mask,) = driftline("masks", "Fees", "--json").rows
    assert mask["skeleton"] == "address"
    (reported,) = driftline("explain", "Fees", "--json").rows
    assert [(dropped["fate"], dropped["by"]) for dropped in reported["differences"]] == [
        ("dropped", f"ignored area {mask['id']}")
    ]
    site.show("/fees", answer(2026))  # type: ignore[arg-type]  # an Answering
    (run,) = driftline("check", "Fees", "--json").rows
    assert [change["headline"] for change in run["changes"]] == ["Link “Tariff” leads to “tariff-2026.pdf” now"]
    assert driftline("check", "Fees", "--json").rows[0]["outcome"] == "unchanged"
