"""User-defined text patterns: `/regex/flags` or plain text, always run by RE2, whose time is linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import re2

from driftline.core.select.selector_cost import MAX_STEPS
from driftline.errors import BadRule

MAX_PATTERN = 1_000  # characters
MAX_PROGRAM = 20_000  # RE2 instructions
MAX_REPEATED = 1_200  # of those added by counted repetition: each may be active at every character (a second or two for 1 MB)
_PATTERN_STEPS = 2 * MAX_STEPS  # a page's lines are searched more than once in a check
_STEPS_PER_LINE = 55  # minimum for one line
_REPEATED_PER_STEP = 16  # repeated instructions that cost about one step per character
_MEMORY = 8 << 20  # bytes for a compiled pattern and its cached states; with less, RE2 falls back to its slow engine
_SPACE = r"[\s\v\x1c-\x1f\x85\pZ]+"  # what str.split treats as space: pages are full of no-break spaces
_COUNTED = re.compile(r"(?<!\\)\{\d+(?:,\d*)?\}")
_FLAGS = frozenset("ims")  # ignore case, ^ and $ at every line, . matches line ends
_OTHER_FLAGS = frozenset("aguxyAULX")  # flags of other engines: reported as an error, while /usr/bin is plain text


class Pattern:
    """A compiled pattern. Offsets count characters of the given text."""

    __slots__ = ("_regexp", "literal", "repeated", "text")

    def __init__(self, text: str, regexp: re2._Regexp, *, literal: bool, repeated: int = 0) -> None:
        self.text = text  # as written by the user
        self.repeated = repeated  # instructions added by counted repetition
        self.literal = literal
        self._regexp = regexp

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def matches(self, text: str) -> bool:
        """Whether the pattern occurs in the text."""
        return self._regexp.search(text.encode("utf-8", "replace")) is not None

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The offsets of all non-empty matches, in order and without overlaps."""
        found = self._regexp.finditer(_encodable(text))
        return [span for span in (match.span() for match in found) if span[0] < span[1]]

    def replace(self, text: str, replacement: str = "") -> str:
        """The text with every match replaced literally (no group references)."""
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
    """Compile several patterns."""
    return tuple(parse_pattern(text) for text in texts)


def check_price(patterns: Sequence[str], lines: Sequence[str]) -> None:
    """Raise BadRule if searching all patterns in all lines would take longer than about two seconds."""
    characters = sum(map(len, lines))
    steps = sum(
        _STEPS_PER_LINE * len(lines) + characters * (1 + parse_pattern(text).repeated // _REPEATED_PER_STEP)
        for text in patterns
    )
    if steps > _PATTERN_STEPS:
        size = f"{len(lines):,} lines, {characters:,} characters"
        raise BadRule(f"The {len(patterns)} text patterns are too slow for this page ({size})")


def any_found(patterns: Sequence[Pattern], text: str) -> Pattern | None:
    """The first pattern that occurs in the text."""
    return next((pattern for pattern in patterns if pattern.matches(text)), None)


def _as_regex(text: str) -> tuple[str | None, str]:
    start, slash, rest = text.strip().partition("/")
    if start or not slash:
        return None, ""
    regex, slash, flags = rest.rpartition("/")
    unknown = set(flags) - _FLAGS
    if not slash or not regex or unknown - _OTHER_FLAGS:
        return None, ""
    if unknown:
        raise BadRule("regex flag is not known", pattern=text, flags="".join(sorted(unknown)), hint="flags are i, m and s")
    return regex, "".join(sorted(set(flags)))


def _repeated(compiled: re2._Regexp, options: re2.Options) -> int:
    """The number of instructions added by counted repetition."""
    once = _COUNTED.sub("", compiled.pattern)
    size: int = compiled.programsize
    return size - re2.compile(once, options).programsize if once != compiled.pattern else 0


def _reason(fault: re2.error) -> str:
    message = fault.args[0] if fault.args else ""
    return message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)


def _encodable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
