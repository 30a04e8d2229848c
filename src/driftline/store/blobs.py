"""Stores bodies by their SHA-256: in the database with the commit, or in a folder or bucket before it."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Protocol

import zstandard

from driftline.engine.recording import Recording
from driftline.errors import BadSetting, StoreCorrupt, StoreUnavailable
from driftline.store.db.database import Tx

_KEY: Final = re.compile(r"[0-9a-f]{64}")
_MAX_BYTES: Final = 64 * 1024 * 1024  # bytes of a decompressed body; fetched bodies are far smaller
_LEVEL: Final = 3
_OWNER_ONLY: Final = 0o700  # mode of folders: for the owner only


class Blobs(Protocol):
    """A place where bodies are stored."""

    inside: bool  # in the database itself, so atomic with the commit

    def store_in_commit(self, tx: Tx, body: bytes, *, at: datetime) -> str:
        """Inside a commit: the key of a body, stored now or before."""

    def store_before_commit(self, bodies: Iterable[bytes]) -> None:
        """Before a commit: make bodies durable, where the commit itself cannot."""

    def load(self, tx: Tx, key: str) -> bytes | None:
        """The body; None if it is gone."""

    def unused_since(self, tx: Tx, *, before_at: datetime, after: str, limit: int) -> list[tuple[str, int]]:
        """Keys and stored sizes of bodies that were not used since an instant, ordered by key, after one of them."""

    def delete_if_unused(self, tx: Tx, key: str, *, before_at: datetime) -> bool:
        """Delete a body unless it was used meanwhile; returns whether it was deleted."""


def blobs_for(place: str) -> Blobs:
    """The blobs table for an empty setting, else a folder or an object store by its URL."""
    if not place:
        return TableBlobs()
    scheme, separator, _ = place.partition("://")
    if not separator:
        return FolderBlobs(Path(place).expanduser())
    if scheme == "file":
        return FolderBlobs(Path(place.removeprefix("file://")))
    if scheme in {"s3", "gs", "az"}:
        return ObjectBlobs(place)
    raise BadSetting("invalid blob store", scheme=scheme, hint="use a folder, or an s3://, gs:// or az:// URL")


def key_of(body: bytes) -> str:
    """The SHA-256 of a body, hex."""
    return hashlib.sha256(body).hexdigest()


def bodies(recording: Recording) -> Iterable[bytes]:
    """The bodies and pictures of a recording."""
    if recording.picture is not None:
        yield recording.picture
    yield from (item.snapshot.body for item in recording.items if item.snapshot is not None and item.snapshot.body is not None)


def _compress(body: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=_LEVEL).compress(body)


def _decompress(key: str, data: bytes) -> bytes:
    try:
        body = zstandard.ZstdDecompressor().decompress(data, max_output_size=_MAX_BYTES)
    except zstandard.ZstdError as error:
        raise StoreCorrupt("a stored body does not unpack", key=key, reason=str(error)) from error
    if key_of(body) != key:
        raise StoreCorrupt("a stored body is not what its key says", key=key)
    return body


def _valid_key(key: str) -> str:
    if _KEY.fullmatch(key) is None:
        raise StoreCorrupt("a blob key is 64 hex digits", key=key)
    return key


class TableBlobs:
    """Bodies in the `blobs` table."""

    inside = True

    def store_in_commit(self, tx: Tx, body: bytes, *, at: datetime) -> str:
        """Insert the body; for one that exists, only the time of its use is updated."""
        key = key_of(body)
        tx.run(
            "INSERT INTO blobs (key, data, size, touched_at) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (key) DO UPDATE SET touched_at = excluded.touched_at",
            (key, _compress(body), len(body), at),
        )
        return key

    def store_before_commit(self, bodies: Iterable[bytes]) -> None:
        """Nothing to do: the commit stores them."""

    def load(self, tx: Tx, key: str) -> bytes | None:
        """From the table."""
        _valid_key(key)
        row = tx.row("SELECT data FROM blobs WHERE key = ?", (key,))
        return None if row is None else _decompress(key, row[0])

    def unused_since(self, tx: Tx, *, before_at: datetime, after: str, limit: int) -> list[tuple[str, int]]:
        """Those that no snapshot and no picture refers to."""
        return tx.rows(
            "SELECT b.key, length(b.data) FROM blobs AS b WHERE b.key > ? AND b.touched_at < ? "
            "AND NOT EXISTS (SELECT 1 FROM snapshots AS s WHERE s.blob_key = b.key) "
            "AND NOT EXISTS (SELECT 1 FROM pictures AS p WHERE p.blob_key = b.key) ORDER BY b.key LIMIT ?",
            (after, before_at, limit),
        )

    def delete_if_unused(self, tx: Tx, key: str, *, before_at: datetime) -> bool:
        """Inside the caller's transaction."""
        return tx.run("DELETE FROM blobs WHERE key = ? AND touched_at < ?", (key, before_at)) > 0


class FolderBlobs:
    """Files below a folder, two levels deep; durable before the commit that refers to them."""

    inside = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._tightened = False  # whether permissions of existing folders were tightened

    def path(self, key: str) -> Path:
        """The file of a body."""
        return self.folder / _valid_key(key)[:2] / f"{key}.zst"

    def store_in_commit(self, tx: Tx, body: bytes, *, at: datetime) -> str:  # noqa: ARG002 - the protocol's
        """Nothing to do: `store_before_commit` wrote it."""
        return key_of(body)

    def store_before_commit(self, bodies: Iterable[bytes]) -> None:
        """Write, fsync, rename, fsync the folder; an existing file gets a new time, so that retention keeps it."""
        for body in bodies:
            path = self.path(key_of(body))
            try:
                self._tighten()
                if path.exists():
                    os.utime(path)
                else:
                    _write_durably(path, _compress(body))
            except OSError as error:
                raise StoreUnavailable("a body cannot be written", path=str(path), reason=str(error)) from error

    def open_to_others(self) -> list[Path]:
        """Folders that other users of the machine may enter; the configured one first."""
        places = [self.folder, *self._inner()]
        return [place for place in places if place.exists() and stat.S_IMODE(place.stat().st_mode) & 0o077]

    def _inner(self) -> list[Path]:
        return sorted(place for place in self.folder.glob("[0-9a-f][0-9a-f]") if place.is_dir())

    def _tighten(self) -> None:
        """Restrict inner folders of earlier versions to the owner; the configured folder itself is left to the operator."""
        self.folder.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
        if self._tightened:
            return
        for place in self.open_to_others():
            if place != self.folder:
                with suppress(PermissionError):  # owned by another user: `driftline doctor` reports it
                    place.chmod(_OWNER_ONLY)
        self._tightened = True

    def load(self, tx: Tx, key: str) -> bytes | None:  # noqa: ARG002 - the protocol's
        """From its file."""
        try:
            return _decompress(key, self.path(key).read_bytes())
        except FileNotFoundError:
            return None

    def unused_since(self, tx: Tx, *, before_at: datetime, after: str, limit: int) -> list[tuple[str, int]]:  # noqa: ARG002 - likewise
        """By the times of the files."""
        found: list[tuple[str, int]] = []
        for path in sorted(path for path in self.folder.glob("??/*.zst") if path.stem > after):
            with suppress(FileNotFoundError):
                seen = path.stat()
                if seen.st_mtime < before_at.timestamp():
                    found.append((path.stem, seen.st_size))
            if len(found) == limit:
                break
        return found

    def delete_if_unused(self, tx: Tx, key: str, *, before_at: datetime) -> bool:  # noqa: ARG002 - likewise
        """Rename it first: a concurrent writer then writes it again, and one used meanwhile is renamed back."""
        path = self.path(key)
        unindexed = path.with_suffix(".gone")
        try:
            path.replace(unindexed)
        except FileNotFoundError:
            return False
        if unindexed.stat().st_mtime >= before_at.timestamp():
            unindexed.replace(path)
            return False
        unindexed.unlink()
        return True


def _write_durably(path: Path, data: bytes) -> None:
    path.parent.mkdir(mode=_OWNER_ONLY, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")  # readable by the owner only
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            Path(name).unlink()
        raise
    for folder in (path.parent, path.parent.parent):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class ObjectBlobs:
    """Objects in S3, GCS or Azure, through obstore."""

    inside = False

    def __init__(self, url: str) -> None:
        from obstore.store import from_url  # noqa: PLC0415 - 80 ms that only its users pay

        self._store: Any = from_url(url)

    def store_in_commit(self, tx: Tx, body: bytes, *, at: datetime) -> str:  # noqa: ARG002 - the protocol's
        """Nothing to do: `store_before_commit` wrote it."""
        return key_of(body)

    def store_before_commit(self, bodies: Iterable[bytes]) -> None:
        """Writing an object is atomic; writing it again updates its time."""
        from obstore.exceptions import BaseError  # noqa: PLC0415

        try:
            for body in bodies:
                self._store.put(f"{key_of(body)}.zst", _compress(body))
        except BaseError as error:
            raise StoreUnavailable("a body cannot be written", reason=str(error)) from error

    def load(self, tx: Tx, key: str) -> bytes | None:  # noqa: ARG002 - the protocol's
        """From the bucket."""
        from obstore.exceptions import BaseError, NotFoundError  # noqa: PLC0415

        try:
            return _decompress(key, bytes(self._store.get(f"{_valid_key(key)}.zst").bytes()))
        except (NotFoundError, FileNotFoundError):
            return None
        except BaseError as error:
            raise StoreUnavailable("a body cannot be read", reason=str(error)) from error

    def unused_since(self, tx: Tx, *, before_at: datetime, after: str, limit: int) -> list[tuple[str, int]]:  # noqa: ARG002 - likewise
        """By the times of the objects, ordered by name."""
        from obstore.exceptions import BaseError  # noqa: PLC0415

        found: list[tuple[str, int]] = []
        try:
            for page in self._store.list(offset=f"{after}.zst" if after else None):
                for one in page:
                    key, _, kind = one["path"].partition(".")
                    if kind == "zst" and _KEY.fullmatch(key) and one["last_modified"] < before_at:
                        found.append((key, one["size"]))
                        if len(found) == limit:
                            return found
        except BaseError as error:
            raise StoreUnavailable("bodies cannot be listed", reason=str(error)) from error
        return found

    def delete_if_unused(self, tx: Tx, key: str, *, before_at: datetime) -> bool:  # noqa: ARG002 - likewise
        """Its time is checked once more just before."""
        from obstore.exceptions import BaseError, NotFoundError  # noqa: PLC0415

        try:
            if self._store.head(f"{key}.zst")["last_modified"] >= before_at:
                return False
            self._store.delete(f"{key}.zst")
        except (NotFoundError, FileNotFoundError):
            return False
        except BaseError as error:
            raise StoreUnavailable("a body cannot be deleted", reason=str(error)) from error
        return True
