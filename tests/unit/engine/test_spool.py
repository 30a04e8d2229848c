"""Spools: what goes in comes out, in order, as often as it is asked for."""

from __future__ import annotations

from contextlib import closing
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.fingerprint import digest
from driftline.engine import spool
from driftline.engine.ports import Sight
from driftline.engine.spool import PARTS, PartedRows, Stream


@given(st.lists(st.tuples(st.text(max_size=3), st.binary(max_size=200_000 // 1000)), max_size=60))
def test_all_rows_of_a_key_are_in_one_part_in_their_order(rows: list[tuple[str, bytes]]) -> None:
    with closing(PartedRows()) as spooled:
        for key, text in rows:
            spooled.add(digest(key.encode("utf-8", "surrogatepass")), digest(text), text)
        parts = [list(spooled.part(part)) for part in range(PARTS)]
        assert parts == [list(spooled.part(part)) for part in range(PARTS)], "walked twice"
    hashes = [{hashed for hashed, _, _ in part} for part in parts]
    assert sum(map(len, hashes)) == len(set().union(*hashes))
    for key, _ in rows:
        hashed = digest(key.encode("utf-8", "surrogatepass"))
        found = [text for part in parts for one, fingerprint, text in part if one == hashed and fingerprint == digest(text)]
        assert found == [text for other, text in rows if other == key]


def test_parts_are_ranges_of_hashes() -> None:
    with closing(PartedRows()) as spooled:
        for number in range(1000):
            spooled.add(digest(str(number).encode()), b"f" * 16, b"x" * 2000)
        order = [hashed for part in range(PARTS) for hashed in sorted({row[0] for row in spooled.part(part)})]
    assert order == sorted(order)
    assert len(order) == 1000


@pytest.mark.parametrize("held", [0, 3, 100])
def test_a_stream_goes_on_in_a_file_and_can_be_walked_again(monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    monkeypatch.setattr(spool, "_IN_MEMORY", held)
    sights = [Sight(UUID(int=number), bytes([number])) for number in range(10)]
    with closing(Stream(Sight)) as stream:
        assert not stream
        for sight in sights:
            stream.add(sight)
        assert len(stream) == 10
        assert list(stream) == list(stream) == sights
        stream.clear()
        assert list(stream) == []
        stream.add(sights[0])
        assert list(stream) == sights[:1]
