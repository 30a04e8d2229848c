"""Builds fetchers and channels: everything that opens connections to the outside."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final
from uuid import UUID

from driftline import extensions
from driftline.engine.ports import Overrun

if TYPE_CHECKING:
    from driftline.core.pictures.crops import ChangedPart
    from driftline.deliver.ports import Transport
    from driftline.engine.ports import Fetcher
    from driftline.fetch.browser.fetcher import BrowsingFetcher
    from driftline.model.change import Change
    from driftline.model.delivery import ChannelKind
    from driftline.store.session import Session
    from driftline.wiring.app import App

_PICTURED_FOR: Final = 5.0  # seconds that a mail waits for a picture


def fetcher(app: App, *, allow_hosts: Sequence[str] = ()) -> BrowsingFetcher:
    """A fetcher, to be closed, that starts a browser where it needs one; `allow_hosts` are the operator's own endpoints."""
    from driftline.fetch.browser.fetcher import BrowserOptions, BrowsingFetcher
    from driftline.fetch.egress import Egress
    from driftline.fetch.extension import ExtensionFetcher
    from driftline.fetch.http import FetchLimits, HttpFetcher
    from driftline.fetch.politeness import Manners
    from driftline.model.operator_source import SCHEME

    settings = app.settings
    limits = FetchLimits(total_for=settings.timeout_for, max_bytes=settings.max_bytes, user_agent=settings.user_agent)
    manners = Manners(at_once=settings.per_host, own_at_once=settings.per_own_host, apart_for=settings.host_interval_for)
    egress = Egress((*settings.allow_hosts, *allow_hosts))
    plain = HttpFetcher(egress, app.clock, limits=limits, manners=manners, proxies=settings.proxies)
    options = BrowserOptions(
        allowed=settings.browser, path=settings.chromium, pages=settings.browser_pages, scripts=settings.browser_scripts
    )

    async def org_name(org_id: UUID) -> str | None:
        return await app.store.read(lambda session: session.get_org(org_id).name)

    def other(scheme: str) -> Fetcher | None:
        if scheme == SCHEME:
            from driftline.fetch.sources.fetcher import SourceFetcher

            return SourceFetcher(
                settings.sources, org_name, app.clock, total_for=settings.timeout_for, max_bytes=settings.max_bytes
            )
        found = extensions.extension(extensions.FETCHERS, scheme)
        if found is None or found.problem:
            return None
        return ExtensionFetcher(scheme, found.value, total_for=settings.timeout_for, max_bytes=settings.max_bytes)

    return BrowsingFetcher(plain, egress, app.clock, limits=limits, options=options, credentials=app.vault(), other=other)


class StoredPictures:
    """The pictures that are stored with versions, cut to what changed; in a child process, as all pictures are read."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def of(self, change: Change) -> ChangedPart | None:
        """None also where a picture cannot be read, or takes too long: the mail is sent without it."""
        if change.prev_snapshot_id is None or change.next_snapshot_id is None:
            return None
        snapshots = (change.prev_snapshot_id, change.next_snapshot_id)
        store = self._app.store

        def find(session: Session) -> list[str | None]:
            pictures = session.org(change.org_id).pictures
            return [pictures.of_snapshot(snapshot_id) for snapshot_id in snapshots]

        before, after = [await store.blob(key) if key else None for key in await store.read(find)]
        if before is None or after is None:
            return None
        from driftline.core.pictures.crops import changed_part
        from driftline.core.pictures.regions import regions_in

        share = self._app.pool.share(change.org_id, deadline_for=_PICTURED_FOR)
        try:
            return await share.run(changed_part, before, after, regions_in(change.diff))
        except (Overrun, ValueError, ImportError):  # Pillow is part of the extra
            return None


@asynccontextmanager
async def transports(app: App) -> AsyncIterator[Mapping[ChannelKind, Transport]]:
    """All transports by channel kind; closed at the end."""
    from driftline.deliver.channels.apprise import SCHEMES, AppriseTransport
    from driftline.deliver.channels.extension import ExtensionTransport
    from driftline.deliver.channels.smtp import EmailTransport, MailRelay
    from driftline.deliver.channels.webhook import WebhookTransport
    from driftline.fetch.egress import Egress
    from driftline.fetch.post import HttpPoster
    from driftline.fetch.proxy import CheckingProxy

    settings = app.settings
    egress = Egress(settings.allow_hosts)
    relay = MailRelay(
        host=settings.smtp_host,
        port=settings.smtp_port,
        tls=settings.smtp_tls,
        user=settings.smtp_user,
        password=settings.smtp_password,
        sender=settings.mail_from,
        public_url=settings.public_url,
    )
    async with AsyncExitStack() as stack:
        poster = await stack.enter_async_context(HttpPoster(egress, app.clock, user_agent=settings.user_agent))
        mail = EmailTransport(relay if settings.smtp_host else None, pictures=StoredPictures(app))
        stack.push_async_callback(mail.close)
        started: list[CheckingProxy] = []

        async def proxy_url() -> str:
            if not started:
                started.append(CheckingProxy(egress))
                await stack.enter_async_context(started[0])
            return started[0].url

        schemes = frozenset(settings.chat_services) & SCHEMES or SCHEMES
        chat = AppriseTransport(proxy_url, schemes=schemes, refused=lambda: sum(proxy.refused for proxy in started))
        transports: dict[ChannelKind, Transport] = {
            "email": mail,
            "webhook": WebhookTransport(poster, app.clock),
            "apprise": chat,
        }
        if settings.rabbit_url:
            from driftline.bus.publisher import LazyPublisher
            from driftline.bus.rabbit import RabbitBus
            from driftline.deliver.channels.bus import BusTransport

            publisher = LazyPublisher(partial(RabbitBus.connect, settings.rabbit_url))
            stack.push_async_callback(publisher.close)
            transports["bus"] = BusTransport(publisher)
        for name, make in extensions.usable(extensions.CHANNELS).items():
            other = ExtensionTransport(name, partial(make, poster))
            stack.push_async_callback(other.close)
            transports[name] = other
        yield transports
