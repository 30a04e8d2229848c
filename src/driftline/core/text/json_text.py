"""Decodes JSON from outside, within limits."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from xxhash import xxh3_64_hexdigest

from driftline.errors import BadFile

_MAX_PATH_LENGTH: Final = 300  # characters


def child_path(parent: str, step: str) -> str:
    """The path of a nested value; a long one is shortened with a hash, because every value below repeats it."""
    path = parent + step
    return (
        path
        if len(path) <= _MAX_PATH_LENGTH
        else f"{path[: _MAX_PATH_LENGTH // 2]}…{xxh3_64_hexdigest(path.encode('utf-8', 'replace'))}"
    )


def shown_value(line: str) -> str:
    """A `path: value` line for people: only the last step of the path, without its list brackets."""
    path, colon, value = line.partition(": ")
    step = path.rpartition(".")[2].replace("[]", "")
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
