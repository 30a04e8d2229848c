"""One line for people, built from the diff; no model needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from driftline.core.text import excerpt
from driftline.kinds.page.levels import Levels, OfferChange, Pictures, Pointers
from driftline.kinds.page.masks import Edit
from driftline.kinds.page.parsed import Role
from driftline.model.change import Block

_SHOWN: Final = 60  # characters of a quoted line
_LEAD: Final = 16  # characters of a long line that are quoted before its first difference
_NAMED: Final = 3  # blocks that are called by their title


def of_offer(change: OfferChange) -> str:
    """What happened to the price or the stock."""
    match change.type:
        case "sold_out":
            return "Sold out"
        case "back_in_stock":
            return "Back in stock"
        case _:
            verb = "rose" if change.type == "price_increase" else "fell"
            unit = f" {change.after['currency']}" if change.after["currency"] else ""
            return f"Price {verb} from {_amount(change.before['price'])} to {_amount(change.after['price'])}{unit}"


def of_content(level: Levels, edits: Sequence[Edit], blocks: Sequence[Block]) -> str:
    """What happened to everything else; `edits` are those that blocks do not tell."""
    parts: list[str] = []
    if level.title is not None:
        parts.append(f"Title changed to “{excerpt(level.title.after or '', _SHOWN)}”")
    parts += _of_blocks(blocks)
    parts += _of_text([edit for edit in edits if edit.action != "moved"] if parts else edits)
    parts += _of_images(level.images)
    parts += _of_links(level.links)
    if level.metadata and not parts:
        keys = sorted(level.metadata)
        parts.append(f"{keys[0]} changed" if len(keys) == 1 else f"{len(keys)} metadata fields changed")
    line = "; ".join(parts) or "Content changed"
    return line[0].upper() + line[1:]


def _of_blocks(blocks: Sequence[Block]) -> list[str]:
    parts: list[str] = []
    for action in ("added", "removed"):
        titles = [block.title for block in blocks if block.action == action]
        if titles:
            shown = ", ".join(f"“{excerpt(name, _SHOWN)}”" for name in titles[:_NAMED])
            more = f" and {len(titles) - _NAMED} more" if len(titles) > _NAMED else ""
            parts.append(f"{len(titles)} {action}: {shown}{more}")
    return parts


def _of_text(edits: Sequence[Edit]) -> list[str]:
    if len(edits) == 1:
        return [_single(edits[0])]
    counts: Counter[str] = Counter(edit.action for edit in edits)
    words = {"changed": "edited", "added": "added", "removed": "removed", "moved": "moved"}
    return [
        f"{counts[action]} {'paragraph' if counts[action] == 1 else 'paragraphs'} {word}"
        for action, word in words.items()
        if counts[action]
    ]


def _single(edit: Edit) -> str:
    before, after = edit.before or "", edit.after or ""
    if edit.action == "changed":
        start = _where_they_part(before, after)
        before, after = (f"…{line[start:]}" if start else line for line in (before, after))
    old, new = excerpt(before, _SHOWN), excerpt(after, _SHOWN)
    match edit.action:
        case "changed":
            return f"“{old}” became “{new}”"
        case "added":
            return f"added: “{new}”"
        case "removed":
            return f"removed: “{old}”" if old else "1 paragraph removed"
        case _:
            return f"moved: “{new}”"


def _where_they_part(before: str, after: str) -> int:
    """Where to start quoting two lines so that their first difference is seen: a few words before it, 0 if it is near."""
    shorter = min(len(before), len(after))
    parted = next((place for place in range(shorter) if before[place] != after[place]), shorter)
    if parted < _SHOWN // 2:
        return 0
    return before.rfind(" ", 0, parted - _LEAD) + 1


def _of_images(images: Pictures) -> list[str]:
    if images.hero is not None:
        return ["main image changed"]
    parts: list[str] = []
    for count, word in ((len(images.added), "added"), (len(images.removed), "removed")):
        if count:
            parts.append(f"{count} {'image' if count == 1 else 'images'} {word}")
    if images.alts and not parts:
        pair = next(iter(images.alts.values()))
        parts.append(f"image description “{excerpt(pair.before or '', _SHOWN)}” became “{excerpt(pair.after or '', _SHOWN)}”")
    return parts


def _of_links(links: Mapping[Role, Pointers]) -> list[str]:
    parts: list[str] = []
    for role, pointers in links.items():
        name = "link" if role == "content" else f"{role} link"
        for count, word in ((len(pointers.added), "added"), (len(pointers.removed), "removed")):
            if count:
                parts.append(f"{count} {name}{'' if count == 1 else 's'} {word}")
    return parts


def _amount(price: Any) -> str:
    amount = Decimal(price)
    return f"{amount:,f}"
