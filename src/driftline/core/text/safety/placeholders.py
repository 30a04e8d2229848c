"""`{{secret:name}}`: where a secret stands in a text, by its name alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

_PLACEHOLDER: Final = re.compile(r"\{\{secret:(?P<name>[A-Za-z0-9_.-]{1,64})\}\}")
NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
HIDDEN: Final = "[secret]"
_HIDDEN_FROM: Final = 4  # characters: shorter values stand in every page


def names_in(texts: Iterable[str]) -> frozenset[str]:
    """The secrets that texts ask for."""
    return frozenset(found["name"] for text in texts if "{{" in text for found in _PLACEHOLDER.finditer(text))


def filled(text: str, secrets: Mapping[str, str]) -> str:
    """The text with the secrets in it; raises KeyError for one that is missing."""
    return _PLACEHOLDER.sub(lambda found: secrets[found["name"]], text) if "{{" in text else text


def hidden(text: str, secrets: Iterable[str]) -> str:
    """The text without the values of secrets, also where HTML escapes them."""
    for secret in sorted(filter(lambda one: len(one) >= _HIDDEN_FROM, secrets), key=len, reverse=True):
        for written in {secret, _escaped(secret)}:
            text = text.replace(written, HIDDEN)
    return text


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
