"""An org with ten thousand watches, a hundred thousand changes and a million stored versions, as rows: what lists and the
search have to cope with."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from heapq import merge
from itertools import accumulate
from random import Random
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from driftline.core.diff.lines import WordMark
from driftline.core.diff.rows import Row
from driftline.deliver.account_input import draft_user
from driftline.model.access import SCOPES
from driftline.model.delivery import Channel
from driftline.store.db import bulk
from driftline.store.db.database import Tx
from driftline.store.rows import NewWatch
from driftline.store.runs import write_search
from driftline.store.session import OrgData, Session
from driftline.web.auth.new_tokens import draft_token
from driftline.wiring import App

DAYS: Final = 30  # of history
ARTICLES: Final = 20  # a sitemap
SLOTS: Final = 10  # open at once on a board
APART: Final = 7_919  # a prime: neighbours in time belong to watches far apart
DEAD: Final = 500  # every so many letters one is dead
RARE: Final = 1_000  # every so many changes one is of another type, or severe: who looks for them finds few
VOCABULARY: Final = 20_000  # words of all texts; the first ones stand in most texts, the last ones in a few
WORDS: Final = 60  # of a text

_DIFF: Final = msgspec.json.encode(
    {
        "changes": {"text": {"changed": True, "similarity": 0.93}},
        "rows": (
            Row("context", 11, 11, (WordMark("same", "The plan that you chose is billed monthly and in advance."),)),
            Row("removed", 12, 0, (WordMark("removed", "Prices do not include value added tax, and may change every month."),)),
            Row("added", 0, 12, (WordMark("added", "Prices include value added tax, and may change every quarter."),)),
            Row(
                "changed",
                13,
                13,
                (WordMark("same", "Ends with the "), WordMark("removed", "month"), WordMark("added", "quarter")),
            ),
            Row("context", 14, 14, (WordMark("same", "Invoices are kept for ten years because the law says so."),)),
        ),
    }
).decode()
_VOCABULARY: Final = [f"{'bcdfghklmnprst'[n % 14]}{'aeiou'[n // 14 % 5]}{n:x}" for n in range(VOCABULARY)]
_COLUMNS: Final = {
    "runs": "id watch_id fence started_at completed_at status outcome judged_at",
    "reports": "id run_id total counts created_at",
    "items": "id source_id kind key_hash key url title state fingerprint version first_seen_at first_seen_run created_at",
    "watch_items": "watch_id item_id from_run from_at",
    "snapshots": "id item_id run_id run_started_at version fingerprint content_hash tier state text created_at",
    "changes": "id org_id watch_id run_id report_id item_id type severity headline url after diff dedupe_key created_at",
    "summaries": "item_id run_id summary label attempts asked_at summarized_at",
    "deliveries": "id org_id report_id user_id channel_id state attempts created_at",
}


class Filled(NamedTuple):
    """What the measurements ask for."""

    token: str
    watches: dict[str, list[UUID]]  # by kind; the first page has hundreds of runs
    items: list[UUID]
    pages: list[UUID]  # items with versions
    words: list[str]  # of the texts, those that stand in most of them first
    user_id: UUID
    channel_id: UUID


class History:
    """A month of rows, table by table."""

    def __init__(self, app: App, sources: dict[UUID, UUID], channel: Channel, begun: datetime) -> None:
        self._app = app
        self._sources = sources
        self._channel = channel
        self._begun = begun
        self._open: dict[UUID, int] = {}  # slots of a board
        self.items: list[UUID] = []
        self._pages: dict[UUID, tuple[UUID, str]] = {}  # the item of a watch of a page, and its title
        self._documents: list[tuple[Any, ...]] = []  # of the changes, for the search
        self._rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _COLUMNS}

    @property
    def pages(self) -> list[UUID]:
        """The items of pages."""
        return [item_id for item_id, _ in self._pages.values()]

    def baseline(self, watch: NewWatch) -> UUID:
        """The first run; a sitemap's brings its articles, with their summaries, and a page's the page."""
        run_id, at = self._run(watch, "baseline", self._begun)
        if watch.kind == "page":
            self._pages[watch.id] = (self._item(watch, {}, watch.url, watch.name, run_id, at), watch.name)
        for number in range(ARTICLES if watch.kind == "sitemap" else 0):
            url = f"{watch.url}/article-{number}"
            title = f"Article {number} of {watch.name}"
            item_id = self._item(watch, {"url": url, "title": title, "updated": "2026-03-01"}, url, title, run_id, at)
            label = "sport" if len(self.items) % RARE == 0 else "news"
            self._rows["summaries"].append((item_id, run_id, "Two sentences about it. Made once.", label, 0, at, at))
        return run_id

    def hourly(self, watch: NewWatch) -> None:
        """A check an hour that found nothing, as logs mostly show."""
        for hour in range(1, DAYS * 24):
            self._run(watch, "unchanged", self._begun + timedelta(hours=hour))

    def change(self, watch: NewWatch, number: int, at: datetime) -> None:
        """A run with a report of one change, and its letter; a board opens a slot until it has enough of them."""
        ids, org_id = self._app.ids, self._app.org.id
        run_id, _ = self._run(watch, "changed", at)
        report_id, item_id = ids(), self._slot(watch, number, run_id, at)
        reported: tuple[str, str, str | None] = ("content", f"Text changed {number}", _DIFF)
        if item_id:
            reported = ("drop", "Venue opened", None)
        elif number % RARE == 0:
            reported = ("blocked", "Cannot be read", None)
        self._rows["reports"].append((report_id, run_id, 1, "{}", at))
        change_id, owner = ids(), write_search.Owner(org_id, watch.id, None)
        diff = msgspec.json.decode(reported[2]) if reported[2] else None
        self._documents.append(write_search.change_row(owner, change_id, item_id, reported[0], reported[1], diff, at))
        self._rows["changes"].append(
            (
                change_id,
                org_id,
                watch.id,
                run_id,
                report_id,
                item_id,
                reported[0],
                "high" if number % RARE == 1 else "low" if number % 3 == 0 else "medium",
                reported[1],
                watch.url,
                f'{{"provider": "house", "venue_id": "v{number % 400}"}}' if item_id else None,
                reported[2],
                str(number),
                at,
            )
        )
        state = "sent" if number % DEAD else "dead"
        self._rows["deliveries"].append((ids(), org_id, report_id, self._channel.user_id, self._channel.id, state, 1, at))

    def write(self, tx: Tx) -> None:
        """All but the versions and what the search finds."""
        for table, columns in _COLUMNS.items():
            bulk.insert(tx, table, columns.split(), self._rows[table])

    def write_versions(self, count: int) -> None:
        """Versions of the pages in turn, and the documents of the search in the order of time, as checks write them."""
        versions = self._versions(count)
        at = write_search.DOCUMENT.index("at")
        documents = merge(((None, one) for one in self._documents), versions, key=lambda row: row[1][at])
        for part in bulk.chunks(documents, 20_000):
            self._app.store.write_now(partial(_write_documents, part))

    def _versions(self, count: int) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        """Rows of stored texts, each with the document of the search."""
        ids, org_id, random = self._app.ids, self._app.org.id, Random(1)
        pages, step = list(self._pages.items()), timedelta(days=DAYS) / max(1, count)
        weights = list(accumulate(1 / (rank + 10) for rank in range(VOCABULARY)))
        for number in range(count):
            version, place = divmod(number, len(pages))
            watch_id, (item_id, title) = pages[place]
            at, snapshot_id = self._begun + number * step, ids()
            text = " ".join(random.choices(_VOCABULARY, cum_weights=weights, k=WORDS))
            hashed = sha256(snapshot_id.bytes).digest()[:16]
            row = (snapshot_id, item_id, ids(), at, version + 1, hashed, hashed, "standard", "{}", text, at)
            owner = write_search.Owner(org_id, watch_id, None)
            yield row, write_search.text_row(owner, snapshot_id, item_id, title, text, at)

    def _run(self, watch: NewWatch, outcome: str, at: datetime) -> tuple[UUID, datetime]:
        run_id, rows = self._app.ids(), self._rows["runs"]
        rows.append((run_id, watch.id, len(rows), at, at, "completed", outcome, at))
        return run_id, at

    def _slot(self, watch: NewWatch, number: int, run_id: UUID, at: datetime) -> UUID | None:
        if watch.kind != "availability" or self._open.get(watch.id, 0) >= SLOTS:
            return None
        self._open[watch.id] = self._open.get(watch.id, 0) + 1
        venue = number % 400
        slot = {"provider": "house", "venue_id": f"v{venue}", "venue_name": f"Venue {venue}", "party_sizes": [2, 4]}
        slot |= {"time": f"2026-12-{number % 28 + 1:02}T20:30", "booking_url": f"https://example.org/book/{venue}"}
        return self._item(watch, slot, watch.url, f"Venue {venue}", run_id, at)

    def _item(self, watch: NewWatch, state: dict[str, Any], url: str, title: str, run_id: UUID, at: datetime) -> UUID:
        item_id, text = self._app.ids(), msgspec.json.encode(state).decode()
        self.items.append(item_id)
        hashed = sha256(item_id.bytes).digest()[:16]
        source_id = self._sources[watch.id]
        self._rows["items"].append((item_id, source_id, watch.kind, hashed, url, url, title, text, hashed, 1, at, run_id, at))
        self._rows["watch_items"].append((watch.id, item_id, run_id, at))
        return item_id


def _write_documents(rows: list[tuple[tuple[Any, ...] | None, tuple[Any, ...]]], session: Session) -> None:
    tx = session.tx
    bulk.insert(tx, "snapshots", _COLUMNS["snapshots"].split(), [version for version, _ in rows if version is not None])
    write_search.write(tx, [document for _, document in rows])


def fill(app: App, watches: int, changes: int, versions: int) -> Filled:
    """Rows in bulk; the newest of them a moment ago."""
    now = app.clock.now()
    begun, step = now - timedelta(days=DAYS), timedelta(days=DAYS) / changes
    owner = draft_user(app.ids(), app.org.id, "bench@example.org", at=begun)
    token, secret, secret_hash = draft_token(app.ids(), owner, name="bench", scopes=SCOPES, at=begun, expires_at=None)
    channel = Channel(
        id=app.ids(), org_id=app.org.id, user_id=owner.id, kind="webhook", name="hook", target="https://example.org/hook",
        created_at=begun,
    )  # fmt: skip
    planted = list(_watches(app, watches, begun))

    def people(data: OrgData) -> dict[UUID, UUID]:
        data.users.add(owner)
        data.tokens.add(token, secret_hash=secret_hash)
        data.channels.add(channel)
        return {watch.id: watch.source_id for watch in data.watches.add(planted, at=begun)}

    history = History(app, app.write(people), channel, begun)
    baselines = [(history.baseline(watch), begun, watch.id) for watch in planted]
    history.hourly(planted[0])
    for number in range(changes):
        history.change(planted[number * APART % watches], number, begun + number * step)

    def write(tx: Tx) -> None:
        tx.many("UPDATE watches SET baseline_run_id = ?, last_checked_at = ? WHERE id = ?", baselines)
        tx.many("UPDATE watches SET paused_at = ? WHERE id = ?", [(now, watch.id) for watch in planted[3::100]])
        tx.many("UPDATE watches SET trouble = 'blocked', failures = 4 WHERE id = ?", [(watch.id,) for watch in planted[5::100]])
        history.write(tx)

    app.store.write_now(lambda session: write(session.tx))
    history.write_versions(versions)
    kinds = {kind: [watch.id for watch in planted if watch.kind == kind] for kind in ("page", "sitemap", "availability")}
    return Filled(secret, kinds, history.items, history.pages, _VOCABULARY, owner.id, channel.id)


def _watches(app: App, count: int, at: datetime) -> Iterator[NewWatch]:
    """Mostly pages; every twentieth a sitemap, every twentieth a booking board."""
    for number in range(count):
        yield NewWatch(
            id=app.ids(),
            kind={7: "sitemap", 13: "availability"}.get(number % 20, "page"),
            scope=f"s{number}",
            url=f"https://example.org/{number}",
            name=f"watch {number:06}",
            tags=("news",) if number % 10 == 0 else (),
            next_due_at=at,
        )
