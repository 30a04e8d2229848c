"""What an import finds: a wish, or why there is none."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from driftline.engine.drafting import Wish
from driftline.errors import UsageError
from driftline.model.fetch import FetchOptions


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a file."""

    place: int  # its line, or which one it is, from 1
    wish: Wish | None = None
    problem: str = ""  # one line: why there is no wish, or what it leaves out


BROWSER: Final = "it was read by a browser there; driftline reads what the server sends, look at it with: driftline check"


def selector(text: str) -> str:
    """A selector as driftline writes it, from the spellings of others."""
    kind, colon, rest = text.partition(":")
    match kind.lower() if colon else "":
        case "xpath" | "xpath1":
            return rest.strip()
        case "json":
            return rest.strip()
        case "css":
            return rest.strip()
        case "jq" | "jqraw":
            raise UsageError("jq filters are not known here", filter=text, hint="write it as JSONPath")
        case _:
            return text.strip()


def fetch_options(values: dict[str, Any]) -> FetchOptions:
    """How it is asked for; what cannot be understood is refused with the watch."""
    try:
        return msgspec.convert({name: value for name, value in values.items() if value}, FetchOptions)
    except msgspec.ValidationError as error:
        raise UsageError("cannot be fetched like that", problem=str(error)) from None
