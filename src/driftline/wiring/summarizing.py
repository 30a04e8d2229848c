"""Builds what a model does: summaries of articles, judgements and summaries of changes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import UUID

from driftline import extensions
from driftline.wiring.loop import run_loop, stopped_by_signals

if TYPE_CHECKING:
    from driftline.engine.jobs.models import ChatModel
    from driftline.engine.jobs.summaries import Filled, Summaries, SummaryWriter
    from driftline.engine.models.judge import ChangeJudge
    from driftline.engine.ports import Fetcher
    from driftline.wiring.app import App


@asynccontextmanager
async def summaries(app: App, *, fetcher: Fetcher | None = None) -> AsyncIterator[Summaries]:
    """Fills empty summaries, locally or through the configured model."""
    from driftline.engine.jobs.summaries import LocalWriter, Summaries
    from driftline.store.queues.summaries import SummaryQueue

    settings = app.settings
    local, model = LocalWriter(), None
    async with AsyncExitStack() as stack:
        if "openai" in (settings.summarizer, settings.classifier):
            model = await stack.enter_async_context(chat_model(app))
        yield Summaries(
            store=SummaryQueue(app.store.database),
            fetcher=await stack.enter_async_context(app.fetcher()) if fetcher is None else fetcher,
            pool=app.pool,
            clock=app.clock,
            writer=model if model and settings.summarizer == "openai" else _extension(settings.summarizer) or local,
            classifier=model if model and settings.classifier == "openai" else local,
            at_once=max(settings.summaries_at_once, 1),
        )


def _extension(name: str) -> SummaryWriter | None:
    from driftline.engine.jobs.extension import ExtensionWriter

    make = extensions.usable(extensions.SUMMARIZERS).get(name) if name not in ("local", "openai") else None
    return ExtensionWriter(name, make) if make is not None else None


@asynccontextmanager
async def chat_model(app: App, *, timeout_for: float | None = None) -> AsyncIterator[ChatModel]:
    """The operator's model; its address may be private, and nothing else may through this fetcher."""
    from driftline.engine.jobs.models import ChatModel

    settings = app.settings
    place = urlsplit(settings.model_url)
    allowed = f"{place.hostname}:{place.port or (443 if place.scheme == 'https' else 80)}"
    async with app.fetcher(allow_hosts=(allowed,)) as fetcher:
        yield ChatModel(
            fetcher,
            base_url=settings.model_url,
            model=settings.model_name,
            key=settings.model_key,
            timeout_for=timeout_for or settings.model_timeout_for,
        )


@asynccontextmanager
async def change_judge(app: App) -> AsyncIterator[ChangeJudge | None]:
    """What judges changes; None where the operator named no endpoint."""
    from driftline.engine.models.client import ModelClient
    from driftline.engine.models.judge import ChangeJudge
    from driftline.store.queues.model_answers import ModelAnswers

    settings = app.settings
    if not settings.model_url:
        yield None
        return
    async with chat_model(app, timeout_for=min(settings.model_timeout_for, settings.model_grace_for)) as model:
        client = ModelClient(
            model,
            ModelAnswers(app.store.database),
            app.clock,
            budget=settings.model_tokens_per_day,
            grace_for=settings.model_grace_for,
        )
        yield ChangeJudge(client, summaries=settings.change_summaries, language=settings.summary_language)


def summarize(app: App, *, watch_id: UUID | None = None, limit: int | None = None) -> Filled:
    """Make the queued summaries that are due."""

    async def fill() -> Filled:
        async with app.summaries() as summaries, stopped_by_signals(summaries):
            return await summaries.fill(watch_id=watch_id, limit=limit)

    return run_loop(fill)
