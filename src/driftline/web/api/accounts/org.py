"""The org, its plan, and its users."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Response, delete, get, patch, post, put
from litestar.exceptions import PermissionDeniedException
from litestar.params import FromPath, JSONBody
from msgspec import UNSET, Meta, UnsetType

from driftline.deliver.account_input import draft_user, line
from driftline.errors import Refused
from driftline.model.account import Features, Org, Role, User
from driftline.policy.digest import next_digest
from driftline.policy.plans import PLANS, plan
from driftline.policy.schedule.zones import zone
from driftline.store.session import DEFAULT_ORG, OrgData
from driftline.web.auth.guards import owner, viewer
from driftline.web.auth.request_context import Caller
from driftline.web.paging import Listed

Line = Annotated[str, Meta(min_length=1, max_length=120)]
Hour = Annotated[int, Meta(ge=0, le=23)]


class OrgDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The tenant that owns watches, users and everything below them."""

    id: UUID
    name: str
    plan: str
    features: Features


class UserDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A person with a mail address and a role."""

    id: UUID
    email: str
    name: str
    role: Role
    timezone: str
    digest_hour: int
    digest: bool
    next_digest_at: datetime
    active: bool
    created_at: datetime


class NewUser(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A user to add."""

    email: Annotated[str, Meta(max_length=320)]
    name: Line | None = None
    role: Role = "viewer"
    timezone: Annotated[str, Meta(max_length=64)] = "UTC"
    digest_hour: Hour = 8
    digest: bool = False


class UserPatch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields to change; fields that are left out stay as they are."""

    name: Line | UnsetType = UNSET
    role: Role | UnsetType = UNSET
    timezone: Annotated[str, Meta(max_length=64)] | UnsetType = UNSET
    digest_hour: Hour | UnsetType = UNSET
    digest: bool | UnsetType = UNSET
    active: bool | UnsetType = UNSET


class PlanName(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plan."""

    plan: Annotated[str, Meta(max_length=50)]


@get("/org", guards=[viewer], summary="Show the org")
async def show_org(caller: Caller) -> OrgDocument:
    """With the features of its plan."""
    return org_document(caller.identity.org)


@get("/plans", guards=[viewer], summary="List plans")
async def list_plans() -> dict[str, Features]:
    """Every plan with its features."""
    return dict(PLANS)


@put("/org/plan", guards=[owner], summary="Set the plan of the org")
async def set_plan(caller: Caller, data: JSONBody[PlanName]) -> OrgDocument:
    """Only for the operator's own org; the operator sets the plans of other orgs."""
    org = caller.identity.org
    if org.id != DEFAULT_ORG:
        raise PermissionDeniedException(detail="plans are set by the operator")
    features = plan(data.plan)
    return org_document(await caller.app.store.write(lambda session: session.set_features(org.id, features)))


@get("/users", guards=[viewer], summary="List users")
async def list_users(caller: Caller) -> Listed[UserDocument]:
    """All users of the org."""
    return Listed(items=tuple(user_document(one) for one in await caller.read(lambda data: data.users.all())))


@post("/users", guards=[owner], summary="Add a user")
async def add_user(caller: Caller, data: JSONBody[NewUser]) -> Response[UserDocument]:
    """They sign in with a link or a password from the operator."""
    draft = draft_user(
        caller.app.ids(),
        caller.identity.org.id,
        data.email,
        name=data.name,
        role=data.role,
        timezone=data.timezone,
        digest_hour=data.digest_hour,
        digest=data.digest,
        at=caller.now,
    )
    return await caller.create(lambda stored: stored.users.add(draft), user_document)


@get("/users/{user_id:uuid}", guards=[viewer], summary="Show a user")
async def show_user(caller: Caller, user_id: FromPath[UUID]) -> UserDocument:
    """With role, time zone and digest."""
    return user_document(await caller.read(lambda data: data.users.get(user_id)))


@patch("/users/{user_id:uuid}", guards=[owner], summary="Change a user")
async def change_user(caller: Caller, user_id: FromPath[UUID], data: JSONBody[UserPatch]) -> UserDocument:
    """The last active owner cannot lose this role."""
    now = caller.now

    def change(stored: OrgData) -> User:
        before = stored.users.get(user_id)
        after = patched(before, data, now=now)
        _keep_an_owner(stored.users.all(), before, after)
        if after.disabled_at is not None:
            stored.sessions.end_all(user_id)
        return stored.users.update(after)

    return user_document(await caller.write(change))


def patched(before: User, data: UserPatch, *, now: datetime) -> User:
    """The user with the given fields; the daily message follows its hour and time zone."""
    zone_name = data.timezone if isinstance(data.timezone, str) else before.timezone
    hour = data.digest_hour if isinstance(data.digest_hour, int) else before.digest_hour
    zone(zone_name)
    moved = (zone_name, hour) != (before.timezone, before.digest_hour)
    due_at = next_digest(hour=hour, timezone=zone_name, after=now) if moved else before.next_digest_at
    return msgspec.structs.replace(
        before,
        name=line(data.name, "name") if isinstance(data.name, str) else before.name,
        role=before.role if data.role is UNSET else data.role,
        timezone=zone_name,
        digest_hour=hour,
        digest=data.digest if isinstance(data.digest, bool) else before.digest,
        next_digest_at=due_at,
        disabled_at=(None if data.active else now) if isinstance(data.active, bool) else before.disabled_at,
    )


@delete("/users/{user_id:uuid}", guards=[owner], summary="Remove a user")
async def remove_user(caller: Caller, user_id: FromPath[UUID]) -> None:
    """Their channels, subscriptions, deliveries, tokens and sessions are removed too."""

    def remove(data: OrgData) -> None:
        _keep_an_owner(data.users.all(), data.users.get(user_id), None)
        data.users.remove(user_id)

    await caller.write(remove)


def _keep_an_owner(everybody: Sequence[User], before: User, after: User | None) -> None:
    def leads(user: User) -> bool:
        return user.role == "owner" and user.disabled_at is None

    stays = after is not None and leads(after)
    if leads(before) and not stays and not any(leads(one) for one in everybody if one.id != before.id):
        raise Refused("an org needs at least one owner", user=before.email, hint="make another user an owner first")


def org_document(org: Org) -> OrgDocument:
    """An org as it is shown."""
    return OrgDocument(id=org.id, name=org.name, plan=org.features.tier, features=org.features)


def user_document(user: User) -> UserDocument:
    """A user as they are shown."""
    return UserDocument(
        id=user.id,
        email=user.email,
        name=user.name,
        role=user.role,
        timezone=user.timezone,
        digest_hour=user.digest_hour,
        digest=user.digest,
        next_digest_at=user.next_digest_at,
        active=user.disabled_at is None,
        created_at=user.created_at,
    )


ROUTES = (show_org, list_plans, set_plan, list_users, add_user, show_user, change_user, remove_user)
