"""Files and folders that the operator named. A link, a device or a pipe in their place is not read."""

from __future__ import annotations

import csv
import io
import os
import stat
from datetime import UTC, datetime
from mimetypes import guess_type
from typing import Final

MAX_LISTED: Final = 10_000  # files of a folder


def read_file(path: str, limit: int) -> tuple[bytes, str]:
    """The file and its media type by its name; raises OSError."""
    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(opened, "rb") as file:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise OSError(0, "not a file")
        return file.read(limit + 1), guess_type(path)[0] or ""


def list_folder(path: str, limit: int) -> tuple[bytes, str]:
    """A table of the files in a folder: name, size and when each was written; links and folders in it are left out."""
    rows: list[tuple[str, int, str]] = []
    opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        with os.scandir(opened) as found:
            for entry in found:
                if entry.is_file(follow_symlinks=False):
                    known = entry.stat(follow_symlinks=False)
                    written = datetime.fromtimestamp(int(known.st_mtime), UTC).isoformat()
                    rows.append((entry.name, known.st_size, written))
                if len(rows) > MAX_LISTED:
                    raise OSError(0, f"more than {MAX_LISTED:,} files")
    finally:
        os.close(opened)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("name", "size", "written"), *sorted(rows)])
    return text.getvalue().encode("utf-8", "replace")[: limit + 1], "text/csv; charset=utf-8"
