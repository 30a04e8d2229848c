"""Answers that are no text: their type, size and hash are the state, and nothing of their bytes is shown."""

from __future__ import annotations

import hashlib
from posixpath import basename
from typing import Final
from urllib.parse import unquote, urlsplit

from driftline.core.answers.file_types import FileType, size_text
from driftline.core.identity.fingerprint import digest
from driftline.core.text.safety.sanitize import sanitize
from driftline.kinds.page.parsed import FileState, ParsedPage

_LONGEST_TITLE: Final = 200
_PAGE: Final = "a page"


def read_file(body: bytes, found: FileType, url: str) -> ParsedPage:
    """The whole state of an answer that is no text."""
    state = FileState(found.label, found.noun, len(body), hashlib.sha256(body).hexdigest())
    texts = [str(state), f"sha256: {state.sha256}"]
    return ParsedPage(
        url=url,
        format="file",
        title=sanitize(unquote(basename(urlsplit(url).path)))[:_LONGEST_TITLE],
        text="\n".join(texts),
        file=state,
        literal=True,
        signature=digest(b"file " + state.sha256.encode()),
    )


def note_on(found: FileType, size: int) -> str:
    """How such an answer is watched, in one line."""
    unread = f"; {found.unread}" if found.unread else ""
    return f"{found.label}, {size_text(size)}: compared as a file{unread}"


def another_type(before: ParsedPage, after: ParsedPage) -> str:
    """What stands against comparing the two: one is a file and the other is not; empty: nothing."""
    if (before.file is None) == (after.file is None):
        return ""
    was, now = (page.file.noun if page.file is not None else _PAGE for page in (before, after))
    return f"answers with {now} instead of {was}"


def replaced(before: ParsedPage, after: ParsedPage) -> str:
    """What happened to a file, in one line; empty where it is the same."""
    one, other = before.file, after.file
    if one is None or other is None:
        words = another_type(before, after)
        return words[:1].upper() + words[1:]
    if one.sha256 == other.sha256:
        return ""
    if one.label != other.label:
        return f"File replaced: {one} -> {other}"
    if one.size == other.size:
        return f"File replaced: same size, {size_text(one.size)} ({one.label})"
    was, now = size_text(one.size), size_text(other.size)
    if was == now:  # too coarse to show it
        was, now = f"{one.size:,} bytes", f"{other.size:,} bytes"
    return f"File replaced: {was} -> {now} ({one.label})"
