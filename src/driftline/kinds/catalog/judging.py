"""Judges a catalog run: new products, price and stock changes, with flags for mutes and highlights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

import msgspec

from driftline.core.commerce.amounts import canonical as canonical_amount
from driftline.core.commerce.amounts import from_to, money
from driftline.core.identity.severity import CHANGE_TYPES
from driftline.kinds.catalog import variants
from driftline.kinds.catalog.product import Product, carried_over, code_of, observed
from driftline.kinds.catalog.rules import CatalogRules, threshold_of
from driftline.kinds.kind import Baseline, Entry, Verdict
from driftline.model.change import Finding, Notice
from driftline.model.delta import Delta
from driftline.model.item import Observed, SnapshotState

MISSING_SHOWN: Final = 100  # keys in the diagnostics; all are counted
_MIN_LISTING: Final = 8  # products from which losing most of them means a changed layout
_REVERTED: Final = "reverted within the cooldown"
_COUNTER: Final = {
    "new_product": "new",
    "price_increase": "price_changes",
    "price_decrease": "price_changes",
    "sold_out": "sold_out",
    "back_in_stock": "back_in_stock",
}
_MESSAGES: Final = {
    "no_baseline": "known products without a snapshot from before the run: nothing was compared",
    "missing_price": "price not known on one side: no price was compared",
    "currency_mismatch": "prices in two currencies are never compared",
}


def judge(before: Baseline[Product], after: Delta[Product], rules: CatalogRules, *, at: datetime) -> Verdict:
    """The verdict on one run, from its states and the latest before it; the same at once and later."""
    findings: list[Finding] = []
    kept: dict[str, Observed[Product]] = {}
    noise: set[str] = set()
    unsure: set[str] = set()
    warned: dict[str, list[str]] = {}
    for entry in after.entries:
        item, previous = entry.observed, before.snapshots.get(entry.observed.key)
        state = carried_over(item.state, previous.state if previous else None)
        if entry.stored is None:
            findings.append(_new(item, state, rules))
        elif before.first and not entry.joined:
            pass  # a new baseline was requested: members are accepted as they are
        elif previous is None:
            if entry.moved:
                warned.setdefault("no_baseline", []).append(item.key)
        else:  # also in a first run: a product of another watch may have changed
            changes, warning = _changes(item, previous.state, state, rules, at=at)
            changes += _new_low(item, previous.state, state, changes, before.same.get(code_of(state), ()))
            findings.extend(changes)
            state = _with_reported(state, changes, at=at)
            if warning:
                warned.setdefault(warning, []).append(item.key)
        kept[item.key] = keep = observed(item.key, state)
        if _is_noise(entry, state, previous.state if previous else None):
            noise.add(item.key)
        if keep.fingerprint != item.fingerprint and (item.key not in noise or entry.is_stored(keep.fingerprint)):
            unsure.add(item.key)
    counts = Counter(_COUNTER[finding.type] for finding in findings if finding.type in _COUNTER)
    return Verdict(
        refused="" if before.first else _layout_problem(after),
        refused_as="layout_changed",
        findings=tuple(findings),
        noise=frozenset(noise),
        settled=kept,
        unsure=frozenset(unsure),
        warnings=tuple(
            Notice(code=code, message=_MESSAGES[code], key=keys[0] if len(keys) == 1 else None, count=len(keys))
            for code, keys in sorted(warned.items())
        ),
        counters={
            "total": after.unchanged + len(after.entries),
            **{name: counts.get(name, 0) for name in dict.fromkeys(_COUNTER.values())},
            "missing": len(after.missing),
        },
        diagnostics={"missing": sorted(item.key for item in after.missing)[:MISSING_SHOWN]} if after.missing else {},
    )


def _layout_problem(after: Delta[Product]) -> str:
    """Why a polled listing is not believed: it suddenly shows fewer than half of its products."""
    shown = after.unchanged + len(after.entries)
    before = shown - sum(entry.joined for entry in after.entries) + len(after.missing)
    return f"cards read: {shown} of {before}" if before >= _MIN_LISTING and 2 * shown < before else ""


def _is_noise(entry: Entry[Product], state: Product, previous: Product | None) -> bool:
    """Whether only unknown values differ: nothing is stored, so that the next observation compares with known values."""
    return not entry.joined and previous is not None and _reported_state(state) == _reported_state(previous)


def _reported_state(product: Product) -> tuple[object, ...]:
    return product.title, product.price, product.currency, product.in_stock, product.extra


def _new(item: Observed[Product], state: Product, rules: CatalogRules) -> Finding:
    flags: dict[str, Any] = {}
    if rules.price_below is not None and state.amount is not None and state.amount < Decimal(rules.price_below):
        flags["price_below"] = rules.price_below
    price = f", {_price(state.price, state.currency)}" if state.price is not None else ""
    return _finding("new_product", item, f"New product: {state.title or item.key}{price}", None, state, flags=flags)


def _changes(
    item: Observed[Product], previous: Product, state: Product, rules: CatalogRules, *, at: datetime
) -> tuple[list[Finding], str | None]:
    """The price change and the stock change of one known product, and a warning."""
    findings = []
    seen = item.state  # as observed: a carried-over value is no evidence
    price, warning = _price_change(item, previous, state, rules, at=at)
    if price:
        findings.append(price)
    moved = variants.changed(previous.extra, seen.extra) if seen.extra and previous.extra else {}
    now = None if "in_stock" in seen.carried else seen.in_stock
    if now is not None and previous.in_stock is not None and now != previous.in_stock:
        kind = "back_in_stock" if now else "sold_out"
        flags: dict[str, Any] = {}
        if _in_cooldown(previous.stock_told_at, rules, at=at):  # every stock change reverts the previous one
            flags["muted"] = _REVERTED
        words = "is back in stock" if now else "is sold out"
        which = moved.pop("variant_back", ()) if now else ()
        moved.pop("variant_gone", None)
        named = f": {variants.listed(which)}" if which else ""
        findings.append(_finding(kind, item, f"{state.title or item.key} {words}{named}", previous, state, flags=flags))
    if price:
        moved.pop("variant_price", None)
    findings += [_of_variants(kind, item, previous, state, found) for kind, found in moved.items()]
    return findings, warning


_SAID_OF_VARIANTS: Final = {"variant_back": "back in stock", "variant_gone": "sold out"}


def _new_low(
    item: Observed[Product], previous: Product, state: Product, changes: list[Finding], same: Sequence[SnapshotState[Product]]
) -> list[Finding]:
    """That a lowered price is below all that any shop ever asked for the product, where another one sells it."""
    fell = next((change for change in changes if change.type == "price_decrease"), None)
    others = [one.state for one in same if one.key != item.key and one.state.currency == state.currency]
    lows = [Decimal(low) for other in others if (low := other.low or other.price)]
    if fell is None or not lows or not fell.flags.get("all_time_low") or state.amount is None or state.amount >= min(lows):
        return []
    lowest = canonical_amount(min(lows))
    headline = f"{state.title or item.key}: {_price(state.price, state.currency)}, the lowest in all shops"
    diff = {"price": {"before": lowest, "after": state.price, "shops": len(lows) + 1}}
    muted = {"muted": fell.flags["muted"]} if "muted" in fell.flags else {}
    headline += f" (before: {_price(lowest, None)})"
    return [_finding("new_low", item, headline, previous, state, flags=muted, diff=diff)]


def _of_variants(
    kind: str, item: Observed[Product], previous: Product, state: Product, found: list[variants.VariantChange]
) -> Finding:
    """What became of some sizes or colours of a product that itself is as it was."""
    title = state.title or item.key
    headline = f"{title}: {variants.listed(found)} {_SAID_OF_VARIANTS.get(kind, '')}"
    if kind == "variant_price":
        name, was, now = found[0]
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        headline = f"{title}: {name} {_step_in_words(was.price, now.price, state.currency)}{more}"
    diff = {
        variants.FIELD: {one.name: {"before": one.before._asdict(), "after": one.after._asdict()} for one in found},
    }
    return _finding(kind, item, headline, previous, state, flags={}, diff=diff)


def _price_change(
    item: Observed[Product], previous: Product, state: Product, rules: CatalogRules, *, at: datetime
) -> tuple[Finding | None, str | None]:
    seen = item.state
    new = None if "price" in seen.carried else seen.amount
    old = previous.amount
    if new is None or old is None:
        return None, "missing_price" if (new is None) != (old is None) else None
    if seen.currency and previous.currency and seen.currency != previous.currency:
        return None, "currency_mismatch"
    if new == old:
        return None, None
    kind = "price_increase" if new > old else "price_decrease"
    flags = _price_flags(previous, state, old, new, rules)
    if previous.price_before == state.price and _in_cooldown(previous.price_told_at, rules, at=at):
        flags["muted"] = _REVERTED
    change, percent = _step(old, new)
    title = state.title or item.key
    verb = "rose" if new > old else "fell"
    headline = f"{title}: price {verb} {_step_in_words(previous.price, state.price, state.currency)}"
    if percent is not None:
        headline += f" ({'+' if new > old else '-'}{percent}%)"
    if "all_time_low" in flags:
        headline += ", the lowest so far"
    diff = {"price": {"before": previous.price, "after": state.price, "change": change, "percent": percent}}
    return _finding(kind, item, headline, previous, state, flags=flags, diff=diff), None


def _price_flags(previous: Product, state: Product, old: Decimal, new: Decimal, rules: CatalogRules) -> dict[str, Any]:
    """Flags of a price change; a mute has its reason."""
    flags: dict[str, Any] = {}
    if state.price == state.low != previous.low and new < old:
        flags["all_time_low"] = True
    if state.price == state.high != previous.high and new > old:
        flags["all_time_high"] = True
    if rules.price_below is not None:
        if new < Decimal(rules.price_below):
            flags["price_below"] = rules.price_below
        else:
            flags["muted"] = f"price is not below {rules.price_below}"
    if rules.min_price_change is not None:
        least, in_percent = threshold_of(rules.min_price_change)
        reported = (
            old if previous.price_told is None else Decimal(previous.price_told)
        )  # compared with the last reported price, so that small steps add up
        moved = abs(new - reported)
        if moved * 100 < least * reported if in_percent else moved < least:
            flags["muted"] = f"price changed by less than {rules.min_price_change.strip()}"
    return flags


@lru_cache(maxsize=16_384)  # many products change alike
def _step(old: Decimal, new: Decimal) -> tuple[str, str | None]:
    """The difference of two prices, and its percentage unless the old one was 0."""
    change = abs(new - old)
    return canonical_amount(change), canonical_amount((change / old * 100).quantize(Decimal("0.1"))) if old else None


def _finding(
    kind: str,
    item: Observed[Product],
    headline: str,
    previous: Product | None,
    state: Product,
    *,
    flags: dict[str, Any],
    diff: dict[str, Any] | None = None,
) -> Finding:
    if kind in ("sold_out", "back_in_stock") and previous is not None:
        diff = {"in_stock": {"before": previous.in_stock, "after": state.in_stock}}
    return Finding(
        type=kind,
        severity=CHANGE_TYPES[kind].severity,
        headline=headline,
        key=item.key,
        url=item.url,
        before=shown(previous) if previous else None,
        after=shown(state),
        diff=diff,
        flags=flags,
    )


def shown(product: Product) -> dict[str, Any]:
    """A product as it is stored in a change."""
    return {
        "title": product.title,
        "price": product.price,
        "currency": product.currency,
        "in_stock": product.in_stock,
        **({"image": product.image} if product.image else {}),
        **({"extra": product.extra} if product.extra else {}),
    }


@lru_cache(maxsize=16_384)
def _price(price: str | None, currency: str | None) -> str:
    return "no price" if price is None else money(price, currency)


@lru_cache(maxsize=16_384)
def _step_in_words(before: str | None, after: str | None, currency: str | None) -> str:
    if before is None or after is None:
        return f"from {_price(before, None)} to {_price(after, currency)}"
    return from_to(before, after, currency)


def _in_cooldown(reported_at: datetime | None, rules: CatalogRules, *, at: datetime) -> bool:
    return reported_at is not None and bool(rules.cooldown_for) and at - reported_at <= timedelta(seconds=rules.cooldown_for)


def _with_reported(state: Product, changes: list[Finding], *, at: datetime) -> Product:
    """The state with what was reported of it, for the judgement of later runs."""
    for change in changes:
        if change.type not in _COUNTER:
            continue  # of variants: nothing is held back by what was said of them
        if change.diff is None or "price" not in change.diff:
            state = msgspec.structs.replace(state, stock_told_at=at)
        elif "muted" in change.flags:
            reported = state.price_told or change.diff["price"]["before"]
            state = msgspec.structs.replace(state, price_told_at=at, price_told=reported if reported != state.price else None)
        else:
            state = msgspec.structs.replace(state, price_told_at=at, price_told=None)
    return state
