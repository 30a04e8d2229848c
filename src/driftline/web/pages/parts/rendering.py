"""From values to HTML: one environment, escaping always on, and what every page's frame shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from math import floor
from pathlib import Path
from typing import Any, Final

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from litestar import Request, Response
from markupsafe import Markup, escape

from driftline.core.answers.failure_text import failure_text
from driftline.core.answers.not_sent_text import not_sent_text
from driftline.core.answers.undelivered_text import undelivered_text
from driftline.core.diff.lines import WordMark
from driftline.core.identity.fingerprint import digest
from driftline.core.identity.severity import CHANGE_TYPES
from driftline.core.text import time_text
from driftline.core.text.place_text import place_text
from driftline.engine.preview import PreviewItem
from driftline.policy.schedule.zones import zone
from driftline.store.rows import ItemRow
from driftline.web.auth.guards import Identity
from driftline.web.pages.browsers import browser
from driftline.web.pages.parts.cards import price_text, value_text
from driftline.web.pages.parts.form import FormValues, query
from driftline.web.security_headers import first_header
from driftline.wiring import App

WEB: Final = Path(__file__).parent.parent.parent
THEME_COOKIE: Final = "driftline_theme"
THEMES: Final = ("system", "light", "dark")
HTML: Final = "text/html"
_MARKED: Final = {"added": "<ins>{}</ins>", "removed": "<del>{}</del>"}

# What a page says after a form was sent: fixed words, chosen by a fixed name in the address.
NOTES: Final[Mapping[str, str]] = {
    "added": "Watch saved. The first check is running. Later checks are compared with what it finds.",
    "added_unheard": "Watch saved. The first check is running. Later checks are compared with what it finds. "
    "You have no channel yet, so changes are only shown here. Add a channel in the settings to be notified.",
    "paused": "Paused. There are no checks until you resume.",
    "resumed": "Resumed.",
    "checking": "The check is running.",
    "rebaselined": "The next check accepts the page as it is then. It reports no changes.",
    "read": "Marked as read.",
    "unread": "Marked as unread.",
    "saved": "Saved.",
    "removed": "Removed.",
    "taught": "Ignored from now on. The watch lists it under Ignored areas.",
    "matters": "Changes like this one will be reported.",
    "untaught": "Marked as noise, but it cannot be ignored: it is in the title, the price or a selected part.",
    "forgotten": "Changes in this area are reported again.",
    "subscribed": "Subscribed. You will be notified of the next change.",
    "unsubscribed": "Unsubscribed.",
    "requeued": "Retrying now.",
    "link": "Confirmation sent. Open the link in that mail to confirm the address.",
    "sent": "Test message sent. Check that it arrived.",
    "plan": "Plan changed. Stored versions keep the retention of their old plan.",
    "ended": "Session signed out.",
    "password": "Password changed. All other sessions are signed out.",
    "revoked": "Token revoked.",
}
# Where people read another word than the one that is stored.
DELIVERY_STATES: Final[Mapping[str, str]] = {"dead": "Failed"}


def static_url(name: str) -> str:
    """Where a file of ours is, with its version: it may be kept for ever."""
    return f"/static/{name}?v={_version(name)}"


@cache
def _version(name: str) -> str:
    return digest((WEB / "static" / name).read_bytes()).hex()[:12]


@pass_context
def _when(context: Context, at: datetime | None, otherwise: str = "never") -> Markup:
    """A relative time, exact on hover."""
    if at is None:
        return escape(otherwise)
    exact, relative = escape(_exact(at, context)), time_text.ago(at, now=context["now"])
    return Markup(f'<time datetime="{time_text.stamp(at)}" title="{exact}" data-relative>{relative}</time>')  # noqa: S704 - ours, or escaped


@pass_context
def _due(context: Context, at: datetime | None, otherwise: str) -> Markup:
    """When something will happen; what is overdue happens now."""
    return escape("now") if at is not None and at <= context["now"] else _when(context, at, otherwise)


@pass_context
def _date(context: Context, at: datetime) -> Markup:
    """A date and time as such, on the reader's clock."""
    return Markup(f'<time datetime="{time_text.stamp(at)}">{escape(_exact(at, context))}</time>')  # noqa: S704 - ours, or escaped


def _exact(at: datetime, context: Context) -> str:
    return time_text.exact(at, zone(context["timezone"]), seconds=True)


def _place(url: str) -> str:
    """A URL as people read it: without its scheme."""
    return url.partition("://")[2].rstrip("/") or url


def _link(url: str) -> str:
    """An address that may be opened; a source's own data may hold any other."""
    return url if url.startswith(("http://", "https://")) else ""


def _known(item: ItemRow | PreviewItem) -> str:
    """What is known of an item, in a few words."""
    state = item.state or {}
    in_stock = state.get("in_stock")
    stock = "" if in_stock is None else "in stock" if in_stock else "sold out"
    price = price_text(state.get("price"), state.get("currency"))
    slot = time_text.readable_date(value_text(state.get("time")))
    venue = value_text(state.get("venue_name") or state.get("venue_id")) if slot else ""
    known = " · ".join(
        part for part in (price, stock, venue, slot, time_text.readable_date(value_text(state.get("updated")))) if part
    )
    return known or (_place(item.url) if item.title and item.url else "–")


def _offer(item: PreviewItem) -> str:
    """The price and the stock of a product page; empty for other pages."""
    offer = item.state.get("offer") or {}
    return _known(msgspec.structs.replace(item, title="", url="", state=offer)) if offer else ""


def _marked(marks: Iterable[WordMark]) -> Markup:
    """A line of a diff: what came and what went, as such. In Python, because a page has many of them."""
    return Markup("".join(_MARKED.get(mark.action, "{}").format(escape(mark.text)) for mark in marks))  # noqa: S704 - escaped


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
        "due": _due,
        "date": _date,
        "static": static_url,
    }
    made.filters |= {
        "place": _place,
        "openable": _link,
        "known": _known,
        "offer": _offer,
        "query": query,
        "browser": browser,
        "marked": _marked,
        "with_cursor": lambda given, cursor: query(given, cursor=cursor),
        "sorted_by": lambda given, name: query(given, cursor="", sort="" if name == "name" else name),
        "without_cursor": lambda given: query(given, cursor=""),
        "type_label": type_label,
        "share": share_text,
        "written": time_text.readable_date,
        "not_sent": not_sent_text,
        "undelivered": lambda reason: undelivered_text(reason).sentence,
        "where": place_text,
        "words": lambda text: text.replace("_", " "),
        "failure": lambda reason: failure_text(None, reason).what,
        "delivery_state": lambda state: DELIVERY_STATES.get(state, state.capitalize()),
        "capitalize_first": lambda text: text[:1].upper() + text[1:],
    }
    return made


def type_label(name: str) -> str:
    """A change type as people call it."""
    known = CHANGE_TYPES.get(name)
    return known.label if known else name.replace("_", " ")


def share_text(similarity: float) -> str:
    """`99.9%`: rounded down, because something changed and nothing of it is the same."""
    return f"{min(floor(similarity * 1000), 999) / 10:.1f}%"


def fragment(request: Request[Any, Any, Any], template: str, **values: Any) -> str:
    """A part of a page."""
    return environment().get_template(template).render(_frame(request) | values)


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
        "done": NOTES.get(FormValues.of(request, "done")["done"], ""),
        "problem": None,
        "dead_letters": request.scope["state"].get("dead_letters", 0),
        "unread": request.scope["state"].get("unread", 0),
    }
