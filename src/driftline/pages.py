"""Pages as a library: read one, compare two. No database, no network, no clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from driftline.core.answers.file_types import file_type
from driftline.core.answers.invalid_value import invalid_value
from driftline.core.text.charset import decode
from driftline.errors import BadRule
from driftline.kinds.page.diff import PageDiff
from driftline.kinds.page.diff import compare as _compare
from driftline.kinds.page.documents.files import read_binary
from driftline.kinds.page.extract.read import read
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules, check

__all__ = ["PageDiff", "PageRules", "ParsedPage", "compare_pages", "read_page"]

_SOMEWHERE = "http://localhost/"  # what relative addresses start from when nobody says


def read_page(
    page: bytes | str, *, url: str = _SOMEWHERE, content_type: str = "", rules: PageRules | Mapping[str, Any] | None = None
) -> ParsedPage:
    """Everything that driftline knows of a page: HTML, JSON, XML, a feed, a table, a document or plain text.

    Of other files, and of documents that cannot be read, it knows the type, the size and a hash.

    >>> read_page(b"<title>Tea</title><p>Green tea, 4.50 EUR</p>").text
    'Green tea, 4.50 EUR'
    """
    read_by = _rules(rules)
    if isinstance(page, bytes) and (file := file_type(page, content_type)) is not None:
        return read_binary(page, file, url, read_by).page
    source = decode(page, content_type) if isinstance(page, bytes) else page
    return read(source, url, content_type, read_by)


def compare_pages(
    before: ParsedPage | bytes | str,
    after: ParsedPage | bytes | str,
    *,
    url: str = _SOMEWHERE,
    rules: PageRules | Mapping[str, Any] | None = None,
) -> PageDiff:
    """What really changed between two pages, noise aside.

    >>> diff = compare_pages("<p>Open 9-17. 12 views</p>", "<p>Open 9-18. 13 views</p>")
    >>> diff.meaningful, diff.headline
    (True, '“Open 9-17. 12 views” → “Open 9-18. 13 views”')
    """
    read_by = _rules(rules)
    one = before if isinstance(before, ParsedPage) else read_page(before, url=url, rules=read_by)
    other = after if isinstance(after, ParsedPage) else read_page(after, url=url, rules=read_by)
    return _compare(one, other, read_by)


def _rules(rules: PageRules | Mapping[str, Any] | None) -> PageRules:
    """Rules as a value or as plain names and values, checked."""
    if rules is None:
        return PageRules()
    if not isinstance(rules, PageRules):
        try:
            rules = msgspec.convert(dict(rules), PageRules)
        except msgspec.ValidationError as error:
            message, hint = invalid_value(error, PageRules, called="rule", hint="see docs/rules.md")
            raise BadRule(message, hint=hint) from None
    check(rules)
    return rules
