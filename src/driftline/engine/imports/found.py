"""One entry of an import: the input of a watch, or why there is none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from driftline.engine.editing.watch_input import WatchInput
from driftline.errors import UsageError
from driftline.model.fetch import FetchOptions


class ImportedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a file."""

    place: int  # its line or number, from 1
    watch_input: WatchInput | None = None
    problem: str = ""  # one line: why there is no input, or what it leaves out


def left_out(*notes: str, names: Iterable[str] = ()) -> str:
    """The warning about an imported watch: notes, and the settings that were not imported."""
    listed = ", ".join(dict.fromkeys(names))
    return "; ".join(filter(None, (*notes, f"not imported: {listed}" if listed else "")))


def selector(text: str) -> str:
    """A selector in driftline's spelling, from those of other programs."""
    kind, colon, rest = text.partition(":")
    match kind.lower() if colon else "":
        case "xpath" | "xpath1":
            return rest.strip()
        case "json":
            return rest.strip()
        case "css":
            return rest.strip()
        case "jq" | "jqraw":
            raise UsageError("jq filters are not supported", filter=text, hint="use JSONPath")
        case _:
            return text.strip()


def fetch_options(values: dict[str, Any]) -> FetchOptions:
    """The fetch options; invalid values are refused."""
    try:
        return msgspec.convert({name: value for name, value in values.items() if value}, FetchOptions)
    except msgspec.ValidationError as error:
        raise UsageError("this request is not supported", problem=str(error)) from None
