"""The rules of a site watch."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from driftline.core.select.patterns import parse_patterns
from driftline.errors import BadRule
from driftline.kinds.kind import Rules

MAX_PAGES: Final = 10_000
MAX_DEPTH: Final = 100
MAX_CRAWL_FOR: Final = 4 * 3600.0


class SiteRules(Rules, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The rules of a site watch."""

    judging: ClassVar[frozenset[str]] = Rules.judging | {"page"}

    include: tuple[str, ...] = ()  # patterns of URLs; none: every page at the start address or below its folder
    exclude: tuple[str, ...] = ()
    depth: int = 10  # links from the start address
    pages: int = 500  # watched at most
    crawl_for: float = 1800.0  # seconds; a crawl that takes longer is cut short
    documents: bool = False  # PDF and office files that pages link to are watched, too
    skip_repeats: bool = True  # endless calendars and paths are left out
    page: dict[str, Any] = {}  # noqa: RUF012 - msgspec copies it; rules of the pages

    def patterns(self) -> tuple[str, ...]:
        """The URL patterns."""
        return (*self.include, *self.exclude)


def check(rules: SiteRules) -> None:
    """Raise BadRule for values that types cannot refuse."""
    parse_patterns(rules.include)
    parse_patterns(rules.exclude)
    if not 1 <= rules.pages <= MAX_PAGES:
        raise BadRule("pages is out of range", pages=rules.pages, hint=f"1 to {MAX_PAGES:,}")
    if not 0 <= rules.depth <= MAX_DEPTH:
        raise BadRule("depth is out of range", depth=rules.depth, hint=f"0 to {MAX_DEPTH} links")
    if not 1 <= rules.crawl_for <= MAX_CRAWL_FOR:
        raise BadRule("crawl_for is out of range", crawl_for=rules.crawl_for, hint=f"1 to {MAX_CRAWL_FOR:,.0f} seconds")
