"""One line for people, built from the diff; no model needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final
from urllib.parse import unquote

from driftline.core.text import excerpt
from driftline.kinds.page.levels import Levels, OfferChange, Pair, Pictures, Pointers
from driftline.kinds.page.masks import Edit
from driftline.kinds.page.metadata import EMBEDDED
from driftline.kinds.page.parsed import Role
from driftline.model.change import Block

_SHOWN: Final = 60  # characters of a quoted line
_NO_NAMES: Final = frozenset(("", "embed", "iframe", "player", "video", "watch", "index.html", "index.php"))  # of files
_LONGEST_LABEL: Final = 40  # characters of a line that names the number below it
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


def of_content(
    level: Levels, edits: Sequence[Edit], blocks: Sequence[Block], lines: tuple[Sequence[str], Sequence[str]]
) -> str:
    """What happened to everything else; `edits` are those that blocks do not tell, `lines` those of both pages."""
    parts: list[str] = []
    if level.title is not None:
        parts.append(f"Title changed to “{excerpt(level.title.after or '', _SHOWN)}”")
    parts += _of_blocks(blocks)
    parts += _of_text([edit for edit in edits if edit.action != "moved"] if parts else edits, lines)
    parts += _of_images(level.images)
    swapped = any(block.action != "modified" for block in blocks)
    parts += _of_links(level.links, alone=not parts, swapped=swapped)
    if level.metadata and not parts:
        parts.append(_of_metadata(level.metadata))
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


def _of_text(edits: Sequence[Edit], lines: tuple[Sequence[str], Sequence[str]]) -> list[str]:
    if len(edits) == 1:
        return [_single(edits[0], _label(edits[0], lines))]
    counts: Counter[str] = Counter(edit.action for edit in edits)
    words = {"changed": "edited", "added": "added", "removed": "removed", "moved": "moved"}
    return [
        f"{counts[action]} {'paragraph' if counts[action] == 1 else 'paragraphs'} {word}"
        for action, word in words.items()
        if counts[action]
    ]


def _single(edit: Edit, label: str) -> str:
    sides = edit.before or "", edit.after or ""
    old, new = _quotes(*sides) if edit.action == "changed" else (excerpt(side, _SHOWN) for side in sides)
    match edit.action:
        case "changed":
            return f"{label}“{old}” became “{new}”"
        case "added":
            return f"added: “{new}”"
        case "removed":
            return f"removed: “{old}”" if old else "1 paragraph removed"
        case _:
            return f"moved: “{new}”"


def _quotes(before: str, after: str) -> tuple[str, str]:
    start = _where_they_part(before, after)
    before, after = (f"…{line[start:]}" if start else line for line in (before, after))
    return excerpt(before, _SHOWN), excerpt(after, _SHOWN)


def _label(edit: Edit, lines: tuple[Sequence[str], Sequence[str]]) -> str:
    """What a bare number is the value of: the short line above it, if it stands above both."""
    if not edit.at or not edit.to or any(map(str.isalpha, f"{edit.before}{edit.after}")):
        return ""
    one, other = lines[0][edit.at - 1], lines[1][edit.to - 1]
    return f"{one.rstrip(' :')}: " if one == other and len(one) <= _LONGEST_LABEL and any(map(str.isalpha, one)) else ""


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


def _of_links(links: Mapping[Role, Pointers], *, alone: bool, swapped: bool) -> list[str]:
    """`alone`: nothing else is told; `swapped`: with entries that came or went, as which they are named already."""
    parts: list[str] = []
    for role, pointers in links.items():
        name = "link" if role == "content" else f"{role} link"
        if pointers.replaced and role == "content" and not swapped:
            parts.append(f"link to “{_name(pointers.added[0], pointers)}” replaced")
            continue
        for urls, word in ((pointers.added, "added"), (pointers.removed, "removed")):
            if urls:
                which = f": “{_name(urls[0], pointers)}”" if alone and len(urls) == 1 else ""
                parts.append(f"{len(urls)} {name}{'' if len(urls) == 1 else 's'} {word}{which}")
    return parts


def _name(url: str, pointers: Pointers) -> str:
    """What a link says, or the file, number or address that it leads to."""
    return excerpt(pointers.texts.get(url) or file_name(url), _SHOWN)


def file_name(url: str) -> str:
    """The last part of an address that says something."""
    scheme, _, rest = url.partition(":")
    if scheme not in ("http", "https"):
        return rest or url
    host, _, path = rest.partition("?")[0].strip("/").partition("/")
    name = unquote(path.rpartition("/")[2])
    return host if name.lower() in _NO_NAMES else name


def _of_metadata(metadata: Mapping[str, Pair]) -> str:
    if len(metadata) > 1:
        return f"{len(metadata)} metadata fields changed"
    ((key, (before, after)),) = metadata.items()
    if key == EMBEDDED:
        shown = next((one for one in (after or "").split(" | ") if one and one not in (before or "").split(" | ")), "")
        return f"embedded: “{excerpt(file_name(shown), _SHOWN)}” is new" if shown else "embedded: removed"
    if before and after:
        old, new = _quotes(before, after)
        return f"{key}: “{old}” became “{new}”"
    return f"{key} {'added' if after else 'removed'}: “{excerpt(after or before or '', _SHOWN)}”"


def _amount(price: Any) -> str:
    amount = Decimal(price)
    return f"{amount:,f}"
