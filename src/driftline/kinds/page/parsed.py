"""A page as driftline knows it: the state of the one item of a page watch."""

from __future__ import annotations

from typing import Literal

import msgspec

from driftline.kinds.page.facts import facts_in

Format = Literal["html", "json", "xml", "feed", "text"]
PageType = Literal["product", "article", "job", "listing", "other"]
Role = Literal["content", "navigation", "pagination"]


class Link(msgspec.Struct, frozen=True, array_like=True):
    """Where a page points to."""

    url: str  # absolute, cleaned of tracking
    role: Role = "content"
    place: int = 0  # structural path of the element, hashed
    text: str = ""  # what it says, for headlines; only in the content


class Image(msgspec.Struct, frozen=True, array_like=True):
    """A picture that people see; pixels and beacons are none."""

    url: str  # absolute, cleaned of tracking and cache busting
    alt: str = ""
    place: int = 0


class PageBlock(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of a page with an identity of its own: a headed section, a card, a row, a list entry."""

    key: str  # stable across runs: id, link or heading; else a structural hash
    title: str
    text: str
    named: dict[str, str] = {}  # what the markup names: location, salary, date, price

    @property
    def metadata(self) -> dict[str, str]:
        """Salary, location, price, date, where the markup or the words name them."""
        return {**self.named, **facts_in(self.text)}


class Classification(msgspec.Struct, frozen=True):
    """What sort of page this is."""

    type: PageType = "other"
    confidence: float = 0.0  # 0..1


class Offer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a product page asks for its product. Unknown is None, and never a transition."""

    price: str | None = None  # canonical decimal
    currency: str | None = None  # ISO 4217
    in_stock: bool | None = None
    buyable: bool = False  # a button asks to buy and can be pressed; with nothing said, that stands against a later "sold out"

    @property
    def can_be_had(self) -> bool | None:
        """In stock or not, by what is said, else by the button."""
        return True if self.in_stock is None and self.buyable else self.in_stock


class ParsedPage(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that comparing needs; built only when the scan says that something differs."""

    url: str
    format: Format = "html"
    title: str = ""
    description: str = ""
    language: str = ""
    text: str | None = ""  # visible lines, noise included; None: the plan did not keep it
    marks: bytes = b""  # a hash per line, noise removed: 8 bytes each
    places: bytes = b""  # a hash of the structural path per line: 8 bytes each
    paths: dict[str, str] = {}  # place in hex -> the end of its path, for people
    blocks: tuple[PageBlock, ...] | None = ()  # None: the plan did not keep them
    images: tuple[Image, ...] = ()  # hero first
    links: tuple[Link, ...] = ()
    aside: dict[str, str] = {}  # address -> text of the entries in lists of other pages
    metadata: dict[str, str] = {}  # content keys only
    price_candidates: tuple[str, ...] = ()
    offer: Offer = Offer()
    classification: Classification = Classification()
    literal: bool = False  # noise patterns keep away: the watch selected this part
    truncated: bool = False  # the page could not be read whole; such a page makes no change
    missing: tuple[str, ...] = ()  # selectors that found nothing
    signature: bytes = b""  # what is fingerprinted
    memo: bytes = b""  # shortcut for the next read; not part of the state as stored

    @property
    def lines(self) -> tuple[str, ...]:
        """The visible lines; none where the text was not kept."""
        return tuple(self.text.split("\n")) if self.text else ()

    @property
    def availability(self) -> bool | None:
        """In stock, sold out, or not said."""
        return self.offer.in_stock

    @property
    def hero(self) -> str | None:
        """The picture that stands for the page."""
        return self.images[0].url if self.images else None
