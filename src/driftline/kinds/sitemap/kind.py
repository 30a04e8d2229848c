"""The sitemap kind: articles by lastmod, or by content."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar, Final
from uuid import UUID

import msgspec

from driftline.errors import StoreCorrupt
from driftline.kinds.kind import Baseline, Hint, Packed, Part, Reading, Target, Verdict
from driftline.kinds.sitemap import article, judging, labels, reading
from driftline.kinds.sitemap.article import Article
from driftline.kinds.sitemap.rules import SitemapRules, check
from driftline.model.account import Features
from driftline.model.delta import Delta
from driftline.model.fetch import Fetched, Request
from driftline.model.item import Mask
from driftline.model.watch import Watch

_DECODER = msgspec.json.Decoder(Article)


class SitemapKind:
    """Articles of a sitemap, an index of them, or a feed."""

    name: ClassVar[str] = "sitemap"
    version: ClassVar[int] = 4  # 4: a file is what it lists, whatever it calls itself
    rules: ClassVar[type[SitemapRules]] = SitemapRules
    exhaustive: ClassVar[bool] = False
    singular: ClassVar[bool] = False
    keeps_partial: ClassVar[bool] = True
    robots: ClassVar[bool] = True
    keeps_body: ClassVar[bool] = False
    streams: ClassVar[bool] = True

    def check_rules(self, rules: SitemapRules) -> None:
        """Refuse patterns that do not parse and budgets that make no sense."""
        check(rules)

    def scope(self, watch_id: UUID, url: str, rules: SitemapRules) -> str:  # noqa: ARG002 - the protocol's
        """The watch itself: two watches with different rules never share a baseline."""
        return f"watch:{watch_id}"

    def expand(self, watch: Watch, rules: SitemapRules, *, at: datetime) -> None:
        """Never: it is checked itself."""

    def requests(self, target: Target, rules: SitemapRules) -> Sequence[Request]:  # noqa: ARG002 - the protocol's
        """The file; for a bare site, where its files are named."""
        return labels.first_requests(target)

    def sight(self, answers: Sequence[Fetched], rules: SitemapRules) -> None:
        """None: what is not read again is cheap to compare."""

    def read(self, got: Fetched, rules: SitemapRules, hint: Hint | None) -> Reading[Article]:  # noqa: ARG002 - the protocol's
        """One file, robots.txt or article page."""
        return reading.read(got, rules)

    def combine(self, parts: Sequence[Part[Article]], rules: SitemapRules) -> Reading[Article]:
        """Every file a complete observation of its own."""
        return reading.combine(parts, rules)

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

    def wanted(self, before: Baseline[Article], after: Delta[Article], rules: SitemapRules) -> Sequence[Request]:
        """Answers that the verdict needs and the first reading did not bring: combine them with its parts, then judge."""
        return judging.wanted(before, after, rules)

    def learn(self, one: Article, other: Article, rules: SitemapRules, *, evidence: str, at: datetime) -> Sequence[Mask]:  # noqa: ARG002
        """Nothing: instants hold no noise, and article pages are freed of theirs when they are read."""
        return ()

    def pack(self, state: Article, features: Features) -> Packed:  # noqa: ARG002 - the same for every plan
        """The article as JSON."""
        return Packed(state=msgspec.json.encode(state), content_hash=bytes.fromhex(state.content))

    def unpack(self, state: bytes, text: str | None, blocks: bytes | None) -> Article:  # noqa: ARG002 - it has neither
        """The stored article, typed again; older ones lack `updated`."""
        try:
            return _DECODER.decode(state)
        except (msgspec.DecodeError, UnicodeDecodeError) as fault:
            raise StoreCorrupt("stored article does not decode", fault=str(fault)) from fault


KIND: Final = SitemapKind()
