"""One answer, read in place or in a child: the same reading, and from a child no state that nobody needs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

import pytest
from selectolax.lexbor import SelectolaxError

from driftline.engine.check.reading import read_answer
from driftline.engine.pool import Overrun, Share
from driftline.errors import BadRule
from driftline.kinds.kind import AnyKind, Hint, Reading, Rules
from driftline.model.fetch import Fetched, Request
from driftline.model.item import Observed, StoredItem

ANSWER = Fetched(
    request=Request(url="https://a.example/"), url="https://a.example/", status=200, headers={}, body=b"x" * 10,
    at=datetime(2026, 1, 1, tzinfo=UTC),
)  # fmt: skip
KNOWN = Hint(stored=StoredItem(item_id=UUID(int=1), key="a", fingerprint=b"same", version=1))


class Child:
    """A share that computes here and writes down where it was asked to."""

    in_process = 100

    def __init__(self) -> None:
        self.where: list[str] = []

    async def compute(self, weight: int, call: Callable[..., Any], *args: Any) -> Any:
        self.where.append(f"here, {weight}")
        return call(*args)

    async def run(self, call: Callable[..., Any], *args: Any) -> Any:
        self.where.append("child")
        found = call(*args)
        self.returned = [item._build() for item in found.items]  # what would be sent back
        for item, state in zip(found.items, self.returned, strict=True):
            item._build = lambda state=state: state
        return found


class Kind:
    """Finds one item; its state is built each time that it is read."""

    def __init__(self, fingerprint: bytes = b"same", error: Exception | None = None, **given: Any) -> None:
        self.fingerprint, self.error, self.given, self.read_with = fingerprint, error, given, list[object]()

    def read(self, answer: Fetched, _rules: Rules, hint: Hint | None) -> Reading[Any]:
        self.read_with.append(hint)
        if self.error:
            raise self.error
        item = Observed(key="a", url="", title="", fingerprint=self.fingerprint, build=lambda: f"{len(answer.body)} bytes")
        return Reading(items=[item], **self.given)


async def read(kind: Kind, child: Child, *, hint: Hint | None = KNOWN, weight: int | None = 100) -> Reading[Any]:
    return await read_answer(cast("Share", child), cast("AnyKind", kind), ANSWER, Rules(), hint, weight=weight)


@pytest.mark.parametrize(("weight", "where"), [(99, "here, 99"), (100, "child"), (None, "here, 10")])
async def test_what_weighs_less_than_the_limit_is_read_here(weight: int | None, where: str) -> None:
    child = Child()
    found = await read(Kind(), child, weight=weight)
    assert (child.where, found.items[0].state) == ([where], "10 bytes")


@pytest.mark.parametrize(
    ("kind", "hint", "sent"),
    [
        (Kind(b"same"), KNOWN, None),
        (Kind(b"other"), KNOWN, "10 bytes"),
        (Kind(b"other", unchanged="noise_only"), KNOWN, None),
        (Kind(b"same"), None, "10 bytes"),
    ],
)
async def test_an_item_that_stayed_the_same_comes_back_without_its_state_and_builds_it_if_asked(
    kind: Kind, hint: Hint | None, sent: str | None
) -> None:
    child = Child()
    found = await read(kind, child, hint=hint)
    assert child.returned == [sent]
    assert found.items[0].state == "10 bytes"
    assert len(kind.read_with) == (2 if sent is None else 1)


@pytest.mark.parametrize("weight", [1, 100])
async def test_a_rule_that_cannot_be_used_is_the_reading_s_error(weight: int) -> None:
    found = await read(Kind(error=BadRule("too slow")), Child(), weight=weight)
    assert (found.outcome, found.reason, found.complete) == ("error", "too slow", False)


@pytest.mark.parametrize("error", [MemoryError(), SelectolaxError("no memory")])
async def test_an_answer_that_needs_too_much_memory_is_an_overrun(error: Exception) -> None:
    with pytest.raises(Overrun, match="more memory"):
        await read(Kind(error=error), Child())
