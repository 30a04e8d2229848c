"""The kinds of watches: one row each, loaded when a watch of it comes along."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

from driftline.kinds.kind import AnyKind

_MODULES: Final = {
    "page": "driftline.kinds.page.kind",
    "catalog": "driftline.kinds.catalog",
    "availability": "driftline.kinds.availability",
    "sitemap": "driftline.kinds.sitemap",
}


class _Kinds(Mapping[str, AnyKind]):
    def __getitem__(self, name: str) -> AnyKind:
        kind: AnyKind = import_module(_MODULES[name]).KIND
        return kind

    def __contains__(self, name: object) -> bool:
        return name in _MODULES

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


KINDS: Final = _Kinds()
