"""A cache for functions of foreign text, bounded in bytes: a page may contain ten thousand long texts."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast

K = TypeVar("K")
P = ParamSpec("P")
T = TypeVar("T")

MAX_TEXT: Final = 256  # characters of a text that is cached: texts that repeat are short


def short_cache(
    maxsize: int, *, typed: bool = False
) -> Callable[[Callable[Concatenate[K, P], T]], Callable[Concatenate[K, P], T]]:
    """Like `lru_cache`, keyed by a text as first argument; long texts are not cached."""

    def decorate(call: Callable[Concatenate[K, P], T]) -> Callable[Concatenate[K, P], T]:
        cache: Any = lru_cache(maxsize=maxsize, typed=typed)(call)
        of_one: Any = call
        if of_one.__code__.co_argcount == 1:  # of a text alone: half of the time, and a listing asks ten thousand times

            @wraps(call)
            def cached_of_one(text: str) -> Any:
                return cache(text) if len(text) <= MAX_TEXT else of_one(text)

            return cast("Callable[Concatenate[K, P], T]", cached_of_one)

        @wraps(call)
        def cached(text: K, *args: P.args, **named: P.kwargs) -> T:
            if isinstance(text, str) and len(text) > MAX_TEXT:
                return call(text, *args, **named)
            found: T = cache(text, *args, **named)
            return found

        return cast("Callable[Concatenate[K, P], T]", cached)

    return decorate
