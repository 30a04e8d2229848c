"""A page to pick a part of: its picture, and the elements on it."""

from __future__ import annotations

import msgspec


class OutlinedElement(msgspec.Struct, frozen=True, kw_only=True):
    """An element, in pixels of the picture."""

    x: int
    y: int
    width: int
    height: int
    selector: str
    text: str  # the beginning of what it says, or what a field is called
    control: str = ""  # of a field, for whoever records steps: fill, secret, select, check or click
    choices: tuple[str, ...] = ()  # of a list to choose from


class OutlinedPage(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown to whoever picks."""

    picture: bytes  # PNG
    outlines: tuple[OutlinedElement, ...]
