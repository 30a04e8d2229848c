"""What JSON-LD says, flattened to content fields: `Product.offers.price`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from driftline.core.commerce.amounts import canonical, from_plain
from driftline.core.markup.structured import Thing, read_structured
from driftline.core.text.folding import fold
from driftline.kinds.page.extract.html import Extraction

# Types and fields that say something to readers. Ratings, counters, dateModified, ids of the machinery and priceValidUntil,
# which most shops set a day ahead, do not.
_TYPES: Final = (
    "Product ProductGroup IndividualProduct Offer AggregateOffer Article NewsArticle BlogPosting TechArticle Report JobPosting "
    "Event Course Recipe Book Movie SoftwareApplication LocalBusiness PostalAddress Question Answer HowToStep VideoObject "
    "Vehicle MonetaryAmount Service MusicEvent TheaterEvent SportsEvent BusinessEvent EducationEvent Festival ExhibitionEvent "
    "CourseInstance"
).split()
_ASIDE: Final = frozenset(("review", "reviews", "aggregateRating", "isRelatedTo", "isSimilarTo", "itemListElement"))
_PAY: Final = frozenset(("baseSalary", "estimatedSalary", "salary"))  # elsewhere a value is a weight, a stock or a delay
_FIELDS: Final = frozenset(
    (
        "name headline description price lowPrice highPrice priceCurrency availability sku validThrough datePosted startDate "
        "endDate doorTime eventStatus employmentType value minValue maxValue unitText currency jobLocationType streetAddress "
        "addressLocality addressRegion postalCode telephone email openingHours text softwareVersion title"
    ).split()
)
_AMOUNTS: Final = frozenset(("price", "lowPrice", "highPrice"))
_LONGEST: Final = 2_000  # characters of one key's joined values
_MOST: Final = 200  # keys


def things_in(found: Extraction) -> list[Thing]:
    """Every typed thing of a page: linked data, then microdata and RDFa."""
    scripts = "".join(f'<script type="application/ld+json">{text}</script>' for text in found.linked_data)
    things = read_structured(scripts) if scripts else []
    return [*things, *read_structured(found.tree)]


def linked_fields(things: Sequence[Thing]) -> dict[str, str]:
    """The content fields of linked data. Microdata is not here: its values are text on the page."""
    found: dict[str, str] = {}
    for thing in things:
        paid = thing.is_a("QuantitativeValue") and not _PAY.isdisjoint(thing.path)
        if thing.source != "json-ld" or not (paid or thing.is_a(*_TYPES)) or not _ASIDE.isdisjoint(thing.path):
            continue
        way = "salary" if paid else ".".join((thing.types[0], *thing.path[1:]))
        for name in sorted(_FIELDS & thing.properties.keys()):
            values = [_spelled(name, value) for value in thing.properties[name] if not isinstance(value, Thing)]
            if (value := fold(", ".join(value for value in values if value))) and len(found) < _MOST:
                key = f"{way}.{name}"
                found[key] = f"{found[key]} | {value}"[:_LONGEST] if key in found else value[:_LONGEST]
    return found


def _spelled(name: str, value: object) -> str:
    """One spelling for values that shops write in several."""
    text = str(value).strip()
    if name == "availability":
        return text.rpartition("/")[2]
    if name in _AMOUNTS and (amount := from_plain(text)) is not None:
        return canonical(amount)
    return text
