"""The kinds of watches: one row each."""

from __future__ import annotations

from collections.abc import Mapping

from driftline.kinds.availability import KIND as AVAILABILITY
from driftline.kinds.catalog import KIND as CATALOG
from driftline.kinds.kind import AnyKind
from driftline.kinds.page.kind import KIND as PAGE
from driftline.kinds.sitemap import KIND as SITEMAP

KINDS: Mapping[str, AnyKind] = {
    "page": PAGE,
    "catalog": CATALOG,
    "availability": AVAILABILITY,
    "sitemap": SITEMAP,
}
