"""What the text of a block says in so many words: salary, location, price, date."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.text.folding import fold
from driftline.core.text.lazy_regex import lazy_regex

_MONEY: Final = r"(?:[$€£¥₹]\s?\d[\d.,]{0,30}\s?[kK]?|\d[\d.,]{0,30}\s?[kK]?\s?(?:€|EUR|USD|GBP|CHF|kr|zł|PLN))"
_SIGNS: Final = ("$", "€", "£", "¥", "₹", "EUR", "USD", "GBP", "CHF", "kr", "zł", "PLN")
_PER: Final = r"(?:/|per|pro|par)\s?(?:year|yr|hour|hr|month|annum|jahr|monat|stunde|an|mois|h|y)"
_SALARY: Final = lazy_regex(rf"{_MONEY}(?:\s?(?:-|–|—|to)\s?(?:{_MONEY}|\d[\d.,]{{0,30}}\s?[kK]?))?(?:\s?{_PER})?")
_PAID: Final = lazy_regex(rf"{_PER}|\dk|[-–—]", re.IGNORECASE)  # what makes money a salary and not a price
_LABELS: Final = {
    **dict.fromkeys(("location", "ort", "standort", "lieu", "ubicación", "sede"), "location"),
    **dict.fromkeys(("salary", "gehalt", "salaire", "salario"), "salary"),
    **dict.fromkeys(("date", "datum", "posted"), "date"),
    "company": "company",
    "department": "department",
}
_LABELLED: Final = lazy_regex(rf"\b({'|'.join(_LABELS)})\s?[:：]\s?([^|·•\n]{{2,80}})", re.IGNORECASE)


def fact_at(path: str) -> str | None:
    """The fact that an element's class names: `p.location`."""
    classes = path.rpartition(">")[2].split(".")[1:]
    return next((_LABELS[name] for name in classes if name in _LABELS), None)


def facts_in(text: str) -> dict[str, str]:
    """The labelled facts of a text, and the money in it where no label names it."""
    found: dict[str, str] = {}
    for label, value in _LABELLED.findall(text) if ":" in text or "：" in text else ():
        found.setdefault(_LABELS[label.lower()], fold(value))
    if not found.keys() & {"salary", "price"} and any(sign in text for sign in _SIGNS) and (money := _SALARY.search(text)):
        found["salary" if _PAID.search(money[0]) else "price"] = money[0].strip()
    return found
