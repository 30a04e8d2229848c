"""One transaction's access to the store: orgs, and through them all data that belongs to an org."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

from driftline.engine.ports import Ids
from driftline.errors import NotFound
from driftline.model.account import Features, Org
from driftline.store.accounts import account_rows
from driftline.store.accounts.channels import Channels
from driftline.store.accounts.confirmations import Confirmations
from driftline.store.accounts.idempotency import Idempotency
from driftline.store.accounts.sessions import Sessions
from driftline.store.accounts.subscriptions import Subscriptions
from driftline.store.accounts.tokens import Tokens
from driftline.store.accounts.users import Users
from driftline.store.db.codec import dumps
from driftline.store.db.database import Tx
from driftline.store.db.query import exactly_one, uuid_or_none
from driftline.store.rows import Health
from driftline.store.runs.contents import Contents
from driftline.store.runs.pictures import Pictures
from driftline.store.vault.vault_rows import BrowserSessions, Secrets
from driftline.store.views import health
from driftline.store.views.conditions.tag_conditions import TagConditions
from driftline.store.views.conditions.trials import Trials
from driftline.store.views.deliveries import Deliveries
from driftline.store.views.results.articles import ArticleView
from driftline.store.views.results.changes import Changes
from driftline.store.views.results.items import Items, Masks
from driftline.store.views.results.prices import Prices
from driftline.store.views.results.read_marks import ReadMarks
from driftline.store.views.results.search import Search
from driftline.store.views.results.slots import Slots
from driftline.store.views.watching.activity import Activity
from driftline.store.views.watching.runs import Runs
from driftline.store.views.watching.tags import Tags
from driftline.store.views.watching.watches import Watches
from driftline.store.watches import buckets

T = TypeVar("T")

DEFAULT_ORG: Final = UUID("00000000-0000-7000-8000-000000000001")  # of a single-user installation: the same everywhere


class _Part(Generic[T]):
    """A part of an org's data, created on first use: most transactions need one or two."""

    def __init__(self, make: Callable[[Tx, UUID], T]) -> None:
        self._make = make

    def __get__(self, data: OrgData, _owner: object) -> T:
        return self._make(data.tx, data.org_id)


class OrgData:
    """The data of one org."""

    watches = _Part(Watches)
    activity = _Part(Activity)
    tags = _Part(Tags)
    runs = _Part(Runs)
    changes = _Part(Changes)
    read_marks = _Part(ReadMarks)
    items = _Part(Items)
    contents = _Part(Contents)
    pictures = _Part(Pictures)
    search = _Part(Search)
    prices = _Part(Prices)
    masks = _Part(Masks)
    users = _Part(Users)
    channels = _Part(Channels)
    confirmations = _Part(Confirmations)
    subscriptions = _Part(Subscriptions)
    deliveries = _Part(Deliveries)
    slots = _Part(Slots)
    articles = _Part(ArticleView)
    tag_conditions = _Part(TagConditions)
    trials = _Part(Trials)
    tokens = _Part(Tokens)
    sessions = _Part(Sessions)
    idempotency = _Part(Idempotency)
    secrets = _Part(Secrets)
    browser_sessions = _Part(BrowserSessions)

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self.tx = tx
        self.org_id = org_id

    def expand(self, watch_id: UUID, into: buckets.Into, *, ids: Ids, at: datetime) -> bool:
        """Bring a watch's buckets up to date; False if it has none."""
        return buckets.roll(self.tx, self.org_id, watch_id, into, ids=ids, at=at)


class Session:
    """Valid as long as its transaction."""

    def __init__(self, tx: Tx) -> None:
        self.tx = tx

    def org(self, org_id: UUID) -> OrgData:
        """An org's data; there is no other way to it."""
        return OrgData(self.tx, org_id)

    def default_org(self, *, at: datetime) -> Org:
        """The org of a single-user installation, created on first use."""
        self.add_org(Org(id=DEFAULT_ORG, name="default"), at=at)
        return self.get_org(DEFAULT_ORG)

    def add_org(self, org: Org, *, at: datetime) -> None:
        """Create it, unless it exists."""
        self.tx.run(
            "INSERT INTO orgs (id, name, plan, plan_features, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
            (org.id, org.name, org.features.tier, dumps(org.features), at),
        )

    def get_org(self, org_id: UUID) -> Org:
        """The org with its plan's features."""
        row: Any = self.tx.row(f"SELECT {account_rows.ORG} FROM orgs AS o WHERE o.id = ?", (org_id,))  # noqa: S608 - constants
        if row is None:
            raise NotFound("no such org", ref=str(org_id))
        return account_rows.org(self.tx.codec, row)

    def find_org(self, ref: str) -> Org:
        """The org with this name or id."""
        columns, id_ = account_rows.ORG, uuid_or_none(ref)
        if id_ is not None:
            return self.get_org(id_)
        rows = self.tx.rows(f"SELECT {columns} FROM orgs AS o WHERE o.name = ? LIMIT 2", (ref,))  # noqa: S608 - constants
        return exactly_one("org", ref, [account_rows.org(self.tx.codec, row) for row in rows], lambda one: one.id)

    def orgs(self) -> list[Org]:
        """Every org, for the operator."""
        return [self.get_org(self.tx.codec.id(id_)) for (id_,) in self.tx.rows("SELECT id FROM orgs ORDER BY created_at, id")]

    def set_features(self, org_id: UUID, features: Features) -> Org:
        """Put an org on another plan; existing snapshots keep their tier."""
        self.tx.run(
            "UPDATE orgs SET plan = ?, plan_features = ? WHERE id = ?",
            (features.tier, dumps(features), self.get_org(org_id).id),
        )
        return self.get_org(org_id)

    def health(self, *, at: datetime) -> Health:
        """Counts over all orgs, for the operator."""
        return health.health(self.tx, at)
