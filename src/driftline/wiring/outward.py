"""The ways out of the house: to pages, and to people."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from driftline.deliver.ports import Courier
    from driftline.fetch.http import HttpFetcher
    from driftline.model.delivery import ChannelKind
    from driftline.wiring.app import App


def fetcher(app: App, *, allow_hosts: Sequence[str] = ()) -> HttpFetcher:
    """A way out over HTTP, to be closed; `allow_hosts` are the operator's own endpoints."""
    from driftline.fetch.egress import Egress
    from driftline.fetch.http import HttpFetcher, Limits
    from driftline.fetch.politeness import Manners

    settings = app.settings
    limits = Limits(total_for=settings.timeout_for, max_bytes=settings.max_bytes, user_agent=settings.user_agent)
    manners = Manners(at_once=settings.per_host, apart_for=settings.host_interval_for)
    egress = Egress((*settings.allow_hosts, *allow_hosts))
    return HttpFetcher(egress, app.clock, limits=limits, manners=manners, proxies=settings.proxies)


@asynccontextmanager
async def couriers(app: App) -> AsyncIterator[Mapping[ChannelKind, Courier]]:
    """Every way to hand a letter over; what they hold open is closed at the end."""
    from driftline.deliver.apprise import SCHEMES, AppriseCourier
    from driftline.deliver.email import EmailCourier, Relay
    from driftline.deliver.webhook import WebhookCourier
    from driftline.fetch.egress import Egress
    from driftline.fetch.post import HttpPoster
    from driftline.fetch.proxy import CheckingProxy

    settings = app.settings
    egress = Egress(settings.allow_hosts)
    relay = Relay(
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
        mail = EmailCourier(relay if settings.smtp_host else None)
        stack.push_async_callback(mail.close)
        started: list[CheckingProxy] = []

        async def proxy_url() -> str:
            if not started:
                started.append(CheckingProxy(egress))
                await stack.enter_async_context(started[0])
            return started[0].url

        schemes = frozenset(settings.chat_services) & SCHEMES or SCHEMES
        chat = AppriseCourier(proxy_url, schemes=schemes, refused=lambda: sum(proxy.refused for proxy in started))
        couriers: dict[ChannelKind, Courier] = {
            "email": mail,
            "webhook": WebhookCourier(poster, app.clock),
            "apprise": chat,
        }
        if settings.rabbit_url:
            from driftline.bus.publisher import LazyPublisher
            from driftline.bus.rabbit import RabbitBus
            from driftline.deliver.bus import BusCourier

            publisher = LazyPublisher(partial(RabbitBus.connect, settings.rabbit_url))
            stack.push_async_callback(publisher.close)
            couriers["bus"] = BusCourier(publisher)
        yield couriers
