"""Documents that are no HTML: an edit is one change at its place, the same text made otherwise is none."""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Callable

import pytest
from tests.unit.core.documents import made

import driftline
from driftline.core.documents import sheets
from driftline.core.documents import zipped as limits
from driftline.core.documents.tables import read_table
from driftline.errors import BadFile

CLAUSES = [
    "1 Scope",
    "These terms apply to all orders of goods that customers place with the supplier in writing or by mail.",
    "2 Delivery",
    "Goods are delivered within thirty days after the order was confirmed. Delivery is free above fifty euros.",
    "3 Liability",
    "The supplier is liable for damage that was caused with intent. Claims expire after three years.",
]
EDITED = [text.replace("thirty", "fourteen") for text in CLAUSES]


def contract(number: int) -> list[str]:
    return [f"Part {number} of the agreement", *(text.replace("order", f"order {number}") for text in CLAUSES)]


def as_pdf(paragraphs: list[str], *, width: int = 80, height: int = 40, compressed: bool = False) -> bytes:
    pages = made.set_in(paragraphs, width=width, height=height, header="Example Corp - Terms", footer="Page {page} of many")
    return made.pdf(pages, title="Terms", compressed=compressed)


def unreadable(body: bytes) -> str:
    """Why a document is compared as a file."""
    found = driftline.read_page(body).file
    assert found is not None
    return found.unreadable


def test_one_clause_of_a_long_pdf_is_one_change_with_its_page() -> None:
    parts = [text for number in range(400) for text in contract(number)]
    edited = [text.replace("order 301 was confirmed", "order 301 was refused") for text in parts]
    before, after = driftline.read_page(as_pdf(parts, height=12)), driftline.read_page(as_pdf(edited, height=12))
    assert len(before.paths) >= 300  # pages
    diff = driftline.compare_pages(before, after)
    page = next(line.place for line in before.line_details if "order 301 was confirmed" in (line.text or ""))
    assert diff.headline == f"{before.paths[page].capitalize()}: …days after the order 301 was confirmed. → refused."
    assert [row.action for row in diff.rows if row.action not in ("context", "skipped")] == ["changed"]


def test_the_same_pdf_by_another_program_is_unchanged() -> None:
    parts = [text for number in range(30) for text in contract(number)]
    one, other = as_pdf(parts), as_pdf(parts, width=61, height=23, compressed=True)
    assert one != other
    assert not driftline.compare_pages(one, other).different


def test_two_columns_read_as_one_after_the_other() -> None:
    lines = [line for page in made.set_in(CLAUSES, width=40, height=99) for line in page]
    assert not driftline.compare_pages(made.pdf([lines]), made.pdf([lines], columns=2)).different


def test_a_sentence_that_stands_at_the_edge_of_many_pages_is_no_header() -> None:
    lines = [f"Rule {number} applies to all. No exception is made." for number in range(200)]
    page = driftline.read_page(made.pdf(made.set_in(lines, width=30, height=8)))
    assert (page.text or "").count("No exception is made.") == 200


def test_a_scanned_pdf_says_that_it_has_no_text() -> None:
    assert unreadable(made.pdf([[], []])) == "no text in it: the pages are pictures (a scan)"


@pytest.mark.parametrize(
    ("before", "after", "headline"),
    [
        (
            made.docx(*map(made.word, CLAUSES)),
            made.docx(*map(made.word, EDITED)),
            "Goods are delivered within thirty → fourteen days after the…",
        ),
        (
            made.docx(
                "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Adults</w:t></w:r></w:p></w:tc><w:tc>"
                + made.word("3.20")
                + "</w:tc></w:tr></w:tbl>"
            ),
            made.docx(
                "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Adults</w:t></w:r></w:p></w:tc><w:tc>"
                + made.word("3.40")
                + "</w:tc></w:tr></w:tbl>"
            ),
            "“Adults”: “3.20” → “3.40”",
        ),
        (
            made.odf("text", "".join(f"<text:p>{text}</text:p>" for text in CLAUSES)),
            made.odf("text", "".join(f"<text:p>{text}</text:p>" for text in EDITED)),
            "Goods are delivered within thirty → fourteen days after the…",
        ),
        (
            made.pptx(["Roadmap", "Ship in May"], ["Team"]),
            made.pptx(["Roadmap", "Ship in July"], ["Team"]),
            "Slide 1: “Ship in May” → “Ship in July”",
        ),
        (
            made.odf("presentation", '<draw:page draw:name="a"><text:p>Ship in May</text:p></draw:page>'),
            made.odf("presentation", '<draw:page draw:name="a"><text:p>Ship in July</text:p></draw:page>'),
            "Slide 1: “Ship in May” → “Ship in July”",
        ),
        (
            made.xlsx([["sku", "price"], ["a1", 4.5], ["a2", 6]]),
            made.xlsx([["sku", "price"], ["a1", 4.5], ["a2", 6.4]]),
            "“a2”: price “6” → “6.4”",
        ),
        (
            made.epub("<h1>One</h1><p>It was late. He left.</p>", "<p>They met.</p>"),
            made.epub("<h1>One</h1><p>It was late. He left.</p>", "<p>They parted.</p>"),
            "Chapter 2: “They met.” → “They parted.”",
        ),
        (
            rb"{\rtf1\ansi Open from nine to five.\par Closed on Sunday.\par}",
            rb"{\rtf1\ansi Open from nine to six.\par Closed on Sunday.\par}",
            "“Open from nine to five.” → “Open from nine to six.”",
        ),
    ],
    ids=["docx", "docx table", "odt", "pptx", "odp", "xlsx", "epub", "rtf"],
)
def test_a_changed_document_names_the_edit_at_its_place(before: bytes, after: bytes, headline: str) -> None:
    assert driftline.compare_pages(before, after).headline == headline
    assert not driftline.compare_pages(after, after).different


def test_a_document_that_was_only_packed_anew_is_unchanged() -> None:
    one = made.docx(*map(made.word, CLAUSES))
    other = made.docx(*(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in CLAUSES))
    assert one != other
    assert not driftline.compare_pages(one, other).different


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: b"%PDF-1.7\nbroken", "damaged"),
        (lambda: b"PK\x03\x04word/ and nothing that belongs to a zip archive", "damaged"),
        (lambda: made.docx('<!DOCTYPE x [<!ENTITY a "b">]>'), "damaged|document type"),
        (lambda: made.zipped({"word/document.xml": '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'}), "document type"),
        (lambda: made.docx("<w:p>" * 600 + "</w:p>" * 600), "too deep"),
        (lambda: made.zipped({"word/document.xml": b"<x>" + b" " * (limits.MOST_BYTES + 10) + b"</x>"}), "too large"),
        (lambda: made.zipped({"xl/a": b" " * (4 * limits.MOST_BYTES + 10)}), "too large"),
        (lambda: made.zipped({"word/document.xml": "<x/>"} | {f"word/{n}": "" for n in range(limits.MOST_PARTS)}), "parts"),
        (made.docx, "no text in it"),
    ],
    ids=["pdf", "zip", "doctype inside", "doctype", "deep", "bomb", "sheet bomb", "many parts", "empty"],
)
def test_a_hostile_or_broken_document_ends_in_one_sentence(
    make: Callable[[], bytes], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (limits, sheets):  # bombs for smaller ones do
        monkeypatch.setattr(module, "MOST_BYTES", 100_000)
        monkeypatch.setattr(module, "MOST_PARTS", 50)
    assert re.search(sentence, unreadable(make()))


def test_a_pdf_of_a_hundred_thousand_objects_is_read() -> None:
    body = made.pdf([["The only line of text."]], extra=[b"<</A 1>>"] * 100_000)
    assert driftline.read_page(body).text == "The only line of text."


def test_a_pdf_that_asks_for_a_password_says_so() -> None:
    locked = made.pdf([["Secret"]]).replace(
        b"trailer<<",
        b"trailer<</Encrypt<</Filter/Standard/V 1/R 2/P -4/O<" + b"00" * 32 + b">/U<" + b"11" * 32 + b">>>/ID[<00><00>]",
    )
    assert unreadable(locked) == "protected by a password"


ROWS = "sku,name,price\na1,Tea,4.50\na2,Coffee,6.00\na3,Cocoa,3.25\n"


def table(source: str, **rules: str) -> driftline.ParsedPage:
    return driftline.read_page(source, content_type="text/csv", rules=rules)


def test_a_cell_of_a_table_is_named_by_its_row_and_column() -> None:
    diff = driftline.compare_pages(table(ROWS), table(ROWS.replace("6.00", "6.40")))
    assert diff.headline == "“a2”: price “6.00” → “6.40”"
    diff = driftline.compare_pages(table(ROWS), table(ROWS + "a4,Mate,5.00\n"))
    assert diff.headline == "New: “a4 | Mate | 5.00”"


def test_the_rows_of_a_table_in_another_order_are_unchanged() -> None:
    head, *rows = ROWS.splitlines()
    diff = driftline.compare_pages(table(ROWS), table("\n".join([head, *reversed(rows)])))
    assert not diff.meaningful
    assert [one.rule for one in diff.suppressed] == ["same rows in another order"]


def test_of_a_long_table_only_the_rows_that_differ_are_judged() -> None:
    rows = [f"p{number},{'tea' if number % 3 else 'coffee'},{number}.00" for number in range(20_000)]
    later = [*rows[:7_000], "p7000,coffee,1.00", *rows[7_001:15_000], *rows[15_001:], "p20000,tea,3.00"]
    diff = driftline.compare_pages(*(table("\n".join(["id,name,price", *one])) for one in (rows, later)))
    assert [block.block_key for block in diff.blocks] == ["p7000", "p15000", "p20000"]
    assert len(diff.rows) < 12
    assert 0.9999 < diff.similarity < 1


def test_a_row_that_stands_twice_and_then_once_is_gone_once() -> None:
    twice = "day,what\nMon,tea\nMon,tea\nTue,coffee\n"
    diff = driftline.compare_pages(table(twice), table(twice.replace("Mon,tea\n", "", 1)))
    assert diff.headline == "Removed: “Mon | tea”"


def test_a_table_is_read_with_the_separator_and_key_that_it_has() -> None:
    found = read_table("name;since;name of place\nAnn;2019;Oslo\nBob;2019;Rome\n")
    assert (found.keys, found.heading) == (["", "Ann", "Bob"], True)
    found = read_table("a\tb\n1\tx\n1\ty\n", key="B")
    assert found.keys == ["", "x", "y"]
    with pytest.raises(BadFile, match="not a table"):
        read_table("just a line\nand another, longer one, with commas\n")


def test_an_event_of_a_calendar_is_known_by_its_id_whatever_the_stamp() -> None:
    def calendar(hour: str, stamp: str) -> str:
        return (
            f"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1@club\r\nDTSTAMP:{stamp}\r\nDTSTART:20261201T{hour}00Z\r\n"
            "SUMMARY:Annual\r\n  meeting\\, all members\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        )

    diff = driftline.compare_pages(calendar("1800", "20261101T000000Z"), calendar("1900", "20261102T000000Z"))
    assert diff.headline == "“Annual meeting, all members”: “starts: 2026-12-01 18:00 UTC” → “starts: 2026-12-01 19:00 UTC”"
    assert not driftline.compare_pages(calendar("1800", "20261101T000000Z"), calendar("1800", "20261102T000000Z")).different


def test_json_lines_are_entries() -> None:
    lines = '{"id": 1, "name": "Tea"}\n{"id": 2, "name": "Coffee"}\n'
    diff = driftline.compare_pages(lines, lines + '{"id": 3, "name": "Mate"}\n')
    assert diff.headline == "New: “Mate”"


def test_a_watch_may_say_what_an_answer_is() -> None:
    assert driftline.read_page("a,b\n1,2\n3,4\n", content_type="text/plain", rules={"as": "table"}).format == "table"
    assert driftline.read_page(made.docx(made.word("Hello")), rules={"as": "file"}).format == "file"
    assert driftline.read_page("<p>1</p>", rules={"as": "text"}).text == "<p>1</p>"


def test_a_compressed_stream_that_is_no_stream_is_damaged_or_empty() -> None:
    body = made.pdf([["Hello"]], compressed=True)
    start = body.index(zlib.compress(b"")[:2], body.index(b"stream"))
    assert unreadable(body[:start] + b"\x00" * 40 + body[start + 40 :])


def test_a_scan_that_is_replaced_by_a_text_is_reported_and_a_reader_that_was_installed_is_not() -> None:
    scan, text = made.pdf([[]]), made.pdf([["Now with text in it."]])
    diff = driftline.compare_pages(scan, text)
    assert diff.headline.startswith("File replaced: PDF, ")
    assert diff.headline.endswith("→ PDF with text in it")


def values(value: object) -> driftline.ParsedPage:
    return driftline.read_page(json.dumps(value).encode(), content_type="application/json")


@pytest.mark.parametrize(
    ("before", "after", "headline"),
    [
        ([{"id": 1, "t": "old"}], [{"id": 1, "t": "old"}, {"id": 3, "t": "fresh"}], "New: “id 3 (t: fresh)”"),
        ([{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}], [{"id": 1, "name": "Ann"}], "Removed: “Bob”"),
        ([1, 2, 3], [1, 2, 3, 4], "Added: “4”"),
        ({"tags": ["a"]}, {"tags": ["a", "fresh"]}, "Added: “tags: fresh”"),
    ],
    ids=["by its id", "by its name", "a plain value", "a value of a field"],
)
def test_what_comes_and_goes_in_a_list_of_json_is_named(before: object, after: object, headline: str) -> None:
    assert driftline.compare_pages(values(before), values(after)).headline == headline


def picture(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + b"\x08\x02\0\0\0" + b"x" * 2000


def products(key: str, **stock: int) -> bytes:
    return json.dumps({"products": [{key: name, "stock": left} for name, left in stock.items()]}).encode()


@pytest.mark.parametrize("key", ["id", "sku", "productId"])
def test_values_that_two_entries_of_a_list_exchange_are_two_changes_and_another_order_is_none(key: str) -> None:
    before = products(key, a=4, b=9)
    assert not driftline.compare_pages(before, products(key, b=9, a=4)).meaningful
    exchanged = driftline.compare_pages(before, products(key, b=4, a=9))
    assert exchanged.meaningful
    rows = [(row.old, row.new) for row in exchanged.rows if row.action == "changed"]
    assert sorted(rows) == [("products[].stock: 4", "products[].stock: 9"), ("products[].stock: 9", "products[].stock: 4")]


def test_an_entry_that_was_renamed_is_edited_and_not_replaced() -> None:
    lamp, chair = {"sku": "A-1", "name": "Lamp"}, {"sku": "B-2", "name": "Chair"}
    diff = driftline.compare_pages(
        json.dumps([lamp, chair]).encode(), json.dumps([chair | {"name": "Oak chair"}, lamp]).encode()
    )
    assert diff.headline == "“name: Chair” → “name: Oak chair”"


def test_a_picture_that_was_replaced_says_its_sizes_and_a_cut_one_is_a_file() -> None:
    one, other = (driftline.read_page(picture(*size), content_type="image/png") for size in ((800, 600), (1024, 768)))
    said = driftline.compare_pages(one, other).headline
    assert said == "Picture replaced: 800 × 600 → 1024 × 768 pixels, still 2 KB (PNG picture)"
    assert not driftline.compare_pages(one, one).meaningful
    cut = driftline.read_page(picture(8, 6)[:18], content_type="image/png")
    assert driftline.compare_pages(one, cut).headline.startswith("File replaced: ")


def log_of(lines: list[str]) -> driftline.ParsedPage:
    return driftline.read_page("\n".join(lines).encode(), content_type="text/plain")


def test_a_log_reports_what_was_appended_and_not_what_was_rotated_away() -> None:
    lines = [
        f"2026-11-18 06:{minute:02}:00 INFO order {minute * 7} taken by {'Ann' if minute % 2 else 'Bob'}"
        for minute in range(40)
    ]
    diff = driftline.compare_pages(log_of(lines), log_of([*lines[5:], "2026-11-18 07:00:00 ERROR the disk is full"]))
    assert diff.headline == "Added: “2026-11-18 07:00:00 ERROR the disk is full”"
    assert {one.rule for one in diff.suppressed} == {"log rotated"}
    assert not driftline.compare_pages(log_of(lines), log_of(lines[5:])).meaningful


def test_the_beginning_of_a_text_that_is_no_log_is_removed() -> None:
    text = [f"Clause {'abcdefghij'[number]} of the contract says something else than the others" for number in range(10)]
    assert driftline.compare_pages(log_of(text), log_of(text[1:])).meaningful
