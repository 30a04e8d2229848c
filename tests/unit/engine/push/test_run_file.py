"""Pushed runs as bytes: every form, cut anywhere, gives the same rows; what is no run is refused with its line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.engine.push.run_file import Envelope, RunFile
from driftline.errors import BadFile

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(st.text(max_size=4), values, max_size=4)
FORMS: dict[str, Callable[[list[dict[str, Any]]], str]] = {
    "lines": lambda rows: "\n".join(map(json.dumps, rows)),
    "spaced lines": lambda rows: "".join(f"\n  {json.dumps(row)} \r\n" for row in rows),
    "list": json.dumps,
    "pretty list": lambda rows: "\ufeff" + json.dumps(rows, indent=2),
    "envelope": lambda rows: json.dumps({"run_key": "k", "other": {"a": [1]}, "products": rows, "status": "partial"}),
    "pretty envelope": lambda rows: json.dumps({"products": rows, "run_key": "k"}, indent=1, ensure_ascii=False),
}


def cut(data: bytes, size: int) -> list[bytes]:
    return [piece for at in range(0, len(data), size) for piece in (data[at : at + size], b"")]  # empty ones are not the end


@given(rows=st.lists(objects, min_size=1, max_size=6), size=st.integers(1, 40))
def test_any_rows_in_any_form_cut_anywhere_come_out_the_same(rows: list[dict[str, Any]], size: int) -> None:
    for form, written in FORMS.items():  # making the rows takes most of the time
        try:
            data = written(rows).encode()
        except UnicodeEncodeError:  # a lone surrogate that is not escaped is no JSON file
            continue
        read = [json.loads(text) for _, text in RunFile(cut(data, size)).rows()]
        assert repr(read) == repr(rows), form  # by what they print: NaN is not equal to itself


@given(rows=st.lists(objects, min_size=1, max_size=6))
def test_values_are_rows_too(rows: list[dict[str, Any]]) -> None:
    assert repr([json.loads(text) for _, text in RunFile(rows).rows()]) == repr(rows)


def test_rows_know_their_line() -> None:
    pretty = b'{\n"products": [\n{"a": 1},\n\n{"a": [\n2]}, {"a": 3}]}'
    assert [line for line, _ in RunFile([pretty]).rows()] == [3, 5, 6]
    assert [line for line, _ in RunFile([b'{"a": 1}\n\n{"a": 2}\n']).rows()] == [1, 3]


def test_the_envelope_may_stand_before_and_behind_the_products() -> None:
    file = RunFile([b'{"run_key": 7, "products": [], "started_at": "2026-03-01T12:00:00+02:00", "status": "failed"}'])
    assert list(file.rows()) == []
    said = file.envelope()
    assert (said.run_key, said.status, said.started_at and said.started_at.isoformat()) == (
        "7",
        "failed",
        "2026-03-01T10:00:00+00:00",
    )


@pytest.mark.parametrize("name", ["runKey", "run_id", "scrapeRunId", "SCRAPE_RUN_ID"])
def test_a_run_has_its_key_under_the_names_of_other_crawlers(name: str) -> None:
    file = RunFile([json.dumps({name: "7", "products": [{"url": "/a", "run_id": "8"}]}).encode()])
    assert [row for _, row in file.rows()] == [b'{"url": "/a", "run_id": "8"}']
    assert (file.envelope().run_key, file.notices()) == ("7", ())


def test_a_file_that_says_nothing_about_itself_has_a_plain_envelope() -> None:
    file = RunFile([b"[]"])
    assert list(file.rows()) == []
    assert file.envelope() == Envelope()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b'[{"a": 1},\n{"a": }]', 2),
        (b'[{"a": 1}\n{"a": 2}]', 2),
        (b'{"products": [1]\n', 2),
        (b'{"products": [], "run_key"}', 1),
        (b'{"products": 5}', 1),
        (b"[1] [2]", 1),
        (b"[\xff]", 1),
        (b'["\n', 1),
    ],
)
def test_a_document_that_breaks_off_is_refused_with_its_line(text: bytes, line: int) -> None:
    with pytest.raises(BadFile) as refused:
        list(RunFile([text]).rows())
    assert refused.value.context["line"] == line


def test_a_row_without_an_end_is_not_held_in_memory() -> None:
    def endless() -> Any:
        yield b'["'
        for _ in range(100):
            yield b"x" * 100_000

    with pytest.raises(BadFile, match="too large"):
        list(RunFile(endless()).rows())
    lines = RunFile(b"x" * 100_000 for _ in range(60))
    assert [len(text) <= 2_200_000 for _, text in lines.rows()] == [True]


@pytest.mark.parametrize(
    ("line", "is_envelope"),
    [
        (b'{"status": "partial"}', True),
        (b'{"runKey": "k", "colour": "red"}', True),
        (b'{"url": "https://example.org/a", "title": "A"}', False),
        (b'{"url": "https://example.org/a", "status": "partial"}', False),
        (b"{}", False),
        (b"[]", False),
        (b"{", False),
    ],
)
def test_a_line_is_an_envelope_if_it_says_something_of_the_run_alone(line: bytes, is_envelope: bool) -> None:
    assert RunFile([]).take_envelope(line) is is_envelope


def test_unknown_fields_of_an_envelope_are_named_in_one_warning() -> None:
    file = RunFile([b'{"run_key": "k", "colour": "red", "size": 1, "products": []}'])
    assert list(file.rows()) == []
    ((code, count),) = {(notice.code, notice.count) for notice in file.notices()}
    assert (code, count) == ("unknown_fields", 2)
    assert "colour, size" in file.notices()[0].message
    assert RunFile([]).notices() == ()
