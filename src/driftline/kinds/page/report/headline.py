"""The headline of a page change: the most informative edits in words, then the number of others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple
from urllib.parse import unquote

from rapidfuzz.distance import Indel

from driftline.core.commerce.amounts import from_to
from driftline.core.identity.timestamps import instant
from driftline.core.text.folding import excerpt, letters_and_digits
from driftline.core.text.json_text import shown_value
from driftline.core.text.language.critical_words import differs_critically
from driftline.core.text.window import differing_part
from driftline.kinds.page.compare.fields import OfferChange
from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.extract.head import EMBEDDED
from driftline.kinds.page.judge.page import JudgedPage
from driftline.kinds.page.judge.spans import moved_spans, quieted
from driftline.kinds.page.parsed import LONGEST_TITLE, NO_ENTRY, Line, ParsedPage
from driftline.kinds.page.report.blocks import ChangedBlocks
from driftline.kinds.page.report.cells import cell_edits
from driftline.kinds.page.report.phrases import edit_phrase, quoted
from driftline.kinds.page.report.releases import says_new
from driftline.model.change import Block

_NAMED: Final = 3  # entries that are named by their title
_PARTS: Final = 2  # edits in words
_FEW: Final = 12  # lines of an entry; what has more is a section, and says nothing of each line
_AROUND: Final = 120  # characters around a difference: what a date is written with
_WORDS: Final = 2  # gaps between words of a heading that says what is new
_SAYING: Final = 5  # gaps between words of an entry that says something
_PAIRED: Final = 20  # lines of each side that are held against each other
_SENTENCE: Final = 30  # characters of a line that says enough to be known again
_ALIKE: Final = 0.6  # of the letters
_CLIPPED: Final = 600
_LABEL: Final = 40  # characters of a line that names the number below it
_CLAUSE: Final = re.compile(r"^\(?(?:\d{1,3}\.){0,5}(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]{0,2}\s")  # 7.10, (a), iv.
_GAP: Final = re.compile(r"\w\s\w")  # between two words
_NO_NAMES: Final = frozenset(("", "embed", "iframe", "player", "video", "watch", "index.html", "index.php"))


class _Part(NamedTuple):
    weight: int
    text: str | Callable[[], str]  # a phrase that has to be looked for is made where it is shown
    edits: int = 1  # that it describes


def of_offer(change: OfferChange) -> str:
    """The headline of a price or stock change."""
    if change.level == "availability":
        return "Sold out" if change.type == "sold_out" else "Back in stock"
    verb = "rose" if change.type == "price_increase" else "fell"
    currency = str(change.after["currency"] or "") or None
    return f"Price {verb} {from_to(str(change.before['price']), str(change.after['price']), currency)}"


def of_content(
    judged: JudgedPage,
    touched: ChangedBlocks,
    before: ParsedPage,
    after: ParsedPage,
    *,
    released: frozenset[str] = frozenset(),
    replaced: bool = False,
) -> str:
    """The headline of everything but price and stock; `released` are new version numbers of the page's subject."""
    named = {block.title for block in touched.blocks if block.action != "modified"}
    others = [
        one for one in touched.others if one.action == "changed" or excerpt(one.line.text or "", LONGEST_TITLE) not in named
    ]
    parts = [*_entries(touched.blocks), *_lines(others, before, after, released), *_fields(judged, replaced=replaced)]
    parts.sort(key=lambda part: -part.weight)
    if not parts:
        return "Content changed"
    said: dict[str, str] = {}  # keyed by the edit itself, so that the same edit in two places is named once
    left = iter(parts)
    for part in left:
        text = part.text if isinstance(part.text, str) else part.text()
        said.setdefault(text.partition("”: ")[2] or text, text)
        if len(said) == _PARTS:
            break
    rest = sum(part.edits for part in left)
    line = "; ".join(said.values()) + (f"; {rest} more {'edit' if rest == 1 else 'edits'}" if rest else "")
    return line[0].upper() + line[1:]


def _entries(blocks: Sequence[Block]) -> list[_Part]:
    parts: list[_Part] = []
    for action, word, weight in (("added", "New", 80), ("removed", "Removed", 75)):
        touched = [block for block in blocks if block.action == action]
        if touched:
            shown = _names(touched)
            names = ", ".join(quoted(name, 60) for name in shown)
            more = f" and {len(touched) - len(shown)} more" if len(touched) > len(shown) else ""
            parts.append(_Part(weight, f"{word}: {names}{more}", len(touched)))
    return parts


def _names(blocks: Sequence[Block]) -> list[str]:
    """The names of the first few blocks, each name once."""
    names: dict[str, None] = {}
    for block in blocks:
        names[_called(block)] = None
        if len(names) == _NAMED:
            break
    return list(names)


def _called(block: Block) -> str:
    """An entry's title; a title of one word, such as an author's name, is followed by the entry's text."""
    said = block.text_excerpt.removeprefix(f"{block.title} ")
    if _GAP.search(quieted(block.title)) or said == block.text_excerpt or said.count(" ") < _SAYING:
        return block.title
    return f"{block.title}: {said}"


def _lines(others: Sequence[LineDifference], before: ParsedPage, after: ParsedPage, released: frozenset[str]) -> list[_Part]:
    parts: list[_Part] = []
    moved = [one for one in others if one.action == "moved"]
    for one in _paired(others):
        if one.action == "moved":
            continue
        old, new = (_shown(line, after) if line is not None else None for line in (one.before, one.after))
        if one.line.text is None:
            parts.append(_Part(5, f"a line was {one.action}"))
        elif old is not None and new is not None:
            plain = after.format == "json" and _is_plain(new)
            weight = 30 if plain else 70 if differs_critically(old, new) else 50
            weight = 85 if says_new(one, released, after.title) else 40 if weight == 70 and _only_dates(old, new) else weight
            weight = min(weight, 32) if _is_decoration(old, new) else weight
            parts.append(_Part(weight, partial(_edit, one, old, new, before, after)))
        else:
            weight = _heading(one) if one.line.heading else 45 if len(one.line.text) > 30 else 35
            weight = weight if one.line.heading or any(map(str.isalpha, one.line.text)) else 3
            weight = 3 if after.format == "json" and _is_plain(old or new or "") else weight
            page = after if one.after is not None else before
            parts.append(_Part(weight - (one.action == "removed"), partial(_came_or_went, one, old or new or "", page)))
    if moved:
        first = next((one.line.text for one in moved if one.line.text), "")
        parts.append(_Part(10, f"moved: {quoted(first)}", len(moved)))
    return parts


def _paired(others: Sequence[LineDifference]) -> list[LineDifference]:
    """With a sentence that went and one that says nearly the same elsewhere as one edit: they may stand in other elements."""
    gone = [one for one in others if one.action == "removed" and _is_long(one.before)][:_PAIRED]
    edits: dict[int, LineDifference] = {}
    for one in [one for one in others if one.action == "added" and _is_long(one.after)][:_PAIRED] if gone else ():
        scores = [_similarity(left.before, one.after) for left in gone]
        if scores and (best := max(scores)) >= _ALIKE:
            left = gone.pop(scores.index(best))
            edits[id(one)] = one._replace(action="changed", before=left.before, at=left.at)
            edits[id(left)] = edits[id(one)]
    return list({id(kept): kept for kept in (edits.get(id(one), one) for one in others)}.values())


def _is_long(line: Line | None) -> bool:
    return line is not None and len(line.text or "") >= _SENTENCE


def _similarity(one: Line | None, other: Line | None) -> float:
    texts = [(line.text if line is not None else None) or "" for line in (one, other)]
    return float(Indel.normalized_similarity(*(text[:_CLIPPED] for text in texts), score_cutoff=_ALIKE))


def _heading(one: LineDifference) -> int:
    """Whether a line is a new heading of several words, which says more than the entries below it; "Americas" does not."""
    return 82 if one.before is None and (one.line.text or "").count(" ") >= _WORDS else 72


def _is_decoration(old: str, new: str) -> bool:
    """Whether two lines differ only in punctuation, or in the number that a clause begins with."""
    one, other = (_CLAUSE.sub("", side) for side in (old, new))
    return letters_and_digits(one) == letters_and_digits(other)


def _only_dates(old: str, new: str) -> bool:
    """Whether two lines differ only in dates and times, which accompany an edit that is named elsewhere."""
    part = differing_part(old, new, around=_AROUND)
    moved = moved_spans(part.before, part.after)
    return moved is not None and all({a.type, b.type} == {"moment"} for a, b in moved)


def _came_or_went(one: LineDifference, text: str, page: ParsedPage) -> str:
    return f"{_name(one, page)}{one.action}: {quoted(text)}"


def _edit(one: LineDifference, old: str, new: str, before: ParsedPage, after: ParsedPage) -> str:
    if (cells := cell_edits(old, new, one.to, after)) is not None:
        return cells
    return _label(one, before, after) + edit_phrase(old, new)


def _is_plain(field: str) -> bool:
    """Whether a JSON field is a count, a time or an address, which accompanies an edit that is named elsewhere."""
    value = field.partition(": ")[2]
    return value.isdecimal() or value.startswith("http") or instant(value) is not None


def _shown(line: Line, page: ParsedPage) -> str | None:
    """A line for people; of a value in a JSON document only the last step of its path."""
    if line.text is None or page.format not in ("json", "xml"):
        return line.text
    return shown_value(line.text)


def _name(one: LineDifference, page: ParsedPage) -> str:
    """The name of the entry that a line belongs to; empty if the line is that name itself."""
    line = one.line
    if page.format == "document" and line.place < len(page.paths) and page.paths[line.place]:
        return f"{page.paths[line.place]}: "
    if line.entry == NO_ENTRY or line.entry >= len(page.entries) or page.entry_sizes[line.entry] > _FEW:
        return ""
    title = page.entries[line.entry].title
    return "" if not title or title in (line.text or "") or (line.text or "") in title else f"{quoted(title, _LABEL)}: "


def _label(one: LineDifference, before: ParsedPage, after: ParsedPage) -> str:
    """A label for an edited line: its entry, or for a bare number the short line above it in both versions."""
    if name := _name(one, after):
        return name
    if one.at <= 0 or one.to <= 0 or any(map(str.isalpha, f"{one.line.text}")):
        return ""
    old, new = before.line_details[one.at - 1].text, after.line_details[one.to - 1].text
    if not new or old != new or len(new) > _LABEL or not any(map(str.isalpha, new)) or any(map(str.isdigit, new)):
        return ""
    return f"{new.rstrip(' :')}: "


def _fields(judged: JudgedPage, *, replaced: bool) -> list[_Part]:
    parts: list[_Part] = []
    if judged.title is not None and replaced and all(judged.title):
        parts.append(_Part(90, f"another page: {' → '.join(quoted(side or '') for side in judged.title)}"))
    elif judged.title is not None:
        parts.append(_Part(78, f"title: {edit_phrase(judged.title.before or '', judged.title.after or '')}"))
    for change in judged.links:
        if change.before is not None and change.after is not None and change.before.url == change.after.url:
            parts.append(_Part(30, f"link {quoted(change.before.text)} is called {quoted(change.after.text)} now"))
            continue
        sides = (link.url if link is not None else None for link in change)
        parts.append(_Part(30, _link(*sides, text=change.link.text)))
    if judged.hero is not None:
        parts.append(_Part(25, f"main picture is now {quoted(file_name(judged.hero.after or ''))}"))
    for picture in judged.images:
        url = picture.image.url
        if picture.before is not None and picture.after is not None:
            parts.append(_Part(28, f"picture described as {quoted(picture.after.alt)}, was {quoted(picture.before.alt)}"))
        elif judged.hero is None or url not in judged.hero:
            word = "added" if picture.after is not None else "removed"
            parts.append(_Part(20, f"picture {word}: {quoted(picture.image.alt or file_name(url))}"))
    for key, pair in judged.metadata.items():
        if key == EMBEDDED:
            fresh = [one for one in (pair.after or "").split(" | ") if one and one not in (pair.before or "").split(" | ")]
            parts.append(
                _Part(22, f"embedded: {quoted(file_name(fresh[0]))}" if fresh else "an embedded player or document is gone")
            )
        elif pair.before and pair.after:
            address = pair.after.startswith("http")
            edit = f"{quoted(pair.before)} → {quoted(pair.after)}" if address else edit_phrase(pair.before, pair.after)
            parts.append(_Part(15, f"{key}: {edit}"))
        else:
            parts.append(_Part(12, f"{key} {'added' if pair.after else 'removed'}: {quoted(pair.after or pair.before or '')}"))
    return parts


def of_frame(judged: JudgedPage) -> str:
    """The headline of a change of navigation and footer only."""
    texts = [one.line.text or "" for one in judged.quiet] + [
        change.link.text or file_name(change.link.url) for change in judged.quiet_links
    ]
    names = ", ".join(quoted(text, 40) for text in dict.fromkeys(texts) if text)
    return excerpt(f"Navigation changed: {names}" if names else "Navigation changed", 160)


def _link(before: str | None, after: str | None, *, text: str) -> str:
    """A link as text and target, because the text alone ("here") may be on both sides."""
    name = quoted(file_name(after or before or ""), 50)
    if before and after:
        if file_name(before) == file_name(after):
            name = quoted(_telling_part(before, after))
        return f"link {quoted(text, 50) if text else name} leads to {name} now"
    word = "added" if after else "removed"
    return f"link {word}: {quoted(text, 60)} to {name}" if text else f"link {word}: {name}"


def _telling_part(before: str, after: str) -> str:
    """The part in which an address differs from the one before: host, else path, else query."""
    for sign in "/?#":
        (one, _, old), (other, _, new) = (url.partition("://")[2].partition(sign) for url in (before, after))
        if one != other:
            return unquote(other if sign == "/" else other[other.find("/") :])
    return unquote(new or old)


def file_name(url: str) -> str:
    """The last meaningful part of an address."""
    scheme, _, rest = url.partition(":")
    if scheme not in ("http", "https"):
        return rest or url
    host, _, path = rest.partition("?")[0].strip("/").partition("/")
    name = unquote(path.rpartition("/")[2])
    return host if name.lower() in _NO_NAMES else name
