"""Sanitizes text before it is hashed or stored, in the same way for both databases."""

from __future__ import annotations


def sanitize(text: str) -> str:
    """The text without NUL (PostgreSQL refuses it) and with lone surrogates replaced (UTF-8 refuses them)."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def sanitize_all(texts: list[str]) -> list[str]:
    """Every text sanitized; asked once of all of them, since nearly always nothing is to do."""
    whole = "".join(texts)
    return texts if sanitize(whole) is whole else list(map(sanitize, texts))
