"""What both ways to play the demo share: somebody who listens, something to watch, and how a change is told."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec

from driftline.cli.output import console

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from driftline.demo.receivers import Receivers
    from driftline.demo.site import Site
    from driftline.model.account import User
    from driftline.model.change import Change
    from driftline.model.watch import Schedule
    from driftline.store.session import OrgData
    from driftline.wiring import App


def subscribe(app: App, inbox: Receivers) -> User:
    """Somebody who hears of everything, by mail and by webhook."""
    from driftline.cli.channels import add_channel
    from driftline.cli.users import add_user
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


def plant(app: App, site: Site, schedule: Schedule) -> Mapping[UUID, str]:
    """Watch everything that the site has; the site's name for each watch."""
    from driftline.engine.drafting import Wish

    wishes: dict[str, Wish] = {page: Wish(url=url, name=title, schedule=schedule) for page, title, url in site.pages}
    day = (app.clock.now() + timedelta(days=7)).date().isoformat()
    wishes |= {
        feed.name: Wish(url=url, name=feed.title, kind=feed.kind, rules=feed.rules, schedule=schedule)
        for feed, url in site.feeds(day)
    }
    watches = app.add([app.draft(wish) for wish in wishes.values()])
    return {watch.id: name for watch, name in zip(watches, wishes, strict=True)}


def print_change(watch_name: str, change: Change) -> None:
    """One line, with the reason where nobody is told."""
    muted = f" (not delivered: {change.flags['muted']})" if "muted" in change.flags else ""
    console().print(f"  {change.severity:<6} {watch_name}: {change.headline}{muted}", markup=False)
