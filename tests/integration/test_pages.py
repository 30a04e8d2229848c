"""Pages end to end, on both databases: trouble, reverts, masks, reasons, prices, and a memory that stays flat."""

from __future__ import annotations

import gc
import logging
import resource
from itertools import count

import pytest
from tests.integration.conftest import Desk, Driftline
from tests.scripted import Page, ScriptedSite

from driftline.core import noise
from driftline.engine.context import Checked
from driftline.model.account import User
from driftline.model.delivery import Channel, Subscription
from driftline.model.watch import Watch
from driftline.settings import Settings
from driftline.wiring import App, run_loop

HOURS = """<html><head><title>Opening hours</title></head><body><main><h1>Opening hours</h1>
<p id="week">The library is open from nine to five on weekdays.</p><p id="saturday">{}</p></main></body></html>"""
A, B = HOURS.format("On Saturdays it closes at noon."), HOURS.format("On Saturdays it stays closed.")
GONE = "<html><head><title>Opening hours</title></head><body><main><h1>Opening hours</h1><p>Moved.</p></main></body></html>"
WALL = Page(
    status=403,
    body=b"<html><head><title>Just a moment...</title></head><body><div class='cf-challenge'>Checking</div></body></html>",
    headers={"server": "cloudflare", "content-type": "text/html", "cf-mitigated": "challenge"},
)
EMPTY = Page(body=b"<html><body></body></html>")
DEEP = Page(body=b"<html><body>" + b"<div>" * 200_000 + b"Moved.</body></html>")


def types(checked: Checked) -> list[str]:
    return [change.type for change in checked.changes]


def shown(desk: Desk, site: ScriptedSite, watch: Watch, page: str | Page) -> Checked:
    """The page is shown, then checked."""
    site.show("/hours", page)
    return desk.check(watch)[0]


# Outcomes: begin, recovered, alert_after.


@pytest.mark.parametrize(
    ("trouble", "outcome", "told"),
    [
        (WALL, "blocked", [["blocked"], [], [], []]),
        (GONE, "selector_missing", [["selector_missing"], [], [], []]),
        (EMPTY, "error", [[], ["error"], [], []]),
        (DEEP, "truncated", [[], ["error"], [], []]),
        (Page(status=500), "error", [[], ["error"], [], []]),
    ],
    ids=["blocked", "selector_missing", "empty", "truncated", "error"],
)
def test_trouble_is_told_when_it_begins_and_recovered_when_it_ends_and_never_as_content(
    desk: Desk, site: ScriptedSite, trouble: str | Page, outcome: str, told: list[list[str]]
) -> None:
    rules = {"alert_after": 2} | ({"select": ["#saturday"]} if outcome == "selector_missing" else {})
    watch = desk.watch(site.show("/hours", A), rules=rules)
    desk.check(watch)
    runs = [shown(desk, site, watch, trouble) for _ in range(4)]
    assert [run.run.outcome for run in runs] == [outcome] * 4
    assert [types(run) for run in runs] == told
    assert desk.again(watch).baseline_run_id != runs[-1].run.id
    assert desk.count("snapshots") == 1
    assert types(shown(desk, site, watch, A)) == ["recovered"]
    assert types(shown(desk, site, watch, A)) == []
    assert types(shown(desk, site, watch, B)) == ["content"]


def test_a_change_behind_trouble_is_told_with_its_end(desk: Desk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/hours", A))
    desk.check(watch)
    shown(desk, site, watch, WALL)
    assert sorted(types(shown(desk, site, watch, B))) == ["content", "recovered"]


def test_trouble_that_turns_into_other_trouble_is_told_again(desk: Desk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/hours", A), rules={"alert_after": 1})
    desk.check(watch)
    assert types(shown(desk, site, watch, WALL)) == ["blocked"]
    assert types(shown(desk, site, watch, Page(status=500))) == ["error"]
    assert types(shown(desk, site, watch, A)) == ["recovered"]


def test_errors_below_alert_after_are_forgotten(desk: Desk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/hours", A))
    desk.check(watch)
    for _ in range(2):
        assert types(shown(desk, site, watch, Page(status=500))) == []
    assert types(shown(desk, site, watch, A)) == []


# Empty pages.


def test_a_page_that_was_empty_from_the_beginning_is_a_baseline_and_empty_twice_is_unchanged(
    desk: Desk, site: ScriptedSite
) -> None:
    watch = desk.watch(site.show("/hours", EMPTY))
    assert desk.outcome(watch) == "baseline"
    assert shown(desk, site, watch, Page(body=b"<html><body> <!-- again --> </body></html>")).run.outcome == "unchanged"
    assert types(shown(desk, site, watch, A)) == ["content"]


def test_a_page_that_became_empty_is_an_error_with_the_reason_empty(desk: Desk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/hours", A))
    desk.check(watch)
    run = shown(desk, site, watch, EMPTY).run
    assert (run.status, run.outcome, run.reason) == ("failed", "error", "empty")


def test_a_page_that_became_empty_is_a_change_where_the_watch_says_so(desk: Desk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/hours", A), rules={"empty_is_change": True})
    desk.check(watch)
    assert types(shown(desk, site, watch, EMPTY)) == ["content"]
    assert shown(desk, site, watch, Page(body=b"<html><body>\n</body></html>")).run.outcome == "unchanged"


# History.


def test_a_page_that_is_noisy_at_every_check_grows_no_history(desk: Desk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/hours", A.replace("</main>", "<p>Page generated in 0.100 seconds</p></main>")))
    desk.check(watch)
    for number in range(5):
        page = A.replace("</main>", f"<p>Page generated in 0.{number}2{number} seconds</p></main>")
        assert shown(desk, site, watch, page).run.outcome == "unchanged"
    assert (desk.count("snapshots"), desk.count("blobs"), desk.count("changes")) == (1, 1, 0)


def test_a_difference_below_the_threshold_stores_the_next_version_and_tells_nothing(desk: Desk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/hours", A), rules={"sensitivity": "threshold"})
    desk.check(watch)
    checked = shown(desk, site, watch, A.replace("The library", "Our library"))
    assert (checked.run.outcome, types(checked), desk.count("snapshots")) == ("unchanged", [], 2)
    assert any(one.rule.startswith("similarity") for one in checked.run.suppressed)


def test_integration_the_previous_version_is_retrieved_and_named_in_the_change(desk: Desk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/hours", A))
    desk.check(watch)
    (change,) = shown(desk, site, watch, B).changes
    detail = desk.app.read(lambda data: data.changes.get(change.id))
    assert detail.previous is not None
    assert detail.next is not None
    assert (detail.previous.version, detail.next.version) == (1, 2)
    assert change.diff is not None
    assert change.diff["version"] == {"previous": 1, "current": 2}
    assert "closes at noon" in change.diff["changes"]["text"]["before"]


def test_versions_are_numbered_1_2_3_without_holes(desk: Desk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/hours", A))
    desk.check(watch)
    for page in (B, B, WALL, A, EMPTY, A, B):
        shown(desk, site, watch, page)
    rows = desk.app.store.read_now(lambda s: s.tx.rows("SELECT version FROM snapshots ORDER BY version"))
    assert [version for (version,) in rows] == [1, 2, 3, 4]


def test_a_corrupted_previous_version_is_treated_as_new_logged_and_flagged(
    desk: Desk, site: ScriptedSite, caplog: pytest.LogCaptureFixture
) -> None:
    watch = desk.watch(site.show("/hours", A))
    desk.check(watch)
    desk.app.store.write_now(lambda s: s.tx.run("UPDATE snapshots SET state = ?", ('{"url": 5}',)))
    with caplog.at_level(logging.WARNING):
        checked = shown(desk, site, watch, B)
    assert (checked.run.status, types(checked)) == ("completed", [])
    assert [notice.code for notice in checked.run.warnings] == ["baseline_anew"]
    assert checked.run.reason == "the previous version cannot be read; the baseline was taken anew"
    assert "previous version cannot be read" in caplog.text
    assert desk.count("snapshots") == 2
    assert types(shown(desk, site, watch, A)) == ["content"]


def test_the_next_check_after_a_rebaseline_tells_nothing(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/hours", A), "--name", "Hours")
    driftline("check", "Hours")
    site.show("/hours", B)
    assert driftline("rebaseline", "Hours", "--json").rows[0]["name"] == "Hours"
    (row,) = driftline("check", "Hours", "--json").rows
    assert (row["outcome"], row["changes"]) == ("baseline", [])
    site.show("/hours", A)
    assert [change["type"] for change in driftline("check", "Hours", "--json").rows[0]["changes"]] == ["content"]


# Reverts.


def subscribed(desk: Desk, site: ScriptedSite) -> None:
    """Somebody hears of everything, at /hook of the site itself."""
    app = desk.app
    at = app.clock.now()
    user = User(id=app.ids(), org_id=app.org.id, email="reader@example.org", name="Reader", next_digest_at=at, created_at=at)
    channel = Channel(
        id=app.ids(),
        org_id=app.org.id,
        user_id=user.id,
        kind="webhook",
        name="hook",
        target=site.show("/hook", Page()),
        is_default=True,
        created_at=at,
    )
    wish = Subscription(id=app.ids(), org_id=app.org.id, user_id=user.id, watch_id=None, created_at=at)
    app.write(lambda data: (data.users.add(user), data.channels.add(channel), data.subscriptions.add(wish)))


def test_a_change_that_goes_back_within_the_window_is_delivered_at_most_once(desk: Desk, site: ScriptedSite) -> None:
    subscribed(desk, site)
    watch = desk.watch(site.show("/hours", A))
    desk.check(watch)
    assert types(shown(desk, site, watch, B)) == ["content"]
    back = shown(desk, site, watch, A)
    assert [change.flags.get("muted") for change in back.changes] == ["reverted"]
    desk.app.deliver(once=True)
    assert site.asked.count("/hook") == 1
    states = desk.app.read(lambda data: sorted(delivery.state for delivery in data.deliveries.page().rows))
    assert states == ["sent", "skipped"]
    assert desk.count("snapshots") == 3


def test_a_revert_beyond_the_window_is_delivered_again(desk: Desk, site: ScriptedSite) -> None:
    subscribed(desk, site)
    watch = desk.watch(site.show("/hours", A), rules={"revert_window_for": 0.0})
    desk.check(watch)
    for page in (B, A):
        assert types(shown(desk, site, watch, page)) == ["content"]
    desk.app.deliver(once=True)
    assert site.asked.count("/hook") == 2


def test_two_reverts_of_one_place_make_a_mask(desk: Desk, site: ScriptedSite) -> None:
    quotes = [A.replace("</main>", f"<p>Quote of the hour: {name}</p></main>") for name in ("stay calm", "work hard")]
    watch = desk.watch(site.show("/hours", quotes[0]))
    desk.check(watch)
    told = [types(shown(desk, site, watch, quotes[number % 2])) for number in range(1, 9)]
    assert told[-1] == told[-2] == []
    (mask,) = desk.app.read(lambda data: data.masks.of(watch.id))
    assert "A, B, A" in mask.evidence
    assert types(shown(desk, site, watch, quotes[0].replace("closes at noon", "stays closed"))) == ["content"]


# Learned noise.


def rotating(numbers: count[int]) -> object:
    def answer(_: object) -> Page:
        return Page(body=A.replace("</main>", f"<p>Tip number {next(numbers) * 37}: read more</p></main>").encode())

    return answer


WISDOM = ["Many hands make light work", "Rivers run deep in winter", "Stone by stone the wall grows", "Nobody minds the rain"]


def wise(saying: str, note: str = "Closed on Sunday") -> Page:
    return Page(body=f"<h1>Harbour</h1><p>{note}</p><div><p>{saying}</p></div>".encode() + b"<p>Words</p>" * 20)


def test_what_turns_with_every_answer_is_noise_though_the_first_two_were_alike(desk: Desk, site: ScriptedSite) -> None:
    turn = iter([WISDOM[0], *WISDOM])
    watch = desk.watch(site.show("/", lambda _: wise(next(turn))))
    assert desk.outcome(watch) == "baseline"
    assert desk.outcome(watch) == "unchanged"  # it saw the second saying, asked again, and saw the third
    assert [mask.evidence for mask in desk.app.read(lambda data: data.masks.of(watch.id))] == [
        "differed between two fetches 0 s apart"
    ]
    site.show("/", wise(WISDOM[3], note="Open on Sunday"))
    assert desk.outcome(watch) == "changed"


def test_servers_that_do_not_agree_yet_hide_no_change(desk: Desk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/", wise(WISDOM[0])))
    assert desk.outcome(watch) == "baseline"
    turn = iter([wise(WISDOM[0], note="Open on Sunday"), wise(WISDOM[0])])
    site.show("/", lambda _: next(turn))
    assert desk.outcome(watch) == "changed"
    assert not desk.app.read(lambda data: data.masks.of(watch.id))


def test_a_watch_that_is_not_calibrated_is_asked_once_a_check(desk: Desk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/", wise(WISDOM[0])), rules={"calibrate": False})
    desk.check(watch)
    site.show("/", wise(WISDOM[1]))
    assert desk.outcome(watch) == "changed"
    assert len(site.asked) == 2


def test_masks_are_listed_with_their_evidence_and_can_be_removed(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/hours", rotating(count(1))), "--name", "Hours")  # type: ignore[arg-type]  # an Answering
    driftline("check", "Hours")
    (mask,) = driftline("masks", "Hours", "--json").rows
    assert "Tip number" in mask["skeleton"]
    assert "differed between two fetches" in mask["evidence"]
    assert "differed between" in driftline("masks", "Hours").out
    assert driftline("check", "Hours", "--json").rows[0]["outcome"] == "unchanged"
    assert driftline("masks", "Hours", "--remove", "ffff0000").code == 2
    assert driftline("masks", "Hours", "--remove", mask["id"][-8:], "--json").rows == []
    assert [change["type"] for change in driftline("check", "Hours", "--json").rows[0]["changes"]] == ["content"]


def test_explain_names_the_mask_that_dropped_a_difference_and_what_taught_it(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/hours", rotating(count(1))), "--name", "Hours")  # type: ignore[arg-type]  # an Answering
    driftline("check", "Hours")
    driftline("check", "Hours")
    (mask,) = driftline("masks", "Hours", "--json").rows
    (told,) = driftline("explain", "Hours", "--json").rows
    (dropped,) = told["differences"]
    assert (dropped["fate"], dropped["by"], dropped["reason"]) == ("dropped", f"mask {mask['id']}", mask["evidence"])


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
    (told,) = driftline("explain", run[-8:], "--json").rows
    fates = {(one["fate"], one["by"]) for one in told["differences"]}
    assert {("kept", "title"), ("kept", "text"), ("kept", "images"), ("dropped", "updated-at"), ("dropped", "counter")} <= fates
    assert told["compared_again"]
    (counter,) = (one for one in told["differences"] if one["by"] == "counter")
    assert (counter["before"], counter["after"], counter["reason"]) == ("1,204 views", "1,377 views", "visits move it")
    shown_to_people = driftline("explain", run[-8:]).out
    assert "visits move it" in shown_to_people
    assert "stays closed" in shown_to_people


@pytest.mark.parametrize("learned", [False, True], ids=["by-source", "by-scan"])
def test_explain_names_the_rule_of_every_difference_of_an_unchanged_run(
    driftline: Driftline, site: ScriptedSite, learned: bool
) -> None:
    noisy = "<p>Last updated: {0} March 2026</p><p>1,20{0} views</p><p data-token='{0}a'>Ask us</p>"
    noisy += "<p>" + "The reading room is on the second floor, behind the stairs. " * 5 + "</p>"
    tips = count(1)

    def answer(number: int) -> Page:
        tip = f"<p>Tip number {next(tips) * 37}: read more</p>" if learned else ""
        return Page(body=A.replace("</main>", f"{noisy.format(number)}{tip}</main>").encode())

    driftline("add", site.show("/hours", lambda _: answer(1)), "--name", "Hours")
    driftline("check", "Hours")
    site.show("/hours", lambda _: answer(2))
    (checked,) = driftline("check", "Hours", "--json").rows
    assert checked["outcome"] == "unchanged"
    (told,) = driftline("explain", checked["run"], "--json").rows
    named = {one["by"]: one.get("after", "") for one in told["differences"]}
    before = {one["by"]: one.get("before", "") for one in told["differences"]}
    if learned:
        assert any(rule.startswith("mask ") for rule in named)
        return
    assert named["updated-at"] == "Last updated: 2 March 2026"
    assert named["counter"] == "1,202 views"
    assert (before["updated-at"], before["counter"]) == ("Last updated: 1 March 2026", "1,201 views")
    assert "2a" in named["attribute"]
    assert all(one["fate"] == "dropped" and one["reason"] for one in told["differences"])
    assert "visits move it" in driftline("explain", "Hours").out


def test_explain_of_a_catalog_names_the_types_that_kept_its_changes(driftline: Driftline, site: ScriptedSite) -> None:
    cards = "".join(f"<li><a href='/p/{n}'><img src='/{n}.jpg'><h2>Cup {n}</h2></a><b>€{n}.00</b></li>" for n in range(5, 9))
    driftline("add", site.show("/cups", f"<html><body><ul>{cards}</ul></body></html>"), "--kind", "catalog", "--name", "Cups")
    driftline("check", "Cups")
    site.show("/cups", f"<html><body><ul>{cards.replace('€7.00', '€4.00')}</ul></body></html>")
    driftline("check", "Cups")
    (told,) = driftline("explain", "Cups", "--json").rows
    assert [(one["fate"], one["by"]) for one in told["differences"]] == [("kept", "price_decrease")]


def test_explain_of_a_failed_run_says_that_nothing_was_compared(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/hours", A), "--name", "Hours")
    driftline("check", "Hours")
    assert "nothing to compare" in driftline("explain", "Hours", "--json").rows[0]["note"]
    site.show("/hours", WALL)
    driftline("check", "Hours")
    (told,) = driftline("explain", "Hours", "--json").rows
    assert (told["outcome"], "baseline stays" in told["note"]) == ("blocked", True)
    assert driftline("explain", "nobody").code == 2


# Prices.


def product(price: str, *, stock: bool = True) -> str:
    availability = "InStock" if stock else "OutOfStock"
    return f"""<html><head><title>Kettle</title><script type="application/ld+json">{{"@context": "https://schema.org",
    "@type": "Product", "name": "Kettle", "offers": {{"@type": "Offer", "price": "{price}", "priceCurrency": "EUR",
    "availability": "https://schema.org/{availability}"}}}}</script></head><body><main><h1>Kettle</h1>
    <p>A kettle for tea and coffee, made of steel.</p><p class="price">€{price}</p></main></body></html>"""


def test_price_and_stock_of_a_product_page_are_findings_of_their_own(desk: Desk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/hours", product("79.90")))
    desk.check(watch)
    told = [
        types(shown(desk, site, watch, page))
        for page in (
            product("69.90"),
            product("74.50"),
            product("74.50", stock=False),
            product("74.50"),
            product("75.00", stock=False),
        )
    ]
    assert told == [["price_decrease"], ["price_increase"], ["sold_out"], ["back_in_stock"], ["price_increase", "sold_out"]]


def test_price_history_is_kept_and_shown_as_a_course_as_csv_and_as_json(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/kettle", product("79.90")), "--name", "Kettle")
    driftline("check", "Kettle")
    for page in (product("69.90"), product("74.90"), product("74.90", stock=False)):
        site.show("/kettle", page)
        driftline("check", "Kettle")
    rows = driftline("prices", "Kettle", "--json").rows
    assert [(row["price"], row["currency"], row["in_stock"]) for row in rows] == [
        ("79.9", "EUR", True),
        ("69.9", "EUR", True),
        ("74.9", "EUR", True),
        ("74.9", "EUR", False),
    ]
    assert driftline("prices", rows[0]["item"][-12:], "--json").rows == rows
    assert driftline("prices", rows[0]["url"], "--json").rows == rows
    table = driftline("prices", "Kettle").out
    assert "█▁▄▄" in table
    assert "sold out" in table
    lines = driftline("prices", "Kettle", "--csv").out.splitlines()
    assert lines[0] == "item,url,title,at,price,currency,in_stock"
    assert lines[-1].endswith(",74.9,EUR,no")
    assert driftline("prices", "Kettle", "--csv", "--json").code == 2
    assert driftline("prices", "nobody").code == 2


def test_prices_of_a_catalog_are_those_of_its_products(driftline: Driftline, site: ScriptedSite) -> None:
    def listing(*prices: str) -> str:
        cards = "".join(
            f'<li class="product"><a href="/p/{number}"><img src="/{number}.jpg"><h2>Cup {number}</h2></a>'
            f'<span class="price">€{price}</span></li>'
            for number, price in enumerate(prices)
        )
        return f"<html><head><title>Cups</title></head><body><ul class='products'>{cards}</ul></body></html>"

    driftline("add", site.show("/cups", listing("5.00", "6.00", "7.00")), "--kind", "catalog", "--name", "Cups")
    driftline("check", "Cups")
    site.show("/cups", listing("5.00", "4.50", "7.00"))
    driftline("check", "Cups")
    rows = driftline("prices", "Cups", "--json").rows
    courses: dict[str, list[str]] = {}
    for row in rows:
        courses.setdefault(row["title"], []).append(row["price"])
    assert courses == {"Cup 0": ["5"], "Cup 1": ["6", "4.5"], "Cup 2": ["7"]}


def test_a_watch_without_prices_says_so(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/hours", A), "--name", "Hours")
    driftline("check", "Hours")
    assert driftline("prices", "Hours", "--json").rows == []
    assert "no prices yet" in driftline("prices", "Hours").out
    assert driftline("prune", "--bytes", "lots").code == 2
    assert set(driftline("prune", "--older-than", "1d", "--keep", "3", "--bytes", "1G", "--json").rows[0].values()) == {0}


# Memory.


def test_two_thousand_checks_leave_no_objects_behind(tmp_path: object, site: ScriptedSite) -> None:
    numbers = count()

    def noisy(_: object) -> Page:
        return Page(body=A.replace("</main>", f"<p>{next(numbers)} views</p></main>").encode())

    settings = Settings(db=f"sqlite:///{tmp_path}/driftline.db", allow_hosts=("127.0.0.1",), calibrate_after=0.0)
    app = App(settings)
    try:
        desk = Desk(app)
        watches = [desk.watch(site.show(f"/page{number}", noisy)) for number in range(50)]
        checked = count()

        async def listen(_: Checked) -> None:
            next(checked)

        async def rounds() -> list[tuple[int, int]]:
            alive: list[tuple[int, int]] = []
            async with app.worker(listen) as worker:
                for turn in range(40):
                    await worker.check_now([watch.id for watch in watches])
                    if turn in {9, 39}:
                        noise._remembered.cache_clear()  # holds so many lines and no more
                        gc.collect()
                        alive.append((len(gc.get_objects()), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
            return alive

        (early, early_kb), (late, late_kb) = run_loop(rounds)
        assert next(checked) == 2_000
        assert late - early < 1_000, "objects pile up from check to check"
        assert late_kb - early_kb < 16_000, "memory grows from check to check"
    finally:
        app.close()
