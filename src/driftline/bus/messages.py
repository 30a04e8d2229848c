"""The messages of the queue pipeline, with its own field names in camelCase; unknown fields are passed on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from driftline.core.identity.urls import MAX_LENGTH, checked
from driftline.core.text.safety.sanitize import sanitize
from driftline.errors import BadUrl, UsageError

MAX_BYTES: Final = 8 * 1024 * 1024  # bytes of a message that is read


class BadMessage(UsageError):
    """A message that can never be processed; it goes to the dead letters at once."""


class Parsed(Struct, frozen=True, kw_only=True, rename="camel"):
    """A page as a crawler parsed it."""

    title: str | None = None
    text: str | list[str | None] | None = None  # visible lines, or a list of paragraphs
    description: str | None = None
    images: list[str | dict[str, Any] | None] | None = None  # addresses, or objects with `url` or `src`, hero first
    # addresses, or objects with `url` or `href`, and `text`; or such lists by name: `{"internal": [...], "external": [...]}`
    links: list[str | dict[str, Any] | None] | dict[str, Any] | None = None
    # <meta>, Open Graph, `canonical`, JSON-LD: flat, nested, or a list of objects with `name` or `property`, and `content`
    metadata: dict[str, Any] | list[Any] | None = None
    # as written on the page, or objects with `text` (`raw`, `value`, `price`, `amount`) and `currency`
    price_candidates: list[str | int | float | dict[str, Any] | None] | None = None
    # What some crawlers give beside it: Open Graph by name, the canonical address, linked data, links by place
    open_graph: dict[str, Any] | None = None
    canonical: str | None = None
    json_ld: dict[str, Any] | list[Any] | None = None
    navigation: list[str | dict[str, Any]] | dict[str, Any] | None = None
    pagination: list[str | dict[str, Any]] | dict[str, Any] | None = None


class Classified(Struct, frozen=True, kw_only=True):
    """The type of page that the crawler assigned."""

    type: str | None = None
    confidence: float | str | None = None


class PageCheck(Struct, frozen=True, kw_only=True, rename="camel"):
    """Input: one page, parsed, to be compared with the version before."""

    job_id: str
    url: Annotated[str, Meta(min_length=1, max_length=MAX_LENGTH)]
    parsed: Parsed
    classification: Classified | str | None = None  # or its type alone
    snapshot_hash: str
    version: Annotated[int, Meta(ge=0, le=2**53)]


class Diff(Struct, frozen=True, kw_only=True, rename="camel"):
    """The difference in short."""

    title_changed: bool
    text_diff: str  # "[+ new - old]", empty where the text did not change
    metadata_changes: dict[str, Any]  # by key: before and after
    image_changes: dict[str, Any]  # added, removed; hero: before, after, where another one comes first
    price_changed: bool


class ParsedPrice(Struct, frozen=True, kw_only=True):
    """A price candidate with the amount and currency that were read from it."""

    candidate: str
    amount: str | None  # a decimal, never a float; null: no price
    currency: str | None  # ISO 4217; null: not said


class VersionPair(Struct, frozen=True, kw_only=True):
    """The versions that were compared."""

    previous: int | None  # null: the page is new
    current: int


class PageChecked(Struct, frozen=True, kw_only=True, rename="camel"):
    """Output: the result of the comparison. Fields that do not apply are left out."""

    job_id: str
    url: str
    has_changes: bool
    diff: Diff | UnsetType = UNSET  # with changes only
    changes: dict[str, Any] | UnsetType = UNSET  # with changes only: every level, before and after
    previous_version: int | None
    current_version: int
    snapshot_hash: str
    version: VersionPair
    is_new: bool | UnsetType = UNSET  # true for a page without a version before
    parsed: Raw | UnsetType = UNSET  # on the storage queue only, unmodified
    classification: Raw | UnsetType = UNSET  # on the storage queue only, unmodified
    prices: list[ParsedPrice] | UnsetType = UNSET  # on the price queue only


# Names as crawlers in other languages write them, of the message and of its page.
_SPELLINGS: Final = {"job_id": "jobId", "snapshot_hash": "snapshotHash"}
_PAGE_SPELLINGS: Final = {"price_candidates": "priceCandidates", "open_graph": "openGraph", "json_ld": "jsonLd"}
_QUOTED: Final = tuple(f'"{name}"'.encode() for name in (*_SPELLINGS, *_PAGE_SPELLINGS))
_DECODER: Final = msgspec.json.Decoder(PageCheck)
_RAW_DECODER: Final = msgspec.json.Decoder(dict[str, Raw])
_PAGE_FIELDS: Final = frozenset(("parsed", "classification"))
_KNOWN_FIELDS: Final = frozenset(field.encode_name for field in msgspec.structs.fields(PageCheck)) - _PAGE_FIELDS
_OWN_FIELDS: Final = frozenset(field.encode_name for field in msgspec.structs.fields(PageChecked))


def decode(body: bytes) -> tuple[PageCheck, dict[str, Raw]]:
    """The message, and the raw fields to pass on (the page, and fields that are not ours); raises BadMessage."""
    if len(body) > MAX_BYTES:
        raise BadMessage("the message is too large", bytes=len(body), at_most=MAX_BYTES)
    try:
        message = _DECODER.decode(_respelled(body) if any(name in body for name in _QUOTED) else body)
        extra = {name: Raw(bytes(raw)) for name, raw in _RAW_DECODER.decode(body).items() if name not in _KNOWN_FIELDS}
    except RecursionError:
        raise BadMessage("the message is nested too deeply") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadMessage("invalid message", problem=str(error)) from None
    if sanitize(message.url) != message.url:
        raise BadMessage("the URL holds forbidden characters")
    try:
        checked(message.url)
    except BadUrl as error:
        raise BadMessage("invalid URL of a page", problem=error.message) from None
    return message, extra


def _respelled(body: bytes) -> bytes:
    """The message with our spelling of its names; where both are given, ours counts."""
    message = msgspec.json.decode(body)
    if not isinstance(message, dict):
        return body
    if isinstance(page := message.get("parsed"), dict):
        message["parsed"] = _with_spellings(page, _PAGE_SPELLINGS)
    return msgspec.json.encode(_with_spellings(message, _SPELLINGS))


def _with_spellings(fields: dict[str, Any], spellings: Mapping[str, str]) -> dict[str, Any]:
    return {ours: fields[name] for name, ours in spellings.items() if name in fields} | fields


def encode(message: PageChecked, extra: dict[str, Raw]) -> bytes:
    """The message as JSON with the unknown fields of its input; on a name clash the message's own field wins."""
    passed_on = {name: raw for name, raw in extra.items() if name not in _OWN_FIELDS}
    own = msgspec.json.encode(message)
    return own[:-1] + b"," + msgspec.json.encode(passed_on)[1:] if passed_on else own


def with_page(message: PageChecked, extra: dict[str, Raw]) -> PageChecked:
    """The message with the page's raw fields, for the queue of the service that stores pages."""
    page = {name: extra[name] for name in _PAGE_FIELDS if name in extra}
    return msgspec.structs.replace(message, **page)
