"""The kinds of watches: one row each."""

from __future__ import annotations

from collections.abc import Mapping

from driftline.kinds.kind import AnyKind
from driftline.kinds.page.kind import KIND as PAGE

KINDS: Mapping[str, AnyKind] = {
    "page": PAGE,
}
