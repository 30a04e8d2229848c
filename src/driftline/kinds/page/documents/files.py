"""Answers that are no text: documents by what they say, all else by type, size and hash; their bytes are never shown."""

from __future__ import annotations

import hashlib
from posixpath import basename
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec

from driftline.core.answers.file_types import FileType, size_text
from driftline.core.documents.readers import READABLE, NoReader, read_text
from driftline.core.documents.text import Scan
from driftline.core.identity.fingerprint import digest
from driftline.core.pictures.dimensions import dimensions
from driftline.core.pictures.looks import picture_of
from driftline.core.pictures.stills import PICTURES, png_of
from driftline.core.text.safety.sanitize import sanitize
from driftline.errors import BadFile
from driftline.kinds.page.documents.non_html import of_text
from driftline.kinds.page.extract.read import built
from driftline.kinds.page.parsed import FileState, ParsedPage
from driftline.kinds.page.rules import PageRules

_LONGEST_TITLE: Final = 200
_PAGE: Final = "a page"


class FileReading(NamedTuple):
    """An answer that is no text."""

    page: ParsedPage
    note: str  # how it is compared, in one line
    picture: bytes = b""  # PNG, where it is one


def read_file(body: bytes, found: FileType, url: str, unreadable: str = "", pages: int = 0) -> ParsedPage:
    """The whole state of an answer that is compared as a file."""
    state = FileState(found.label, found.noun, len(body), hashlib.sha256(body).hexdigest(), unreadable, dimensions(body), pages)
    return ParsedPage(
        url=url,
        format="file",
        title=sanitize(unquote(basename(urlsplit(url).path)))[:_LONGEST_TITLE],
        text=str(state) + (f", {_pixels(state)} pixels" if state.pixels else ""),
        file=state,
        literal=True,
        signature=digest(b"file " + state.sha256.encode()),
    )


def read_binary(body: bytes, found: FileType, url: str, rules: PageRules) -> FileReading:
    """The state of an answer that is no text, and how it is compared."""
    if rules.read_as != "file" and found.family == "picture" and body.startswith(PICTURES):
        return _with_look(read_file(body, found, url), found, body)
    if found.name not in READABLE or rules.read_as == "file":
        return FileReading(read_file(body, found, url), note_on(found, len(body), found.unread))
    try:
        text = read_text(found.name, body)
    except NoReader as fault:
        return FileReading(read_file(body, found, url), note_on(found, len(body), found.unread, str(fault)))
    except Scan as fault:
        return _with_look(read_file(body, found, url, fault.message), found, body)
    except BadFile as fault:
        return FileReading(read_file(body, found, url, fault.message), note_on(found, len(body), fault.message))
    return FileReading(built(of_text(text, "document", found.name), url, rules), f"{text.summary}: its text is compared")


def _with_look(page: ParsedPage, found: FileType, body: bytes) -> FileReading:
    """With how an image or the pages of a scan look; as a file where that cannot be seen."""
    file = page.file
    remark = (file.unreadable or f"{_pixels(file)} pixels") if file is not None else ""
    try:
        picture, pages = _picture(found, body)
        look, _, _ = picture_of(picture)
    except BadFile as fault:
        file = msgspec.structs.replace(file, unreadable=fault.message) if file is not None else None
        return FileReading(msgspec.structs.replace(page, file=file), note_on(found, len(body), fault.message))
    except (ValueError, ImportError):  # too large; Pillow is part of an extra
        return FileReading(page, note_on(found, len(body), remark))
    file = msgspec.structs.replace(file, pages=pages) if file is not None else None
    how = "its pages are compared as pictures" if pages else "compared by how it looks"
    return FileReading(msgspec.structs.replace(page, file=file, look=look), note_on(found, len(body), remark, how=how), picture)


def _picture(found: FileType, body: bytes) -> tuple[bytes, int]:
    """A PNG, and of how many pages."""
    if found.family == "picture":
        return png_of(body), 0
    from driftline.core.documents.pdf import picture_of_pages  # noqa: PLC0415 - a library of an extra, slow to load

    return picture_of_pages(body)


def _pixels(state: FileState) -> str:
    return f"{state.pixels[0]} × {state.pixels[1]}" if state.pixels else ""


def note_on(found: FileType, size: int, *remarks: str, how: str = "compared as a file") -> str:
    """How such an answer is watched, in one line, and why it is not read."""
    return f"{found.label}, {size_text(size)}: {how}" + "".join(f"; {one}" for one in remarks if one)


def another_type(before: ParsedPage, after: ParsedPage) -> str:
    """What stands against comparing the two: one is a file or a document and the other is not; empty: nothing."""
    if before.look is not None and after.look is None and _is_damaged(before.file, after.file):
        return f"answers with {_noun(after)} that cannot be read: {after.file.unreadable if after.file else ''}"
    if (before.file is None, bool(before.document)) == (after.file is None, bool(after.document)):
        return ""
    if before.file is not None and before.file.label == after.document:
        return ""  # its text can be read now
    if before.document and after.file is not None and after.file.label == before.document:
        return f"answers with {after.file.noun} that cannot be read: {after.file.unreadable or 'its reader is not installed'}"
    return f"answers with {_noun(after)} instead of {_noun(before)}"


def _is_damaged(before: FileState | None, after: FileState | None) -> bool:
    """Whether what could be seen before cannot be seen any more, and is of the same type."""
    return before is not None and after is not None and before.label == after.label and bool(after.unreadable)


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
