"""Identifies pictures by what they show, not by server, size or build."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

from driftline.core.identity.urls import clean, plain
from driftline.core.text.short_cache import short_cache
from driftline.kinds.page.extract.links import absolute

_LAZY: Final = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-url", "data-image")
_LONGEST: Final = 1_000  # characters of an address
_BEACON: Final = re.compile(
    r"/(?:captcha|(?:hit)?counter|count|pixel|beacon|track(?:ing)?|1x1|spacer|blank|clear|transparent)(?:\.(?:gif|png|php|cgi|pl|aspx?)|[/?]|$)",
    re.IGNORECASE,
)
_BEACON_HOSTS: Final = re.compile(
    r"https?://(?:[\w-]{1,60}\.){0,4}(?:facebook\.com/tr|google-analytics\.com|doubleclick\.net|bat\.bing\.com|scorecardresearch\.com|"
    r"quantserve\.com|stats\.wp\.com|mc\.yandex\.ru)",
    re.IGNORECASE,
)
_PICTURE: Final = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg)$", re.IGNORECASE)
# A part of a path that a build, a cache or a server of pictures made: hashes, versions, sizes.
_MADE: Final = re.compile(
    r"(?:[wh]_\d+|[qfcg]_[\w:]+|dpr_[\d.a-z]+|ar_[\d:.]+)(?:,(?:[wh]_\d+|[qfcg]_[\w:]+|dpr_[\d.a-z]+|ar_[\d:.]+)){0,9}"
    r"|v?\d{9,10}|v?\d{1,4}\.\d{1,4}(?:\.\d{1,5}){0,2}|[0-9a-f]{20,}|\d{2,4}x\d{2,4}|cache|_processed_|[0-9a-f]"
)
# The end of a file's name that says its size or its build: photo-800x600.jpg, hero.3f9a8b7c.jpg.
# A bare number is a size if pictures are made in it; years and numbers of photographs are names.
_ENDING: Final = re.compile(
    r"(?:[-_@](?:\d{2,4}x\d{2,4}|\d{2,4}[wx]|\d{1,2}[05]0|320|360|480|576|640|720|768|960|1024|1080|1280|1366|1440|1536|1920|2048|2560)"
    r"|[._-](?:[0-9a-f]{8,40}|[A-Za-z0-9_-]{8}))$"
)
_SIZE: Final = re.compile(r"[-_@]\d+(?:x\d+)?[wx]?")
_MIXED: Final = re.compile(r"\d[^\d]|[^\W\d_]\d")  # digits and letters: a hash, not a date or a word
# Parameters that say which picture it is; all others say how large, how sharp, for whom and until when.
_WHICH: Final = frozenset("src url id file path name img image u f p filename".split())
_HOW: Final = frozenset(
    "w h width height q quality dpr fit crop auto fm fmt format resize size imwidth wid hei qlt v dpl ver".split()
)


def source_of(given: Mapping[str, str | None]) -> str:
    """The address that an element shows a picture from, late loading looked through; empty for beacons."""
    if (given.get("width") or "").strip("px ") in {"0", "1"} or (given.get("height") or "").strip("px ") in {"0", "1"}:
        return ""
    for name in _LAZY:
        if (value := given.get(name)) and not value.startswith("data:"):
            return value[:_LONGEST]
    found = given.get("src") or ""
    if not found or found.startswith("data:"):
        listed = (given.get("srcset") or given.get("data-srcset") or "")[:_LONGEST]
        found = listed.split(",", 1)[0].strip().split(" ", 1)[0]
    return found[:_LONGEST]


@short_cache(4096)  # logos and icons come again on every page of a site
def address(source: str, base: str) -> str | None:
    """The picture's own address, for people; None for what is no picture."""
    cleaned = clean(absolute(source.strip(), base), base) if source else None
    return None if cleaned is None or _BEACON.search(cleaned) or _BEACON_HOSTS.match(cleaned) else plain(cleaned)


@short_cache(4096)
def picture_key(url: str) -> str:
    """What a picture is known by: its name without host, size, build and version; the same picture elsewhere is the same."""
    path, _, query = url.partition("?")
    pairs = [pair.partition("=")[::2] for pair in query.split("&") if pair]
    inner = next((value for name, value in pairs if name.lower() in ("url", "src") and ("%2F" in value or "/" in value)), "")
    if inner:  # an optimiser: which picture is a parameter of it
        return picture_key(unquote(inner)[:_LONGEST])
    parts = [part for part in path.partition("://")[2].split("/")[1:] if part]
    name = parts[-1] if parts else path
    folders = [part for part in parts[:-1] if not _MADE.fullmatch(part)]
    stem, dot, ending = name.rpartition(".")
    if dot and len(ending) <= 5 and (found := _ENDING.search(stem)) and found.start() and _is_made(found[0]):
        stem = stem[: found.start()]
    else:
        stem = stem or name
    if _PICTURE.search(path):
        kept = [f"{key}={value}" for key, value in pairs if key.lower() in _WHICH]
    else:
        kept = [f"{key}={value}" for key, value in pairs if key.lower() not in _HOW]
    return "/".join([*folders[-2:], stem or ending]) + ("?" + "&".join(sorted(kept)) if kept else "")


def _is_made(ending: str) -> bool:
    """Whether a size or a hash, and no date and no word."""
    return _SIZE.fullmatch(ending) is not None or _MIXED.search(ending[1:]) is not None
