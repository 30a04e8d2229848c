"""Labels of articles, by the words in their text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from math import sqrt
from typing import Final

import msgspec

from driftline.core.lexicon import words as cues

MAX_TEXT: Final = 20_000  # characters that are read
OTHER: Final = "Article"

_IN_TITLE: Final = 4  # times that a word counts there
_DOUBT: Final = 2.0  # evidence that speaks for nothing: few words make no certainty
_WORD: Final = re.compile(r"[^\W_]+")

# The labels with the concepts of their cues: stems, matched at the start of words; those of solid scripts anywhere.
CUES: Final[Mapping[str, str]] = {
    "Announcement": "article.announcement",
    "Release Notes": "article.release_notes",
    "Technical How-To": "article.technical_how_to",
    "Best Practices": "article.best_practices",
    "Customer Story": "article.customer_story",
    "Security": "article.security",
    "Event": "article.event",
    "Opinion": "article.opinion",
    "Report": "article.report",
}


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """What sort of article it is, and how sure that is."""

    label: str
    confidence: float  # 0..1; 0 where nothing speaks for any


def classify(text: str, *, title: str = "") -> Label:
    """The label that the most words speak for; the title's speak loudest."""
    words = Counter(_WORD.findall(text[:MAX_TEXT].casefold()))
    for word in _WORD.findall(title.casefold()):
        words[word] += _IN_TITLE
    evidence = {label: _evidence(cues(concept), words) for label, concept in CUES.items()}
    label, most = max(evidence.items(), key=lambda pair: pair[1])
    if not most:
        return Label(label=OTHER, confidence=0.0)
    return Label(label=label, confidence=round(most / (sum(evidence.values()) + _DOUBT), 3))


def _evidence(stems: tuple[str, ...], words: Counter[str]) -> float:
    """A word said often says little more than a word said twice."""
    return sum(
        sqrt(min(count, 2 * _IN_TITLE))
        for word, count in words.items()
        if word.startswith(stems) or (not word.isascii() and any(stem in word for stem in stems if not stem[0].isascii()))
    )
