"""Decodes JSON from outside, within limits."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from xxhash import xxh3_64_hexdigest

from driftline.errors import BadFile

_MAX_PATH_LENGTH: Final = 300  # characters


def way_to(parent: str, step: str) -> str:
    """The path of a nested value; a long one is shortened with a hash, because every value below repeats it."""
    way = parent + step
    return (
        way
        if len(way) <= _MAX_PATH_LENGTH
        else f"{way[: _MAX_PATH_LENGTH // 2]}…{xxh3_64_hexdigest(way.encode('utf-8', 'replace'))}"
    )


def shown_value(line: str) -> str:
    """A value as people read it: of the way down to it the last step, without the mark of a list."""
    way, colon, value = line.partition(": ")
    step = way.rpartition(".")[2].replace("[]", "")
    return line if not colon else f"{step}: {value}" if step else value


def decode_json(body: bytes) -> Any:
    """The value of a JSON text; raises BadFile with a one-line reason for anything else, however deep."""
    try:
        return msgspec.json.decode(body.removeprefix(b"\xef\xbb\xbf"))
    except RecursionError:
        raise BadFile("JSON is nested too deeply") from None
    except UnicodeDecodeError as fault:
        raise BadFile("JSON is not UTF-8", position=fault.start) from None
    except msgspec.DecodeError as fault:
        raise BadFile("not JSON", fault=str(fault).removeprefix("JSON is malformed: ")) from None
