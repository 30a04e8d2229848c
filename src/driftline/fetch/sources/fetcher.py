"""Fetches source://NAME: what the settings name, for the orgs named there. No part of an address is a path or an argument."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from uuid import UUID

from driftline.engine.ports import Clock
from driftline.fetch.sources import commands, files, mailboxes
from driftline.fetch.sources.failures import SourceFailed
from driftline.model.fetch import Answer, Failed, Fetched, Request
from driftline.model.operator_source import SCHEME, OperatorSource

NO_SOURCE = "no such source"  # the same for one that the org may not read


class SourceFetcher:
    """Reads the operator's sources; each ends in time, within the limit on bytes, and as a value."""

    def __init__(
        self,
        sources: Mapping[str, OperatorSource],
        org_name: Callable[[UUID], Awaitable[str | None]],
        clock: Clock,
        *,
        total_for: float,
        max_bytes: int,
    ) -> None:
        self._sources = sources
        self._org_name = org_name
        self._clock = clock
        self._total_for = total_for
        self._max_bytes = max_bytes

    async def fetch(self, request: Request, *, robots: bool) -> Answer:  # noqa: ARG002 - the protocol's
        """The content, or why there is none. Only the address of a watch itself is read: no answer leads to a source."""
        source = self._sources.get(request.url.removeprefix(f"{SCHEME}://").rstrip("/"))
        org = await self._org_name(request.org_id) if source is not None and request.org_id is not None else None
        if source is None or request.depth or not source.may_be_read_by(org):
            return Failed(request=request, reason=NO_SOURCE)
        limit = request.options.max_bytes or self._max_bytes
        try:
            async with asyncio.timeout(request.options.timeout_for or self._total_for):
                body, content_type = await _content(source, limit)
        except TimeoutError:
            return Failed(request=request, reason="timeout")
        except (OSError, SourceFailed) as error:
            return Failed(request=request, reason=_reason(error))
        if len(body) > limit:
            return Failed(request=request, reason="body too large", truncated=True)
        headers = {"content-type": content_type}
        return Fetched(request=request, url=request.url, status=200, headers=headers, body=body, at=self._clock.now())


async def _content(source: OperatorSource, limit: int) -> tuple[bytes, str]:
    """The content and its media type; at most one byte more than the limit is read."""
    match source.forms:
        case ["file"]:
            return await asyncio.to_thread(files.read_file, source.file, limit)
        case ["folder"]:
            return await asyncio.to_thread(files.list_folder, source.folder, limit)
        case ["command"]:
            return await commands.run(source.command, limit), "text/plain; charset=utf-8"
        case ["git"]:
            return await commands.run(commands.git_log(source.git, source.ref), limit), "text/plain; charset=utf-8"
        case ["imap"]:
            return await asyncio.to_thread(mailboxes.list_messages, source.imap, source.password), "text/csv; charset=utf-8"
    raise SourceFailed("the source is not set up")


def _reason(error: Exception) -> str:
    """Without paths, which are the operator's: users read it."""
    return (error.strerror or "cannot be read").lower() if isinstance(error, OSError) else str(error)
