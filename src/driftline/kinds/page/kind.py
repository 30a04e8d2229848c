"""The page kind: one item, the watch's own page."""

# ruff: noqa: ARG002 - the protocol hands every kind what some kind needs

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar, Final
from uuid import UUID

import msgspec

from driftline.core.charset import decode
from driftline.core.fingerprint import digest
from driftline.core.sanitize import sanitize
from driftline.errors import StoreCorrupt
from driftline.kinds.kind import Baseline, Hint, Packed, Part, Reading, Rules, Target, Verdict, whole_or_nothing
from driftline.kinds.page import memo as memos
from driftline.kinds.page import noted
from driftline.kinds.page.compare import compare, learn_masks
from driftline.kinds.page.documents import Document
from driftline.kinds.page.parse import build, build_document
from driftline.kinds.page.parsed import PageBlock, ParsedPage
from driftline.kinds.page.read import look, read, same_but, signature_of
from driftline.kinds.page.reverts import is_revert, masks_of_reverts
from driftline.kinds.page.rules import PageRules, check
from driftline.kinds.page.scan import Scan, is_passing
from driftline.kinds.page.shortcut import covered as shortcut
from driftline.kinds.page.stand_in import stand_in
from driftline.model.account import Features
from driftline.model.change import Finding
from driftline.model.delta import Delta
from driftline.model.fetch import Fetched, Request
from driftline.model.item import Known, Mask, Observed
from driftline.model.watch import Watch

KEY: Final = "page"  # of the one item
_ENCODER = msgspec.json.Encoder(order="deterministic")
_STATE = msgspec.json.Decoder(ParsedPage)
_BLOCKS = msgspec.json.Decoder(tuple[PageBlock, ...])


class PageKind:
    """Reads a page, and says what of it really changed."""

    name: ClassVar[str] = "page"
    version: ClassVar[int] = 6  # 6: more of what shops say about price and stock
    rules: ClassVar[type[Rules]] = PageRules
    exhaustive: ClassVar[bool] = False
    singular: ClassVar[bool] = True
    keeps_partial: ClassVar[bool] = False
    robots: ClassVar[bool] = False
    keeps_body: ClassVar[bool] = True
    streams: ClassVar[bool] = False

    def check_rules(self, rules: PageRules) -> None:
        """Raise BadRule for selectors and patterns that do not parse."""
        check(rules)

    def scope(self, watch_id: UUID, url: str, rules: PageRules) -> str:
        """The watch itself: two watches with different rules on one URL never share a baseline."""
        return str(watch_id)

    def expand(self, watch: Watch, rules: PageRules, *, at: datetime) -> None:
        """No children."""

    def requests(self, target: Target, rules: PageRules) -> Sequence[Request]:
        """The page."""
        return (Request(url=target.url),)

    def sight(self, answers: Sequence[Fetched], rules: PageRules) -> bytes | None:
        """The only answer's bytes."""
        return digest(answers[0].body) if len(answers) == 1 else None

    def read(self, got: Fetched, rules: PageRules, hint: Hint | None) -> Reading[ParsedPage]:
        """The quick look; the whole page is built only when somebody asks for the state."""
        content_type = got.headers.get("content-type", "")
        memo = memos.decode(hint.known.memo if hint else None)
        source = decode(got.body, content_type)
        if hint is not None and (noise := same_but(source, got.url, rules, memo)) is not None:
            same = _unseen(hint.known, source, got.url, content_type, rules)
            return Reading(items=[same], suppressed=noted.of_pieces(noise))
        found = look(source, got.url, content_type, rules, memo)
        if found is None:
            return Reading(complete=False, outcome="truncated", reason="nests too deep to be read whole")
        if hint is not None and isinstance(found, Scan) and (instead := stand_in(found, memo)):
            return Reading(complete=False, outcome=instead.outcome, reason=instead.reason)
        if failed := _failed(found, rules):
            return failed
        item = _observed(found, got.url, rules)
        if hint is not None and item.fingerprint != hint.known.fingerprint:
            if found.empty and not rules.empty_is_change and not memo.of_empty:
                return Reading(complete=False, outcome="error", reason="empty")
            if isinstance(found, Scan) and is_passing(found, rules):
                return Reading(items=[item], unchanged=True, suppressed=noted.of_scan(found, memo))
            if isinstance(found, Scan) and hint.masks and not rules.literal:
                explained = shortcut(found, memo, hint.masks)
                if explained is not None:
                    return Reading(items=[item], unchanged=True, suppressed=tuple(explained))
        if hint is not None and isinstance(found, Scan) and item.fingerprint == hint.known.fingerprint:
            return Reading(items=[item], suppressed=noted.of_scan(found, memo))
        return Reading(items=[item.built()])  # it will be asked for, and until then hundreds of trees would wait

    def combine(self, parts: Sequence[Part[ParsedPage]], rules: PageRules) -> Reading[ParsedPage]:
        """One answer is all there is."""
        return whole_or_nothing(parts)

    def canonical(self, state: ParsedPage) -> bytes:
        """What is fingerprinted."""
        return state.signature

    def judge(
        self, before: Baseline[ParsedPage], after: Delta[ParsedPage], rules: PageRules, masks: Sequence[Mask], *, at: datetime
    ) -> Verdict:
        """What counts of the difference between the latest snapshot and the page now."""
        if before.first or not after.entries:
            return Verdict()
        observed = after.entries[0].observed
        past = before.past.get(observed.key)
        if past is None:
            return Verdict()
        state = observed.state
        diff = compare(past.state, state, rules, masks)
        if not diff.different:
            return Verdict(noise=frozenset((observed.key,)), suppressed=diff.suppressed)
        window_for = rules.revert_window_for
        back = is_revert(state, before.history, window_for=window_for, at=at)
        version = {"previous": past.version, "current": past.version + 1}
        return Verdict(
            findings=tuple(_told(finding, observed.key, version, back=back) for finding in diff.findings),
            suppressed=diff.suppressed,
            masks=tuple(
                masks_of_reverts(state, before.history, evidence="came back twice (A, B, A)", at=at, window_for=window_for)
            ),
        )

    def wanted(self, before: Baseline[ParsedPage], after: Delta[ParsedPage], rules: PageRules) -> Sequence[Request]:
        """Nothing more."""
        return ()

    def learn(
        self,
        one: ParsedPage,
        other: ParsedPage,
        rules: PageRules,
        *,
        evidence: str,
        at: datetime,
    ) -> Sequence[Mask]:
        """Masks for whatever differs between two states that should be the same."""
        return learn_masks(one, other, evidence=evidence, at=at)

    def pack(self, state: ParsedPage, features: Features) -> Packed:
        """The state as it is stored: text and blocks only for plans that keep them."""
        bare = msgspec.structs.replace(state, text=None, blocks=None, memo=b"")
        return Packed(
            state=_ENCODER.encode(bare),
            text=state.text if features.detailed_snapshots else None,
            blocks=_ENCODER.encode(state.blocks) if features.semantic_diff and state.blocks is not None else None,
            memo=state.memo or None,
            content_hash=digest((state.text or "").encode("utf-8", "replace")),
        )

    def unpack(self, state: bytes, text: str | None, blocks: bytes | None) -> ParsedPage:
        """The stored state, typed again."""
        try:
            return msgspec.structs.replace(
                _STATE.decode(state), text=text, blocks=None if blocks is None else _BLOCKS.decode(blocks)
            )
        except msgspec.MsgspecError as error:
            raise StoreCorrupt("page state cannot be decoded", fault=str(error)) from error


def _told(finding: Finding, key: str, version: dict[str, int], *, back: bool) -> Finding:
    """The finding with its item and versions; content that only came back was told when it went, and is kept but not sent."""
    flags = {**finding.flags, "muted": "reverted"} if back and finding.type == "content" else finding.flags
    return msgspec.structs.replace(finding, key=key, flags=flags, diff={**(finding.diff or {}), "version": version})


def _unseen(known: Known, source: str, url: str, content_type: str, rules: PageRules) -> Observed[ParsedPage]:
    """The page as it was, recognised by its source; read only if somebody insists."""
    return Observed(
        key=known.key, url=url, title="", fingerprint=known.fingerprint, build=lambda: read(source, url, content_type, rules)
    )


def _observed(found: Scan | Document, url: str, rules: PageRules) -> Observed[ParsedPage]:
    if isinstance(found, Scan):
        return Observed(
            key=KEY,
            url=url,
            title=sanitize(found.title),
            fingerprint=digest(found.signature),
            build=lambda: build(found, rules),
        )
    signature = signature_of(found, rules)
    return Observed(
        key=KEY,
        url=url,
        title=sanitize(found.title),
        fingerprint=digest(signature),
        build=lambda: build_document(found, url, rules, signature),
    )


def _failed(found: Scan | Document, rules: PageRules) -> Reading[ParsedPage] | None:
    if found.refused:
        return Reading(complete=False, outcome="error", reason=found.refused)
    if rules.select and len(found.missing) == len(rules.select):
        return Reading(complete=False, outcome="selector_missing", reason=f"nothing matches {', '.join(found.missing)}")
    return None


KIND: Final = PageKind()
