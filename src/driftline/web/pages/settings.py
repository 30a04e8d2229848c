"""Channels, tokens, plan and retention, people, sessions, appearance."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.datastructures import Cookie
from litestar.exceptions import HTTPException
from litestar.params import FromPath

from driftline.errors import UsageError
from driftline.model.access import SCOPES, Scope
from driftline.model.delivery import ChannelKind
from driftline.policy.plans import PLANS
from driftline.store.session import DEFAULT_ORG, OrgData
from driftline.web.api import access, accounts, channels
from driftline.web.auth import editor, owner, viewer
from driftline.web.caller import Caller
from driftline.web.pages import times
from driftline.web.pages.asked import Asked, ticked
from driftline.web.pages.rendering import THEME_COOKIE, THEMES, page, to
from driftline.web.pages.troubles import Trouble, trouble_of

_YEAR: Final = 365 * 86_400
_TABS: Final = (
    ("channels", "Channels"),
    ("tokens", "Tokens"),
    ("plan", "Plan and retention"),
    ("people", "People"),
    ("you", "You"),
)


class Secret(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is shown once."""

    words: str
    value: str


@get("/settings", guards=[viewer])
async def settings(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """One part at a time."""
    return await _shown(request, caller, Asked.of(request, "tab")["tab"])


async def _shown(
    request: Request[Any, Any, Any],
    caller: Caller,
    tab: str,
    *,
    status: int = 200,
    secret: Secret | None = None,
    problem: Trouble | None = None,
) -> Response[str]:
    identity, at = caller.identity, caller.now
    mine = None if identity.role == "owner" else identity.user.id

    def find(data: OrgData) -> dict[str, Any]:
        return {
            "channels": [channels.channel_document(one) for one in data.channels.all(user_id=mine)],
            "tokens": data.tokens.all(user_id=mine),
            "users": data.users.all(),
            "sessions": data.sessions.of(identity.user.id, at=at),
            "has_password": data.sessions.password_of(identity.user.id) is not None,
        }

    found = await caller.read(find)
    kept_for = identity.org.features.kept_for
    return page(
        request,
        "settings.html",
        status=status,
        **found,
        tabs=_TABS,
        tab=tab if tab in dict(_TABS) else "channels",
        names={user.id: user.name for user in found["users"]},
        secret=secret,
        problem=problem,
        scopes=SCOPES,
        org=identity.org,
        plans=list(PLANS),
        may_set_plan=identity.org.id == DEFAULT_ORG,
        kept=times.span(kept_for) if kept_for else "for ever",
        themes=THEMES,
        current=identity.session.id if identity.session else None,
    )


@post("/settings/channels", guards=[editor])
async def add_channel(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """A way to be reached; a webhook's secret is shown once, on the page that answers."""
    form = await Asked.form(request)
    try:
        kind: ChannelKind = msgspec.convert(form["kind"], ChannelKind)
        wanted = channels.NewChannel(kind=kind, target=form["target"], name=form["name"] or None)
        made = await channels.add_channel.fn(caller, wanted)
    except msgspec.ValidationError:
        unknown = Trouble(title="No such kind of channel", hint="Choose one of the list.")
        return await _shown(request, caller, "channels", status=422, problem=unknown)
    except UsageError as error:
        return await _shown(request, caller, "channels", status=422, problem=trouble_of(error))
    document = msgspec.json.decode(made.content, type=dict[str, Any])
    if document.get("secret"):
        secret = Secret(words="The webhook's secret, for verifying signatures. It is shown only now:", value=document["secret"])
        return await _shown(request, caller, "channels", secret=secret)
    return to("/settings?tab=channels", done="saved")


@post("/settings/channels/{channel_id:uuid}/test", guards=[editor])
async def test_channel(request: Request[Any, Any, Any], caller: Caller, channel_id: FromPath[UUID]) -> Response[Any]:
    """Send a sample now."""
    try:
        tested: channels.Tested = await channels.test_channel.fn(caller, channel_id)
    except UsageError as error:
        return await _shown(request, caller, "channels", status=422, problem=trouble_of(error))
    if tested.sent:
        return to("/settings?tab=channels", done="sent")
    refused = Trouble(title="The test message was not taken", context=tested.reason or "")
    return await _shown(request, caller, "channels", problem=refused)


@post("/settings/channels/{channel_id:uuid}/{action:str}", guards=[editor])
async def change_channel(caller: Caller, channel_id: FromPath[UUID], action: FromPath[str]) -> Response[None]:
    """Make it the default, switch it off or on, remove it."""
    handlers = {
        "default": channels.default_channel,
        "off": channels.switch_off,
        "on": channels.switch_on,
        "remove": channels.remove_channel,
    }
    if action not in handlers:
        raise UsageError("nothing like that can be done to a channel")
    await handlers[action].fn(caller, channel_id)
    return to("/settings?tab=channels", done="removed" if action == "remove" else "saved")


@post("/settings/tokens", guards=[access.keyholder])
async def add_token(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """A program's key; its secret is shown once."""
    form = await Asked.form(request)
    try:
        scopes = msgspec.convert(await ticked(request, "scope"), tuple[Scope, ...])
        made = await access.add_token.fn(caller, access.NewToken(name=form["name"], scopes=scopes))
    except msgspec.ValidationError:
        unknown = Trouble(title="No such scope", hint="Tick some of the list.")
        return await _shown(request, caller, "tokens", status=422, problem=unknown)
    except UsageError as error:
        return await _shown(request, caller, "tokens", status=422, problem=trouble_of(error))
    document = msgspec.json.decode(made.content, type=dict[str, Any])
    words = "The token's secret. It is shown only now; keep it where programs keep secrets:"
    return await _shown(request, caller, "tokens", secret=Secret(words=words, value=document["token"]))


@post("/settings/tokens/{token_id:uuid}/revoke", guards=[access.keyholder])
async def revoke_token(caller: Caller, token_id: FromPath[UUID]) -> Response[None]:
    """It opens nothing any more."""
    await access.remove_token.fn(caller, token_id)
    return to("/settings?tab=tokens", done="revoked")


@post("/settings/plan", guards=[owner])
async def set_plan(request: Request[Any, Any, Any], caller: Caller) -> Response[None]:
    """What is kept from now on, and for how long."""
    form = await Asked.form(request)
    await accounts.set_plan.fn(caller, accounts.PlanName(plan=form["plan"]))
    return to("/settings?tab=plan", done="plan")


@post("/settings/users", guards=[owner])
async def add_user(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """Let somebody in."""
    form = await Asked.form(request)
    try:
        fields = {"email": form["email"], "name": form["name"] or None, "role": form["role"], "timezone": form["timezone"]}
        wanted = msgspec.convert({name: value for name, value in fields.items() if value}, accounts.NewUser)
        await accounts.add_user.fn(caller, wanted)
    except msgspec.ValidationError:
        unknown = Trouble(title="That makes no user", hint="An address, a role and a time zone like Europe/Berlin.")
        return await _shown(request, caller, "people", status=422, problem=unknown)
    except UsageError as error:
        return await _shown(request, caller, "people", status=422, problem=trouble_of(error))
    return to("/settings?tab=people", done="let_in")


@post("/settings/users/{user_id:uuid}/{action:str}", guards=[owner])
async def change_user(caller: Caller, user_id: FromPath[UUID], action: FromPath[str]) -> Response[None]:
    """Their role, whether they hear anything, or their leave."""
    patches = {
        "owner": accounts.UserPatch(role="owner"),
        "editor": accounts.UserPatch(role="editor"),
        "viewer": accounts.UserPatch(role="viewer"),
        "off": accounts.UserPatch(active=False),
        "on": accounts.UserPatch(active=True),
    }
    if action == "remove":
        await accounts.remove_user.fn(caller, user_id)
    elif action in patches:
        await accounts.change_user.fn(caller, user_id, patches[action])
    else:
        raise UsageError("nothing like that can be done to a user")
    return to("/settings?tab=people", done="removed" if action == "remove" else "saved")


@post("/settings/password", guards=[access.keyholder])
async def set_password(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """One's own; other sessions end."""
    form = await request.form()
    old, new = (str(form.get(name, "")) for name in ("old", "new"))  # as typed: spaces count
    try:
        await access.set_password.fn(request, caller, access.NewPassword(new=new, old=old))
    except UsageError as error:
        return await _shown(request, caller, "you", status=422, problem=trouble_of(error))
    except HTTPException as error:
        refused = Trouble(title="The password stays as it was", context=error.detail)
        return await _shown(request, caller, "you", status=422, problem=refused)
    return to("/settings?tab=you", done="password")


@post("/settings/sessions/{session_id:uuid}/end", guards=[access.keyholder])
async def end_session(caller: Caller, session_id: FromPath[UUID]) -> Response[None]:
    """Sign out elsewhere."""
    await access.end_session.fn(caller, session_id)
    return to("/settings?tab=you", done="ended")


@post("/settings/theme", guards=[viewer])
async def set_theme(request: Request[Any, Any, Any], caller: Caller) -> Response[None]:
    """Light, dark, or as the system has it; kept in this browser."""
    wanted = (await Asked.form(request))["theme"]
    answer = to("/settings?tab=you", done="saved")
    secure = caller.app.settings.public_url.startswith("https://")
    theme = wanted if wanted in THEMES else "system"
    answer.cookies = [
        Cookie(key=THEME_COOKIE, value=theme, max_age=_YEAR, path="/", httponly=True, secure=secure, samesite="lax")
    ]
    return answer


ROUTES = (
    settings,
    add_channel,
    test_channel,
    change_channel,
    add_token,
    revoke_token,
    set_plan,
    add_user,
    change_user,
    set_password,
    end_session,
    set_theme,
)
