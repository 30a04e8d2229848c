"""What differs between two pages besides their text: title, metadata, images, links, price and stock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple

from driftline.core.buying import asks_to_buy, is_beside_buying
from driftline.core.noise import sense
from driftline.core.prices import without_prices
from driftline.core.stock import stock_from_text, without_stock
from driftline.core.text import title_key
from driftline.kinds.page.lines import calm_title
from driftline.kinds.page.masks import Cover
from driftline.kinds.page.metadata import BUTTONS, calm
from driftline.kinds.page.metadata_masks import covering
from driftline.kinds.page.parsed import Image, Link, Offer, ParsedPage, Role
from driftline.model.change import Suppressed


class Pair(NamedTuple):
    """A value before and after."""

    before: str | None
    after: str | None


class Pictures(NamedTuple):
    """Images that came and went, and the one that stands for the page."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    hero: Pair | None = None
    alts: Mapping[str, Pair] = {}  # address -> what it is described as

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.hero or self.alts)


class Pointers(NamedTuple):
    """Links of one role that came and went."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    texts: Mapping[str, str] = {}  # address -> what the link says, where that is known
    replaced: bool = False  # one went, and one came where it stood

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


class OfferChange(NamedTuple):
    """Price or stock of the page's product moved."""

    type: str  # price_increase, price_decrease, sold_out, back_in_stock
    before: dict[str, object]
    after: dict[str, object]

    @property
    def level(self) -> str:
        """Its name in the structured document."""
        return "price" if self.type.startswith("price") else "availability"


class Levels(NamedTuple):
    """All of them."""

    title: Pair | None
    metadata: dict[str, Pair]
    images: Pictures
    links: dict[Role, Pointers]
    offers: list[OfferChange]
    suppressed: list[Suppressed]

    @property
    def besides_offers(self) -> bool:
        """Whether a level that belongs to the content differs."""
        return bool(self.title or self.metadata or self.images or self.links)


def levels(before: ParsedPage, after: ParsedPage, cover: Cover) -> Levels:
    """Every level compared, noise and masks taken out, nothing said twice."""
    title, quiet = title_change(before, after)
    metadata, muted = metadata_changes(before, after, cover)
    images, unseen = image_changes(before, after, cover)
    links, unfollowed = link_changes(before, after, cover)
    offers = offer_changes(before.offer, after.offer)
    if title is not None and _repeats(title, offers):
        title = None
    return Levels(
        title,
        without_offer(metadata, offers),
        images,
        without_buying(links, offers),
        offers,
        [*quiet, *muted, *unseen, *unfollowed],
    )


def title_change(before: ParsedPage, after: ParsedPage) -> tuple[Pair | None, list[Suppressed]]:
    """Exact first, then blind to case and whitespace, then to noise."""
    if before.title == after.title or before.literal:
        return None, []
    if title_key(before.title) == title_key(after.title):
        return None, [Suppressed(rule="title-case", place="title", before=before.title, after=after.title)]
    if calm_title(before.title) == calm_title(after.title):
        return None, [Suppressed(rule="noise in title", place="title", before=before.title, after=after.title)]
    return Pair(before.title, after.title), []


def metadata_changes(before: ParsedPage, after: ParsedPage, cover: Cover) -> tuple[dict[str, Pair], list[Suppressed]]:
    """By key, noise inside values and what masks cover aside."""
    found: dict[str, Pair] = {}
    suppressed: list[Suppressed] = []
    for key in sorted(before.metadata.keys() | after.metadata.keys()):
        old, new = before.metadata.get(key), after.metadata.get(key)
        if old == new:
            continue
        if key == BUTTONS and before.offer.in_stock is not None and before.offer.in_stock is after.offer.in_stock:
            suppressed.append(Suppressed(rule="stock is said, and as before", place=key, before=old or "", after=new or ""))
        elif old is not None and new is not None and calm(key, old) == calm(key, new):
            suppressed.append(Suppressed(rule="noise in metadata", place=key, before=old[:200], after=new[:200]))
        elif (mask := covering(cover, key, old, new)) is not None:
            suppressed.append(Suppressed(rule=mask, place=key, before=(old or "")[:200], after=(new or "")[:200]))
        else:
            found[key] = Pair(old, new)
    return found, suppressed


def image_changes(before: ParsedPage, after: ParsedPage, cover: Cover) -> tuple[Pictures, list[Suppressed]]:
    """Pictures by address; the hero is the one that the page shows first."""
    added, removed, suppressed = _come_and_gone(before.images, after.images, cover, "image")
    hero = None
    if before.hero and after.hero and before.hero in removed and after.hero in added:
        hero = Pair(before.hero, after.hero)
    return Pictures(added, removed, hero, _alts(before.images, after.images, cover)), suppressed


def _alts(before: Sequence[Image], after: Sequence[Image], cover: Cover) -> dict[str, Pair]:
    """Pictures that stayed, if at an address that is known to vary, and are described in other words."""
    old = {image.url: image.alt for image in before if image.alt}
    found: dict[str, Pair] = {}
    for image in after:
        url = image.url if image.url in old or not image.alt else cover.same("image", image.place, image.url, old)
        alt = old.get(url or "")
        if alt is not None and image.alt not in ("", alt) and sense(image.alt) != sense(alt):
            found[image.url] = Pair(alt, image.alt)
    return found


def link_changes(before: ParsedPage, after: ParsedPage, cover: Cover) -> tuple[dict[Role, Pointers], list[Suppressed]]:
    """Links by address, navigation and pagination apart."""
    added, removed, suppressed = _come_and_gone(before.links, after.links, cover, "link")
    roles = {link.url: link.role for link in (*before.links, *after.links)}
    said = {link.url: link.text for link in (*before.links, *after.links) if link.text}
    places = {link.url: link.place for link in (*before.links, *after.links)}
    found: dict[Role, Pointers] = {}
    for role in ("content", "navigation", "pagination"):
        come, gone = ([url for url in urls if roles[url] == role] for urls in (added, removed))
        replaced = len(come) == len(gone) == 1 and places[come[0]] == places[gone[0]]
        pointers = Pointers(tuple(come), tuple(gone), said, replaced)
        if pointers:
            found[role] = pointers
    return found, suppressed


def _come_and_gone(
    before: Sequence[Link] | Sequence[Image],
    after: Sequence[Link] | Sequence[Image],
    cover: Cover,
    part: Literal["link", "image"],
) -> tuple[tuple[str, ...], tuple[str, ...], list[Suppressed]]:
    old = {thing.url: thing for thing in before}
    new = {thing.url: thing for thing in after}
    suppressed: list[Suppressed] = []
    sides: list[tuple[str, ...]] = []
    for here, there in ((new, old), (old, new)):
        kept: list[str] = []
        for url, thing in here.items():
            if url in there:
                continue
            mask = cover.element(part, thing.place, url, there)
            if mask is None:
                kept.append(url)
            else:
                shown = {"after": url} if here is new else {"before": url}
                suppressed.append(Suppressed(rule=mask, place=part, **shown))
        sides.append(tuple(kept))
    return sides[0], sides[1], suppressed


def offer_changes(before: Offer, after: Offer) -> list[OfferChange]:
    """Prices known on both sides in one currency; stock known on both sides, or told by a buy button on one. Unknown is never a
    transition.
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


def without_offer(metadata: Mapping[str, Pair], changed: Sequence[OfferChange]) -> dict[str, Pair]:
    """Metadata without the keys that say again what a price or stock change says."""
    types = {change.type for change in changed}
    told = []
    if types & {"price_increase", "price_decrease"}:
        told += ["price:amount", ".price", ".lowPrice", ".highPrice", "itemprop:price"]
    if types & {"sold_out", "back_in_stock"}:
        told += ["availability", BUTTONS]
    return {
        key: pair for key, pair in metadata.items() if not (told and key.endswith(tuple(told))) and not _repeats(pair, changed)
    }


def _repeats(pair: Pair, changed: Sequence[OfferChange]) -> bool:
    """Whether two texts differ only in the price or the words about stock that a change tells already."""
    if pair.before is None or pair.after is None:
        return False
    for change in changed:
        bare = without_prices if change.level == "price" else _without_stock
        if bare(pair.before) == bare(pair.after):
            return True
    return False


def _without_stock(text: str) -> str:
    return without_stock(text).strip(" -–—|:·()[]!.")


def without_buying(links: Mapping[Role, Pointers], changed: Sequence[OfferChange]) -> dict[Role, Pointers]:
    """Links without those of a buy button that came or went with the stock."""
    if not any(change.level == "availability" for change in changed):
        return dict(links)
    kept: dict[Role, Pointers] = {}
    for role, pointers in links.items():
        come, gone = (
            tuple(url for url in urls if not _is_buying(pointers.texts.get(url, "")))
            for urls in (pointers.added, pointers.removed)
        )
        if left := pointers._replace(added=come, removed=gone):
            kept[role] = left
    return kept


def _is_buying(text: str) -> bool:
    return asks_to_buy(text) or is_beside_buying(text) or stock_from_text(text) is not None
