"""Unwraps a JSON answer, and finds messages in it: that it failed, or that nothing can be booked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from driftline.core.text.json_text import decode_json
from driftline.errors import BadFile
from driftline.kinds.availability.html.empty_board import says_none_free
from driftline.kinds.availability.json.field_names import ENTITIES, is_aside, is_list
from driftline.kinds.availability.slot_openness import is_yes, plain

_WRAPPED: Final = re.compile(
    rb"\A\s*(?:\)\]\}',?\s*|while\s*\(1\);\s*|[\w$.]{1,80}\((?=\s*[\[{]))"
)  # anti-hijacking prefixes, and JSONP
_FAILURES: Final = ("error", "errors", "errormessage", "exception", "fault")
_WORDS: Final = frozenset(
    "error errors errormessage errorcode errordescription message messages msg description detail details reason title".split()
)
_JOINT: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|_")  # noAppointmentForThisScope
_SIGNED_IN: Final = re.compile(r"\bsessions?\b", re.IGNORECASE)  # a visitor's session, not one to book
# An invalid request, rather than nothing left.
_WRONG: Final = re.compile(
    r"\b(?:ids?|types?|page|account|user|token|key|param\w*|given|provided|such|exists?|(?:in)?valid)\b", re.IGNORECASE
)
_MAX_DEPTH: Final = 3
_MAX_LEVELS: Final = 8  # above an empty list
_CODES: Final = ("status", "statuscode", "code", "httpcode", "httpstatus", "errorcode")  # of HTTP, where they are in the answer
_SUCCESS: Final = frozenset("success successful succeeded ok none noerror noerrors".split())
_TOTALS: Final = frozenset("total count totalcount totalitems totalresults hydratotalitems numfound".split())
_PAGE: Final = re.compile(r"\s{0,50}<[a-z!][^>]{0,2000}>", re.IGNORECASE)


def decode_answer(body: bytes) -> Any:
    """The data of an answer, also if it is wrapped, or JSON lines."""
    found = _WRAPPED.match(body, 0, 200)
    try:
        return decode_json(_unwrap(body[found.end() :]) if found else body)
    except BadFile:
        if not body.startswith(b"{") or body.count(b"\n{") == 0:
            raise
        try:
            return msgspec.json.decode(b"[" + b",".join(line for line in body.splitlines() if line.strip()) + b"]")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
        raise


def _unwrap(body: bytes) -> bytes:
    """The answer without its wrapper."""
    bare = body.rstrip().removesuffix(b";").rstrip()
    return bare[:-1] if bare.endswith(b")") else body


def enclosed_page(data: Any) -> str | None:
    """The HTML inside an answer: `{"success": true, "html": "<ul>..."}`."""
    inner = data.get("data") if isinstance(data, dict) else None
    holders = [one for one in (data, inner) if isinstance(one, dict)]
    texts = [inner] if isinstance(inner, str) else []
    texts += [value for one in holders for value in one.values() if isinstance(value, str) and value is not inner]
    pages = [text for text in texts if _PAGE.match(text)]
    return pages[0] if len(pages) == 1 else None


def counts_none(data: Any) -> bool:
    """Whether an answer without a list says that its list is empty."""
    if not isinstance(data, dict) or any(isinstance(value, dict) for value in data.values()):
        return False
    return any(plain(name) in _TOTALS and value == 0 and type(value) is int for name, value in data.items())


def has_only_empty_lists(data: Any) -> bool:
    """Whether all that an answer lists is empty, whatever the names, and nothing in it failed; venues may be listed."""
    empty = False
    waiting = [("", data, 0)]
    while waiting:
        name, value, depth = waiting.pop()
        if isinstance(value, list):
            empty = empty or not value
            if value and not (is_list(name) or name.removesuffix("s").endswith(ENTITIES)):
                return False
            waiting += [("", child, depth + 1) for child in value if isinstance(child, dict | list)]
        elif isinstance(value, dict) and depth <= _MAX_LEVELS:
            waiting += [(low, child, depth + 1) for key, child in value.items() if not is_aside(low := plain(key))]
    return empty and failure_message(data) is None


def failure_message(data: Any) -> str | None:
    """The failure that an answer without slots reports."""
    if not isinstance(data, dict) or says_nothing_free(data):
        return None
    fields = {plain(name): value for name, value in data.items()}
    for name in _FAILURES:
        if fields.get(name) and not (isinstance(fields[name], str) and plain(fields[name]) in _SUCCESS):
            return str(fields[name])[:120]
    if any(name in fields and is_yes(fields[name]) is False for name in ("success", "ok", "successful")):
        return str(fields.get("message") or "no success")[:120]
    status = fields.get("status")
    failed = isinstance(status, str) and plain(status) in {"error", "fail", "failed", "failure", "ko"}
    code = next((fields[name] for name in _CODES if type(fields.get(name)) is int and 400 <= fields[name] < 600), None)
    return str(fields.get("message") or code or status)[:120] if failed or code else None


def partial_failure(data: Any) -> str | None:
    """The failure of a part of a GraphQL answer: what `data` has beside `errors` is not all of it."""
    if not isinstance(data, dict) or not isinstance(data.get("data"), dict) or not isinstance(data.get("errors"), list):
        return None
    return failure_message(data) if data["errors"] else None


def says_nothing_free(data: Any) -> bool:
    """Whether an answer says that nothing can be booked: `{"error": "No slots available"}`."""
    texts = (_SIGNED_IN.sub(" ", _JOINT.sub(" ", text)) for text in _texts(data, 0)) if isinstance(data, dict) else ()
    return any(says_none_free(text) and not _WRONG.search(text) for text in texts)


def _texts(data: dict[str, Any], depth: int) -> Iterator[str]:
    """The messages of an answer, also one or two levels deeper."""
    for name, value in data.items():
        if plain(name) not in _WORDS:
            continue
        for one in value[:5] if isinstance(value, list) else (value,):
            if isinstance(one, str) and len(one) <= 300:
                yield one
            elif isinstance(one, dict) and depth < _MAX_DEPTH:
                yield from _texts(one, depth + 1)
