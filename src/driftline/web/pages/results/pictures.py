"""Pictures of a change and of a failed check, and the regions in which two pictures differ."""

from __future__ import annotations

from typing import Any, Final, Literal
from uuid import UUID

import msgspec
from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from driftline.core.pictures.regions import Difference, boxes_svg, difference, regions_in
from driftline.engine.pool import Overrun
from driftline.model.change import Change
from driftline.store.session import OrgData
from driftline.web.auth.guards import viewer
from driftline.web.auth.request_context import Caller
from driftline.web.security_headers import SANDBOX
from driftline.wiring import App

_PNG: Final = "image/png"
_SVG: Final = "image/svg+xml"


class PicturePair(msgspec.Struct, frozen=True, kw_only=True):
    """The pictures of a change: by the keys of their blobs, where they were kept."""

    before: str | None = None
    after: str | None = None

    @property
    def both(self) -> bool:
        """Whether they can be compared."""
        return self.before is not None and self.after is not None


def pictures_of(data: OrgData, change: Change) -> PicturePair:
    """The pictures on both sides of a change."""
    pictures = data.pictures
    return PicturePair(
        before=pictures.of_snapshot(change.prev_snapshot_id), after=pictures.of_snapshot(change.next_snapshot_id)
    )


async def compared(app: App, shots: PicturePair) -> Difference | None:
    """Where two pictures differ, found in a child; None if they cannot be compared."""
    if shots.before is None or shots.after is None:
        return None
    before, after = await app.store.blob(shots.before), await app.store.blob(shots.after)
    if before is None or after is None:
        return None
    with app.pool.preview(app.org.id) as share:
        try:
            return await share.run(difference, before, after)
        except (Overrun, ValueError, ImportError):  # Pillow is part of the extra
            return None


def reported_regions(change: Change) -> Difference | None:
    """What a visual change reported, which leaves out what is ignored; None for other changes."""
    regions = regions_in(change.diff)
    if not regions:
        return None
    visual = (change.diff or {})["visual"]
    return Difference(width=visual["width"], height=visual["height"], percent=visual["percent"], regions=regions)


@get("/changes/{change_id:uuid}/picture/{side:str}", guards=[viewer])
async def change_picture(
    caller: Caller, change_id: FromPath[UUID], side: FromPath[Literal["before", "after", "boxes"]]
) -> Response[bytes]:
    """One side, or the boxes around what differs."""
    change = (await caller.read(lambda data: data.changes.get(change_id))).change
    shots = await caller.read(lambda data: pictures_of(data, change))
    if side == "boxes":
        found = reported_regions(change) or await compared(caller.app, shots)
        if found is None:
            raise NotFoundException(detail="the pictures cannot be compared")
        return _shown(boxes_svg(found).encode(), _SVG)
    return await _blob(caller, shots.before if side == "before" else shots.after)


@get("/runs/{run_id:uuid}/picture", guards=[viewer])
async def run_picture(caller: Caller, run_id: FromPath[UUID]) -> Response[bytes]:
    """The page as it was when a step failed."""
    return await _blob(caller, await caller.read(lambda data: data.pictures.of_run(run_id)))


async def _blob(caller: Caller, key: str | None) -> Response[bytes]:
    found = await caller.app.store.blob(key) if key is not None else None
    if found is None:
        raise NotFoundException(detail="there is no such picture")
    return _shown(found, _PNG)


def _shown(data: bytes, media_type: str) -> Response[bytes]:
    headers: dict[str, Any] = {"Content-Security-Policy": SANDBOX, "Cache-Control": "private, max-age=3600"}
    return Response(data, media_type=media_type, headers=headers)


ROUTES = (change_picture, run_picture)
