"""Imports watches from files of other programs, recognized by content; what cannot be imported is named."""

from __future__ import annotations

from collections.abc import Iterator

from driftline.engine.imports.found import ImportedEntry

__all__ = ["ImportedEntry", "read_foreign"]


def read_foreign(data: bytes) -> Iterator[ImportedEntry] | None:
    """The watches of a changedetection.io backup, urlwatch or webchanges YAML, or OPML; None for a plain list."""
    head = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"PK\x03\x04"):
        from driftline.engine.imports.changedetection import read_backup  # noqa: PLC0415 - one format is read at a time

        return read_backup(data)
    if head.startswith(b"{") and b'"watching"' in data:
        from driftline.engine.imports.changedetection import read_datastore  # noqa: PLC0415

        return read_datastore(data)
    if head.startswith(b"<"):
        from driftline.engine.imports.outlines import read_outlines  # noqa: PLC0415

        return read_outlines(data)
    first = next((line for line in head.splitlines() if line.strip() and not line.lstrip().startswith(b"#")), b"")
    if first.lower().startswith((b"http://", b"https://", b"{")) or b":" not in first + head[:200]:
        return None
    if first.startswith((b"---", b"-", b"name:", b"url:", b"kind:", b"navigate:", b"command:")) or b"\nurl:" in head:
        from driftline.engine.imports.jobs import read_jobs  # noqa: PLC0415

        return read_jobs(data)
    return None
