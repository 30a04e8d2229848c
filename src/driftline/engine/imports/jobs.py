"""Imports jobs of urlwatch and webchanges: YAML documents, one per job, whose filters become rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.imports.found import ImportedEntry, fetch_options, left_out
from driftline.engine.imports.yaml_text import read_yaml
from driftline.errors import UsageError

# Filters that do what driftline does anyway, or that only format the report.
_NOT_NEEDED: Final = frozenset(
    """html2text strip strip-each-line strip_each_line strip_empty_lines beautify format-json format-xml pretty-xml
    ical2text""".split()
)


# Fields that are imported or irrelevant; any other field is named in the warning.
_IMPORTED: Final = frozenset(
    """url navigate name kind tags filter filters method data headers cookies timeout enabled use_browser note
    index_number additions_only deletions_only""".split()
)
_SIDES: Final = {"additions_only": "added", "deletions_only": "removed"}
_EMPTY: Final[tuple[object, ...]] = (None, False, "", [], {})


def read_jobs(data: bytes) -> Iterator[ImportedEntry]:
    """Each job as the input of a watch; jobs that run commands, and filters without a counterpart, are refused."""
    jobs = [job for document in read_yaml(data) for job in (document if isinstance(document, list) else [document])]
    return _entries([job for job in jobs if job is not None])


def _entries(jobs: list[Any]) -> Iterator[ImportedEntry]:
    for place, job in enumerate(jobs, start=1):
        try:
            if not isinstance(job, dict):
                raise UsageError("invalid job", hint="a job is a mapping with a `url`")
            watch_input = _watch_input(job)
            others = [str(name) for name, value in job.items() if name not in _IMPORTED and value not in _EMPTY]
            yield ImportedEntry(place=place, watch_input=watch_input, problem=left_out(names=others))
        except UsageError as error:
            yield ImportedEntry(place=place, problem=str(error))


def _watch_input(job: Mapping[str, Any]) -> WatchInput:
    url = job.get("url") or job.get("navigate")
    if not isinstance(url, str):
        raise UsageError("the job has no url", name=str(job.get("name", ""))[:100], hint="commands are not supported")
    body = job.get("data")
    tags = job.get("tags") or []
    timeout = job.get("timeout")
    browser = job.get("use_browser") or not job.get("url")
    return WatchInput(
        url=url,
        name=" ".join(str(job.get("name") or "").split())[:200] or None,
        tags=tuple(str(tag) for tag in (tags if isinstance(tags, list) else [tags])),
        rules=_rules(job.get("filter") or job.get("filters") or []),
        fetch=fetch_options(
            {
                "method": str(job.get("method") or ("POST" if body else "GET")).upper(),
                "headers": _texts(job.get("headers")),
                "cookies": _texts(job.get("cookies")),
                "body": urlencode(body) if isinstance(body, dict) else body,
                "timeout_for": timeout if isinstance(timeout, int | float) else None,
                "browser": "always" if browser else None,
            }
        ),
        when=" and ".join(word for name, word in _SIDES.items() if job.get(name)),
        paused=job.get("enabled") is False,
    )


def _rules(filters: Any) -> dict[str, Any]:
    """The filters as rules, in order; one without a counterpart refuses the job: a part of them would watch something else."""
    listed = filters if isinstance(filters, list) else filters.split(",") if isinstance(filters, str) else [filters]
    rules: dict[str, Any] = {}
    for one in listed:
        if isinstance(one, dict):
            for name, value in one.items():
                _add(rules, str(name), value)
        else:
            name, _, value = str(one).strip().partition(":")
            _add(rules, name, value or None)
    return rules


def _add(rules: dict[str, Any], name: str, value: Any) -> None:
    options = value if isinstance(value, dict) else {}
    match name:
        case _ if name in _NOT_NEEDED:
            return
        case "css" | "xpath" | "jsonpath":
            chosen = options.get("selector") or options.get("path") or options.get("query") or (None if options else value)
            _append(rules, "select", chosen, name)
            if options.get("exclude"):
                _append(rules, "remove", options["exclude"], name)
        case "element-by-id":
            _append(rules, "select", f'[id="{options.get("id", value)}"]', name)
        case "element-by-class":
            _append(rules, "select", f'[class~="{options.get("class", value)}"]', name)
        case "element-by-tag":
            _append(rules, "select", options.get("tag", value), name)
        case "grep" | "keep_lines_containing":
            _append(rules, "keep_text", _pattern(options, value, plain=name == "keep_lines_containing"), name)
        case "grepi" | "delete_lines_containing":
            _append(rules, "ignore_text", _pattern(options, value, plain=name == "delete_lines_containing"), name)
        case "sort":
            rules["sort_lines"] = True
        case "remove_repeated" | "remove-duplicate-lines" | "remove_duplicate_lines":
            rules["unique_lines"] = True
        case _:
            raise UsageError("this filter is not supported", filter=name)


def _pattern(options: Mapping[str, Any], value: Any, *, plain: bool) -> str | None:
    if options.get("text"):
        return str(options["text"])
    written = options.get("re") or (None if options else value)
    if not isinstance(written, str):
        return None
    return written if plain and not options.get("re") else f"/{written}/"


def _append(rules: dict[str, Any], rule: str, value: Any, name: str) -> None:
    if not isinstance(value, str) or not value.strip():
        raise UsageError("the filter is empty", filter=name)
    rules.setdefault(rule, []).append(value.strip())


def _texts(values: Any) -> dict[str, str]:
    return {str(name): str(value) for name, value in values.items()} if isinstance(values, dict) else {}
