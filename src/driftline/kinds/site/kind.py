"""The site kind: the pages of a site, each watched by a child watch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, ClassVar, Final

import msgspec

from driftline.errors import StoreCorrupt
from driftline.kinds.kind import Baseline, Hint, Packed, Part, Reading, Target, Traits, Verdict, whole_or_nothing
from driftline.kinds.site import judging, reading
from driftline.kinds.site.frontier import PRESENT, SiteFrontier, SitePage
from driftline.kinds.site.reading import CrawlAnswer
from driftline.kinds.site.rules import SiteRules, check
from driftline.model.account import Features
from driftline.model.condition import Subject
from driftline.model.delta import Delta
from driftline.model.fetch import Fetched, Request
from driftline.model.noise.mask import Mask

_DECODER = msgspec.json.Decoder(SitePage)

SUBJECT: Final = Subject(kind="site", fields=("url", "title", "price", "currency", "in_stock"), selectors=True)


class SiteKind:
    """Finds the pages of a site, by links or in its sitemap."""

    name: ClassVar[str] = "site"
    version: ClassVar[int] = 2  # 2: without views of a list and soft 404s
    rules: ClassVar[type[SiteRules]] = SiteRules
    child_kind: ClassVar[str] = "page"
    traits: ClassVar[Traits] = Traits(
        absence_is_evidence=True, keeps_partial=True, obeys_robots=True, finds_children=True, subject=SUBJECT
    )

    def check_rules(self, rules: SiteRules) -> None:
        """Refuse invalid patterns and limits."""
        check(rules)

    def requests(self, target: Target, rules: SiteRules) -> Sequence[Request]:  # noqa: ARG002 - the protocol's
        """The start address."""
        return (Request(url=target.url),)

    def explore(self, target: Target, rules: SiteRules, known: Collection[str]) -> SiteFrontier:
        """A new crawl."""
        return SiteFrontier(target, rules, known)

    def child_rules(self, rules: SiteRules) -> dict[str, Any]:
        """The rules of the pages."""
        return rules.page

    def read(self, got: Fetched, rules: SiteRules, hint: Hint | None) -> Reading[CrawlAnswer]:  # noqa: ARG002 - the protocol's
        """One page with its links, or one file of a sitemap."""
        return reading.read(got, rules)

    def combine(self, parts: Sequence[Part[SitePage]], rules: SiteRules) -> Reading[SitePage]:  # noqa: ARG002 - the protocol's
        """A crawl combines its answers itself."""
        return whole_or_nothing(parts)

    def canonical(self, state: SitePage) -> bytes:  # noqa: ARG002 - the protocol's
        """The same for every page: its content is compared by its own watch."""
        return b"present"

    def judge(
        self,
        before: Baseline[SitePage],
        after: Delta[SitePage],
        rules: SiteRules,  # noqa: ARG002 - the protocol's
        masks: Sequence[Mask],  # noqa: ARG002 - the protocol's
        *,
        at: datetime,  # noqa: ARG002 - the protocol's
    ) -> Verdict:
        """Pages that were added or removed."""
        return judging.judge(before, after)

    def pack(self, state: SitePage, features: Features) -> Packed:  # noqa: ARG002 - the same for every plan
        """The page's address and title as JSON."""
        return Packed(state=msgspec.json.encode(state), content_hash=PRESENT)

    def unpack(self, state: bytes, text: str | None, blocks: bytes | None) -> SitePage:  # noqa: ARG002 - it has neither
        """The stored page, decoded."""
        try:
            return _DECODER.decode(state)
        except (msgspec.DecodeError, UnicodeDecodeError) as fault:
            raise StoreCorrupt("stored page does not decode", fault=str(fault)) from fault


KIND: Final = SiteKind()
