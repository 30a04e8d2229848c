"""What differs between two answers without anything having changed: one table of rules, each with its reason.

A *canonical* line has every noisy span replaced by a placeholder. Rules match shapes that no reader takes for content: a date
is noise only behind words like "last updated" or with seconds in it, a number only beside words like "views". Event dates,
deadlines, prices, stock counts, scores and versions are content and stay.

Pages split such phrases over elements (`<b>1,234</b> <span>views</span>`), so a line also has a *role*, and `settle` looks at
neighbours: a bare number beside a bare "views" is noise, a bare number elsewhere is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from driftline.core import dates
from driftline.core.later import later
from driftline.core.noise_counters import COUNTERS
from driftline.core.noise_days import DAYS, OPEN_NOW
from driftline.core.noise_quotas import PLAN, PLANS, QUOTAS, allowed, is_allowed_in, role_of_count, role_of_text
from driftline.core.noise_rights import RIGHTS
from driftline.core.noise_rules import NUMBER, PATTERNS, Rule, Shape, Span
from driftline.core.noise_visitors import COUNT_LABELS, VISITORS
from driftline.core.noise_words import (
    COUNTED,
    COUNTED_CJK,
    LIMITS_AFTER,
    LIMITS_BEFORE,
    NOTHING_COUNTED,
    QUALIFIES,
    SHOWN_AS_OF,
    UPDATED,
    UPDATED_CJK,
    UPDATED_IN_PROSE,
)
from driftline.core.signs import Signs
from driftline.core.text import composed, plainly

PLACEHOLDER: Final = "•"  # stands where noise was

# Roles of a whole line, as far as its neighbours care.
PLAIN: Final = 0
TIME: Final = 1  # nothing but a date or time
COUNT: Final = 2  # nothing but a number
TIME_LABEL: Final = 4  # "Last updated:", whose value comes next
COUNT_LABEL: Final = 8  # "views", whose number stands before or after
ROLE: Final = 15
_LABELS: Final = TIME_LABEL | COUNT_LABEL


class Canonical(NamedTuple):
    """A line without its noise, and what its neighbours may make of it."""

    text: str
    role: int = PLAIN


_COUNTER: Final = later(rf"(?<![\w.,:/$€£¥₹#-]){NUMBER}(?![\d:/%°]|[.,]\d)")
_AFTER: Final = later(
    r"\s?(?:(?:unique|total|active|registered|other|new|more|x)\s)?([^\W\d_][\w'’-]*)(?:\s([^\W\d_][\w'’]*))?(?:\s([^\W\d_][\w'’]*))?"
)
_BEFORE: Final = later(
    r"((?:[^\W\d_][\w'’-]*\s){0,2}[^\W\d_][\w'’-]*)(?:\s(?:today|total|so far|heute|hoy|oggi|hoje))?\s?[:：(]\s?$"
)
_MOMENT: Final = later(rf"(?<![a-z\d.,/:-])(?:{dates.MOMENT})(?![\w/])")
_LOOKED_AT: Final = frozenset("lesen anzeigen ansehen zeigen lezen bekijken tonen anzeigen".split())  # Kommentare lesen (12)
_CONNECTORS: Final = frozenset(
    "on at am um le el il em den dnia date datum op om à a las kl the since by time of del was alle ore às klo".split()
)
_SPACED: Final = str.maketrans(dict.fromkeys(":：(),.|·•–—;!?[]", " "))
_OPENERS: Final = frozenset(":：(")
_CELL_ENDS: Final = ("", ",", ";")
SET_TIME: Final = later(
    r"(?<![a-z])(?:starts?|begin|ends?|due|deadline|expir|valid|depart|arriv|event|launch|release|publish|schedul|opens?|clos|"
    r"from|until|till|kick-?off|doors|effective|frist|gültig|bis|beginn|ende|début|fin|limite|inicio|hasta|inizio|fine|scadenza|"
    r"início|prazo|até)[a-z]*(?:[_\s-]?(?:date|time|at|on|by|datetime|utc))*\s?[:=(-]?\s?[\"']?$"
)
_SECONDS_HINT: Final = later(dates.SECONDS_HINT)
_TIMESTAMP: Final = later(dates.TIMESTAMP)
_UPDATED_ENDS: Final = frozenset([word for word in phrase.split() if word not in _CONNECTORS][-1] for phrase in UPDATED)
_ENDS: Final = frozenset(":：(),.|·•–—-;!?[]*)")  # after one of these a phrase begins
_SHORT: Final = 80  # a label or a bare value is no longer than this
_NOW: Final = later(rf"\W{{0,3}}(?:{dates.NOW_WORDS})\W{{0,3}}")
_NOW_INSIDE: Final = later(rf"(?<!\w)(?:{dates.NOW_WORDS})(?!\w)")
_NOW_HINTS: Final = frozenset(re.findall(r"\w{3,}|[^\W_a-z]\w+", dates.NOW_WORDS)) - frozenset(
    "the before few just right last day dag instant ora mesmo mismo что только przed nyt hui".split()
) | {"aujourd'hui", "aujourd’hui"}  # without one of these a line has no such words
_AGO_HINTS: Final = frozenset(
    "ago vor hace fa geleden temu sedan siden назад тому acum před πριν منذ قبل לפני há atrás önce sitten ezelőtt "
    "newest".split()
)
_SENTENCE_ENDS: Final = frozenset(".!?。！？")
_FEWEST_WORDS: Final = 8  # of a sentence that tells something
_MOST_TIMES: Final = 40  # of one line; a line with more of them is a log
_DATE_LOOK: Final = 48  # characters beside a time to the second in which its date stands
_LABEL_LOOK: Final = 70  # characters before a date in which its label stands


def _updated(line: str) -> Iterator[Span]:
    if _UPDATED_ENDS.isdisjoint(line.translate(_SPACED).split()) and (
        line.isascii() or not any(word in line for word in UPDATED_CJK)
    ):
        return
    known = UPDATED_IN_PROSE if _is_prose(line) else UPDATED
    for found in _MOMENT.finditer(line):
        if _is_update_label(line[max(0, found.start() - _LABEL_LOOK) : found.start()], known):
            yield found.span()


def _is_prose(line: str) -> bool:
    """Whether a line is a sentence of some length: numbers and dates in it are told, not shown."""
    return line.rstrip("\"”»)’' ")[-1:] in _SENTENCE_ENDS and line.count(" ") >= _FEWEST_WORDS


def _is_update_label(before: str, known: frozenset[str] = UPDATED) -> bool:
    """Whether the words just before a date say that it is when the page was made."""
    bare = before.rstrip(" :：-–—(|,.\u00a0")
    if not bare.isascii() and bare.endswith(UPDATED_CJK):
        return True
    words = bare.translate(_SPACED).split()[-7:]
    while words and words[-1] in _CONNECTORS and " ".join(words[-2:]) not in known:
        words.pop()
    if not words or not (words[-1] in _UPDATED_ENDS or words[-1] in _CONNECTORS):
        return False
    if words[-2:-1] == ["as"] and not _is_state_of(bare):
        return False
    return any(" ".join(words[-size:]) in known for size in (1, 2, 3, 4) if size <= len(words))


def _is_state_of(before: str) -> bool:
    """Whether "as of" follows nothing, or words for what a page shows of the day; behind others it says from when they hold."""
    head = before.rpartition(" as ")[0] if " as " in before else before.rpartition("as ")[0]
    words = head.split()
    return not words or words[-1][-1] in _ENDS or words[-1] in SHOWN_AS_OF


def _counters(line: str) -> Iterator[Span]:
    if _is_prose(line):
        return
    solid = not line.isascii()
    for found in _COUNTER.finditer(line):
        start, end = found.span()
        after = _AFTER.match(line, end)
        if after is not None and (counted := _counted_end(after)):
            if not _is_limit(line, start, counted) and not is_allowed_in(line, start):
                yield start, counted
        elif solid and (line[end:].lstrip().startswith(COUNTED_CJK) or line[:start].rstrip(" :：").endswith(COUNTED_CJK)):
            yield start, end
        elif start and line[:start].rstrip()[-1:] in _OPENERS:
            before = _BEFORE.search(line[max(0, start - 40) : start])
            if before is not None and _is_counted_label(before[1]):
                yield start, end


def _counted_end(after: re.Match[str]) -> int:
    """Where the words end that say what a number counts, since "1 comment" becomes "2 comments"; 0: they do not."""
    one, two, three = after.groups(default="")
    for group, phrase in ((3, f"{one} {two} {three}"), (2, f"{one} {two}"), (1, one)):
        if phrase in COUNTED:
            return 0 if group == 1 and two and one in QUALIFIES else after.end(group)
    return 0


def _is_limit(line: str, start: int, end: int) -> bool:
    """Whether a number of views or downloads is what somebody may have, and not what somebody counted."""
    return line[:start].rstrip().endswith(LIMITS_BEFORE) or line[end:].lstrip(" .,(").startswith(LIMITS_AFTER)


def _is_counted_label(label: str) -> bool:
    tail = label.split()
    while tail and tail[-1] in _LOOKED_AT:
        tail.pop()
    return label.endswith(COUNTED_CJK) or any(" ".join(tail[-size:]) in COUNTED for size in (1, 2, 3) if size <= len(tail))


class _Distance(Shape):
    """A distance from now, which is told where a sentence says it, and not shown."""

    __slots__ = ()

    def __call__(self, line: str) -> Iterator[Span]:
        """None in a sentence."""
        return iter(()) if _is_prose(line) else super().__call__(line)


def _nowish(line: str) -> Iterator[Span]:
    if len(line) <= _SHORT and not _NOW_HINTS.isdisjoint(line.translate(_SPACED).split()):
        for found in _NOW_INSIDE.finditer(line):
            yield found.span()


def _timestamps(line: str) -> Iterator[Span]:
    for hint in islice(_SECONDS_HINT.finditer(line), _MOST_TIMES):
        found = _TIMESTAMP.search(line, max(0, hint.start() - _DATE_LOOK), hint.end() + _DATE_LOOK)
        if found is not None and not _is_announced(line, *found.span()):
            yield found.span()


def _is_announced(line: str, start: int, end: int) -> bool:
    """Whether a time to the second is what somebody set: the start or end of something, or a cell of a table of data."""
    if SET_TIME.search(line[max(0, start - _LABEL_LOOK) : start]):
        return True
    before, behind = line[start - 1 : start], line[end : end + 1]
    return (before in _CELL_ENDS and behind in _CELL_ENDS) and bool(before or behind)


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "updated-at",
        "says when the page was made or touched, not what it holds",
        _updated,
        (*_UPDATED_ENDS, *UPDATED_CJK),
    ),
    Rule("timestamp", "a date with seconds comes from a clock; no event is announced to the second", _timestamps),
    *(Rule("relative-time", "the distance from now grows by itself", _Distance(*row)) for row in dates.RELATIVE),
    Rule("relative-time", "the distance from now grows by itself", _nowish, tuple(_NOW_HINTS)),
    Rule("counter", "visits move it", _counters),
    *PATTERNS,
    *RIGHTS,
    *COUNTERS,
    *VISITORS,
    *DAYS,
)

_SIGNS: Final = Signs(word.encode() for rule in RULES for word in rule.needs)


def _spans(low: str) -> Iterator[tuple[Rule, Span]]:
    """The noisy parts of a lower-cased line, with the rules that say so."""
    head = low[:_LONGEST]
    for rule in _rules_with(_SIGNS.found_in(head.encode("utf-8", "replace"))):
        for span in rule.spans(head):
            yield rule, span


@lru_cache(maxsize=1024)
def _rules_with(signs: frozenset[bytes]) -> tuple[Rule, ...]:
    """The rules that may hold where a line has these words, in their order."""
    return tuple(rule for rule in RULES if not rule.needs or any(word.encode() in signs for word in rule.needs))


_DIGIT: Final = later(r"\d")
_FRAMED: Final = re.compile(r"(\W{0,3}).*?(\W{0,3})", re.DOTALL)
_ALL_COUNT: Final = later(rf"[(\[]?{NUMBER}[)\],.]?")
_ALL_AGO: Final = later(dates.AGO)
_REMEMBERED: Final = 200  # characters; longer lines seldom come again
_LONGEST: Final = 20_000  # beyond it a line is one blob of data; only its head is looked at


def canonical(line: str) -> Canonical:
    """The folded line with its noise replaced, and its role."""
    return _remembered(line) if len(line) <= _REMEMBERED else _canonical(line)


def sense(line: str) -> str:
    """What two lines are compared by: without their noise, and blind to which of several signs an editor wrote."""
    same = composed(line)
    told, role = canonical(same)
    return plainly(same if role in QUOTAS else told)  # what a plan may allow is told apart by its neighbours alone


def _canonical(line: str) -> Canonical:
    low = _lower(line)
    short = len(low) <= _SHORT
    if not _DIGIT.search(low):
        if short and ((bare := low.strip(" .!…")) in NOTHING_COUNTED or bare in OPEN_NOW or _NOW.fullmatch(low)):
            return Canonical(PLACEHOLDER, TIME)
        words = low.translate(_SPACED).split()
        if _AGO_HINTS.isdisjoint(words) and "il y a" not in low and not (short and not _NOW_HINTS.isdisjoint(words)):
            return Canonical(line, _label(low) if short else PLAIN)
    spans = [span for _, span in _spans(low)]
    if spans:
        text = _blanked(line, spans)
        if not short:
            return Canonical(text)
        if text == PLACEHOLDER and (quota := role_of_count(low)):
            return Canonical(text, quota)
        return Canonical(
            text, TIME if text.strip(" ().,|·-–") == PLACEHOLDER else _label(_lower(text)) or role_of_text(_lower(text))
        )
    return Canonical(line, _role(low) or role_of_text(low) if short else PLAIN)


_remembered: Final = lru_cache(maxsize=4096)(_canonical)  # menus and footers come again on every page of a site


def explain(line: str) -> list[tuple[Rule, str]]:
    """Which rules drop what from this line."""
    return list(explained(line))


def explained(line: str) -> Iterator[tuple[Rule, str]]:
    """The same, one by one: who wants the first reason alone asks no further rule."""
    low = _lower(line)
    bare = low.strip(" .!…")
    if bare in NOTHING_COUNTED:
        yield from ((rule, line) for rule in RULES if rule.spans is _counters)
    elif bare in OPEN_NOW:
        yield DAYS[0], line
    elif _NOW.fullmatch(low):
        yield from ((rule, line) for rule in RULES if rule.spans is _nowish)
    else:
        yield from ((rule, line[start:end]) for rule, (start, end) in _spans(low))


def settle(marks: Sequence[int], noise: int, counter: int = 0) -> list[int]:
    """The marks, those of bare numbers and times replaced by `noise` where a neighbouring label makes them so.

    What may be an allowance is replaced by `counter`, the mark of any other counter, where nothing beside it says so. A mark
    is a hash whose low four bits are the role of its line.
    """
    looking = [index for index, mark in enumerate(marks) if mark & _LABELS]  # at their neighbours
    if quotas := [index for index in looking if marks[index] & ROLE in QUOTAS]:
        roles = [mark & ROLE for mark in marks]
        counters = {index for index in quotas if not allowed(roles, index)}
        marks = [counter if index in counters else mark for index, mark in enumerate(marks)]
    settled = list(marks)
    for index in looking:
        role = marks[index] & ROLE
        if role == TIME_LABEL:
            for follower in range(index + 1, min(index + 3, len(marks))):
                kind = marks[follower] & ROLE
                if kind != TIME and not (kind == COUNT and follower > index + 1):
                    break
                settled[follower] = noise
        elif role == COUNT_LABEL:
            before, after = index - 1, index + 1
            if before >= 0 and marks[before] & ROLE == COUNT and settled[before] != noise:
                settled[before] = noise
            elif after < len(marks) and marks[after] & ROLE == COUNT:
                settled[after] = noise
    return settled


def _blanked(line: str, spans: list[Span]) -> str:
    """The line with the spans, which may overlap, replaced."""
    parts: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if start >= at:
            parts += (line[at:start], PLACEHOLDER)
        at = max(at, end)
    parts.append(line[at:])
    return "".join(parts)


def _role(low: str) -> int:
    if _ALL_COUNT.fullmatch(low):
        return COUNT
    if _is_moment(low):
        return TIME
    return _label(low)


def _is_moment(low: str) -> bool:
    """Whether a line is a date or a time, but for a few signs around it, for which no second large expression is compiled."""
    framed = _FRAMED.fullmatch(low)
    lead, tail = framed.span(1)[1] if framed else 0, framed.start(2) if framed else len(low)
    return any(_MOMENT.fullmatch(low[start:end]) for start in range(lead + 1) for end in range(len(low), tail - 1, -1))


def _label(low: str) -> int:
    bare = low.strip(" :：-–—(|,.)·")
    if bare in COUNTED or bare in COUNTED_CJK or bare in COUNT_LABELS or _ALL_AGO.fullmatch(bare):
        return COUNT_LABEL
    if bare in PLANS:
        return PLAN
    return TIME_LABEL if not bare.endswith(PLACEHOLDER) and _is_update_label(low) else PLAIN


def _lower(line: str) -> str:
    """Lower case, character by character: spans found in it are spans of the line."""
    low = line.lower()
    if len(low) == len(line):
        return low
    return "".join(small if len(small := character.lower()) == 1 else character for character in line)
