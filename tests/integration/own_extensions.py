"""Extensions that misbehave, as entry points of a package lead to them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from driftline.kinds.page.kind import PageKind
from driftline.model.delivery import Message, Outcome
from driftline.model.fetch import Fetched, Request


class OddError(Exception):
    """Of no type that driftline knows."""


class Raising(PageKind):
    """A kind that raises"""

    name = "raising"

    def read(self, got: Fetched, rules: Any, hint: Any) -> Any:
        raise OddError


class OtherName(PageKind):
    """A kind under another name than its own"""

    name = "else"


class Half:
    name = "half"
    version = 1


class OddChannel:
    at_once = 1

    def __init__(self, poster: Any) -> None:
        pass

    @staticmethod
    def check_target(target: str) -> None:
        if target == "bad":
            raise OddError

    async def deliver(self, message: Message) -> Outcome:
        raise OddError

    async def close(self) -> None:
        raise OddError


class Memo:
    """A fetcher of notes that are made up."""

    async def fetch(self, request: Request, *, robots: bool) -> Fetched:
        if request.url.endswith("odd"):
            raise OddError
        body = f"This is what {request.url} says today.".encode()
        headers = {"content-type": "text/plain"}
        return Fetched(
            request=request, url=request.url, status=200, headers=headers, body=body, at=datetime(2026, 1, 1, tzinfo=UTC)
        )


class Short:
    """A summarizer that shouts."""

    async def summarize(self, *, title: str, text: str) -> str:
        if not title:
            raise OddError
        return f"  {title.upper()}  "


RAISING, OTHER, HALF = Raising(), OtherName(), Half()
