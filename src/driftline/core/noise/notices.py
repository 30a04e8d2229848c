"""Recognizes notices to readers: closed, delayed, moved."""

from __future__ import annotations

from typing import Final

from driftline.core.lexicon import any_of
from driftline.core.text.lazy_regex import lazy_regex

_NOTICE_WORDS: Final = lazy_regex(lambda: any_of("notice.word"))


def announces(text: str) -> bool:
    """Whether a text is a notice that readers need to see, such as a closure, a delay or a move."""
    return _NOTICE_WORDS.search(text.lower()) is not None
