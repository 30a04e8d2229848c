"""Reads structured data from pages: JSON-LD, microdata and RDFa Lite as one list of typed things."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final, Literal

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.markup.entities import unescaped
from driftline.core.markup.jsonld import decode_embedded

MAX_THINGS: Final = 20_000  # per page
MAX_DEPTH: Final = 40  # of nested things
_WALKED_AT_LEAST: Final = 1_000  # nodes of one JSON-LD value
_WALKED_AGAIN: Final = 4  # times, where references lead to the same node: two in each of 40 nodes make a trillion ways
_MAX_CLIMB: Final = 400  # elements between a property and its thing, at most


class Thing(msgspec.Struct, frozen=True, kw_only=True):
    """A typed thing with its properties. Nested things are also in the page's list, after it."""

    types: tuple[str, ...]  # names without a prefix: "Product"
    properties: dict[str, list[Value]]
    id: str | None = None
    path: tuple[str, ...] = ()  # the properties that lead here from a top-level thing
    source: Literal["json-ld", "microdata", "rdfa"]

    def is_a(self, *names: str) -> bool:
        """Whether it has one of these types."""
        return any(name in self.types for name in names)

    def text(self, *names: str) -> str:
        """The first value of the first of these properties, as text; empty if there is none."""
        for name in names:
            for value in self.properties.get(name, ()):
                found = (value.text("name", "url") or value.id or "") if isinstance(value, Thing) else str(value).strip()
                if found:
                    return found
        return ""

    def things(self, *names: str) -> list[Thing]:
        """The things in these properties."""
        return [value for name in names for value in self.properties.get(name, ()) if isinstance(value, Thing)]


Value = str | Decimal | Thing


def read_structured(page: LexborHTMLParser | bytes | str) -> list[Thing]:
    """Every typed thing on a page, outer ones first; JSON-LD, then microdata, then RDFa."""
    tree = page if isinstance(page, LexborHTMLParser) else LexborHTMLParser(page)
    found: list[Thing] = []
    for script in tree.css('script[type*="ld+json" i]'):
        for value in decode_embedded(script.text(deep=True)):
            found.extend(_JsonLd(value).things())
            if len(found) >= MAX_THINGS:
                return found[:MAX_THINGS]
    found.extend(_from_attributes(tree, "microdata", scope="itemscope", prop="itemprop", kind="itemtype", ident="itemid"))
    if tree.css_first("[typeof]") is not None:  # the head has properties on every page
        found.extend(_from_attributes(tree, "rdfa", scope="typeof", prop="property", kind="typeof", ident="resource"))
    return found[:MAX_THINGS]


class _JsonLd:
    """One JSON-LD value, walked once; bare `{"@id": ...}` references are resolved."""

    def __init__(self, value: Any) -> None:
        self.roots = list(_roots(value))
        nodes = list(_nodes(self.roots))
        self.by_id = {node["@id"]: node for node in nodes if isinstance(node.get("@id"), str) and len(node) > 1}
        self.left = _WALKED_AT_LEAST + _WALKED_AGAIN * len(nodes)
        self.found: list[Thing] = []
        self.open: set[int] = set()  # nodes on the present path, so that circular references end

    def things(self) -> list[Thing]:
        for root in self.roots:
            self.thing(root, ())
        return self.found

    def thing(self, node: dict[str, Any], path: tuple[str, ...]) -> Thing | None:
        if len(node) == 1 and "@id" in node:
            node = self.by_id.get(node["@id"], node) if isinstance(node["@id"], str) else node
        if id(node) in self.open or len(path) > MAX_DEPTH or len(self.found) >= MAX_THINGS or not self.left:
            return None
        self.left -= 1
        self.open.add(id(node))
        ident = node.get("@id")
        thing = Thing(
            types=tuple(_type(kind) for kind in _flatten_list(node.get("@type")) if isinstance(kind, str)),
            properties={},
            id=ident if isinstance(ident, str) else None,
            path=path,
            source="json-ld",
        )
        if thing.types:
            self.found.append(thing)
        for name, value in node.items():
            if not name.startswith("@"):
                known = _property_name(name)
                values = [read for one in _flatten_list(value) if (read := self.value(one, (*path, known))) is not None]
                if values:
                    thing.properties.setdefault(known, []).extend(values)
        self.open.discard(id(node))
        return thing

    def value(self, value: Any, path: tuple[str, ...]) -> Value | None:
        match value:
            case str():
                return unescaped(value)
            case bool():
                return "true" if value else "false"
            case int() | Decimal():
                return Decimal(value)
            case {"@value": inner} if not isinstance(inner, dict | list):
                return self.value(inner, path)
            case dict():
                return self.thing(value, path)
            case _:
                return None


def _flatten_list(value: Any) -> list[Any]:
    """The values of a property as a list; nested lists and `@list` wrappers are flattened."""
    if isinstance(value, dict) and ("@list" in value or "@set" in value):
        value = value.get("@list", value.get("@set"))
    elif isinstance(value, dict) and "0" in value and all(map(str.isdecimal, value)):  # a list in PHP's form
        value = list(value.values())
    if not isinstance(value, list):
        return [] if value is None else [value]
    return [inner for one in value for inner in (one if isinstance(one, list) else [one])]


def _roots(value: Any) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting.extend(reversed(one))
        elif isinstance(one, dict):
            if "@type" in one or "@graph" not in one:
                yield one
            waiting.extend(reversed(_flatten_list(one.get("@graph"))))


def _nodes(roots: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    waiting: list[Any] = list(roots)
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def _from_attributes(
    tree: LexborHTMLParser, source: Literal["microdata", "rdfa"], *, scope: str, prop: str, kind: str, ident: str
) -> list[Thing]:
    """Things in the markup: every scope is one, every property belongs to the nearest scope around it."""
    found: list[Thing] = []
    by_node: dict[int, Thing] = {}
    loose: dict[str, list[Value]] = {}  # properties outside of any thing
    for node in tree.css(f"[{scope}],[{prop}]"):  # in document order; an element that matches both appears twice
        if node.mem_id in by_node:
            continue
        owner = _owner(node, by_node)
        names = [_last_part(name) for name in (node.attributes.get(prop) or "").split()]
        value: Value | None = None
        if scope in node.attributes:
            if len(found) >= MAX_THINGS:
                break
            value = Thing(
                types=tuple(_type(name) for name in (node.attributes.get(kind) or "").split()),
                properties={},
                id=node.attributes.get(ident),
                path=(*owner.path, names[0]) if owner and names and len(owner.path) < MAX_DEPTH else (),
                source=source,
            )
            by_node[node.mem_id] = value
            if value.types:
                found.append(value)
        elif names and (owner is not None or _LOOSE.intersection(names)):
            value = _property(node, named="name" in names)
        if value is not None:
            for name in names:
                (owner.properties if owner is not None else loose).setdefault(name, []).append(value)
    one_price = len(set(filter(None, map(_written, loose.get("price", ()))))) == 1  # several are those of several products
    if one_price and len(_LOOSE & loose.keys()) > 1 and not any("price" in thing.properties for thing in found):
        found.append(Thing(types=("Offer",), properties=loose, source=source))
        found.append(Thing(types=("Product",), properties={"offers": [found[-1]]}, source=source))
    return found


def _written(value: Value) -> str:
    return "" if isinstance(value, Thing) else str(value).strip()


def _owner(node: LexborNode, by_node: dict[int, Thing]) -> Thing | None:
    parent = node.parent
    for _ in range(_MAX_CLIMB):
        if parent is None:
            return None
        if (owner := by_node.get(parent.mem_id)) is not None:
            return owner
        parent = parent.parent
    return None


_LOOSE: Final = frozenset(("price", "priceCurrency", "availability"))
_VALUE_IN: Final = {
    **dict.fromkeys(("a", "area", "link"), "href"),
    **dict.fromkeys(("img", "audio", "video", "source", "embed", "iframe", "track"), "src"),
    "object": "data",
    "data": "value",
    "meter": "value",
    "time": "datetime",
}


def _property(node: LexborNode, *, named: bool = False) -> str | None:
    """The value of a property element; `content`, meant for machines, wins. The name on a link is what the link says."""
    attributes = node.attributes
    written = attributes.get("content")
    if written is None and not (named and node.tag == "a"):
        written = attributes.get(_VALUE_IN.get(node.tag or "", ""))
    if written is None and (source := attributes.get("data-src")) and node.tag == "img":
        written = source
    text = written if written is not None else node.text(deep=True, separator=" ")
    return " ".join(text.split()) or None


def _type(name: str) -> str:
    """A type in schema.org's spelling: `product` becomes Product."""
    bare = _last_part(name)
    return bare[:1].upper() + bare[1:]


def _property_name(name: str) -> str:
    """A property in schema.org's spelling: `Offers` becomes offers."""
    bare = _last_part(name)
    return bare[:1].lower() + bare[1:]


def _last_part(name: str) -> str:
    """The last part of a URL or a prefixed name."""
    name = name.strip().rstrip("/#")
    for mark in "/#":
        name = name.rsplit(mark, 1)[-1]
    return name.rsplit(":", 1)[-1]
