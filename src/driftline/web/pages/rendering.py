"""From values to HTML: one environment, escaping always on, and what every page's frame shows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from datetime import datetime
from functools import cache, lru_cache, partial
from pathlib import Path
from secrets import token_hex
from typing import Any, Final, TypeAlias

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from litestar import Request, Response
from markupsafe import Markup, escape

from driftline.core.diff import Mark
from driftline.core.fingerprint import digest
from driftline.engine.preview import Seen
from driftline.store.rows import StoredItem
from driftline.web.auth import Identity
from driftline.web.front import first_header
from driftline.web.pages import times
from driftline.web.pages.asked import Asked, query
from driftline.web.pages.browsers import browser
from driftline.web.pages.cards import money, said
from driftline.wiring import App

WEB: Final = Path(__file__).parent.parent
THEME_COOKIE: Final = "driftline_theme"
THEMES: Final = ("system", "light", "dark")
HTML: Final = "text/html"
LATER: Final = token_hex(
    16
)  # around what is filled in later: an instant, or a name; nobody can guess it, and nothing escapes it
Line: TypeAlias = tuple[str | datetime, ...]  # texts, and between them the instants that are told relative to now
_MARKED: Final = {"added": "<ins>{}</ins>", "removed": "<del>{}</del>"}

# What a page says after a form was sent: fixed words, chosen by a fixed name in the address.
NOTES: Final[Mapping[str, str]] = {
    "added": "The watch is saved. Its first check is under way and becomes the baseline.",
    "added_unheard": "The watch is saved. Its first check is under way and becomes the baseline. You have no channel yet: "
    "until you add one in the settings, changes are told here alone.",
    "paused": "Paused. Nothing is checked until you resume.",
    "resumed": "Resumed.",
    "checking": "A check is under way. Reload in a moment to see how it ended.",
    "rebaselined": "The next check becomes the new baseline and tells nothing.",
    "saved": "Saved.",
    "let_in": "Saved. They have no password yet: whoever runs driftline makes a link that signs them in once, with "
    "driftline sign-in-link and their address. Then they can set one in their settings.",
    "removed": "Removed.",
    "taught": "Learned. Differences like this one are noise from now on; the watch page lists what is masked.",
    "matters": "Noted. Whatever had been learned to hide this is forgotten, so it will be told again.",
    "untaught": "Noted. There was nothing that could be masked: the difference is in a title, a price or a selected part.",
    "forgotten": "Forgotten. Differences in this place count again.",
    "subscribed": "Subscribed. You will hear of the next change.",
    "unsubscribed": "Unsubscribed.",
    "requeued": "Put back into the queue; it is tried again at once.",
    "sent": "The test message was taken. Look for it at the other end.",
    "plan": "The plan is changed. What is stored keeps the retention that it was taken under.",
    "ended": "That session is signed out.",
    "password": "The password is changed. All other sessions are signed out.",
    "revoked": "The token opens nothing any more.",
}


def static_url(name: str) -> str:
    """Where a file of ours is, with its version: it may be kept for ever."""
    return f"/static/{name}?v={_version(name)}"


@cache
def _version(name: str) -> str:
    return digest((WEB / "static" / name).read_bytes()).hex()[:12]


@pass_context
def _when(context: Context, at: datetime | None, otherwise: str = "never") -> Markup:
    """A relative time, exact on hover; where no `now` is given, it is left open."""
    if at is None:
        return escape(otherwise)
    now, timezone = context["now"], context["timezone"]
    stamp = at.isoformat().replace("+00:00", "Z")
    exact, relative = escape(times.exact(at, timezone)), f"{LATER}{stamp}{LATER}" if now is None else times.ago(at, now=now)
    return Markup(f'<time datetime="{stamp}" title="{exact}" data-relative>{relative}</time>')  # noqa: S704 - ours, or escaped


def _place(url: str) -> str:
    """A URL as people read it: without its scheme."""
    return url.partition("://")[2].rstrip("/") or url


def _link(url: str) -> str:
    """An address that may be opened; a source's own data may hold any other."""
    return url if url.startswith(("http://", "https://")) else ""


def _known(item: StoredItem | Seen) -> str:
    """What is known of an item, in a few words."""
    state = item.state or {}
    in_stock = state.get("in_stock")
    stock = "" if in_stock is None else "in stock" if in_stock else "sold out"
    price = money(state.get("price"), state.get("currency"))
    slot = said(state.get("time")).replace("T", " ")
    venue = said(state.get("venue_name") or state.get("venue_id")) if slot else ""
    return " · ".join(part for part in (price, stock, venue, slot, said(state.get("updated"))) if part) or "–"


def _marked(marks: Iterable[Mark]) -> Markup:
    """A line of a diff: what came and what went, as such. In Python, because a page has many of them."""
    return Markup("".join(_MARKED.get(mark.action, "{}").format(escape(mark.text)) for mark in marks))  # noqa: S704 - escaped


@lru_cache(maxsize=512)
def _part(name: str, *values: Hashable) -> Markup:
    """A macro of parts.html, filled in once for the same values: menus are the same on most pages."""
    part: Markup = getattr(environment().get_template("parts.html").module, name)(*values)
    return part


@cache
def environment() -> Environment:
    """The one environment of all pages."""
    made = Environment(
        loader=FileSystemLoader(WEB / "templates"),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {
        "when": _when,
        "static": static_url,
        "places": partial(_part, "places"),
        "options": partial(_part, "options"),
    }
    made.filters |= {
        "place": _place,
        "openable": _link,
        "known": _known,
        "query": query,
        "browser": browser,
        "marked": _marked,
        "with_cursor": lambda given, cursor: query(given, cursor=cursor),
        "without_cursor": lambda given: query(given, cursor=""),
        "words": lambda text: text.replace("_", " "),
        "capitalize_first": lambda text: text[:1].upper() + text[1:],
    }
    return made


def fragment(request: Request[Any, Any, Any], template: str, **values: Any) -> str:
    """A part of a page."""
    return environment().get_template(template).render(_frame(request) | values)


def list_page(
    request: Request[Any, Any, Any], template: str, late: Mapping[str, Markup | str | None], **values: Hashable
) -> Response[str]:
    """A whole page around what is `late`: drawn once for all that have the same around it. Late texts are escaped here."""
    frame = _frame(request)
    now = frame.pop("now")
    around = _around(template, tuple((name, bool(text)) for name, text in late.items()), (*frame.items(), *values.items()))
    parts = [
        part if place % 2 == 0 else times.ago(part, now=now) if isinstance(part, datetime) else escape(late[part] or "")
        for place, part in enumerate(around)
    ]
    return Response("".join(parts), status_code=200, media_type=HTML)  # type: ignore[arg-type]  # even places hold texts


@lru_cache(maxsize=256)
def _around(template: str, late: tuple[tuple[str, bool], ...], values: tuple[tuple[str, Hashable], ...]) -> Line:
    """With marks where late texts will stand; one that is empty is empty in the template too."""
    marks = {name: f"{LATER}{name}{LATER}" if given else "" for name, given in late}
    return apart(environment().get_template(template).render({**dict(values), **marks, "now": None}))


def apart(text: str) -> Line:
    """What is left open, apart from the texts around it: at the odd places."""
    parts = enumerate(text.split(LATER))
    return tuple(datetime.fromisoformat(part) if place % 2 and part[0].isdigit() else part for place, part in parts)


def page(request: Request[Any, Any, Any], template: str, *, status: int = 200, **values: Any) -> Response[str]:
    """A whole page."""
    return Response(fragment(request, template, **values), status_code=status, media_type=HTML)


def to(place: str, *, done: str = "") -> Response[None]:
    """On to a page of ours, which says what was done; never to an address that a request brought."""
    mark = "&" if "?" in place else "?"
    location = f"{place}{mark}done={done}" if done else place
    return Response(None, status_code=303, headers={"Location": location}, media_type="text/plain")


def _frame(request: Request[Any, Any, Any]) -> dict[str, Any]:
    """What the frame of every page needs: who is signed in, the theme, what was just done."""
    app: App = request.app.state.driftline
    identity = request.scope.get("user")
    theme = request.cookies.get(THEME_COOKIE, "") if first_header(request.scope, b"cookie") else ""
    known = isinstance(identity, Identity)
    return {
        "identity": identity if known else None,
        "csrf": identity.csrf if known else "",
        "may_edit": known and identity.may("editor", "write"),
        "is_owner": known and identity.may("owner", "admin"),
        "timezone": identity.user.timezone if known else "UTC",
        "theme": theme if theme in THEMES else "system",
        "path": request.scope["path"],
        "now": app.clock.now(),
        "done": NOTES.get(Asked.of(request, "done")["done"], ""),
        "problem": None,
        "dead_letters": request.scope["state"].get("dead_letters", 0),
    }
