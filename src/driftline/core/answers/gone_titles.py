"""Titles and headings which say that there is no such page, whatever the status of the answer."""

from __future__ import annotations

from typing import Final

from driftline.core.lexicon import any_of
from driftline.core.text.lazy_regex import lazy_regex

_PARTS: Final = lazy_regex(r"\s[-–—|·•:»«›/]+\s|[|»«›:]\s?")
_GONE: Final = lazy_regex(
    lambda: (
        r"(?:oops!?,?\s|sorry,?\s|error\s|fehler\s|erreur\s|http\s)*(?:404(?:\s(?:error|not found|fehler|page|erreur))?|"
        r"(?:404\s)?(?:(?:the|this|your|requested|that)\s)*(?:page|file|content|document|resource|article)\s(?:(?:was|could|is|can)\s)?"
        r"(?:not\sbe\sfound|cannot\sbe\sfound|not\sfound|no\slonger\s(?:available|exists)|does\snot\sexist|doesn['’]t\sexist)|not\sfound|"
        rf"page\sunavailable|{any_of('gone.page')})[.!]*"
    )
)


def title_parts(title: str) -> list[str]:
    """A title in small letters, and its parts: what the page says, and the name of the site."""
    low = title.lower()
    return [part.strip() for part in (low, *_PARTS.split(low))]


def says_gone(title: str) -> bool:
    """Whether a part of a title says that there is no such page."""
    return any(map(_GONE.fullmatch, title_parts(title)))
