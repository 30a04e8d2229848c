"""A watch: what is polled, with rules and a schedule."""

from __future__ import annotations

from datetime import datetime, time
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.model.fetch import FetchOptions

ALERT_AFTER: Final = 3  # failed runs in a row before `error` is reported, unless the watch's rules set it


class Window(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the week in which checks are allowed. If `ends` is before `starts`, it runs past midnight."""

    weekdays: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6)  # 0 is Monday; the day on which the window starts
    starts: time
    ends: time


class Schedule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """When a watch is checked: an interval or a cron line, limited by time windows and adjusted by the other fields."""

    every_for: float = 3600.0  # seconds between checks; ignored when `cron` is set
    cron: str | None = None  # five fields, read in `timezone`
    timezone: str = "UTC"  # IANA name
    windows: tuple[Window, ...] = ()  # none: any time
    jitter: float = 0.1  # share of the interval by which checks are spread, so that hosts see no bursts
    adaptive: bool = False  # check sources that change often more often, within the bounds
    every_at_least_for: float | None = None  # bounds of the adaptive interval; None: every_for / 4 and every_for * 4
    every_at_most_for: float | None = None


class OwnSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a watch sets itself, where its tags set more."""

    schedule: Schedule = Schedule()
    fetch: FetchOptions = FetchOptions()
    rules: dict[str, Any] = {}
    own: tuple[str, ...] = ()  # fields that are set although they have their default value


class Validators(msgspec.Struct, frozen=True, kw_only=True):
    """Recognize an unchanged answer before it is read; valid only for the recipe under which they were stored."""

    etag: str | None = None
    last_modified: str | None = None
    body_hash: bytes | None = None  # XXH3-128 of the decompressed body


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """What is polled, with rules and a schedule."""

    id: UUID
    org_id: UUID
    source_id: UUID  # the source that its items belong to: (org, kind.scope)
    kind: str  # a name in kinds.KINDS
    url: str
    name: str
    tags: tuple[str, ...] = ()
    rules: dict[str, Any] = {}  # the kind's rules, as JSON; decoded by kind.rules. What tags set is in it, as in the next two
    fetch: FetchOptions = FetchOptions()
    schedule: Schedule = Schedule()
    when: str = ""  # when a change is sent, as policy.conditions writes it; empty: always
    intent: str = ""  # which changes are sent, in a sentence that a model judges; empty: all
    own: OwnSettings | None = None  # None: tags set nothing, all of it is the watch's own
    recipe: bytes = b""  # of the stored state: rules and parser version
    parent_id: UUID | None = None  # the watch that this one is a bucket of
    bucket_key: str | None = None  # unique below the parent
    paused_at: datetime | None = None
    retired_at: datetime | None = None
    created_at: datetime
    next_due_at: datetime | None = None  # None: never (pushed, paused, retired, or a parent)
    validators: Validators = Validators()
    last_outcome: str | None = None  # of the latest finished run
    last_checked_at: datetime | None = None
    last_change_at: datetime | None = None
    failures: int = 0  # failed runs in a row
    trouble: str | None = None  # the health change that was reported and is not over: blocked, needs_browser, error, ...
    heat: float = 0.5  # how often checks found a change lately, 0..1; for the adaptive interval
    browser_again_at: datetime | None = None  # the browser did not help: not asked again until then
    browser_until: datetime | None = None  # the plain answer did not hold the content: asked in the browser until then
    baseline_run_id: UUID | None = None  # the run of the present baseline; None: never checked, or a new baseline was requested


class ChildCheck(msgspec.Struct, frozen=True, kw_only=True):
    """The latest good check of a child watch."""

    key: str
    checked_at: datetime
    changed_after_at: datetime | None = None  # the last check before its latest change was found; None: unknown, or no change


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """A worker's claim on a watch. The fence grows with every claim; a commit with an old one is refused."""

    watch_id: UUID
    owner: str
    fence: int
    until_at: datetime
