"""`driftline ingest` and `driftline diff` as a user types them, on both databases."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.integration.conftest import Driftline

SHOP = "https://shop.example"
MONDAY = [
    {"url": f"{SHOP}/kettle", "title": "Kettle", "price": "29.90", "currency": "EUR", "in_stock": True},
    {"url": f"{SHOP}/pot", "title": "Pot", "price": 45, "currency": "EUR", "in_stock": True},
]
TUESDAY = [MONDAY[0] | {"price": "24.90"}, MONDAY[1] | {"in_stock": False}]


@pytest.fixture
def shop(driftline: Driftline, tmp_path: Path) -> Driftline:
    """A catalog with Monday's run."""
    driftline("add", SHOP, "--kind", "catalog", "--name", "Shop")
    (tmp_path / "monday.json").write_text(json.dumps({"run_key": "monday", "products": MONDAY}))
    (tmp_path / "tuesday.jsonl").write_text("\n".join(map(json.dumps, TUESDAY)))
    assert driftline("ingest", "Shop", "monday.json").code == 0
    return driftline


def test_a_crawler_pushes_runs_and_reads_the_reports(shop: Driftline) -> None:
    pushed = shop("ingest", "Shop", "tuesday.jsonl", "--json")
    assert (pushed.code, pushed.err) == (0, "")
    answer = pushed.rows[0]
    assert set(answer) >= {"run", "outcome", "counters", "report", "rejected"}
    assert (answer["outcome"], answer["report"]["counts"]) == ("changed", {"price_decrease": 1, "sold_out": 1})
    made = shop("diff", answer["run"][-8:], "--json").rows[0]
    assert made == shop("diff", answer["run"], "--json").rows[0]
    assert (made["run"], made["total"], made["changes"]) == (answer["run"], 2, answer["report"]["changes"])
    table = shop("diff", answer["run"])
    assert table.code == 0
    assert [line.split("  ")[0] for line in table.out.splitlines()[1:3]] == ["cheaper", "sold out"]
    assert "24.90 EUR" in table.out


def test_one_change_is_counted_as_one(shop: Driftline) -> None:
    counted = shop("ingest", "Shop", "tuesday.jsonl").out.splitlines()[0].removeprefix("changed: ").split(", ")
    assert {"1 price change", "1 sold out", "2 total", "0 new"} <= set(counted)


def test_the_same_run_key_returns_the_first_answer(shop: Driftline) -> None:
    one, other = (shop("ingest", "Shop", "monday.json", "--json").rows[0] for _ in range(2))
    assert one == other
    assert one["outcome"] == "baseline"
    assert len(shop("changes", "--json").rows) == 2


def test_a_run_comes_from_standard_input(shop: Driftline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(json.dumps(TUESDAY).encode())))
    assert shop("ingest", "Shop", "-", "--json").rows[0]["report"]["total"] == 2


def test_bad_rows_are_listed_and_strict_refuses_them(shop: Driftline, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text(json.dumps(TUESDAY[0]) + "\n{oops\n")
    strict = shop("ingest", "Shop", "bad.jsonl", "--strict")
    assert (strict.code, strict.err.count("\n")) == (2, 1)
    assert "line: 2" in strict.err
    assert shop("ingest", "Shop", "bad.jsonl", "--json").rows[0]["rejected"] == [{"line": 2, "reason": "not JSON"}]
    again = shop("ingest", "Shop", "bad.jsonl")
    assert "line 2: not JSON" in again.out


def test_a_file_without_a_good_row_is_no_run(shop: Driftline, tmp_path: Path) -> None:
    (tmp_path / "other.bin").write_bytes(b"\x00\x01\xfe\n\xff{\n[1\n")
    (tmp_path / "other.json").write_text('[{"title": "no address"}]')
    before = shop("show", "Shop", "--json").rows
    for name in ("other.bin", "other.json"):
        answer = shop("ingest", "Shop", name)
        assert (answer.code, answer.err.count("\n")) == (2, 1)
        assert "Give JSON lines" in answer.err
    assert shop("show", "Shop", "--json").rows == before


@pytest.mark.parametrize(
    "words",
    [
        ("ingest", "Nobody", "monday.json"),
        ("ingest", "Page", "monday.json"),
        ("ingest", "Shop", "missing.json"),
        ("ingest", "Shop", "."),
        ("ingest", "Shop", "empty.json"),
        ("diff", "0123456789abcdef"),
        ("diff", "00000000-0000-7000-8000-000000000009"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_done_is_one_line_with_exit_code_2_and_nothing_is_written(
    shop: Driftline, tmp_path: Path, words: tuple[str, ...]
) -> None:
    shop("add", f"{SHOP}/page", "--name", "Page")
    (tmp_path / "empty.json").write_text("")
    before = shop("show", "Shop", "--json").rows
    ended = shop(*words)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert ended.err.startswith("driftline: ")
    assert shop("show", "Shop", "--json").rows == before


@pytest.mark.parametrize("status", ["failed", "partial"])
def test_diff_refuses_runs_that_are_not_completed(shop: Driftline, tmp_path: Path, status: str) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"status": status, "products": TUESDAY}))
    run_id = shop("ingest", "Shop", "run.json", "--json").rows[0]["run"]
    ended = shop("diff", run_id)
    assert (ended.code, status in ended.err) == (2, True)


def test_diff_refuses_runs_of_another_kind(shop: Driftline) -> None:
    shop("add", "https://127.0.0.1:9/page", "--name", "Page")
    shop("check", "Page")
    run_id = shop("show", "Page", "--json").rows[0]["runs"][0]["id"]
    ended = shop("diff", run_id)
    assert (ended.code, "only runs of catalogs" in ended.err) == (2, True)


def test_a_run_without_changes_has_an_empty_report(shop: Driftline, tmp_path: Path) -> None:
    (tmp_path / "again.json").write_text(json.dumps(MONDAY))
    run_id = shop("ingest", "Shop", "again.json", "--json").rows[0]["run"]
    assert shop("diff", run_id).out == "No changes\n"
    assert shop("diff", run_id, "--json").rows[0]["total"] == 0


def test_a_watch_that_is_added_paused_is_never_polled_and_takes_runs(driftline: Driftline, tmp_path: Path) -> None:
    (added,) = driftline("add", "https://shop.example/", "--kind", "catalog", "--name", "Pushed", "--paused", "--json").rows
    assert (added["paused"], added["due_at"]) == (True, None)
    assert driftline("check", "--all", "--json").rows == []
    run = tmp_path / "run.json"
    run.write_text('[{"url": "https://shop.example/kettle", "price": "29.90"}]')
    assert driftline("ingest", "Pushed", str(run), "--json").rows[0]["counters"]["new"] == 1
