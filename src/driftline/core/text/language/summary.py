"""Summarizes a text by its own sentences: local, deterministic, in any language.

A sentence scores by the words that it shares with the whole text, more if they are in the title or if it comes early; the best
ones that do not repeat each other are returned in the order of the text.
"""

from __future__ import annotations

import re
from collections import Counter
from math import log
from typing import Final

import msgspec

from driftline.core.lexicon import word_set
from driftline.core.text.language.sentences import sentences

MAX_SENTENCES: Final = 1_000  # of a text that are scored
MIN_WORDS: Final = 4  # of a sentence that can be chosen

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f\u1780-\u17ff\u1000-\u109f]")


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """Sentences of the text, in its order."""

    text: str
    sentences: tuple[str, ...]


def summarize(text: str, *, title: str = "", count: int = 3, limit: int = 600) -> Summary:
    """The best sentences, at most `count` and `limit` characters together; empty for a text without sentences."""
    candidates = [sentence for sentence in sentences(text)[:MAX_SENTENCES] if sentence.strip() != title.strip()]
    terms = [_terms(sentence) for sentence in candidates]
    weights = _weights(terms)
    in_title = set(_terms(title))
    ranked = sorted(
        range(len(candidates)),
        key=lambda index: (-_score(terms[index], weights, in_title, index, len(candidates)), index),
    )
    chosen: list[int] = []
    length = 0
    for index in ranked:
        cost = len(candidates[index]) + 1
        if len(chosen) == count:
            break
        if length + cost <= limit + 1 and not any(_repeats(terms[index], terms[other]) for other in chosen):
            chosen.append(index)
            length += cost
    picked = [candidates[index] for index in sorted(chosen)]
    if not picked and candidates:
        picked = [_cut(candidates[ranked[0]], limit)]
    return Summary(text=" ".join(picked), sentences=tuple(picked))


def _terms(text: str) -> list[str]:
    """Words without stop words; in scripts without spaces, pairs of characters."""
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if _UNSPACED.search(word):
            found.extend(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif word not in word_set("word.topicless") and (len(word) > 2 or word.isdigit()):
            found.append(word)
    return found


def _weights(terms: list[list[str]]) -> dict[str, float]:
    """The weight of each word: frequent in the text, but not in every sentence."""
    everywhere = Counter(term for sentence in terms for term in set(sentence))
    uses = Counter(term for sentence in terms for term in sentence)
    total = len(terms) + 1
    return {term: log(1 + uses[term]) * log(1 + total / spread) for term, spread in everywhere.items()}


def _score(terms: list[str], weights: dict[str, float], in_title: set[str], index: int, total: int) -> float:
    if not terms:
        return 0.0
    unique = set(terms)
    worth = sum(weights[term] for term in unique) / (len(unique) + MIN_WORDS)
    shared = len(unique & in_title) / len(in_title) if in_title else 0.0
    early = 1.0 if index == 0 else 0.5 * (1 - index / total)
    brief = 0.3 if len(terms) < MIN_WORDS else 1.0
    return worth * brief * (1 + shared + early)


def _repeats(one: list[str], other: list[str]) -> bool:
    first, second = set(one), set(other)
    return bool(first and second) and len(first & second) > 0.6 * min(len(first), len(second))


def _cut(sentence: str, limit: int) -> str:
    if len(sentence) <= limit:
        return sentence
    space = sentence.rfind(" ", limit // 2, limit - 1)
    return sentence[: space if space > 0 else limit - 1].rstrip() + "…"
