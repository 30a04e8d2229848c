"""Characters that act instead of being read."""

from __future__ import annotations

import json

import msgspec
import pytest

from driftline.core.text.safety.escapes import escape, escape_json

ACTING = [
    chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
]


def test_a_terminal_gets_line_ends_tabs_and_letters_as_they_are_and_the_rest_written_out() -> None:
    assert escape("a\x1b[2Jb\r\x9b1m\u202egnp\n\tGröße ✓ שלום") == "a\\x1b[2Jb\\r\\x9b1m\\u202egnp\n\tGröße ✓ שלום"
    assert escape("a\nb\tc", one_line=True) == "a\\nb\\tc"
    assert not set(escape("".join(ACTING), one_line=True)) & set(ACTING)


@pytest.mark.parametrize("value", ["".join(ACTING), "plain", "Größe ✓", {"a\u202e": ["\x7f", "\\\u009b"]}])
def test_json_keeps_its_value_and_shows_nothing_that_acts(value: object) -> None:
    written = escape_json(msgspec.json.encode(value))
    assert json.loads(written) == value
    assert not set(written.decode()) & set(ACTING)
