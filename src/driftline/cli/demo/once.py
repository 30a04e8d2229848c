"""The demo as a test of itself: every turn of the script, with what was found compared to what really changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftline.cli.demo.stage import left_out, subscribe, watch_site
from driftline.cli.output import console, emit
from driftline.core.identity.severity import CHANGE_TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from driftline.demo.receivers import Receivers
    from driftline.engine.check.context import Checked
    from driftline.engine.worker import Worker
    from driftline.wiring import App

HEALTH_TYPES = frozenset(name for name, row in CHANGE_TYPES.items() if row.health)


async def play(app: App, *, as_json: bool) -> int:
    """Every turn of the script: the site moves, everything is checked twice, findings are held against the truth."""
    from driftline.demo.receivers import receivers
    from driftline.demo.site import serve
    from driftline.model.watch import Schedule

    mistakes = turns = real = reports = 0
    checked: list[Checked] = []

    async def listen(done: Checked) -> None:
        checked.append(done)

    async with receivers() as inbox, serve(inbox) as site, app.worker(listen) as worker:
        subscribe(app, inbox)
        without = left_out(app)
        names = watch_site(app, site, Schedule(), departures=not without)
        _say(
            f"watching {len(names) - 3} pages, a shop, a booking board and a blog at {site.address}; "
            "every answer has a new time, counter, token and ad",
            as_json=as_json,
        )
        if without:
            _say(without, as_json=as_json)
        await worker.check_now(app.leaves(list(names)))
        reports += sum(bool(done.changes) for done in checked)  # the shop's first run tells of its products
        checked.clear()
        await _summarize(app, as_json=as_json)
        while not site.finished:
            truth = sorted([*(change.page for change in site.advance()), *site.renewed])
            turns += 1
            real += len(truth)
            await _check_twice(worker, app.leaves(list(names)))
            found = sorted(names[done.watch.parent_id or done.watch.id] for done in checked if _reports_content(done))
            mistakes += found != truth or _in_shop(checked) != sorted(site.moved)
            reports += sum(any("muted" not in change.flags for change in done.changes) for done in checked)
            _report(checked, truth, found, as_json=as_json)
            checked.clear()
            mistakes += await _summarize(app, as_json=as_json) != truth.count("blog")  # an unchanged one is never made again
            await _deliver(app, inbox, as_json=as_json)
    mails, posts = len(inbox.mails), len(inbox.posts)
    fine = not mistakes and mails == posts == reports
    verdict = "found exactly the changes that the site made" if not mistakes else f"{mistakes} turns were judged wrongly"
    if as_json:
        emit(
            {
                "turns": turns,
                "changes": real,
                "left_out": without or None,
                "mistakes": mistakes,
                "mails": mails,
                "posts": posts,
                "ok": fine,
            }
        )
    else:
        _say(f"{turns} turns, {real} real changes: {verdict}", as_json=False)
        _say(f"{reports} reports: {mails} mails and {posts} webhooks arrived", as_json=False)
    return 0 if fine else 1


async def _deliver(app: App, inbox: Receivers, *, as_json: bool) -> None:
    """Send what was found, and show what arrived."""
    mails, posts = len(inbox.mails), len(inbox.posts)
    async with app.dispatcher() as dispatcher:
        await dispatcher.run(once=True)
    for mail in inbox.mails[mails:]:
        _say(f"    mail     {mail.subject}", as_json=as_json)
    for headline in inbox.posts[posts:]:
        _say(f"    webhook  {headline}", as_json=as_json)


async def _summarize(app: App, *, as_json: bool) -> int:
    """Summarize what is new or changed, and show it; how many there were."""
    before = {found.id: found.summary for found in app.read(lambda data: data.articles.page()).rows}
    async with app.summaries() as summaries:
        await summaries.fill()
    made = [found for found in app.read(lambda data: data.articles.page()).rows if found.summary != before.get(found.id)]
    for found in made:
        _say(f"    summary  {found.article.title}: {found.summary}", as_json=as_json)
    return len(made)


def _in_shop(checked: Sequence[Checked]) -> list[tuple[str, str]]:
    """Type and product of every change in a catalog."""
    return sorted(
        (change.type, change.url.rpartition("/")[2])
        for done in checked
        if done.watch.kind == "catalog"
        for change in done.changes
    )


async def _check_twice(worker: Worker, watch_ids: list[UUID]) -> None:
    """Check twice: what changed is reported once, and nothing is reported again."""
    for _ in range(2):
        await worker.check_now(watch_ids)


def _reports_content(checked: Checked) -> bool:
    """Whether the check reported a change of content, not only of the site's health."""
    return any(change.type not in HEALTH_TYPES for change in checked.changes)


def _report(checked: Sequence[Checked], truth: Sequence[str], found: Sequence[str], *, as_json: bool) -> None:
    """One turn, for people or programs."""
    from driftline.cli.output import change_document

    changes = [(done.watch.name, change) for done in checked for change in done.changes]
    if as_json:
        emit(
            {"truth": truth, "found": found, "changes": [change_document(change, watch_name=name) for name, change in changes]}
        )
        return
    screen = console()
    if not changes:
        screen.print("  nothing but noise", style="dim")
    for done in checked:
        for severity, headline in done.headlines:
            screen.print(f"  {severity:<6} {done.watch.name}: {headline}", markup=False)
    if found != truth:
        screen.print(f"  MISTAKE: the site changed {truth}, found {found}", style="bold red", markup=False)


def _say(text: str, *, as_json: bool) -> None:
    if not as_json:
        console().print(text, markup=False)
