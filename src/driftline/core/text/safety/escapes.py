"""Escapes characters that would have an effect on a terminal: controls, changes of writing direction, odd line ends."""

from __future__ import annotations

from typing import Final

_BIDI: Final = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROLS: Final = (*range(0x20), *range(0x7F, 0xA0), *_BIDI, 0x2028, 0x2029)
ONE_LINE: Final = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in _CONTROLS} | {
    ord("\n"): "\\n",
    ord("\r"): "\\r",
    ord("\t"): "\\t",
}
MANY_LINES: Final = {code: text for code, text in ONE_LINE.items() if chr(code) not in "\n\t"}
_IN_JSON: Final = {chr(code): f"\\u{code:04x}" for code in _CONTROLS if code >= 0x20}  # encoders escape the rest themselves


def escape(text: str, *, one_line: bool = False) -> str:
    """Text that is safe to print in a terminal; with `one_line`, line ends and tabs are escaped too."""
    return text.translate(ONE_LINE if one_line else MANY_LINES)


def escape_json(document: bytes) -> bytes:
    """The same JSON document with such characters escaped; they can only occur in strings."""
    if document.isascii():
        return document if b"\x7f" not in document else document.replace(b"\x7f", b"\\u007f")
    text = document.decode()
    for character, written in _IN_JSON.items():
        if character in text:
            text = text.replace(character, written)
    return text.encode()
