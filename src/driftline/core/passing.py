"""Parts of a page that change by themselves, told by where they stand and what they are called.

Lists of other pages, the weather, counters without words, clocks and the day's date in the page's head and foot, and what no
reader sees. A part that holds the page's own heading or most of its text is never one of them. The page is read without them;
they stay in what is fingerprinted, where finding them would cost more than all the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import re2
from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core import dates
from driftline.core.clutter import clutter_of, is_classified, is_policy
from driftline.core.daily import DAILY_MARKS, daily_parts, is_ticker
from driftline.core.days import is_date, of_the_day, on_top
from driftline.core.later import later
from driftline.core.layers import MARKS, is_layer, layers, view_columns
from driftline.core.listed import is_list_of_links, lists_by_heading
from driftline.core.noise import canonical
from driftline.core.noise_rules import NUMBER
from driftline.core.panels import Panels
from driftline.core.passing_words import (
    AGES,
    AROUND,
    CLOCKS,
    COUNTS,
    LAYERS,
    LISTS,
    LISTS_ASIDE,
    OF_THE_DAY,
    PAID_FOR,
    PROMOS,
    TODAY,
    TURNS,
    UPTIMES,
    VISITS,
    WALLS,
)
from driftline.core.permalinks import permalinks
from driftline.core.promotions import BARS, FUNDRAISING, NOTICES, asks_for_money, asks_to_join, shouts, tells_news
from driftline.core.signs import IN_PAGES
from driftline.core.standing import CODE, is_beside, is_within
from driftline.core.text import fold

_MOST_OF_THE_PAGE: Final = 0.5  # of its text: what holds so much is the page
_RELATED_TO_ITSELF: Final = 1.8  # times that, for a list of what is related to the page that its heading names
_RELATED: Final = re.compile(
    r"related|similar|also|recently viewed|bought together|verwandt|ähnlich|auch|zuletzt|aussi|similaires|apparentés|también|"
    r"relacionad|anche|correlat|também|ook|gerelateerd|podobn|także|też|похож|также|benzer|関連|相关|相關|관련|"
    r"seller|verkäufer|vendeur|vendedor|venditor|verkoper|sprzedaw|продавц|semelhant|similares|simili|vergelijkbar|vergleichbar|"
    r"comparable|parecid|liknande|lignende|samankalt|vastaavi|схож|подібн|مشابه|مماثل|類似|似|相似|同类|看了|見た人|비슷|유사|함께"
)
_MOST_ADVERTS: Final = 0.6  # of that: where advertisements hold so much, they are what the page is for
_APPEAL: Final = 3_000  # of a request for donations
_LARGE: Final = 300  # characters; what is hidden and says so much will be shown: a tab, an answer to a question
_LONGEST_NAME: Final = 60  # characters of a class or id
_MOST_PARTS: Final = 400  # that are looked at; a page with more of them is called so throughout
_MOST_ENDS: Final = 40
_MOST_TURNS: Final = 4  # links to the pages before and after
_MOST_LISTS: Final = 20  # whose entries are remembered
_NEVER: Final = frozenset("html body main article h1 h2 h3 h4 h5 h6 form table tbody tr td th".split())
_CONTENT: Final = frozenset(("main", "article", "section", "li", "table"))  # a head or foot inside these is not the page's
_ENDS: Final = (
    "header,footer,nav,#header,#footer,.header,.footer,.topbar,.top-bar,#topbar,.masthead,#masthead,"
    "body>.top,body>#top,body>.head,body>#head"
)
_TIMES: Final = frozenset(("time", "relative-time", "time-ago"))
# What is hidden, or the time since something: without the bytes, no look.
_QUIET: Final = (
    (b" hidden", "[hidden]"),
    (b"display:none", '[style*="display:none"]'),
    (b"display: none", '[style*="display: none"]'),
    (b"visibility:hidden", '[style*="visibility:hidden"]'),
    (b"-9999px", '[style*="-9999px"]'),
    (b"commentcount", "[itemprop=commentCount]"),
    (b"interactioncount", "[itemprop=interactionCount],[itemprop=userInteractionCount]"),
    (b"ookie", '[role=dialog][aria-label*="ookie"]'),
    (b"<button", "button"),
    (b"<time", "time"),
    (b"<relative-time", "relative-time"),
    (b"<time-ago", "time-ago"),
)
_HIDING: Final = frozenset(mark for mark, _ in _QUIET[:5])
_SHOWN: Final = frozenset(("button", "time", "relative-time", "time-ago"))  # pass by what they say
_SIGNS: Final = IN_PAGES.words((*MARKS, *DAILY_MARKS, *(mark for mark, _ in _QUIET)))
_ABOUT_CONSENT: Final = ("cookie", "consent", "gdpr", "privacy")
_PAID_LABEL: Final = re2.compile(("(?i)>\\s*(?:" + "|".join(sorted(PAID_FOR)) + ")\\s*:?\\s*<").encode())
_BARE_TURN: Final = re.compile(r"\w+ {1,2}(?:prev|previous|next|older|newer)")
_TURNING: Final = re.compile(r"nav|pag(?:er|ing|ination)|turn")
_PLAIN: Final = re.compile(r"[\w-]+")
_AGE: Final = later(
    rf"\W{{0,2}}(?:\d{{1,3}}\s?(?:s|secs?|m|mins?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mo|months?|y|yrs?|years?)\.?|"
    rf"(?:{dates.NOW_WORDS})(?:,?\s.{{0,20}})?"
    rf"|(?:{dates.WEEKDAYS})(?:,?\s(?:at\s)?{dates.CLOCK})?|in\s\d{{1,3}}\s\w{{3,8}}|.{{0,30}}\s(?:ago|geleden|fa|temu|"
    rf"назад|önce|sedan|siden))\W{{0,2}}"
)
_DATE: Final = later(dates.DATE)
_NUMBER_ALONE: Final = re.compile(rf"\W{{0,3}}{NUMBER}\W{{0,3}}")


class Passing(NamedTuple):
    """What of a page passes by itself."""

    ids: frozenset[int] = frozenset()  # of all elements and texts in it
    entries: tuple[tuple[str, str], ...] = ()  # address and text of what lists of other pages point to
    ages: frozenset[int] = frozenset()  # of the texts among them that say how long ago something was


def passing(tree: LexborHTMLParser) -> Passing:
    """The parts of a page that pass by themselves."""
    body = tree.body
    if body is None:
        return Passing()
    size = len(body.text()) * _MOST_OF_THE_PAGE
    source = tree.raw_html
    small = source.lower()
    signs = frozenset(_SIGNS[number] for number in IN_PAGES.found_in(source) if number in _SIGNS)
    named = list(_named_parts(body, source, size * _MOST_ADVERTS))
    headed = list(lists_by_heading(body, small))
    lists = [*(part for part, _ in headed), *(part for part in named if _kind(part).startswith("list"))]
    parts = (
        *_quiet_parts(body, signs),
        *lists,
        *named,
        *_paid_for(body, source),
        *layers(body, signs),
        *daily_parts(body, signs),
    )
    # What is related to the page is not the page, however little that says itself.
    larger = size * _RELATED_TO_ITSELF if body.css_first("h1") is not None else size
    related = {part.mem_id for part, said in headed if _RELATED.search(said)}
    found: set[int] = set()
    ages: set[int] = set()
    for part in parts:
        if part.mem_id not in found and not _is_the_page(part, larger if part.mem_id in related else size):
            held = [inner.mem_id for inner in part.traverse(include_text=True)]
            found.update(held)
            if part.tag in _TIMES or _kind(part) == "age":
                ages.update(held)
            else:
                ages.difference_update(held)
    entries = {
        (link.attributes.get("href") or "", fold(link.text()))
        for part in lists[:_MOST_LISTS]
        if part.mem_id in found
        for link in part.css("a[href]")
    }
    found.update(view_columns(body, small))
    found.update(permalinks(body, small))
    found.update(on_top(body))
    for node in body.css(_ENDS)[:_MOST_ENDS]:
        if not is_within(node, _CONTENT) and node.css_first("h1") is None:
            found.update(of_the_day(node))
    return Passing(frozenset(found), tuple(sorted(entries)), frozenset(ages))


def _is_the_page(node: LexborNode, most: float) -> bool:
    return node.tag in _NEVER or node.css_first("h1,main") is not None or len(node.text()) > most


def _quiet_parts(body: LexborNode, signs: frozenset[bytes]) -> Iterator[LexborNode]:
    """What is hidden, and times since something."""
    selectors = [selector for mark, selector in _QUIET if mark in signs]
    panels = Panels(body) if signs & _HIDING else None
    for node in body.css(",".join(selectors)) if selectors else ():
        if _is_quiet(node) and not (panels is not None and node.tag not in _SHOWN and panels.holds(node)):
            yield node


def _paid_for(body: LexborNode, source: bytes) -> Iterator[LexborNode]:
    """What stands together with a label that says advertisement, if it is small and leads away."""
    if not _PAID_LABEL.search(source):
        return
    seen: set[int] = set()
    for label in body.css("span,p,small,label,div,h2,h3,h4,h5,h6"):
        holder = label.parent
        if holder is None or holder.mem_id in seen or fold(label.text()[:_LARGE]).lower().strip(" :") not in PAID_FOR:
            continue
        seen.add(holder.mem_id)
        if len(holder.text()) <= _LARGE and holder.css_first("a[href]") is not None:
            yield holder


def _named_parts(body: LexborNode, source: bytes, most_adverts: float) -> Iterator[LexborNode]:
    """What is called like a part that passes, and looks like it."""
    names = _passing_names(source)
    adverts: list[LexborNode] = []
    for node in body.css(",".join(map(_selector, names)))[:_MOST_PARTS] if names else ():
        if _passes(node):
            yield node
        elif _kind(node) in ("ads", "consent") and not _is_content(node):
            adverts.append(node)
    # Sites of classified ads call their content so.
    if sum(len(node.text()) for node in adverts) <= most_adverts:
        yield from adverts


def _is_quiet(node: LexborNode) -> bool:
    """Whether an element is hidden, the time since something, or a button with nothing but a number on it."""
    said = fold(node.text())
    if node.tag == "button":
        return _NUMBER_ALONE.fullmatch(said.lower()) is not None
    if node.tag in _TIMES:
        return _AGE.fullmatch(said.lower()) is not None or canonical(said).text != said
    return len(said) <= _LARGE


def _passing_names(source: bytes) -> list[str]:
    """The classes and ids in a source that passing parts are called by."""
    values: set[bytes] = set()
    for start, odd in ((b' class="', b" class="), (b' id="', b" id=")):
        pieces = source.split(start)
        values.update([piece[: piece.find(b'"')] for piece in pieces[1:]])
        if source.count(odd) >= len(pieces):
            values.update([_value(piece) for piece in source.split(odd)[1:]])
    return sorted({name for value in values for name in _names_in(value)})


def _value(piece: bytes) -> bytes:
    """The value that an attribute starts with, whatever its quotes."""
    quote = piece[:1]
    if quote in (b'"', b"'"):
        return piece[1 : piece.find(quote, 1)]
    return piece[:80].split(b">", 1)[0].split(b" ", 1)[0]


@lru_cache(maxsize=8192)
def _names_in(value: bytes) -> tuple[str, ...]:
    words = value.decode("utf-8", "replace").split()
    return tuple(word for word in words if _PLAIN.fullmatch(word) and called(word, ""))


def _selector(name: str) -> str:
    return f'[class~="{name}"],[id="{name}"]'


def _passes(node: LexborNode) -> bool:
    match _kind(node):
        case "around":
            return not _is_content(node)
        case "layer":
            return is_layer(node)
        case "promo":
            return is_layer(node) and not tells_news(node.text())
        case "bar":
            return is_layer(node) and shouts(node.text())
        case "appeal":
            return len(node.text()) <= _APPEAL and asks_for_money(node.text())
        case "notice":
            return len(node.text()) <= _APPEAL and asks_for_money(node.text()) and not tells_news(node.text())
        case "clock":
            said = node.text()
            return len(said) <= _LARGE and any(map(str.isdigit, said)) and not _DATE.search(said.lower())
        case "wall":
            return node.tag != "p" and len(node.text()) <= _LARGE and asks_to_join(node.text())
        case "list":
            return is_list_of_links(node, cards=True)
        case "list aside":
            return is_beside(node) and is_list_of_links(node, cards=True)
        case "day":
            return is_beside(node) or is_ticker(node)
        case "count":
            return _NUMBER_ALONE.fullmatch(fold(node.text()).lower()) is not None and not is_within(node, CODE)
        case "visits":
            return len(node.text()) <= _LARGE
        case "uptime":
            return len(said := node.text()) <= _LONGEST_NAME and any(map(str.isdigit, said))
        case "turn":
            return _turns(node)
        case "age":
            return _AGE.fullmatch(fold(node.text()).lower()) is not None
        case "today":
            return is_date(node.text())
    return False


def _turns(node: LexborNode) -> bool:
    """Whether an element leads to the pages before and after this one by their titles; a date makes it an announcement."""
    said = node.text()
    if _BARE_TURN.fullmatch(_names(node)) and not (node.parent is not None and _TURNING.search(_names(node.parent))):
        return False
    return len(said) <= _LARGE and 0 < len(node.css("a[href]")) <= _MOST_TURNS and not _DATE.search(said.lower())


def _names(node: LexborNode) -> str:
    given = node.attributes
    return f"{node.tag} {given.get('class') or ''} {given.get('id') or ''}".strip().lower()


def _kind(node: LexborNode) -> str:
    given = node.attributes
    return called(given.get("class") or "", given.get("id") or "")


@lru_cache(maxsize=4096)
def called(classes: str, identity: str) -> str:
    """What an element's class and id say that it is; empty: nothing that passes."""
    words = [word for word in (*classes.lower().split(), identity.lower()) if 0 < len(word) <= _LONGEST_NAME]
    for kind, pattern in (
        ("around", AROUND),
        ("layer", LAYERS),
        ("promo", PROMOS),
        ("bar", BARS),
        ("appeal", FUNDRAISING),
        ("notice", NOTICES),
        ("clock", CLOCKS),
        ("list", LISTS),
        ("list aside", LISTS_ASIDE),
        ("day", OF_THE_DAY),
        ("today", TODAY),
        ("visits", VISITS),
        ("wall", WALLS),
        ("count", COUNTS),
        ("age", AGES),
        ("turn", TURNS),
        ("uptime", UPTIMES),
    ):
        if any(pattern.fullmatch(word) for word in words):
            return kind
    return clutter_of(classes, identity)


def _is_content(node: LexborNode) -> bool:
    """Whether an element that is called like a banner or an ad slot is a policy, or what people offer each other."""
    return _is_about_consent(node) or is_classified(node)


def _is_about_consent(node: LexborNode) -> bool:
    """Whether an element is called like a cookie banner and is a text about cookies."""
    given = node.attributes
    name = f"{given.get('class') or ''} {given.get('id') or ''}".lower()
    return any(word in name for word in _ABOUT_CONSENT) and is_policy(node)
