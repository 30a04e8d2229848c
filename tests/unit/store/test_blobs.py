from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from driftline.errors import BadSetting, StoreCorrupt, StoreUnavailable
from driftline.store.blobs import FolderBlobs, ObjectBlobs, TableBlobs, blobs_for, key_of

BODY = b"<html>" + b"hello " * 1000
NO_TX: Any = None  # what lives outside the database needs no transaction


def test_a_folder_keeps_bodies_compressed_below_their_digest(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path)
    blobs.store_before_commit([BODY, b""])
    key = blobs.store_in_commit(NO_TX, BODY, at=NO_TX)
    assert key == key_of(BODY)
    assert blobs.load(NO_TX, key) == BODY
    assert blobs.load(NO_TX, key_of(b"")) == b""
    assert blobs.path(key).stat().st_size < len(BODY) / 10
    assert blobs.path(key).parent.name == key[:2]
    assert not list(tmp_path.rglob(".new-*"))


def test_a_body_that_is_there_is_touched_and_not_written_again(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path)
    blobs.store_before_commit([BODY])
    path = blobs.path(key_of(BODY))
    os.utime(path, (1, 1))
    inode = path.stat().st_ino
    blobs.store_before_commit([BODY])
    assert path.stat().st_ino == inode
    assert path.stat().st_mtime > 1


def test_a_missing_body_is_none(tmp_path: Path) -> None:
    assert FolderBlobs(tmp_path).load(NO_TX, key_of(b"never stored")) is None


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "A" * 64, "a" * 63, "a" * 65, "a" * 63 + "\n", "/" + "a" * 63])
def test_a_key_is_a_hex_digest_and_nothing_else(tmp_path: Path, key: str) -> None:
    for blobs in (FolderBlobs(tmp_path), TableBlobs()):
        with pytest.raises(StoreCorrupt):
            blobs.load(NO_TX, key)


def test_a_body_that_was_tampered_with_is_corrupt(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path)
    blobs.store_before_commit([BODY, b"other"])
    blobs.path(key_of(BODY)).write_bytes(blobs.path(key_of(b"other")).read_bytes())
    with pytest.raises(StoreCorrupt):
        blobs.load(NO_TX, key_of(BODY))
    blobs.path(key_of(BODY)).write_bytes(b"not zstd")
    with pytest.raises(StoreCorrupt):
        blobs.load(NO_TX, key_of(BODY))


def test_a_folder_that_cannot_be_written_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnavailable):
        FolderBlobs(tmp_path / "file").store_before_commit([BODY])


def test_bodies_are_for_their_owner_alone(tmp_path: Path) -> None:
    earlier = os.umask(0)
    try:
        fresh = FolderBlobs(tmp_path / "fresh")
        fresh.store_before_commit([BODY])
        kept = {path: _mode(path) for path in (fresh.folder, *fresh.folder.rglob("*"))}
    finally:
        os.umask(earlier)
    assert sorted(kept.values()) == [0o600, 0o700, 0o700]
    assert fresh.open_to_others() == []


def test_folders_that_were_open_to_others_are_tightened_or_named(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path / "old")
    old, new = blobs.path(key_of(b"old")).parent, blobs.path(key_of(BODY)).parent
    for place in (blobs.folder, old, new):
        place.mkdir()
        place.chmod(0o755)
    assert blobs.open_to_others() == sorted([blobs.folder, old, new])
    blobs.store_before_commit([BODY])
    assert (_mode(old), _mode(new)) == (0o700, 0o700)
    assert blobs.open_to_others() == [blobs.folder]  # the operator's; `doctor` says it


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_place_decides_what_keeps_bodies(tmp_path: Path) -> None:
    assert isinstance(blobs_for(""), TableBlobs)
    assert isinstance(blobs_for(str(tmp_path)), FolderBlobs)
    assert isinstance(blobs_for(f"file://{tmp_path}"), FolderBlobs)
    with pytest.raises(BadSetting):
        blobs_for("ftp://example.com/x")


def test_an_object_store_keeps_and_gives_back(tmp_path: Path) -> None:
    blobs = ObjectBlobs(f"file://{tmp_path}")  # the same interface of obstore as buckets have
    blobs.store_before_commit([BODY])
    assert blobs.load(NO_TX, blobs.store_in_commit(NO_TX, BODY, at=NO_TX)) == BODY
    assert blobs.load(NO_TX, key_of(b"never stored")) is None
