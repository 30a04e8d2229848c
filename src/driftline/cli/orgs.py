"""Commands about orgs and their plans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from driftline.cli.options import Json
from driftline.cli.output import emit, table, tell

if TYPE_CHECKING:
    from driftline.model.account import Org

org = typer.Typer(no_args_is_help=True, help="Orgs and their plans.")


@org.command("list")
def org_list(as_json: Json = False) -> None:
    """List orgs with their plans."""
    from driftline.wiring import opened

    with opened() as app:
        found = app.store.read_now(lambda session: session.orgs())
    if as_json:
        emit([org_document(one) for one in found])
    else:
        rows = [(one.name, one.features.tier, "at once" if one.features.immediate else "daily digest") for one in found]
        table("", ("name", "plan", "deliveries"), rows, empty="no orgs")


@org.command("plan")
def org_plan(
    plan: Annotated[str, typer.Argument(help="free, pro, premium or embedded.")],
    as_json: Json = False,
) -> None:
    """Put the org on a plan: what is kept, for how long, and whether deliveries go at once or once a day."""
    from driftline.policy.plans import plan as plan_of
    from driftline.wiring import opened

    features = plan_of(plan)
    with opened() as app:
        changed = app.store.write_now(lambda session: session.set_features(app.org.id, features))
    tell(org_document(changed), f"{changed.name} is on the plan {plan}", as_json=as_json)


def org_document(one: Org) -> dict[str, Any]:
    """An org in JSON."""
    return {"id": one.id, "name": one.name, "plan": one.features.tier, "features": msgspec.to_builtins(one.features)}


GROUPS = {"org": org}
