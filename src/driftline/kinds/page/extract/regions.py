"""Which part of a page each element belongs to: what it is called, unless it holds the page's own text; and the main text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from selectolax.lexbor import LexborNode

from driftline.kinds.page.extract.shapes import Shape
from driftline.kinds.page.extract.walk import Walk
from driftline.kinds.page.parsed import Region

_LONG: Final = 80  # characters of a line that is running text
_MOST: Final = 0.4  # of the running text: what holds more of it is the page itself, whatever it is called
_MAIN: Final = 0.75  # of the running text that the main part holds
_ENOUGH: Final = 600  # characters of running text that make a page an article
_LITTLE: Final = 160  # where the page says itself which part is its own
_LAYERS: Final = re.compile(r"modal|popup|banner|dialog|overlay|preference")
_MENU: Final = "button,select,form,nav,[class*=breadcrumb]"
_ADVERTS: Final = 1 / 3  # of the text: slots that hold more of it are the page
_UNSEEN: Final = 300  # characters of a hidden part that is no content unless a click shows it
_ANSWER: Final = 20  # characters below a button that are more than its message
_STAYS: Final = frozenset(("overlay", "advert"))  # nothing inside makes them content again
_OWN: Final = frozenset(("main", "article"))
_PRESSED: Final = "button,input,select,a[role=button],a[class*=btn],a[class*=button]"
_PRESSABLE: Final = f'{_PRESSED},[onclick],a:not([href]),a[href^="#"],a[href^="javascript:"]'
_POLICY: Final = 250  # characters; what says so much about cookies and has nothing to press is no banner
_OPENERS: Final = "[aria-controls],[data-target],[data-bs-target],a[href^='#']"
_OPENS: Final = ("aria-controls", "data-target", "data-bs-target", "href")


class Regions(NamedTuple):
    """By element."""

    of: list[Region]
    main: list[bool]  # inside the part that holds most of the running text; all False where there is little
    size: list[int]  # characters below it


class _Sums(NamedTuple):
    """Characters below each element."""

    running: list[int]  # of lines that are running text
    size: list[int]
    linked: list[int]  # of lines with a link
    total: int  # running text of the page
    whole: int  # all text of the page


def regions(walk: Walk) -> Regions:
    """Linear in the elements of the page."""
    sums = _sums(walk)
    best = _main(walk, sums.running, sums.total)
    main = [False] * len(sums.running)
    if best >= 0:
        main[best] = True
        for number in range(best + 1, len(main)):
            main[number] = walk.parents[number] >= 0 and main[walk.parents[number]]
    unseen = _unseen(walk, sums.size)
    apart = _beside_main(walk, sums)
    own = _own(walk)
    found: list[Region] = []
    clicked: set[int] = set()  # dialogs that are parts of the page, and all inside
    opened: set[str] | None = None
    for number, shape in enumerate(walk.shapes):
        parent = walk.parents[number]
        around: Region = found[parent] if parent >= 0 else "content"
        named = "overlay" if number in unseen else shape.named
        if named is None and number not in apart and parent not in clicked:  # as most
            found.append(around)
            continue
        if named is None and number in apart:
            named = "beside"
        if named == "overlay" and around == "content" and opened is None:
            opened = _opened(walk)
        if parent in clicked or (
            named == "overlay" and around == "content" and _is_shown_by_click(walk, number, opened or set())
        ):
            clicked.add(number)
            named = None if named == "overlay" else named
        if named is None or named == around or around in _STAYS:
            found.append(around)
        elif named == "content":
            found.append("content" if around == "beside" else around)
        elif _is_page(walk, number, named, sums, inside=main[number], own=own[number]):
            found.append(around)
        else:
            found.append(named)
    return Regions(_without_adverts(walk, found, sums), main, sums.size)


def _own(walk: Walk) -> list[int]:
    """For each element the <main> or <article> around it; -1: none."""
    found: list[int] = []
    for parent in walk.parents:
        found.append(-1 if parent < 0 else parent if walk.shapes[parent].tag in _OWN else found[parent])
    return found


def _beside_main(walk: Walk, sums: _Sums) -> set[int]:
    """The parts next to the one <main> of a page that has most of its text there: what they list is other pages."""
    mains = [number for number, shape in enumerate(walk.shapes) if shape.tag == "main"]
    if len(mains) != 1 or 2 * sums.size[mains[0]] < sums.whole:
        return set()
    around: set[int] = set()
    above = mains[0]
    while above >= 0:
        around.add(above)
        above = walk.parents[above]
    return {
        number for number, parent in enumerate(walk.parents) if parent in around and number not in around and parent != mains[0]
    }


def _sums(walk: Walk) -> _Sums:
    running, size, linked = [0] * len(walk.nodes), [0] * len(walk.nodes), [0] * len(walk.nodes)
    lines = zip(walk.texts, walk.line_holders, walk.line_links, walk.line_whole, strict=True)
    for text, holder, link, whole in lines:
        if holder >= 0:
            size[holder] += len(text)
            running[holder] += len(text) if len(text) >= _LONG and not (link >= 0 and whole) else 0  # a teaser leads elsewhere
            linked[holder] += len(text) if link >= 0 else 0
    for number in range(len(size) - 1, 0, -1):
        if (parent := walk.parents[number]) >= 0:
            running[parent] += running[number]
            size[parent] += size[number]
            linked[parent] += linked[number]
    roots = [number for number, parent in enumerate(walk.parents) if parent < 0]
    return _Sums(running, size, linked, sum(running[root] for root in roots), sum(size[root] for root in roots))


def _main(walk: Walk, running: Sequence[int], total: int) -> int:
    """The deepest part with most of the running text; of a short page the one that it calls its own; -1: none."""
    best = -1
    for number, held in enumerate(running):  # parents first
        if held and held >= _MAIN * total and (total >= _ENOUGH or walk.shapes[number].tag in _OWN):
            best = number
    return best if total >= _LITTLE else -1


def _is_page(walk: Walk, number: int, named: Region, sums: _Sums, *, inside: bool, own: int) -> bool:
    """Whether an element holds what the page says, whatever part of one it is called after."""
    size, running = sums.size[number], sums.running[number]
    most = running > _MOST * sums.total
    shape, node = walk.shapes[number], walk.nodes[number]
    inside = inside or any(f">{tag}" in shape.path for tag in _OWN)
    if most and sums.total >= _ENOUGH:
        return True
    if named == "overlay":
        if shape.hidden or shape.tag == "dialog" or node.attributes.get("role") is not None:
            return False
        return (most and node.css_first("main,article,h1") is not None) or _is_text(node, shape, size, inside=inside)
    if named == "beside":
        return 2 * size > sums.whole
    if named == "navigation" and shape.worded and own >= 0 and 2 * size > sums.size[own]:
        return True  # most of the page's own text, were it links: a list
    if named != "navigation" or 2 * sums.linked[number] >= size:
        return False
    heads = (shape.tag == "header" or shape.heads) and node.css_first("h1") is not None
    if heads and (not sums.linked[number] or own >= 0):
        return True  # the page's heading, and nothing that leads anywhere
    return shape.worded and (shape.component or inside or heads) and node.css_first(_MENU) is None


def _is_shown_by_click(walk: Walk, number: int, opened: set[str]) -> bool:
    """Whether a dialog is a part of the page that a link or button opens: it names it, and asks for nothing."""
    node = walk.nodes[number]
    if walk.shapes[number].consents or (node.attributes.get("id") or "") not in opened:
        return False
    asks = node.css_first("form,input,select,textarea,iframe,video") is not None
    return not asks and node.css_first("h1,h2,h3,h4,h5,h6,table,dl") is not None


def _opened(walk: Walk) -> set[str]:
    """The ids of what links and buttons open."""
    found = {
        (given.get(name) or "").removeprefix("#")
        for opener in walk.nodes[0].css(_OPENERS)
        if (given := opener.attributes)
        for name in _OPENS
    }
    return found - {""}


def _is_text(node: LexborNode, shape: Shape, size: int, *, inside: bool) -> bool:
    """Whether what is called a layer is a section: with nothing to press, in the page's text, or as long as a policy."""
    own = any(f">{tag}" in shape.path for tag in _OWN)
    consents = shape.consents and not _LAYERS.search(shape.path)
    if (own or (inside and consents)) and node.css_first(_PRESSED) is None:
        return True
    if not consents:
        return False
    if node.css_first("table") is not None:
        return True
    return node.css_first(_PRESSABLE) is None and (size >= _POLICY or node.css_first("h1,h2,h3,h4,ul,ol,dl") is not None)


def _unseen(walk: Walk, size: Sequence[int]) -> set[int]:
    """Hidden parts that are short, and that no click shows."""
    shapes, parents = walk.shapes, walk.parents
    found = [
        number
        for number, shape in enumerate(shapes)
        if shape.hidden and 0 < size[number] <= _UNSEEN and not (parents[number] >= 0 and shapes[parents[number]].hidden)
    ]
    if not found:
        return set()
    opened = _opened(walk)
    return {number for number in found if not _is_opened(walk, number, size[number], opened)}


def _is_opened(walk: Walk, number: int, size: int, opened: set[str]) -> bool:
    node = walk.nodes[number]
    given = node.attributes
    if given.get("role") == "tabpanel":
        return True
    if node.css_first("form") is not None or given.get("role") in ("alert", "status", "dialog", "menu"):
        return False
    linked = sum(len(link.text()) for link in node.css("a"))
    if 2 * linked > size:  # a menu
        return False
    if (given.get("id") or "-") in opened:
        return True
    before = node.prev
    while before is not None and not before.is_element_node:
        before = before.prev
    return (
        size >= _ANSWER
        and before is not None
        and (before.tag in ("button", "summary") or before.css_first("button,[aria-expanded]") is not None)
    )


def _without_adverts(walk: Walk, found: list[Region], sums: _Sums) -> list[Region]:
    """Slots with a third of all text, of a short page with half of it, are what the page is for."""
    adverts = sum(
        sums.size[number]
        for number, region in enumerate(found)
        if region == "advert" and (walk.parents[number] < 0 or found[walk.parents[number]] != "advert")
    )
    if adverts <= (_ADVERTS if sums.whole >= _ENOUGH else 1 / 2) * sums.whole:
        return found
    return ["content" if region == "advert" else region for region in found]
