"""What boards write beside a slot that is taken or free, as `slot_openness.plain` has it: small letters without separators."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from driftline.core.lexicon import words

_SEPARATORS: Final = re.compile(r"[\W_]+")


@cache
def plain_words(concept: str) -> frozenset[str]:
    """The words of a concept without case and separators; several words that are one state are one."""
    return frozenset(_SEPARATORS.sub("", word.lower()) for word in words(concept))


def taken() -> frozenset[str]:
    """Taken where a whole text, a flag or a class says it."""
    return plain_words("slot.taken")


def free() -> frozenset[str]:
    """The same for available slots."""
    return plain_words("slot.free")


@cache
def around() -> frozenset[str]:
    """Words that may stand around one of these and change nothing."""
    return frozenset(token.lower() for phrase in words("slot.around") for token in phrase.split())
