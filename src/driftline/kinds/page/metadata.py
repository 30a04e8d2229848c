"""What a page says about itself in its head: only keys that carry content, never a denylist of those that do not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from driftline.core import embedded
from driftline.core.buying import is_off, selling
from driftline.core.money import canonical as canonical_amount
from driftline.core.money import from_plain
from driftline.core.noise import sense
from driftline.core.structured import Thing
from driftline.core.text import fold
from driftline.core.urls import clean, plain

# Real pages put request ids, traces and tokens into <meta>; a key is compared when it stands here.
KEYS: Final = frozenset(
    (
        "description keywords author robots og:title og:description og:image og:type og:price:amount og:price:currency "
        "og:availability product:price:amount product:price:currency product:availability product:condition product:brand "
        "product:retailer_item_id product:sale_price:amount product:sale_price:currency product:category "
        "article:published_time article:author article:section article:tag article:expiration_time book:author book:isbn "
        "book:release_date video:release_date music:release_date event:start_time event:end_time event:location "
        "twitter:title twitter:description twitter:image citation_title citation_author citation_publication_date "
        "dc.title dc.creator dc.description dc.date dc.subject dcterms.title dcterms.created geo.position geo.placename"
    ).split()
)
_COMPARED: Final = KEYS | {"canonical"}
_URLS: Final = frozenset(("og:image", "twitter:image"))
_LD: Final = 'script[type*="ld+json" i]'
# Buttons whose state is not in the page's text: what an input shows, and that something cannot be pressed.
_BUTTONS: Final = "button[disabled],input[type=submit],[aria-disabled=true],[class~=disabled]"
_SOURCES: Final = ("meta", "link[rel=canonical]", "input[type=submit]")
_IN_HEAD: Final = frozenset(("meta", "link"))
_EMBEDS: Final = frozenset(embedded.SELECTOR.split(","))
EMBEDDED: Final = "embedded"  # the key of the players and documents that a page shows
BUTTONS: Final = "buttons"  # the key of what selling buttons say and whether they can be pressed
# Types and fields of JSON-LD that say something to readers. Ratings, counters, dateModified, ids of the machinery
# and priceValidUntil, which most shops set a day ahead, do not.
_LD_TYPES: Final = (
    "Product ProductGroup IndividualProduct Offer AggregateOffer Article NewsArticle BlogPosting TechArticle Report JobPosting "
    "Event Course Recipe Book Movie SoftwareApplication Organization LocalBusiness Place PostalAddress FAQPage Question Answer "
    "HowTo HowToStep ListItem VideoObject Vehicle MonetaryAmount Person WebPage Service MusicEvent TheaterEvent SportsEvent "
    "BusinessEvent EducationEvent Festival ExhibitionEvent ScreeningEvent ComedyEvent DanceEvent SocialEvent LiteraryEvent "
    "ChildrensEvent FoodEvent VisualArtsEvent CourseInstance"
).split()
_LD_ASIDE: Final = frozenset(("review", "reviews", "aggregateRating", "isRelatedTo", "isSimilarTo"))  # of visitors, of others
_PAY: Final = frozenset(("baseSalary", "estimatedSalary", "salary"))  # elsewhere a value is a weight, a stock or a delay
_LD_FIELDS: Final = frozenset(
    (
        "name headline alternativeHeadline description articleBody price lowPrice highPrice priceCurrency availability "
        "sku mpn gtin gtin13 model color size material itemCondition validThrough datePosted "
        "datePublished startDate endDate doorTime eventStatus employmentType baseSalary salary value minValue maxValue "
        "unitText currency jobLocationType streetAddress addressLocality addressRegion postalCode addressCountry "
        "telephone email openingHours text image recipeIngredient recipeInstructions softwareVersion isbn author title"
    ).split()
)
_SET_DATES: Final = (
    "startDate", "endDate", "doorTime", "datePublished", "datePosted", "validThrough", "published_time", "expiration_time",
    "release_date", "start_time", "end_time", "publication_date",
)  # fmt: skip
_AMOUNTS: Final = ("price", "Price", "price:amount")
_SEVERAL: Final = re.compile(r"[^,|\s]+")  # values of one key
_SCHEMA_URL: Final = re.compile(r"(?:https?:)?//(?:www\.)?schema\.org/|\bschema:", re.IGNORECASE)
_LONGEST_BUTTON: Final = 100  # characters
_MOST_ON_BUTTONS: Final = 100_000  # in all of them: they may stand in each other
_LD_LONGEST: Final = 4_000  # characters of one key's joined values
_ASSET_HASH: Final = re.compile(
    r"(?<=[\w)])([._-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,40}(?=\.[a-z0-9]{2,5}(?:$|\.))", re.IGNORECASE
)
_BUILD_HASH: Final = re.compile(
    r"(?<=[\w)])[.-](?=[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[A-Za-z\d_-]{8}(?=\.[a-z0-9]{2,5}$)|-\d{2,4}x\d{2,4}(?=\.[a-z]{3,4}$)"
)
# Servers of pictures write sizes and versions into the path: /w_300,q_auto/v1702215127/, /cache/<hash>/, ._SX300_., =w300-h9.
_SIZED: Final = re.compile(
    r"/(?:(?:[wh]_\d+|q_[a-z\d:]+|f_[a-z]+|[cg]_[a-z_]+|dpr_[\d.a-z]+|ar_[\d:.]+)(?:,|(?=/)))+|/v\d{9,10}(?=/)|"
    r"(?<=/cache)/[0-9a-f]{32}(?=/)|\._[A-Z]{2}[A-Za-z0-9_,.-]*_(?=\.[a-z]{3,4}$)|(?<=[\w-]{8})=[whs]\d{1,4}(?:-[\w-]{1,40})?$"
)
_PICTURE: Final = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg)$", re.IGNORECASE)
_SHARD: Final = re.compile(
    r"^(https?://(?:cdn|imgs?|images?|static|media|assets?|i|s|m|lh|pics?|photos?|thumbs?|content|res|uploads?)-?)\d{1,2}(?=\.)"
)
_CITY: Final = re.compile(
    r"^(https?://[a-z]{3,20})(?:-[a-z]{3,4}\d{0,2}-\d{1,2}|\.f[a-z]{3}\d{1,2}-\d{1,2})(?=\.)"
)  # scontent-fra3-1
_PROCESSED: Final = re.compile(
    r"(/_processed_)/(?:[0-9a-z]/){1,2}((?:csm|preview)_[^/]{1,200})_[0-9a-f]{10}(?=\.[a-z]{3,4}$)"
)  # TYPO3
# Of a picture's parameters those that say which picture it is; the others say how large, how sharp, for whom and until when.
_WHICH: Final = frozenset("src url id file path name img image u f p filename".split())
_HOW: Final = frozenset("w h width height q quality dpr fit crop auto fm fmt format resize size imwidth wid hei qlt".split())


def asset_url(url: str) -> str:
    """What a picture is known by: no build's hash (`hero.3f9a8b7c.jpg`; a bare one is a name), no size, no server's number."""
    path, mark, query = url.partition("?")
    path = _PROCESSED.sub(r"\1/\2", _CITY.sub(r"\1", _SHARD.sub(r"\1", path)))
    if mark:
        pairs = query.split("&")
        if _PICTURE.search(path):
            pairs = [pair for pair in pairs if pair.partition("=")[0].lower() in _WHICH]
        else:
            pairs = [pair for pair in pairs if pair.partition("=")[0].lower() not in _HOW]
        query = "&".join(sorted(pairs, key=lambda pair: pair.partition("=")[0]))
    path = _SIZED.sub("", _BUILD_HASH.sub("", _ASSET_HASH.sub("", path)))
    return f"{path}?{query}" if query else path


def sources(tree: LexborHTMLParser) -> list[str]:
    """The raw strings that metadata comes from: what a memo may recognise without reading them."""
    head = tree.head
    title = head.css_first("title") if head is not None else None
    found = [title.text() if title is not None else ""]
    # A broken head leaves half of them in the body. One by one is quicker than a list; states of any element take longest.
    source = tree.raw_html
    selectors = (*_SOURCES, _BUTTONS) if b"disabled" in source else _SOURCES
    if embedded.may_be_in(source):
        selectors = (*selectors, embedded.SELECTOR)
    room = _MOST_ON_BUTTONS
    for node in (node for selector in selectors for node in tree.css(selector)):
        if node.tag in _EMBEDS:
            found += (EMBEDDED, embedded.source(node))
            continue
        given = node.attributes
        if node.tag not in _IN_HEAD:
            said = given.get("value") or (node.text() if room > 0 else "")
            room -= len(said)
            found += (BUTTONS, said[:_LONGEST_BUTTON], given.get("class") or "", str(is_off(given)))
            continue
        key = given.get("property") or given.get("name") or given.get("rel") or ""
        if key.strip().lower() in _COMPARED:
            found += (key, given.get("content") or given.get("href") or "")
        elif (name := given.get("itemprop")) is not None:
            found += (name, given.get("content") or "")
    found.extend(node.text() for node in tree.css(_LD))
    return found


def title_of(tree: LexborHTMLParser) -> str:
    """The document's title, else its first heading."""
    node = tree.head.css_first("title") if tree.head is not None else None
    title = fold(node.text()) if node is not None else ""
    if not title:
        heading = tree.css_first("h1")
        title = fold(heading.text()) if heading is not None else ""
    return title


def read(tree: LexborHTMLParser, things: Sequence[Thing], base: str) -> dict[str, str]:
    """The content keys with their values; the first of a repeated key, and of `article:tag` all."""
    found: dict[str, str] = _linked_data(things, base)
    for node in tree.css("meta"):
        given = node.attributes
        key = (given.get("property") or given.get("name") or "").strip().lower()
        if not key and (property_name := given.get("itemprop")) in _LD_FIELDS:
            key = f"itemprop:{property_name}"
            value = fold(given.get("content") or "")
            found[key] = f"{found[key]} | {value}" if key in found and len(found[key]) < _LD_LONGEST else value
            continue
        value = fold(given.get("content") or "")
        if key not in KEYS or not value:
            continue
        if key in _URLS:
            value = asset_url(plain(clean(value, base) or value))
        if key == "article:tag" and key in found:
            found[key] += f", {value}"
        else:
            found.setdefault(key, value)
    if tree.body is not None and (
        said := [f"{one.text} (off)" if one.off else one.text for _, one in selling(tree.body, _BUTTONS)]
    ):
        found[BUTTONS] = " | ".join(said)
    nodes = tree.css(embedded.SELECTOR) if embedded.may_be_in(tree.raw_html) else ()
    if shown := {address for node in nodes if (address := embedded.embedded(node, base))}:
        found[EMBEDDED] = " | ".join(sorted(shown))[:_LD_LONGEST]
    canonical_link = tree.css_first("link[rel=canonical]")
    if canonical_link is not None:
        found["canonical"] = clean(canonical_link.attributes.get("href") or "", base) or ""
    return found


def _linked_data(things: Sequence[Thing], base: str) -> dict[str, str]:
    """What JSON-LD says, flattened: `Product.offers.price`. Microdata is not here: its values are text on the page."""
    found: dict[str, str] = {}
    for thing in things:
        paid = thing.is_a("QuantitativeValue") and not _PAY.isdisjoint(thing.path)
        if thing.source != "json-ld" or not (paid or thing.is_a(*_LD_TYPES)) or not _LD_ASIDE.isdisjoint(thing.path):
            continue
        way = ".".join((thing.types[0], *thing.path[1:])) if len(thing.path) > 1 else thing.types[0]
        way = "salary" if paid else way
        for name in _LD_FIELDS & thing.properties.keys():
            values = [str(value).strip() for value in thing.properties[name] if not isinstance(value, Thing)]
            if name == "image":
                values = [asset_url(plain(clean(value, base) or value)) for value in values]
            if value := fold(", ".join(value for value in values if value)):
                key = f"{way}.{name}"
                found[key] = f"{found[key]} | {value}" if key in found and len(found[key]) < _LD_LONGEST else value
    return found


def base_of(tree: LexborHTMLParser, url: str) -> str:
    """What relative addresses start from: <base href> where it makes sense, else the page's own address."""
    node = tree.head.css_first("base[href]") if tree.head is not None else None
    return clean(node.attributes.get("href") or "", url) or url if node is not None else url


def told(metadata: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Keys and values as they are compared, noise removed."""
    for key in sorted(metadata):
        yield key, calm(key, metadata[key])


def calm(key: str, value: str) -> str:
    """A value as it is compared: without noise, unless it is a date that somebody set; prices and stock by what they say."""
    if key.endswith(_SET_DATES) or key == EMBEDDED:
        return value
    if key.endswith(_AMOUNTS):
        return _SEVERAL.sub(lambda amount: canonical_amount(number) if (number := from_plain(amount[0])) else amount[0], value)
    if key.endswith("availability"):
        return _SCHEMA_URL.sub("", value)
    return sense(value)
