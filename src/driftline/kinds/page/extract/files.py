"""Answers that are no text: documents by what they say, all else by type, size and hash; their bytes are never shown."""

from __future__ import annotations

import hashlib
from posixpath import basename
from typing import Final
from urllib.parse import unquote, urlsplit

from driftline.core.answers.file_types import FileType, size_text
from driftline.core.documents.readers import READABLE, NoReader, read_text
from driftline.core.identity.fingerprint import digest
from driftline.core.pictures.dimensions import dimensions
from driftline.core.text.safety.sanitize import sanitize
from driftline.errors import BadFile
from driftline.kinds.page.extract.non_html import of_text
from driftline.kinds.page.extract.read import built
from driftline.kinds.page.parsed import FileState, ParsedPage
from driftline.kinds.page.rules import PageRules

_LONGEST_TITLE: Final = 200
_PAGE: Final = "a page"


def read_file(body: bytes, found: FileType, url: str, unreadable: str = "") -> ParsedPage:
    """The whole state of an answer that is compared as a file."""
    state = FileState(found.label, found.noun, len(body), hashlib.sha256(body).hexdigest(), unreadable, dimensions(body))
    return ParsedPage(
        url=url,
        format="file",
        title=sanitize(unquote(basename(urlsplit(url).path)))[:_LONGEST_TITLE],
        text=str(state) + (f", {_pixels(state)} pixels" if state.pixels else ""),
        file=state,
        literal=True,
        signature=digest(b"file " + state.sha256.encode()),
    )


def read_binary(body: bytes, found: FileType, url: str, rules: PageRules) -> tuple[ParsedPage, str]:
    """The state of an answer that is no text, and how it is compared, in one line."""
    if found.name not in READABLE or rules.read_as == "file":
        state = read_file(body, found, url)
        seen = _pixels(state.file) if state.file else ""
        return state, note_on(found, len(body), f"{seen} pixels" if seen else found.unread)
    try:
        text = read_text(found.name, body)
    except NoReader as fault:
        return read_file(body, found, url), note_on(found, len(body), found.unread, str(fault))
    except BadFile as fault:
        return read_file(body, found, url, fault.message), note_on(found, len(body), fault.message)
    return built(of_text(text, "document", found.name), url, rules), f"{text.summary}: its text is compared"


def _pixels(state: FileState) -> str:
    return f"{state.pixels[0]} × {state.pixels[1]}" if state.pixels else ""


def note_on(found: FileType, size: int, *remarks: str) -> str:
    """How such an answer is watched, in one line, and why it is not read."""
    return f"{found.label}, {size_text(size)}: compared as a file" + "".join(f"; {one}" for one in remarks if one)


def another_type(before: ParsedPage, after: ParsedPage) -> str:
    """What stands against comparing the two: one is a file or a document and the other is not; empty: nothing."""
    if (before.file is None, bool(before.document)) == (after.file is None, bool(after.document)):
        return ""
    if before.file is not None and before.file.label == after.document:
        return ""  # its text can be read now
    if before.document and after.file is not None and after.file.label == before.document:
        return f"answers with {after.file.noun} that cannot be read: {after.file.unreadable or 'its reader is not installed'}"
    return f"answers with {_noun(after)} instead of {_noun(before)}"


def is_read_now(before: ParsedPage, after: ParsedPage) -> bool:
    """Whether a document was compared as a file only because its reader was not installed."""
    return before.file is not None and before.file.label == after.document and not before.file.unreadable


def _noun(page: ParsedPage) -> str:
    if page.document:
        return f"a document ({page.document})"
    return page.file.noun if page.file is not None else _PAGE


def replaced(before: ParsedPage, after: ParsedPage) -> str:
    """What happened to a file, in one line; empty where it is the same."""
    one, other = before.file, after.file
    if one is not None and one.label == after.document:
        return f"File replaced: {one} → {after.document} with text in it"
    if one is None or other is None:
        words = another_type(before, after)
        return words[:1].upper() + words[1:]
    if one.sha256 == other.sha256:
        return ""
    if one.pixels and other.pixels:
        sizes = _moved(size_text(one.size), size_text(other.size))
        return f"Picture replaced: {_moved(_pixels(one), _pixels(other))} pixels, {sizes} ({other.label})"
    if one.label != other.label:
        return f"File replaced: {one} → {other}"
    if one.size == other.size:
        return f"File replaced: same size, {size_text(one.size)} ({one.label})"
    was, now = size_text(one.size), size_text(other.size)
    if was == now:  # too coarse to show it
        was, now = f"{one.size:,} bytes", f"{other.size:,} bytes"
    return f"File replaced: {was} → {now} ({one.label})"


def _moved(before: str, after: str) -> str:
    return f"{before} → {after}" if before != after else f"still {after}"
