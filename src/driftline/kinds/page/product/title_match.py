"""Whether a page is called after a thing on it."""

from __future__ import annotations

from typing import Final

from driftline.core.text.folding import title_key

_SHORTEST: Final = 4  # characters of a name that tells


def is_named(name: str, title: str) -> bool:
    """Whether a page's title, as `title_key` makes it, has a name in it."""
    return len(key := title_key(name)) >= _SHORTEST and key in title
