"""Two orgs behind one web application, each with one of everything: what has to be kept apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute
from litestar.testing import TestClient

from driftline.deliver.account_input import draft_user
from driftline.engine.editing.watch_input import WatchInput
from driftline.model.access import SCOPES, BrowserSession, Scope
from driftline.model.account import Org, Role, User
from driftline.model.delivery import Channel, Subscription
from driftline.settings import Settings
from driftline.store.session import OrgData
from driftline.web.app import create_app
from driftline.web.auth.guards import SESSION_COOKIE
from driftline.web.auth.new_tokens import draft_token
from driftline.web.auth.secrets import csrf_token, new_secret, stored
from driftline.wiring import App

HERE = "http://127.0.0.1"


class Tenant:
    """One org, as its people use it."""

    def __init__(self, app: App, org: Org) -> None:
        self.app = app.of(org)
        self.org = org
        self.owner = self.user("owner", f"owner@{org.name}.example")
        self.token = self.token_for(self.owner)

    def user(self, role: Role, email: str) -> User:
        fresh = draft_user(self.app.ids(), self.org.id, email, role=role, at=self.app.clock.now())
        return self.app.write(lambda data: data.users.add(fresh))

    def token_for(self, user: User, scopes: Sequence[Scope] = SCOPES, *, lasts: timedelta | None = None) -> str:
        at = self.app.clock.now()
        ends_at = at + lasts if lasts else None
        fresh, secret, secret_hash = draft_token(self.app.ids(), user, name="t", scopes=scopes, at=at, expires_at=ends_at)
        self.app.write(lambda data: data.tokens.add(fresh, secret_hash=secret_hash))
        return secret

    def session_for(self, user: User, *, seconds: float = 3600) -> str:
        """The cookie of somebody who signed in."""
        at, secret = self.app.clock.now(), new_secret()
        session = BrowserSession(
            id=self.app.ids(), org_id=self.org.id, user_id=user.id, agent="test", created_at=at,
            expires_at=at + timedelta(seconds=seconds),
        )  # fmt: skip
        self.app.write(lambda data: data.sessions.add(session, secret_hash=stored(secret)))
        return secret

    def furnished(self) -> dict[str, UUID]:
        """One of everything that has an id, by the name that routes give it."""
        at, owner = self.app.clock.now(), self.owner
        watch = self.app.add([self.app.draft(WatchInput(url="http://shop.example/", kind="catalog", name="shop"))])[0]
        channel = Channel(
            id=self.app.ids(), org_id=self.org.id, user_id=owner.id, kind="webhook", name="hook",
            target="http://hook.example/", created_at=at,
        )  # fmt: skip
        wanted = Subscription(id=self.app.ids(), org_id=self.org.id, user_id=owner.id, watch_id=watch.id, created_at=at)
        mask_id = self.app.ids()

        def furnish(data: OrgData) -> None:
            data.channels.add(channel)
            data.subscriptions.add(wanted)

        self.app.write(furnish)
        self.app.store.write_now(
            lambda session: session.tx.run(
                "INSERT INTO masks (id, watch_id, place_hash, place, skeleton, evidence, learned_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (mask_id, watch.id, b"x", "main", "a", "told so", at),
            )
        )
        self.push(watch.id, "10")
        run_id = self.push(watch.id, "12")
        self.session_for(owner)

        def find(data: OrgData) -> dict[str, UUID]:
            change = data.changes.page(run_id=run_id).rows[0]
            assert change.item_id is not None
            return {
                "watch_id": watch.id,
                "run_id": run_id,
                "change_id": change.id,
                "item_id": change.item_id,
                "snapshot_id": data.items.snapshots(change.item_id).rows[0].id,
                "mask_id": mask_id,
                "channel_id": channel.id,
                "subscription_id": wanted.id,
                "delivery_id": data.deliveries.page().rows[0].id,
                "user_id": self.user_id(data),
                "token_id": data.tokens.all()[0].id,
                "session_id": data.sessions.of(owner.id, at=at)[0].id,
            }

        return self.app.read(find)

    def user_id(self, data: OrgData) -> UUID:
        return data.users.get(self.owner.email).id

    def push(self, watch_id: UUID, price: str, *, title: str = "Lamp") -> UUID:
        """A run with one product."""
        row = {"url": "http://shop.example/lamp", "title": title, "price": price, "currency": "EUR", "in_stock": True}
        return self.app.ingest(watch_id, [msgspec.json.encode(row)]).run_id


def another_org(app: App, name: str) -> Tenant:
    """A new org with its owner."""
    org = Org(id=app.ids(), name=name)
    app.store.write_now(lambda session: session.add_org(org, at=app.clock.now()))
    return Tenant(app, org)


class WebServer:
    """The web application, and the ways to ask it."""

    def __init__(self, app: App, client: TestClient[Litestar]) -> None:
        self.app = app
        self.client = client
        self.web = client.app
        self.tenant = Tenant(app, app.org)

    def another(self, name: str) -> Tenant:
        """A second org."""
        return another_org(self.app, name)

    def ask(self, method: str, path: str, *, token: str | None = None, **more: Any) -> Any:
        """A request by token; by default the owner's."""
        headers = {"Authorization": f"Bearer {token or self.tenant.token}"} | more.pop("headers", {})
        return self.client.request(method, path, headers=headers, follow_redirects=False, **more)

    def get(self, path: str, **more: Any) -> Any:
        return self.ask("GET", f"/api/v1{path}", **more)

    def post(self, path: str, json: Any = None, **more: Any) -> Any:
        return self.ask("POST", f"/api/v1{path}", json=json, **more)

    def browse(self, method: str, path: str, *, cookie: str, csrf: bool = True, origin: str | None = HERE, **more: Any) -> Any:
        """A request by cookie, as a browser sends it."""
        headers = {"Cookie": f"{SESSION_COOKIE}={cookie}"}
        headers |= {"X-CSRF-Token": csrf_token(cookie)} if csrf else {}
        headers |= {"Origin": origin} if origin is not None else {}
        return self.client.request(method, path, headers=headers | more.pop("headers", {}), follow_redirects=False, **more)

    def routes(self) -> Iterator[tuple[str, str, HTTPRouteHandler]]:
        """Every verb of every route that we wrote."""
        for route in self.web.routes:
            assert isinstance(route, HTTPRoute)
            for handler in route.route_handlers:
                for method in sorted(handler.http_methods - {"OPTIONS"}):
                    yield method, route.path, handler


@contextmanager
def server_on(url: str, **settings: Any) -> Iterator[WebServer]:
    """A web server on this database; it may visit loopback and waits for no second fetch."""
    known: dict[str, Any] = {"allow_hosts": ("127.0.0.1",), "calibrate_after": 0.0, "timeout_for": 5.0}
    bound_to = settings.pop("bound_to", "127.0.0.1")
    app = App(Settings(db=url, **(known | settings)))
    try:
        with TestClient(create_app(app, bound_to=bound_to), base_url=HERE) as client:
            yield WebServer(app, client)
    finally:
        app.close()
