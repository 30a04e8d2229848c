"""Commands about orgs and their plans."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from driftline.cli.options import Json
from driftline.cli.output import emit, say, table
from driftline.errors import UsageError

if TYPE_CHECKING:
    from driftline.model.account import Org
    from driftline.settings import Settings
    from driftline.store.session import Session

org = typer.Typer(no_args_is_help=True, help="Orgs and their plans.")


@org.command("list")
def org_list(as_json: Json = False) -> None:
    """List orgs with their plans."""
    from driftline.wiring import opened

    with opened(for_all()) as app:
        found = app.store.read_now(lambda session: session.orgs())
    if as_json:
        emit([org_document(one) for one in found])
    else:
        rows = [(one.name, one.features.tier, "at once" if one.features.immediate else "daily digest") for one in found]
        table("", ("name", "plan", "deliveries"), rows, empty="No orgs")


@org.command("add")
def org_add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name. Run commands for it with DRIFTLINE_ORG=NAME.")],
    owner: Annotated[str, typer.Option("--owner", help="The mail address of its first owner.")],
    plan: Annotated[str, typer.Option("--plan", help="free, pro, premium or embedded.")] = "embedded",
    as_json: Json = False,
) -> None:
    """Add an org with its first owner. Orgs share nothing but the workers."""
    from driftline.cli.accounts.channels import add_channel
    from driftline.cli.accounts.users import add_user
    from driftline.deliver.account_input import line
    from driftline.model.account import Org
    from driftline.policy.plans import plan as plan_of
    from driftline.wiring import opened

    features = plan_of(plan)
    with opened(for_all()) as app:
        fresh = Org(id=app.ids(), name=line(name, "name"), features=features)
        inside = app.of(fresh)

        def add(session: Session) -> Org:
            if any(one.name == fresh.name for one in session.orgs()):
                raise UsageError("an org with this name already exists", name=fresh.name, hint="run: driftline org list")
            session.add_org(fresh, at=app.clock.now())
            data = session.org(fresh.id)
            add_channel(inside, data, add_user(inside, data, owner), "email", owner, default=True)
            return fresh

        added = app.store.write_now(add)
    how = f"DRIFTLINE_ORG={shlex.quote(added.name)} driftline sign-in-link {shlex.quote(owner)}"
    say(org_document(added), f"added {added.name}. Sign its owner in with: {how}", as_json=as_json)


@org.command("plan")
def org_plan(
    plan: Annotated[str, typer.Argument(metavar="PLAN", help="free, pro, premium or embedded.")],
    as_json: Json = False,
) -> None:
    """Set the plan of an org: what is stored, for how long, and whether messages are sent at once or once a day."""
    from driftline.policy.plans import plan as plan_of
    from driftline.wiring import opened

    features = plan_of(plan)
    with opened() as app:
        changed = app.store.write_now(lambda session: session.set_features(app.org.id, features))
    say(org_document(changed), f"{changed.name} is on the plan {plan}", as_json=as_json)


def for_all() -> Settings:
    """The settings, whatever org they name: it may be the one that is looked for."""
    from driftline.settings import load

    return msgspec.structs.replace(load(), org="")


def org_document(one: Org) -> dict[str, Any]:
    """An org in JSON."""
    return {"id": one.id, "name": one.name, "plan": one.features.tier, "features": msgspec.to_builtins(one.features)}


GROUPS = {"org": org}
