"""Fields of a watch as texts: what is written is what a form shows again, and what is wrong is said."""

from __future__ import annotations

import re

import pytest

from driftline.engine.editing.tag_fields import TAG_FIELDS, tag_words, with_tag_field
from driftline.engine.editing.watch_fields import FIELDS, is_list, with_field
from driftline.engine.editing.watch_input import WatchInput, read_rules
from driftline.engine.editing.watch_texts import texts_of, type_name
from driftline.errors import BadRule, UsageError
from driftline.kinds.registry import KINDS
from driftline.model.tag import TagSettings

PLAIN = WatchInput(url="https://example.org/")
# What is written, and what is shown again where that is another form of it.
WRITTEN: dict[str, tuple[list[str], list[str]]] = {
    "url": (["https://example.org/terms"], []),
    "kind": (["catalog"], []),
    "name": (["Terms"], []),
    "tag": (["shop, food", "new"], ["shop", "food", "new"]),
    "every": (["90m"], ["1h30m"]),
    "cron": (["0 9 * * mon"], []),
    "timezone": (["Europe/Berlin"], []),
    "window": (["mon-fri 09:00-17:00; sat 10:00-12:00"], ["mon,tue,wed,thu,fri 09:00-17:00", "sat 10:00-12:00"]),
    "adaptive": (["Yes"], ["yes"]),
    "when": (["price < 80"], []),
    "intent": (["only", "refunds"], ["only refunds"]),
    "header": (["X-One: 1", "X-Two:2"], ["X-One: 1", "X-Two: 2"]),
    "cookie": (["a=1; b=2;", "c="], ["a=1", "b=2", "c="]),
    "method": (["post"], ["POST"]),
    "body": (["a", "b"], ["a\nb"]),
    "proxy": (["home"], []),
    "browser": (["Always"], ["always"]),
    "wait_for": ([".price"], []),
    "step": (["click .more"], ["click .more"]),
    "session": (["me"], []),
    "timeout": (["30s"], ["30s"]),
    "robots": (["no"], []),
}


def test_every_field_has_its_row_here() -> None:
    assert WRITTEN.keys() == set(FIELDS)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_field_is_shown_as_it_was_written_and_nothing_takes_it_back(name: str) -> None:
    texts, shown = WRITTEN[name]
    given = with_field(PLAIN, name, texts, KINDS)
    assert texts_of(given, name) == (shown or texts)
    assert {other for other in FIELDS if texts_of(given, other) != texts_of(PLAIN, other)} == {name}
    if name != "kind":  # a watch is always of one
        assert texts_of(with_field(given, name, [" "], KINDS), name) == []


def test_a_value_that_is_the_default_is_the_watch_s_own_where_it_was_written() -> None:
    assert texts_of(PLAIN, "browser") == texts_of(PLAIN, "every") == texts_of(PLAIN, "adaptive") == []
    own = with_field(with_field(PLAIN, "browser", ["auto"], KINDS), "every", ["1h"], KINDS)
    assert own.own == ("browser", "every")
    assert with_field(own, "browser", [], KINDS).own == ("every",)
    assert texts_of(with_field(PLAIN, "robots", ["yes"], KINDS), "robots") == ["yes"]


def test_an_interval_takes_the_place_of_a_cron_line_and_no_interval_leaves_it() -> None:
    cron = with_field(PLAIN, "cron", ["0 9 * * *"], KINDS)
    assert texts_of(cron, "every") == []
    assert with_field(cron, "every", ["2h"], KINDS).schedule.cron is None
    assert with_field(cron, "every", [], KINDS).schedule.cron == "0 9 * * *"


@pytest.mark.parametrize(
    ("name", "texts", "problem"),
    [
        ("method", ["PUT"], 'unknown method "PUT"'),
        ("browser", ["often"], '"often" is no way to use the browser'),
        ("robots", ["maybe"], '"robots" must be yes or no'),
        ("header", ["X-One 1"], '"X-One 1" is not a header'),
        ("cookie", ["=1"], '"=1" is not a cookie'),
        ("timeout", ["soon"], "invalid timeout"),
        ("name", ["a", "b"], '"name" takes one value'),
        ("text_threshold", ["1", "2"], '"text_threshold" takes one value'),
        ("sensitivity", ["{oops"], '"sensitivity" is not valid JSON'),
        ("tittle", ["x"], 'unknown field "tittle"'),
    ],
)
def test_what_is_wrong_with_a_field_is_said(name: str, texts: list[str], problem: str) -> None:
    with pytest.raises(UsageError, match=re.escape(problem)):
        with_field(PLAIN, name, texts, KINDS)


def test_a_rule_is_of_its_type_and_goes_when_nothing_is_written() -> None:
    given = PLAIN
    for name, texts in (("select", ["main", ".price"]), ("snapshots", ["keep"]), ("ignore", ["^Ad"]), ("alert_after", ["3"])):
        given = with_field(given, name, texts, KINDS)
    assert given.rules == {
        "select": ("main", ".price"), "detailed_snapshots": True, "ignore_text": ("^Ad",), "alert_after": 3,
    }  # fmt: skip
    assert texts_of(given, "select") == ["main", ".price"]
    assert texts_of(given, "detailed_snapshots") == ["yes"]
    assert with_field(given, "select", [], KINDS).rules.keys() == given.rules.keys() - {"select"}
    with pytest.raises(BadRule):
        with_field(PLAIN, "alert_after", ["often"], KINDS)


def test_a_list_of_numbers_is_written_with_commas() -> None:
    slots = WatchInput(url="https://example.org/", kind="availability")
    assert with_field(slots, "party_sizes", ["2, 4"], KINDS).rules == {"party_sizes": (2, 4)}


def test_types_are_named_as_people_read_them() -> None:
    names = [type_name(type_) for type_ in (str, int | None, bool, tuple[str, ...], tuple[int, ...] | str)]
    assert names == ["text", "whole number", "yes or no", "list of texts", "list of whole numbers or text"]
    assert is_list(tuple[str, ...] | None)
    assert not is_list(str | None)


def test_a_tag_sets_what_a_watch_can_leave_open_and_rules_behind_their_kind() -> None:
    tag = with_tag_field(TagSettings(), "every", "=", ["2h"], KINDS)
    tag = with_tag_field(tag, "page.ignore", "=", ["^Ad"], KINDS)
    tag = with_tag_field(tag, "page.ignore", "+=", ["^Visitors"], KINDS)
    assert dict(tag_words(tag)) == {"every": "2h", "page ignore text": "^Ad, ^Visitors"}
    tag = with_tag_field(tag, "page.ignore", "-=", ["^Ad"], KINDS)
    assert tag.rules == {"page": {"ignore_text": ("^Visitors",)}}
    assert with_tag_field(tag, "page.ignore", "=", [], KINDS).rules == {}
    assert set(FIELDS) - set(TAG_FIELDS) == {"url", "kind", "name", "tag", "when", "intent"}
    for name in ("name", "pge.ignore"):
        with pytest.raises(UsageError, match=f'a tag cannot set "{name}"'):
            with_tag_field(tag, name, "=", ["x"], KINDS)


def test_a_rule_has_as_many_entries_as_a_year_has_days() -> None:
    catalog = KINDS["catalog"]
    read_rules(catalog, {"sold_out": ["gone"] * 366, "fields": {"extra": {f"n{number}": "p" for number in range(366)}}})
    for crowded in ({"sold_out": ["gone"] * 367}, {"fields": {"extra": {f"n{number}": "p" for number in range(367)}}}):
        with pytest.raises(BadRule, match="too many entries"):
            read_rules(catalog, crowded)
