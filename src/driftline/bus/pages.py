"""Turns a crawler's parsed page into driftline's page value, so that one comparison serves both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from driftline.bus.comparable import READING_FIELD, READING_VERSION, amounts, strip_tracking
from driftline.bus.messages import Classified, PageCheck, Parsed, ParsedPrice
from driftline.bus.metadata import flatten
from driftline.core.commerce.amounts import canonical
from driftline.core.commerce.prices import parse_price
from driftline.core.identity.fingerprint import fingerprint
from driftline.core.identity.urls import clean
from driftline.core.text.folding import fold
from driftline.core.text.safety.sanitize import sanitize
from driftline.kinds.page.parsed import MESSAGE_PATHS, Classification, Image, Link, Offer, PageType, ParsedPage

_TYPES: Final[dict[str, PageType]] = {
    "product": "product", "article": "article", "blog": "article", "news": "article", "job": "job", "listing": "listing",
}  # fmt: skip
_LINK_TEXT: Final = ("text", "anchor", "label", "title")  # fields that hold a link's text
_PRICE_TEXT: Final = ("text", "raw", "value", "price", "amount")  # fields that hold a price candidate
_MAX_CHARACTERS: Final = 500  # of a link's or picture's text


def page_of(message: PageCheck) -> ParsedPage:
    """The page of a message, in the form that the page kind compares."""
    parsed, url = message.parsed, message.url
    texts = strip_tracking(fold(raw) for raw in sanitize(_text(parsed)).split("\n"))
    description = fold(sanitize(parsed.description or ""))
    metadata = (
        ({"description": description} if description else {})
        | flatten(_metadata(parsed), url)
        | {READING_FIELD: READING_VERSION}
    )
    title = fold(sanitize(parsed.title or ""))
    images = tuple(
        Image(address, alt) for address, alt in _unique_addresses(parsed.images, url, ("url", "src"), ("alt",)).items()
    )
    links = tuple(
        Link(address, text) for address, text in _unique_addresses(_links(parsed), url, ("url", "href"), _LINK_TEXT).items()
    )
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
    return [one for given in (parsed.links, parsed.navigation, parsed.pagination) for one in _addresses(given)]


def _addresses(given: Any) -> Iterator[str | dict[str, Any]]:
    """A list of links, or links or lists of them by name: `{"next": "/p/2"}`, `{"internal": ["/a"]}`."""
    for one in given.values() if isinstance(given, dict) else given if isinstance(given, list) else (given,):
        for link in one if isinstance(one, list) else (one,):
            if isinstance(link, str | dict):
                yield link


def _text(parsed: Parsed) -> str:
    return "\n".join(filter(None, parsed.text)) if isinstance(parsed.text, list) else parsed.text or ""


def is_product(message: PageCheck) -> bool:
    """Whether the crawler classified the page as a product."""
    return _classification(message.classification).type == "product"


def prices(message: PageCheck) -> list[ParsedPrice]:
    """Every price candidate with its amount and currency."""
    found = []
    for candidate in _candidates(message.parsed):
        price = parse_price(candidate)
        amount, currency = (canonical(price.amount), price.currency) if price else (None, None)
        found.append(ParsedPrice(candidate=candidate, amount=amount, currency=currency))
    return found


def _candidates(parsed: Parsed) -> Iterator[str]:
    found = (_candidate(raw) for raw in (parsed.price_candidates or ())[:40])
    return (fold(sanitize(text))[:240] for text in found if text)


def _candidate(raw: str | float | dict[str, Any] | None) -> str:
    """A price as text; of an object, its text, or its amount with the currency."""
    if not isinstance(raw, dict):
        return "" if raw is None else str(raw)
    text = next((str(raw[name]) for name in _PRICE_TEXT if isinstance(raw.get(name), str | int | float)), "")
    currency = raw.get("currency")
    amount_alone = text and not any(sign.isalpha() for sign in text) and text[0].isdigit() and text[-1].isdigit()
    return f"{text} {currency}" if amount_alone and isinstance(currency, str) else text


def _offer(candidates: Iterable[str]) -> Offer:
    """The first candidate that is a price."""
    price = next(filter(None, map(parse_price, candidates)), None)
    return Offer() if price is None else Offer(canonical(price.amount), price.currency)


def _classification(given: Classified | str | None) -> Classification:
    if given is None:
        return Classification()
    name, confidence = (given, None) if isinstance(given, str) else (given.type, given.confidence)
    known = confidence if isinstance(confidence, float | int) else 0.0
    return Classification(_TYPES.get((name or "").strip().casefold(), "other"), known)


def _unique_addresses(
    given: Iterable[str | dict[str, Any] | None] | None, base: str, names: tuple[str, ...], words: tuple[str, ...]
) -> dict[str, str]:
    """Addresses in order without repeats, each with the first text that is given for it."""
    found: dict[str, str] = {}
    for one in given or ():
        if one is None:
            continue
        raw = one if isinstance(one, str) else _first(one, names)
        if raw and (address := clean(sanitize(raw), base)):
            text = "" if isinstance(one, str) else fold(sanitize(_first(one, words)))[:_MAX_CHARACTERS]
            found[address] = found.get(address) or text
    return found


def _first(one: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((one[name] for name in names if isinstance(one.get(name), str)), "")
