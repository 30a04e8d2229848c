"""What a YAML file may hold: all its documents, and nothing that grows far beyond what was written."""

from __future__ import annotations

import pytest

from driftline.engine.imports.yaml_text import MAX_BYTES, read_yaml
from driftline.errors import BadFile


def test_every_document_of_a_file_is_read() -> None:
    assert read_yaml(b"url: a\n---\n- b\n- 3\n") == [{"url": "a"}, ["b", 3]]


@pytest.mark.parametrize("text", [b"a: [", b"!!bool perhaps", b"!!python/object:os.system {}"])
def test_what_is_not_yaml_is_said(text: bytes) -> None:
    with pytest.raises(BadFile, match="not YAML"):
        read_yaml(text)


def test_a_file_that_is_too_large_is_not_read() -> None:
    with pytest.raises(BadFile, match="too large"):
        read_yaml(b"#" * (MAX_BYTES + 1))


def with_aliases(first: str, count: int) -> bytes:
    return f"- &one {first}\n".encode() + b"- *one\n" * count


def test_aliases_may_repeat_a_little() -> None:
    assert read_yaml(with_aliases("[1, 2]", 100)) == [[[1, 2]] * 101]


def test_aliases_that_make_many_values_of_few_are_refused() -> None:
    with pytest.raises(BadFile, match="aliases repeat too much"):
        read_yaml(with_aliases(f"[{', '.join('1' * 1_000)}]", 500))


def test_a_long_text_counts_as_often_as_it_is_repeated() -> None:
    with pytest.raises(BadFile, match="aliases repeat too much"):
        read_yaml(with_aliases("x" * 160_000, 60))
