"""Watches from what other programs wrote."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.engine.drafting import Wish
from driftline.engine.imports import Found, read_foreign
from driftline.errors import BadFile

UUIDS = ("95b2a1c0-6a4b-4c55-9d0e-2f5b7c1e9a01", "0f6f1c9e-5a3d-4a53-8d59-44f29e3a2b02")
WATCH: dict[str, Any] = {
    "url": "https://shop.example/lamp",
    "title": "A lamp",
    "tags": [UUIDS[1]],
    "include_filters": ["#price", "xpath://div[@id='stock']", "json:$.offers"],
    "subtractive_selectors": [".ad"],
    "ignore_text": ["/[0-9]+ views/", "Cookie"],
    "trigger_text": ["sold out"],
    "headers": {"X-Key": "k"},
    "time_between_check": {"weeks": None, "days": None, "hours": 1, "minutes": 30, "seconds": None},
    "paused": True,
}
SETTINGS = {
    "application": {"tags": {UUIDS[1]: {"title": "lamps"}}},
    "requests": {"time_between_check": {"weeks": None, "days": None, "hours": 3, "minutes": None, "seconds": None}},
}
EXPECTED: dict[str, Any] = {
    "url": "https://shop.example/lamp",
    "name": "A lamp",
    "tags": ("lamps",),
    "rules": {
        "select": ["#price", "//div[@id='stock']", "$.offers"],
        "remove": [".ad"],
        "ignore_text": ["/[0-9]+ views/", "Cookie"],
        "trigger_text": ["sold out"],
    },
    "paused": True,
}


def wishes(data: bytes) -> list[Found]:
    found = read_foreign(data)
    assert found is not None
    return list(found)


def only(data: bytes) -> Wish:
    (found,) = wishes(data)
    assert found.wish is not None, found.problem
    return found.wish


def zipped(files: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content if isinstance(content, bytes) else json.dumps(content))
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        json.dumps({"watching": {UUIDS[0]: WATCH}, "settings": SETTINGS}).encode(),
        zipped({"url-watches.json": {"watching": {UUIDS[0]: WATCH}, "settings": SETTINGS}, f"{UUIDS[0]}/1.txt": b"old"}),
        zipped({"changedetection.json": {"settings": SETTINGS}, f"{UUIDS[0]}/watch.json": WATCH}),
    ],
    ids=["file", "backup", "backup with a file a watch"],
)
def test_a_changedetection_backup_is_read_in_every_form(data: bytes) -> None:
    wish = only(data)
    assert {name: getattr(wish, name) for name in EXPECTED} == EXPECTED
    assert wish.schedule.every_for == 5400
    assert wish.fetch.headers == {"X-Key": "k"}


@pytest.mark.parametrize(
    ("data", "warned"),
    [
        (json.dumps({"watching": {"x": WATCH | {"fetch_backend": "html_webdriver"}}}).encode(), True),
        (json.dumps({"watching": {"x": WATCH | {"fetch_backend": "html_requests"}}}).encode(), False),
        (
            json.dumps(
                {
                    "watching": {"x": WATCH | {"fetch_backend": "system"}},
                    "settings": {"application": {"fetch_backend": "html_webdriver"}},
                }
            ).encode(),
            True,
        ),
        (b"url: https://a.example/\nuse_browser: true\n", True),
        (b"navigate: https://a.example/\n", True),
        (b"url: https://a.example/\n", False),
    ],
)
def test_what_needed_a_browser_is_taken_over_with_a_warning(data: bytes, warned: bool) -> None:
    (found,) = wishes(data)
    assert found.wish is not None
    assert ("browser" in found.problem) is warned


def test_a_watch_without_an_interval_takes_the_backups_own() -> None:
    for watch in ({"url": "https://a.example/"}, {"url": "https://a.example/", "time_between_check_use_default": True} | WATCH):
        wish = only(json.dumps({"watching": {"x": watch | {"time_between_check": {}}}, "settings": SETTINGS}).encode())
        assert wish.schedule.every_for == 10_800


@pytest.mark.parametrize(
    "field", [{"include_filters": ["jq:.a"]}, {"extract_text": ["x"]}, {"browser_steps": [{"operation": "Click"}]}]
)
def test_what_would_watch_something_else_is_refused_alone(field: dict[str, Any]) -> None:
    watching = {"a": {"url": "https://a.example/"} | field, "b": {"url": "https://b.example/"}}
    bad, good = wishes(json.dumps({"watching": watching}).encode())
    assert bad.wish is None
    assert bad.problem
    assert good.wish is not None


def test_urlwatch_jobs_become_rules() -> None:
    data = b"""# my jobs
name: "Terms"
url: "https://example.org/terms"
filter:
  - css:
      selector: main
      exclude: .ad
  - html2text
  - grep: "price|stock"
  - delete_lines_containing:
      text: Updated
  - sort
headers:
  X-Key: k
---
navigate: https://example.org/app
enabled: false
data: {a: 1}
---
kind: url
url: https://example.org/api
filter: element-by-id:content,strip
"""
    terms, app, api = wishes(data)
    assert terms.wish is not None
    assert terms.wish.name == "Terms"
    assert terms.wish.rules == {
        "select": ["main"],
        "remove": [".ad"],
        "keep_text": ["/price|stock/"],
        "ignore_text": ["Updated"],
        "sort_lines": True,
    }
    assert app.wish is not None
    assert (app.wish.paused, app.wish.fetch.method, app.wish.fetch.body) == (True, "POST", "a=1")
    assert api.wish is not None
    assert api.wish.rules == {"select": ['[id="content"]']}


def test_commands_and_unknown_filters_are_refused() -> None:
    data = b"name: a\ncommand: rm -rf /\n---\nurl: https://example.org/\nfilter:\n  - shellpipe: rm -rf /\n"
    found = wishes(data)
    assert [one.wish for one in found] == [None, None]
    assert "shellpipe" in found[1].problem


def test_opml_feeds_take_their_folder_as_a_tag() -> None:
    data = b"""<?xml version="1.0"?><opml version="2.0"><body><outline text="News">
      <outline text="A blog" type="rss" xmlUrl="https://blog.example/feed.xml" htmlUrl="https://blog.example/"/>
      </outline><outline title="Page" htmlUrl="https://page.example/"/></body></opml>"""
    blog, page = [found.wish for found in wishes(data)]
    assert blog is not None
    assert (blog.url, blog.kind, blog.name, blog.tags) == ("https://blog.example/feed.xml", "sitemap", "A blog", ("News",))
    assert page is not None
    assert (page.url, page.kind, page.tags) == ("https://page.example/", "page", ())


@pytest.mark.parametrize(
    "data",
    [
        b'<!DOCTYPE x [<!ENTITY a "b">]><opml><body><outline text="&a;" xmlUrl="https://a.example/"/></body></opml>',
        b"<opml><body></body></opml>",
        b"<opml><body><outline",
        b"<outline>" * 5000,
        b"PK\x03\x04 not really",
        zipped({"other.txt": b"x"}),
        zipped({"url-watches.json": b"\0" * (65 * 1024 * 1024)}),
        zipped({"url-watches.json": b"[" * 100_000}),
        b'{"watching": ' + b'{"a":' * 100_000,
        b"url: [",
        b"url: &a [*a, *a]\nname: !!python/object/apply:os.system ['true']\n",
    ],
    ids=[
        "doctype",
        "empty opml",
        "cut opml",
        "deep opml",
        "no zip",
        "foreign zip",
        "bomb",
        "deep zip",
        "deep json",
        "cut yaml",
        "tag",
    ],
)
def test_a_hostile_or_broken_file_is_one_line(data: bytes) -> None:
    with pytest.raises(BadFile):
        wishes(data)


@pytest.mark.parametrize(
    "data", [b"https://example.org/ name", b"# list\nhttps://example.org/", b'{"url": "https://a.example/"}\n', b""]
)
def test_a_plain_list_is_left_to_others(data: bytes) -> None:
    assert read_foreign(data) is None


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300), st.sampled_from([b"", b"PK\x03\x04", b"<opml>", b"url: ", b'{"watching": {', b"---\n"]))
def test_any_bytes_are_read_or_refused(data: bytes, head: bytes) -> None:
    try:
        found = list(read_foreign(head + data) or ())
    except BadFile:
        return
    assert all((one.wish is None) == bool(one.problem) for one in found)
