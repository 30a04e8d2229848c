"""Images and scans are compared by how they look, and as files where they cannot be seen."""

from __future__ import annotations

import struct
import zlib

import pytest
from tests.unit.core.pictures.drawn import drawn, saved, scan

import driftline
from driftline.core.answers.file_types import file_type
from driftline.core.documents.pdf import MOST_PICTURED
from driftline.core.pictures.stills import png_of
from driftline.errors import BadFile
from driftline.kinds.page.documents.files import read_binary
from driftline.kinds.page.rules import PageRules

TALL = (850, 1100)
PAGES = [drawn(words, size=TALL) for words in ("first", "second", "third", "fourth")]


def note(body: bytes) -> str:
    """How the preview says that it is compared."""
    known = file_type(body)
    assert known is not None
    return read_binary(body, known, "https://example.org/a", PageRules()).note


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_a_picture_with_something_new_on_it_says_where(form: str) -> None:
    diff = driftline.compare_pages(saved(drawn(), form), saved(drawn(box=True), form))
    assert diff.headline.startswith("Picture changed: top right: something new (3.")
    (finding,) = diff.findings
    assert finding.diff is not None
    assert finding.diff["visual"]["regions"][0]["place"] == "top right"


def test_a_picture_that_was_only_saved_again_is_unchanged_and_says_why() -> None:
    for one, other in (
        (saved(drawn(), compress_level=9), saved(drawn(), compress_level=1)),
        (saved(drawn(), "JPEG", quality=90), saved(drawn(), "JPEG", quality=75)),
    ):
        assert one != other
        diff = driftline.compare_pages(one, other)
        assert not diff.different
        assert [dropped.rule for dropped in diff.suppressed] == ["looks the same, other bytes"]


def test_a_scan_names_the_pages_that_look_different_and_another_program_changes_nothing() -> None:
    before = scan(*PAGES)
    assert not driftline.compare_pages(before, scan(*PAGES, title="By another program")).different
    edited = [*PAGES[:2], drawn("thirst", size=TALL), drawn("fourth", box=True, size=TALL)]
    assert driftline.compare_pages(before, scan(*edited)).headline == "Scan changed: pages 3, 4 of 4"
    assert driftline.compare_pages(before, scan(*edited[:3], PAGES[3])).headline == "Scan changed: page 3 of 4"
    assert driftline.compare_pages(before, scan(*PAGES[:3])).headline.startswith("File replaced: ")
    assert note(before).endswith(": its pages are compared as pictures; no text in it: the pages are pictures (a scan)")


def test_a_change_behind_the_pages_that_are_looked_at_is_reported() -> None:
    blank = drawn("", size=(100, 140))
    one, other = (scan(*[blank] * MOST_PICTURED, drawn(words, size=(100, 140))) for words in ("last", "first"))
    assert driftline.compare_pages(one, other).headline.startswith("File replaced: ")


def bomb(width: int, height: int) -> bytes:
    """A PNG that says it is so large."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = b"IDAT" + zlib.compress(bytes(1_000_000))
    chunks = (struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part)) for part in (head, data, b"IEND"))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize(
    "body",
    [
        bomb(100_000, 100_000),
        bomb(3_000, 3_000),
        saved(drawn())[:900],
        b"\x89PNG\r\n\x1a\n" + b"x" * 2_000,
        saved(drawn(), "GIF")[:200],
        b"RIFF\0\0\0\0WEBPVP8 " + bytes(200),
    ],
    ids=["too large", "less than it says", "cut", "no picture", "a cut one that moves", "empty"],
)
def test_a_picture_that_cannot_be_seen_is_compared_as_a_file(body: bytes) -> None:
    with pytest.raises((ValueError, BadFile)):
        png_of(body)
    assert "compared as a file" in note(body)
    assert driftline.compare_pages(saved(drawn()), body).meaningful
    assert not driftline.compare_pages(body, body).meaningful


def test_a_transparent_picture_is_seen_on_white() -> None:
    clear = drawn().convert("RGBA")
    clear.putalpha(0)
    assert driftline.compare_pages(saved(clear), saved(drawn())).meaningful
    assert not driftline.compare_pages(saved(clear), saved(drawn("", size=(800, 600)).point(lambda _: 255))).meaningful


def test_a_watch_may_say_that_a_picture_is_compared_as_a_file() -> None:
    one, other = saved(drawn(), compress_level=9), saved(drawn(), compress_level=1)
    assert driftline.compare_pages(one, other, rules={"as": "file"}).headline.startswith("Picture replaced: still 800 × 600")
