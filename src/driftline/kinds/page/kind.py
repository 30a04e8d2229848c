"""The page kind: one item, the watch's own page."""

# ruff: noqa: ARG002 - the protocol hands every kind what some kind needs

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar, Final

import msgspec

from driftline.core.answers.block_pages import redirect_note
from driftline.core.answers.failure_text import EMPTY, EMPTY_RENDERED, MADE_BY_SCRIPTS
from driftline.core.answers.file_types import FileType, file_type
from driftline.core.answers.shells import LITTLE_TEXT, is_shell
from driftline.core.identity.fingerprint import digest
from driftline.core.text.charset import with_utf8
from driftline.core.text.safety.sanitize import sanitize
from driftline.errors import StoreCorrupt
from driftline.kinds.kind import Baseline, Hint, Packed, Part, Reading, Rules, Target, Traits, Verdict, whole_or_nothing
from driftline.kinds.page.documents.files import read_binary
from driftline.kinds.page.documents.non_html import Document, articles_note
from driftline.kinds.page.extract.html import Extraction
from driftline.kinds.page.extract.memo import decoded, memo_of
from driftline.kinds.page.extract.read import built, extracted, signature_of
from driftline.kinds.page.extract.soft_errors import StandIn, sign_in_form, soft_error
from driftline.kinds.page.judge.dropped import dropped_before
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules, check
from driftline.model.account import Features
from driftline.model.change import Finding
from driftline.model.condition import Subject
from driftline.model.delta import Delta
from driftline.model.fetch import BROWSER_PICTURE, Fetched, Request
from driftline.model.item import Observed
from driftline.model.noise.flapping import Settled
from driftline.model.noise.mask import Ignoring, Mask

KEY: Final = "page"  # of the one item
_TEXT_FILE: Final = FileType("Text", "document")  # what a watch says is to be compared as a file
_ENCODER = msgspec.json.Encoder(order="deterministic")
_STATE = msgspec.json.Decoder(ParsedPage)


SUBJECT: Final = Subject(
    kind="page",
    fields=("title", "description", "price", "currency", "in_stock"),
    selectors=True,
)


class PageKind:
    """Reads a page, and says what of it really changed."""

    name: ClassVar[str] = "page"
    # 8: by difference; 9, 12, 13: in fewer steps; 10, 11: parts; 14: documents; 15: lines of code; 16: keys of JSON lists
    # 19: text without a type
    version: ClassVar[int] = 19
    rules: ClassVar[type[Rules]] = PageRules
    traits: ClassVar[Traits] = Traits(one_item=True, keeps_body=True, subject=SUBJECT)

    def check_rules(self, rules: PageRules) -> None:
        """Raise BadRule for selectors and patterns that do not parse."""
        check(rules)

    def requests(self, target: Target, rules: PageRules) -> Sequence[Request]:
        """The page."""
        if rules.compare == "visual":
            return (Request(url=target.url, picture="".join(rules.select)),)
        return (Request(url=target.url),)

    def answers_digest(self, answers: Sequence[Fetched], rules: PageRules) -> bytes | None:
        """The only answer's bytes."""
        return digest(answers[0].body) if len(answers) == 1 else None

    def read(self, got: Fetched, rules: PageRules, hint: Hint | None) -> Reading[ParsedPage]:
        """What C gives and its hash; the whole page is built only where that differs from the latest snapshot."""
        content_type = got.headers.get("content-type", "")
        if rules.compare == "visual":
            from driftline.kinds.page.visual import read_picture  # noqa: PLC0415 - part of the extra `browser`

            return read_picture(got, rules, KEY)
        if content_type == BROWSER_PICTURE:  # stored while it was compared by its picture
            return Reading(complete=False, outcome="error", reason="a picture of the page")
        file = _TEXT_FILE if rules.read_as == "file" and got.body else None
        if (file := file_type(got.body, content_type) or file) is not None:
            return _binary(got, file, rules)
        if rules.read_as == "pdf":
            return Reading(complete=False, outcome="error", reason="answers with a page instead of a document (PDF)")
        source, utf8 = with_utf8(got.body, content_type)
        found = extracted(source, got.url, content_type, rules, utf8=utf8)
        if found is None:
            return Reading(complete=False, outcome="truncated", reason="nests too deep to be read whole")
        if found.refused:
            return Reading(complete=False, outcome="error", reason=found.refused)
        item = _observed(found, got.url, rules)
        if hint is not None and item.fingerprint == hint.stored.fingerprint:
            return Reading(items=[item])
        if hint is not None and (dropped := dropped_before(hint.ignored, hint.stored.fingerprint, item.fingerprint)):
            return Reading(unchanged="noise only", suppressed=dropped)
        if instead := _instead(found, source, rules, got, hint):
            return Reading(complete=False, outcome=instead.outcome, reason=instead.reason)
        if rules.select and len(found.missing) == len(rules.select):
            return Reading(complete=False, outcome="selector_missing", reason=f"nothing matches {', '.join(found.missing)}")
        # It will be asked for, and until then hundreds of trees would wait.
        note = redirect_note(got.url, got.request.url) or articles_note(source, content_type)
        return Reading(items=[item.built()], reason=note)

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
        if rules.compare == "visual":
            from driftline.kinds.page.visual import picture_verdict  # noqa: PLC0415 - as above

            return picture_verdict(before, after.entries[0].observed, rules, masks, at=at)
        from driftline.kinds.page.verdict import verdict_of  # noqa: PLC0415 - slow to load, not for what is unchanged

        return verdict_of(before, after.entries[0].observed, rules, masks, at=at)

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
        if one.format == "picture":
            from driftline.kinds.page.visual import learn_regions  # noqa: PLC0415 - as above

            return learn_regions(one, other, evidence=evidence, at=at)
        from driftline.kinds.page.judge.masks import learn  # noqa: PLC0415 - as above

        return learn(one, other, evidence=evidence, at=at)

    def hold(self, past: ParsedPage, one: ParsedPage, other: ParsedPage, *, at: datetime) -> Sequence[Mask]:
        """Masks that are applied once and never kept: two answers seconds apart do not agree on what they cover."""
        if one.format == "picture":  # what they disagree on is learned, or waits
            return ()
        from driftline.kinds.page.judge.masks import hold  # noqa: PLC0415 - as above

        return hold(past, one, other, at=at)

    def ignoring(self, one: ParsedPage, other: ParsedPage, rules: PageRules, masks: Sequence[Mask]) -> Ignoring:
        """What these masks would hide of a difference, and what they would leave."""
        if one.format == "picture":
            from driftline.kinds.page.visual import ignoring_regions  # noqa: PLC0415 - as above

            return ignoring_regions(one, other, rules, masks)
        from driftline.kinds.page.judge.ignoring import ignoring  # noqa: PLC0415 - as above

        return ignoring(one, other, rules, masks)

    def memo(self, state: ParsedPage) -> bytes:
        """Title and size, by which soft errors are told from the page."""
        return memo_of(state)

    def settled(self, place: Settled) -> Finding:
        """That a part of the page came to rest on another value than was said."""
        from driftline.kinds.page.flips import settled_finding  # noqa: PLC0415 - as above

        return msgspec.structs.replace(settled_finding(place), key=KEY)

    def pack(self, state: ParsedPage, features: Features) -> Packed:
        """The state as it is stored: the text only for plans that keep it, hashes of its lines for the others."""
        from driftline.kinds.page.judge.spans import quieted  # noqa: PLC0415 - as above

        bare = state.without_text(None if features.detailed_snapshots else quieted)
        keeps_blocks = features.semantic_diff and state.blocks is not None
        return Packed(
            state=_ENCODER.encode(bare),
            text=state.text if features.detailed_snapshots else None,
            blocks=_ENCODER.encode(state.blocks) if keeps_blocks else None,
            memo=memo_of(state),
            content_hash=state.signature if state.file else digest((state.text or "").encode("utf-8", "replace")),
        )

    def unpack(self, state: bytes, text: str | None, blocks: bytes | None) -> ParsedPage:
        """The stored state, typed again."""
        try:
            return msgspec.structs.replace(_STATE.decode(state), text=text)
        except msgspec.MsgspecError as error:
            raise StoreCorrupt("page state cannot be decoded", fault=str(error)) from error


def _observed(found: Extraction | Document, url: str, rules: PageRules) -> Observed[ParsedPage]:
    signature = signature_of(found) if isinstance(found, Document) else found.signature
    return Observed(
        key=KEY,
        url=url,
        title=sanitize(found.title),
        fingerprint=digest(signature),
        build=lambda: built(found, url, rules),
    )


def _binary(got: Fetched, found: FileType, rules: PageRules) -> Reading[ParsedPage]:
    """An answer that is no text."""
    if rules.select:
        return Reading(complete=False, outcome="error", reason=f"answers with {found.noun} instead of a page")
    state, note, picture = read_binary(got.body, found, got.url, rules)
    item = Observed(key=KEY, url=got.url, title=state.title, fingerprint=digest(state.signature), build=lambda: state).built()
    reason = "; ".join(filter(None, (note, redirect_note(got.url, got.request.url))))
    return Reading(items=[item], reason=reason, picture=picture)


def _instead(found: Extraction | Document, source: str, rules: PageRules, got: Fetched, hint: Hint | None) -> StandIn | None:
    """What came in place of the page: a notice, a sign-in form, a shell, nothing; looked for where it may be news."""
    empty = found.empty and not (rules.select and found.missing)
    memo = decoded(hint.stored.memo if hint else None)
    if isinstance(found, Extraction):
        instead = soft_error(found, memo) if hint is not None else sign_in_form(found, rules, got.request.url)
        if instead is not None:
            return instead
        little = len(found.missing) == len(rules.select) if rules.select else found.size <= LITTLE_TEXT
        if little and not got.rendered and is_shell(source):
            return StandIn("needs_browser", MADE_BY_SCRIPTS)
        if hint is None and found.pictures:
            empty = False
    if not empty or rules.empty_is_change or (hint is not None and not memo.size):
        return None
    if rules.select and hint is None:
        return StandIn("error", "selection empty")
    return StandIn("error", EMPTY_RENDERED if got.rendered else EMPTY)


KIND: Final = PageKind()
