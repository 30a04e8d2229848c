"""Words of the world by concept (`stock.out`, `months.1`): read from the TOML files beside this one, one for each language.

`table.py` holds them all, written by `make lexicon`; a concept is taken apart when somebody first asks for it.

An entry is a word or a phrase as it is written. `*` at its end stands for any further letters, and `'` for the curly one too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Final

from driftline.core.lexicon.table import WORDS

_SOLID: Final = ("\u0e00", "\u1e00")  # Thai, Khmer, kana, Han, Hangul: no spaces between words, so a phrase may stand anywhere


@cache
def words(*concepts: str) -> tuple[str, ...]:
    """All that any language has for these concepts, each once."""
    return tuple(dict.fromkeys(word for concept in concepts for word in WORDS[concept].split("\n")))


@cache
def word_set(*concepts: str) -> frozenset[str]:
    """The same to look up in."""
    return frozenset(words(*concepts))


@cache
def folded(*concepts: str) -> tuple[str, ...]:
    """The same for texts that are casefolded."""
    return tuple(dict.fromkeys(word.casefold() for word in words(*concepts)))


@cache
def parts(concept: str) -> Mapping[str, tuple[str, ...]]:
    """A concept that has several parts (months 1 to 12, currencies by code), by the part's name."""
    lead = f"{concept}."
    return {name.removeprefix(lead): words(name) for name in WORDS if name.startswith(lead)}


@cache
def numbered(*concepts: str) -> Mapping[str, int]:
    """The words of concepts that have numbers (months, weekdays), each with its own; without those that mean two."""
    pairs = {(word, int(number)) for concept in concepts for number, found in parts(concept).items() for word in found}
    meanings = Counter(word for word, _ in pairs)
    return {word: number for word, number in sorted(pairs) if meanings[word] == 1}


@cache
def by_language(concept: str) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """A concept whose words go together in one language only, part by part."""
    tongues = {name.split(".")[1] for name in WORDS if name.startswith(f"{concept}.")}
    return {tongue: parts(f"{concept}.{tongue}") for tongue in sorted(tongues)}


def all_of(concept: str) -> tuple[str, ...]:
    """The words of all parts of a concept."""
    return tuple(dict.fromkeys(word for found in parts(concept).values() for word in found))


def any_of(*concepts: str, ending: str = r"\w*") -> str:
    """An expression for any of the words, the longest first; `ending` is what `*` stands for."""
    return pattern_of(words(*concepts), ending=ending)


def pattern_of(entries: Iterable[str], *, ending: str = r"\w*") -> str:
    """An expression for any of these entries, the longest first; by first letters: tried in half the time."""
    grouped = groupby(sorted(set(entries), key=lambda entry: (entry[0], -len(entry), entry)), key=itemgetter(0))
    return "|".join(_beginning(letter, [_one(entry[1:], ending) for entry in found]) for letter, found in grouped)


def guarded(entries: Iterable[str]) -> str:
    """The same behind a look at the letter that comes: of many scripts, not each is tried everywhere. Not for RE2."""
    by_script: dict[bool, list[str]] = {True: [], False: []}
    for entry in entries:
        by_script[entry[0].isascii()].append(entry)
    first = ("".join(sorted({re.escape(entry[0]) for entry in found})) for found in by_script.values())
    found = zip(first, map(pattern_of, by_script.values()), strict=True)
    return "(?:" + "|".join(f"(?=[{letters}])(?:{pattern})" for letters, pattern in found if letters) + ")"


def _beginning(letter: str, rests: list[str]) -> str:
    return re.escape(letter) + (rests[0] if len(rests) == 1 else f"(?:{'|'.join(rests)})")


def _one(entry: str, ending: str) -> str:
    stem = re.escape(entry.removesuffix("*")).replace("'", "['’]")
    return stem + ending if entry.endswith("*") else stem


def is_solid(word: str) -> bool:
    """Whether a word is of a script that puts no spaces between words: it may stand against anything."""
    return word[0] >= _SOLID[0] and not _SOLID[1] <= word[0] <= "\u1fff"
