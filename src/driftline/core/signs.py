"""Which of many words a source holds, found in one pass: to look for each by itself takes ten times as long."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final

import re2


class Signs:
    """Words in lower case, and where they are looked for."""

    def __init__(self, words: Iterable[bytes]) -> None:
        self._words = sorted(set(words))

    def found_in(self, source: bytes) -> frozenset[bytes]:
        """Those that a source in lower case holds."""
        return frozenset(self._words[number] for number in self._looked_for.Match(source) or ())

    @cached_property
    def _looked_for(self) -> Any:
        made = re2.Set.SearchSet()
        for word in self._words:
            made.Add(re2.escape(word.decode()))
        made.Compile()
        return made


class Sought:
    """Expressions that many readers look for in one source: found in one pass for all of them, by whoever asks first."""

    def __init__(self) -> None:
        self._expressions: list[str] = []
        self._made: Any = None
        self._latest: tuple[bytes, frozenset[int]] = (b"", frozenset())  # replaced as one: readers may be threads

    def add(self, expression: str) -> int:
        """Its number, which `found_in` tells."""
        self._expressions.append(expression)
        self._made, self._latest = None, (b"", frozenset())
        return len(self._expressions) - 1

    def words(self, words: Iterable[bytes]) -> dict[int, bytes]:
        """The numbers of words, whatever the case of their ASCII letters."""
        return {self.add("".join(map(_any_case, word.decode()))): word for word in sorted(set(words))}

    def found_in(self, source: bytes) -> frozenset[int]:
        """The numbers of the expressions that a source holds."""
        looked_at, found = self._latest
        if looked_at is not source:
            made = self._made = self._made or self._compiled()
            found = frozenset(made.Match(source) or ())
            self._latest = source, found
        return found

    def _compiled(self) -> Any:
        made = re2.Set.SearchSet()
        for expression in self._expressions:
            made.Add(expression)
        made.Compile()
        return made


def _any_case(letter: str) -> str:
    return f"[{letter.lower()}{letter.upper()}]" if letter.isascii() and letter.isalpha() else re2.escape(letter)


IN_PAGES: Final = Sought()  # what is looked for in the source of every page that is read
