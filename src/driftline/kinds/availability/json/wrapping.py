"""A JSON answer: how it is wrapped, and what it says of itself in words: that it failed, or that nothing is to be booked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from driftline.core.text.json_text import decode_json
from driftline.errors import BadFile
from driftline.kinds.availability.html.empty_board import is_said
from driftline.kinds.availability.slot_openness import is_yes, plain

_WRAPPED: Final = re.compile(rb"\A\s*(?:\)\]\}',?\s*|while\s*\(1\);\s*|[\w$.]{1,80}\((?=\s*[\[{]))")  # against theft, and JSONP
_FAILURES: Final = ("error", "errors", "errormessage", "exception", "fault")
_WORDS: Final = frozenset(
    "error errors errormessage errorcode errordescription message messages msg description detail details reason title".split()
)
_JOINT: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|_")  # noAppointmentForThisScope
_SIGNED_IN: Final = re.compile(r"\bsessions?\b", re.IGNORECASE)  # that of a visitor, rather than one to book
# Of what is asked for wrongly, rather than of what is left.
_WRONG: Final = re.compile(
    r"\b(?:ids?|types?|page|account|user|token|key|param\w*|given|provided|such|exists?|(?:in)?valid)\b", re.IGNORECASE
)
_DEEP: Final = 3
_WELL: Final = frozenset("success successful succeeded ok none noerror noerrors".split())
_TOTALS: Final = frozenset("total count totalcount totalitems totalresults hydratotalitems numfound".split())
_PAGE: Final = re.compile(r"\s{0,50}<[a-z!][^>]{0,2000}>", re.IGNORECASE)


def decoded(body: bytes) -> Any:
    """The data of an answer, also of one that is wrapped, or an object a line."""
    found = _WRAPPED.match(body, 0, 200)
    try:
        return decode_json(_unwrapped(body[found.end() :]) if found else body)
    except BadFile:
        if not body.startswith(b"{") or body.count(b"\n{") == 0:
            raise
        try:
            return msgspec.json.decode(b"[" + b",".join(line for line in body.splitlines() if line.strip()) + b"]")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
        raise


def _unwrapped(body: bytes) -> bytes:
    """The rest of a wrapped answer, without what closes it."""
    bare = body.rstrip().removesuffix(b";").rstrip()
    return bare[:-1] if bare.endswith(b")") else body


def enclosed_page(data: Any) -> str | None:
    """The one piece of HTML that an answer carries: `{"success": true, "html": "<ul>..."}`."""
    inner = data.get("data") if isinstance(data, dict) else None
    holders = [one for one in (data, inner) if isinstance(one, dict)]
    texts = [inner] if isinstance(inner, str) else []
    texts += [value for one in holders for value in one.values() if isinstance(value, str) and value is not inner]
    pages = [text for text in texts if _PAGE.match(text)]
    return pages[0] if len(pages) == 1 else None


def counts_none(data: Any) -> bool:
    """Whether an answer without any list says that its list has no entries."""
    if not isinstance(data, dict) or any(isinstance(value, dict) for value in data.values()):
        return False
    return any(plain(name) in _TOTALS and value == 0 and type(value) is int for name, value in data.items())


def complaint(data: Any) -> str | None:
    """What an answer without slots says of itself, where that is a failure."""
    if not isinstance(data, dict) or says_none(data):
        return None
    said = {plain(name): value for name, value in data.items()}
    for name in _FAILURES:
        if said.get(name) and not (isinstance(said[name], str) and plain(said[name]) in _WELL):
            return str(said[name])[:120]
    if any(name in said and is_yes(said[name]) is False for name in ("success", "ok", "successful")):
        return str(said.get("message") or "no success")[:120]
    status = said.get("status")
    failed = isinstance(status, str) and plain(status) in {"error", "fail", "failed", "failure", "ko"}
    return str(said.get("message") or status)[:120] if failed or (isinstance(status, int) and 400 <= status < 600) else None


def says_none(data: Any) -> bool:
    """Whether an answer says in words that there is nothing to book: `{"error": "No slots available"}`."""
    texts = (_SIGNED_IN.sub(" ", _JOINT.sub(" ", text)) for text in _texts(data, 0)) if isinstance(data, dict) else ()
    return any(is_said(text) and not _WRONG.search(text) for text in texts)


def _texts(data: dict[str, Any], depth: int) -> Iterator[str]:
    """The messages of an answer, also those one or two objects deeper."""
    for name, value in data.items():
        if plain(name) not in _WORDS:
            continue
        for one in value[:5] if isinstance(value, list) else (value,):
            if isinstance(one, str) and len(one) <= 300:
                yield one
            elif isinstance(one, dict) and depth < _DEEP:
                yield from _texts(one, depth + 1)
