"""Imports backups of changedetection.io: the zip (one file for all watches, or one per watch), or the JSON file alone."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.imports.found import ImportedEntry, fetch_options, left_out, selector
from driftline.engine.imports.peer_conditions import condition_left_out, condition_of
from driftline.engine.imports.peer_steps import steps_of
from driftline.errors import BadFile, UsageError
from driftline.model.watch import Schedule

_ENTRIES_AT_MOST: Final = 50_000
_INDEX_AT_MOST: Final = 4 * 1024 * 1024  # bytes of an archive's list of files, which is read whole
_END: Final = b"PK\x05\x06"  # the end-of-directory record of a zip file
_VALUES_AT_MOST: Final = 1_000_000  # of a file of all watches
_FILE_AT_MOST: Final = 32 * 1024 * 1024  # bytes of one unpacked file
_TOTAL_AT_MOST: Final = 64 * 1024 * 1024
_PART_AT_MOST: Final = 1024 * 1024  # bytes of one watch in JSON, or of the settings
_ONE_WATCH: Final = re.compile(r"(?:^|/)[0-9a-f]{8}-[0-9a-f-]{27}/watch\.json$")
_ALL_WATCHES: Final = re.compile(r"(?:^|/)url-watches\.json$")
_SETTINGS: Final = re.compile(r"(?:^|/)changedetection\.json$")
_UNITS: Final = {"weeks": 604_800, "days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}
# Settings without a counterpart here: a label for users, and the default value.
_NOT_IMPORTED: Final[Mapping[str, tuple[str, object]]] = {
    "check_unique_lines": ("only lines never seen before", False),
    "proxy": ("proxy", None),
    "time_schedule_limit": ("hours of checking", False),
    "notification_urls": ("notification URLs", None),
    "notification_title": ("notification title", None),
    "notification_body": ("notification text", None),
    "notification_muted": ("muted notifications", False),
    "processor": ("restock or other detector", "text_json_diff"),
    "webdriver_js_execute_code": ("script in the browser", None),
    "ignore_status_codes": ("ignored HTTP errors", False),
    "extract_title_as_title": ("title taken from the page", False),
    "history_snapshot_max_length": ("number of kept versions", 0),
}
_VISUAL: Final = "image_ssim_diff"  # its processor that compares pictures
_UNKNOWN: Final = ("extract_text", "text_should_not_be_present")


class _Datastore(msgspec.Struct):
    """The datastore file, decoded only as far as needed: Python values take twenty times the memory of their JSON."""

    watching: dict[str, msgspec.Raw] | None = None
    settings: msgspec.Raw = msgspec.Raw(b"null")


def read_backup(data: bytes) -> Iterator[ImportedEntry]:
    """Every watch in the zip. Only files with known names are unpacked, each within limits; nothing is written to disk."""
    end = data.rfind(_END, max(0, len(data) - 65_557))
    if end >= 0 and int.from_bytes(data[end + 12 : end + 16], "little") > _INDEX_AT_MOST:
        raise BadFile("the archive holds too many files", hint=f"{_ENTRIES_AT_MOST:,} at most")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except zipfile.BadZipFile as error:
        raise BadFile("not a zip file", problem=str(error), hint="give a backup of changedetection.io") from None
    with archive:
        entries = archive.infolist()
        if len(entries) > _ENTRIES_AT_MOST:
            raise BadFile("the archive holds too many files", files=len(entries), hint=f"{_ENTRIES_AT_MOST:,} at most")
        watching: dict[str, msgspec.Raw] = {}
        settings = msgspec.Raw(b"null")
        total = 0
        for entry in entries:
            wanted = (
                _ALL_WATCHES.search(entry.filename) or _ONE_WATCH.search(entry.filename) or _SETTINGS.search(entry.filename)
            )
            if not wanted:
                continue
            total += entry.file_size
            if entry.file_size > _FILE_AT_MOST or total > _TOTAL_AT_MOST:
                raise BadFile("the archive is too large", file=entry.filename)
            content = _unpack(archive, entry)
            if _ONE_WATCH.search(entry.filename):
                watching[entry.filename] = msgspec.Raw(content)
                continue
            store = _open_datastore(content, entry.filename)
            watching |= store.watching or {}
            settings = settings if bytes(store.settings) == b"null" else store.settings
    if not watching:
        raise BadFile("no watches in the archive", hint="give a backup of changedetection.io")
    return _entries(watching, settings)


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    try:
        with archive.open(entry) as file:
            content = file.read(_FILE_AT_MOST + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise BadFile("the archive cannot be unpacked", file=entry.filename, problem=str(error)) from None
    if len(content) > _FILE_AT_MOST:
        raise BadFile("the archive is too large", file=entry.filename)
    return content


def read_datastore(data: bytes) -> Iterator[ImportedEntry]:
    """Every watch of a url-watches.json."""
    store = _open_datastore(data, "url-watches.json")
    return _entries(store.watching or {}, store.settings)


def _open_datastore(data: bytes, name: str) -> _Datastore:
    if data.count(b":") > _VALUES_AT_MOST:
        raise BadFile("the file has too many values", file=name, hint=f"{_VALUES_AT_MOST:,} at most")
    try:
        return msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=_Datastore)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadFile("unexpected JSON", file=name, problem=str(error)) from None


def _decode(raw: msgspec.Raw, what: str) -> dict[str, Any]:
    data = bytes(raw).removeprefix(b"\xef\xbb\xbf")
    if len(data) > _PART_AT_MOST:
        raise BadFile("the value is too large", part=what, size=len(data))
    try:
        return _mapping(msgspec.json.decode(data))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadFile("unexpected JSON", part=what, problem=str(error)) from None


def _entries(watching: Mapping[str, msgspec.Raw], raw_settings: msgspec.Raw) -> Iterator[ImportedEntry]:
    settings = _decode(raw_settings, "settings")
    application = _mapping(settings.get("application"))
    names = {key: str(_mapping(tag).get("title", "")) for key, tag in _mapping(application.get("tags")).items()}
    usual = _seconds(_mapping(settings.get("requests")).get("time_between_check")) or None
    for place, watch in enumerate(watching.values(), start=1):
        try:
            values = _decode(watch, "watch")
            yield ImportedEntry(
                place=place,
                watch_input=_watch_input(values, application, names, usual),
                problem=left_out(names=_not_imported(values, application)),
            )
        except UsageError as error:
            yield ImportedEntry(place=place, problem=str(error))


def _not_imported(watch: Mapping[str, Any], application: Mapping[str, Any]) -> Iterator[str]:
    """Settings that differ from their defaults and have no counterpart here."""
    for name, (label, usual) in _NOT_IMPORTED.items():
        value = watch.get(name)
        if isinstance(value, dict):
            value = value.get("enabled", any(value.values()))
        if value not in (None, "", [], {}, usual) and not (name == "processor" and value == _VISUAL):
            yield f"{label} ({len(value)})" if isinstance(value, list) else label
    yield from condition_left_out(watch)
    if application.get("notification_urls") and not watch.get("notification_urls"):
        yield "notification URLs of all watches"


def _watch_input(
    watch: Mapping[str, Any], application: Mapping[str, Any], tag_names: Mapping[str, str], usual: float | None
) -> WatchInput:
    if unknown := next((name for name in _UNKNOWN if watch.get(name)), None):
        raise UsageError("this option is not supported", field=unknown, url=str(watch.get("url"))[:200])
    rules: dict[str, Any] = {
        "select": [selector(text) for text in _texts(watch, "include_filters") or _texts(watch, "css_filter")],
        "remove": [
            selector(text)
            for text in [*_texts(watch, "subtractive_selectors"), *_texts(application, "global_subtractive_selectors")]
        ],
        "ignore_text": [*_texts(watch, "ignore_text"), *_texts(application, "global_ignore_text")],
        "trigger_text": _texts(watch, "trigger_text"),
        "sort_lines": bool(watch.get("sort_text_alphabetically")),
        "unique_lines": bool(watch.get("remove_duplicate_lines")),
    }
    if watch.get("processor") == _VISUAL:  # its other filters are about text
        rules = {"compare": "visual", "select": rules["select"][:1]}
    own = None if watch.get("time_between_check_use_default") else _seconds(watch.get("time_between_check"))
    every = own or usual
    return WatchInput(
        url=str(watch.get("url") or ""),
        name=" ".join(str(watch.get("title") or "").split())[:200] or None,
        tags=tuple(filter(None, (tag_names.get(tag, "") for tag in _texts(watch, "tags"))))
        or tuple(_comma_separated(watch.get("tag"))),
        rules={name: value for name, value in rules.items() if value},
        fetch=fetch_options(
            {name: watch.get(name) for name in ("headers", "body")}
            | {"method": watch.get("method") or "GET", "browser": "always" if _needs_browser(watch, application) else None}
            | {"steps": msgspec.to_builtins(steps_of(watch))}
        ),
        schedule=Schedule(every_for=every) if every else Schedule(),
        when=condition_of(watch),
        paused=bool(watch.get("paused")),
    )


def _needs_browser(watch: Mapping[str, Any], application: Mapping[str, Any]) -> bool:
    own = watch.get("fetch_backend")
    chosen = application.get("fetch_backend") if own in (None, "", "system") else own
    return chosen not in (None, "", "system", "html_requests")


def _texts(watch: Mapping[str, Any], name: str) -> list[str]:
    value = watch.get(name)
    values = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return [text.strip() for text in values if isinstance(text, str) and text.strip()]


def _comma_separated(tag: object) -> list[str]:
    return [part.strip() for part in tag.split(",") if part.strip()] if isinstance(tag, str) else []


def _seconds(parts: object) -> float:
    found = _mapping(parts)
    counted = {name: value for name in _UNITS if isinstance(value := found.get(name), int | float) and abs(value) < 1e9}
    return float(sum(value * _UNITS[name] for name, value in counted.items()))


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
