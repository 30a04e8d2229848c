"""Conditions as people write them: `price < 80 and not added "sponsored"`. A closed form, listed in docs/conditions.md.

condition  = part { "or" part };  part = one { "and" one };  one = "not" one | "(" condition ")" | leaf
leaf       = ("added" | "removed" | "changed" | "appears" | "disappears") [ "field" NAME ] [ TEXT ]
           | measure ( "<" | "<=" | "=" | "!=" | ">=" | ">" | "below" | "above" | "at" "least" | "at" "most" | "is" ) NUMBER
           | measure "between" NUMBER "and" NUMBER
           | measure ( "rises" | "falls" ) [ "by" NUMBER [ "%" ] ]
           | measure "new" ( "low" | "high" ) [ NUMBER "days" ]
           | "selector" TEXT ( "present" | "absent" ) | "severity" "at" "least" LEVEL | "time" "between" HH:MM "and" HH:MM
measure    = "price" | "size" | "status" | "number" TEXT | "number" "field" NAME | "count" TEXT
TEXT       = "words" | /regular expression/
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import time
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, get_args

import msgspec

from driftline.core.answers.invalid_value import did_you_mean
from driftline.core.text.time_text import clock
from driftline.errors import BadRule
from driftline.model.change import Severity
from driftline.model.condition import (
    AllOf,
    AnyOf,
    Between,
    Compared,
    Comparison,
    Condition,
    Extreme,
    HasSelector,
    Measure,
    Moved,
    Not,
    Quantity,
    Says,
    SeverityAtLeast,
    TimeOfDay,
    Way,
)

LONGEST: Final = 2_000  # characters
PARTS_AT_MOST: Final = 50  # leaves and combinations
DEEPEST: Final = 8
WAYS: Final = get_args(Way)
QUANTITIES: Final = get_args(Quantity)
LEVELS: Final = get_args(Severity)
_FIRST: Final = (*WAYS, *QUANTITIES, "selector", "severity", "time", "not")
_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<regex>/(?:[^/\\]|\\.)+/[a-z]{0,3})|(?P<clock>\d{1,2}:\d{2})"""
    r"""|(?P<number>\d{1,15}(?:\.\d{1,9})?)|(?P<word>[A-Za-z_][\w.-]*)|(?P<sign><=|>=|!=|<|>|=|\(|\)|%))""",
    re.ASCII,
)
_COMPARISONS: Final[dict[str, Comparison]] = {
    "<": "<", "<=": "<=", "=": "=", "!=": "!=", ">=": ">=", ">": ">", "below": "<", "above": ">", "is": "=",
}  # fmt: skip
_EXAMPLE: Final = 'write it like price < 80, or added "in stock" and severity at least medium'
_CONDITION: Final = msgspec.json.Decoder(Condition)


@lru_cache(maxsize=16_384)
def parse_condition(text: str) -> Condition:
    """The condition that a text says; BadRule says which part is wrong and what was probably meant."""
    if len(text) > LONGEST:
        raise BadRule("the condition is too long", length=len(text), hint=f"{LONGEST} characters at most")
    return _Reader(text).whole()


def stored_condition(text: str) -> Condition | None:
    """A condition that was saved; None where it cannot be read any more: then nothing is held back."""
    try:
        return parse_condition(text)
    except BadRule:
        return None


def condition_from(value: str | dict[str, Any]) -> Condition:
    """A condition as text, or as the tree that JSON and YAML write; the tree's parts may be texts."""
    if isinstance(value, str):
        return parse_condition(value)
    try:
        read: Condition = msgspec.convert(_with_trees(value, 0), Condition, strict=False)
    except msgspec.ValidationError as error:
        raise BadRule("invalid condition", problem=str(error), hint=f"see docs/conditions.md, or {_EXAMPLE}") from None
    return parse_condition(written(read))  # one form for both: what cannot be written cannot be stored


def _with_trees(value: Any, depth: int) -> Any:
    if depth > DEEPEST:
        raise BadRule("the condition nests too deep", hint=f"{DEEPEST} levels at most")
    if isinstance(value, str):
        return msgspec.to_builtins(parse_condition(value))
    if isinstance(value, dict) and value.get("is") == "time":
        return {name: f"{of}:00" if isinstance(of, str) and of.count(":") == 1 else of for name, of in value.items()}
    if not isinstance(value, dict) or value.get("is") not in ("all", "any", "not"):
        return value
    of = value.get("of")
    return {**value, "of": [_with_trees(one, depth + 1) for one in of] if isinstance(of, list) else _with_trees(of, depth + 1)}


class _Reader:
    """Reads token by token; never goes back."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        self._place = 0
        self._parts = 0
        at, text = 0, text.rstrip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None or found.lastgroup is None:
                raise BadRule(f'the condition cannot be read at "{text[at : at + 20].strip()}"', hint=_EXAMPLE)
            self._tokens.append((found.lastgroup, found[found.lastgroup]))
            at = found.end()

    def whole(self) -> Condition:
        """All of it."""
        if not self._tokens:
            raise BadRule("the condition is empty", hint=_EXAMPLE)
        read = self._any(0)
        if self._place < len(self._tokens):
            raise self._wrong(("and", "or"))
        return read

    def _any(self, depth: int) -> Condition:
        return self._several("or", lambda: self._all(depth), lambda some: AnyOf(of=some))

    def _all(self, depth: int) -> Condition:
        return self._several("and", lambda: self._one(depth), lambda some: AllOf(of=some))

    def _several(
        self, word: str, read: Callable[[], Condition], made: Callable[[tuple[Condition, ...]], Condition]
    ) -> Condition:
        found = [read()]
        while self._took(word):
            found.append(read())
        return made(tuple(found)) if len(found) > 1 else found[0]

    def _one(self, depth: int) -> Condition:
        self._parts += 1
        if self._parts > PARTS_AT_MOST:
            raise BadRule("the condition has too many parts", hint=f"{PARTS_AT_MOST} at most")
        if depth > DEEPEST:
            raise BadRule("the condition nests too deep", hint=f"{DEEPEST} levels at most")
        if self._took("not"):
            return Not(of=self._one(depth + 1))
        if self._took("("):
            inner = self._any(depth + 1)
            self._expect(")")
            return inner
        return self._leaf()

    def _leaf(self) -> Condition:
        for way in WAYS:
            if self._took(way):
                field = self._name() if self._took("field") else None
                return Says(how=way, field=field, text=self._text(needed=False))
        if self._took("selector"):
            selector = self._text()
            return HasSelector(selector=selector or "", present=self._choice(("present", "absent")) == "present")
        if self._took("severity"):
            if not self._took(">="):
                self._expect("at")
                self._expect("least")
            return SeverityAtLeast(level=msgspec.convert(self._choice(LEVELS), Severity))
        if self._took("time"):
            self._expect("between")
            starts = self._clock()
            self._expect("and")
            return TimeOfDay(starts=starts, ends=self._clock())
        return self._measured(self._measure())

    def _measure(self) -> Measure:
        of: Quantity = msgspec.convert(self._choice(QUANTITIES, known=_FIRST), Quantity)
        if of == "number":
            return Measure(of=of, field=self._name()) if self._took("field") else Measure(of=of, text=self._text())
        return Measure(of=of, text=self._text()) if of == "count" else Measure(of=of)

    def _measured(self, what: Measure) -> Condition:
        if self._took("between"):
            low = self._number()
            self._expect("and")
            return Between(what=what, low=low, high=self._number())
        if self._took("new"):
            which: Any = self._choice(("low", "high"))
            return Extreme(what=what, which=which, days=self._days())
        for way in ("rises", "falls"):
            if self._took(way):
                by = self._number() if self._took("by") else None
                moved: Any = way
                return Moved(what=what, way=moved, by=by, percent=by is not None and self._took("%"))
        if self._took("at"):
            op: Comparison = ">=" if self._choice(("least", "most")) == "least" else "<="
        else:
            op = _COMPARISONS[
                self._choice(tuple(_COMPARISONS), known=(*_COMPARISONS, "between", "rises", "falls", "new", "at"))
            ]
        return Compared(what=what, op=op, value=self._number())

    def _days(self) -> int | None:
        if self._kind() != "number":
            return None
        days = self._number()
        if not self._took("day"):
            self._expect("days")
        return int(days)

    def _kind(self) -> str:
        return self._tokens[self._place][0] if self._place < len(self._tokens) else ""

    def _took(self, word: str) -> bool:
        if self._kind() in ("word", "sign") and self._tokens[self._place][1].lower() == word:
            self._place += 1
            return True
        return False

    def _expect(self, word: str) -> None:
        if not self._took(word):
            raise self._wrong((word,))

    def _choice(self, words: tuple[str, ...], *, known: tuple[str, ...] = ()) -> str:
        for word in words:
            if self._took(word):
                return word
        raise self._wrong(known or words)

    def _take(self, kind: str, what: str) -> str:
        if self._kind() != kind:
            raise self._wrong((), what)
        self._place += 1
        return self._tokens[self._place - 1][1]

    def _number(self) -> Decimal:
        return Decimal(self._take("number", "a number such as 80 or 12.5, without a currency"))

    def _name(self) -> str:
        return self._take("word", "the name of a field")

    def _clock(self) -> time:
        written_time = self._take("clock", "a time such as 08:00")
        hour, _, minute = written_time.partition(":")
        if int(hour) > 23 or int(minute) > 59:
            raise BadRule(f'"{written_time}" is no time of day', hint="write it like 08:00")
        return time(int(hour), int(minute))

    def _text(self, *, needed: bool = True) -> str | None:
        kind = self._kind()
        if kind not in ("text", "regex"):
            if needed:
                raise self._wrong((), 'words in quotes, like "in stock"')
            return None
        self._place += 1
        token = self._tokens[self._place - 1][1]
        return re.sub(r"\\([\"\\])", r"\1", token[1:-1]) if kind == "text" else token

    def _wrong(self, words: tuple[str, ...], what: str = "") -> BadRule:
        if self._place >= len(self._tokens):
            expected = what or " or ".join(words[:6])
            return BadRule("the condition ends too early", hint=f"expected {expected}")
        token = self._tokens[self._place][1]
        near = did_you_mean(token.lower(), [word for word in words if word.isalpha()])
        expected = what or ", ".join(words)
        return BadRule(f'"{token}" cannot stand here', hint=near or f"expected {expected}")


def written(condition: Condition, *, inside: bool = False) -> str:
    """The condition as text; reading it gives the same condition."""
    match condition:
        case AllOf(of=some) | AnyOf(of=some):
            word = " and " if isinstance(condition, AllOf) else " or "
            text = word.join(written(one, inside=True) for one in some)
            return f"({text})" if inside and len(some) > 1 else text
        case Not(of=one):
            return f"not {written(one, inside=True)}"
        case Says(how=how, field=field, text=wanted):
            return " ".join(
                filter(None, (how, f"field {field}" if field else "", _quoted(wanted) if wanted is not None else ""))
            )
        case Compared(what=what, op=op, value=value):
            return f"{written_measure(what)} {op} {value:f}"
        case Between(what=what, low=low, high=high):
            return f"{written_measure(what)} between {low:f} and {high:f}"
        case Moved(what=what, way=way, by=by, percent=percent):
            return f"{written_measure(what)} {way}{f' by {by:f}' if by is not None else ''}{'%' if percent else ''}"
        case Extreme(what=what, which=which, days=days):
            return f"{written_measure(what)} new {which}{f' {days} days' if days is not None else ''}"
        case HasSelector(selector=selector, present=present):
            return f"selector {_quoted(selector, plain=True)} {'present' if present else 'absent'}"
        case SeverityAtLeast(level=level):
            return f"severity at least {level}"
        case TimeOfDay(starts=starts, ends=ends):
            return f"time between {clock(starts)} and {clock(ends)}"


def written_measure(what: Measure) -> str:
    """The measure as text."""
    if what.field is not None:
        return f"{what.of} field {what.field}"
    return f"{what.of} {_quoted(what.text)}" if what.text is not None else what.of


def _quoted(text: str, *, plain: bool = False) -> str:
    if not plain and text.startswith("/") and (found := _TOKEN.fullmatch(text)) is not None and found.lastgroup == "regex":
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
