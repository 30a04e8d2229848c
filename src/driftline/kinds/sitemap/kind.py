"""The sitemap kind: articles by lastmod, or by content."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar, Final

import msgspec

from driftline.errors import StoreCorrupt
from driftline.kinds.kind import Baseline, Hint, Packed, Part, Reading, Target, Traits, Verdict
from driftline.kinds.sitemap import article, combining, judging, labels, reading, verifying
from driftline.kinds.sitemap.article import Article
from driftline.kinds.sitemap.rules import SitemapRules, check
from driftline.model.account import Features
from driftline.model.condition import Subject
from driftline.model.delta import Delta
from driftline.model.fetch import Fetched, Request
from driftline.model.noise.mask import Mask

_DECODER = msgspec.json.Decoder(Article)


SUBJECT: Final = Subject(
    kind="sitemap",
    fields=("post_id", "url", "title", "updated", "published", "authors", "tags", "source"),
    quantities=("number", "count", "status"),
)


class SitemapKind:
    """Articles of a sitemap, an index of them, or a feed."""

    name: ClassVar[str] = "sitemap"
    version: ClassVar[int] = 7  # 7: ids tell the entries of a feed apart that link one page
    rules: ClassVar[type[SitemapRules]] = SitemapRules
    traits: ClassVar[Traits] = Traits(keeps_partial=True, obeys_robots=True, verifies=True, subject=SUBJECT)

    def check_rules(self, rules: SitemapRules) -> None:
        """Refuse invalid patterns and limits."""
        check(rules)

    def requests(self, target: Target, rules: SitemapRules) -> Sequence[Request]:  # noqa: ARG002 - the protocol's
        """The file; for a bare site, robots.txt and the default location."""
        return labels.first_requests(target)

    def read(self, got: Fetched, rules: SitemapRules, hint: Hint | None) -> Reading[Article]:  # noqa: ARG002 - the protocol's
        """One file, robots.txt or article page."""
        return reading.read(got, rules)

    def combine(self, parts: Sequence[Part[Article]], rules: SitemapRules) -> Reading[Article]:  # noqa: ARG002 - the protocol's
        """Combines files; each one is a complete observation of its own."""
        return combining.combine(parts)

    def canonical(self, state: Article) -> bytes:
        """The lastmod's instant, or the content, by the article's basis."""
        return article.canonical(state)

    def judge(
        self,
        before: Baseline[Article],
        after: Delta[Article],
        rules: SitemapRules,
        masks: Sequence[Mask],  # noqa: ARG002 - the protocol's
        *,
        at: datetime,
    ) -> Verdict:
        """New, updated and removed articles."""
        return judging.judge(before, after, rules, at=at)

    def followup_requests(self, before: Baseline[Article], after: Delta[Article], rules: SitemapRules) -> Sequence[Request]:
        """The article pages that the verdict needs."""
        return verifying.followup_requests(before, after, rules)

    def pack(self, state: Article, features: Features) -> Packed:  # noqa: ARG002 - the same for every plan
        """The article as JSON."""
        return Packed(state=msgspec.json.encode(state), content_hash=bytes.fromhex(state.content))

    def unpack(self, state: bytes, text: str | None, blocks: bytes | None) -> Article:  # noqa: ARG002 - it has neither
        """The stored article, decoded; older ones lack `updated`."""
        try:
            return _DECODER.decode(state)
        except (msgspec.DecodeError, UnicodeDecodeError) as fault:
            raise StoreCorrupt("stored article does not decode", fault=str(fault)) from fault


KIND: Final = SitemapKind()
