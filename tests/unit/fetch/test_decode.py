from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from driftline.fetch.decode import Body, BodyError

ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}
RAW_DEFLATE = zlib.compressobj(wbits=-15)


def _decoded(encoding: str, data: bytes, cuts: list[int], limit: int = 10_000_000) -> bytes:
    body = Body(encoding, limit)
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    for start, end in pairwise(edges):
        body.feed(data[start:end])
    return body.whole()


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(data=st.binary(max_size=2_000), cuts=st.lists(st.integers(0, 4_000), max_size=5), times=st.sampled_from([1, 50, 2_000]))
def test_a_body_is_the_same_however_it_was_cut(encoding: str, data: bytes, cuts: list[int], times: int) -> None:
    assert _decoded(encoding, ENCODINGS[encoding](data * times), cuts) == data * times


@given(data=st.binary(max_size=2_000), cuts=st.lists(st.integers(0, 4_000), max_size=5))
def test_deflate_without_its_header_is_understood(data: bytes, cuts: list[int]) -> None:
    packer = RAW_DEFLATE.copy()
    assert _decoded("deflate", packer.compress(data) + packer.flush(), cuts) == data


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
@given(data=st.binary(min_size=1, max_size=500), at=st.integers(0, 10_000))
def test_a_cut_body_is_never_whole(encoding: str, data: bytes, at: int) -> None:
    packed = ENCODINGS[encoding](data)
    with pytest.raises(BodyError):
        _decoded(encoding, packed[: 1 + at % (len(packed) - 1)], [])


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(size=st.integers(1, 600_000), over=st.integers(1, 1_000))
def test_the_limit_is_exact_and_counts_what_comes_out(encoding: str, size: int, over: int) -> None:
    packed = ENCODINGS[encoding](bytes(size))
    assert len(_decoded(encoding, packed, [], limit=size)) == size
    with pytest.raises(BodyError) as raised:
        _decoded(encoding, packed, [], limit=max(0, size - over))
    assert raised.value.truncated


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
@given(data=st.binary(max_size=300))
def test_noise_raises_nothing_but_body_errors(encoding: str, data: bytes) -> None:
    with suppress(BodyError):
        assert isinstance(_decoded(encoding, data, []), bytes)


def test_members_and_frames_one_after_another_are_one_body() -> None:
    assert _decoded("gzip", gzip.compress(b"one ") + gzip.compress(b"two"), [3, 40]) == b"one two"
    assert _decoded("zstd", zstandard.compress(b"one ") + zstandard.compress(b"two"), [3, 20]) == b"one two"


def test_padding_after_gzip_is_ignored_as_browsers_do() -> None:
    assert _decoded("gzip", gzip.compress(b"whole") + bytes(512), []) == b"whole"


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_nothing_at_all_is_an_empty_body_in_every_encoding(encoding: str) -> None:
    assert Body(encoding, 10).whole() == b""


@pytest.mark.parametrize("encoding", ["identity", "none", "UTF-8", "identity, identity", " "])
def test_words_that_encode_nothing_are_passed_over(encoding: str) -> None:
    assert _decoded(encoding, b"plain", []) == b"plain"


@pytest.mark.parametrize("encoding", ["gzip, br", "gzip,gzip", "identity, gzip, deflate", "compress", "dcb", "gzip;q=1"])
def test_more_than_one_encoding_and_unknown_ones_are_refused(encoding: str) -> None:
    with pytest.raises(BodyError):
        Body(encoding, 10)


def test_a_window_larger_than_the_web_allows_is_refused() -> None:
    wide = zstandard.ZstdCompressionParameters(window_log=27)
    packer = zstandard.ZstdCompressor(compression_params=wide).compressobj()
    with pytest.raises(BodyError):
        _decoded("zstd", packer.compress(b"x" * 1_000) + packer.flush(), [])


def test_endless_blocks_that_hold_nothing_end_with_a_reason() -> None:
    body = Body("deflate", 10_000)
    body.feed(b"\x78\x9c")
    with pytest.raises(BodyError, match="too large"):
        any(body.feed(b"\0\0\0\xff\xff" * 1_000) for _ in range(100))  # type: ignore[func-returns-value]


@pytest.mark.parametrize("empty", [gzip.compress(b""), zstandard.compress(b"")], ids=["gzip", "zstd"])
def test_endless_empty_parts_end_with_a_reason(empty: bytes) -> None:
    body = Body("gzip" if empty.startswith(b"\x1f") else "zstd", 10_000)
    with pytest.raises(BodyError, match="body of too many parts"):
        body.feed(empty * 1_001)
    few = Body("gzip" if empty.startswith(b"\x1f") else "zstd", 10_000)
    few.feed(empty * 1_000)
    assert few.whole() == b""
