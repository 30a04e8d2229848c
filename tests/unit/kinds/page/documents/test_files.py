"""Answers that are no text: how they are watched, and what is said where one takes the place of another."""

from __future__ import annotations

import pytest

from driftline.core.answers.file_types import FileType, file_type
from driftline.kinds.page.documents.files import another_type, is_read_now, note_on, read_binary, read_file, replaced
from driftline.kinds.page.parsed import FileState, ParsedPage
from driftline.kinds.page.rules import PageRules

PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 2000
URL = "https://example.org/files/a%20map.png?v=1"


def found(body: bytes) -> FileType:
    known = file_type(body)
    assert known is not None
    return known


def file(label: str = "PNG picture", size: int = 2008, sha256: str = "a", unreadable: str = "") -> ParsedPage:
    return ParsedPage(url="", file=FileState(label, f"a file ({label})", size, sha256, unreadable))


PAGE = ParsedPage(url="")
DOCUMENT = ParsedPage(url="", document="PDF")


def test_a_picture_is_its_type_size_and_hash() -> None:
    page, note, _ = read_binary(PNG, found(PNG), URL, PageRules())
    assert page.title == "a map.png"
    assert page.file is not None
    assert (page.file.size, len(page.file.sha256), page.literal) == (2008, 64, True)
    assert (page.text or "").startswith("PNG picture, 2 KB, ")
    assert page.file.sha256 not in (page.text or "")
    assert note.startswith(f"{page.file.label}, ")
    assert "compared as a file" in note
    assert page.signature != read_file(PNG + b"x", found(PNG), URL).signature


def test_a_document_is_a_file_where_a_rule_says_so_or_where_it_is_damaged() -> None:
    broken = b"%PDF-1.7\nbroken"
    page, note, _ = read_binary(broken, found(broken), URL, PageRules())
    assert page.file is not None
    assert page.file.unreadable
    assert page.file.unreadable in note
    plain = read_binary(broken, found(broken), URL, PageRules(read_as="file")).page
    assert plain.file is not None
    assert plain.file.unreadable == ""
    assert note_on(found(PNG), 10, "", "no reader").endswith(": compared as a file; no reader")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (PAGE, PAGE, ""),
        (DOCUMENT, DOCUMENT, ""),
        (file(), file(), ""),
        (PAGE, file(), "answers with a file (PNG picture) instead of a page"),
        (file(), PAGE, "answers with a page instead of a file (PNG picture)"),
        (PAGE, DOCUMENT, "answers with a document (PDF) instead of a page"),
        (file("PDF"), DOCUMENT, ""),
        (DOCUMENT, file("PDF", unreadable="a scan"), "answers with a file (PDF) that cannot be read: a scan"),
        (DOCUMENT, file("PDF"), "answers with a file (PDF) that cannot be read: its reader is not installed"),
        (DOCUMENT, file(), "answers with a file (PNG picture) instead of a document (PDF)"),
    ],
)
def test_one_type_in_the_place_of_another_is_said(before: ParsedPage, after: ParsedPage, words: str) -> None:
    assert another_type(before, after) == words


def test_a_document_is_read_now_only_if_nothing_but_a_reader_was_missing() -> None:
    assert is_read_now(file("PDF"), DOCUMENT)
    assert not is_read_now(file("PDF", unreadable="a scan"), DOCUMENT)
    assert not is_read_now(file(), DOCUMENT)
    assert not is_read_now(PAGE, DOCUMENT)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (file(), file(), ""),
        (file(), file(sha256="b"), "File replaced: same size, 2 KB (PNG picture)"),
        (file(), file(size=40_000, sha256="b"), "File replaced: 2 KB → 40 KB (PNG picture)"),
        (file(), file(size=2009, sha256="b"), "File replaced: 2,008 bytes → 2,009 bytes (PNG picture)"),
        (file(), file("GIF picture", sha256="b"), "File replaced: PNG picture, 2 KB → GIF picture, 2 KB"),
        (file("PDF"), DOCUMENT, "File replaced: PDF, 2 KB → PDF with text in it"),
        (PAGE, file(), "Answers with a file (PNG picture) instead of a page"),
    ],
)
def test_a_file_that_was_replaced_is_said_by_what_differs(before: ParsedPage, after: ParsedPage, words: str) -> None:
    assert replaced(before, after) == words
