"""Watches of an org: add, find, list, change, remove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any, Final, Literal
from uuid import UUID

from msgspec import UNSET, UnsetType

from driftline.core.identity.fingerprint import digest
from driftline.errors import NotFound, UsageError
from driftline.model.fetch import FetchOptions
from driftline.model.watch import OwnSettings, Schedule, Watch
from driftline.policy.schedule.cadence import NEUTRAL_HEAT
from driftline.store.db import bulk
from driftline.store.db.codec import dumps, dumps_or_null
from driftline.store.db.database import Tx
from driftline.store.db.query import Query, by_suffix, exactly_one, like, page, tagged, unindexed, uuid_or_none
from driftline.store.rows import NewWatch, Page, State
from driftline.store.views.watching.summaries import BucketSummary, CheckProgress, bucket_summaries, progress
from driftline.store.watches import watch_rows

_MAX_NAME_BYTES: Final = 2048  # it is indexed, and a URL may be used as a name
_NEW: Final = (
    "id", "org_id", "source_id", "kind", "url", "name", "tags", "rules", "fetch", "schedule", "condition", "intent", "own",
    "recipe",
    "parent_id", "bucket_key", "created_at", "next_due_at", "fence", "failures", "heat",
)  # fmt: skip
_STATES: Final[dict[State, str]] = {
    "active": "w.paused_at IS NULL AND w.retired_at IS NULL",
    "paused": "w.paused_at IS NOT NULL AND w.retired_at IS NULL",
    "retired": "w.retired_at IS NOT NULL",
    "troubled": "(w.failures > 0 OR w.trouble IS NOT NULL) AND w.retired_at IS NULL",
}
Order = Literal["name", "changed", "checked", "added"]
_ORDERS: Final[Mapping[str, str]] = {"changed": "last_change_at", "checked": "last_checked_at", "added": "created_at"}
_NAMES_COMPARED: Final = 1_000  # names compared to suggest the one that was meant
_NAME_AT_MOST: Final = 200  # characters of it that are compared
_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
_KEY_AT: Final = watch_rows.COLUMNS.index("bucket_key")
_NAME_AT: Final = watch_rows.COLUMNS.index("name")
_SELECT: Final = f"SELECT {watch_rows.SELECTED} FROM watches AS w"  # noqa: S608 - constants


class Watches:
    """The watches of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id
        self._of_org = unindexed(tx, "w.org_id")  # where a narrower condition uses the index

    def add(self, drafts: Sequence[NewWatch], *, at: datetime) -> list[Watch]:
        """Create watches, with missing sources; all or none."""
        for draft in drafts:
            if len(draft.name.encode("utf-8", "surrogatepass")) > _MAX_NAME_BYTES:
                raise UsageError("the name is too long", name=draft.name[:80], hint="at most 2,048 bytes")
            if not draft.name.strip():
                raise UsageError("a watch needs a name", url=draft.url)
        self._check_parents(drafts)
        sources = self._sources(drafts, at)
        bulk.insert(
            self._tx,
            "watches",
            _NEW,
            [
                (
                    draft.id, self._org_id, sources[draft.scope], draft.kind, draft.url, draft.name, dumps(draft.tags),
                    dumps(draft.rules), dumps(draft.fetch), dumps(draft.schedule), draft.when, draft.intent,
                    dumps_or_null(draft.own), b"",
                    draft.parent_id, draft.bucket_key, at, draft.next_due_at, 0, 0, NEUTRAL_HEAT,
                )
                for draft in drafts
            ],
        )  # fmt: skip
        return self.some([draft.id for draft in drafts])

    def _check_parents(self, drafts: Sequence[NewWatch]) -> None:
        """A parent must belong to the same org, which a foreign key cannot express."""
        parents = {draft.parent_id for draft in drafts if draft.parent_id is not None} - {draft.id for draft in drafts}
        for missing in parents - {watch.id for watch in self.some(list(parents))}:
            raise NotFound("no such watch", ref=str(missing))

    def _sources(self, drafts: Sequence[NewWatch], at: datetime) -> dict[str, UUID]:
        """Source ids by scope; a new source gets the id of its first watch."""
        hashes = {draft.scope: digest(draft.scope.encode("utf-8", "surrogatepass")) for draft in drafts}
        first = {draft.scope: draft.id for draft in reversed(drafts)}
        found = self._stored_sources(hashes)
        for scope in hashes.keys() - found.keys():
            self._tx.run(
                "INSERT INTO sources (id, org_id, scope, scope_hash, created_at) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (org_id, scope_hash) DO NOTHING",
                (first[scope], self._org_id, scope, hashes[scope], at),
            )
        return found if len(found) == len(hashes) else self._stored_sources(hashes)

    def _stored_sources(self, hashes: dict[str, bytes]) -> dict[str, UUID]:
        scope_of = {hashed: scope for scope, hashed in hashes.items()}
        rows = self._tx.where_in(
            "SELECT scope_hash, id FROM sources WHERE org_id = ? AND scope_hash {keys}", list(scope_of), before=(self._org_id,)
        )
        return {scope_of[hashed]: self._tx.codec.id(source_id) for hashed, source_id in rows}

    def get(self, ref: str | UUID) -> Watch:
        """The watch with this id, name, or unique id suffix."""
        id_ = ref if isinstance(ref, UUID) else uuid_or_none(ref)
        if id_ is not None:
            query = Query(_SELECT).where(f"{self._of_org} = ?", self._org_id).where("w.id = ?", id_)
            found = self._decoded(query, "")
        else:
            found = self._decoded(self._query().where("w.name = ?", ref), "LIMIT 3")
            found = found or [self._watch(row) for row in by_suffix(self._tx, self._query(), "w.id", str(ref))]
        if not found and id_ is None and (near := self._named_alike(str(ref))):
            raise NotFound("no such watch", ref=str(ref), hint=f'did you mean "{near}"?')
        return exactly_one("watch", str(ref), found, lambda watch: f"{watch.name} {watch.id}")

    def _named_alike(self, ref: str) -> str | None:
        """The name that was meant, if one is close."""
        query = Query("SELECT w.name FROM watches AS w").where(f"{self._of_org} = ?", self._org_id).where("w.parent_id IS NULL")
        rows = self._tx.rows(query.ordered("LIMIT ?", _NAMES_COMPARED), query.params)
        names = {name.casefold()[:_NAME_AT_MOST]: name for (name,) in rows}
        near = get_close_matches(ref.casefold()[:_NAME_AT_MOST], names, 1)
        return names[near[0]] if near else None

    def name_exists(self, name: str) -> bool:
        """Whether a watch, not a bucket, has this name."""
        query = self._query().where("w.name = ?", name).where("w.parent_id IS NULL")
        return bool(self._tx.rows(query.ordered("LIMIT 1"), query.params))

    def some(self, ids: Sequence[UUID]) -> list[Watch]:
        """The watches with these ids that exist, in the given order."""
        rows = self._tx.where_in(f"{_SELECT} WHERE {self._of_org} = ? AND w.id {{keys}}", ids, before=(self._org_id,))
        found = {watch.id: watch for watch in (self._watch(row) for row in rows)}
        return [found[id_] for id_ in ids if id_ in found]

    def names(self, ids: Sequence[UUID]) -> Mapping[UUID, str]:
        """The names of watches by id, for those that exist."""
        name_exists = f"SELECT w.id, w.name FROM watches AS w WHERE {self._of_org} = ? AND w.id {{keys}}"  # noqa: S608 - our words
        rows = self._tx.where_in(name_exists, ids, before=(self._org_id,))
        return {self._tx.codec.id(id_): name for id_, name in rows}

    def children(self, parent_id: UUID) -> list[Watch]:
        """The buckets of a watch."""
        query = Query(_SELECT).where(f"{self._of_org} = ?", self._org_id).where("w.parent_id = ?", parent_id)
        return self._decoded(query, "ORDER BY w.bucket_key")

    def children_page(
        self,
        parent_id: UUID,
        *,
        text: str | None = None,
        state: State | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Watch]:
        """Child watches in the order of their keys; of a site, those are the addresses. Without a state: those not retired."""
        query = Query(_SELECT).where(f"{self._of_org} = ?", self._org_id).where("w.parent_id = ?", parent_id)
        query.where(_STATES[state] if state else "w.retired_at IS NULL")
        if text is not None:
            query.where("(lower(w.name) LIKE ? ESCAPE '!' OR lower(w.url) LIKE ? ESCAPE '!')", like(text), like(text))
        return page(
            self._tx,
            query,
            ('w.bucket_key COLLATE "C"' if self._tx.postgres else "w.bucket_key", "w.id"),
            self._watch,
            lambda row: (row[_KEY_AT], self._tx.codec.id(row[0])),
            limit=limit,
            cursor=cursor,
            newest_first=False,
            types=tuple[str, UUID],
        )

    def parents_of(self, ids: Sequence[UUID]) -> set[UUID]:
        """Those of these watches that have buckets."""
        rows = self._tx.where_in("SELECT parent_id FROM watches WHERE parent_id {keys}", ids)
        return {self._tx.codec.id(parent_id) for (parent_id,) in rows}

    def page(
        self,
        *,
        tag: str | None = None,
        kind: str | None = None,
        text: str | None = None,
        state: State | None = None,
        roots: bool = False,
        order: Order = "name",
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Watch]:
        """Watches by name. `roots` leaves out buckets."""
        query = self._query()
        if tag is not None:
            query.where(*tagged(self._tx, tag))
        if kind is not None:
            query.where("w.kind = ?", kind)
        if text is not None:
            query.where("(lower(w.name) LIKE ? ESCAPE '!' OR lower(w.url) LIKE ? ESCAPE '!')", like(text), like(text))
        if state is not None:
            query.where(_STATES[state])
        if roots:
            query.where("w.parent_id IS NULL")
        if order != "name":
            return self._newest(query, _ORDERS[order], limit=limit, cursor=cursor)
        return page(
            self._tx,
            query,
            ("w.name", "w.id"),
            self._watch,
            lambda row: (row[_NAME_AT], self._tx.codec.id(row[0])),
            limit=limit,
            cursor=cursor,
            newest_first=False,
            types=tuple[str, UUID],
        )

    def _newest(self, query: Query, column: str, *, limit: int, cursor: str | None) -> Page[Watch]:
        """By an instant of theirs, the latest first; those without one come last."""
        place = watch_rows.COLUMNS.index(column)
        never = "TIMESTAMPTZ '1970-01-01 00:00:00+00'" if self._tx.postgres else "0"
        return page(
            self._tx,
            query,
            (f"COALESCE(w.{column}, {never})", "w.id"),
            self._watch,
            lambda row: (self._tx.codec.at_or_none(row[place]) or _NEVER, self._tx.codec.id(row[0])),
            limit=limit,
            cursor=cursor,
            types=tuple[datetime, UUID],
        )

    def pause(self, watch_id: UUID, *, at: datetime) -> None:
        """Stop checking it, and its buckets, until it is resumed."""
        self._update_with_buckets("paused_at = COALESCE(paused_at, ?)", [at], watch_id)

    def resume(self, watch_id: UUID, *, next_due_at: datetime | None = None) -> None:
        """Check it again: when it was due before, or as given."""
        self._update_with_buckets("paused_at = NULL, next_due_at = COALESCE(?, next_due_at)", [next_due_at], watch_id)

    def retire(self, watch_id: UUID, *, at: datetime) -> None:
        """Never check it again, nor its buckets; the history stays."""
        self._update_with_buckets("retired_at = COALESCE(retired_at, ?)", [at], watch_id)

    def progress(self, watch_ids: Sequence[UUID], *, at: datetime) -> list[CheckProgress]:
        """Whether a worker is checking these, and their latest runs."""
        return progress(self._tx, self._org_id, watch_ids, at=at)

    def bucket_summaries(self, watch_ids: Sequence[UUID]) -> dict[UUID, BucketSummary]:
        """For those of these watches that have buckets: the summary of all buckets."""
        return bucket_summaries(self._tx, self._org_id, watch_ids)

    def rebaseline(self, watch_id: UUID, *, next_due_at: datetime | None = None) -> None:
        """Make the next run a baseline. The fence is raised, so that a running check cannot undo it."""
        self._update_with_buckets(
            "baseline_run_id = NULL, etag = NULL, last_modified = NULL, body_hash = NULL, fence = fence + 1, "
            "lease_owner = NULL, lease_until = NULL, next_due_at = COALESCE(?, next_due_at)",
            [next_due_at],
            watch_id,
        )

    def update(
        self,
        watch_id: UUID,
        *,
        name: str | None = None,
        url: str | None = None,
        tags: Sequence[str] | None = None,
        rules: dict[str, Any] | None = None,
        fetch: FetchOptions | None = None,
        schedule: Schedule | None = None,
        when: str | None = None,
        intent: str | None = None,
        own: OwnSettings | UnsetType | None = UNSET,
        next_due_at: datetime | None = None,
    ) -> Watch:
        """Set the given fields. Recipe and validators stay: the engine notices changed rules itself."""
        given: dict[str, object] = {
            "name": name,
            "url": url,
            "tags": None if tags is None else dumps(list(tags)),
            "rules": None if rules is None else dumps(rules),
            '"fetch"': None if fetch is None else dumps(fetch),
            "schedule": None if schedule is None else dumps(schedule),
            "condition": when,
            "intent": intent,
            "next_due_at": next_due_at,
        }
        given = {column: value for column, value in given.items() if value is not None}
        if own is not UNSET:
            given["own"] = dumps_or_null(own)
        if given:
            sets = ", ".join(f"{column} = ?" for column in given)
            self._tx.run(f"UPDATE watches SET {sets} WHERE id = ? AND org_id = ?", [*given.values(), watch_id, self._org_id])  # noqa: S608 - ours
            self._tx.run(  # its buckets follow at their next expansion
                "UPDATE watches SET next_due_at = created_at WHERE id = ? AND org_id = ? "
                "AND EXISTS (SELECT 1 FROM watches AS c WHERE c.parent_id = watches.id)",
                (watch_id, self._org_id),
            )
        return self.get(watch_id)

    def move(
        self,
        watch_id: UUID,
        *,
        url: str,
        kind: str,
        scope: str,
        new_source_id: UUID,
        baseline: bool,
        buckets: bool,
        at: datetime,
    ) -> None:
        """Another address, or another kind. The history stays; `baseline`: the next run is one, since the items are others.

        `buckets` go with it; children that a check found stay, and retire with the next one where they do not belong any more.
        What is known of the answers of the old address says nothing of the new one, and a check in flight cannot store them.
        """
        source = self._source(scope, new_source_id, at)
        (self._update_with_buckets if buckets else self._update_alone)(
            "url = CASE WHEN w.parent_id IS NULL THEN ? ELSE w.url END, kind = ?, source_id = ?, "
            "etag = NULL, last_modified = NULL, body_hash = NULL, fence = fence + 1, lease_owner = NULL, lease_until = NULL"
            + (", baseline_run_id = NULL" if baseline else ""),
            [url, kind, source],
            watch_id,
        )

    def _source(self, scope: str, new_id: UUID, at: datetime) -> UUID:
        """The source of a scope, made where it is missing."""
        hashed = digest(scope.encode("utf-8", "surrogatepass"))
        self._tx.run(
            "INSERT INTO sources (id, org_id, scope, scope_hash, created_at) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (org_id, scope_hash) DO NOTHING",
            (new_id, self._org_id, scope, hashed, at),
        )
        return self._stored_sources({scope: hashed})[scope]

    def remove(self, watch_id: UUID) -> None:
        """Delete it with its buckets, runs, reports and changes, and the items of sources that no other watch has."""
        watch = self.get(watch_id)
        sources = [watch.source_id, *(child.source_id for child in self.children(watch_id))]
        self._tx.run("DELETE FROM watches WHERE id = ? AND org_id = ?", (watch_id, self._org_id))
        own = self._stored_sources({scope: digest(scope.encode()) for scope in (f"watch:{watch_id}",)})  # from another kind
        self._tx.many(
            "DELETE FROM sources WHERE id = ? AND NOT EXISTS (SELECT 1 FROM watches AS w WHERE w.source_id = sources.id)",
            [(source_id,) for source_id in {*sources, *own.values()}],
        )

    def _update_with_buckets(self, sets: str, params: list[Any], watch_id: UUID) -> None:
        """Update a watch and its buckets."""
        touched = self._tx.run(
            f"UPDATE watches AS w SET {sets} WHERE {self._of_org} = ? AND (w.id = ? OR w.parent_id = ?)",  # noqa: S608 - our words
            [*params, self._org_id, watch_id, watch_id],
        )
        if not touched:
            raise NotFound("no such watch", ref=str(watch_id))

    def _update_alone(self, sets: str, params: list[Any], watch_id: UUID) -> None:
        self._tx.run(
            f"UPDATE watches AS w SET {sets} WHERE {self._of_org} = ? AND w.id = ?",  # noqa: S608 - our words
            [*params, self._org_id, watch_id],
        )

    def _query(self) -> Query:
        return Query(_SELECT).where("w.org_id = ?", self._org_id)

    def _decoded(self, query: Query, clause: str) -> list[Watch]:
        return [self._watch(row) for row in self._tx.rows(query.ordered(clause), query.params)]

    def _watch(self, row: Any) -> Watch:
        return watch_rows.watch(self._tx.codec, row)
