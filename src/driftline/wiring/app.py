"""The opened application: a store, a clock, an org, and all operations on them by name."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from driftline.core.identity.ids import make_ids
from driftline.engine.clock import SystemClock
from driftline.engine.fault_points import arm
from driftline.engine.pool import Pool
from driftline.engine.ports import Clock, Ids
from driftline.errors import BadSetting, NotFound
from driftline.settings import Settings, load
from driftline.store.session import DEFAULT_ORG
from driftline.store.store import Store
from driftline.wiring import (
    cleaning,
    delivering,
    history,
    listening,
    outward,
    pushing,
    summarizing,
    tagging,
    vault,
    watches,
    working,
)
from driftline.wiring.logs import log_plain

if TYPE_CHECKING:
    from driftline.model.account import Org
    from driftline.store.session import OrgData

T = TypeVar("T")


class App:
    """An opened store with everything that works on it, for the org of the embedded use.

    What it does stands in the modules beside this one, as functions of an app; here each gets its name.
    """

    def __init__(self, settings: Settings, *, clock: Clock | None = None) -> None:
        arm(settings.crash_at)
        self.settings = settings
        self.clock: Clock = clock or SystemClock()
        self.ids: Ids = _locked(make_ids(lambda: time.time_ns() // 1_000_000, secrets.randbits))
        _make_folder(settings.db)
        self.store = Store.open(settings.db, blobs=settings.blobs)
        self.pool = Pool(size=settings.compute_processes)  # the only one: all heavy work shares its children
        self.org = self._own_org()

    def _own_org(self) -> Org:
        """The org of the settings, else the first one, which is created once."""
        if self.settings.org:
            return self.store.read_now(lambda session: session.find_org(self.settings.org))
        try:
            return self.store.read_now(lambda session: session.get_org(DEFAULT_ORG))
        except NotFound:
            return self.store.write_now(lambda session: session.default_org(at=self.clock.now()))

    def close(self) -> None:
        """End the child processes, commit what is queued, then close the database."""
        self.pool.close()
        self.store.close()

    def of(self, org: Org) -> App:
        """The same application for another org; closed with this one."""
        other = copy(self)
        other.org = org
        return other

    def read(self, fn: Callable[[OrgData], T]) -> T:
        """Run `fn` over the org's data in one read transaction."""
        return self.store.read_now(lambda session: fn(session.org(self.org.id)))

    def write(self, fn: Callable[[OrgData], T]) -> T:
        """Run `fn` over the org's data in one write transaction."""
        return self.store.write_now(lambda session: fn(session.org(self.org.id)))

    draft = watches.draft
    add = watches.add
    unknown = watches.unknown
    adding = watches.adding
    changing = watches.changing
    draft_tag = tagging.draft_tag
    saving_tag = tagging.saving_tag
    importing_tags = tagging.importing_tags
    leaves = watches.leaves
    found_children = watches.found_children
    all_watches = watches.all_watches

    fetcher = outward.fetcher
    transports = outward.transports

    set_secret = vault.set_secret
    set_session = vault.set_session
    rotate_secrets = vault.rotate
    check_scripts = vault.check_scripts
    vault = vault.vault

    worker = working.worker
    check = working.check
    run = working.run
    work = working.work

    dispatcher = delivering.dispatcher
    deliver = delivering.deliver

    summaries = summarizing.summaries
    summarize = summarizing.summarize

    ingest = pushing.ingest
    rejudge = pushing.rejudge
    recovery = pushing.recovery

    explain = history.explain
    replay = history.replay
    trial = history.trial
    trying = history.trying
    extracting = history.extracting
    stored_text = history.stored_text
    stored_pair = history.stored_pair
    compare_pair = history.compare_pair
    page_for_frame = history.page_for_frame

    limits = cleaning.limits
    janitor = cleaning.janitor
    prune = cleaning.prune

    agent = listening.agent
    run_agent = listening.run_agent


@contextmanager
def opened(settings: Settings | None = None) -> Iterator[App]:
    """The application by the environment's settings, closed at the end."""
    settings = settings or load()
    log_plain(settings.log)
    app = App(settings)
    try:
        yield app
    finally:
        app.close()


def _locked(ids: Callable[[], UUID]) -> Ids:
    """The id maker behind a lock: it is used by the event loop and the committer's thread."""
    lock = Lock()

    def next_id() -> UUID:
        with lock:
            return ids()

    return next_id


def _make_folder(db: str) -> None:
    """Create the folder of an SQLite file."""
    if not db.startswith("sqlite:///"):
        return
    folder = Path(db.removeprefix("sqlite:///")).parent
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BadSetting(
            "the database folder cannot be created",
            folder=str(folder),
            problem=str(error),
            hint="set DRIFTLINE_DB to another path",
        ) from None
