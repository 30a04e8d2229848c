"""How the messages of a channel are written: templates with a sample that shows what they become."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromPath

from driftline.deliver.account_input import check_options
from driftline.deliver.channels import samples
from driftline.deliver.channels.webhook import webhook_body
from driftline.deliver.render import templates, wording
from driftline.deliver.render.document import DocumentWriter
from driftline.deliver.render.plain import plain
from driftline.errors import UsageError
from driftline.model.delivery import Channel, ChannelOptions
from driftline.store.session import OrgData
from driftline.web.api.delivery.channels import own_or_owner
from driftline.web.auth.guards import editor
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.form import FormValues
from driftline.web.pages.parts.rendering import HTML, fragment, page, to
from driftline.web.pages.public.failing import ErrorNotice, error_notice


class TemplateSample(msgspec.Struct, frozen=True, kw_only=True):
    """What a template makes of an example, or why it cannot be used."""

    subject: str = ""
    text: str = ""
    problem: ErrorNotice | None = None


@get("/settings/channels/{channel_id:uuid}/templates", guards=[editor])
async def channel_page(request: Request[Any, Any, Any], caller: Caller, channel_id: FromPath[UUID]) -> Response[str]:
    """The templates as they are stored, with a sample."""
    channel = await _own(caller, channel_id)
    return _page(request, caller, channel, channel.options)


@post("/settings/channels/{channel_id:uuid}/sample", guards=[editor])
async def show_sample(request: Request[Any, Any, Any], caller: Caller, channel_id: FromPath[UUID]) -> Response[str]:
    """The part of the page that shows what the fields become; nothing is saved or sent."""
    channel = await _own(caller, channel_id)
    options = _options(channel, await FormValues.form(request))
    return Response(fragment(request, "sample.html", sample=_sample(caller, channel, options)), media_type=HTML)


@post("/settings/channels/{channel_id:uuid}/templates", guards=[editor])
async def save(request: Request[Any, Any, Any], caller: Caller, channel_id: FromPath[UUID]) -> Response[Any]:
    """Stored where every name in them is known; without JavaScript, a button shows the sample."""
    form = await FormValues.form(request)
    channel = await _own(caller, channel_id)
    options = _options(channel, form)
    if form["do"] == "sample" or _sample(caller, channel, options).problem:
        return _page(request, caller, channel, options, status=200 if form["do"] == "sample" else 422)
    await caller.write(lambda data: data.channels.set_options(channel.id, options))
    return to(f"/settings/channels/{channel_id}/templates", done="saved")


def _page(
    request: Request[Any, Any, Any], caller: Caller, channel: Channel, options: ChannelOptions, *, status: int = 200
) -> Response[str]:
    shown = _sample(caller, channel, options)
    return page(
        request,
        "channel.html",
        status=status,
        channel=channel,
        options=options,
        names=templates.NAMES,
        sample=shown,
        problem=shown.problem if status != 200 else None,
    )


async def _own(caller: Caller, channel_id: UUID) -> Channel:
    def find(data: OrgData) -> Channel:
        found = data.channels.get(channel_id)
        own_or_owner(caller, found.user_id)
        return found

    return await caller.read(find)


def _options(channel: Channel, form: FormValues) -> ChannelOptions:
    given = {name: form[name] or None for name in ("subject", "text", "body")}
    return msgspec.structs.replace(channel.options, **given)


def _sample(caller: Caller, channel: Channel, options: ChannelOptions) -> TemplateSample:
    try:
        check_options(channel.kind, options)
    except UsageError as error:
        return TemplateSample(problem=error_notice(error))
    written = msgspec.structs.replace(channel, options=options)
    message = samples.example(caller.app.ids(), written, caller.identity.user, at=caller.now)
    if channel.kind in ("webhook", "bus"):
        body = webhook_body(message, DocumentWriter())
        return TemplateSample(text=msgspec.json.format(body, indent=2).decode())
    filled = templates.MessageValues(message)
    subject = templates.fill(options.subject, filled) if options.subject else wording.subject(message)
    return TemplateSample(
        subject=wording.one_line(subject), text=templates.fill(options.text, filled) if options.text else plain(message)
    )


ROUTES = (channel_page, show_sample, save)
