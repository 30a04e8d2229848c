"""The search: changes and stored texts by words, watch, tag, type and time."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get

from driftline.core.identity.severity import CHANGE_TYPES
from driftline.model.watch import Watch
from driftline.store.rows import Page
from driftline.store.session import OrgData
from driftline.store.views.results.search import Found, FoundText
from driftline.web.auth.guards import viewer
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.cards import ChangeCard, card
from driftline.web.pages.parts.form import FormValues, days_between
from driftline.web.pages.parts.rendering import page

SHOWN: Final = 40
_TYPES: Final = tuple((name, known.label) for name, known in CHANGE_TYPES.items())


class FoundRow(msgspec.Struct, frozen=True, kw_only=True):
    """A find in the list."""

    at: datetime
    watch_id: UUID
    watch_name: str
    card: ChangeCard | None
    text: FoundText | None


@get("/search", guards=[viewer])
async def search(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """Nothing until words are given."""
    values = FormValues.of(request, "q", "watch", "tag", "type", "since", "until", "cursor")
    timezone = caller.identity.user.timezone
    since_at, until_at = days_between(values["since"], values["until"], timezone)

    def find(data: OrgData) -> tuple[list[FoundRow], str | None, Watch | None]:
        only = data.watches.get(values["watch"]) if values["watch"] else None
        found: Page[Found] = Page((), None)
        if any(letter.isalnum() for letter in values["q"]):
            found = data.search.page(
                values["q"],
                watch_id=only.id if only else None,
                tag=values["tag"] or None,
                type_=values["type"] or None,
                since_at=since_at,
                until_at=until_at,
                limit=SHOWN,
                cursor=values["cursor"] or None,
            )
        names = data.watches.names([one.watch_id for one in found.rows])
        return [_row(one, names.get(one.watch_id, "")) for one in found.rows], found.cursor, only

    rows, cursor, only = await caller.read(find)
    return page(request, "search.html", rows=rows, cursor=cursor, watch=only, given=values.given, types=_TYPES)


def _row(found: Found, name: str) -> FoundRow:
    shown = card(found.change, name) if found.change else None
    return FoundRow(at=found.at, watch_id=found.watch_id, watch_name=name, card=shown, text=found.text)


ROUTES = (search,)
