"""The differences of two pages besides their text: title, metadata, pictures, links, price and stock."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from driftline.core.text.folding import title_key, with_plain_signs
from driftline.kinds.page.extract.images import picture_key
from driftline.kinds.page.parsed import Image, Link, Offer, ParsedPage


class Pair(NamedTuple):
    """A value before and after."""

    before: str | None
    after: str | None


class LinkChange(NamedTuple):
    """A link that was added, removed, or has a new target at the same place with the same text."""

    before: Link | None
    after: Link | None

    @property
    def link(self) -> Link:
        """The link after the change, or before it if it was removed."""
        return self.after or self.before  # type: ignore[return-value]  # one of them is there


class ImageChange(NamedTuple):
    """A picture that was added, removed, or has a new description."""

    before: Image | None
    after: Image | None

    @property
    def image(self) -> Image:
        """The picture after the change, or before it if it was removed."""
        return self.after or self.before  # type: ignore[return-value]  # one of them is there


class OfferChange(NamedTuple):
    """A change of the product's price or stock."""

    type: str  # price_increase, price_decrease, sold_out, back_in_stock
    before: dict[str, object]
    after: dict[str, object]

    @property
    def level(self) -> str:
        """Its name in the structured document."""
        return "price" if self.type.startswith("price") else "availability"


def title_change(before: ParsedPage, after: ParsedPage) -> Pair | None:
    """A changed title; case and whitespace do not count."""
    if before.literal or title_key(before.title) == title_key(after.title):
        return None
    return Pair(before.title, after.title)


def metadata_changes(before: ParsedPage, after: ParsedPage) -> dict[str, Pair]:
    """Changed metadata, by key."""
    keys = before.metadata.keys() | after.metadata.keys()
    pairs = {key: Pair(before.metadata.get(key), after.metadata.get(key)) for key in sorted(keys)}
    return {key: pair for key, pair in pairs.items() if pair.before != pair.after}


def link_changes(before: ParsedPage, after: ParsedPage) -> list[LinkChange]:
    """Links by address; one that went and one that came with the same words at the same place are one.

    Their words count where no line says them: on a page of one place, as a message has it.
    """
    old, new = {link.url: link for link in before.links}, {link.url: link for link in after.links}
    gone = [link for url, link in old.items() if url not in new]
    come = [link for url, link in new.items() if url not in old]
    waiting: dict[tuple[str, str], list[Link]] = {}
    for link in gone:
        waiting.setdefault((link.text, before.paths[link.place] if before.paths else ""), []).append(link)
    found: list[LinkChange] = []
    if max(len(before.paths), len(after.paths)) <= 1:
        found = [LinkChange(old[url], link) for url, link in new.items() if url in old and _other_words(old[url], link)]
    for link in come:
        same = waiting.get((link.text, after.paths[link.place] if after.paths else "")) if link.text else None
        found.append(LinkChange(same.pop(0) if same else None, link))
    paired = {id(change.before) for change in found}
    return [*found, *(LinkChange(link, None) for link in gone if id(link) not in paired)]


def _other_words(before: Link, after: Link) -> bool:
    return bool(before.text and after.text) and title_key(before.text) != title_key(after.text)


def image_changes(before: ParsedPage, after: ParsedPage) -> list[ImageChange]:
    """Changed pictures, by key; the same picture from another host or in another size is unchanged."""
    old, new = _by_key(before.images), _by_key(after.images)
    found = [ImageChange(None, image) for key, image in new.items() if key not in old]
    found += [ImageChange(image, None) for key, image in old.items() if key not in new]
    found += [
        ImageChange(old[key], image)
        for key, image in new.items()
        if key in old and image.alt and old[key].alt and _said(image) != _said(old[key])
    ]
    return found


def hero_change(before: ParsedPage, after: ParsedPage) -> Pair | None:
    """A new main picture, even if only the order of the first pictures changed."""
    if not before.hero or not after.hero or picture_key(before.hero) == picture_key(after.hero):
        return None
    return Pair(before.hero, after.hero)


def _by_key(images: Sequence[Image]) -> dict[str, Image]:
    return {picture_key(image.url): image for image in images}


def _said(image: Image) -> str:
    return with_plain_signs(title_key(image.alt))


def offer_changes(before: Offer, after: Offer) -> list[OfferChange]:
    """Prices known on both sides in one currency; stock known on both sides, or told by a buy button on one.

    Unknown is never a transition.
    """
    found: list[OfferChange] = []
    if before.price and after.price and before.currency == after.currency:
        old, new = Decimal(before.price), Decimal(after.price)
        if old != new:
            kind = "price_increase" if new > old else "price_decrease"
            found.append(OfferChange(kind, _price(before), _price(after)))
    was, now = before.can_be_had, after.can_be_had
    if was is not None and now is not None and was != now:
        kind = "back_in_stock" if now else "sold_out"
        found.append(OfferChange(kind, {"in_stock": was}, {"in_stock": now}))
    return found


def _price(offer: Offer) -> dict[str, object]:
    return {"price": offer.price, "currency": offer.currency}
