"""The pages of a listing: which request follows this one."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.identity.urls import MAX_LENGTH, clean, registrable_host
from driftline.core.select.jsonpath import Work, compile_path
from driftline.core.select.selectors import parse_selector, pick
from driftline.core.text.folding import fold
from driftline.core.text.lazy_regex import lazy_regex
from driftline.kinds.catalog.rules import CatalogRules
from driftline.model.fetch import Fetched, Request

_NUMBERED: Final = re.compile(r"/(?:page|p|seite|pagina|strona)?[/-]?\d{1,5}\Z", re.IGNORECASE)
_DIGIT: Final = re.compile(r"\d")
_LABEL: Final = re.compile(r"page=(\d+)(?: found)?")
_MOST_LINKS: Final = 3_000
_LONGEST: Final = 40  # characters of a link to the next page
_AROUND: Final = 4  # elements around a link that may be named as a pager
_PAGE_PART: Final = re.compile(r"/(?:page|seite|pagina|strona|sida|p)[/-]?(\d{1,5})/?\Z", re.IGNORECASE)
_PAGE_PARAMETERS: Final = frozenset(
    "p pg page paged pagenumber pageno pagenum pageindex currentpage pagina seite strona sida side stranka sayfa".split()
)
_PAGER: Final = lazy_regex(r"pagina|pager|page-?_?(?:numbers|list|nav)|(?:^|[\s_-])pages(?:$|[\s_-])", re.IGNORECASE)
_NEXT: Final = lazy_regex(r"(?:^|[\s_-])next(?:$|[\s_-])", re.IGNORECASE)
_MORE: Final = lazy_regex(r"(?:load|show|view|see)[-_]?more|more[-_]?(?:results|products|items)", re.IGNORECASE)
_ADDRESSES: Final = ("data-url", "data-next-url", "data-next-page", "data-href", "data-load-more-url")
_FOUND: Final = " found"  # behind the label of a page that nothing calls the next one but its place and number


def page_number(request: Request) -> int:
    """The page number of a request, from 1."""
    found = _LABEL.fullmatch(request.label)
    return int(found[1]) if found else 1


def is_found(request: Request) -> bool:
    """Whether a page was found by its number: it may be gone, while rel=next is a promise."""
    return request.label.endswith(_FOUND)


def listing_of(url: str) -> str:
    """The address that the pages of a listing share."""
    return _NUMBERED.sub("", url.partition("?")[0].rstrip("/"))


def next_page(tree: LexborHTMLParser, got: Fetched, rules: CatalogRules, base: str, *, found: bool) -> tuple[Request, ...]:
    """The page after this one: by the rules, by rel=next, else the link of a pager to the next number."""
    pages = rules.pages
    if pages.parameter is not None:
        return _next_numbered(got.request, rules) if found else ()
    if pages.next == "none":
        return ()
    if pages.next is None:
        links = [*tree.css('link[rel~="next" i]'), *tree.css('a[rel~="next" i]')]
    else:
        links = pick(tree, [parse_selector(pages.next)], limited=False).nodes
    for link in links:
        node = link if link.attributes.get("href") else link.css_first("a[href]")
        href = node.attributes.get("href") if node is not None else None
        if href and (url := _next_url(href, base, got.url)):
            return _next_request(got.request, url, rules)
    if pages.next is None and found and (url := _by_pager(tree, got, base)):
        return _next_request(got.request, url, rules, how=_FOUND)
    return ()


def _by_pager(tree: LexborHTMLParser, got: Fetched, base: str) -> str | None:
    """The target of a link to the next number of this listing, or of one that loads more of it."""
    following = (_number_in(got.url) or page_number(got.request)) + 1
    listing = _PAGE_PART.sub("", urlsplit(got.url).path).rstrip("/")
    marked: str | None = None
    for node in tree.css("a[href]")[:_MOST_LINKS]:
        href = node.attributes.get("href") or ""
        if not _DIGIT.search(href) or _is_elsewhere(href, listing):
            continue  # every page but the first has a number
        target = clean(href, base)
        if target is None or not target.startswith(listing, max(target.find("/", 8), 8)):
            continue
        text = fold(node.text())
        by_number = text == str(following)
        if not by_number and len(text) > _LONGEST:
            continue
        pager = _is_called(node, _PAGER, around=_AROUND)
        called = by_number or _is_called(node, _NEXT, around=1) or _is_called(node, _MORE, around=1)
        if not called and not (pager and str(following) in href):
            continue
        url = _next_url(href, base, got.url)
        if url is None or not _leads_on(url, got.url, following, pager=pager):
            continue
        if by_number:
            return url
        marked = marked or url
    return marked or _by_button(tree, got, base)


def _is_elsewhere(href: str, listing: str) -> bool:
    """Whether a link surely leads out of a listing's path, without resolving it: most links do, to products."""
    if "%" in href or "%" in listing or not listing.isascii():
        return False  # one may be written in several ways
    if href.startswith("/") and not href.startswith(("//", "/.")):
        return not href.startswith(listing) and "/." not in href
    return href.startswith(("https://", "http://")) and listing not in href


def _by_button(tree: LexborHTMLParser, got: Fetched, base: str) -> str | None:
    """Where a button loads more of the listing from."""
    for node in tree.css(",".join(f"[{name}]" for name in _ADDRESSES))[:_MOST_LINKS]:
        target = next((value for name in _ADDRESSES if (value := node.attributes.get(name))), "")
        if target and _is_called(node, _MORE, around=2) and (url := _next_url(target, base, got.url)):
            return url
    return None


def _is_called(node: LexborNode, name: re.Pattern[str], *, around: int) -> bool:
    """Whether the classes or the label of an element, or of one of those around it, have a name in them."""
    at: LexborNode | None = node
    for _ in range(around + 1):
        if at is None or at.tag in ("body", "main", "html"):
            return False
        attributes = at.attributes
        if any(name.search(value) for key in ("class", "id", "aria-label", "data-hook") if (value := attributes.get(key))):
            return True
        at = at.parent
    return False


def _leads_on(url: str, present: str, following: int, *, pager: bool) -> bool:
    """Whether an address is this listing's at a later number: in one parameter or at the end of the path, and nowhere else."""
    there, here = urlsplit(url), urlsplit(present)
    parameters, present_parameters = (
        parse_qsl(there.query, keep_blank_values=True),
        parse_qsl(here.query, keep_blank_values=True),
    )
    numbers = [pair for pair in parameters if pair not in present_parameters]
    if _PAGE_PART.sub("", there.path).rstrip("/") == _PAGE_PART.sub("", here.path).rstrip("/") and there.path != here.path:
        return not numbers and _number_in(url) == following
    if there.path.rstrip("/") != here.path.rstrip("/"):
        return pager and _shares_start(there.path, here.path)
    if len(numbers) != 1 or not re.fullmatch(r"\d{1,6}", numbers[0][1]):
        return False
    name, value = numbers[0]
    before = next((int(old) for key, old in present_parameters if key == name and old.isdecimal()), 0)
    return int(value) > before and (pager or _is_page(name))


def _shares_start(there: str, here: str) -> bool:
    """Whether a path is another one with a number put behind it: /phones_from_49."""
    rest = there.removeprefix(here.rstrip("/"))
    return rest != there and re.fullmatch(r"[/_-]?[A-Za-z]{0,12}[/_=-]?\d{1,6}/?(?:[_A-Za-z]{0,20}|\.html?)", rest) is not None


def _number_in(url: str) -> int | None:
    """The page number that an address has in it."""
    parts = urlsplit(url)
    if found := _PAGE_PART.search(parts.path):
        return int(found[1])
    values = (value for name, value in parse_qsl(parts.query) if _is_page(name))
    return next((int(value) for value in values if re.fullmatch(r"\d{1,5}", value)), None)


def _is_page(parameter: str) -> bool:
    """Whether a parameter of an address is called a page number: page, product-page, query_page."""
    return parameter.replace("_", "-").rpartition("-")[2].casefold() in _PAGE_PARAMETERS


def _next_url(href: str, base: str, present: str) -> str | None:
    """The target of a link to the next page; None for another site, or for the present page."""
    url = clean(href, base)
    if url is None or len(url) > MAX_LENGTH or registrable_host(url) != registrable_host(present) or url == clean(present):
        return None
    return url


def _next_request(request: Request, url: str, rules: CatalogRules, how: str = "") -> tuple[Request, ...]:
    """The request for the next page, while the limit allows it."""
    number = page_number(request) + 1
    if number > rules.pages.limit:
        return ()
    return (Request(url=url, label=f"page={number}{how}", depth=request.depth + 1),)


def _next_numbered(request: Request, rules: CatalogRules) -> tuple[Request, ...]:
    """The request for the next page, by its number in the URL."""
    return _next_request(request, with_page(request.url, rules, page_number(request) + 1), rules)


def with_page(url: str, rules: CatalogRules, number: int) -> str:
    """The listing's URL for a page number, counted from 1."""
    pages = rules.pages
    parts = urlsplit(url)
    value = str(pages.start + (number - 1) * pages.step)
    query = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name != pages.parameter]
    return urlunsplit(parts._replace(query=urlencode([*query, (pages.parameter or "page", value)])))


def next_in_json(data: object, got: Fetched, rules: CatalogRules, *, found: bool, work: Work) -> tuple[Request, ...]:
    """The next page of a JSON listing: by number, or by the URL that the answer names."""
    if rules.pages.parameter is not None:
        return _next_numbered(got.request, rules) if found else ()
    if rules.pages.next is None or rules.pages.next == "none":
        return ()
    href = compile_path(rules.pages.next).first(data, work=work)
    url = _next_url(href, got.url, got.url) if isinstance(href, str) and href else None
    return _next_request(got.request, url, rules) if url else ()
