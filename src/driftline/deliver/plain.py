"""A letter as plain text: what a terminal, a screen reader and a chat show."""

from __future__ import annotations

from typing import Final

from driftline.deliver import wording
from driftline.deliver.excerpt import excerpt
from driftline.model.change import Change
from driftline.model.delivery import Letter, Section

CHANGES_AT_MOST: Final = 60
DIFFS_AT_MOST: Final = 12  # changes whose lines are shown
DIFF_AT_MOST: Final = 8  # lines of one change
_SIGNS: Final = {"high": "!!", "medium": "! ", "low": "  "}


def plain(letter: Letter, *, links: dict[str, str] | None = None) -> str:
    """The whole letter; `links` are shown at its end, by name."""
    parts = [f"Hello {letter.user.name},", ""] if letter.user.name else []
    if letter.sample:
        parts += ["this is a test message. The channel works, and changes will arrive here.", ""]
    elif letter.digest:
        parts += [f"{wording.headline(letter)}:", ""]
    told = 0
    for section in letter.sections:
        parts += _section(section, letter, told)
        told += len(section.changes)
    parts += ["-- "]
    parts += [f"{name}: {url}" for name, url in (links or {}).items()]
    parts.append(f"Delivery {letter.id}, {wording.moment(letter.written_at, letter.user.timezone)}")
    return "\n".join(parts) + "\n"


def _section(section: Section, letter: Letter, told: int) -> list[str]:
    report = section.report
    name = wording.one_line(report.watch_name)
    title = f"{name} ({wording.counted(section.changes)})"
    lines = [title, "=" * min(len(title), 72), report.watch_url]
    if letter.digest:
        lines.append(wording.moment(report.created_at, letter.user.timezone))
    lines.append("")
    shown = wording.weightiest_first(section.changes)[: max(0, CHANGES_AT_MOST - told)]
    for number, change in enumerate(shown, start=told):
        lines += _change(change, known_url=report.watch_url, diff=number < DIFFS_AT_MOST)
    if len(shown) < len(section.changes):
        lines += [f"   ... and {len(section.changes) - len(shown)} more", ""]
    return lines


def _change(change: Change, *, known_url: str, diff: bool) -> list[str]:
    lines = [f"{_SIGNS[change.severity]} {wording.one_line(change.headline)}"]
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
