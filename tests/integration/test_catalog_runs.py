"""Pushed runs of a catalog, recorded and judged: the cases of the source's testing plan, on both databases."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.integration.conftest import Runner

from driftline.cli.results.runs import run_document
from driftline.errors import BadFile, NotFound, Refused
from driftline.model.watch import Watch
from driftline.wiring import run_loop

SHOP = "https://shop.example"
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def row(name: str, price: object = "10.00", *, in_stock: object = True, **more: object) -> dict[str, Any]:
    return {"url": f"{SHOP}/{name}", "title": name, "price": price, "currency": "EUR", "in_stock": in_stock, **more}


class Shop:
    """One catalog watch that runs are pushed to, an hour apart."""

    def __init__(self, runner: Runner, path: str = "/all", **rules: object) -> None:
        self.runner = runner
        self.watch: Watch = runner.watch(SHOP + path, kind="catalog", name=path, rules=rules)
        self.hours = 0

    def push(self, *rows: object, **said: object) -> dict[str, Any]:
        """Push a run as one document; the answer."""
        self.hours += 1
        began = START + timedelta(hours=self.hours)
        envelope = {"started_at": began.isoformat(), "completed_at": (began + timedelta(minutes=1)).isoformat()} | said
        document = json.dumps(envelope | {"products": rows}).encode()
        return self.push_bytes([document])

    def push_bytes(self, chunks: Iterable[bytes], *, strict: bool = False) -> dict[str, Any]:
        ended = self.runner.app.ingest(self.watch.id, chunks, strict=strict)
        return run_document(self.runner.app, ended.run_id)


@pytest.fixture
def shop(runner: Runner) -> Shop:
    return Shop(runner)


def told(answer: dict[str, Any]) -> list[tuple[str, str]]:
    """Type and product of every change, in the report's order."""
    changes = answer["report"]["changes"] if answer["report"] else []
    return [(change["type"], change["url"].rpartition("/")[2]) for change in changes]


def forget(runner: Runner, *run_ids: object) -> None:
    """As after a crash between recording and judging: the runs are there, their verdict is not."""

    def remove(session: Any) -> None:
        for run_id in run_ids:
            session.tx.run("DELETE FROM reports WHERE run_id = ?", (run_id,))
            session.tx.run("UPDATE runs SET judged_at = NULL WHERE id = ?", (run_id,))

    runner.app.store.write_now(remove)


def judge(runner: Runner, run_id: Any) -> dict[str, Any]:
    rejudge = runner.app.rejudge()
    run_loop(lambda: rejudge.judge(run_id))
    return run_document(runner.app, run_id)


def test_first_run_produces_only_new_product(shop: Shop) -> None:
    answer = shop.push(row("kettle"), row("pot", in_stock=False))
    assert told(answer) == [("new_product", "kettle"), ("new_product", "pot")]
    assert answer["outcome"] == "baseline"
    assert answer["counters"] == {"total": 2, "new": 2, "price_changes": 0, "sold_out": 0, "back_in_stock": 0, "missing": 0}


def test_first_completed_run_does_not_emit_new_product_for_products_first_seen_in_another_watch(runner: Runner) -> None:
    Shop(runner, "/all").push(row("kettle", "10"), row("pot"))
    second = Shop(runner, "/sale")
    answer = second.push(row("kettle", "10"), row("lamp"))
    assert told(answer) == [("new_product", "lamp")]


def test_price_increase_price_decrease_sold_out_and_back_in_stock_are_found(shop: Shop) -> None:
    shop.push(row("a", "10"), row("b", "10"), row("c"), row("d", in_stock=False), row("e"))
    answer = shop.push(row("a", "12.50"), row("b", 9), row("c", in_stock=False), row("d"), row("e"))
    assert told(answer) == [("price_decrease", "b"), ("price_increase", "a"), ("back_in_stock", "d"), ("sold_out", "c")]
    assert answer["report"]["total"] == 4
    assert answer["counters"] == {"total": 5, "new": 0, "price_changes": 2, "sold_out": 1, "back_in_stock": 1, "missing": 0}
    by_type = {change["type"]: change for change in answer["report"]["changes"]}
    assert (by_type["price_increase"]["before"]["price"], by_type["price_increase"]["after"]["price"]) == ("10", "12.5")


def test_price_change_and_sold_out_in_same_run_produce_two_changes(shop: Shop) -> None:
    shop.push(row("a", "10"))
    assert told(shop.push(row("a", "12", in_stock=False))) == [("price_increase", "a"), ("sold_out", "a")]


def test_an_unchanged_run_makes_no_report_no_snapshot_and_leaves_its_counters_at_zero(shop: Shop) -> None:
    shop.push(row("a"), row("b"))
    answer = shop.push(row("a"), row("b"))
    assert (answer["outcome"], answer["report"]) == ("unchanged", None)
    assert answer["counters"] == {"total": 2, "new": 0, "price_changes": 0, "sold_out": 0, "back_in_stock": 0, "missing": 0}
    assert shop.runner.count("snapshots") == 2
    assert shop.runner.count("reports") == 1


def test_a_product_without_a_pre_run_snapshot_is_skipped_with_a_warning(shop: Shop) -> None:
    shop.push(row("a", "10"), row("b", "10"))
    shop.runner.app.store.write_now(lambda session: session.tx.run("DELETE FROM snapshots"))
    answer = shop.push(row("a", "12", in_stock=False), row("b", "10"), row("c"))
    assert told(answer) == [("new_product", "c")]
    assert [(notice.code, notice.count) for notice in answer["warnings"]] == [("no_baseline", 1)]


def test_duplicate_raw_inputs_collapse_and_the_last_one_wins_with_a_warning(shop: Shop) -> None:
    shop.push(row("a", "10"), row("b", "10"))
    answer = shop.push(row("a", "11"), row("b", "9"), row("a", "12"), row("b", "9"), row("a", None))
    assert told(answer) == [("price_decrease", "b"), ("price_increase", "a")]
    assert answer["report"]["changes"][1]["after"]["price"] == "12"
    assert [(notice.code, notice.count) for notice in answer["warnings"]] == [("disagreeing_duplicates", 1)]
    assert answer["counters"]["total"] == 2


@pytest.mark.parametrize("prices", [("11", "12", "11"), ("10", "11"), ("11", "10", "11"), ("11", "11")])
def test_of_many_sights_of_a_product_in_a_run_the_last_one_counts(shop: Shop, prices: tuple[str, ...]) -> None:
    shop.push(row("a", "10"), row("b", "10"))
    answer = shop.push(*(row("a", price) for price in prices), row("b", "10"))
    assert told(answer) == [("price_increase", "a")]
    assert answer["report"]["changes"][0]["after"]["price"] == "11"
    assert answer["counters"]["total"] == 2


def test_retrying_the_same_run_is_idempotent(shop: Shop) -> None:
    first = shop.push(row("a"), row("b"), run_key="monday")
    tables = ("runs", "items", "snapshots", "watch_items", "reports", "changes", "deliveries")
    counted = {table: shop.runner.count(table) for table in tables}
    assert shop.push(row("a", "99"), run_key="monday") == first
    assert {table: shop.runner.count(table) for table in tables} == counted
    assert judge(shop.runner, first["run"]) == first


def test_a_product_with_no_snapshot_in_the_previous_run_is_diffed_with_its_latest_one_before(shop: Shop) -> None:
    shop.push(row("a", "10"), row("b"))
    shop.push(row("b"))
    shop.push(row("b", "11"))
    answer = shop.push(row("a", "12"), row("b", "11"))
    assert told(answer) == [("price_increase", "a")]
    assert answer["report"]["changes"][0]["before"]["price"] == "10"


def test_a_multi_category_product_does_not_emit_duplicate_changes(runner: Runner) -> None:
    everything, sale = Shop(runner, "/all"), Shop(runner, "/sale")
    everything.push(row("a", "10"))
    assert told(sale.push(row("a", "10"))) == []
    sale.hours += 1
    assert told(sale.push(row("a", "8"))) == [("price_decrease", "a")]
    everything.hours += 5
    assert told(everything.push(row("a", "8"))) == []
    assert runner.count("items") == 1
    assert runner.count("snapshots") == 2


def test_missing_products_are_diagnostics_and_never_sold_out(shop: Shop) -> None:
    shop.push(row("a"), row("b"), row("c"))
    answer = shop.push(row("a"))
    assert (told(answer), answer["counters"]["missing"]) == ([], 2)
    assert answer["missing"] == [f"{SHOP}/b", f"{SHOP}/c"]
    again = shop.push(row("a"))
    assert again["counters"]["missing"] == 0
    back = shop.push(row("a"), row("b"))
    assert (told(back), back["counters"]["total"]) == ([], 2)
    assert shop.runner.count("watch_items") == 4


def test_unknown_stock_is_never_a_transition_and_is_compared_once(shop: Shop) -> None:
    shop.push(row("a"))
    assert told(shop.push(row("a", in_stock=None))) == []
    assert shop.runner.count("sights") == 1
    assert told(shop.push(row("a", in_stock=None))) == []
    assert told(shop.push(row("a", in_stock=False))) == [("sold_out", "a")]
    assert told(shop.push(row("a", None, in_stock=None))) == []
    assert told(shop.push(row("a", None, in_stock=None))) == []
    assert told(shop.push(row("a", "11", in_stock=None))) == [("price_increase", "a")]
    assert told(shop.push(row("a", "11", in_stock=None))) == []
    assert told(shop.push(row("a", "11", in_stock=True))) == [("back_in_stock", "a")]


def test_prices_that_are_none_are_warnings_and_the_rest_goes_on(shop: Shop) -> None:
    shop.push(row("a", "10"), row("b", "10"))
    text = json.dumps({"started_at": "2026-03-02T00:00:00Z", "products": [row("a", "12"), row("b", float("nan"))]})
    answer = shop.push_bytes([text.encode()])
    assert told(answer) == [("price_increase", "a")]
    assert {notice.code for notice in answer["warnings"]} == {"bad_price", "missing_price"}


def test_bad_rows_are_rejected_with_line_and_reason_and_the_others_stand(shop: Shop) -> None:
    lines = [json.dumps(row("a")), "{broken", "", json.dumps({"title": "no address"}), '"text"', json.dumps(row("b"))]
    answer = shop.push_bytes(["\n".join(lines).encode()])
    assert told(answer) == [("new_product", "a"), ("new_product", "b")]
    assert answer["rejected"] == [
        {"line": 2, "reason": "not JSON"},
        {"line": 4, "reason": "no url"},
        {"line": 5, "reason": "not an object"},
    ]
    assert answer["counters"]["rejected"] == 3


def test_strict_refuses_the_run_whole_and_stores_nothing(shop: Shop) -> None:
    with pytest.raises(Refused, match="line: 2"):
        shop.push_bytes([json.dumps(row("a")).encode(), b"\n{}\n"], strict=True)
    assert [shop.runner.count(table) for table in ("runs", "items", "snapshots")] == [0, 0, 0]


def test_a_run_that_began_before_the_newest_one_is_refused(shop: Shop) -> None:
    shop.push(row("a"))
    with pytest.raises(Refused, match="newest"):
        shop.push(row("a", "5"), started_at="2026-03-01T00:00:00Z")
    assert shop.runner.count("runs") == 1
    assert told(shop.push(row("a", "5"))) == [("price_decrease", "a")]


@pytest.mark.parametrize("status", ["partial", "failed"])
def test_partial_and_failed_runs_write_their_row_and_nothing_else_and_are_not_judged(shop: Shop, status: str) -> None:
    shop.push(row("a", "10"))
    answer = shop.push(row("a", "5"), row("b"), status=status)
    assert (answer["status"], answer["report"]) == (status, None)
    assert [shop.runner.count(table) for table in ("runs", "items", "snapshots", "watch_items")] == [2, 1, 1, 1]
    with pytest.raises(Refused, match="only completed runs"):
        judge(shop.runner, answer["run"])
    assert told(shop.push(row("a", "5"), row("b"))) == [("price_decrease", "a"), ("new_product", "b")]


@pytest.mark.parametrize(
    "said",
    [
        {"status": "running"},
        {"status": "done"},
        {"started_at": "soon"},
        {"started_at": "2199-01-01T00:00:00Z", "completed_at": None},
        {"started_at": "2026-03-02T00:00:00Z", "completed_at": "2026-03-01T00:00:00Z"},
        {"run_key": ""},
    ],
    ids=str,
)
def test_an_envelope_that_makes_no_sense_is_refused_and_nothing_is_written(shop: Shop, said: dict[str, object]) -> None:
    with pytest.raises((Refused, BadFile)):
        shop.push(row("a"), **said)
    assert [shop.runner.count(table) for table in ("runs", "items")] == [0, 0]
    assert shop.push(row("a"))["outcome"] == "baseline"


def test_a_run_of_another_kind_and_an_unknown_run_are_refused(runner: Runner) -> None:
    page = runner.watch(f"{SHOP}/page")
    with pytest.raises(Refused, match="only runs of catalogs"):
        runner.app.ingest(page.id, [b"[]"])
    with pytest.raises(NotFound):
        judge(runner, page.id)
    with pytest.raises(NotFound):
        runner.app.ingest("nobody", [b"[]"])


def test_new_product_is_identified_from_first_seen_plus_the_runs_own_snapshot(shop: Shop) -> None:
    first = shop.push(row("a"))
    (first_seen_at,) = shop.runner.app.store.read_now(
        lambda session: [session.tx.codec.at(seen) for (seen,) in session.tx.rows("SELECT first_seen_at FROM items")]
    )
    assert first_seen_at == START + timedelta(hours=1, minutes=1)
    forget(shop.runner, first["run"])
    assert told(judge(shop.runner, first["run"])) == [("new_product", "a")]
    early = START - timedelta(days=1)
    shop.runner.app.store.write_now(lambda session: session.tx.run("UPDATE items SET first_seen_at = ?", (early,)))
    forget(shop.runner, first["run"])
    assert told(judge(shop.runner, first["run"])) == []


def test_an_old_run_is_judged_later_while_newer_runs_exist(shop: Shop) -> None:
    answers = [shop.push(row("a", price, in_stock=stock)) for price, stock in (("10", True), ("12", True), ("9", False))]
    forget(shop.runner, *(answer["run"] for answer in answers))
    assert shop.runner.count("changes") == 0
    for answer in (answers[1], answers[2], answers[0]):
        assert told(judge(shop.runner, answer["run"])) == told(answer)
    assert told(answers[2]) == [("price_decrease", "a"), ("sold_out", "a")]


def test_unjudged_runs_are_recovered_by_the_worker(shop: Shop) -> None:
    answers = [shop.push(row("a", price)) for price in ("10", "12", "12", "9")]
    forget(shop.runner, *(answer["run"] for answer in answers))
    recovery = shop.runner.app.recovery()
    run_loop(lambda: recovery.run(once=True))
    for answer in answers:
        again = run_document(shop.runner.app, answer["run"])
        assert (told(again), again["counters"], again["outcome"]) == (told(answer), answer["counters"], answer["outcome"])
    unjudged = "SELECT count(*) FROM runs WHERE judged_at IS NULL"
    assert shop.runner.app.store.read_now(lambda session: session.tx.row(unjudged)[0]) == 0


def test_a_change_of_rules_that_only_judge_takes_no_baseline_anew(runner: Runner) -> None:
    shop = Shop(runner)
    shop.push(row("a", "100"))
    runner.app.write(lambda data: data.watches.update(shop.watch.id, rules={"min_price_change": "5%", "cooldown_for": 7200.0}))
    flags = [shop.push(row("a", price))["report"]["changes"][0]["flags"] for price in ("98", "96", "94")]
    assert ["muted" in flag for flag in flags] == [True, True, False], "small steps add up"
    flapping = shop.push(row("a", "94", in_stock=False)), shop.push(row("a", "94"))
    assert [answer["report"]["changes"][0]["flags"].get("muted") for answer in flapping] == [
        None,
        "reverted within the cooldown",
    ]


def test_a_change_of_rules_that_read_tells_nothing_by_itself_and_keeps_what_is_known(runner: Runner) -> None:
    shop = Shop(runner)
    shop.push(row("a", "100"), row("b", "5"))
    runner.app.write(lambda data: data.watches.update(shop.watch.id, rules={"currency": "EUR"}))
    answer = shop.push(row("a", "90"), row("b", None), row("c"))
    assert (told(answer), answer["reason"]) == ([], "rules changed: new baseline")
    assert told(shop.push(row("a", "80"), row("b", "4"), row("c"))) == [("price_decrease", "a"), ("price_decrease", "b")]


def test_json_lines_a_list_and_an_envelope_say_the_same(runner: Runner) -> None:
    rows = [row("a", 1), row("b", "2,50 €"), row("c", 2879.20)]
    forms = {
        "/lines": "\r\n".join(map(json.dumps, rows)),
        "/framed": "\n".join(map(json.dumps, [{"run_key": "k"}, *rows, {"completed_at": "2199-01-01"}][:4])),
        "/list": json.dumps(rows),
        "/pretty": json.dumps({"started_at": None, "source": {"name": "x"}, "products": rows, "run_key": "k"}, indent=2),
        "/bom": "\ufeff" + json.dumps(rows, indent=1),
    }
    for path, text in forms.items():
        shop = Shop(runner, path, scope=path)
        data = text.encode()
        answer = shop.push_bytes(data[at : at + 7] for at in range(0, len(data), 7))
        assert {change["url"][-1]: change["after"]["price"] for change in answer["report"]["changes"]} == {
            "a": "1",
            "b": "2.5",
            "c": "2879.2",
        }
        assert answer["run_key"] == ("k" if path in ("/framed", "/pretty") else None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        "[",
        '[{"url": 1},',
        '{"products": [',
        '{"products": 5}',
        "[] []",
        '{"products": [{}]',
        "[" * 100_000,
        '["\ud800"]',
    ],
    ids=lambda text: text[:20],
)
def test_what_is_no_run_is_refused_whole(shop: Shop, text: str) -> None:
    with pytest.raises(BadFile):
        shop.push_bytes([text.encode("utf-8", "surrogatepass")])
    assert shop.runner.count("runs") == 0


def test_an_explicitly_empty_run_is_a_run(shop: Shop) -> None:
    shop.push(row("a"))
    assert shop.push()["counters"]["missing"] == 1


def test_products_can_be_pushed_as_values(shop: Shop) -> None:
    ended = shop.runner.app.ingest(shop.watch.id, [row("a"), row("b"), {"title": "?"}], run_key="one")
    answer = run_document(shop.runner.app, ended.run_id)
    assert (answer["counters"]["new"], answer["rejected"], answer["run_key"]) == (2, [{"line": 3, "reason": "no url"}], "one")


def test_a_recorded_run_key_is_answered_while_another_worker_has_the_watch(shop: Shop) -> None:
    first = shop.push(row("a"), run_key="monday")
    store = shop.runner.app.store
    at = shop.runner.app.clock.now()
    assert run_loop(lambda: store.claim([shop.watch.id], owner="a killed push", at=at, until_at=at + timedelta(minutes=5)))
    assert shop.push(row("a", "99"), run_key="monday") == first


@pytest.mark.parametrize(
    ("fields", "envelope"),
    [
        (("externalUrl", "title", "price", "priceCurrency", "inStock"), ("runKey", "startedAt", "completedAt", "status")),
        (("URL", "TITLE", "PRICE", "CURRENCY", "IN_STOCK"), ("RUN_KEY", "STARTED_AT", "COMPLETED_AT", "STATUS")),
        (("product-url", "Name", "Price", "Currency", "In-Stock"), ("run-key", "Started-At", "completed-at", "Status")),
    ],
)
@pytest.mark.parametrize("lines", [False, True])
def test_a_crawler_may_spell_fields_as_its_language_does(
    shop: Shop, fields: tuple[str, ...], envelope: tuple[str, ...], lines: bool
) -> None:
    product = dict(zip(fields, (f"{SHOP}/a", "a", "10", "EUR", False), strict=True))
    said = dict(zip(envelope, ("one", "2026-03-01T10:00:00Z", "2026-03-01T10:01:00Z", "COMPLETED"), strict=True))
    text = f"{json.dumps(said)}\n{json.dumps(product)}" if lines else json.dumps(said | {"Products": [product]})
    answer = shop.push_bytes([text.encode()])
    assert (answer["run_key"], answer["started_at"], answer["status"]) == ("one", "2026-03-01T10:00:00Z", "completed")
    assert answer["warnings"] == ()
    after = answer["report"]["changes"][0]["after"]
    assert after == {"title": "a", "price": "10", "currency": "EUR", "in_stock": False}


def test_what_an_envelope_says_beyond_its_fields_is_warned_about(shop: Shop) -> None:
    answer = shop.push(row("a"), startet_at="2026-03-01T10:00:00Z", crawler="mine")
    assert [notice.message for notice in answer["warnings"]] == [
        "fields of the run that are not known were ignored: startet_at, crawler"
    ]
    line = shop.push_bytes([json.dumps({"run_key": "k", "crawler": "mine"}).encode(), b"\n", json.dumps(row("a")).encode()])
    assert (line["run_key"], [notice.code for notice in line["warnings"]]) == ("k", ["unknown_fields"])


def test_an_unknown_status_is_refused_with_the_ones_that_there_are(shop: Shop) -> None:
    with pytest.raises(BadFile, match="completed, partial, failed, running"):
        shop.push(row("a"), status="finished")


def test_a_price_of_0_is_unknown_unless_the_shop_says_free(shop: Shop) -> None:
    shop.push(row("a", "30"), row("b", "30"), row("c", "30"))
    answer = shop.push(row("a", 0), row("b", "0,00 €"), row("c", "free"))
    assert told(answer) == [("price_decrease", "c")]
    assert {notice.code: notice.count for notice in answer["warnings"]} == {"missing_price": 2, "zero_price": 2}
    assert told(shop.push(row("a", "30"), row("b", "30"), row("c", "free"))) == []


def test_stock_that_cannot_be_read_is_warned_about(shop: Shop) -> None:
    answer = shop.push(row("a", in_stock="quarantined"), row("b", in_stock={"level": "?"}), row("c", in_stock=""))
    assert [(notice.code, notice.count) for notice in answer["warnings"]] == [("bad_stock", 2)]
