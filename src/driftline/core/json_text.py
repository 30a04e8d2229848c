"""JSON texts from anywhere."""

from __future__ import annotations

from typing import Any

import msgspec

from driftline.errors import BadFile


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
