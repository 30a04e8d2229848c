"""The signed-in reader of a page, and what the frame around every page shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from litestar import Request

from driftline.store.session import OrgData
from driftline.web.auth.request_context import Calling

T = TypeVar("T")


class PageReader(Calling):
    """With whatever they read comes, in the same transaction, how many letters wait for a person: the frame says so."""

    async def read(self, fn: Callable[[OrgData], T]) -> T:
        """`fn` over the org's data, in one reading transaction."""

        def find(data: OrgData) -> T:
            self.request.scope["state"]["dead_letters"] = data.deliveries.dead()
            return fn(data)

        return await super().read(find)


async def provide_reader(request: Request[Any, Any, Any]) -> Calling:
    """The caller of a page."""
    return PageReader(request)
