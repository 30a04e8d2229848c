"""A booking board's answer, read into slots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec

from driftline.core.fingerprint import digest, hexdigest
from driftline.core.json_text import decode_json
from driftline.core.jsonpath import Path, compile_path
from driftline.core.sanitize import sanitize
from driftline.core.urls import checked
from driftline.errors import BadFile, BadRule, BadUrl
from driftline.kinds.availability.buckets import asked_day, asked_sizes, fill
from driftline.kinds.availability.rules import PLACEHOLDER, AvailabilityRules, Fields, fields_of
from driftline.kinds.availability.slot import Slot, local_time, name_of, venue_prefix
from driftline.kinds.kind import Part, Reading
from driftline.model.change import Notice
from driftline.model.fetch import Blocked, Failed, Fetched
from driftline.model.item import Observed
from driftline.model.run import Outcome

MAX_SLOTS: Final = 20_000  # of one answer
MAX_EXTRA: Final = 500  # characters of an extra field


def read(got: Fetched, rules: AvailabilityRules) -> Reading[Slot]:
    """The slots of one answer: complete exactly when the list was found and could be read."""
    try:
        answer = _Answer(got, rules)
        items = list(answer.slots(decode_json(got.body)))
    except (BadFile, BadRule) as fault:
        return Reading(complete=False, outcome="error", reason=str(fault))
    bad = answer.bad.total()
    warnings = tuple(Notice(code="bad_slot", message=reason, count=count) for reason, count in sorted(answer.bad.items()))
    counters = {"slots": len(items), "bad_slots": bad}
    if bad and not items:  # a mapping that fits no slot would close them all
        reason = f"no slot could be read: {answer.bad.most_common(1)[0][0]}"
        return Reading(complete=False, outcome="error", reason=reason, warnings=warnings, counters=counters)
    return Reading(items=items, warnings=warnings, counters=counters)


def sight(answers: Sequence[Fetched], rules: AvailabilityRules) -> bytes | None:
    """A hash of all that the slots of these answers are told apart by, as it is written; None where that cannot be read."""
    fields = fields_of(rules)
    venue = _readers(fields.provider, fields.venue_id, fields.venue_name)
    when = _readers(fields.time, fields.date)
    slot = _readers(fields.provider, fields.venue_id, fields.venue_name, fields.time, fields.date)
    looks: list[Any] = []
    try:
        for got in answers:
            looks.append(got.request.label)
            for holder, found in _Answer(got, rules).venues(decode_json(got.body)):
                looks.append([*map(slot, found)] if holder is None else (venue(holder), [*map(when, found)]))
        return digest(msgspec.json.encode(looks))
    except (BadFile, BadRule, TypeError, ValueError, OverflowError):
        return None


def combine(parts: Sequence[Part[Slot]], rules: AvailabilityRules) -> Reading[Slot]:
    """One slot for all party sizes that it is offered to; a set that lacks a size is not complete and shows nothing."""
    readings = [part.got for part in parts if isinstance(part.got, Reading) and part.got.complete and not part.got.outcome]
    lost = [part for part in parts if not isinstance(part.got, Reading) or not part.got.complete or part.got.outcome]
    whole: Reading[Slot] = Reading(
        warnings=tuple(notice for reading in readings for notice in reading.warnings),
        counters={"bad_slots": sum(reading.counters.get("bad_slots", 0) for reading in readings)},
    )
    asked = {size for part in parts for size in asked_sizes(part.request)}
    absent = sorted(set(rules.party_sizes) - asked) if asked else []
    if lost or absent or not parts:
        whole.complete = False
        whole.outcome = None if readings else _outcome(lost)
        whole.reason = "; ".join([*map(_lost, lost[:3]), *(f"party size {size} was not asked for" for size in absent)])[:500]
        return whole
    whole.items = _merged(parts)
    whole.counters["slots"] = len(whole.items)
    return whole


def canonical(slot_key: str, sizes: tuple[int, ...]) -> bytes:
    """What a slot's fingerprint is made of: who it is and for how many. Names, links and tokens drift without meaning."""
    return f"{slot_key} {','.join(map(str, sizes))}".encode()


class _Venue(NamedTuple):
    """Whose slot it is; what its slots have in common."""

    provider: str
    venue_id: str
    venue_name: str
    prefix: str
    label: str


class ReadSlot(Observed[Slot]):
    """A slot as an answer shows it: one small object, whose title and state are made for the few that moved."""

    __slots__ = ("_answer", "_holder", "_local", "_raw", "_who")

    def __init__(self, key: str, fingerprint: bytes, answer: _Answer, raw: Any, holder: Any, who: _Venue, local: str) -> None:
        self.key = key
        self.fingerprint = fingerprint
        self._answer = answer
        self._raw = raw
        self._holder = holder
        self._who = who
        self._local = local

    @property
    def url(self) -> str:  # type: ignore[override]  # read-only here: nobody sets it
        """Where the answer came from."""
        return self._answer.url

    @property
    def title(self) -> str:  # type: ignore[override]  # likewise
        """The venue and its time."""
        return f"{self._who.label} {self._local}"

    def _make(self) -> Slot:
        return self._answer.slot(self._raw, self._holder, self._who, self._local)


class _Answer:
    """One answer's mapping, compiled, and its count of slots that could not be read."""

    def __init__(self, got: Fetched, rules: AvailabilityRules) -> None:
        self.fields = fields_of(rules)
        self.url = got.url
        self.timezone = rules.timezone
        self.day = asked_day(got.request)
        self.sizes = asked_sizes(got.request)
        self.bad: Counter[str] = Counter()
        self._known: dict[Any, _Venue | None] = {}
        self._said = _readers(self.fields.provider, self.fields.venue_id, self.fields.venue_name)
        self._time = _reader(self.fields.time)
        self._date = _reader(self.fields.date)

    def slots(self, data: Any) -> Iterator[Observed[Slot]]:
        """Every readable slot once, in the answer's order; raises BadFile where the list is not there."""
        # The loop that every unchanged poll pays for: names are local, and what slots share is worked out once.
        seen: set[str] = set()
        times: dict[str, str] = {}
        suffix = canonical("", self.sizes)
        time_at, said, known, venue_of = self._time, self._said, self._known, self._venue
        for holder, found in self.venues(data):
            shared = None if holder is None else venue_of(said(holder))
            if holder is not None and shared is None:
                self.bad["a slot has no venue"] += 1
                continue
            for raw in found:
                if shared is not None:
                    who = shared
                else:
                    names = said(raw)
                    try:
                        named = known[names]
                    except (KeyError, TypeError):  # not met yet, or not hashable and so no name
                        named = venue_of(names)
                    if named is None:
                        self.bad["a slot has no venue"] += 1
                        continue
                    who = named
                written = time_at(raw)
                local = times.get(written) if type(written) is str else None
                if local is None:
                    local = self._local(written, raw, times)
                    if local is None:
                        self.bad["a slot has no time, or one in an unknown form"] += 1
                        continue
                key = hexdigest((who.prefix + local).encode())
                if key in seen:  # one time, several tables
                    continue
                seen.add(key)
                yield ReadSlot(key, digest(key.encode() + suffix), self, raw, holder, who, local)

    def _local(self, written: Any, raw: Any, times: dict[str, str]) -> str | None:
        local = local_time(written, self.timezone)
        if local is None:  # a clock time alone: the day stands beside it, or is the bucket's
            return local_time(written, self.timezone, _day(self._date(raw)) or self.day)
        if isinstance(written, str):
            times[written] = local
        return local

    def venues(self, data: Any) -> Iterator[tuple[Any, list[Any]]]:
        """Each venue with its slots as they are written; one None with all slots where slots name their venue."""
        paths = self._slot_paths()
        count = 0
        if self.fields.venues is None:
            found = _first_list(paths, data)
            if found is None:
                raise BadFile("the list of slots was not found", path=" or ".join(path.text for path in paths))
            venues: list[tuple[Any, list[Any]]] = [(None, found)]
        else:
            listed = compile_path(self.fields.venues).elements(data)
            if listed is None:
                raise BadFile("the list of venues was not found", path=self.fields.venues)
            venues = []
            for venue in listed:
                found = _first_list(paths, venue)
                if found is None:
                    self.bad["a venue has no list of slots"] += 1
                else:
                    venues.append((venue, found))
        for venue, found in venues:
            count += len(found)
            if count > MAX_SLOTS:
                raise BadFile("too many slots in one answer", limit=MAX_SLOTS)
            yield venue, found

    def _slot_paths(self) -> list[Path]:
        wanted = self.fields.slots or "$"
        return [compile_path(text) for text in ((wanted,) if isinstance(wanted, str) else wanted)]

    def _venue(self, names: Sequence[Any]) -> _Venue | None:
        """Whose slot it is by what was said; None where no venue was."""
        provider, venue_id, venue_name = map(name_of, names)
        venue = None
        if venue_id is not None:
            prefix = venue_prefix(provider or "", venue_id)
            venue = _Venue(provider or "", venue_id, venue_name or "", prefix, venue_name or venue_id)
        with suppress(TypeError):
            self._known[names] = venue
        return venue

    def slot(self, raw: Any, holder: Any, who: _Venue, local: str) -> Slot:
        """The whole slot."""
        slot = Slot(
            provider=who.provider,
            venue_id=who.venue_id,
            time=local,
            timezone=self.timezone,
            venue_name=who.venue_name,
            party_sizes=self.sizes,
            extra={name: value for name, path in self.fields.extra.items() if (value := _extra(path, raw)) is not None},
        )
        return msgspec.structs.replace(slot, booking_url=_booking_url(self.fields, slot, raw, holder))


def _merged(parts: Sequence[Part[Slot]]) -> list[Observed[Slot]]:
    offers: dict[str, list[Observed[Slot]]] = {}
    sizes: dict[str, tuple[int, ...]] = {}
    for part in sorted(parts, key=lambda part: asked_sizes(part.request)):  # answers may come in any order
        if isinstance(part.got, Reading):
            asked = asked_sizes(part.request)
            for item in part.got.items:
                offers.setdefault(item.key, []).append(item)
                sizes[item.key] = sizes.get(item.key, ()) + asked
    return [
        items[0]
        if len(items) == 1
        else Observed(
            key=key,
            url=items[0].url,
            title=items[0].title,
            fingerprint=digest(canonical(key, sizes[key])),
            build=partial(_with_sizes, items[0], sizes[key]),
        )
        for key, items in offers.items()
    ]


def _with_sizes(first: Observed[Slot], sizes: tuple[int, ...]) -> Slot:
    return msgspec.structs.replace(first.state, party_sizes=sizes)


def _first_list(paths: list[Path], data: Any) -> list[Any] | None:
    return next((found for path in paths if (found := path.elements(data)) is not None), None)


def _nothing(_: Any) -> None:
    return None


def _reader(text: str | None) -> Any:
    """A function from a slot or venue to a field's value."""
    if text is None:
        return _nothing
    return compile_path(text).getter() if text.startswith("$") else lambda _: text


def _readers(*texts: str | None) -> Callable[[Any], Sequence[Any]]:
    """A function to several fields' values at once; usually they are plain members."""
    names = [compile_path(text).name if text and text.startswith("$") else None for text in texts]
    if None not in names:
        nothing = (None,) * len(names)
        return lambda data: (*map(data.get, names),) if type(data) is dict else nothing
    readers = [_reader(text) for text in texts]
    return lambda data: tuple(reader(data) for reader in readers)


def _day(value: object) -> str | None:
    return value[:10] if isinstance(value, str) else None


def _extra(path: str, raw: Any) -> Any:
    value = compile_path(path).first(raw) if path.startswith("$") else path
    if isinstance(value, str):
        return sanitize(value)[:MAX_EXTRA]
    return value if isinstance(value, bool | int | float) else None


def _booking_url(fields: Fields, slot: Slot, raw: Any, venue: Any) -> str | None:
    if fields.booking_url is None:
        return None
    if fields.booking_url.startswith("$"):
        path = compile_path(fields.booking_url)
        text = path.first(raw) or path.first(venue)
    else:
        values: dict[str, object] = {
            "date": slot.time[:10],
            "time": slot.time[11:16],
            "party_size": slot.party_sizes[0] if slot.party_sizes else None,
            "venue_id": slot.venue_id,
        }
        for name in PLACEHOLDER.findall(fields.booking_url):
            if name.startswith("$"):
                path = compile_path(name)
                values[name] = name_of(path.first(raw)) or name_of(path.first(venue))
        text = fill(fields.booking_url, values)
        if PLACEHOLDER.search(text):  # half a link leads nowhere
            return None
    try:
        return checked(text) if isinstance(text, str) else None
    except BadUrl:
        return None


def _outcome(lost: list[Part[Slot]]) -> Outcome:
    for part in lost:
        match part.got:
            case Blocked():
                return "blocked"
            case Failed(truncated=True):
                return "truncated"
            case Reading(outcome=outcome) if outcome:
                return outcome
    return "error"


def _lost(part: Part[Slot]) -> str:
    sizes = asked_sizes(part.request)
    return f"party size {sizes[0]}: {part.got.reason}" if sizes else str(part.got.reason)
