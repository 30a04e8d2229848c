"""The kinds of watches: one row each, imported when first used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

from driftline.kinds.kind import AnyKind

_NAMES: Final = ("page", "catalog", "availability", "sitemap")


class _Kinds(Mapping[str, AnyKind]):
    def __getitem__(self, name: str) -> AnyKind:
        if name not in _NAMES:
            raise KeyError(name)
        kind: AnyKind = import_module(f"driftline.kinds.{name}.kind").KIND
        return kind

    def __contains__(self, name: object) -> bool:
        return name in _NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


KINDS: Final = _Kinds()
