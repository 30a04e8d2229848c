"""JSON from outside: decoded within limits."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from xxhash import xxh3_64_hexdigest

from driftline.errors import BadFile

_LONGEST_WAY: Final = 300  # characters


def way_to(above: str, step: str) -> str:
    """The way down to a value, which is repeated for all that lies below: a long one is cut, and stays unlike any other."""
    way = above + step
    return (
        way if len(way) <= _LONGEST_WAY else f"{way[: _LONGEST_WAY // 2]}…{xxh3_64_hexdigest(way.encode('utf-8', 'replace'))}"
    )


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
