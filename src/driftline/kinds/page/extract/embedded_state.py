"""Pages that are a shell: their text is in a JSON state which a script would turn into a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser

from driftline.core.text.folding import fold
from driftline.core.text.json_text import decode_json
from driftline.core.text.lazy_regex import lazy_regex
from driftline.errors import BadFile
from driftline.kinds.page.documents.non_html import leaves

SHELL: Final = 200  # characters; a page with less text may be a shell
_MOST: Final = 5_000  # lines of a state
_DATA: Final = 'script[type="application/json"],script#__NEXT_DATA__,script#__NUXT_DATA__'
_ASSIGNED: Final = lazy_regex(
    r"(?:window\.)?__(?:INITIAL_STATE|PRELOADED_STATE|APOLLO_STATE|INITIAL_DATA|NUXT|STATE|DATA)__\s{0,4}=\s{0,4}(?=[{\[])"
)
# Fields that steer the shell and say nothing to readers, by the last word of their name.
_STEERING: Final = frozenset(
    "id ids uuid guid token nonce csrf hash key keys cursor signature locale theme query route "
    "path href src url typename".split()
)
# Objects that say how the page was made and for whom; the second ones only near the top, where they are not of a product.
_MACHINERY: Final = frozenset(
    "experiment experiments abtest abtests abtesting experimentation featureflags featureflag featuretoggles launchdarkly "
    "optimizely growthbook statsig splitio bucketing requestheaders requestcontext servertiming runtimeconfig buildinfo "
    "datalayer gtm sentrytrace baggage".split()
)
_MACHINERY_ABOVE: Final = frozenset("edge flags cdn analytics".split())
_ABOVE: Final = 4  # names of a path that are near the top
# Where a server stands, as clouds call it: fra1, CDG, us-east-1.
_REGION: Final = lazy_regex(r"[a-z]{3}\d{1,2}|(?:us|eu|ap|sa|ca|af|me|asia|europe)-[a-z]{2,12}-?\d?", re.IGNORECASE)
_REGION_NAMES: Final = frozenset("region pop colo datacenter zone availabilityzone edgelocation".split())
_VARIANT: Final = lazy_regex(r"control|treatment|baseline|(?:variant|variation|test|group)[-_]?[a-z\d]{1,3}", re.IGNORECASE)
_MADE_UP: Final = lazy_regex(r"(?=[0-9a-f-]*\d)[0-9a-f-]{16,}|(?=\S*\d)(?=\S*[A-Z])(?=\S*[a-z])[\w.~+/=-]{24,}")  # tokens, ids
_NAME: Final = lazy_regex(r"[A-Z]?[a-z]+|[A-Z]+|\d+")


def state_lines(source: str) -> list[str]:
    """The lines that the state of a shell says, as `field: value`; none where there is no state."""
    found: list[str] = []
    for value in _states(source):
        for path, leaf in leaves(value):
            if leaf is None or isinstance(leaf, bool) or _steers(path):
                continue
            text = fold(leaf) if isinstance(leaf, str) else str(leaf)
            if _is_machinery(path, text):
                continue
            if text and not text.startswith(("http://", "https://", "/", "#", "data:")) and not _MADE_UP.fullmatch(text):
                found.append(f"{path}: {text}" if path else text)
            if len(found) >= _MOST:
                return found
    return found


def _states(source: str) -> Iterator[Any]:
    tree = LexborHTMLParser(source)
    for node in {node.mem_id: node for node in tree.css(_DATA)}.values():  # one that matches twice comes twice
        try:
            yield decode_json(node.text().strip().encode("utf-8", "replace"))
        except BadFile:
            continue
    for node in tree.css("script:not([type]),script[type='text/javascript']"):
        text = node.text()
        assigned = _ASSIGNED.search(text)
        if assigned is not None:
            try:
                yield decode_json(text[assigned.end() :].strip().rstrip(";").encode("utf-8", "replace"))
            except BadFile:
                continue


def _steers(path: str) -> bool:
    names = _NAME.findall(path.replace("[]", "").rsplit(".", 1)[-1])
    return bool(names) and names[-1].lower() in _STEERING


def _is_machinery(path: str, value: str) -> bool:
    """Whether a value, a word at most, says which experiment, server or build made the page."""
    if " " in value:
        return False
    names = [re.sub(r"[^a-z]", "", name) for name in path.lower().split(".")]
    if not _MACHINERY.isdisjoint(names) or not _MACHINERY_ABOVE.isdisjoint(names[:_ABOVE][:-1]):
        return True
    if names[-1] in _REGION_NAMES:
        return _REGION.fullmatch(value) is not None
    return names[-1] in ("variant", "bucket", "cohort") and _VARIANT.fullmatch(value) is not None
