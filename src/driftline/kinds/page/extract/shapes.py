"""What elements with the same structural path have in common: where they stand, and what part of a page they belong to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from driftline.kinds.page.parsed import Region

# Elements that stand in the running text; all others begin a line of their own.
INLINE: Final = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark math meter nobr output progress q "
    "rp rt ruby s samp small span strike strong sub sup time tt u var wbr input img picture source select td th".split()
)
HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_FRAME: Final = frozenset(("html", "body"))
_DEEPEST: Final = 60  # elements that a structural path is made of
_LONGEST_NAME: Final = 200  # characters of an id or class attribute that are looked at
_REGION_TAGS: Final[Mapping[str, Region]] = {
    "nav": "navigation",
    "header": "navigation",
    "footer": "navigation",
    "menu": "navigation",
    "aside": "beside",
    "dialog": "overlay",
}
_REGION_ROLES: Final[Mapping[str, Region]] = {
    "navigation": "navigation",
    "banner": "navigation",
    "contentinfo": "navigation",
    "menubar": "navigation",
    "menu": "navigation",
    "search": "navigation",
    "complementary": "beside",
    "dialog": "overlay",
    "alertdialog": "overlay",
}
# Words of ids and classes that name a part of a page, whatever language the page is in: markup is written in English.
_REGION_WORDS: Final[Mapping[Region, str]] = {  # a name that has words of several is the first of these
    "pagination": "pagination|paging|pager|page-numbers|pagenav",
    "overlay": (
        "cookies?|consent|gdpr|onetrust|cmp|didomi|cookiebot|usercentrics|modal|popup|pop-up|lightbox|overlay|toast|snackbar|"
        "chat|intercom|newsletter|noscript|site-notice|central-notice|(?:smart-?)?app-?banner"
    ),
    "advert": (
        "ads?|adsbygoogle|advert|adverts|advertisement|advertising|sponsored|sponsor|testimonials?|dfp|gpt-ad|banner-ad|"
        "ad-(?:slot|unit|banner|box|container|wrapper)"
    ),
    "navigation": (
        "nav|navi|navbar|navigation|menu|mainmenu|submenu|topbar|masthead|breadcrumbs?|footer|header|toolbar|announcement-?bar|skip|skiplinks?|lang|"
        "promo-?(?:bar|strip|banner)|(?:news-?)?ticker|marquee|online-list|who-?is-?online|users-online|online-users|stat-block|"
        r"langs|language|languages|lang-?switch\w*|language-?(?:switch\w*|select\w*|picker)|site-?map|social|share|sharing|toc"
    ),
    "beside": (
        r"sidebar|side-bar|sidenav|rail|related|recommended|recommendations?|most-?(?:read|popular|viewed)|trending|promo|"
        r"(?<!\S)(?:widgets?|widget-area|widget_\S+)(?!\S)"
    ),
}
_NAMED_SO: Final = re.compile(rf"(?<![^\s_-])(?:{'|'.join(f'({words})' for words in _REGION_WORDS.values())})(?![^\s_-])")
_BY_WORDS: Final = tuple(_REGION_WORDS)
_DIGIT: Final = re.compile(r"\d")
# Parts of cards, tables and lists, and the language of code, which are called like parts of a page.
_COMPONENTS: Final = re.compile(
    r"(?:card|panel|table|list|item|box|tile|accordion|summary|section|article|entry|post|product|job|plan|pricing|feature)[\w-]{0,40}?"
    r"[-_](?:header|footer|toolbar)(?:$|[\s_-])|(?:^|[\s_-])menu-(?:items?|sections?|category)(?:$|[\s_-])|(?:^|\s)lang(?:uage)?-\w"
)
_HEADERS: Final = re.compile(r"(?:^|[\s_-])(?:masthead|header)(?:$|[\s_-])")
_FRAMED: Final = re.compile(r"(?:^|[\s_-])(?:breadcrumbs?|footer|skip|skiplinks?|site-?map|announcement-?bar)(?:$|[\s_-])")
_CONSENT: Final = re.compile(r"cookie|consent|gdpr")
_SPONSORED: Final = re.compile(r"(?:^|[\s_-])(?:sponsored|advert(?:isement)?|promoted|ads?)(?:$|[\s_-])")
_NAMES_KNOWN: Final = 4_096  # ids and classes of 200 characters at most whose meaning is remembered: elements share them
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OWN_TEXT: Final = frozenset(
    ("main", "article")
)  # what stands in them is the page's own, unless something inside says otherwise
_NEVER: Final = frozenset(
    "html body main article form table tbody tr td h1 h2 h3 h4 h5 h6 pre code".split()
)  # too large to be called by a class


class Shape:
    """One structural path; shapes are shared by all elements that have it."""

    __slots__ = (
        "below", "component", "consents", "depth", "heading", "heads", "hidden", "inline", "named", "path", "tag", "worded",
    )  # fmt: skip

    depth: int
    hidden: bool
    path: str

    def __init__(self, above: Shape | None, tag: str, given: Mapping[str, str | None]) -> None:
        framed = tag in _FRAME or (above is not None and above.depth >= _DEEPEST)
        before = above.path if above is not None else ""
        self.below: dict[object, Shape] = {}
        self.tag = tag
        self.path = before if framed else f"{before}>{_step(tag, given)}"
        self.depth = (above.depth if above is not None else 0) + 1
        self.inline = tag in INLINE
        self.heading = HEADINGS.get(tag, 0)
        self.hidden = (above is not None and above.hidden) or _is_hidden(given)
        self.named: Region | None = _named(above, tag, given)  # the part of a page that it says to be
        names = _names(given) if self.named not in (None, "content") else ""
        self.component = bool(names) and _COMPONENTS.search(names) is not None  # by its name a part of a card or a list
        self.worded = bool(names) and _marked(tag, given) != self.named  # by an id or a class alone
        self.worded = self.worded and (self.component or _FRAMED.search(names) is None)
        self.heads = bool(names) and _HEADERS.search(names) is not None
        self.consents = bool(names) and _CONSENT.search(names) is not None

    @property
    def name(self) -> str:
        """The end of the path, for people."""
        return " > ".join(self.path.split(">")[-5:]).removeprefix(" > ")


def _step(tag: str, given: Mapping[str, str | None]) -> str:
    """One element of a path: tag with an id or classes that look as if somebody had named them."""
    if not given:
        return tag
    return tag + _step_name((given.get("id") or "")[:_LONGEST_NAME], (given.get("class") or "")[:_LONGEST_NAME])


@lru_cache(maxsize=_NAMES_KNOWN)
def _step_name(identity: str, classes: str) -> str:
    if identity and _is_stable(identity):
        return f"#{identity}"
    words = sorted(filter(_is_stable, classes.split()))
    return ".".join(("", *words[:4])) if words else ""


def _is_stable(word: str) -> bool:
    return len(word) <= 40 and word.isascii() and _DIGIT.search(word) is None


def _is_hidden(given: Mapping[str, str | None]) -> bool:
    if not given:
        return False
    if "hidden" in given:
        return True
    style = given.get("style")
    if not style:
        return False
    style = style[:_LONGEST_NAME].replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style


def _named(above: Shape | None, tag: str, given: Mapping[str, str | None]) -> Region | None:
    """The part of a page that an element calls itself; None: nothing of its own."""
    if tag in _OWN_TEXT:
        return "advert" if given and _SPONSORED.search(given.get("class") or "") else "content"
    found = _REGION_TAGS.get(tag)
    if found == "navigation" and tag in ("header", "footer") and above is not None and _is_within_text(above):
        return None  # of an article, not of the page
    if given and found in (None, "beside"):  # what stands beside may be more than that: <aside class="ad">
        found = _marked(tag, given)
        if found in (None, "beside") and tag not in _NEVER and (named := _names(given)):
            found = _called(named) or found
    return found


@lru_cache(maxsize=_NAMES_KNOWN)
def _called(names: str) -> Region | None:
    """The part of a page that has these words in its name."""
    words = min((one.lastindex or 0 for one in _NAMED_SO.finditer(names)), default=0)
    return _BY_WORDS[words - 1] if words else None


def _marked(tag: str, given: Mapping[str, str | None]) -> Region | None:
    """The part of a page that an element is by its tag or role."""
    role = given.get("role") if given else None
    return (_REGION_ROLES.get(role) if role else None) or _REGION_TAGS.get(tag)


def _names(given: Mapping[str, str | None]) -> str:
    """Its classes and id, as words."""
    named = f"{given.get('class') or ''} {given.get('id') or ''}"[:_LONGEST_NAME].strip()
    return _CAMEL.sub("-", named).lower() if named else ""


def _is_within_text(above: Shape) -> bool:
    return ">article" in above.path or ">main" in above.path


_ROOTS: Final[dict[object, Shape]] = {}
_MOST: Final = 20_000  # shapes of the usual size
_USUAL: Final = 500  # characters of a path; a hostile one has ten thousand
_count = 0


def shape_of(above: Shape | None, tag: str, given: Mapping[str, str | None]) -> Shape:
    """The shape of an element; those of one site have most of them in common, so they are made once."""
    known = above.below if above is not None else _ROOTS
    key: object = tag
    if given:
        identity, classes, role = given.get("id"), given.get("class"), given.get("role")
        if identity or classes or role:
            key = (tag, (identity or "")[:_LONGEST_NAME], (classes or "")[:_LONGEST_NAME], (role or "")[:_LONGEST_NAME])
        if "style" in given or "hidden" in given:
            key = (key, _is_hidden(given))
    shape = known.get(key)
    if shape is None:
        global _count  # noqa: PLW0603
        shape = Shape(above, tag, given)
        _count += 1 + len(shape.path) // _USUAL
        if _count > _MOST:
            _ROOTS.clear()
            _count = 0
        known[key] = shape
    return shape
