"""What the text of a block says in so many words: salary, location, price, date."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.later import later
from driftline.core.text import fold

_MONEY: Final = r"(?:[$€£¥₹]\s?\d[\d.,]*\s?[kK]?|\d[\d.,]*\s?[kK]?\s?(?:€|EUR|USD|GBP|CHF|kr|zł|PLN))"
_SIGNS: Final = ("$", "€", "£", "¥", "₹", "EUR", "USD", "GBP", "CHF", "kr", "zł", "PLN")
_PER: Final = r"(?:/|per|pro|par)\s?(?:year|yr|hour|hr|month|annum|jahr|monat|stunde|an|mois|h|y)"
_SALARY: Final = later(rf"{_MONEY}(?:\s?(?:-|–|—|to)\s?(?:{_MONEY}|\d[\d.,]*\s?[kK]?))?(?:\s?{_PER})?")
_PAID: Final = later(rf"{_PER}|\dk|[-–—]", re.IGNORECASE)  # what makes money a salary and not a price
_LABELS: Final = {
    **dict.fromkeys(("location", "ort", "standort", "lieu", "ubicación", "sede"), "location"),
    **dict.fromkeys(("salary", "gehalt", "salaire", "salario"), "salary"),
    **dict.fromkeys(("date", "datum", "posted"), "date"),
    "company": "company",
    "department": "department",
}
_LABELLED: Final = later(rf"\b({'|'.join(_LABELS)})\s?[:：]\s?([^|·•\n]{{2,80}})", re.IGNORECASE)


def facts_in(text: str) -> dict[str, str]:
    """The labelled facts of a text, and the money in it where no label names it."""
    found: dict[str, str] = {}
    for label, value in _LABELLED.findall(text):
        found.setdefault(_LABELS[label.lower()], fold(value))
    if not found.keys() & {"salary", "price"} and any(sign in text for sign in _SIGNS) and (money := _SALARY.search(text)):
        found["salary" if _PAID.search(money[0]) else "price"] = money[0].strip()
    return found
