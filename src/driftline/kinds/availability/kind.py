"""The availability kind: a booking board's slots, per bucket."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar, Final

import msgspec

from driftline.errors import StoreCorrupt
from driftline.kinds.availability import buckets, judging, reading
from driftline.kinds.availability.rules import AvailabilityRules, check
from driftline.kinds.availability.slot import Slot, canonical
from driftline.kinds.kind import Baseline, Bucket, Hint, Packed, Part, Reading, Target, Traits, Verdict
from driftline.kinds.unreadable import needs_browser, no_text
from driftline.model.account import Features
from driftline.model.condition import Subject
from driftline.model.delta import Delta
from driftline.model.fetch import Fetched, Request
from driftline.model.noise.mask import Mask
from driftline.model.watch import Watch

_DECODER = msgspec.json.Decoder(Slot)


SUBJECT: Final = Subject(
    kind="availability",
    fields=("provider", "venue_id", "venue_name", "time", "timezone", "party_sizes", "booking_url", "extra"),
    quantities=("number", "count", "status"),
)


class AvailabilityKind:
    """Slots that open and close. A complete answer is exhaustive: a slot that it does not show is closed."""

    name: ClassVar[str] = "availability"
    version: ClassVar[int] = 5  # 5: days without separators, parts of a place by their ids, counts by type
    rules: ClassVar[type[AvailabilityRules]] = AvailabilityRules
    traits: ClassVar[Traits] = Traits(absence_is_evidence=True, decodes_for_digest=True, subject=SUBJECT)

    def check_rules(self, rules: AvailabilityRules) -> None:
        """Refuse invalid rules."""
        check(rules)

    def expand(self, watch: Watch, rules: AvailabilityRules, *, at: datetime) -> Sequence[Bucket] | None:
        """A bucket per date and time; None for a bucket itself, and for a URL without date or time."""
        if watch.parent_id is not None or not buckets.is_template(watch.url, watch.fetch):
            return None
        return buckets.expand(watch.url, watch.name, rules, at=at)

    def requests(self, target: Target, rules: AvailabilityRules) -> Sequence[Request]:
        """One request per party size."""
        return buckets.requests(target, rules)

    def answers_digest(self, answers: Sequence[Fetched], rules: AvailabilityRules) -> bytes | None:
        """A hash of all values that identify slots, unparsed."""
        return reading.answers_digest(answers, rules)

    def read(self, got: Fetched, rules: AvailabilityRules, hint: Hint | None) -> Reading[Slot]:  # noqa: ARG002 - the protocol's
        """The slots of one answer."""
        found = no_text(got) or reading.read(got, rules)
        return (needs_browser(got) if found.outcome == "error" else None) or found

    def combine(self, parts: Sequence[Part[Slot]], rules: AvailabilityRules) -> Reading[Slot]:
        """All party sizes as one reading; it is incomplete if one is missing."""
        return reading.combine(parts, rules)

    def canonical(self, state: Slot) -> bytes:
        """Identity and party sizes; other fields are not compared."""
        return canonical(state.slot_id, state.party_sizes)

    def judge(
        self,
        before: Baseline[Slot],
        after: Delta[Slot],
        rules: AvailabilityRules,
        masks: Sequence[Mask],  # noqa: ARG002 - the protocol's
        *,
        at: datetime,
    ) -> Verdict:
        """The slots that count as just opened."""
        return judging.judge(before, after, rules, at=at)

    def pack(self, state: Slot, features: Features) -> Packed:  # noqa: ARG002 - the same for every plan
        """The slot as JSON."""
        return Packed(state=msgspec.json.encode(state))

    def unpack(self, state: bytes, text: str | None, blocks: bytes | None) -> Slot:  # noqa: ARG002 - it has neither
        """The stored slot, decoded."""
        try:
            return _DECODER.decode(state)
        except (msgspec.DecodeError, UnicodeDecodeError) as fault:
            raise StoreCorrupt("stored slot does not decode", fault=str(fault)) from fault


KIND: Final = AvailabilityKind()
