"""Validates users, channels and filters that people enter: whatever could break or forge a message is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline import extensions
from driftline.core.identity.severity import CHANGE_TYPES
from driftline.core.identity.urls import checked
from driftline.deliver.channels import apprise
from driftline.deliver.render import templates
from driftline.errors import BadRule, BadSchedule, BadUrl, DriftlineError, UsageError
from driftline.kinds.registry import KINDS
from driftline.model.account import Role, User
from driftline.model.delivery import ChannelKind, ChannelOptions, Filter
from driftline.model.fetch import CONNECTION_HEADERS
from driftline.policy.conditions.checking import checked_condition
from driftline.policy.conditions.written import condition_from, written
from driftline.policy.digest import next_digest
from driftline.policy.schedule.windows import check_window
from driftline.policy.schedule.zones import zone

_NAME_AT_MOST: Final = 120
_DATES_AT_MOST: Final = 366
_SMALLEST_AMOUNT: Final = Decimal("1e-9")
_LARGEST: Final = Decimal("1e15")
_LOCAL: Final = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}")
_DOMAIN: Final = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_TARGET_AT_MOST: Final = 2_048  # characters of an extension's target
_TOPIC: Final = re.compile(r"[A-Za-z0-9._-]{1,200}")
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_RESERVED_HEADERS: Final = CONNECTION_HEADERS | {"delivery-id"}
_RESERVED_PREFIXES: Final = ("webhook-", "content-", "proxy-")
_ALLOWED_OPTIONS: Final[dict[ChannelKind, frozenset[str]]] = {
    "email": frozenset({"subject", "text"}),
    "webhook": frozenset({"body", "headers"}),
    "apprise": frozenset({"subject", "text"}),
    "bus": frozenset(),
}


class ChannelDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A channel that can be stored."""

    kind: ChannelKind
    name: str
    target: str
    options: ChannelOptions


def draft_channel(
    kind: str,
    target: str,
    *,
    name: str | None = None,
    options: ChannelOptions | None = None,
    refused_literal: Callable[[str], str | None],  # the private address that a URL spells out, if it does
    schemes: Collection[str] = apprise.SCHEMES,
    reserved: Collection[str] = (),  # queues of the broker that are not for reports
) -> ChannelDraft:
    """The validated channel; raises BadUrl or BadRule with what to correct."""
    options = options or ChannelOptions()
    match kind:
        case "email":
            known: ChannelKind = "email"
            target = mail_address(target)
        case "webhook":
            known = "webhook"
            target = _webhook_url(target, refused_literal)
        case "apprise":
            known = "apprise"
            apprise.check_url(target, schemes)
        case "bus":
            known = "bus"
            if not _TOPIC.fullmatch(target):
                raise BadRule("invalid topic", topic=target[:80], hint="use letters, digits, dots, dashes and underscores")
            if target in reserved:
                raise BadRule(
                    "this topic is reserved for the agent", topic=target, hint="choose another one, such as driftline.events"
                )
        case _:
            known, target = _of_extension(kind, target)
    check_options(known, options)
    return ChannelDraft(kind=known, name=line(name or _default_name(known, target), "name"), target=target, options=options)


def _of_extension(kind: str, target: str) -> tuple[ChannelKind, str]:
    """The channel of an extension, which checks its target itself."""
    others = extensions.usable(extensions.CHANNELS)
    if kind not in others:
        known = ", ".join((*_ALLOWED_OPTIONS, *others))
        raise UsageError("unknown type of channel", kind=kind[:80], hint=f"use one of: {known}")
    if len(target) > _TARGET_AT_MOST or not target.isprintable():
        raise BadRule("invalid target", hint=f"one line of at most {_TARGET_AT_MOST:,} characters")
    try:
        others[kind].check_target(target)
    except DriftlineError:
        raise
    except Exception as error:  # noqa: BLE001 - an extension may raise anything
        raise BadRule(
            f"the extension {kind} refuses the target", problem=type(error).__name__, hint="see its own page"
        ) from None
    return kind, target


def mail_address(written: str) -> str:
    """One bare address; anything that could forge a header or reach other recipients is refused."""
    local, at, domain = written.strip(" ").rpartition("@")
    try:
        ascii_domain = domain.encode("idna").decode().lower()
    except UnicodeError:
        ascii_domain = ""
    sound = _LOCAL.fullmatch(local) and ".." not in local and not local.startswith(".") and not local.endswith(".")
    if not at or not sound or not _DOMAIN.fullmatch(ascii_domain) or len(local) + len(ascii_domain) > 253:
        raise BadRule("invalid mail address", address=written[:120], hint="write it as name@example.org")
    return f"{local}@{ascii_domain}"


def line(text: str, what: str) -> str:
    """Text for a header: one line without control characters."""
    if any(not letter.isprintable() for letter in text):
        raise BadRule("the text holds a line break or control character", field=what, hint="keep it on one line")
    trimmed = " ".join(text.split())
    if not trimmed or len(trimmed) > _NAME_AT_MOST:
        raise UsageError(f"invalid {what}", field=what, length=len(trimmed), hint=f"use 1 to {_NAME_AT_MOST} characters")
    return trimmed


def draft_user(
    user_id: UUID,
    org_id: UUID,
    email: str,
    *,
    name: str | None = None,
    role: str = "owner",
    timezone: str = "UTC",
    digest_hour: int = 8,
    digest: bool = False,
    at: Any,
) -> User:
    """The validated user, with the time of the next daily message."""
    zone(timezone)
    address = mail_address(email)
    return User(
        id=user_id,
        org_id=org_id,
        email=address,
        name=line(name or address.partition("@")[0], "name"),
        role=checked_role(role),
        timezone=timezone,
        digest_hour=digest_hour,
        digest=digest,
        next_digest_at=next_digest(hour=digest_hour, timezone=timezone, after=at),
        created_at=at,
    )


def checked_role(role: str) -> Role:
    """The role, if it is one of the three."""
    try:
        known: Role = msgspec.convert(role, Role)
    except msgspec.ValidationError:
        raise UsageError("unknown role", role=role, hint="use owner, editor or viewer") from None
    return known


def draft_filter(values: dict[str, Any]) -> Filter:
    """A filter from plain values; unknown fields, types and hours are refused."""
    if isinstance(tree := values.get("when"), dict):
        values = {**values, "when": written(condition_from(tree))}
    try:
        chosen = msgspec.convert(values, Filter, strict=False)
    except msgspec.ValidationError as error:
        raise BadRule("invalid filter", problem=str(error), hint="see docs/delivery.md") from None
    if unknown := [name for name in chosen.types if name not in CHANGE_TYPES]:
        raise BadRule("unknown change type", type=unknown[0], hint=f"use {', '.join(CHANGE_TYPES)}")
    subjects = [kind.traits.subject for kind in KINDS.values()]
    chosen = msgspec.structs.replace(chosen, when=checked_condition(chosen.when, subjects))
    for window in chosen.quiet:
        check_window(window)
    if not set(chosen.slots_weekdays) <= set(range(7)):
        raise BadRule("unknown weekday", weekdays=chosen.slots_weekdays, hint="0 is Monday, 6 is Sunday")
    if len(chosen.slots_dates) > _DATES_AT_MOST or len(chosen.party_sizes) > _DATES_AT_MOST:
        raise BadRule("too many dates or party sizes", hint=f"{_DATES_AT_MOST} at most")
    if any(size < 1 for size in chosen.party_sizes):
        raise BadRule("invalid party size", sizes=chosen.party_sizes, hint="use whole numbers from 1")
    for amount in (chosen.price_below, chosen.price_change_at_least, chosen.price_change_percent):
        if amount is not None and not (amount.is_finite() and _SMALLEST_AMOUNT <= amount <= _LARGEST):
            raise BadRule("invalid amount", amount=str(amount)[:40], hint="use a positive number")
    if not 0 <= chosen.cooldown_for <= 366 * 86_400:
        raise BadSchedule("invalid cooldown", cooldown=chosen.cooldown_for, hint="use 10m, 2h or 1d")
    return chosen


def _webhook_url(url: str, refused_literal: Callable[[str], str | None]) -> str:
    target = checked(url)
    if address := refused_literal(target):
        raise BadUrl(
            "the webhook has a private address", address=address, hint="the operator can allow it with DRIFTLINE_ALLOW_HOSTS"
        )
    return target


def check_options(kind: ChannelKind, options: ChannelOptions) -> None:
    """Refuse templates with unknown names, and headers that could forge a message."""
    given = {name for name in options.__struct_fields__ if getattr(options, name)}
    if foreign := given - _ALLOWED_OPTIONS.get(kind, frozenset()):
        raise BadRule("this type of channel has no such option", kind=kind, option=min(foreign), hint="see docs/delivery.md")
    if options.subject is not None:
        templates.check(options.subject, one_line=True)
    if options.text is not None:
        templates.check(options.text)
    if options.body is not None:
        templates.check_json(options.body)
    for name, value in options.headers.items():
        if not _TOKEN.fullmatch(name) or not value.isprintable() or not value.isascii() or len(value) > 1_000:
            raise BadRule("invalid header", header=name[:100], hint="no line breaks or control characters")
        if name.lower() in _RESERVED_HEADERS or name.lower().startswith(_RESERVED_PREFIXES):
            raise BadRule("this header is set by driftline", header=name, hint="leave it out")


def _default_name(kind: ChannelKind, target: str) -> str:
    if kind == "email":
        return target[:_NAME_AT_MOST]
    scheme, _, rest = target.partition("://")
    place = rest.partition("/")[0].rpartition("@")[2] if rest and kind != "apprise" else scheme.partition(":")[0]
    return f"{kind} {place}"[:_NAME_AT_MOST]
