"""A crawler's parsed page as driftline knows pages, so that one comparison serves both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from driftline.bus.messages import Classified, PageCheck, Parsed, ParsedPrice
from driftline.core.fingerprint import fingerprint
from driftline.core.json_text import way_to
from driftline.core.money import canonical
from driftline.core.prices import parse_price
from driftline.core.sanitize import sanitize
from driftline.core.text import fold
from driftline.core.urls import clean
from driftline.kinds.page.lines import line_marks
from driftline.kinds.page.memo import packed
from driftline.kinds.page.metadata import KEYS, asset_url
from driftline.kinds.page.parsed import Classification, Image, Link, Offer, PageType, ParsedPage

_TYPES: Final[dict[str, PageType]] = {
    "product": "product", "article": "article", "blog": "article", "news": "article", "job": "job", "listing": "listing",
}  # fmt: skip
# Plain names that a crawler gives to content, beside the keys of <meta>.
_PLAIN: Final = frozenset(
    "canonical title name headline brand sku price currency availability author category published salary location".split()
)
# Inside JSON-LD and other objects: what moves without anything having changed for a reader.
_MOVES: Final = ("@id", "@context", "modified", "count", "rating", "token", "nonce", "timestamp", "requestid", "sessionid")
_URLS: Final = frozenset(("og:image", "twitter:image", "canonical"))
_DEEPEST: Final = 20
_MOST: Final = 2_000  # values of one page's metadata
_LONGEST: Final = 4_000  # characters of one value


def page_of(message: PageCheck) -> ParsedPage:
    """The page of a message."""
    parsed, url = message.parsed, message.url
    texts = [line for raw in sanitize(parsed.text or "").split("\n") if (line := fold(raw))]
    metadata = dict(_metadata(parsed, url))
    title = fold(sanitize(parsed.title or ""))
    marks = packed(line_marks(texts, literal=False))
    images = tuple(Image(address) for address in _once(_addresses(parsed.images, url, ("url", "src")), asset=True))
    links = tuple(Link(address) for address in _once(_addresses(parsed.links, url, ("url", "href")), asset=False))
    candidates = tuple(_candidates(parsed))
    classification = _classification(message.classification)
    offer = _offer(candidates) if classification.type == "product" else Offer()
    compared = (title, metadata, [image.url for image in images], [link.url for link in links], offer)
    return ParsedPage(
        url=url,
        title=title,
        description=metadata.get("description", ""),
        text="\n".join(texts),
        marks=marks,
        places=bytes(len(marks)),
        images=images,
        links=links,
        metadata=metadata,
        price_candidates=candidates,
        offer=offer,
        classification=classification,
        signature=fingerprint((marks, msgspec.json.encode(compared, order="deterministic"))),
    )


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


def _addresses(given: Iterable[str | dict[str, Any]] | None, base: str, names: tuple[str, ...]) -> Iterator[str]:
    for one in given or ():
        raw = one if isinstance(one, str) else next((one[name] for name in names if isinstance(one.get(name), str)), None)
        if raw and (address := clean(sanitize(raw), base)):
            yield address


def _once(addresses: Iterable[str], *, asset: bool) -> dict[str, None]:
    return dict.fromkeys(asset_url(address) if asset else address for address in addresses)


def _metadata(parsed: Parsed, url: str) -> Iterator[tuple[str, str]]:
    """What says something to readers, by key; the description counts as metadata too."""
    if parsed.description:
        yield "description", fold(sanitize(parsed.description))
    kept = 0
    for key, value, nested in _leaves(parsed.metadata or {}):
        name = key.casefold()
        if kept >= _MOST or not (_says(name) if nested else name in KEYS or name in _PLAIN):
            continue
        kept += 1
        text = fold(sanitize(value))[:_LONGEST]
        yield sanitize(key if nested else name), asset_url(clean(text, url) or text) if name in _URLS else text


def _says(path: str) -> bool:
    last = path.rsplit(".", 1)[-1]
    return not any(moving in last for moving in _MOVES)


def _leaves(metadata: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Path, value, and whether it lay inside an object; a list's values share their path and are joined."""
    waiting: list[tuple[str, Any, int]] = [(way_to("", key), value, 0) for key, value in reversed(metadata.items())]
    while waiting:
        path, value, depth = waiting.pop()
        match value:
            case dict() if depth < _DEEPEST:
                waiting += [(way_to(path, f".{key}"), inner, depth + 1) for key, inner in reversed(value.items())]
            case list() if any(isinstance(inner, dict | list) for inner in value) and depth < _DEEPEST:
                waiting += [(way_to(path, f".{at}"), inner, depth + 1) for at, inner in reversed(list(enumerate(value)))]
            case list():
                yield path, ", ".join(str(inner) for inner in value if inner is not None), depth > 0
            case None | dict():
                continue
            case _:
                yield path, str(value), depth > 0
