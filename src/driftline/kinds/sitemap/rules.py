"""The rules of a sitemap watch."""

from __future__ import annotations

from typing import ClassVar, Literal

from driftline.core.select.patterns import parse_patterns
from driftline.errors import BadRule
from driftline.kinds.kind import Rules
from driftline.kinds.sitemap.article import Attribution


class SitemapRules(Rules, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The rules of a sitemap watch."""

    judging: ClassVar[frozenset[str]] = Rules.judging | {
        "removed", "on_bulk_touch", "content_budget", "files_at_most", "authors", "tags", "id_prefix",
    }  # fmt: skip

    include: tuple[str, ...] = ()  # patterns of URLs; none: every URL
    exclude: tuple[str, ...] = ()
    compare: Literal["lastmod", "content"] = "lastmod"
    # verify (formerly "content"): compare the article's page; now: it counts as changed
    missing_lastmod: Literal["verify", "content", "now", "ignore"] = "verify"
    on_bulk_touch: Literal["content", "trust"] = "content"
    removed: bool = False  # report article_removed
    content_budget: int = 500  # article pages per run
    files_at_most: int = 1000  # per index
    authors: tuple[str, ...] = ()  # for all articles, instead of their own
    tags: tuple[str, ...] = ()  # for all articles, in addition to their own
    id_prefix: str = ""  # of readable ids

    def attribution(self) -> Attribution:
        """The authors, tags and prefix for all articles."""
        return Attribution(authors=self.authors, tags=self.tags, id_prefix=self.id_prefix)

    def patterns(self) -> tuple[str, ...]:
        """The URL patterns."""
        return (*self.include, *self.exclude)


def check(rules: SitemapRules) -> None:
    """Raise BadRule for values that types cannot refuse."""
    parse_patterns(rules.include)
    parse_patterns(rules.exclude)
    if not 1 <= rules.content_budget <= 10_000:
        raise BadRule("content_budget is out of range", content_budget=rules.content_budget, hint="1 to 10,000 pages a run")
    if not 1 <= rules.files_at_most <= 50_000:
        raise BadRule("files_at_most is out of range", files_at_most=rules.files_at_most, hint="1 to 50,000 files")
