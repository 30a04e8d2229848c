"""Recognizes a fetched file: compressed or not, XML, a JSON Feed, a text sitemap, or robots.txt."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from driftline.core.sitemaps.entries import MAX_ENTRIES, Listing, plain_entry
from driftline.core.sitemaps.json_feed import read_json_feed
from driftline.core.sitemaps.xml import Malformed, read_xml
from driftline.core.sitemaps.xml_repair import UTF16_MARKS, repair
from driftline.core.text.charset import decode
from driftline.errors import BadFile

MAX_BYTES: Final = 50 * 1024 * 1024  # of one decompressed file: the protocol's limit
_CHUNK: Final = 1024 * 1024  # large, because the parser rescans a token that is cut
_GZIP: Final = b"\x1f\x8b"
_SPACE: Final = b" \t\r\n"
_MARK: Final = b"\xef\xbb\xbf"
_MAX_COMPRESSIONS: Final = 3  # a file may be compressed more than once


def read_file(body: bytes, content_type: str = "") -> Listing:
    """The entries of a sitemap file in any format; raises BadFile with a one-line reason."""
    for _ in range(_MAX_COMPRESSIONS):
        if not body.startswith(_GZIP):
            break
        head = next(_gunzip(body), b"")
        if not head.startswith(_GZIP):
            return _listing(head, partial(_gunzip, body), content_type)
        body = b"".join(_gunzip(body))
    if len(body) > MAX_BYTES:
        raise BadFile("the file is larger than a sitemap may be", limit=MAX_BYTES)
    return _listing(body, lambda: iter((body,)), content_type)


def sitemaps_in_robots(body: bytes) -> list[str]:
    """The `Sitemap:` lines of a robots.txt, in order, without repeats."""
    found: dict[str, None] = {}
    for line in body[: 512 * 1024].decode("utf-8", "replace").lstrip("\ufeff").splitlines():
        name, colon, value = line.partition(":")
        if colon and name.strip().lower() in {"sitemap", "site-map"} and (url := value.partition(" #")[0].strip()):
            found[url] = None
    return list(found)


def _listing(head: bytes, chunks: Callable[[], Iterator[bytes]], content_type: str) -> Listing:
    start = head.lstrip(_MARK + _SPACE)[:15].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        raise BadFile("HTML in place of a sitemap")
    if not start:
        raise BadFile("the file is empty")
    is_xml = start.startswith(b"<") or _is_wide_xml(head)
    if start.startswith(b"{"):
        return read_json_feed(b"".join(chunks()))
    try:
        return read_xml(_without_leading_space(chunks())) if is_xml else _read_text(b"".join(chunks()), content_type)
    except Malformed:
        repaired = repair(b"".join(chunks()))
        listing = read_xml(iter((repaired,))) if repaired is not None else None
        if listing is None or not listing.entries:
            raise
        return listing


def _is_wide_xml(head: bytes) -> bool:
    return head.startswith(UTF16_MARKS) and head[2:80].replace(b"\0", b"").lstrip(_SPACE).startswith(b"<")


def _without_leading_space(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Without the byte order mark and spaces before the declaration."""
    yield next(chunks, b"").lstrip(_MARK + _SPACE)
    yield from chunks


def _read_text(body: bytes, content_type: str) -> Listing:
    """One URL per line, and comments; raises BadFile if most lines are something else."""
    if b"\0" in body[:4096] and not body.startswith(UTF16_MARKS):
        raise BadFile("neither XML nor text")
    text = body.decode("utf-16", "replace") if body.startswith(UTF16_MARKS) else decode(body, content_type)
    lines = [line for line in map(str.strip, text.splitlines()) if line and not line.startswith("#")]
    strange = [line for line in lines if not line[:8].lower().startswith(("http://", "https://"))]
    if 2 * len(strange) >= len(lines):
        if files := sitemaps_in_robots(body):
            return Listing("index", [plain_entry(url) for url in files])
        raise Malformed("text, but not a list of URLs", line=next(iter(strange), "")[:80])
    odd = frozenset(strange)
    entries = [plain_entry("" if line in odd else line) for line in lines]
    if len(entries) > MAX_ENTRIES:
        return Listing("text", entries[:MAX_ENTRIES], f"more than {MAX_ENTRIES} entries in one file")
    return Listing("text", entries)


def _gunzip(body: bytes) -> Iterator[bytes]:
    """The decompressed bytes, member by member, within the limit."""
    total = 0
    rest = body
    while rest.startswith(_GZIP):
        member = zlib.decompressobj(wbits=31)
        while not member.eof:
            try:
                chunk = member.decompress(rest, _CHUNK)
            except zlib.error as fault:
                raise BadFile("gzip is damaged", fault=str(fault)) from None
            rest = member.unconsumed_tail
            total += len(chunk)
            if total > MAX_BYTES:
                raise BadFile("the file is larger than a sitemap may be", limit=MAX_BYTES)
            if chunk:
                yield chunk
            elif not member.eof:
                raise BadFile("gzip ends too early")
        rest = member.unused_data
