"""Fetches source://NAME: what the settings name, for the orgs named there. No part of an address is a path or an argument."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping
from typing import Final
from uuid import UUID

from driftline.engine.ports import Clock
from driftline.fetch.sources import commands, files, mailboxes
from driftline.fetch.sources.failures import SourceFailed, TooLarge
from driftline.fetch.sources.own_thread import OwnThreads
from driftline.model.fetch import Answer, Failed, Fetched, Request
from driftline.model.operator_source import SCHEME, OperatorSource

NO_SOURCE: Final = "no such source"  # the same for one that the org may not read
TOO_LARGE: Final = "body too large"
_TEXT: Final = "text/plain; charset=utf-8"
_TABLE: Final = "text/csv; charset=utf-8"


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
        self._threads = OwnThreads()

    async def fetch(self, request: Request, *, robots: bool) -> Answer:  # noqa: ARG002 - the protocol's
        """The content, or why there is none. Only the address of a watch itself is read: no answer leads to a source."""
        source = self._sources.get(request.url.removeprefix(f"{SCHEME}://").rstrip("/"))
        org = await self._org_name(request.org_id) if source is not None and request.org_id is not None else None
        if source is None or request.depth or not source.may_be_read_by(org):
            return Failed(request=request, reason=NO_SOURCE)
        limit, total_for = request.options.max_bytes or self._max_bytes, request.options.timeout_for or self._total_for
        try:
            async with asyncio.timeout(total_for):
                body, content_type = await self._content(source, limit, total_for)
        except TimeoutError:
            return Failed(request=request, reason="timeout")
        except TooLarge:
            return Failed(request=request, reason=TOO_LARGE, truncated=True)
        except (OSError, SourceFailed) as error:
            return Failed(request=request, reason=_reason(error))
        if len(body) > limit:
            return Failed(request=request, reason=TOO_LARGE, truncated=True)
        headers = {"content-type": content_type}
        return Fetched(request=request, url=request.url, status=200, headers=headers, body=body, at=self._clock.now())

    async def _content(self, source: OperatorSource, limit: int, total_for: float) -> tuple[bytes, str]:
        """The content and its media type; at most one byte more than the limit is read."""
        match source.forms:
            case ["file"]:
                return await self._threads.run(files.read_file, source.file, limit)
            case ["folder"]:
                return await self._threads.run(files.list_folder, source.folder, limit)
            case ["command"]:
                return await commands.run(source.command, limit), _TEXT
            case ["git"]:
                return await commands.run(commands.git_log(source.git, source.ref), limit), _TEXT
            case ["imap"]:
                read = mailboxes.list_messages
                return await self._threads.run(read, source.imap, source.password, total_for, limit), _TABLE
        raise SourceFailed("the source is not set up")


def _reason(error: Exception) -> str:
    """Without paths, which are the operator's: users read it."""
    match error:
        case ssl.SSLCertVerificationError():
            return "tls certificate refused"
        case ssl.SSLError():
            return "tls failed"
        case OSError():
            return (error.strerror or "cannot be read").lower()
    return str(error)
