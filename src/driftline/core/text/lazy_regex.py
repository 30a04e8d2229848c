"""Regular expressions compiled at their first use: each of the large ones costs milliseconds, and most are rarely asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast


def lazy_regex(pattern: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """Like `re.compile`, except that a broken pattern shows when it is first used: each has a test that uses it.

    A function is asked for the pattern then: words of the lexicon are put together only where somebody looks for them.
    """
    return cast("re.Pattern[str]", _Later(pattern, flags))


class _Later:
    """Stands for a compiled pattern until somebody asks it something, and has its methods from then on."""

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
