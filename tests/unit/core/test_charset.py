"""Bytes become text once, by mark, header and declaration, and wrong declarations survive."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.charset import LABELS, decode


def test_a_byte_order_mark_wins_over_everything() -> None:
    assert decode(codecs.BOM_UTF8 + "é".encode(), "text/html; charset=iso-8859-2") == "é"
    assert decode(codecs.BOM_UTF16_LE + "é".encode("utf-16-le"), "text/html; charset=utf-8") == "é"
    assert decode(codecs.BOM_UTF16_BE + "é".encode("utf-16-be")) == "é"


def test_the_header_wins_over_the_declaration() -> None:
    body = b'<meta charset="iso-8859-2">' + "кофе".encode("cp1251")
    assert decode(body, "text/html; charset=windows-1251").endswith("кофе")


@pytest.mark.parametrize(
    ("declaration", "codec", "text"),
    [
        (b'<meta charset="shift_jis">', "cp932", "日本語"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=euc-kr">', "cp949", "한국어"),
        (b"<meta charset=gb2312>", "gb18030", "中文镕"),
        (b'<meta charset="big5">', "big5hkscs", "中文"),
        (b'<?xml version="1.0" encoding="iso-8859-7"?>', "iso8859-7", "Ελλάδα"),
        (b'<meta charset="koi8-r">', "koi8-r", "кофе"),
    ],
)
def test_a_declaration_is_followed(declaration: bytes, codec: str, text: str) -> None:
    assert decode(declaration + text.encode(codec)).endswith(text)


def test_latin_1_means_windows_1252() -> None:
    assert decode(b'<meta charset="iso-8859-1">\x93quoted\x94 \x80').endswith("“quoted” €")
    assert decode(b'<meta charset="iso-8859-1">\x81\x93').endswith("\x81“")


def test_utf8_under_a_wrong_declaration_survives() -> None:
    assert decode('<meta charset="iso-8859-1">naïve €'.encode()).endswith("naïve €")
    assert decode("naïve €".encode(), "text/html; charset=ISO-8859-1") == "naïve €"


def test_latin_1_under_a_wrong_utf8_declaration_survives() -> None:
    assert decode(b'<meta charset="utf-8">caf\xe9').endswith("café")


def test_one_broken_sequence_does_not_spoil_a_utf8_page() -> None:
    assert decode("<p>Grüße aus Köln, schöne Grüße ".encode() + b"\xff</p>") == "<p>Grüße aus Köln, schöne Grüße \ufffd</p>"


@pytest.mark.parametrize("label", ["utf-7", "hz-gb-2312", "iso-2022-kr", "rot13", "base64", "unicode_escape", "idna"])
def test_labels_outside_the_standard_are_not_followed(label: str) -> None:
    assert label not in LABELS
    assert decode(b"<p>+ADw-script+AD4-</p>", f"text/html; charset={label}") == "<p>+ADw-script+AD4-</p>"


def test_every_label_names_a_codec_that_exists() -> None:
    assert all(codecs.lookup(codec) for codec in LABELS.values())


@given(st.binary(max_size=400), st.sampled_from(["", *sorted(LABELS)]))
def test_any_bytes_decode_under_any_label(body: bytes, label: str) -> None:
    assert isinstance(decode(body, f"text/html; charset={label}"), str)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
def test_utf8_comes_back_as_it_went(text: str) -> None:
    assert decode(text.encode()) == text.removeprefix("\ufeff")
