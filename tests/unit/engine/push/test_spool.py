"""Spools: what goes in comes out, in order, as often as it is asked for."""

from __future__ import annotations

from contextlib import closing
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.identity.fingerprint import digest
from driftline.engine.push import spool
from driftline.engine.push.spool import PARTS, PartedRows, PartedStamps, Stream, fingerprints
from driftline.engine.recording import PartialObservation


def rows_of(spooled: PartedRows, part: int) -> list[tuple[bytes, bytes]]:
    stamps, texts = spooled.part(part)
    assert len(stamps) == 32 * len(texts)
    return [(stamps[32 * at : 32 * at + 32], text) for at, text in enumerate(texts)]


ROWS = st.lists(
    st.tuples(st.text(max_size=3), st.binary(max_size=200).map(lambda text: text.replace(b"\0", b"")), st.booleans())
)


@given(ROWS)
def test_all_rows_of_a_key_are_in_one_part_in_their_order(rows: list[tuple[str, bytes, bool]]) -> None:
    with closing(PartedRows()) as spooled:
        for key, text, full in rows:
            spooled.add([(digest(key.encode("utf-8", "surrogatepass")) + digest(text), text)])
            if full:
                spooled.flush()
        parts = [rows_of(spooled, part) for part in range(PARTS)]
        assert parts == [rows_of(spooled, part) for part in range(PARTS)], "walked twice"
    hashes = [{stamp[:16] for stamp, _ in part} for part in parts]
    assert sum(map(len, hashes)) == len(set().union(*hashes))
    for key, _, _ in rows:
        hashed = digest(key.encode("utf-8", "surrogatepass"))
        found = [text for part in parts for stamp, text in part if stamp == hashed + digest(text)]
        assert found == [text for other, text, _ in rows if other == key]


@pytest.mark.parametrize("held", [10_000, 10_000_000])
def test_stamps_of_rows_and_of_members_are_in_the_same_parts(monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    monkeypatch.setattr(spool, "_BUFFER_BYTES", held)
    stamps = [digest(str(number).encode()) + digest(str(number % 7).encode()) for number in range(1000)]
    members = PartedStamps()
    members.add(stamps[:500])
    members.add(stamps[500:])
    with closing(PartedRows()) as spooled:
        for stamp in stamps:
            spooled.add([(stamp, b"x" * 2000)])
        parts = [fingerprints(spooled.part(part)[0]) for part in range(PARTS)]
    assert parts == [members.part(part) for part in range(PARTS)]
    assert sum(map(len, parts)) == 1000


@pytest.mark.parametrize("held", [0, 3, 100])
def test_a_stream_goes_on_in_a_file_and_can_be_walked_again(monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    monkeypatch.setattr(spool, "_IN_MEMORY", held)
    sights = [PartialObservation(UUID(int=number), bytes([number])) for number in range(10)]
    with closing(Stream(PartialObservation)) as stream:
        assert not stream
        for sight in sights:
            stream.add(sight)
        assert len(stream) == 10
        assert list(stream) == list(stream) == sights
        stream.clear()
        assert list(stream) == []
        stream.add(sights[0])
        assert list(stream) == sights[:1]
