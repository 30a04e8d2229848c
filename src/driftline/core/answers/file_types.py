"""Recognizes files that are not text (pictures, PDF, archives) by their bytes, whatever the server calls them.

First by the signatures of file formats, then by bytes that text does not contain.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

Family = Literal["document", "picture", "archive", "font", "sound", "video", "program", "data"]
_NOUNS: Final[dict[Family, str]] = {
    "document": "a document ({})",
    "picture": "a picture ({})",
    "archive": "an archive ({})",
    "font": "a font ({})",
    "sound": "a sound file ({})",
    "video": "a video ({})",
    "program": "a program ({})",
    "data": "a file that is not text",
}
_UNREAD: Final[dict[Family, str]] = {"document": "its text is not read", "archive": "what is in it is not read"}


class FileType(NamedTuple):
    """A format that is not read as text."""

    name: str  # the common name: PDF, PNG; empty if unknown
    family: Family

    @property
    def label(self) -> str:
        """The name alone: `PDF`, `PNG picture`."""
        if self.family == "data":
            return "Not text"
        return self.name if self.family == "document" else f"{self.name} {self.family}"

    @property
    def noun(self) -> str:
        """For a sentence: `a picture (PNG)`."""
        return _NOUNS[self.family].format(self.name)

    @property
    def unread(self) -> str:
        """What is not compared, for a format that users might expect to be compared."""
        return _UNREAD.get(self.family, "")


# Offset, signature, and file type.
_MAGIC: Final[tuple[tuple[int, bytes, FileType], ...]] = (
    (0, b"%PDF-", FileType("PDF", "document")),
    (0, b"\x89PNG\r\n\x1a\n", FileType("PNG", "picture")),
    (0, b"\xff\xd8\xff", FileType("JPEG", "picture")),
    (0, b"GIF87a", FileType("GIF", "picture")),
    (0, b"GIF89a", FileType("GIF", "picture")),
    (8, b"WEBP", FileType("WebP", "picture")),
    (4, b"ftypavif", FileType("AVIF", "picture")),
    (4, b"ftypheic", FileType("HEIC", "picture")),
    (0, b"II*\x00", FileType("TIFF", "picture")),
    (0, b"MM\x00*", FileType("TIFF", "picture")),
    (0, b"\x00\x00\x01\x00", FileType("ICO", "picture")),
    (0, b"8BPS\x00", FileType("PSD", "picture")),
    (0, b"\x1f\x8b", FileType("gzip", "archive")),
    (0, b"BZh91AY&SY", FileType("bzip2", "archive")),
    (0, b"\xfd7zXZ\x00", FileType("xz", "archive")),
    (0, b"\x28\xb5\x2f\xfd", FileType("Zstandard", "archive")),
    (0, b"7z\xbc\xaf\x27\x1c", FileType("7z", "archive")),
    (0, b"Rar!\x1a\x07", FileType("RAR", "archive")),
    (257, b"ustar", FileType("tar", "archive")),
    (0, b"{\\rtf", FileType("RTF", "document")),
    (0, b"%!PS-", FileType("PostScript", "document")),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", FileType("Office", "document")),
    (0, b"wOFF", FileType("WOFF", "font")),
    (0, b"wOF2", FileType("WOFF2", "font")),
    (0, b"OTTO\x00", FileType("OpenType", "font")),
    (0, b"\x00\x01\x00\x00", FileType("TrueType", "font")),
    (0, b"ID3", FileType("MP3", "sound")),
    (0, b"\xff\xfb", FileType("MP3", "sound")),
    (0, b"fLaC", FileType("FLAC", "sound")),
    (0, b"OggS", FileType("Ogg", "sound")),
    (8, b"WAVE", FileType("WAV", "sound")),
    (8, b"AVI ", FileType("AVI", "video")),
    (4, b"ftyp", FileType("MP4", "video")),
    (0, b"\x1a\x45\xdf\xa3", FileType("WebM", "video")),
    (0, b"\x7fELF", FileType("ELF", "program")),
    (0, b"MZ\x90\x00", FileType("Windows", "program")),
    (0, b"\x00asm", FileType("WebAssembly", "program")),
    (0, b"\xca\xfe\xba\xbe", FileType("Java", "program")),
    (0, b"SQLite format 3\x00", FileType("SQLite", "archive")),
)
_RIFF: Final = frozenset((b"WEBP", b"WAVE", b"AVI "))  # these count after "RIFF" only
# File types that are zip archives, by their first entries.
_ZIP: Final[tuple[tuple[bytes, FileType], ...]] = (
    (b"word/", FileType("DOCX", "document")),
    (b"xl/", FileType("XLSX", "document")),
    (b"ppt/", FileType("PPTX", "document")),
    (b"application/epub+zip", FileType("EPUB", "document")),
    (b"opendocument.text", FileType("ODT", "document")),
    (b"opendocument.spreadsheet", FileType("ODS", "document")),
    (b"opendocument.presentation", FileType("ODP", "document")),
)
_DATA: Final = FileType("", "data")
_HEAD: Final = 8_192  # bytes that are examined
_BOMS: Final = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")
_TEXT_STARTS: Final = frozenset(b"<[\"'#/ \t\r\n")  # first bytes of nearly every answer, and of no format above
# Bytes that text does not contain: controls, except tab, line ends, form feed and the escape of Japanese encodings.
_CONTROLS: Final = bytes(code for code in range(32) if code not in (9, 10, 12, 13, 27))
_CONTROLS_FROM: Final = 0.02  # share of the head; a page may contain a stray one, in compressed bytes every tenth is one


def file_type(body: bytes, content_type: str = "") -> FileType | None:
    """The file type of the bytes; None for text and for an empty body."""
    if not body or body[0] in _TEXT_STARTS:
        return None
    for at, magic, found in _MAGIC:
        if body.startswith(magic, at) and (magic not in _RIFF or body.startswith(b"RIFF")):
            return found
    if body.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return next((found for name, found in _ZIP if name in body[:_HEAD]), FileType("ZIP", "archive"))
    if body.startswith(_BOMS) or "utf-16" in content_type.lower():
        return None
    head = body[:_HEAD]
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return _DATA if controls > len(head) * _CONTROLS_FROM else None


def size_text(size: int) -> str:
    """`812 bytes`, `12 KB`, `1.2 MB`."""
    if size < 1_000:
        return f"{size} bytes"
    if size < 1_000_000:
        return f"{size / 1_000:.0f} KB"
    return f"{size / 1_000_000:.1f} MB"
