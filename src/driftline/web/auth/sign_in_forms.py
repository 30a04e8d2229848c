"""The forms that sign in and out. All redirect to fixed addresses."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import Request, Response, post
from litestar.datastructures import Cookie
from litestar.enums import RequestEncodingType
from litestar.exceptions import NotAuthorizedException, TooManyRequestsException
from litestar.params import Body

from driftline.web.auth.guards import viewer, visitor
from driftline.web.auth.request_context import Caller
from driftline.web.auth.sign_in import SignIn

INSIDE = "/"
SIGN_IN = "/sign-in"


class PasswordForm(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of the password form."""

    email: str
    password: str


class LinkForm(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a one-time link's form."""

    link: str


@post("/sign-in", guards=[visitor], include_in_schema=False)
async def sign_in(
    request: Request[Any, Any, Any], data: Annotated[PasswordForm, Body(media_type=RequestEncodingType.URL_ENCODED)]
) -> Response[None]:
    """Sign in by address and password."""
    auth: SignIn = request.app.state.sign_in
    try:
        user = await auth.by_password(data.email, data.password, address=request.client.host if request.client else "unknown")
    except NotAuthorizedException:
        return _to(f"{SIGN_IN}?failed=password")
    except TooManyRequestsException:
        return _to(f"{SIGN_IN}?failed=wait")
    return _to(INSIDE, await auth.begin(user, request))


@post("/sign-in/link", guards=[visitor], include_in_schema=False)
async def sign_in_by_link(
    request: Request[Any, Any, Any], data: Annotated[LinkForm, Body(media_type=RequestEncodingType.URL_ENCODED)]
) -> Response[None]:
    """Sign in by a one-time link; opening it only shows a button."""
    auth: SignIn = request.app.state.sign_in
    try:
        user = await auth.by_link(data.link)
    except NotAuthorizedException:
        return _to(f"{SIGN_IN}?failed=link")
    return _to(INSIDE, await auth.begin(user, request))


@post("/sign-out", guards=[viewer], include_in_schema=False)
async def sign_out(request: Request[Any, Any, Any], caller: Caller) -> Response[None]:
    """Sign out here and everywhere else."""
    auth: SignIn = request.app.state.sign_in
    return _to(SIGN_IN, await auth.end(caller.identity))


def _to(place: str, cookies: list[Cookie] | None = None) -> Response[None]:
    return Response(None, status_code=303, headers={"Location": place}, cookies=cookies or [], media_type="text/plain")


ROUTES = (sign_in, sign_in_by_link, sign_out)
