"""What is written on buttons that are inputs: readers see it as text, the markup has it in an attribute."""

from __future__ import annotations

from typing import Final

from selectolax.lexbor import LexborHTMLParser

from driftline.core.buying import asks_to_buy, is_called_so, said_by_value
from driftline.core.signs import IN_PAGES
from driftline.core.stock import stock_from_text

_MARK: Final = IN_PAGES.add(r"ubmit|UBMIT|type=[\"']?button")  # without it there is none
_BUTTONS: Final = "input[type=submit i],input[type=button i]"


def write_out(tree: LexborHTMLParser) -> None:
    """Make the labels of such buttons text of the page; what those say that sell is compared as stock."""
    if _MARK not in IN_PAGES.found_in(tree.raw_html):
        return
    for node in tree.css(_BUTTONS):
        given = node.attributes
        label = said_by_value("input", given)
        sells = asks_to_buy(label) or is_called_so(given) or stock_from_text(label) is not None
        if label and not (sells and (given.get("type") or "").lower() == "submit"):
            node.insert_child(label)
