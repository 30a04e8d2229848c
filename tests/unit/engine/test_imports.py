"""What an import does not take over is named, watch by watch."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from driftline.core.text.step_texts import step_text
from driftline.engine.imports import read_foreign
from driftline.engine.imports.changedetection import read_backup, read_datastore
from driftline.engine.imports.jobs import read_jobs
from driftline.engine.imports.peer_steps import steps_of
from driftline.errors import BadFile

PLAIN = {"url": "https://example.org/", "method": "GET", "processor": "text_json_diff", "filter_text_added": True, "proxy": ""}


def test_settings_of_changedetection_without_a_counterpart_are_named_by_watch() -> None:
    watch = PLAIN | {
        "conditions": [{"field": "page_title", "operator": "starts_with", "value": "x"}],
        "proxy": "office",
        "time_schedule_limit": {"enabled": True, "monday": {}},
        "notification_urls": ["discord://x", "mailto://y"],
    }
    plain = PLAIN | {"time_schedule_limit": {"enabled": False, "monday": {"start_time": "00:00"}}, "notification_urls": []}
    first, second = read_datastore(json.dumps({"watching": {"a": watch, "b": plain}}).encode())
    named = "proxy, hours of checking, notification URLs (2), conditions (page_title starts_with)"
    assert first.problem == f"not imported: {named}"
    assert first.watch_input is not None
    assert (second.problem, second.watch_input is not None) == ("", True)


def test_conditions_of_changedetection_become_ours() -> None:
    rules = [
        {"field": "extracted_number", "operator": ">", "value": "5"},
        {"field": "page_filtered_text", "operator": "in", "value": 'say "yes"'},
        {"field": "page_filtered_text", "operator": "!contains_regex", "value": "a/b"},
        {"field": "restock.price", "operator": "<=", "value": "79.90"},
    ]
    watch = PLAIN | {"conditions": rules, "conditions_match_logic": "ANY", "filter_text_removed": False}
    (entry,) = read_datastore(json.dumps({"watching": {"a": watch}}).encode())
    assert entry.watch_input is not None
    several = 'number /.*/ > 5 or count "say \\"yes\\"" > 0 or count /a\\/b/ = 0 or price <= 79.9'
    assert entry.watch_input.when == f"({several}) and added"
    assert entry.problem == ""


def test_what_changedetection_ignores_on_all_pages_is_taken_over() -> None:
    settings = {
        "application": {"global_ignore_text": ["Ad"], "global_subtractive_selectors": [".ad"], "notification_urls": ["x://"]}
    }
    (entry,) = read_datastore(json.dumps({"watching": {"a": PLAIN}, "settings": settings}).encode())
    assert entry.watch_input is not None
    assert entry.watch_input.rules == {"remove": [".ad"], "ignore_text": ["Ad"]}
    assert entry.problem == "not imported: notification URLs of all watches"


def test_whatever_else_a_job_says_is_named() -> None:
    others = b"additions_only: true\nhttp_proxy: http://p:1\nssl_no_verify: false\nmax_tries: 3\n"
    (entry,) = read_jobs(b"url: https://example.org/\nname: a\n" + others)
    assert entry.watch_input is not None
    assert entry.problem == "not imported: http_proxy, max_tries"


def test_browser_steps_of_changedetection_are_ours() -> None:
    steps = [
        {"operation": "Goto site", "selector": "", "optional_value": ""},
        {"operation": "Click element if exists", "selector": "#accept", "optional_value": ""},
        {"operation": "Enter text in field", "selector": "xpath://input", "optional_value": "lamps"},
        {"operation": "Press Enter", "selector": "", "optional_value": ""},
        {"operation": "Wait for seconds", "selector": "", "optional_value": "2"},
    ]
    watch = {"url": "https://a.example/", "browser_steps": steps, "fetch_backend": "html_webdriver"}
    (entry,) = read_datastore(json.dumps({"watching": {"a": watch}}).encode())
    assert entry.watch_input is not None
    assert [step_text(step) for step in entry.watch_input.fetch.steps] == [
        "try click #accept within 3s",
        "fill //input with lamps",
        "press Enter",
        "wait_for 2000 ms within 7s",
    ]
    unknown = {"url": "https://a.example/", "browser_steps": [{"operation": "Remove elements", "selector": "a"}]}
    (entry,) = read_datastore(json.dumps({"watching": {"a": unknown}}).encode())
    assert "this step is not supported" in entry.problem


@pytest.mark.parametrize(
    ("operation", "selector", "value", "ours"),
    [
        ("Click element", "#a", "", "click #a"),
        ("Click element", "xpath://a", "", "click //a"),
        ("Click element containing text", "", "More", "click text=More"),
        ("Click element containing text if exists", "", "More", "try click text=More within 3s"),
        ("Press Page Down", "", "", "press PageDown"),
        ("Select by label", "#a", "Red", "select Red in #a"),
        ("Check checkbox", "#a", "", "check #a"),
        ("Wait for text", "", "Done", "wait_for text Done"),
        ("Scroll down", "", "", "scroll"),
        ("Goto URL", "", "https://a.example/b", "goto https://a.example/b"),
        ("Execute JS", "", "go()", "evaluate go()"),
        ("Choose one", "", "", None),
    ],
)
def test_each_step_of_changedetection_has_a_counterpart(operation: str, selector: str, value: str, ours: str | None) -> None:
    steps = steps_of({"browser_steps": [{"operation": operation, "selector": selector, "optional_value": value}]})
    assert [step_text(step) for step in steps] == ([ours] if ours else [])


@pytest.mark.parametrize(("delay", "waits"), [(0, 0), (1, 1), (60, 1), (61, 0), ("5", 0), (None, 0)])
def test_a_delay_is_a_step_of_its_own_at_the_end(delay: object, waits: int) -> None:
    click = {"operation": "Click element", "selector": "#a"}
    steps = steps_of({"browser_steps": [click], "webdriver_delay": delay})
    assert [type(step).__name__ for step in steps] == ["Click", *["WaitFor"] * waits]


def backup(**files: object) -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content if isinstance(content, bytes) else json.dumps(content))
    return found.getvalue()


def test_a_backup_holds_one_file_of_all_watches_or_one_for_each() -> None:
    one = {**PLAIN, "url": "https://a.example/"}
    several = backup(**{
        "0123abcd-0000-0000-0000-000000000000/watch.json": one,
        "0123abcd-0000-0000-0000-000000000000/history.txt": b"nothing of ours",
        "changedetection.json": {"settings": {"application": {"global_ignore_text": ["^Ad"]}}},
    })  # fmt: skip
    together = backup(**{"url-watches.json": {"watching": {"a": one, "b": {**PLAIN, "url": "https://b.example/"}}}})
    (alone,) = read_backup(several)
    assert alone.watch_input is not None
    assert (alone.watch_input.url, alone.watch_input.rules["ignore_text"]) == ("https://a.example/", ["^Ad"])
    assert [entry.watch_input.url for entry in read_backup(together) if entry.watch_input] == [
        "https://a.example/",
        "https://b.example/",
    ]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"PK nonsense", "not a zip file"),
        (backup(**{"other.json": {}}), "no watches in the archive"),
        (backup(**{"url-watches.json": {}}), "no watches in the archive"),
    ],
)
def test_a_backup_that_cannot_be_read_says_why(data: bytes, problem: str) -> None:
    with pytest.raises(BadFile, match=problem):
        list(read_backup(data))


def test_the_archive_s_limits_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    data = backup(**{"url-watches.json": {"watching": {"a": PLAIN}}, "b": {}})
    for limit, least, problem in (("_ENTRIES_AT_MOST", 2, "too many files"), ("_FILE_AT_MOST", 500, "too large")):
        with monkeypatch.context() as patched:
            patched.setattr(f"driftline.engine.imports.changedetection.{limit}", least)
            assert len(list(read_backup(data))) == 1
            patched.setattr(f"driftline.engine.imports.changedetection.{limit}", 1)
            with pytest.raises(BadFile, match=problem):
                list(read_backup(data))


@pytest.mark.parametrize(
    ("filters", "rules"),
    [
        ("[{css: main}]", {"select": ["main"]}),
        ("[{css: {selector: main, exclude: .ad}}]", {"select": ["main"], "remove": [".ad"]}),
        ("[{xpath: {path: //p}}]", {"select": ["//p"]}),
        ("[{jsonpath: {query: $.a}}]", {"select": ["$.a"]}),
        ("[{element-by-id: top}]", {"select": ['[id="top"]']}),
        ("[{element-by-class: {class: news}}]", {"select": ['[class~="news"]']}),
        ("[{element-by-tag: main}]", {"select": ["main"]}),
        ("[{grep: open}]", {"keep_text": ["/open/"]}),
        ("[{keep_lines_containing: open}]", {"keep_text": ["open"]}),
        ("[{keep_lines_containing: {re: op.n}}]", {"keep_text": ["/op.n/"]}),
        ("[{delete_lines_containing: {text: ad}}]", {"ignore_text": ["ad"]}),
        ("[sort, remove_repeated]", {"sort_lines": True, "unique_lines": True}),
        ("'css:main,sort'", {"select": ["main"], "sort_lines": True}),
    ],
)
def test_filters_of_a_job_are_rules(filters: str, rules: dict[str, object]) -> None:
    (entry,) = read_jobs(f"url: https://example.org/\nfilter: {filters}\n".encode())
    assert entry.watch_input is not None
    assert entry.watch_input.rules == rules


@pytest.mark.parametrize("filters", ["[{shellpipe: rm}]", "[{css: ''}]", "[{grep: {colour: red}}]"])
def test_a_filter_without_a_counterpart_refuses_its_job(filters: str) -> None:
    (entry,) = read_jobs(f"url: https://example.org/\nfilter: {filters}\n".encode())
    assert entry.watch_input is None
    assert "filter" in entry.problem


def test_a_watch_of_changedetection_that_compares_pictures_does_so_here() -> None:
    watch = PLAIN | {
        "processor": "image_ssim_diff",
        "include_filters": ["#map"],
        "ignore_text": ["Ad"],
        "filter_text_added": False,
    }
    (entry,) = read_datastore(json.dumps({"watching": {"a": watch}}).encode())
    assert entry.watch_input is not None
    assert (entry.watch_input.rules, entry.problem) == ({"compare": "visual", "select": ["#map"]}, "")


@pytest.mark.parametrize(
    ("own", "every"),
    [
        ({"weeks": 1, "days": 1, "hours": 1, "minutes": 1, "seconds": 30}, 694_890.0),
        ({"seconds": 90}, 90.0),
        ({"minutes": 5, "seconds": None}, 300.0),
    ],
)
def test_how_often_changedetection_checks_is_counted_in_all_its_units(own: dict[str, object], every: float) -> None:
    (entry,) = read_datastore(json.dumps({"watching": {"a": PLAIN | {"time_between_check": own}}}).encode())
    assert entry.watch_input is not None
    assert entry.watch_input.schedule is not None
    assert entry.watch_input.schedule.every_for == every


def test_of_several_parts_the_first_one_s_picture_is_compared() -> None:
    watch = PLAIN | {"processor": "image_ssim_diff", "include_filters": ["#map", "#legend"]}
    (entry,) = read_datastore(json.dumps({"watching": {"a": watch}}).encode())
    assert entry.watch_input is not None
    assert entry.watch_input.rules == {"compare": "visual", "select": ["#map"]}


@pytest.mark.parametrize("before", ["", "# my jobs: all of them\n\n", "  # https://example.org/\n"])
def test_a_file_of_jobs_may_begin_with_a_comment(before: str) -> None:
    entries = read_foreign(f"{before}url: https://example.org/\nname: Example\n".encode())
    assert entries is not None
    assert [entry.watch_input.name for entry in entries if entry.watch_input] == ["Example"]
    assert read_foreign(f"{before}https://example.org/\n".encode()) is None  # a plain list of addresses
