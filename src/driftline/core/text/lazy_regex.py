"""Regular expressions that are compiled at first use: the large ones cost milliseconds each, and most are rarely used."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast


def lazy_regex(pattern: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """Like `re.compile`, but an invalid pattern fails at its first use: each one has a test that uses it."""
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))


class _LazyPattern:
    """Replaces itself by the compiled pattern at the first access."""

    def __init__(self, pattern: str | Callable[[], str], flags: int) -> None:
        self._source = (pattern, flags)

    def compiled(self) -> re.Pattern[str]:
        """The pattern itself."""
        pattern, flags = self._source
        return re.compile(pattern if isinstance(pattern, str) else pattern(), flags)

    def __getattr__(self, name: str) -> object:
        compiled = self.compiled()
        for method in ("findall", "finditer", "fullmatch", "match", "search", "split", "sub"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)
