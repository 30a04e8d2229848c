"""Renders a message as plain text, for terminals, screen readers and chat."""

from __future__ import annotations

from typing import Final

from driftline.deliver.render import wording
from driftline.deliver.render.excerpt import excerpt
from driftline.model.change import Change
from driftline.model.delivery import Message, Section

CHANGES_AT_MOST: Final = 60
DIFFS_AT_MOST: Final = 12  # changes with their lines
DIFF_AT_MOST: Final = 8  # lines per change
_SIGNS: Final = {"high": "!!", "medium": "! ", "low": "  "}


def plain(message: Message, *, links: dict[str, str] | None = None) -> str:
    """The whole message; `links` are shown at its end, by name."""
    parts = [f"Hello {message.user.name},", ""] if message.user.name else []
    if message.sample:
        parts += ["This is a test message. The channel works. Changes will be sent here.", ""]
    elif message.digest:
        parts += [f"{wording.headline(message)}:", ""]
    before = 0
    for section in message.sections:
        parts += _section(section, message, before)
        before += len(section.shown_changes)
    parts += ["-- "]
    parts += [f"{name}: {url}" for name, url in (links or {}).items()]
    parts.append(f"Delivery {message.id}, {wording.moment(message.written_at, message.user.timezone)}")
    return "\n".join(parts) + "\n"


def _section(section: Section, message: Message, before: int) -> list[str]:
    report = section.report
    name = wording.one_line(report.watch_name)
    shown_changes, first_run_line = section.shown_changes, section.first_run_line
    title = f"{name} ({wording.count_text(shown_changes)})" if shown_changes else name
    lines = [title, "=" * min(len(title), 72), report.watch_url]
    if message.digest:
        lines.append(wording.moment(report.created_at, message.user.timezone))
    lines.append("")
    if first_run_line:
        lines += [first_run_line, ""]
    shown = wording.by_severity(shown_changes)[: max(0, CHANGES_AT_MOST - before)]
    for number, change in enumerate(shown, start=before):
        lines += _change(
            change, known_url=report.watch_url, diff=number < DIFFS_AT_MOST, summary=wording.summary(section, change)
        )
    if len(shown) < len(shown_changes):
        lines += [f"   ... and {len(shown_changes) - len(shown)} more", ""]
    return lines


def _change(change: Change, *, known_url: str, diff: bool, summary: str) -> list[str]:
    lines = [f"{_SIGNS[change.severity]} {wording.one_line(change.headline)}"]
    if summary:
        lines.append(f"   {summary}")
    if (prices := wording.prices(change)) is not None:
        lines.append(f"   {prices[0]} -> {prices[1]}")
    found, more = excerpt(change, DIFF_AT_MOST) if diff else ([], False)
    lines += [f"   {line.sign} {line.text}" for line in found]
    if more:
        lines.append("   ...")
    if change.url != known_url:
        lines.append(f"   {change.url}")
    lines.append("")
    return lines
