"""What differs between two answers without anything having changed: one table of rules, each with its reason.

A *canonical* line has every noisy span replaced by a placeholder. Rules match shapes that no reader takes for content: a
date is
noise only behind words like "last updated" or with seconds in it, a number only beside words like "views". Event dates,
deadlines, prices, stock counts, scores and versions are content and stay.

Pages split such phrases over elements (`<b>1,234</b> <span>views</span>`), so a line also has a *role*, and `settle` looks at
neighbours: a bare number beside a bare "views" is noise, a bare number elsewhere is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from driftline.core import dates
from driftline.core.noise_words import COUNTED, COUNTED_CJK, UPDATED, UPDATED_CJK

PLACEHOLDER: Final = "•"  # stands where noise was

# Roles of a whole line, as far as its neighbours care.
PLAIN: Final = 0
TIME: Final = 1  # nothing but a date or time
COUNT: Final = 2  # nothing but a number
TIME_LABEL: Final = 4  # "Last updated:", whose value comes next
COUNT_LABEL: Final = 8  # "views", whose number stands before or after
ROLE: Final = 15
_LABELS: Final = TIME_LABEL | COUNT_LABEL

Span = tuple[int, int]


class Rule(NamedTuple):
    """A shape of noise, with the reason why nobody misses it."""

    name: str
    reason: str
    spans: Callable[[str], Iterator[Span]]  # the noisy parts of a lower-cased line


class Canonical(NamedTuple):
    """A line without its noise, and what its neighbours may make of it."""

    text: str
    role: int = PLAIN


_NUMBER: Final = (
    r"(?:\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3}){1,4}|\d{1,12}(?:[.,]\d{1,2})?)(?:\s?(?:k|m|b|mio|mln|tsd|tys|тыс|万|萬|億|만|"
    r"천)(?!\w)\.?)?\+?"
)
_COUNTER: Final = re.compile(rf"(?<![\w.,:/$€£¥₹#-]){_NUMBER}(?![\d:/%°]|[.,]\d)")
_AFTER: Final = re.compile(
    r"\s?(?:(?:unique|total|active|registered|other|new|more|x)\s)?([^\W\d_][\w'’-]*)(?:\s([^\W\d_][\w'’]*))?(?:\s([^\W\d_][\w'’]*))?"
)
_BEFORE: Final = re.compile(
    r"((?:[^\W\d_][\w'’-]*\s){0,2}[^\W\d_][\w'’-]*)(?:\s(?:today|total|so far|heute|hoy|oggi|hoje))?\s?[:：(]\s?$"
)
_MOMENT: Final = re.compile(rf"(?<![a-z\d.,/:-])(?:{dates.MOMENT})(?![\w/])")
_CONNECTORS: Final = frozenset("on at am um le el il em den dnia date datum op om à a las kl the since by time of del".split())
_SPACED: Final = str.maketrans(dict.fromkeys(":：(),.|·•–—;!?[]", " "))
_OPENERS: Final = frozenset(":：(")
_RELATIVE: Final = tuple((needs, re.compile(pattern)) for needs, pattern in dates.RELATIVE)
_SECONDS_HINT: Final = re.compile(dates.SECONDS_HINT)
_TIMESTAMP: Final = re.compile(dates.TIMESTAMP)
_UPDATED_ENDS: Final = frozenset([word for word in phrase.split() if word not in _CONNECTORS][-1] for phrase in UPDATED)
_MOST_TIMES: Final = 40  # of one line; a line with more of them is a log
_DATE_LOOK: Final = 48  # characters beside a time to the second in which its date stands
_LABEL_LOOK: Final = 70  # characters before a date in which its label stands


def _updated(line: str) -> Iterator[Span]:
    if _UPDATED_ENDS.isdisjoint(line.translate(_SPACED).split()) and (
        line.isascii() or not any(word in line for word in UPDATED_CJK)
    ):
        return
    for found in _MOMENT.finditer(line):
        if _is_update_label(line[max(0, found.start() - _LABEL_LOOK) : found.start()]):
            yield found.span()


def _is_update_label(before: str) -> bool:
    """Whether the words just before a date say that it is when the page was made."""
    bare = before.rstrip(" :：-–—(|,.\u00a0")
    if not bare.isascii() and bare.endswith(UPDATED_CJK):
        return True
    words = bare.translate(_SPACED).split()[-7:]
    while words and words[-1] in _CONNECTORS and " ".join(words[-2:]) not in UPDATED:
        words.pop()
    if not words or not (words[-1] in _UPDATED_ENDS or words[-1] in _CONNECTORS):
        return False
    return any(" ".join(words[-size:]) in UPDATED for size in (1, 2, 3, 4) if size <= len(words))


def _counters(line: str) -> Iterator[Span]:
    solid = not line.isascii()
    for found in _COUNTER.finditer(line):
        start, end = found.span()
        after = _AFTER.match(line, end)
        if (after is not None and _counts(after)) or (solid and line[end:].lstrip().startswith(COUNTED_CJK)):
            yield start, end
        elif start and line[:start].rstrip()[-1:] in _OPENERS:
            before = _BEFORE.search(line[max(0, start - 40) : start])
            if before is not None and _is_counted_label(before[1]):
                yield start, end


def _counts(after: re.Match[str]) -> bool:
    one, two, three = after.groups(default="")
    return one in COUNTED or f"{one} {two}" in COUNTED or f"{one} {two} {three}" in COUNTED


def _is_counted_label(label: str) -> bool:
    tail = label.split()
    return label.endswith(COUNTED_CJK) or any(" ".join(tail[-size:]) in COUNTED for size in (1, 2, 3) if size <= len(tail))


def _relative(line: str) -> Iterator[Span]:
    for needs, pattern in _RELATIVE:
        for word in needs:
            if word in line:
                for found in pattern.finditer(line):
                    yield found.span()
                break


def _timestamps(line: str) -> Iterator[Span]:
    for hint in islice(_SECONDS_HINT.finditer(line), _MOST_TIMES):
        found = _TIMESTAMP.search(line, max(0, hint.start() - _DATE_LOOK), hint.end() + _DATE_LOOK)
        if found is not None:
            yield found.span()


def _pattern(pattern: str, *, needs: tuple[str, ...]) -> Callable[[str], Iterator[Span]]:
    """A rule by expression: group 1 is the noise, or the whole match where there is no group. `needs`: without any, no try."""
    compiled = re.compile(pattern)
    group = 1 if compiled.groups else 0

    def spans(line: str) -> Iterator[Span]:
        for word in needs:
            if word in line:
                for found in compiled.finditer(line):
                    yield found.span(group)
                return

    return spans


_ID: Final = r"[0-9a-z][0-9a-z_./+=:-]{5,127}"
_SECONDS: Final = r"(?:ms|msec|milliseconds?|µs|s|sec|secs|seconds?|sek\.?|sekunden?|secondes?|segundos?|secondi|сек\w*)(?!\w)"
_MADE: Final = (
    "generated", "rendered", "loaded", "created in", "served in", "executed", "processed", "completed in", "built in", "took",
    "elapsed", "queries", "query time", "load time", "build time", "render time", "execution time", "generation time",
    "process time", "response time", "generiert", "erstellt in", "geladen", "généré", "chargé", "generad", "cargad", "generat",
    "gerad", "сгенерирован", "создан",
)  # fmt: skip
_PEOPLE: Final = r"(?:people|persons?|users?|visitors?|members?|guests?|shoppers?|customers|others|travelers|travellers)"

RULES: Final[tuple[Rule, ...]] = (
    Rule("updated-at", "says when the page was made or touched, not what it holds", _updated),
    Rule("timestamp", "a date with seconds comes from a clock; no event is announced to the second", _timestamps),
    Rule("relative-time", "the distance from now grows by itself", _relative),
    Rule(
        "generation-time",
        "how long the server took",
        _pattern(rf"(?<![\w.,])(\d{{1,6}}(?:[.,]\d{{1,9}})?\s?{_SECONDS})", needs=_MADE),
    ),
    Rule("counter", "visits move it", _counters),
    Rule(
        "counter",
        "visits move it",
        _pattern(
            rf"(?<!\w)(?:seen|viewed|read|visited|displayed|shown|watched|opened|downloaded|accessed)\s(?:by\s)?({_NUMBER})\s(?:times?|people|users|visitors|x)(?!\w)",
            needs=("times", "time", "people", "users", "visitors", " x"),
        ),
    ),
    Rule(
        "online-now",
        "who happens to be there",
        _pattern(
            rf"(?<![\w.,])({_NUMBER})\s(?:other\s)?{_PEOPLE}\s(?:are|is|have)\s(?:\w+\s){{0,2}}?"
            r"(?:viewing|watching|looking|browsing|online|viewed|reading)",
            needs=("viewing", "watching", "looking", "browsing", "online", "viewed", "reading"),
        ),
    ),
    Rule(
        "request-id",
        "made anew for every answer",
        _pattern(
            r"(?<!\w)(?:(?:request|trace|ray|session|correlation|transaction|visitor|incident|event|error|support|page|span|csp|client)[\s_-]?"
            r"(?:id|identifier|key|nonce|ref(?:erence)?)|nonce|(?:csrf|xsrf|authenticity|form)[\s_-]?token|reference\s#|csrf)"
            rf"(?:\s?[:#=]\s?|\s)((?=\S{{0,60}}\d){_ID})",
            needs=("id", "key", "nonce", "ref", "token", "csrf"),
        ),
    ),
    Rule(
        "trace",
        "a request's trace, made anew for every answer",
        _pattern(
            r"(?<![\w-])(?:request|trace|session|correlation|ray|nonce|visit)[\s:#=_-]{1,3}"
            r"((?=[0-9a-f-]{0,40}\d)(?=[\d-]{0,40}[a-f])[0-9a-f-]{8,64})(?![\w-])",
            needs=("request", "trace", "session", "correlation", "ray", "nonce", "visit"),
        ),
    ),
    Rule(
        "served-at",
        "a clock that shows seconds beside the word for answering",
        _pattern(
            r"(?<!\w)(?:served|delivered|produced|answered|responded)\s(?:at|on|in)\s(\d{1,2}:\d\d:\d\d(?:[.,]\d+)?)",
            needs=("served", "delivered", "produced", "answered", "responded"),
        ),
    ),
    Rule(
        "visit-number",
        "counts the answers themselves",
        _pattern(
            r"(?<!\w)(?:visitor|visit|hit|guest|page\s?view|pageview|answer|request|response|besucher|visiteur|visitante|visitatore)"
            rf"\s?(?:number|no\.?|nr\.?|count(?:er)?|#|n°|№)\s?[:#]?\s?({_NUMBER})",
            needs=("number", "no", "nr", "count", "#", "n°", "№"),
        ),
    ),
    Rule(
        "countdown",
        "the time that is left runs by itself; the end that it runs to is content",
        _pattern(
            r"(?<!\w)(?:ends?|ending|starts?|starting|begins?|expires?|closes?|closing|over|left|remaining|countdown|noch|endet"
            r"|se termine|termina|finaliza)\s?(?:in|dans|en|tra|em)?\s?:?\s?"
            r"(\d{1,3}(?:\s?:\s?\d\d){2,3}|\d{1,3}\s?d(?:ays?)?[\s,]{0,2}\d{1,2}\s?h[\w\s,]{0,30}\d{1,2}\s?m[\w\s,]{0,20})(?!\w)",
            needs=("end", "start", "begin", "expire", "clos", "over", "left", "remain", "countdown", "noch", "termin", "final"),
        ),
    ),
    Rule(
        "machine-field",
        "a field that machines fill anew for every answer",
        _pattern(
            r"^(?:[\w$@-]{1,60}(?:\[\])*\.){0,20}[\w$@-]{0,40}?(?:(?:request|trace|session|span|correlation|build|visitor|render)_?-?id|nonce|(?:csrf|xsrf|access|auth|session|"
            r"request|form)_?-?token|timestamp|e_?tag|(?:server|response|processing|query|render|generation)_?-?time|(?:generated|rendered|fetched|cached|crawled|"
            r"updated|modified|expires|refreshed)_?-?(?:at|on|date|time)|last_?-?(?:updated|modified|fetched|checked|"
            r"refreshed)|took_?ms|elapsed(?:_?ms)?): (\S.*)$",
            needs=(": ",),
        ),
    ),
    Rule(
        "uuid",
        "made anew for every answer, and no reader's word",
        _pattern(
            r"(?<![0-9a-f-])[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?![0-9a-f-])",
            needs=("-1", "-3", "-4", "-5", "-6", "-7"),
        ),
    ),
    Rule(
        "reader-address",
        "the reader's own address",
        _pattern(
            r"(?:your ip(?: address)?(?: is)?|ihre ip(?:-adresse)?|votre (?:adresse )?ip|[st]u ip|il tuo ip|ваш ip)\s?:?\s?"
            r"(\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]{6,39})",
            needs=(" ip",),
        ),
    ),
    Rule(
        "served-by",
        "which of many machines answered",
        _pattern(
            r"(?<!\w)(?:served by|handled by|backend|pod|hostname|cache node)\s?[:=]?\s((?=\S{0,60}\d)[a-z][\w.-]{1,60})",
            needs=("served by", "handled by", "backend", "pod", "hostname", "cache node"),
        ),
    ),
    Rule(
        "copyright-year",
        "turns with the calendar",
        _pattern(
            r"(?:©|\(c\)|copyright)[^\d\n]{0,40}?(?<!\d)((?:19|20)\d\d(?:\s?[-–—/,]\s?(?:19|20)\d\d)?)(?!\d)",
            needs=("©", "(c)", "copyright"),
        ),
    ),
)  # fmt: skip

_DIGIT: Final = re.compile(r"\d")
_NOW: Final = re.compile(rf"\W{{0,3}}(?:{dates.NOW_WORDS})\W{{0,3}}")
_WORDED_AGO: Final = re.compile(r"\b(?:ago|vor|hace|fa|geleden|temu|sedan|siden|назад|тому|acum|před|πριν|منذ|לפני)\b")
_ALL_TIME: Final = re.compile(rf"\W{{0,3}}(?:{dates.MOMENT})\W{{0,3}}")
_ALL_COUNT: Final = re.compile(rf"[(\[]?{_NUMBER}[)\],.]?")
_ALL_AGO: Final = re.compile(dates.AGO)
_SHORT: Final = 80  # a label or a bare value is no longer than this
_LONGEST: Final = 20_000  # beyond it a line is one blob of data; only its head is looked at


def canonical(line: str) -> Canonical:
    """The folded line with its noise replaced, and its role."""
    low = _lower(line)
    short = len(low) <= _SHORT
    if not _DIGIT.search(low):
        if short and _NOW.fullmatch(low):
            return Canonical(PLACEHOLDER, TIME)
        if not _WORDED_AGO.search(low):
            return Canonical(line, _label(low) if short else PLAIN)
    spans = [span for rule in RULES for span in rule.spans(low[:_LONGEST])]
    if spans:
        text = _blanked(line, spans)
        if not short:
            return Canonical(text)
        return Canonical(text, TIME if text.strip(" ().,|·-–") == PLACEHOLDER else _label(_lower(text)))
    return Canonical(line, _role(low) if short else PLAIN)


def explain(line: str) -> list[tuple[Rule, str]]:
    """Which rules drop what from this line."""
    low = _lower(line)
    if _NOW.fullmatch(low):
        return [(rule, line) for rule in RULES if rule.name == "relative-time"]
    return [(rule, line[start:end]) for rule in RULES for start, end in rule.spans(low[:_LONGEST])]


def settle(marks: Sequence[int], noise: int) -> list[int]:
    """The marks, those of bare numbers and times replaced by `noise` where a neighbouring label makes them so.

    A mark is a hash whose low four bits are the role of its line.
    """
    settled = list(marks)
    for index in [index for index, mark in enumerate(marks) if mark & _LABELS]:
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
    if _ALL_TIME.fullmatch(low):
        return TIME
    return _label(low)


def _label(low: str) -> int:
    bare = low.strip(" :：-–—(|,.)·")
    if bare in COUNTED or bare in COUNTED_CJK or _ALL_AGO.fullmatch(bare):
        return COUNT_LABEL
    return TIME_LABEL if not bare.endswith(PLACEHOLDER) and _is_update_label(low) else PLAIN


def _lower(line: str) -> str:
    """Lower case, character by character: spans found in it are spans of the line."""
    low = line.lower()
    if len(low) == len(line):
        return low
    return "".join(small if len(small := character.lower()) == 1 else character for character in line)
