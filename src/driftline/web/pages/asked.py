"""What an address or a form says: plain text, bounded, and nothing that was not asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl, urlencode

from litestar import Request

from driftline.core.sanitize import sanitize

T = TypeVar("T")

LONGEST: Final = 4096  # of one value of an address
LONGEST_FIELD: Final = 200_000  # of one field of a form


class Given(dict[str, T]):
    """Few values by name, which nobody changes: what is made of them may be kept."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


class Asked(Mapping[str, str]):
    """Values by name; one that was not given is empty."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self.given = Given({name: value for name, value in values.items() if value})  # those that say something

    @classmethod
    def of(cls, request: Request[Any, Any, Any], *names: str) -> Asked:
        """These parameters of the address."""
        return _of_address(request.scope["query_string"], names)

    @classmethod
    async def form(cls, request: Request[Any, Any, Any]) -> Asked:
        """The fields of a form."""
        fields = await request.form()
        return cls({name: sanitize(value)[:LONGEST_FIELD].strip() for name, value in fields.items() if isinstance(value, str)})

    def __getitem__(self, name: str) -> str:
        return self._values.get(name, "")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


@lru_cache(maxsize=512)  # frozen, and the same addresses are asked for again and again
def _of_address(query_string: bytes, names: tuple[str, ...]) -> Asked:
    given = dict(reversed(parse_qsl(query_string.decode("latin-1"), keep_blank_values=True)))  # the first of each counts
    return Asked({name: sanitize(given.get(name, ""))[:LONGEST].strip() for name in names})


async def ticked(request: Request[Any, Any, Any], name: str) -> list[str]:
    """Every value of a field that may come more than once."""
    return [value for value in (await request.form()).getall(name, []) if isinstance(value, str)]


def query(given: Mapping[str, str], **more: str) -> str:
    """The end of an address."""
    values = {name: value for name, value in {**given, **more}.items() if value}
    return f"?{urlencode(values)}" if values else ""
