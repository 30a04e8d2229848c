"""Bytes become text once, by mark, header and declaration, and wrong declarations survive."""

from __future__ import annotations

import codecs

import pytest
import webencodings
from hypothesis import given
from hypothesis import strategies as st
from webencodings.labels import LABELS

from driftline.core.text.charset import decode


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


@pytest.mark.parametrize("label", ["utf-7", "rot13", "base64", "unicode_escape", "idna", "utf-32", "cp037"])
def test_labels_outside_the_standard_are_not_followed(label: str) -> None:
    assert label not in LABELS
    assert decode(b"<p>+ADw-script+AD4-</p>", f"text/html; charset={label}") == "<p>+ADw-script+AD4-</p>"


# Every byte, so that no two tables pass for each other, and an escape of ISO-2022-JP; not UTF-8, which would win.
ALL_BYTES = bytes(range(0x20, 0x100)) + b"\x1b$B%3!<\x1b(B"
# Where we differ from webencodings on purpose, by the name of the encoding.
REFUSED = {
    "replacement"
}  # the standard reads these labels as one U+FFFD, since their bytes smuggle markup: as if none was given
GUESSED = {"utf-8"}  # a label that the bytes contradict: windows-1252 then
WIDER = {"gbk": "gb18030"}  # one decoder in the standard; Python's gbk lacks sequences of four bytes
CONTROLS = {"windows-1252"}  # five undefined bytes are control characters in the standard, and U+FFFD in Python


def as_the_standard_says(label: str) -> bool:
    name = LABELS[label]
    text = decode(ALL_BYTES, f"text/html; charset={label.upper()}")
    if name in REFUSED | GUESSED:
        return text == decode(ALL_BYTES)
    if name in CONTROLS:
        defined = bytes(byte for byte in ALL_BYTES if byte not in {0x81, 0x8D, 0x8F, 0x90, 0x9D})
        named: str = webencodings.decode(defined, label)[0]
        return decode(defined, f"text/html; charset={label}") == named and text == decode(ALL_BYTES)
    wanted: str = webencodings.decode(ALL_BYTES, WIDER.get(name, label))[0]
    return text == wanted


def test_every_label_of_the_standard_decodes_as_the_standard_says() -> None:
    assert len(LABELS) > 200
    assert [label for label in LABELS if not as_the_standard_says(label)] == []


def test_every_label_says_the_same_in_a_declaration_but_for_what_cannot_be_declared() -> None:
    def as_in_a_header(label: str) -> bool:
        declaration = f'<meta charset="{label}">'.encode()
        as_read = {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}.get(LABELS[label], label)
        return decode(declaration + ALL_BYTES) == decode(declaration + ALL_BYTES, f"text/html; charset={as_read}")

    assert [label for label in LABELS if not as_in_a_header(label)] == []


def test_wider_decoders_read_all_that_the_narrow_ones_do() -> None:
    for first in range(0x81, 0xFF):
        for second in range(0x40, 0xFF):
            pair = bytes([first, second])
            try:
                narrow = pair.decode("gbk")
            except UnicodeDecodeError:
                continue
            assert decode(b"\xff " + pair, "text/html; charset=gbk").endswith(narrow)


@pytest.mark.parametrize("label", ["windows-1252", "latin1", "us-ascii", "l1", "x-cp1252"])
def test_quotes_and_euro_signs_of_windows_1252_are_read_under_all_its_names(label: str) -> None:
    assert decode(b"\x93Only 5 \x80\x94", f"text/html; charset={label}") == "“Only 5 €”"


@given(st.binary(max_size=400), st.sampled_from(["", *sorted(LABELS)]))
def test_any_bytes_decode_under_any_label(body: bytes, label: str) -> None:
    assert isinstance(decode(body, f"text/html; charset={label}"), str)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
def test_utf8_comes_back_as_it_went(text: str) -> None:
    assert decode(text.encode()) == text.removeprefix("\ufeff")
