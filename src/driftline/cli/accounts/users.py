"""Commands about users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from driftline.cli.options import Json
from driftline.cli.output import emit, say, stamp, table
from driftline.errors import UsageError

if TYPE_CHECKING:
    from driftline.model.account import User
    from driftline.store.session import OrgData
    from driftline.wiring import App

user = typer.Typer(no_args_is_help=True, help="Users who are notified and sign in.")

UserRef = Annotated[str, typer.Argument(metavar="USER", help="Address, id, or the end of an id.")]
UserOption = Annotated[str | None, typer.Option("--user", help="Which user; may be left out if there is only one.")]
OWN_USER: Final = "me@localhost"  # made when nobody was added; steps back once somebody is


@user.command("add")
def user_add(
    email: Annotated[str, typer.Argument(metavar="EMAIL", help="Their mail address.")],
    name: Annotated[str | None, typer.Option("--name", help="Their name; default: the first part of the address.")] = None,
    role: Annotated[str, typer.Option("--role", help="owner, editor or viewer.")] = "owner",
    timezone: Annotated[str, typer.Option("--timezone", help="Their time zone, e.g. Europe/Berlin.")] = "UTC",
    hour: Annotated[int, typer.Option("--hour", min=0, max=23, help="Hour of their daily digest, 0 to 23.")] = 8,
    digest: Annotated[bool, typer.Option("--digest", help="Send one message a day instead of each change at once.")] = False,
    as_json: Json = False,
) -> None:
    """Add a user, with a mail channel to their address."""
    from driftline.cli.accounts.channels import add_channel
    from driftline.wiring import opened

    with opened() as app:

        def add(data: OrgData) -> User:
            fresh = add_user(app, data, email, name=name, role=role, timezone=timezone, digest_hour=hour, digest=digest)
            add_channel(app, data, fresh, "email", fresh.email, default=True)
            return fresh

        added = app.write(add)
    say(user_document(added), f"added {added.email}. Mail to this address is the default channel", as_json=as_json)


@user.command("list")
def user_list(as_json: Json = False) -> None:
    """List users."""
    from driftline.wiring import opened

    with opened() as app:
        found = app.read(lambda data: data.users.all())
    if as_json:
        emit([user_document(one) for one in found])
    else:
        rows = [(one.email, one.name, one.role, one.timezone, f"{one.digest_hour:02}:00", one.id.hex[-8:]) for one in found]
        table(
            "",
            ("address", "name", "role", "zone", "digest", "id"),
            rows,
            empty="No users. Try: driftline user add you@example.org",
        )


@user.command("set")
def user_set(
    reference: UserRef,
    name: Annotated[str | None, typer.Option("--name", help="Their name.")] = None,
    role: Annotated[str | None, typer.Option("--role", help="owner, editor or viewer.")] = None,
    timezone: Annotated[str | None, typer.Option("--timezone", help="Their time zone.")] = None,
    hour: Annotated[int | None, typer.Option("--hour", min=0, max=23, help="Hour of their daily digest, 0 to 23.")] = None,
    digest: Annotated[
        bool | None, typer.Option("--digest/--at-once", help="Send one message a day, or as the plan says.")
    ] = None,
    active: Annotated[bool | None, typer.Option("--on/--off", help="Whether they are notified.")] = None,
    as_json: Json = False,
) -> None:
    """Change a user's name, role, time zone or digest."""
    from driftline.deliver.account_input import checked_role, line
    from driftline.policy.digest import next_digest
    from driftline.wiring import opened

    with opened() as app:
        now = app.clock.now()

        def change(data: OrgData) -> User:
            before = data.users.get(reference)
            zone, at_hour = timezone or before.timezone, before.digest_hour if hour is None else hour
            moved = (zone, at_hour) != (before.timezone, before.digest_hour)
            due_at = next_digest(hour=at_hour, timezone=zone, after=now) if moved else before.next_digest_at
            after = msgspec.structs.replace(
                before,
                name=line(name, "name") if name else before.name,
                role=checked_role(role) if role else before.role,
                timezone=zone,
                digest_hour=at_hour,
                digest=before.digest if digest is None else digest,
                next_digest_at=due_at,
                disabled_at=before.disabled_at if active is None else (None if active else now),
            )
            return data.users.update(after)

        changed = app.write(change)
    say(user_document(changed), f"changed {changed.email}", as_json=as_json)


@user.command("rm")
def user_rm(reference: UserRef, as_json: Json = False) -> None:
    """Remove a user and their channels, subscriptions and deliveries."""
    from driftline.wiring import opened

    def remove(data: OrgData) -> User:
        found = data.users.get(reference)
        data.users.remove(found.id)
        return found

    with opened() as app:
        gone = app.write(remove)
    say(user_document(gone), f"removed {gone.email}", as_json=as_json)


def add_user(app: App, data: OrgData, email: str, **given: Any) -> User:
    """Draft and store a user."""
    from driftline.deliver.account_input import draft_user

    return data.users.add(draft_user(app.ids(), app.org.id, email, at=app.clock.now(), **given))


def user_of(app: App, data: OrgData, reference: str | None, *, made_for: str = OWN_USER) -> User:
    """The user that was named, or the only one that somebody added; the first one is made, with the rest of what is written."""
    if reference is not None:
        return data.users.get(reference)
    everybody = data.users.all()
    found = [one for one in everybody if one.email != OWN_USER] or everybody
    if len(found) > 1:
        raise UsageError("whose?", users=", ".join(one.email for one in found[:5]), hint="use --user")
    return found[0] if found else add_user(app, data, made_for)


def owner_of(app: App, data: OrgData) -> User:
    """The first owner who may come in; made where there is none."""
    owners = (one for one in data.users.all() if one.role == "owner" and one.disabled_at is None)
    return next(owners, None) or add_user(app, data, OWN_USER)


def user_document(one: User) -> dict[str, Any]:
    """A user in JSON."""
    return {
        "id": one.id,
        "email": one.email,
        "name": one.name,
        "role": one.role,
        "timezone": one.timezone,
        "digest_hour": one.digest_hour,
        "digest": one.digest,
        "next_digest_at": stamp(one.next_digest_at),
        "active": one.disabled_at is None,
        "created_at": stamp(one.created_at),
    }


GROUPS = {"user": user}
