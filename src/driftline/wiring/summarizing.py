"""Builds the summaries of new articles."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import UUID

from driftline.wiring.loop import run_loop, stopped_by_signals

if TYPE_CHECKING:
    from driftline.engine.jobs.summaries import Filled, Summaries
    from driftline.engine.ports import Fetcher
    from driftline.wiring.app import App


@asynccontextmanager
async def summaries(app: App, *, fetcher: Fetcher | None = None) -> AsyncIterator[Summaries]:
    """Fills empty summaries, locally or through the configured model."""
    from driftline.engine.jobs.models import ChatModel
    from driftline.engine.jobs.summaries import LocalWriter, Summaries
    from driftline.store.queues.summaries import SummaryQueue

    settings = app.settings
    local, model = LocalWriter(), None
    async with AsyncExitStack() as stack:
        if "openai" in (settings.summarizer, settings.classifier):
            place = urlsplit(settings.model_url)
            allowed = f"{place.hostname}:{place.port or (443 if place.scheme == 'https' else 80)}"
            model = ChatModel(
                await stack.enter_async_context(app.fetcher(allow_hosts=(allowed,))),
                base_url=settings.model_url,
                model=settings.model_name,
                key=settings.model_key,
                timeout_for=settings.model_timeout_for,
            )
        yield Summaries(
            store=SummaryQueue(app.store.database),
            fetcher=await stack.enter_async_context(app.fetcher()) if fetcher is None else fetcher,
            pool=app.pool,
            clock=app.clock,
            writer=model if model and settings.summarizer == "openai" else local,
            classifier=model if model and settings.classifier == "openai" else local,
            at_once=max(settings.summaries_at_once, 1),
        )


def summarize(app: App, *, watch_id: UUID | None = None, limit: int | None = None) -> Filled:
    """Make the queued summaries that are due."""

    async def fill() -> Filled:
        async with app.summaries() as summaries, stopped_by_signals(summaries):
            return await summaries.fill(watch_id=watch_id, limit=limit)

    return run_loop(fill)
