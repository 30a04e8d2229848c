"""Commands about secrets, and about browser sessions that sign in with them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from driftline.cli.options import Cursor, Json, Limit, read_document
from driftline.cli.output import console, emit, say, say_more, stamp, table

if TYPE_CHECKING:
    from driftline.model.browser.credentials import NamedSecret, SiteSession

secret = typer.Typer(no_args_is_help=True, help="Secrets for headers and steps: passwords, tokens.")
session = typer.Typer(no_args_is_help=True, help="Browser sessions: signed in once, used by watches of a site.")
_Name = Annotated[str, typer.Argument(metavar="NAME", help="Letters, digits, dots, dashes, underscores.")]


@secret.command("key")
def secret_key() -> None:
    """Print a new key for DRIFTLINE_SECRET_KEY. Nothing is stored."""
    from driftline.wiring.vault import new_key

    console().print(new_key(), markup=False)


@secret.command("set")
def secret_set(name: _Name, as_json: Json = False) -> None:
    """Store a secret, or replace it. Its value is asked for, or read from standard input; nobody is shown it again."""
    from driftline.wiring import opened

    value = typer.prompt(f"Value of {name}", hide_input=True) if sys.stdin.isatty() else sys.stdin.read().rstrip("\r\n")
    with opened() as app:
        stored = app.set_secret(name, value)
    say(_secret_document(stored), f"stored {name}. Use it as {{{{secret:{name}}}}} in headers and steps", as_json=as_json)


@secret.command("list")
def secret_list(limit: Limit = 100, cursor: Cursor = None, as_json: Json = False) -> None:
    """List the names of secrets, never their values."""
    from driftline.wiring import opened

    with opened() as app:
        found = app.read(lambda data: data.secrets.page(limit=limit, cursor=cursor))
    if as_json:
        emit([_secret_document(one) for one in found.rows])
    else:
        rows = [(one.name, stamp(one.changed_at) or "") for one in found.rows]
        table("", ("name", "changed"), rows, empty="No secrets. Store one: driftline secret set NAME")
    say_more("secret list", found.cursor)


@secret.command("rm")
def secret_rm(name: _Name, as_json: Json = False) -> None:
    """Remove a secret. Watches that use it fail until it is stored again."""
    from driftline.wiring import opened

    with opened() as app:
        app.write(lambda data: data.secrets.remove(name))
    say({"name": name}, f"removed {name}", as_json=as_json)


@secret.command("rotate")
def secret_rotate(as_json: Json = False) -> None:
    """Encrypt everything with DRIFTLINE_SECRET_KEY that was encrypted with DRIFTLINE_SECRET_KEY_OLD, in every org."""
    from driftline.cli.accounts.orgs import for_all
    from driftline.wiring import opened

    with opened(for_all()) as app:
        count = app.rotate_secrets()
    say({"rotated": count}, f"{count} encrypted anew. The old key is not needed any more", as_json=as_json)


@session.command("set")
def session_set(
    name: _Name,
    url: Annotated[str, typer.Option("--url", help="The page with the sign-in form.")],
    steps: Annotated[Path | None, typer.Option("--steps", help="A YAML file with a list of steps; see docs/steps.md.")] = None,
    step: Annotated[
        list[str] | None, typer.Option("--step", help="A step, such as: fill #user with ada. May be repeated.")
    ] = None,
    signed_out_if: Annotated[
        str | None,
        typer.Option(
            "--signed-out-if", help="A selector or text=... that shows when nobody is signed in. Default: a password field."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Store how to sign in to a site, or replace it. Watches use it with: driftline set WATCH session=NAME."""
    from driftline.wiring import opened

    listed: Any = read_document(steps) if steps is not None else list(step or ())
    with opened() as app:
        stored = app.set_session(name, url=url, steps=listed, signed_out_if=signed_out_if)
    say(_session_document(stored), f"stored {name}. It signs in when a watch first needs it", as_json=as_json)


@session.command("list")
def session_list(limit: Limit = 100, cursor: Cursor = None, as_json: Json = False) -> None:
    """List browser sessions, and since when each is signed in."""
    from driftline.wiring import opened

    with opened() as app:
        found = app.read(lambda data: data.browser_sessions.page(limit=limit, cursor=cursor))
    if as_json:
        emit([_session_document(one) for one in found.rows])
    else:
        rows = [(one.name, one.url, str(len(one.steps)), stamp(one.signed_in_at) or "not signed in") for one in found.rows]
        table(
            "",
            ("name", "site", "steps", "signed in"),
            rows,
            empty="No sessions. Make one: driftline session set NAME --url URL",
        )
    say_more("session list", found.cursor)


@session.command("rm")
def session_rm(name: _Name, as_json: Json = False) -> None:
    """Remove a browser session and its cookies. Watches that use it fail until it is there again."""
    from driftline.wiring import opened

    with opened() as app:
        app.write(lambda data: data.browser_sessions.remove(name))
    say({"name": name}, f"removed {name}", as_json=as_json)


def _secret_document(one: NamedSecret) -> dict[str, Any]:
    return {"name": one.name, "created_at": stamp(one.created_at), "changed_at": stamp(one.changed_at)}


def _session_document(one: SiteSession) -> dict[str, Any]:
    from driftline.core.text.step_texts import step_text

    return {
        "name": one.name,
        "url": one.url,
        "steps": [step_text(step) for step in one.steps],
        "signed_out_if": one.signed_out_if,
        "signed_in_at": stamp(one.signed_in_at),
    }


GROUPS = {"secret": secret, "session": session}
