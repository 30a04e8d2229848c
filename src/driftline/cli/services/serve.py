"""Commands of the web server: serve it, sign users in, and create tokens."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from driftline.cli.accounts.users import UserOption, UserRef, owner_of, user_of
from driftline.cli.options import Json
from driftline.cli.output import console, emit, stamp, table, when

if TYPE_CHECKING:
    from driftline.engine.check.context import Checked
    from driftline.model.access import Token
    from driftline.store.session import OrgData
    from driftline.wiring import App

HOST, PORT = "127.0.0.1", 8765  # the default address of `serve`

token = typer.Typer(no_args_is_help=True, help="Keys for programs that use the API.")


def serve(
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = HOST,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0: any free one.")] = PORT,
    worker: Annotated[
        bool, typer.Option("--worker/--no-worker", help="Also check watches and send deliveries in this process.")
    ] = True,
    pages: Annotated[bool, typer.Option("--pages/--no-pages", help="Serve the dashboard as well as the API.")] = True,
) -> None:
    """Serve the dashboard and the API, and check watches when they are due, until stopped (Ctrl-C or SIGTERM)."""
    from driftline.web.app import create_app
    from driftline.web.logs import log_json
    from driftline.web.server import Server, bind, url_of
    from driftline.wiring import opened, run_alone

    with opened() as app, bind(host, port) as listening:
        log_json(app.settings.log)
        web = create_app(app, bound_to=host, pages=pages)
        server = Server(web, listening, drain_for=app.settings.drain_for, proxies=app.settings.web_proxies)
        print(_greeting(app, url_of(listening), loopback=web.state.loopback), flush=True)

        shows = sys.stdout.isatty()

        async def listen(checked: Checked) -> None:
            await web.state.metrics.checked(checked)
            await web.state.events.checked(checked)
            if shows:
                print(checked_line(checked), flush=True)

        if worker:
            app.run(listen, once=False, beside=[server])
        else:
            run_alone(server)


def checked_line(checked: Checked) -> str:
    """A check as a terminal shows it: when, which watch, and what came of it."""
    from driftline.core.answers.failure_text import failure_text
    from driftline.core.text.safety.escapes import escape
    from driftline.core.text.time_text import clock
    from driftline.model.run import FAILED_OUTCOMES

    run = checked.run
    at = clock((run.completed_at or run.started_at).astimezone(), seconds=True)
    if run.outcome in FAILED_OUTCOMES:
        words = failure_text(run.outcome, run.reason).what
    elif checked.changes:
        words = "; ".join(headline for _, headline in checked.headlines[:3])
    else:
        words = {"baseline": "first version stored", "unchanged": "no changes"}.get(
            run.outcome or "", run.outcome or run.status
        )
    return escape(f"{at} {checked.watch.name}: {words}", one_line=True)


def _greeting(app: App, url: str, *, loopback: bool) -> str:
    """The address, and on loopback a sign-in link while nobody has a password."""
    if not loopback:
        return f"driftline is at {url}. Sign in with an account (driftline password USER)"
    if app.read(lambda data: data.sessions.has_passwords()):
        return f"driftline is at {url}"
    from driftline.web.auth.sign_in import new_link

    link = new_link(app, app.write(lambda data: owner_of(app, data)))
    return f"driftline is at {url}. Sign in (once, within an hour): {url}/sign-in?link={link}"


def sign_in_link(reference: UserRef, as_json: Json = False) -> None:
    """Create a link that signs a user in once, within an hour. Older links stop working.

    It starts with the setting `public_url`, or the default address of `driftline serve`.
    """
    from driftline.web.auth.sign_in import new_link
    from driftline.wiring import opened

    with opened() as app:
        link = new_link(app, app.read(lambda data: data.users.get(reference)))
        place = app.settings.public_url.rstrip("/") or f"http://{HOST}:{PORT}"
        url = f"{place}/sign-in?link={link}"
    if as_json:
        emit({"link": url})
    else:
        console().print(url, markup=False)


def password(reference: UserRef, as_json: Json = False) -> None:
    """Set a user's password, read from standard input. Their sessions end."""
    from driftline.web.auth.sign_in import SignIn
    from driftline.wiring import opened, run_loop

    with opened() as app:
        owner = app.read(lambda data: data.users.get(reference))
        given = typer.prompt("password", hide_input=True, err=True) if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
        run_loop(lambda: SignIn(app).set_password(owner, given))
    if as_json:
        emit({"user": owner.id})
    else:
        console().print(f"{owner.email} has a new password", markup=False)


@token.command("add")
def token_add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is for.")],
    of_user: UserOption = None,
    scope: Annotated[
        list[str] | None,
        typer.Option("--scope", help="read, write, push, admin or feed; may be repeated. Default: read and write."),
    ] = None,
    expires: Annotated[str | None, typer.Option("--expires", help="When it expires: 12h, 90d, 2y.")] = None,
    as_json: Json = False,
) -> None:
    """Create a token. It is shown only once."""
    from driftline.policy.schedule.every import parse_span
    from driftline.web.auth.new_tokens import draft_token
    from driftline.wiring import opened

    with opened() as app:
        at = app.clock.now()
        expires_at = at + timedelta(seconds=parse_span(expires, "--expires")) if expires else None

        def add(data: OrgData) -> tuple[Token, str]:
            owner, scopes = user_of(app, data, of_user), scope or ("read", "write")
            fresh, secret, hashed = draft_token(app.ids(), owner, name=name, scopes=scopes, at=at, expires_at=expires_at)
            return data.tokens.add(fresh, secret_hash=hashed), secret

        added, secret = app.write(add)
    if as_json:
        emit(token_document(added) | {"token": secret})
    else:
        feed = added.scopes == ("feed",)
        use = (
            f"Read the feed at: /api/v1/feeds/{added.prefix}.../changes.atom"
            if feed
            else (f"Send it as: Authorization: Bearer {added.prefix}...")
        )
        console().print(f"{secret}\nCopy it now; it is not shown again. {use}", markup=False)


@token.command("list")
def token_list(as_json: Json = False) -> None:
    """List tokens."""
    from driftline.wiring import opened

    with opened() as app:
        found, users = app.read(lambda data: (data.tokens.all(), {one.id: one.email for one in data.users.all()}))
    if as_json:
        emit([token_document(one) for one in found])
        return
    rows = [
        (
            one.name, f"{one.prefix}...", users[one.user_id], ",".join(one.scopes), when(one.expires_at, "never"),
            when(one.used_at, "never"), one.id.hex[-8:],
        )
        for one in found
    ]  # fmt: skip
    table(
        "", ("name", "token", "user", "scopes", "expires", "used", "id"), rows, empty="No tokens. Try: driftline token add NAME"
    )


@token.command("rm")
def token_rm(
    reference: Annotated[str, typer.Argument(metavar="TOKEN", help="Id, or the end of one.")], as_json: Json = False
) -> None:
    """Revoke a token."""
    from driftline.wiring import opened

    def remove(data: OrgData) -> Token:
        found = data.tokens.get(reference)
        data.tokens.remove(found.id)
        return found

    with opened() as app:
        gone = app.write(remove)
    if as_json:
        emit(token_document(gone))
    else:
        console().print(f"revoked {gone.name}", markup=False)


def openapi() -> None:
    """Print the OpenAPI document of the API."""
    from tempfile import TemporaryDirectory

    from driftline.settings import Settings
    from driftline.web.api.schema import document
    from driftline.web.app import create_app
    from driftline.wiring import opened

    with TemporaryDirectory() as folder, opened(Settings(db=f"sqlite:///{folder}/empty.db")) as app:
        sys.stdout.buffer.write(document(create_app(app, pages=False)))


def token_document(one: Token) -> dict[str, Any]:
    """A token in JSON, without its secret, which is not stored."""
    return {
        "id": one.id,
        "user": one.user_id,
        "name": one.name,
        "prefix": one.prefix,
        "scopes": one.scopes,
        "created_at": stamp(one.created_at),
        "expires_at": stamp(one.expires_at),
        "used_at": stamp(one.used_at),
    }


COMMANDS = (serve, password, sign_in_link, openapi)
GROUPS = {"token": token}
