"""Converts watches from and to rows."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import msgspec

from driftline.model.account import Features
from driftline.model.fetch import FetchOptions
from driftline.model.noise.mask import Mask, MaskedArea
from driftline.model.watch import OwnSettings, Schedule, Validators, Watch
from driftline.store.db.codec import Codec, loads

COLUMNS: Final = (
    "id", "org_id", "source_id", "kind", "url", "name", "tags", "rules", "fetch", "schedule", "condition", "intent", "own",
    "recipe",
    "parent_id", "bucket_key",
    "paused_at", "retired_at", "created_at", "next_due_at", "etag", "last_modified", "body_hash", "last_outcome",
    "last_checked_at", "last_change_at", "failures", "trouble", "heat", "browser_until", "browser_again_at",
    "baseline_run_id",
)  # fmt: skip
SELECTED: Final = ", ".join(f'w."{name}"' for name in COLUMNS)
RETURNED: Final = ", ".join(f'"{name}"' for name in COLUMNS)

_TAGS: Final = msgspec.json.Decoder(tuple[str, ...])
_NO_VALIDATORS: Final = Validators()


@lru_cache(maxsize=4096)
def _fetch(raw: str | bytes) -> FetchOptions:
    """Cached, because many watches share few distinct ones."""
    options: FetchOptions = loads(raw, FetchOptions)
    return options


@lru_cache(maxsize=4096)
def _schedule(raw: str | bytes) -> Schedule:
    schedule: Schedule = loads(raw, Schedule)
    return schedule


@lru_cache(maxsize=1024)
def features(raw: str | bytes) -> Features:
    """The features of an org's plan."""
    plan: Features = loads(raw, Features)
    return plan


def watch(codec: Codec, row: Any) -> Watch:
    """The watch of a row that starts with COLUMNS."""
    (
        id_, org_id, source_id, kind, url, name, tags, rules, fetch, schedule, condition, intent, own, recipe, parent_id,
        bucket_key,
        paused_at, retired_at, created_at, next_due_at, etag, last_modified, body_hash, last_outcome,
        last_checked_at, last_change_at, failures, trouble, heat, browser_until, browser_again_at,
        baseline_run_id,
    ) = row[: len(COLUMNS)]  # fmt: skip
    id_of, maybe_id, maybe_at = codec.id, codec.id_or_none, codec.at_or_none
    return Watch(
        id=id_of(id_),
        org_id=id_of(org_id),
        source_id=id_of(source_id),
        kind=kind,
        url=url,
        name=name,
        tags=_TAGS.decode(tags),
        rules=loads(rules, dict[str, Any]),
        fetch=_fetch(fetch),
        schedule=_schedule(schedule),
        when=condition,
        intent=intent,
        own=loads(own, OwnSettings) if own else None,
        recipe=bytes(recipe),
        parent_id=maybe_id(parent_id),
        bucket_key=bucket_key,
        paused_at=maybe_at(paused_at),
        retired_at=maybe_at(retired_at),
        created_at=codec.at(created_at),
        next_due_at=maybe_at(next_due_at) if paused_at is None and retired_at is None else None,
        validators=Validators(etag=etag, last_modified=last_modified, body_hash=body_hash)
        if etag or last_modified or body_hash
        else _NO_VALIDATORS,
        last_outcome=last_outcome,
        last_checked_at=maybe_at(last_checked_at),
        last_change_at=maybe_at(last_change_at),
        failures=failures,
        trouble=trouble,
        heat=heat,
        browser_until=maybe_at(browser_until),
        browser_again_at=maybe_at(browser_again_at),
        baseline_run_id=maybe_id(baseline_run_id),
    )


MASK: Final = "id, place, skeleton, evidence, state, area, learned_at, needed_at"


def mask(codec: Codec, row: Any) -> Mask:
    """The mask of a row of MASK."""
    id_, place, skeleton, evidence, state, area, learned_at, needed_at = row
    return Mask(
        id=codec.id(id_),
        place=place,
        skeleton=skeleton,
        evidence=evidence,
        state=state,
        area=loads(area, MaskedArea) if area else None,
        learned_at=codec.at(learned_at),
        needed_at=codec.at_or_none(needed_at),
    )
