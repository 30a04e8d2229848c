"""Caches keyed by texts of others: bounded in bytes, because a page may send ten thousand long ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast

K = TypeVar("K")
P = ParamSpec("P")
T = TypeVar("T")

LONGEST: Final = 256  # characters of a text that is kept: what comes again and again is short


def short_cache(
    maxsize: int, *, typed: bool = False
) -> Callable[[Callable[Concatenate[K, P], T]], Callable[Concatenate[K, P], T]]:
    """As `lru_cache`, for a call whose first argument is a text of others: a long one is computed anew each time."""

    def around(call: Callable[Concatenate[K, P], T]) -> Callable[Concatenate[K, P], T]:
        kept: Any = lru_cache(maxsize=maxsize, typed=typed)(call)

        @wraps(call)
        def cached(text: K, *args: P.args, **named: P.kwargs) -> T:
            if isinstance(text, str) and len(text) > LONGEST:
                return call(text, *args, **named)
            found: T = kept(text, *args, **named)
            return found

        return cast("Callable[Concatenate[K, P], T]", cached)

    return around
