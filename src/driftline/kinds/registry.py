"""The kinds of watches: one row each, imported when first used, and those of extensions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final, cast

from driftline import extensions
from driftline.kinds.kind import AnyKind
from driftline.kinds.missing import MissingKind

_NAMES: Final = ("page", "catalog", "availability", "sitemap", "site")


class _Kinds(Mapping[str, AnyKind]):
    """Kinds that new watches may have. A stored watch gets a stand-in where its kind's extension is gone."""

    def __getitem__(self, name: str) -> AnyKind:
        if name in _NAMES:
            kind: AnyKind = import_module(f"driftline.kinds.{name}.kind").KIND
            return kind
        found = extensions.extension(extensions.KINDS, name)
        if found is None or found.problem:
            return cast("AnyKind", MissingKind(name, found.problem if found else "no installed package has it"))
        return cast("AnyKind", found.value)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default  # noqa: SIM401 - it would call itself

    def __contains__(self, name: object) -> bool:
        return name in _NAMES or (isinstance(name, str) and extensions.is_usable(extensions.KINDS, name))

    def __iter__(self) -> Iterator[str]:
        yield from _NAMES
        yield from extensions.usable(extensions.KINDS)

    def __len__(self) -> int:
        return sum(1 for _ in self)


KINDS: Final = _Kinds()
