"""Settings: channels, tokens, plan and retention, users, sessions, appearance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.datastructures import Cookie
from litestar.exceptions import HTTPException
from litestar.params import FromPath

from driftline import extensions
from driftline.core.answers.undelivered_text import undelivered_text
from driftline.core.text import time_text
from driftline.errors import Refused, UsageError
from driftline.model.access import SCOPES, Scope
from driftline.policy.plans import PLANS
from driftline.store.session import DEFAULT_ORG, OrgData
from driftline.web.api.accounts import access, org
from driftline.web.api.delivery import channels
from driftline.web.auth.guards import editor, owner, viewer
from driftline.web.auth.request_context import Caller
from driftline.web.auth.sign_in import invitation
from driftline.web.pages.parts.form import FormValues, all_values
from driftline.web.pages.parts.rendering import THEME_COOKIE, THEMES, page, to
from driftline.web.pages.public.failing import ErrorNotice, error_notice

_SCOPES: Final[Mapping[Scope, str]] = {
    "read": "see watches and changes",
    "write": "add and change watches, channels and subscriptions",
    "push": "send runs of your own crawler",
    "admin": "manage users, tokens and the plan",
    "feed": "read feeds, and nothing else",
}
_CHANNELS_SHOWN: Final = 100  # on one page
_YEAR: Final = 365 * 86_400
_TABS: Final = (
    ("channels", "Channels"),
    ("tokens", "Tokens"),
    ("plan", "Plan and retention"),
    ("people", "Users"),
    ("you", "Your account"),
)


class ShownSecret(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is shown once."""

    words: str
    value: str


@get("/settings", guards=[viewer])
async def settings(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """One part at a time."""
    return await _shown(request, caller, FormValues.of(request, "tab")["tab"])


async def _shown(
    request: Request[Any, Any, Any],
    caller: Caller,
    tab: str,
    *,
    status: int = 200,
    secret: ShownSecret | None = None,
    problem: ErrorNotice | None = None,
    form: FormValues | None = None,
) -> Response[str]:
    identity, at = caller.identity, caller.now
    given = FormValues.of(request, "tab", "cursor")
    mine = None if identity.role == "owner" else identity.user.id

    def find(data: OrgData) -> dict[str, Any]:
        listed = data.channels.page(user_id=mine, limit=_CHANNELS_SHOWN, cursor=given["cursor"] or None)
        return {
            "channels": [channels.channel_document(one) for one in listed.rows],
            "cursor": listed.cursor,
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
        scope_texts=_SCOPES,
        mail_works=bool(caller.app.settings.smtp_host),
        org=identity.org,
        plans=list(PLANS),
        may_set_plan=identity.org.id == DEFAULT_ORG,
        kept=time_text.duration_text(kept_for) if kept_for else "forever",
        themes=THEMES,
        given=given.given,
        channel_kinds=_channel_kinds(mail_works=bool(caller.app.settings.smtp_host)),
        form=form or FormValues({}),
        current=identity.session.id if identity.session else None,
    )


def _channel_kinds(*, mail_works: bool) -> list[tuple[str, str]]:
    """What can be chosen; mail first, where it is set up."""
    mail = [("email", "Mail" if mail_works else "Mail (not set up)")]
    others = [("webhook", "Webhook"), ("apprise", "Chat (Apprise URL)"), ("bus", "Message bus")]
    more = [(name, name.capitalize()) for name in extensions.usable(extensions.CHANNELS)]
    return [*mail, *others, *more] if mail_works else [*others, *mail, *more]


@post("/settings/channels", guards=[editor])
async def add_channel(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """A way to be reached; a webhook's secret is shown once, on the page that answers."""
    form = await FormValues.form(request)
    try:
        wanted = channels.NewChannel(kind=form["kind"], target=form["target"], name=form["name"] or None)
        made, confirmation = await channels.add_and_confirm(caller, wanted)
    except UsageError as error:
        return await _shown(request, caller, "channels", status=422, problem=error_notice(error), form=form)
    document = msgspec.json.decode(made.content, type=dict[str, Any])
    if document.get("secret"):
        secret = ShownSecret(
            words="Secret for verifying signatures. Copy it now; it is not shown again:", value=document["secret"]
        )
        return await _shown(request, caller, "channels", secret=secret)
    if confirmation and not confirmation.sent:
        problem = _unsent("Saved, but the confirmation mail was not sent", confirmation.reason)
        return await _shown(request, caller, "channels", problem=problem)
    return to("/settings?tab=channels", done="link" if confirmation else "saved")


def _unsent(title: str, reason: str | None) -> ErrorNotice:
    """A message that did not go out, why, and what to do."""
    text = undelivered_text(reason or "")
    return ErrorNotice(title=title, context=text.what[:1].lower() + text.what[1:], hint=text.advice and f"{text.advice}.")


@post("/settings/channels/{channel_id:uuid}/test", guards=[editor])
async def test_channel(request: Request[Any, Any, Any], caller: Caller, channel_id: FromPath[UUID]) -> Response[Any]:
    """Send a sample now."""
    try:
        tested: channels.Tested = await channels.test_channel.fn(caller, channel_id)
    except UsageError as error:
        return await _shown(request, caller, "channels", status=422, problem=error_notice(error))
    if tested.sent:
        return to("/settings?tab=channels", done="sent")
    return await _shown(request, caller, "channels", problem=_unsent("The test message was not sent", tested.reason))


@post("/settings/channels/{channel_id:uuid}/link", guards=[editor])
async def send_link(request: Request[Any, Any, Any], caller: Caller, channel_id: FromPath[UUID]) -> Response[Any]:
    """Mail the link that confirms the address again."""
    try:
        sent: channels.Tested = await channels.send_link.fn(caller, channel_id)
    except UsageError as error:
        return await _shown(request, caller, "channels", status=422, problem=error_notice(error))
    if sent.sent:
        return to("/settings?tab=channels", done="link")
    return await _shown(request, caller, "channels", problem=_unsent("The confirmation mail was not sent", sent.reason))


@post("/settings/channels/{channel_id:uuid}/{action:str}", guards=[editor])
async def change_channel(
    request: Request[Any, Any, Any], caller: Caller, channel_id: FromPath[UUID], action: FromPath[str]
) -> Response[Any]:
    """Make it the default, turn it off or on, remove it; one that its reader left is turned on after a question."""
    if action == "on":
        return await _turn_on(request, caller, channel_id)
    handlers = {"default": channels.default_channel, "off": channels.switch_off, "remove": channels.remove_channel}
    if action not in handlers:
        raise UsageError("unknown action", action=action)
    await handlers[action].fn(caller, channel_id)
    return to("/settings?tab=channels", done="removed" if action == "remove" else "saved")


async def _turn_on(request: Request[Any, Any, Any], caller: Caller, channel_id: UUID) -> Response[Any]:
    sure = (await FormValues.form(request))["sure"] == "yes"
    try:
        await channels.switch_on.fn(caller, channel_id, anyway=sure)
    except Refused:
        channel = await caller.read(lambda data: data.channels.get(channel_id))
        return page(request, "turn_on.html", channel=channel)
    return to("/settings?tab=channels", done="saved")


@post("/settings/tokens", guards=[access.keyholder])
async def add_token(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """A program's key; its secret is shown once."""
    form = await FormValues.form(request)
    try:
        scopes = msgspec.convert(await all_values(request, "scope"), tuple[Scope, ...])
        made = await access.add_token.fn(caller, access.NewToken(name=form["name"], scopes=scopes))
    except msgspec.ValidationError:
        unknown = ErrorNotice(title="Unknown scope", hint="Choose from the list.")
        return await _shown(request, caller, "tokens", status=422, problem=unknown)
    except UsageError as error:
        return await _shown(request, caller, "tokens", status=422, problem=error_notice(error))
    document = msgspec.json.decode(made.content, type=dict[str, Any])
    words = "New token. Copy it now; it is not shown again:"
    return await _shown(request, caller, "tokens", secret=ShownSecret(words=words, value=document["token"]))


@post("/settings/tokens/{token_id:uuid}/revoke", guards=[access.keyholder])
async def revoke_token(caller: Caller, token_id: FromPath[UUID]) -> Response[None]:
    """Revoke a token at once."""
    await access.remove_token.fn(caller, token_id)
    return to("/settings?tab=tokens", done="revoked")


@post("/settings/plan", guards=[owner])
async def set_plan(request: Request[Any, Any, Any], caller: Caller) -> Response[None]:
    """What is kept from now on, and for how long."""
    form = await FormValues.form(request)
    await org.set_plan.fn(caller, org.PlanName(plan=form["plan"]))
    return to("/settings?tab=plan", done="plan")


@post("/settings/users", guards=[owner])
async def add_user(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """Add a user."""
    form = await FormValues.form(request)
    try:
        fields = {"email": form["email"], "name": form["name"] or None, "role": form["role"], "timezone": form["timezone"]}
        wanted = msgspec.convert({name: value for name, value in fields.items() if value}, org.NewUser)
        made = await org.add_user.fn(caller, wanted)
    except msgspec.ValidationError:
        unknown = ErrorNotice(
            title="The user was not added", hint="Enter a mail address, a role and a time zone such as Europe/Berlin."
        )
        return await _shown(request, caller, "people", status=422, problem=unknown)
    except UsageError as error:
        return await _shown(request, caller, "people", status=422, problem=error_notice(error))
    user_id = msgspec.json.decode(made.content, type=dict[str, Any])["id"]
    place = caller.app.settings.public_url.rstrip("/") or str(request.base_url).rstrip("/")
    link = f"{place}/sign-in?link={await invitation(caller, UUID(user_id))}"
    words = f"Send this link to {wanted.email}. It signs them in once, within an hour; then they choose a password:"
    return await _shown(request, caller, "people", secret=ShownSecret(words=words, value=link))


@post("/settings/users/{user_id:uuid}/{action:str}", guards=[owner])
async def change_user(caller: Caller, user_id: FromPath[UUID], action: FromPath[str]) -> Response[None]:
    """Change a user's role, turn their messages on or off, or remove them."""
    patches = {
        "owner": org.UserPatch(role="owner"),
        "editor": org.UserPatch(role="editor"),
        "viewer": org.UserPatch(role="viewer"),
        "off": org.UserPatch(active=False),
        "on": org.UserPatch(active=True),
    }
    if action == "remove":
        await org.remove_user.fn(caller, user_id)
    elif action in patches:
        await org.change_user.fn(caller, user_id, patches[action])
    else:
        raise UsageError("unknown action", action=action)
    return to("/settings?tab=people", done="removed" if action == "remove" else "saved")


@post("/settings/password", guards=[access.keyholder])
async def set_password(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """Set the user's own password; all other sessions end."""
    form = await request.form()
    old, new = (str(form.get(name, "")) for name in ("old", "new"))  # as typed: spaces count
    try:
        await access.set_password.fn(request, caller, access.NewPassword(new=new, old=old))
    except UsageError as error:
        return await _shown(request, caller, "you", status=422, problem=error_notice(error))
    except HTTPException as error:
        refused = ErrorNotice(title="The password was not changed", context=error.detail)
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
    wanted = (await FormValues.form(request))["theme"]
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
    send_link,
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
