"""Hidden parts that one click on something visible shows: panels of tabs, answers of an accordion. They are the page's text.

Dialogs, menus, messages and forms that a script shows are none, whatever opens them.
"""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborNode

from driftline.core.text import fold

_OPENERS: Final = "[aria-controls],[data-bs-target],[data-target],[role=tab][href],[data-toggle=tab][href]"
_TARGETS: Final = ("aria-controls", "data-bs-target", "data-target", "href")
_MOST: Final = 500  # that are looked at
_SHORTEST: Final = 12  # characters of a panel that says something; "Copied!" does not
_CALLED: Final = re.compile(
    r"(?:^|[\s_-])(?:panel|answer|accordion|collaps\w*|faq|tab|tabs|toggle|pane)(?:$|[\s_-])", re.IGNORECASE
)
_OTHERWISE: Final = re.compile(
    r"modal|dialog|chat|pop-?up|popover|toast|tooltip|snackbar|drop-?down|menu|\bnav|search|cart|basket|drawer|off-?canvas|cookie|consent|"
    r"overlay|lightbox|template|alert|error|message|spinner|load|notification|share|carousel|slide|newsletter|login|sr-only|"
    r"visually-hidden|screen-reader",
    re.IGNORECASE,
)
_FRAME: Final = frozenset(("nav", "header", "footer", "template", "dialog"))
_BLOCKS: Final = "p,li,table,dl,h2,h3,h4"
_FIELDS: Final = "form,input,select,textarea"
_LINKED: Final = 0.5  # of a text that is links: a menu
_HIGHEST: Final = 60


class Panels:
    """The panels of a page, told by what opens them."""

    def __init__(self, body: LexborNode) -> None:
        self._opened = {
            (node.attributes.get(name) or "").lstrip("#") for node in body.css(_OPENERS)[:_MOST] for name in _TARGETS
        } - {""}

    def holds(self, node: LexborNode) -> bool:
        """Whether a hidden element is a panel."""
        if not self._is_opened(node):
            return False
        said = fold(node.text())
        if len(said) < _SHORTEST or node.css_first(_FIELDS) is not None or _is_otherwise(node):
            return False
        return sum(len(fold(link.text())) for link in node.css("a[href]")) < len(said) * _LINKED

    def _is_opened(self, node: LexborNode) -> bool:
        given = node.attributes
        if given.get("role") == "tabpanel" or (given.get("id") or "") in self._opened:
            return True
        return _follows_a_button(node)


def _follows_a_button(node: LexborNode) -> bool:
    """Whether an element stands right behind a button, and is called a panel, answers a question or has paragraphs."""
    before = node.prev
    while before is not None and (
        before.tag == "-comment" or (before.is_text_node and not (before.text_content or "").strip())
    ):
        before = before.prev
    if before is None or before.is_text_node:
        return False
    if before.tag not in ("button", "summary") and before.attributes.get("role") != "button":
        inner = before.css_first("button,[role=button]") if before.tag in ("h2", "h3", "h4", "h5", "h6", "dt") else None
        if inner is None:
            return False
    asked = fold(before.text())
    return bool(asked) and (asked.endswith(("?", "？", "؟")) or _is_called(node) or node.css_first(_BLOCKS) is not None)


def _is_called(node: LexborNode) -> bool:
    given = node.attributes
    return _CALLED.search(f"{given.get('class') or ''} {given.get('id') or ''}") is not None


def _is_otherwise(node: LexborNode) -> bool:
    """Whether an element, or one around it, is a layer, a menu, a message or the frame of the page."""
    inner: LexborNode | None = node
    for _ in range(_HIGHEST):
        if inner is None or inner.tag in ("main", "article", "body"):
            return False
        given = inner.attributes
        if inner.tag in _FRAME or given.get("role") in (
            "dialog",
            "alertdialog",
            "menu",
            "alert",
            "status",
            "navigation",
            "tooltip",
        ):
            return True
        if _OTHERWISE.search(f"{given.get('class') or ''} {given.get('id') or ''}"):
            return True
        inner = inner.parent
    return False
