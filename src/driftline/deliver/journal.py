"""Endings that are not stored yet, noted in files beside the database: they outlive a process that is killed.

note -> page (a file, locked by its sender) -> stored: torn out
                  └ the sender died, its lock with it: the next one stores what stands there

Pages are mapped into memory: to note costs no call of the system. Nothing is synced: a kill leaves what was written, because
the system holds the page; a machine that goes down costs repeats under the same id.
"""

from __future__ import annotations

import errno
import fcntl
import logging
import mmap
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from driftline.model.delivery import Settled

log = logging.getLogger(__name__)

_SUFFIX: Final = ".sent"
_ROOM: Final = 128 * 1024  # bytes of a page at first: as many endings as are stored together
_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(Settled)


class Page:
    """A file with a lock that its process holds until it is torn out, or dies."""

    __slots__ = ("_at", "_file", "_map", "path")

    def __init__(self, path: Path, file: int) -> None:
        self.path = path
        self._file = file
        self._map: mmap.mmap | None = None
        self._at = 0

    def write(self, line: bytes) -> None:
        """In the system's hands when it returns."""
        end = self._at + len(line)
        if self._map is None or end > len(self._map):
            self._map = self._mapped(max(_ROOM, 2 * end))
        self._map[self._at : end] = line
        self._at = end

    def _mapped(self, room: int) -> mmap.mmap:
        """With blocks of its own where they can be had: a full disk refuses here, and not later by killing us."""
        try:
            os.posix_fallocate(self._file, 0, room)
        except (AttributeError, OSError) as error:
            if getattr(error, "errno", None) == errno.ENOSPC:
                raise
            os.ftruncate(self._file, room)
        return mmap.mmap(self._file, room)

    def endings(self) -> list[Settled]:
        """All that stands there; a line that was not finished is none, nor is the room behind the last."""
        found = []
        for line in self.path.read_bytes().rstrip(b"\0").splitlines():
            with suppress(msgspec.DecodeError):
                found.append(_DECODER.decode(line))
        return found

    def tear(self) -> None:
        """Stored: not needed any more."""
        self.path.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Leave it to the next sender."""
        if self._map is not None:
            self._map.close()
        os.close(self._file)


class Journal:
    """The pages of one sender in a folder that senders on the same database share."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder  # None: nothing is noted
        self._page: Page | None = None

    def note(self, ending: Settled) -> None:
        """Write it down; a disk that refuses costs repeats after a kill, and nothing else."""
        if self._folder is None:
            return
        try:
            if self._page is None:
                self._page = self._begun(self._folder)
            self._page.write(_ENCODER.encode(ending) + b"\n")
        except OSError as error:
            log.warning("endings cannot be noted; a kill may repeat letters", extra={"problem": str(error)})
            self._folder = None

    def turned(self) -> Page | None:
        """The page so far; what follows goes onto the next one."""
        page, self._page = self._page, None
        return page

    def orphans(self) -> Iterator[Page]:
        """Pages whose senders are dead; whoever gets one owns it."""
        if self._folder is None or not self._folder.is_dir():
            return
        for path in sorted(self._folder.glob(f"*{_SUFFIX}")):
            try:
                file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:
                continue  # torn out just now
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                ours = os.fstat(file).st_nlink > 0
            except OSError:
                ours = False  # its sender lives
            if ours:
                yield Page(path, file)
            else:
                os.close(file)

    @staticmethod
    def _begun(folder: Path) -> Page:
        """A page gets its name when it is locked: nobody takes it for an orphan."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = secrets.token_hex(8)
        unlocked, path = folder / f".{name}", folder / f"{name}{_SUFFIX}"
        file = os.open(unlocked, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(file, fcntl.LOCK_EX)
        unlocked.rename(path)
        return Page(path, file)
