"""Recognizes values that machines write into every answer: fields of JSON, XML and feeds by their names, and response times."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.lexicon import any_of
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.page.parsed import Format

# Written without separators and case: `requestId`, `request_id`, `request-id`.
_IDS: Final = frozenset("requestid correlationid traceid spanid sessionid rayid nonce csrf csrftoken xsrftoken".split())
_NAMES: Final = _IDS | frozenset(
    (
        "timestamp servertime generated generatedat generatedon fetchedat cachedat renderedat elapsed elapsedms took tookms "
        "duration durationms lastbuilddate ttl"
    ).split()
)
_TOOK: Final = lazy_regex(lambda: rf"\d{{1,12}}(?:[.,]\d{{1,12}})?\s?(?:{any_of('took.second', ending=_ENDING)})\b")
_ENDING: Final = r"\w{0,5}"
_MADE: Final = lazy_regex(lambda: any_of("took.made"))
_LONGEST: Final = 200  # characters of a line that says so
DOCUMENTS: Final = ("json", "xml", "feed")  # values by their way down
_PLAIN: Final = re.compile(r"[^a-z]")


def is_machine_field(text: str, format_: Format) -> bool:
    """Whether a line is a field about the answer itself and not about its subject."""
    colon = text.find(":", 0, _LONGEST)
    if colon < 0:
        return False
    said = _PLAIN.sub("", text[:colon].rpartition(".")[2].lower())
    return said in (_NAMES if format_ in DOCUMENTS else _IDS) or (format_ == "feed" and said.startswith("generator"))


def same_but_took(before: str, after: str) -> bool:
    """Whether two lines differ only in how long the page took to generate."""
    if max(len(before), len(after)) > _LONGEST:
        return False
    one, other = before.lower(), after.lower()
    return _MADE.search(one) is not None and _TOOK.sub("", one) == _TOOK.sub("", other) and _TOOK.search(one) is not None
