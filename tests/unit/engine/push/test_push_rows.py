"""Rows of a pushed run: which are rejected, and what two rows of one product become."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.unit.engine.check.test_to_recording import watch

from driftline.engine.push import push_rows
from driftline.engine.push.push_rows import BadRow, PushedRun, pushable
from driftline.engine.push.run_file import MAX_ROW
from driftline.engine.push.spool import PARTS
from driftline.errors import BadFile, Refused
from driftline.kinds.catalog.rules import CatalogRules


def row(name: str, price: object = "10", **more: object) -> dict[str, Any]:
    return {"url": f"https://shop.example/{name}", "title": name, "price": price, "currency": "EUR", **more}


@pytest.fixture
def pushed() -> Iterator[PushedRun]:
    run = PushedRun(CatalogRules(), "https://shop.example/")
    yield run
    run.close()


def lines(*rows: object) -> list[bytes]:
    return [b"".join(json.dumps(one).encode() + b"\n" for one in rows)]


def shown(run: PushedRun) -> dict[str, Any]:
    """The price of every product, whatever its part."""
    read = [run.product(text) for part in range(PARTS) for text in run.part(part)[1]]
    prices = {one.key.rpartition("/")[2]: str(one.state.price) for one in read}
    assert len(prices) == len(read)
    return prices


def test_every_product_is_in_one_part_and_its_stamp_is_that_of_its_row(pushed: PushedRun) -> None:
    pushed.take(lines(*(row(f"p{number}", number + 1) for number in range(50))), strict=False)
    assert shown(pushed) == {f"p{number}": str(number + 1) for number in range(50)}
    stamps = {stamp for part in range(PARTS) for stamp in pushed.part(part)[0].values()}
    assert stamps == {pushed.product(text).fingerprint for part in range(PARTS) for text in pushed.part(part)[1]}


def test_a_bad_row_is_named_with_its_line_and_the_others_are_taken(pushed: PushedRun) -> None:
    pushed.take(lines(row("a"), {"title": "no address"}, row("b"), 7), strict=False)
    assert [one.line for one in pushed.rejected] == [2, 4]
    assert (pushed.rejections, sorted(shown(pushed))) == (2, ["a", "b"])


def test_rejected_rows_are_all_counted_and_the_first_ones_named(pushed: PushedRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push_rows, "REJECTED_AT_MOST", 3)
    pushed.take(lines(row("a"), *({"title": "no address"} for _ in range(5))), strict=False)
    assert (pushed.rejections, [one.line for one in pushed.rejected]) == (5, [2, 3, 4])


def test_the_first_bad_row_of_a_strict_run_refuses_all_of_it(pushed: PushedRun) -> None:
    with pytest.raises(Refused, match="nothing was stored") as refused:
        pushed.take(lines(row("a"), {"title": "no address"}), strict=True)
    assert refused.value.context["line"] == 2


def padded(name: str, size: int) -> bytes:
    text = json.dumps(row(name)).encode()
    return text[:-1] + b" " * (size - len(text)) + b"}\n"


def test_a_row_may_be_as_large_as_the_limit_and_no_larger(pushed: PushedRun) -> None:
    pushed.take([padded("a", MAX_ROW) + padded("b", MAX_ROW + 1)], strict=False)
    assert (sorted(shown(pushed)), pushed.rejected) == (["a"], [BadRow(2, "row is too large")])


@pytest.mark.parametrize("text", [b"", b"\n\n"])
def test_a_file_without_a_row_is_no_run(pushed: PushedRun, text: bytes) -> None:
    with pytest.raises(BadFile, match="holds no products"):
        pushed.take([text], strict=False)


def test_a_document_without_products_is_a_run_that_saw_none(pushed: PushedRun) -> None:
    pushed.take([b'{"run_key": "monday", "products": []}'], strict=False)
    assert (shown(pushed), pushed.envelope.run_key) == ({}, "monday")


def test_a_file_without_a_good_row_is_no_run(pushed: PushedRun) -> None:
    with pytest.raises(BadFile, match="nothing was stored") as refused:
        pushed.take(lines({"title": "x"}, {"title": "y"}), strict=False)
    assert (refused.value.context["rows"], refused.value.context["line"]) == (2, 1)


def test_a_line_of_envelope_fields_is_no_row_and_what_the_caller_says_wins(pushed: PushedRun) -> None:
    pushed.take(lines({"run_key": "file", "status": "partial"}, row("a")), strict=True, fields={"run_key": "caller"})
    assert (pushed.envelope.run_key, pushed.envelope.status, pushed.rejections) == ("caller", "partial", 0)


@pytest.mark.parametrize(
    ("prices", "price", "disagree"),
    [(("10", "10"), "10", False), (("10", "12"), "12", True), (("10", "12", "10"), "10", True), (("12", None), "12", False)],
)
def test_of_several_rows_of_a_product_the_last_known_price_counts(
    pushed: PushedRun, prices: tuple[object, ...], price: str, disagree: bool
) -> None:
    pushed.take(lines(*(row("a", one) for one in prices), row("b")), strict=False)
    assert shown(pushed) == {"a": price, "b": "10"}
    assert [notice.code for notice in pushed.notices()] == ["disagreeing_duplicates"] * disagree


def test_rows_of_other_currencies_and_unknown_names_are_said_once(pushed: PushedRun) -> None:
    pushed.take([json.dumps({"colour": "red", "products": [row("a")]}).encode()], strict=False)
    assert [notice.code for notice in pushed.notices()] == ["unknown_fields"]


def test_only_runs_of_catalogs_can_be_pushed() -> None:
    pushable(watch(kind="catalog")).close()
    with pytest.raises(Refused, match="only runs of catalogs"):
        pushable(watch(kind="page"))
