"""Changes and stored texts that hold some words, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.core.text.search_words import excerpt, search_words
from driftline.errors import UsageError
from driftline.model.change import Change
from driftline.store.db.database import Tx
from driftline.store.db.query import tagged
from driftline.store.rows import Page
from driftline.store.runs.write_search import org_mark, type_mark, watch_mark
from driftline.store.views.results.changes import SELECT, change_of

WORDS_AT_MOST: Final = 20
_FEW: Final = 200  # watches of a tag that the index is asked for by name; of more, some are among the newest finds
_WINDOWS: Final = (1_000, 8_000)  # documents that PostgreSQL looks at before it asks its index
_WALK: Final = 4_000  # documents with all other words in which SQLite looks for the beginning of a word
_LATE: Final = timedelta(hours=1)  # that a document may come after a newer one
_COLUMNS: Final = "d.number, d.at, d.watch_id, d.change_id, d.snapshot_id, d.item_id"
_SQLITE: Final = f"SELECT {_COLUMNS} FROM search_words AS s JOIN search_documents AS d ON d.number = s.rowid "  # noqa: S608 - constants
_POSTGRES: Final = f"SELECT {_COLUMNS} FROM search_documents AS d "  # noqa: S608 - constants
_TEXTS: Final = (
    "SELECT s.id, s.version, i.title, i.url, substr(s.text, 1, 200000) FROM snapshots AS s JOIN items AS i ON i.id = s.item_id "
    "WHERE s.id {keys}"
)


class FoundText(msgspec.Struct, frozen=True, kw_only=True):
    """A version whose text holds the words."""

    item_id: UUID
    version: int
    title: str
    url: str
    excerpt: str
    others: int = 0  # older versions of the same item in this part of the list, which hold them too


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a search found: a change or a text."""

    at: datetime
    watch_id: UUID
    change: Change | None = None
    text: FoundText | None = None


class Search:
    """Search in what one org has."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def page(
        self,
        words: str,
        *,
        watch_id: UUID | None = None,
        tag: str | None = None,
        type_: str | None = None,
        since_at: datetime | None = None,
        until_at: datetime | None = None,
        limit: int = 40,
        cursor: str | None = None,
    ) -> Page[Found]:
        """What holds all of the words; with a star behind it, the last one may be the beginning of a longer one."""
        wanted = search_words(words[:1_000])[:WORDS_AT_MOST]
        if not wanted:
            raise UsageError("nothing to search for", hint="give at least one word")
        watches = self._tagged(tag) if tag is not None else None
        if watches is not None and not watches:
            return Page((), None)
        few = watches if watches is not None and len(watches) <= _FEW else None
        groups = [[org_mark(self._org_id)], *([[watch_mark(watch_id)]] if watch_id else [])]
        groups += [[type_mark(type_)]] if type_ else []
        groups += [[watch_mark(one) for one in few]] if few else []
        filters: list[tuple[str, Sequence[Any]]] = []
        before = _opened(cursor) if cursor is not None else 2**62  # a number that no match reaches
        if cursor is not None:
            filters.append((f" AND {self._number} < ?", [before]))
        for sign, at in ((">=", since_at), ("<", until_at)):
            if at is not None:
                edge = self._edge(sign, at)
                filters.append((f" AND d.at {sign} ? AND {self._number} {sign[0]}= ?", [at, edge]))
                before = min(before, edge + 1) if sign == "<" else before
        if tag is not None and few is None:
            fits, param = tagged(self._tx, tag)
            filters.append(
                (f" AND d.watch_id IN (SELECT w.id FROM watches AS w WHERE w.org_id = ? AND {fits})", [self._org_id, param])  # noqa: S608 - our words
            )
        groups += [[word] for word in wanted]
        begins = words.rstrip().endswith("*")
        rows = self._beginning(groups, filters, limit) if begins and not self._tx.postgres else None
        if rows is None:
            sql, params = _filtered(*self._query(groups, begins=begins), filters)
            rows = self._rows(sql, params, limit, before=before)
        shown = rows[:limit]
        return Page(tuple(self._found(shown, wanted)), str(shown[-1][0]) if len(rows) > limit else None)

    def _beginning(
        self, groups: Sequence[Sequence[str]], filters: Sequence[tuple[str, Sequence[Any]]], limit: int
    ) -> list[Any] | None:
        """The newest matches where the last word is the beginning of one; None: there are too few of them to be found this way.

        FTS5 merges the documents of all words that begin so before it gives the first: 200 ms of a million documents. What
        many documents hold stands in the newest ones, and is looked for there; what few hold is merged quickly.
        """
        sql, params = _filtered(*self._query(groups[:-1], begins=False), filters)
        walk = f"{sql} ORDER BY s.rowid DESC LIMIT ?"
        newest = walk.replace(_COLUMNS, f"{_COLUMNS}, d.words", 1)
        found = f"SELECT {_COLUMNS} FROM ({newest}) AS d WHERE instr(' ' || d.words, ?) > 0 LIMIT ?"  # noqa: S608 - our words
        rows = list(self._tx.rows(found, [*params, _WALK, f" {groups[-1][0]}", limit + 1]))
        if len(rows) > limit or self._tx.row(f"{walk} OFFSET ?", [*params, 1, _WALK]) is None:
            return rows
        return None

    def _rows(self, sql: str, params: list[Any], limit: int, *, before: int) -> list[Any]:
        """The newest matches.

        SQLite reads its word index newest first. PostgreSQL would sort all matches, so it first scans the newest documents,
        which is enough for common words. `number + 0` keeps the planner from scanning all documents for rare words.
        """
        if not self._tx.postgres:
            return list(self._tx.rows(f"{sql} ORDER BY s.rowid DESC LIMIT ?", [*params, limit + 1]))
        for window in _WINDOWS:
            edge = self._tx.row(
                "SELECT number FROM search_documents WHERE number < ? ORDER BY number DESC OFFSET ? LIMIT 1", [before, window]
            )
            if edge is None:
                break
            newest = f"{sql} AND d.number > ? AND d.number < ? ORDER BY d.number DESC LIMIT ?"
            rows = list(self._tx.rows(newest, [*params, edge[0], before, limit + 1]))
            if len(rows) > limit:
                return rows
        return list(self._tx.rows(f"{sql} ORDER BY d.number + 0 DESC LIMIT ?", [*params, limit + 1]))

    @property
    def _number(self) -> str:
        return "d.number" if self._tx.postgres else "s.rowid"

    def _tagged(self, tag: str) -> list[UUID]:
        """The watches with a tag; one more than few at most."""
        fits, param = tagged(self._tx, tag)
        listed = f"SELECT w.id FROM watches AS w WHERE w.org_id = ? AND {fits} LIMIT ?"  # noqa: S608 - our words
        return [self._tx.codec.id(id_) for (id_,) in self._tx.rows(listed, (self._org_id, param, _FEW + 1))]

    def _edge(self, sign: str, at: datetime) -> int:
        """A number that no document of this side of an instant is beyond: they are numbered as they come, give or take."""
        since = sign == ">="
        near = at - _LATE if since else at + _LATE
        order = ">= ? ORDER BY at" if since else "<= ? ORDER BY at DESC"
        row = self._tx.row(f"SELECT number FROM search_documents WHERE org_id = ? AND at {order} LIMIT 1", (self._org_id, near))  # noqa: S608 - ours
        return int(row[0]) if row else (2**62 if since else 0)

    def _query(self, groups: Sequence[Sequence[str]], *, begins: bool) -> tuple[str, list[Any]]:
        """One word of each group; they are letters and digits alone, so that both languages take them as they are."""
        postgres = self._tx.postgres
        star, both, either = (":*", " & ", " | ") if postgres else ("*", " AND ", " OR ")
        quote = "'" if postgres else '"'
        parts = [either.join(f"{quote}{word}{quote}" for word in group) for group in groups]
        if begins:
            parts[-1] += star
        expression = both.join(f"({part})" for part in parts)
        if postgres:
            return f"{_POSTGRES}WHERE d.words @@ CAST(? AS tsquery)", [expression]
        return f"{_SQLITE}WHERE search_words MATCH ?", [expression]

    def _found(self, rows: Sequence[Any], wanted: list[str]) -> list[Found]:
        codec = self._tx.codec
        changes = {
            change.id: change
            for row in self._tx.where_in(
                f"{SELECT} WHERE c.id {{keys}}", [codec.id(row[3]) for row in rows if row[3] is not None]
            )
            for change in (change_of(codec, row),)
        }
        texts = {
            codec.id(id_): (version, title, url, text)
            for id_, version, title, url, text in self._tx.where_in(
                _TEXTS, [codec.id(row[4]) for row in rows if row[4] is not None]
            )
        }
        found: list[Found] = []
        places: dict[UUID, int] = {}  # of an item's text in the list: its older versions are counted there
        for _, at, watch_id, change_id, snapshot_id, item_id in rows:
            here = Found(at=codec.at(at), watch_id=codec.id(watch_id))
            if change_id is not None:
                if (change := changes.get(codec.id(change_id))) is not None:
                    found.append(msgspec.structs.replace(here, change=change))
                continue
            item = codec.id(item_id)
            if item in places:
                _count(found, places[item])
            elif (read := texts.get(codec.id(snapshot_id))) is not None:
                version, title, url, text = read
                text_found = FoundText(item_id=item, version=version, title=title, url=url, excerpt=excerpt(text, wanted))
                places[item] = len(found)
                found.append(msgspec.structs.replace(here, text=text_found))
        return found


def _filtered(sql: str, params: list[Any], filters: Sequence[tuple[str, Sequence[Any]]]) -> tuple[str, list[Any]]:
    return sql + "".join(text for text, _ in filters), [*params, *(value for _, values in filters for value in values)]


def _count(found: list[Found], place: int) -> None:
    text = found[place].text
    if text is not None:
        found[place] = msgspec.structs.replace(found[place], text=msgspec.structs.replace(text, others=text.others + 1))


def _opened(cursor: str) -> int:
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 19):
        raise UsageError("invalid cursor", cursor=cursor[:80], hint="use the cursor of the previous answer")
    return int(cursor)
