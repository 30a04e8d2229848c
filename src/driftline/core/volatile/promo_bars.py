"""Words of notices that people have to read: closed, late, moved."""

from __future__ import annotations

from typing import Final

from driftline.core.lexicon import any_of
from driftline.core.text.lazy_regex import lazy_regex

_NEWS: Final = lazy_regex(lambda: any_of("notice.word"))


def announces(text: str) -> bool:
    """Whether a text announces something that readers have to know: closed, late, moved."""
    return _NEWS.search(text.lower()) is not None
