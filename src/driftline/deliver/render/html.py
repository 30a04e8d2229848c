"""Renders a message as HTML for mail clients: tables, few styles, nothing loaded, readable in dark mode and on phones."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final
from uuid import UUID

from driftline.core.identity.severity import worst
from driftline.core.pictures.crops import ChangedPart
from driftline.deliver.render import wording
from driftline.deliver.render.excerpt import ExcerptLine, excerpt
from driftline.model.change import Change
from driftline.model.delivery import Message, Section

CHANGES_AT_MOST: Final = 60  # per mail: clients cut off mails beyond 100 KB
DIFFS_AT_MOST: Final = 12  # changes with their lines
DIFF_AT_MOST: Final = 10  # lines per change

_COLOURS: Final = {"high": "#b3261e", "medium": "#9a6700", "low": "#57606a"}
_SIGNS: Final = {"high": "HIGH SEVERITY", "medium": "MEDIUM SEVERITY", "low": "LOW SEVERITY"}
_STYLE: Final = """
body { margin: 0; padding: 0; background: #f3f4f6; }
table { border-collapse: collapse; }
a { color: #1f5fbf; }
.page { background: #f3f4f6; }
.card { background: #ffffff; border: 1px solid #e1e4e8; border-radius: 10px; }
.text, .title { font-family: -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; color: #1c2128; }
.text, .title, .line { word-break: break-word; }
.title { font-size: 21px; line-height: 28px; font-weight: 600; }
.text { font-size: 15px; line-height: 22px; }
.dim { color: #57606a; font-size: 13px; line-height: 19px; }
.name { font-size: 17px; line-height: 24px; font-weight: 600; text-decoration: none; color: #1c2128; }
.rule { border-top: 1px solid #e1e4e8; font-size: 0; line-height: 0; }
.tag { font-size: 12px; line-height: 18px; font-weight: 600; letter-spacing: .02em; }
.line { font-family: ui-monospace, Consolas, monospace; font-size: 13px; line-height: 19px; }
.plus { background: #e3f5e6; color: #14532d; }
.minus { background: #fde8e7; color: #7f1d1d; }
.was { color: #57606a; text-decoration: line-through; }
.now { font-weight: 600; }
@media (max-width: 480px) {
  .pad { padding-left: 18px !important; padding-right: 18px !important; } .title { font-size: 19px; }
}
@media (prefers-color-scheme: dark) {
  body, .page { background: #0d1117 !important; }
  .card { background: #161b22 !important; border-color: #30363d !important; }
  .text, .title, .name { color: #e6edf3 !important; }
  .dim, .was { color: #9198a1 !important; }
  .rule { border-color: #30363d !important; }
  a { color: #79b8ff; }
  .plus { background: #12261e !important; color: #aff5b4 !important; }
  .minus { background: #2d1214 !important; color: #ffc1bd !important; }
  .high { color: #ff8f88 !important; } .medium { color: #e3b341 !important; } .low { color: #9198a1 !important; }
}
"""


def picture_id(change_id: UUID, side: str) -> str:
    """What a picture of a change is called within the mail."""
    return f"{side}.{change_id}@driftline"


def html(message: Message, *, links: dict[str, str] | None = None, pictures: Mapping[UUID, ChangedPart] | None = None) -> str:
    """The whole message; `links` are shown at its end, by name, and `pictures` with their changes."""
    title = wording.headline(message)
    budget = _Budget(pictures or {})
    rows = [_intro(message, title), *(_section(section, message, budget) for section in message.sections), _foot(links or {})]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">'
        f"<title>{escape(wording.subject(message))}</title><style>{_STYLE}</style></head>\n<body>"
        f'<div style="display:none;max-height:0;overflow:hidden">{escape(_preview(message))}</div>'
        '<table role="presentation" width="100%" class="page" bgcolor="#f3f4f6">'
        '<tr><td align="center" style="padding:24px 12px">\n'
        '<table role="presentation" width="100%" class="card" bgcolor="#ffffff" style="max-width:620px">\n'
        + "\n".join(rows)
        + "\n</table></td></tr></table></body></html>\n"
    )


class _Budget:
    """How much of a long message may still be shown."""

    def __init__(self, pictures: Mapping[UUID, ChangedPart]) -> None:
        self.pictures = pictures
        self.changes = CHANGES_AT_MOST
        self.diffs = DIFFS_AT_MOST


def _cell(inside: str, *, top: int = 0, bottom: int = 0, classes: str = "text") -> str:
    return f'<tr><td class="pad {classes}" align="left" style="padding:{top}px 28px {bottom}px 28px">{inside}</td></tr>'


def _preview(message: Message) -> str:
    """The text that mail clients show next to the subject."""
    if message.sample:
        return "The channel works. Changes will be sent here."
    title_text = [line for section in message.sections[:3] for line in wording.lines(section)[:3]]
    return wording.cut("; ".join(title_text[:3]), 160)


def _intro(message: Message, title: str) -> str:
    when = escape(wording.moment(message.written_at, message.user.timezone))
    if message.sample:
        line = "This is a test message. The channel works. Changes will be sent here."
        return _cell(f'<div class="title">{escape(title)}</div><div class="text" style="padding-top:8px">{line}</div>', top=26)
    ink = worst([change.severity for change in message.changes])
    sign = f'<span class="tag {ink}" style="color:{_COLOURS[ink]}">{"DAILY DIGEST" if message.digest else _SIGNS[ink]}</span>'
    return _cell(
        f'{sign}<div class="title" style="padding-top:4px">{escape(title)}</div>'
        f'<div class="dim" style="padding-top:6px">{when}</div>',
        top=26,
        bottom=4,
    )


def _section(section: Section, message: Message, budget: _Budget) -> str:
    report, shown_changes = section.report, section.shown_changes
    shown = wording.by_severity(shown_changes)[: budget.changes]
    budget.changes -= len(shown)
    line = ""
    if message.digest:  # otherwise it is in the title
        title_text = "; ".join(filter(None, (section.first_run_line, wording.count_text(shown_changes))))
        line = f"{title_text} · {wording.moment(report.created_at, message.user.timezone)}"
    rows = [
        _cell('<div class="rule">&nbsp;</div>', top=18),
        _cell(
            f'{_link(report.watch_url, wording.one_line(report.watch_name), "name")}<div class="dim">{escape(line)}</div>',
            top=16,
        ),
    ]
    alone = len(message.sections) == 1 and len(section.changes) == 1
    rows += [_cell(_change(change, budget, alone=alone, summary=wording.summary(section, change)), top=14) for change in shown]
    if len(shown) < len(shown_changes):
        rows.append(_cell(f"and {len(shown_changes) - len(shown)} more", top=12, classes="text dim"))
    return "\n".join(rows)


def _change(change: Change, budget: _Budget, *, alone: bool, summary: str) -> str:
    ink = _COLOURS[change.severity]
    parts = [f'<div class="tag {change.severity}" style="color:{ink}">{escape(wording.label(change))}</div>']
    if not alone:  # it is in the title
        parts.append(f"<div>{escape(wording.one_line(change.headline))}</div>")
    if summary:
        parts.append(f"<div>{escape(summary)}</div>")
    if (prices := wording.prices(change)) is not None:
        was, now = map(escape, prices)
        parts.append(f'<div><span class="was">{was}</span>&nbsp;→ <span class="now">{now}</span></div>')
    if budget.diffs:
        found, more = excerpt(change, DIFF_AT_MOST)
        budget.diffs -= bool(found)
        if found:
            parts.append(_lines(found, more=more))
    if (part := budget.pictures.get(change.id)) is not None:
        parts.append(_pictures(change, part))
    parts.append(f'<div class="dim" style="padding-top:4px">{_link(change.url, _place(change.url))}</div>')
    return "".join(parts)


def _pictures(change: Change, part: ChangedPart) -> str:
    """Before and after, one below the other: each as wide as a phone lets it be."""
    sides = (("before", "Before"), ("after", "After"))
    return "".join(
        f'<div class="dim" style="padding-top:8px">{label}</div>'
        f'<img src="cid:{picture_id(change.id, side)}" alt="{label}: the part of the page that changed" width="{part.width}" '
        f'height="{part.height}" style="display:block;width:100%;max-width:{part.width}px;height:auto">'
        for side, label in sides
    )


def _lines(found: list[ExcerptLine], *, more: bool) -> str:
    rows = [_line(line) for line in found]
    if more:
        rows.append('<tr><td class="line dim" style="padding:3px 8px">…</td></tr>')
    return f'<table role="presentation" width="100%" style="margin-top:8px">{"".join(rows)}</table>'


def _line(line: ExcerptLine) -> str:
    came = line.sign == "+"
    words = "".join(f"<b>{escape(piece.text)}</b>" if piece.marked else escape(piece.text) for piece in line.pieces)
    return (
        f'<tr><td class="line {"plus" if came else "minus"}" bgcolor="{"#e3f5e6" if came else "#fde8e7"}"'
        f' style="padding:3px 8px">{"+" if came else "−"} {words}</td></tr>'
    )


def _place(url: str) -> str:
    """A URL for display: without its scheme, shortened."""
    return wording.cut(url.partition("://")[2].rstrip("/") or url, 72)


def _link(url: str, text: str, classes: str = "") -> str:
    """A link, if the address is safe to open; a source's data may contain any other."""
    line = escape(text)
    marked = f' class="{classes}"' if classes else ""
    if not url.startswith(("http://", "https://", "mailto:")):
        return f"<span{marked}>{line}</span>"
    return f'<a{marked} href="{escape(url)}">{line}</a>'


def _foot(links: dict[str, str]) -> str:
    named = " · ".join(_link(url, name) for name, url in links.items())
    line = "You get this mail because you subscribed in driftline."
    return _cell('<div class="rule">&nbsp;</div>', top=22) + _cell(
        f"{line}{'<br>' if named else ''}{named}", top=12, bottom=24, classes="text dim"
    )
