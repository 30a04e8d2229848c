"""Finds new version numbers of the page's subject in its title, headings, entries and lines with its name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.judge.page import JudgedPage
from driftline.kinds.page.parsed import ParsedPage
from driftline.model.change import Block

# Both patterns begin with a digit, so that searching a whole page is fast; the text before it is checked afterwards.
_VERSION: Final = re.compile(r"(\d{1,6})\.(\d{1,6})((?:\.\d{1,6}){0,4})(?![\d,:/-])")
_NUMBER: Final = re.compile(r"\d{1,4}(?![\w,:/-]|\.\w|\s/)")  # behind a name: no dot
_NAMED: Final = re.compile(r"([^\W\d_]{3,40})[\s-]v?$")
_LONGEST: Final = 42  # characters of a name with what is between it and its number
_NAME: Final = re.compile(r"[^\W\d_]{3,40}")
_DAY, _MONTH, _YEAR = 31, 12, 1900


def new_versions(judged: JudgedPage, blocks: Sequence[Block], before: ParsedPage, after: ParsedPage) -> frozenset[str]:
    """The version numbers that are new, if the page had any before."""
    names = frozenset(word.casefold() for word in _NAME.findall(after.title))
    said = [judged.title.after or ""] if judged.title else []
    raised = set[str]()
    listed = [block.title for block in blocks if block.action == "added"]
    for one in judged.lines:
        text = (one.after.text or "") if one.after is not None and one.action != "moved" else ""
        if text and one.after is not None and one.after.heading:
            listed.append(text)
        elif text and one.before is not None and _names_one(text, names):
            said.append(text)
            raised |= _raised(one.before.text or "", text, names)
    said += [text for text in listed if _is_of_page(text, names, before)]
    fresh = {version for text in said for version in versions(text, names)}
    if not fresh:
        return frozenset()
    known = versions(f"{before.title}\n{before.text or ''}", names)
    return frozenset((*raised, *(one for one in fresh - known if any(_kind(one) == _kind(other) for other in known))))


def _raised(old: str, new: str, names: frozenset[str]) -> set[str]:
    """The version that replaced a smaller one in a line, even if it was on the page before: a test version became current."""
    was, now = versions(old, names), versions(new, names)
    gone, come = was - now, now - was
    return come if len(gone) == len(come) == 1 and _order(*come) > _order(*gone) else set()


def _order(version: str) -> list[int]:
    return [int(part) for part in version.rpartition(" ")[2].split(".")]


def _is_of_page(text: str, names: frozenset[str], before: ParsedPage) -> bool:
    """Whether a version number belongs to the page's subject: it follows its name, or comes first as earlier ones did."""
    if _names_one(text, names):
        return True
    found = _VERSION.search(text, 0, _LONGEST)
    lead = text[: found.start()].rstrip("vV") if found is not None else text
    if found is None or _is_joined(text, found.start()) or len(lead.split()) > 1:
        return False
    first = len(lead)
    lines = map(_value, before.lines) if before.format == "feed" else before.lines
    return any(
        line[:first].casefold() == lead.casefold() and _VERSION.match(line, first + (line[first : first + 1] in ("v", "V")))
        for line in lines
    )


def _value(line: str) -> str:
    """The value of a feed's field."""
    return line.partition(": ")[2]


def says_new(one: LineDifference, fresh: frozenset[str], title: str) -> bool:
    """Whether a line contains one of the new versions."""
    if not fresh or one.after is None:
        return False
    names = frozenset(word.casefold() for word in _NAME.findall(title))
    return not fresh.isdisjoint(versions(one.after.text or "", names))


def versions(text: str, names: frozenset[str]) -> set[str]:
    """Numbers with dots that are not dates, and numbers right after one of the page's names."""
    found = {
        match[0]
        for match in _VERSION.finditer(text)
        if not ((_is_joined(text, match.start()) and not _is_named(text, match.start(), names)) or _is_date(match, text))
    }
    for match in _NUMBER.finditer(text) if names else ():
        named = _NAMED.search(text, max(0, match.start() - _LONGEST), match.start())
        if named and named[1].casefold() in names and _says_more(text, named.start(), match.end()):
            found.add(f"{named[1].casefold()} {match[0]}")
    return found


def _is_joined(text: str, start: int) -> bool:
    """Whether a number is part of a longer word that begins before it."""
    return start > 0 and (text[start - 1] in ".,:/-" or text[start - 1].isdecimal())


def _is_named(text: str, start: int, names: frozenset[str]) -> bool:
    """Whether a number follows the page's name and a hyphen: less-581.2."""
    named = _NAMED.search(text, max(0, start - _LONGEST), start)
    return named is not None and named[1].casefold() in names


def _says_more(text: str, start: int, end: int) -> bool:
    """Whether a line has words besides a name and its number, which alone may be a count: Issues 87."""
    return _NAME.search(text, end) is not None or _NAME.search(text, 0, start) is not None


def _kind(version: str) -> str:
    """Numbers alone, or those of one name."""
    return version.rpartition(" ")[0]


def _is_date(match: re.Match[str], text: str) -> bool:
    """18.11. and 18.11.2026 are days."""
    day = int(match[1]) <= _DAY and 0 < int(match[2]) <= _MONTH
    if match[3]:
        return day and int(match[3].rpartition(".")[2]) >= _YEAR
    return day and text[match.end() : match.end() + 1] == "."


def _names_one(text: str, names: frozenset[str]) -> bool:
    return bool(versions(text, names)) and not names.isdisjoint(word.casefold() for word in _NAME.findall(text))
