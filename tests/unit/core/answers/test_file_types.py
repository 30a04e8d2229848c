"""What is no text is known by its bytes, whatever it is called."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
import zlib

import pytest

from driftline.core.answers.file_types import file_type, size_text


def zipped(*names: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name in names:
            archive.writestr(name, "text")
    return held.getvalue()


@pytest.mark.parametrize(
    ("body", "label"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "PDF"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "PNG picture"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "JPEG picture"),
        (b"GIF89a\x01\x00", "GIF picture"),
        (b"RIFF\x00\x01\x00\x00WEBPVP8 ", "WebP picture"),
        (b"RIFF\x00\x01\x00\x00WAVEfmt ", "WAV sound"),
        (b"\x00\x00\x00 ftypisom\x00", "MP4 video"),
        (b"wOF2\x00\x01\x00\x00", "WOFF2 font"),
        (b"\x7fELF\x02\x01\x01\x00", "ELF program"),
        (gzip.compress(b"<html>not unpacked</html>", mtime=0), "gzip archive"),
        (zipped("a.txt"), "ZIP archive"),
        (zipped("[Content_Types].xml", "word/document.xml"), "DOCX"),
        (zlib.compress(os.urandom(4_000)), "Not text"),
        (b"text at first\n" + b"\x00\x01\x02" * 400, "Not text"),
    ],
)
def test_a_file_is_known_by_its_first_bytes_or_by_those_that_text_has_not(body: bytes, label: str) -> None:
    found = file_type(body, "text/html; charset=utf-8")
    assert found is not None
    assert found.label == label


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<!doctype html><html><body>text</body></html>",
        b'\xef\xbb\xbf{"a": 1}',
        b'{"a": 1}',
        b"plain text, with one stray \x00 in it, as old machines write it, and more text behind it to the end",
        "日本語のページ".encode("shift_jis"),
        "日本語のページ".encode("iso2022_jp"),
        "页面".encode("gb18030"),
        "\ufeffa page".encode("utf-16-le"),
        b"MZ is how this text begins",
        b"BM is another one",
        b"RIFF of the day, WEBP and all",
        b"<svg xmlns='http://www.w3.org/2000/svg'></svg>",
    ],
)
def test_text_in_any_encoding_is_no_file(body: bytes) -> None:
    assert file_type(body) is None


def test_a_declared_utf_16_is_text_though_half_of_it_is_nothing() -> None:
    body = "a page without a mark".encode("utf-16-le")
    assert file_type(body, "text/html; charset=utf-16le") is None


@pytest.mark.parametrize(("size", "said"), [(812, "812 bytes"), (12_345, "12 KB"), (1_234_567, "1.2 MB")])
def test_sizes_read_as_people_say_them(size: int, said: str) -> None:
    assert size_text(size) == said
