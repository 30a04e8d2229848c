"""A crawler's parsed page as driftline knows pages, so that one comparison serves both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from driftline.bus.comparable import CURRENT, READING, amounts, quiet_lines
from driftline.bus.messages import Classified, PageCheck, Parsed, ParsedPrice
from driftline.bus.metadata import flattened
from driftline.core.commerce.amounts import canonical
from driftline.core.commerce.prices import parse_price
from driftline.core.identity.fingerprint import fingerprint
from driftline.core.identity.urls import clean
from driftline.core.text.folding import fold
from driftline.core.text.sanitize import sanitize
from driftline.kinds.page.parsed import MESSAGE_PATHS, Classification, Image, Link, Offer, PageType, ParsedPage

_TYPES: Final[dict[str, PageType]] = {
    "product": "product", "article": "article", "blog": "article", "news": "article", "job": "job", "listing": "listing",
}  # fmt: skip
_WORDS: Final = ("text", "anchor", "label", "title")  # of a link
_LONGEST: Final = 500  # characters of what is said of a link or picture


def page_of(message: PageCheck) -> ParsedPage:
    """The page of a message."""
    parsed, url = message.parsed, message.url
    texts = quiet_lines(fold(raw) for raw in sanitize(parsed.text or "").split("\n"))
    description = fold(sanitize(parsed.description or ""))
    metadata = ({"description": description} if description else {}) | flattened(_metadata(parsed), url) | {READING: CURRENT}
    title = fold(sanitize(parsed.title or ""))
    images = tuple(Image(address, alt) for address, alt in _once(parsed.images, url, ("url", "src"), ("alt",)).items())
    links = tuple(Link(address, text) for address, text in _once(_links(parsed), url, ("url", "href"), _WORDS).items())
    candidates = tuple(_candidates(parsed))
    classification = _classification(message.classification)
    offer = _offer(candidates) if classification.type == "product" else Offer()
    compared = (title, metadata, images, links, sorted(map(str, amounts(candidates))))
    return ParsedPage(
        url=url,
        title=title,
        description=metadata.get("description", ""),
        text="\n".join(texts),
        paths=MESSAGE_PATHS,
        images=images,
        links=links,
        metadata=metadata,
        price_candidates=candidates,
        offer=offer,
        classification=classification,
        signature=fingerprint((*(text.encode() for text in texts), msgspec.json.encode(compared, order="deterministic"))),
    )


def _metadata(parsed: Parsed) -> dict[str, Any] | list[Any] | None:
    """With what crawlers give beside it."""
    beside = {"og": parsed.open_graph, "canonical": parsed.canonical, "jsonLd": parsed.json_ld}
    more = {name: value for name, value in beside.items() if value}
    if not more:
        return parsed.metadata
    return {"metadata": parsed.metadata or {}, **more}


def _links(parsed: Parsed) -> list[str | dict[str, Any]]:
    """All of them: of the content, of the navigation, to the next pages."""
    return [*(parsed.links or ()), *_addresses(parsed.navigation), *_addresses(parsed.pagination)]


def _addresses(given: Any) -> Iterator[str | dict[str, Any]]:
    """A list of links, or links by name: `{"next": "/p/2"}`."""
    for one in given.values() if isinstance(given, dict) else given if isinstance(given, list) else (given,):
        if isinstance(one, str | dict):
            yield one


def is_product(message: PageCheck) -> bool:
    """Whether the crawler says that the page sells something."""
    return _classification(message.classification).type == "product"


def prices(message: PageCheck) -> list[ParsedPrice]:
    """Every price candidate, with the amount and the currency that it states."""
    found = []
    for candidate in _candidates(message.parsed):
        price = parse_price(candidate)
        amount, currency = (canonical(price.amount), price.currency) if price else (None, None)
        found.append(ParsedPrice(candidate=candidate, amount=amount, currency=currency))
    return found


def _candidates(parsed: Parsed) -> Iterator[str]:
    return (fold(sanitize(str(raw)))[:240] for raw in (parsed.price_candidates or ())[:40])


def _offer(candidates: Iterable[str]) -> Offer:
    """What the first candidate that is a price states."""
    price = next(filter(None, map(parse_price, candidates)), None)
    return Offer() if price is None else Offer(canonical(price.amount), price.currency)


def _classification(given: Classified | None) -> Classification:
    if given is None:
        return Classification()
    return Classification(_TYPES.get((given.type or "").strip().casefold(), "other"), given.confidence or 0.0)


def _once(
    given: Iterable[str | dict[str, Any]] | None, base: str, names: tuple[str, ...], words: tuple[str, ...]
) -> dict[str, str]:
    """Addresses in their order, each once, with what is said of it first."""
    found: dict[str, str] = {}
    for one in given or ():
        raw = one if isinstance(one, str) else _first(one, names)
        if raw and (address := clean(sanitize(raw), base)):
            said = "" if isinstance(one, str) else fold(sanitize(_first(one, words)))[:_LONGEST]
            found[address] = found.get(address) or said
    return found


def _first(one: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((one[name] for name in names if isinstance(one.get(name), str)), "")
