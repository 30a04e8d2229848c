"""Reads a JSON answer by rules: where the list is, and where a slot has its venue, time and other fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

from driftline.core.identity.fingerprint import digest, hexdigest
from driftline.core.identity.urls import checked
from driftline.core.select.jsonpath import Path, Work, compile_path
from driftline.core.text.safety.sanitize import sanitize
from driftline.core.text.time_text import readable_date
from driftline.errors import BadFile, BadUrl
from driftline.kinds.availability.buckets import fill, requested_day, requested_sizes
from driftline.kinds.availability.json.discovery import MAX_SLOTS, NO_TIME
from driftline.kinds.availability.rules import PLACEHOLDER, AvailabilityRules, SlotFields, fields_of, is_described
from driftline.kinds.availability.slot import Slot, canonical, name_of, venue_prefix
from driftline.kinds.availability.slot_openness import field_names_of, is_open, is_yes, state_fields, types_are_states
from driftline.kinds.availability.slot_times import day_of, local_time
from driftline.model.fetch import Fetched
from driftline.model.item import Observed

NO_VENUE: Final = "a slot has no venue"
MAX_EXTRA: Final = 500  # characters of an extra field


class _Venue(NamedTuple):
    """The venue of slots, and what they share."""

    provider: str
    venue_id: str
    venue_name: str
    prefix: str
    label: str


class ReadSlot(Observed[Slot]):
    """A slot of an answer: one small object whose title and state are built on demand."""

    __slots__ = ("_answer", "_holder", "_local", "_raw", "_who")

    def __init__(
        self, key: str, fingerprint: bytes, answer: MappedAnswer, raw: Any, holder: Any, who: _Venue, local: str
    ) -> None:
        self.key = key
        self.fingerprint = fingerprint
        self._answer = answer
        self._raw = raw
        self._holder = holder
        self._who = who
        self._local = local

    @property
    def url(self) -> str:  # type: ignore[override]  # read-only here
        """The answer's address."""
        return self._answer.url

    @property
    def title(self) -> str:  # type: ignore[override]  # read-only here
        """The venue and the time."""
        return f"{self._who.label}, {readable_date(self._local)}"

    def _build_state(self) -> Slot:
        return self._answer.slot(self._raw, self._holder, self._who, self._local)


class MappedAnswer:
    """One answer with compiled rules, and a count of unreadable slots."""

    def __init__(self, got: Fetched, rules: AvailabilityRules) -> None:
        self.fields = fields_of(rules)
        self.url = got.url
        self.timezone = rules.timezone
        self.day = requested_day(got.request)
        self.sizes = requested_sizes(got.request)
        self.bad: Counter[str] = Counter()
        self._venues: dict[Any, _Venue | None] = {}
        self._work = work = Work(len(got.body))
        self._names_in = _readers(work, self.fields.provider, self.fields.venue_id, self.fields.venue_name)
        self._time = _reader(work, self.fields.time)
        self._date = _reader(work, self.fields.date)
        self._said_open = _reader(work, self.fields.available) if self.fields.available else None
        self._host = urlsplit(got.request.url).hostname or ""
        self._named = not is_described(rules) or rules.fields.venue_id is not None or rules.preset != "generic"

    def identifying_values(self, data: Any) -> list[Any]:
        """All values that identify slots, unparsed."""
        fields = self.fields
        looks: list[Any] = []
        for holder, found in self.venues(data):
            members = field_names_of(found)
            telling = () if self._said_open else state_fields(members)
            if holder is None:
                columns = (fields.provider, fields.venue_id, fields.venue_name, fields.time, fields.date, fields.available)
                looks.append(_columns(self._work, found, members, columns, telling))
            else:
                looks.append(self._names_in(holder))
                looks.append(_columns(self._work, found, members, (fields.time, fields.date, fields.available), telling))
        return looks

    def slots(self, data: Any) -> Iterator[Observed[Slot]]:
        """Every readable slot once, in order; raises BadFile if the list is missing."""
        # The hot loop of every unchanged check: local names, and shared values are computed once.
        seen: set[str] = set()
        times: dict[str, str] = {}
        suffix = canonical("", self.sizes)
        time_at, names_in, venue_by_names, venue_of = self._time, self._names_in, self._venues, self._venue
        for holder, found in self.venues(data):
            shared = self._only_venue(found) if holder is None else venue_of(names_in(holder))
            if holder is not None and shared is None:
                self.bad[NO_VENUE] += 1
                continue
            for raw in self.open_ones(found):
                if shared is not None:
                    who = shared
                else:
                    names = names_in(raw)
                    try:
                        named = venue_by_names[names]
                    except (KeyError, TypeError):  # new, or not hashable and so not a name
                        named = venue_of(names)
                    if named is None:
                        self.bad[NO_VENUE] += 1
                        continue
                    who = named
                written = time_at(raw)
                local = times.get(written) if type(written) is str else None
                if local is None:
                    local = self._local(written, raw, times)
                    if local is None:
                        self.bad[NO_TIME] += 1
                        continue
                key = hexdigest((who.prefix + local).encode())
                if key in seen:  # one time at several tables
                    continue
                seen.add(key)
                yield ReadSlot(key, digest(key.encode() + suffix), self, raw, holder, who, local)

    def _local(self, written: Any, raw: Any, times: dict[str, str]) -> str | None:
        local = local_time(written, self.timezone)
        if local is None:  # a time of day alone: its day is in another field, or the bucket's
            return local_time(written, self.timezone, day_of(self._date(raw), self.timezone) or self.day)
        if isinstance(written, str):
            times[written] = local
        return local

    def open_ones(self, found: list[Any]) -> list[Any]:
        """The slots that are still available, by their own state."""
        if self._said_open is not None:
            return [raw for raw in found if is_yes(self._said_open(raw)) is not False]
        telling = state_fields(field_names_of(found))
        if not telling or (telling == ("type",) and not types_are_states(found)):
            return found
        return [raw for raw in found if type(raw) is not dict or is_open(raw) is not False]

    def _only_venue(self, found: list[Any]) -> _Venue | None:
        """The site itself as the only venue, if no slot and no rule names one."""
        if self._named or not found or any(self._names_in(raw)[1] is not None for raw in found):
            return None
        return self._venue((None, self._host, None))

    def venues(self, data: Any) -> Iterator[tuple[Any, list[Any]]]:
        """Each venue with its slots; one None with all slots if slots name their venue."""
        paths = self._slot_paths()
        count = 0
        if self.fields.venues is None:
            found = _first_list(paths, data, self._work)
            if found is None:
                raise BadFile("the list of slots was not found", path=" or ".join(path.text for path in paths))
            venues: list[tuple[Any, list[Any]]] = [(None, found)]
        else:
            listed = compile_path(self.fields.venues).elements(data, work=self._work)
            if listed is None:
                raise BadFile("the list of venues was not found", path=self.fields.venues)
            venues = []
            for venue in listed:
                found = _first_list(paths, venue, self._work)
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
        written = self.fields.slots or "$"
        return [compile_path(text) for text in ((written,) if isinstance(written, str) else written)]

    def _venue(self, names: Sequence[Any]) -> _Venue | None:
        """The venue by these names; None if there are none."""
        provider, venue_id, venue_name = map(name_of, names)
        venue = None
        if venue_id is not None:
            prefix = venue_prefix(provider or "", venue_id)
            venue = _Venue(provider or "", venue_id, venue_name or "", prefix, venue_name or venue_id)
        with suppress(TypeError):
            self._venues[names] = venue
        return venue

    def slot(self, raw: Any, holder: Any, who: _Venue, local: str) -> Slot:
        """The complete slot."""
        slot = Slot(
            provider=who.provider,
            venue_id=who.venue_id,
            time=local,
            timezone=self.timezone,
            venue_name=who.venue_name,
            party_sizes=self.sizes,
            extra=extra_of(self.fields, raw, self._work),
        )
        return msgspec.structs.replace(slot, booking_url=booking_url(self.fields, slot, raw, holder, self._work))


def _first_list(paths: list[Path], data: Any, work: Work) -> list[Any] | None:
    return next((found for path in paths if (found := path.elements(data, work=work)) is not None), None)


def _no_value(_: Any) -> None:
    return None


def _reader(work: Work, text: str | None) -> Any:
    """A function from a slot or venue to a field's value."""
    if text is None:
        return _no_value
    return compile_path(text).getter(work) if text.startswith("$") else lambda _: text


def _readers(work: Work, *texts: str | None) -> Callable[[Any], Sequence[Any]]:
    """A function to several field values at once; usually they are plain members."""
    names = [compile_path(text).name if text and text.startswith("$") else None for text in texts]
    if None not in names:
        nothing = (None,) * len(names)
        return lambda data: (*map(data.get, names),) if type(data) is dict else nothing
    readers = [_reader(work, text) for text in texts]
    return lambda data: tuple(reader(data) for reader in readers)


def _columns(work: Work, found: list[Any], members: set[str], texts: Sequence[str | None], more: Sequence[str]) -> list[Any]:
    """These fields of all slots; if all are plain members, at the cost of a lookup."""
    names = [compile_path(text).name if text and text.startswith("$") else None for text in texts]
    plain = [*(name for name in names if name in members), *more]
    if len(plain) > 1 and all(name or text is None for name, text in zip(names, texts, strict=True)):
        with suppress(KeyError, TypeError):
            return [plain, *map(itemgetter(*plain), found)]
    return [*map(_readers(work, *texts), found), *([raw.get(name) for name in more] for raw in found if type(raw) is dict)]


def extra_of(fields: SlotFields, raw: Any, work: Work) -> dict[str, Any]:
    """The extra fields of the rules, if the slot has them."""
    return {name: value for name, path in fields.extra.items() if (value := _extra(path, raw, work)) is not None}


def _extra(path: str, raw: Any, work: Work) -> Any:
    value = compile_path(path).first(raw, work=work) if path.startswith("$") else path
    if isinstance(value, str):
        return sanitize(value)[:MAX_EXTRA]
    return value if isinstance(value, bool | int | float) else None


def booking_url(fields: SlotFields, slot: Slot, raw: Any, venue: Any, work: Work) -> str | None:
    """The link that a rule selects or builds; None if it is incomplete."""
    if fields.booking_url is None:
        return None
    if fields.booking_url.startswith("$"):
        path = compile_path(fields.booking_url)
        text = path.first(raw, work=work) or path.first(venue, work=work)
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
                values[name] = name_of(path.first(raw, work=work)) or name_of(path.first(venue, work=work))
        text = fill(fields.booking_url, values)
        if PLACEHOLDER.search(text):  # an unfilled placeholder
            return None
    try:
        return checked(text) if isinstance(text, str) else None
    except BadUrl:
        return None
