"""A call in a thread of its own: a source that hangs takes no thread from anybody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Thread
from typing import Any, Final, TypeVar

from driftline.fetch.sources.failures import SourceFailed

T = TypeVar("T")

AT_MOST: Final = 64  # threads, with those that a dead disk keeps after their check has ended


class OwnThreads:
    """Threads that are waited for as long as the caller waits, and are then left behind until their call ends."""

    def __init__(self) -> None:
        self._running = 0

    async def run(self, call: Callable[..., T], *args: object) -> T:
        """The call's result; raises what the call raised, or SourceFailed where too many hang."""
        if self._running >= AT_MOST:
            raise SourceFailed("too many sources hang")
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[T] = loop.create_future()

        def finish(result: T | None, error: BaseException | None) -> None:
            self._running -= 1
            if ended.done():  # nobody waits any more
                return
            if error is not None:
                ended.set_exception(error)
            else:
                ended.set_result(result)  # type: ignore[arg-type]  # the call's own, where it raised nothing

        self._running += 1
        Thread(target=_work, args=(loop, finish, call, args), name="source", daemon=True).start()
        return await ended


def _work(
    loop: asyncio.AbstractEventLoop,
    finish: Callable[[Any, BaseException | None], None],
    call: Callable[..., Any],
    args: tuple[object, ...],
) -> None:
    result, failed = None, None
    try:
        result = call(*args)
    except BaseException as error:  # noqa: BLE001 - whatever it was goes to the caller
        failed = error
    try:
        loop.call_soon_threadsafe(finish, result, failed)
    except RuntimeError:  # the loop has been closed meanwhile
        return
