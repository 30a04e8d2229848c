"""What the live demo and the demo that runs once share: a subscriber, the watches, and how a change is printed."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec

from driftline.demo.departures import NAME, SHOWN, TITLE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from driftline.demo.receivers import Receivers
    from driftline.demo.site import Site
    from driftline.model.account import User
    from driftline.model.watch import Schedule
    from driftline.store.session import OrgData
    from driftline.wiring import App


def subscribe(app: App, inbox: Receivers) -> User:
    """A user who is notified of all changes, by mail and by webhook."""
    from driftline.cli.accounts.channels import add_channel
    from driftline.cli.accounts.users import add_user
    from driftline.model.delivery import Subscription

    app.settings = msgspec.structs.replace(app.settings, smtp_host="127.0.0.1", smtp_port=inbox.mail_port, smtp_tls="none")

    def add(data: OrgData) -> User:
        user = add_user(app, data, "you@example.org")
        channels = [
            add_channel(app, data, user, kind, target, name=name)
            for kind, target, name in (("email", user.email, "Mailbox"), ("webhook", inbox.hook_url, "Webhook"))
        ]
        subscription = Subscription(
            id=app.ids(),
            org_id=app.org.id,
            user_id=user.id,
            watch_id=None,
            channel_ids=tuple(channel.id for channel in channels),
            created_at=app.clock.now(),
        )
        data.subscriptions.add(subscription)
        return user

    return app.write(add)


def left_out(app: App) -> str:
    """The sentence that says why the page that scripts make is not watched; empty: it is."""
    from driftline.core.answers.failure_text import failure_text
    from driftline.fetch.browser import chromium

    why_not = chromium.missing(app.settings.chromium) if app.settings.browser else chromium.TURNED_OFF
    return f"Left out: {TITLE}, a page that scripts make. {failure_text('error', why_not).sentence}" if why_not else ""


def watch_site(app: App, site: Site, schedule: Schedule, *, departures: bool = False) -> Mapping[UUID, str]:
    """Watch everything that the site has; the site's name for each watch. The departures take a browser."""
    from driftline.engine.editing.watch_input import WatchInput
    from driftline.model.fetch import FetchOptions

    watch_inputs: dict[str, WatchInput] = {
        page: WatchInput(url=url, name=title, schedule=schedule) for page, title, url in site.pages
    }
    day = (app.clock.now() + timedelta(days=7)).date().isoformat()
    watch_inputs |= {
        feed.name: WatchInput(url=url, name=feed.title, kind=feed.kind, rules=feed.rules, schedule=schedule)
        for feed, url in site.feeds(day)
    }
    if departures:
        site.shows_departures = True
        fetch = FetchOptions(wait_for=SHOWN)
        watch_inputs[NAME] = WatchInput(url=f"{site.address}/{NAME}", name=TITLE, schedule=schedule, fetch=fetch)
    watches = app.add([app.draft(watch_input) for watch_input in watch_inputs.values()])
    return {watch.id: name for watch, name in zip(watches, watch_inputs, strict=True)}
