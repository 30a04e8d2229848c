"""Public pages: sign-in, unsubscribe, and static files."""

from __future__ import annotations

from typing import Any, Final

from litestar import Request, Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from driftline.web.auth.guards import identified, public, visitor
from driftline.web.auth.secrets import csrf_token
from driftline.web.auth.sign_in import SignIn
from driftline.web.pages.parts.form import FormValues
from driftline.web.pages.parts.rendering import WEB, page, to
from driftline.web.pages.public import confirm, failing, unsubscribe

_TYPES: Final = {
    "app.css": "text/css; charset=utf-8",
    "pictures.css": "text/css; charset=utf-8",
    "picker.js": "text/javascript; charset=utf-8",
    "outlines.js": "text/javascript; charset=utf-8",
    "recorder.js": "text/javascript; charset=utf-8",
    "steps.js": "text/javascript; charset=utf-8",
    "pictures.js": "text/javascript; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_FAILED: Final = {
    "password": "Wrong address or password.",
    "link": "This link was already used, or it has expired. Get a new one with: driftline sign-in-link ADDRESS",
    "wait": "Too many attempts. Wait a few minutes, then try again.",
}
_FOR_EVER: Final = "public, max-age=31536000, immutable"


@get("/sign-in", guards=[visitor], include_in_schema=False, exception_handlers=failing.HANDLERS)
async def sign_in_page(request: Request[Any, Any, Any]) -> Response[Any]:
    """A form, or the button of a one-time link; opening a link changes nothing yet."""
    if await identified(request) is not None:
        return to("/")
    values = FormValues.of(request, "link", "failed")
    auth: SignIn = request.app.state.sign_in
    secret, cookies = auth.visitor(request)
    answer = page(
        request,
        "sign_in.html",
        link=values["link"],
        failed=_FAILED.get(values["failed"], ""),
        visitor_csrf=csrf_token(secret),
        greeted=await _greeted(request),
    )
    answer.cookies = cookies
    return answer


async def _greeted(request: Request[Any, Any, Any]) -> bool:
    """Whether `driftline serve` printed a link when it started."""
    app = request.app.state.driftline
    return request.app.state.loopback and not await app.store.read(
        lambda session: session.org(app.org.id).sessions.has_passwords()
    )


@get("/static/{name:str}", guards=[public], include_in_schema=False)
async def static_file(name: FromPath[str]) -> Response[bytes]:
    """One of our own files, by its name alone."""
    if name not in _TYPES:
        raise NotFoundException
    body = (WEB / "static" / name).read_bytes()
    return Response(body, media_type=_TYPES[name], headers={"Cache-Control": _FOR_EVER})


ROUTES = (sign_in_page, static_file, *unsubscribe.ROUTES, *confirm.ROUTES)
