"""Judges title, metadata, links and pictures: each difference counts, is only recorded (navigation), or is dropped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from driftline.core.identity.timestamps import instant
from driftline.core.text.folding import title_key
from driftline.kinds.page.compare import fields
from driftline.kinds.page.compare.fields import ImageChange, LinkChange, OfferChange, Pair
from driftline.kinds.page.compare.lines import LineDifference
from driftline.kinds.page.judge.dropped import Reasons
from driftline.kinds.page.judge.frame import FRAME, is_aside
from driftline.kinds.page.judge.lines import same_meaning
from driftline.kinds.page.judge.masks import ActiveMasks, is_protected
from driftline.kinds.page.judge.moments import Times, is_stamp
from driftline.kinds.page.judge.offers import link_says_more, title_says_more
from driftline.kinds.page.parsed import NO_ENTRY, Image, ParsedPage, Region

REPORTED_ELSEWHERE: Final = "told with price or stock"
# Fields of the head that say again what title, description and pictures say.
_REPEATED: Final = ("og:title", "og:description")
_SET_DATES: Final = ("startDate", "endDate", "doorTime", "validThrough", "start_time", "end_time")
_MOMENTS: Final = frozenset(("clock", "date of today", "date of change", "relative time"))
_APART: Final[Mapping[Region, str]] = {  # why links and pictures of other parts of a page do not count
    "overlay": "overlay",
    "advert": "advertising",
    "navigation": "navigation",
    "pagination": "navigation",
    "beside": "beside the text",
}
_NEVER_ALONE: Final = frozenset(("og:image", "keywords", "author"))
_UNREAD: Final = re.compile(r"^\(\d{1,3}\+?\)\s")  # messages that wait for the reader: "(3) Inbox"
_PARTS: Final = re.compile(r"\s[|·•»:–—-]\s|\s?\|\s?")  # of a title


class FieldStep(NamedTuple):
    """Two versions of a page with their context."""

    before: ParsedPage
    after: ParsedPage
    offers: Sequence[OfferChange]
    masks: ActiveMasks
    times: Times
    reasons: Reasons


def judge_title(step: FieldStep) -> Pair | None:
    """A changed title, unless only its spelling or an unread counter changed, or a price or stock change covers it."""
    before, after, times = step.before, step.after, step.times
    pair = fields.title_change(before, after)
    if pair is None:
        if before.title != after.title:
            step.reasons.note("letter case of the title", "title", before.title, after.title)
        return None
    one, other = (_UNREAD.sub("", side or "") for side in pair)
    rule = (
        "counter"
        if title_key(one) == title_key(other)
        else _site_name(one, other)
        or same_meaning(one, other, times)
        or step.masks.value("title", pair)
        or reported_with_offer(pair, step.offers)
    )
    if rule is not None:
        step.reasons.note(rule, "title", *pair)
        return None
    return pair


def _site_name(before: str, after: str) -> str | None:
    """The rule that applies if two titles differ only in one part, such as the site's name; else None."""
    one, other = ([part.strip() for part in _PARTS.split(side) if part.strip()] for side in (before, after))
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    if len(longer) - len(shorter) > 1 or any(part not in longer for part in shorter) or (not shorter and len(longer) > 1):
        return None
    more = next((part for part in longer if part not in shorter), "")
    return None if is_protected(None, more) else "name of the site"


def judge_metadata(step: FieldStep) -> dict[str, Pair]:
    """Changed metadata by key, without fields that repeat others, change on their own, or belong to a price or stock change."""
    before, after, offers = step.before, step.after, step.offers
    changed = fields.metadata_changes(before, after)
    found: dict[str, Pair] = {}
    for key, pair in changed.items():
        rule: str | None = None
        if key == "robots" and _indexing(pair.before) == _indexing(pair.after):
            rule = "machine field"
        elif (key in _NEVER_ALONE and not after.came_parsed) or _repeats(key, pair, before, after):
            rule = "repeats another field"
        elif offers and key.endswith(("price", "Price", "amount", "availability", "lowPrice", "highPrice")):
            rule = REPORTED_ELSEWHERE
        elif pair.before and pair.after:
            rule = same_meaning(pair.before, pair.after, step.times)
            rule = None if rule in _MOMENTS and _is_set_date(key, pair) else rule
        if (rule := rule or step.masks.value(key, pair) or reported_with_offer(pair, offers)) is not None:
            step.reasons.note(rule, key, *pair)
        else:
            found[key] = pair
    return found


def _indexing(robots: str | None) -> set[str]:
    """The indexing directives of a robots field, without those for the display of results."""
    said = {word.strip() for word in (robots or "").lower().split(",")}
    return {word for word in said if word not in ("", "index", "follow", "all") and not word.startswith("max-")}


def reported_with_offer(pair: Pair, offers: Sequence[OfferChange]) -> str | None:
    """The rule that drops what a price or stock change already covers; None if it says more."""
    says_more = not offers or title_says_more(pair.before or "", pair.after or "", offers)
    return None if says_more else REPORTED_ELSEWHERE


def _is_set_date(key: str, pair: Pair) -> bool:
    """Whether a date in linked data was set by an editor, and changed."""
    old, new = instant(pair.before or ""), instant(pair.after or "")
    return key.endswith(_SET_DATES) and (old != new or new is None)


def _repeats(key: str, pair: Pair, before: ParsedPage, after: ParsedPage) -> bool:
    """Whether a field repeats the page's title or text, before or after."""
    if after.came_parsed and _words(before) == _words(after):
        return False  # then nothing else reports it
    if key in _REPEATED or key.endswith((".name", ".headline", ".title", ".description", ".text")):
        sides = (pair.before, before), (pair.after, after)
        return all(
            not value or title_key(value) in (title_key(page.title), title_key(page.description)) or _stands_in(value, page)
            for value, page in sides
        )
    return False


def _words(page: ParsedPage) -> tuple[str | None, ...]:
    return page.title, page.description, page.text


def _stands_in(value: str, page: ParsedPage) -> bool:
    return page.text is not None and (value[:200] in page.text or value[:60] in page.text.replace("\n", " "))


def judge_links(step: FieldStep, touched: Sequence[LineDifference]) -> tuple[list[LinkChange], list[LinkChange]]:
    """Changed links that no added, removed or changed line or entry covers."""
    before, after, offers = step.before, step.after, step.offers
    texts = " ".join(text for one in touched for text in texts_of(one) if text)
    came, went = _entries(touched)
    kept: list[LinkChange] = []
    quiet: list[LinkChange] = []
    for change in fields.link_changes(before, after):
        link = change.link
        page = after if change.after is not None else before
        rule: str | None = None
        if link.region in ("overlay", "advert"):
            rule = _APART[link.region]
        elif is_aside(link, page):
            rule = "list of other pages"
        elif (change.after and change.after.entry in came) or (change.before and change.before.entry in went):
            rule = "told with its entry"
        elif (link.text and change.before is None) or change.after is None:
            rule = "told with its line" if link.text and link.text in texts else None
        elif _is_stamped(change):
            rule = "address"
        rule = rule or step.masks.link(change, after)
        if rule is not None:
            step.reasons.note(rule, "link", *_urls(change))
        elif (link.region in FRAME or link.outside) and not after.literal:
            quiet.append(change)
        elif offers and not link_says_more(change, offers):
            step.reasons.note(REPORTED_ELSEWHERE, "link", *_urls(change))
        else:
            kept.append(change)
    return kept, quiet


def judge_images(step: FieldStep, touched: Sequence[LineDifference]) -> list[ImageChange]:
    """Changed pictures of the content that no added, removed or changed entry covers."""
    before, after = step.before, step.after
    came, went = _entries(touched)
    kept: list[ImageChange] = []
    for change in fields.image_changes(before, after):
        image = change.image
        rule: str | None = None
        if image.region != "content" and not after.literal:
            rule = _APART[image.region]
        elif image.outside:
            rule = "beside the text"
        elif (change.after and change.after.entry in came) or (change.before and change.before.entry in went):
            rule = "told with its entry"
        rule = rule or step.masks.image(change, before, after)
        if rule is not None:
            step.reasons.note(rule, "image", *_urls(change))
        else:
            kept.append(change)
    return kept


def _is_stamped(change: LinkChange) -> bool:
    """Whether a link has the same target with a new timestamp as its query: ?1663693918000."""
    if change.before is None or change.after is None:
        return False
    (one, _, old), (other, _, new) = (link.url.partition("?") for link in (change.before, change.after))
    return one == other and is_stamp(min(old, new), max(old, new))


def _urls(change: LinkChange | ImageChange) -> tuple[str | None, str | None]:
    return change.before.url if change.before is not None else None, change.after.url if change.after is not None else None


def judge_hero(step: FieldStep, images: Sequence[ImageChange]) -> Pair | None:
    """A different main picture: one that counts as new, or one of those that stayed."""
    hero = fields.hero_change(step.before, step.after)
    if hero is None:
        return None
    rule: str | None = "its picture was dropped"
    if any(change.image.url in hero for change in images):
        rule = step.masks.hero()
    elif _only_moved(step.before, step.after):
        rule = step.masks.hero() or ("order" if _is_listed(step.before.images[0]) or _is_listed(step.after.images[0]) else None)
    if rule is None:
        return hero
    step.reasons.note(rule, "image", *hero)
    return None


def _is_listed(image: Image) -> bool:
    """Whether the order of such pictures is meaningless: in entries and menus."""
    return image.entry != NO_ENTRY or image.outside or image.region != "content"


def _only_moved(before: ParsedPage, after: ParsedPage) -> bool:
    """Whether the first picture is one of those that were on the page before."""
    olds, news = {image.url for image in before.images}, {image.url for image in after.images}
    return before.hero in news and after.hero in olds and "og:image" not in fields.metadata_changes(before, after)


def _entries(touched: Sequence[LineDifference]) -> tuple[set[int], set[int]]:
    came = {one.after.entry for one in touched if one.after is not None}
    went = {one.before.entry for one in touched if one.before is not None}
    return came - {NO_ENTRY}, went - {NO_ENTRY}


def texts_of(one: LineDifference) -> tuple[str | None, str | None]:
    """A line's text before and after."""
    return one.before.text if one.before else None, one.after.text if one.after else None
