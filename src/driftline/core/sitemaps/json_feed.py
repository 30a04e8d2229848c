"""Reads a JSON Feed, as jsonfeed.org describes it."""

from __future__ import annotations

from typing import Any

from driftline.core.sitemaps.entries import MAX_ENTRIES, MAX_TEXT, Entry, Listing, entries_apart
from driftline.core.text.json_text import decode_json
from driftline.errors import BadFile


def read_json_feed(body: bytes) -> Listing:
    """The entries of a JSON Feed; raises BadFile for any other JSON."""
    data = decode_json(body)
    items = data.get("items") if isinstance(data, dict) else None
    if not isinstance(items, list) or not ("jsonfeed.org" in str(data.get("version")) or any(map(_has_address, items))):
        raise BadFile("JSON in place of a sitemap")
    listed = [item for item in items[:MAX_ENTRIES] if isinstance(item, dict)]
    entries = entries_apart([_entry(item) for item in listed], [_text(item.get("id")) for item in listed])
    cut = f"more than {MAX_ENTRIES} entries in one file" if len(items) > MAX_ENTRIES else None
    return Listing("feed", entries, cut)


def _has_address(item: Any) -> bool:
    return isinstance(item, dict) and _text(item.get("url")).startswith(("http://", "https://", "/"))


def _entry(item: dict[str, Any]) -> Entry:
    published = _text(item.get("date_published")) or None
    authors = item.get("authors") if isinstance(item.get("authors"), list) else [item.get("author")]  # of version 1
    tags = item.get("tags") if isinstance(item.get("tags"), list) else []
    own_id = _text(item.get("id"))
    return (
        _text(item.get("url")) or (own_id if own_id.startswith(("http://", "https://")) else _text(item.get("external_url"))),
        _text(item.get("date_modified")) or published,
        published,
        _text(item.get("title")),
        tuple(name for one in authors or () if isinstance(one, dict) and (name := _text(one.get("name")))),
        tuple(filter(None, map(_text, tags or ()))),
    )


def _text(value: Any) -> str:
    return value[:MAX_TEXT].strip() if isinstance(value, str) else ""
