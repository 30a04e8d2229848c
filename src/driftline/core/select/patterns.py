"""Text patterns that users write: `/regex/flags` or plain words, always on RE2, whose time is linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import re2

from driftline.core.select.selector_cost import MAX_STEPS
from driftline.errors import BadRule

MAX_PATTERN = 1_000  # characters
MAX_PROGRAM = 20_000  # RE2 instructions
MAX_REPEATED = 1_200  # of those that counted repetition adds: each can be busy at every character (a second or two for 1 MB)
_PATTERN_STEPS = 2 * MAX_STEPS  # a page's lines are looked through more than once in a check
_LINE = 55  # steps of looking into a line, however short it is
_BUSY = 16  # repeated instructions that are about one step a character
_MEMORY = 8 << 20  # bytes for a compiled pattern and the states it may cache; with less RE2 leaves its fast engine too early
_SPACE = r"[\s\v\x1c-\x1f\x85\pZ]+"  # what str.split takes for space: pages are full of no-break ones
_COUNTED = re.compile(r"(?<!\\)\{\d+(?:,\d*)?\}")
_FLAGS = frozenset("ims")  # letter case, ^ and $ at every line, . takes line ends
_FOREIGN = frozenset("aguxyAULX")  # flags of other engines: a mistake to be told, where /usr/bin is plain text


class Pattern:
    """A compiled pattern. Offsets count characters, as in the text that was given."""

    __slots__ = ("_regexp", "literal", "repeated", "text")

    def __init__(self, text: str, regexp: re2._Regexp, *, literal: bool, repeated: int = 0) -> None:
        self.text = text  # as the user wrote it
        self.repeated = repeated  # instructions that counted repetition adds
        self.literal = literal
        self._regexp = regexp

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def found_in(self, text: str) -> bool:
        """Whether the pattern occurs."""
        return self._regexp.search(text.encode("utf-8", "replace")) is not None

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where it occurs, without empty finds, in order and never overlapping."""
        found = self._regexp.finditer(_encodable(text))
        return [span for span in (match.span() for match in found) if span[0] < span[1]]

    def replaced(self, text: str, replacement: str = "") -> str:
        """The text with every occurrence replaced, word for word (no group references)."""
        pieces: list[str] = []
        at = 0
        for start, end in self.spans(text):
            pieces += (text[at:start], replacement)
            at = end
        return "".join((*pieces, text[at:])) if pieces else text


@lru_cache(maxsize=512)
def parse_pattern(text: str) -> Pattern:
    """`/regex/` with the flags i, m, s, or plain text (letter case and kind of space aside); raises BadRule.

    Plain text that itself starts and ends with a slash is written as a regex.
    """
    if len(text) > MAX_PATTERN:
        raise BadRule("pattern is too long", length=len(text), limit=MAX_PATTERN)
    if "\0" in text or not text.strip():
        raise BadRule("pattern is empty", pattern=text, hint="write the words to look for, or /a regular expression/")
    regex, flags = _as_regex(text)
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    if regex is None:
        source = _SPACE.join(re2.escape(word) for word in text.encode("utf-8", "replace").decode().split())
        options.case_sensitive = False
    else:
        source = f"(?{flags}:{regex})" if flags else regex
    try:
        compiled = re2.compile(source, options)
    except re2.error as fault:
        raise BadRule(
            "the pattern is not valid", pattern=text, fault=_reason(fault), hint="RE2 syntax: no lookaround, no backreferences"
        ) from None
    except UnicodeEncodeError:
        raise BadRule("the pattern is not valid", pattern=ascii(text), fault="lone surrogate") from None
    repeated = _repeated(compiled, options)
    if compiled.programsize > MAX_PROGRAM or repeated > MAX_REPEATED:
        raise BadRule("regex is too large", pattern=text, hint="use smaller repetition counts")
    return Pattern(text, compiled, literal=regex is None, repeated=repeated)


def parse_patterns(texts: Iterable[str]) -> tuple[Pattern, ...]:
    """All of them, compiled."""
    return tuple(parse_pattern(text) for text in texts)


def check_price(patterns: Sequence[str], lines: Sequence[str]) -> None:
    """Raise BadRule where looking for all of them in all the lines would take longer than two seconds or so."""
    characters = sum(map(len, lines))
    steps = sum(_LINE * len(lines) + characters * (1 + parse_pattern(text).repeated // _BUSY) for text in patterns)
    if steps > _PATTERN_STEPS:
        size = f"{len(lines):,} lines, {characters:,} characters"
        raise BadRule(f"The {len(patterns)} text patterns are too slow for this page ({size})")


def any_found(patterns: Sequence[Pattern], text: str) -> Pattern | None:
    """The first pattern that occurs in the text."""
    return next((pattern for pattern in patterns if pattern.found_in(text)), None)


def _as_regex(text: str) -> tuple[str | None, str]:
    start, slash, rest = text.strip().partition("/")
    if start or not slash:
        return None, ""
    regex, slash, flags = rest.rpartition("/")
    unknown = set(flags) - _FLAGS
    if not slash or not regex or unknown - _FOREIGN:
        return None, ""
    if unknown:
        raise BadRule("regex flag is not known", pattern=text, flags="".join(sorted(unknown)), hint="flags are i, m and s")
    return regex, "".join(sorted(set(flags)))


def _repeated(compiled: re2._Regexp, options: re2.Options) -> int:
    """How many instructions are there only because of counted repetition."""
    once = _COUNTED.sub("", compiled.pattern)
    size: int = compiled.programsize
    return size - re2.compile(once, options).programsize if once != compiled.pattern else 0


def _reason(fault: re2.error) -> str:
    said = fault.args[0] if fault.args else ""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)


def _encodable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
