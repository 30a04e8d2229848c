"""The signed-in reader of a page, and the data of the frame around every page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from litestar import Request

from driftline.store.session import OrgData
from driftline.web.auth.request_context import Calling

T = TypeVar("T")

UNREAD_AT_MOST: Final = 99  # counted; more is shown as 99+


class PageReader(Calling):
    """Loads the numbers of unread changes and failed deliveries for the frame with every read, in the same transaction."""

    async def read(self, fn: Callable[[OrgData], T]) -> T:
        """Run `fn` over the org's data in one read transaction."""

        def find(data: OrgData) -> T:
            state = self.request.scope["state"]
            state["dead_letters"] = data.deliveries.dead()
            state["unread"] = data.read_marks.count(self.identity.user.id, at_most=UNREAD_AT_MOST + 1)
            return fn(data)

        return await super().read(find)


async def provide_reader(request: Request[Any, Any, Any]) -> Calling:
    """The caller of a page."""
    return PageReader(request)
