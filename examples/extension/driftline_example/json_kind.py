"""A kind: a JSON answer, read as one line a value and compared as a page is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from driftline.kinds.kind import Hint, Reading
from driftline.kinds.page.kind import PageKind
from driftline.model.fetch import Fetched


class JsonKind(PageKind):
    """A JSON answer: one line a value"""

    name = "json"
    version = 100 * PageKind.version + 1  # raise it when the same bytes give another text

    def read(self, got: Fetched, rules: Any, hint: Hint | None) -> Reading[Any]:
        """The answer as text, read as a page."""
        try:
            text = "\n".join(lines(json.loads(got.body)))
        except (ValueError, RecursionError):
            return Reading(complete=False, outcome="error", reason="the answer is not JSON")
        headers = got.headers | {"content-type": "text/plain; charset=utf-8"}
        return super().read(msgspec.structs.replace(got, body=text.encode(), headers=headers), rules, hint)


def lines(value: Any, path: str = "") -> Iterator[str]:
    """A line for each value, with its path."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if members is None:
        yield f"{path}: {value}"
    for key, member in members or ():
        yield from lines(member, f"{path}.{key}" if path else str(key))


KIND = JsonKind()
