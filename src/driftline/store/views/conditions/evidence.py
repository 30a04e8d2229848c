"""What conditions ask about a change beyond the change itself: earlier prices and texts of its item, the stored page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple
from uuid import UUID

from driftline.model.change import Change
from driftline.model.condition import ChangeEvidence, EvidenceNeeds, MeasuredAt, StoredBody, VersionText
from driftline.policy.conditions.differences import holds_texts
from driftline.policy.prices import price_of
from driftline.store.db.codec import loads
from driftline.store.db.database import Tx
from driftline.store.views.results.prices import PriceState, price_state

VERSIONS_AT_MOST: Final = 400  # texts of one item that are read
_COLUMNS: Final = "s.id, s.item_id, s.version, s.run_started_at"


class _Row(NamedTuple):
    id: UUID
    version: int
    at: datetime
    value: Any


def evidence_of(tx: Tx, changes: Sequence[Change], needs: EvidenceNeeds) -> dict[UUID, ChangeEvidence]:
    """By change, what these needs name; a change that needs nothing is left out."""
    found: dict[UUID, dict[str, Any]] = {}
    if needs.prices:
        asked = [one for one in changes if needs.price_history or _says_no_price(one)]
        prices = _by_item(tx, f"SELECT {_COLUMNS}, {price_state(tx)} FROM snapshots AS s WHERE s.item_id {{keys}}", asked)  # noqa: S608 - constants
        for one in asked:
            rows = _until(prices.get(one.item_id, ()), one)
            found.setdefault(one.id, {})["prices"] = tuple(MeasuredAt(row.at, _amount(row.value)) for row in rows)
    if needs.texts or needs.versions:
        asked = [one for one in changes if needs.versions or not holds_texts(one)]
        texts = _by_item(tx, f"SELECT {_COLUMNS}, s.text FROM snapshots AS s WHERE s.item_id {{keys}}", asked)  # noqa: S608 - constants
        for one in asked:
            rows = _until(texts.get(one.item_id, ()), one)[-VERSIONS_AT_MOST:]
            found.setdefault(one.id, {})["versions"] = tuple(VersionText(row.at, row.value) for row in rows)
    if needs.selectors:
        bodies = _bodies(tx, [one.next_snapshot_id for one in changes if one.next_snapshot_id is not None])
        for one in changes:
            found.setdefault(one.id, {})["body"] = bodies.get(one.next_snapshot_id)
    return {one.id: ChangeEvidence(change=one, **found[one.id]) for one in changes if one.id in found}


def _says_no_price(change: Change) -> bool:
    return price_of(change.before) is None and price_of(change.after) is None


def _by_item(tx: Tx, sql: str, changes: Sequence[Change]) -> dict[UUID | None, list[_Row]]:
    """The versions of the changes' items, oldest first."""
    found: dict[UUID | None, list[_Row]] = {}
    for id_, item_id, version, at, value in tx.where_in(sql, list({one.item_id for one in changes if one.item_id is not None})):
        found.setdefault(tx.codec.id(item_id), []).append(_Row(tx.codec.id(id_), version, tx.codec.at(at), value))
    for rows in found.values():
        rows.sort(key=lambda row: row.version)
    return found


def _until(rows: Sequence[_Row], change: Change) -> Sequence[_Row]:
    """Those up to the version after the change."""
    own = next((place for place, row in enumerate(rows) if row.id == change.next_snapshot_id), None)
    if own is not None:
        return rows[: own + 1]
    return [row for row in rows if row.at <= change.created_at]


def _amount(raw: Any) -> Decimal | None:
    said: PriceState = loads(raw, PriceState)
    try:
        return Decimal(said.price) if said.price is not None else None
    except InvalidOperation:
        return None


def _bodies(tx: Tx, snapshot_ids: Sequence[UUID]) -> dict[UUID | None, StoredBody]:
    sql = "SELECT s.id, s.blob_key, s.content_type FROM snapshots AS s WHERE s.blob_key IS NOT NULL AND s.id {keys}"
    return {tx.codec.id(id_): StoredBody(key, type_ or "") for id_, key, type_ in tx.where_in(sql, snapshot_ids)}
