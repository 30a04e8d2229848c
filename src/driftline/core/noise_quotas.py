"""Numbers that look like counters and may be what a plan allows: "10 downloads" beside a price.

Nobody's visit moves an allowance. It is a round number, and it stands near a price: in the same line, or a few lines away,
where other features of a plan, or a word for one, stand too. For lower-cased lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from driftline.core.later import later

# Roles of a whole line, beside those that `noise` names: those that look at their neighbours have a bit of a label.
SMALL_QUOTA: Final = 10  # "3 visits": an allowance only beside a price and other features
QUOTA: Final = 11  # "500 subscribers": an allowance beside a price
PRICED: Final = 3  # has a price in it
FEATURE: Final = 14  # "5 GB", "12 months": what a plan has
PLAN: Final = 15  # both: "Pro plan, $29"
QUOTAS: Final = frozenset((SMALL_QUOTA, QUOTA))
_PRICES: Final = frozenset((PRICED, PLAN))
_FEATURES: Final = frozenset((FEATURE, PLAN))

_NEAR: Final = 8  # lines on either side in which a plan's price and other features stand
_SHORT: Final = 80  # characters of a line that names a price or a feature
_COUNTED: Final = later(r"(\d{1,3}(?:[., ]?\d{3}){0,2})\s(page\s?views?|impressions|subscribers?|downloads?|visits?)")
_STRONG: Final = ("page", "impression", "subscriber")  # what no shop counts beside a price
_MANY: Final = 100  # downloads
_MONEY: Final = later(
    r"[$€£¥₹]\s?\d|\d\s?(?:[€£¥₹]|(?:eur|usd|gbp|chf|pln|zł|kr|kč|euros?|pounds?|dollars?)(?!\w))|(?:eur|usd|gbp|chf|rs\.?)\s\d"
)
_OF_A_PLAN: Final = later(
    r"(?<!\w)(?:plan|pass|package|membership|subscription|tier|licen[cs]e|bundle|tarif|abo|abonnement|abonnemang|forfait|paket|"
    r"unlimited|per (?:month|year|user|seat)|a month|monthly|yearly|pro monat|par mois|al mes|al mese|por mês|per maand)(?!\w)|"
    r"/\s?(?:mo|month|yr|year|user|seat|monat|mois|mes|mese|maand)(?!\w)"
    r"|^\W{0,3}\d{1,6}\s?(?:[gtm]b|gib|users?|seats?|projects?|domains?|websites?|sites?|guests?|devices?|months|accounts?|e-?mails|"
    r"lessons|classes|credits|hours|benutzer|nutzer|monate|utilisateurs|usuarios|utenti)(?!\w)"
)
# Headings of what somebody may choose from, wherever the prices stand.
PLANS: Final = frozenset(
    ("plans", "our plans", "pricing plans", "plans and pricing", "plans & pricing", "compare plans", "choose a plan",
     "choose your plan", "memberships", "our packages", "unsere tarife", "nos forfaits", "nuestros planes", "i nostri piani"),
)  # fmt: skip


def role_of_count(low: str) -> int:
    """The role of a line that is nothing but a counter; 0: no allowance looks like that."""
    found = _COUNTED.fullmatch(low) if len(low) <= _SHORT else None
    return _role(found[1], found[2]) if found is not None else 0


def is_allowed_in(low: str, start: int) -> bool:
    """Whether the counter that starts in a line is an allowance by what else the line says."""
    found = _COUNTED.match(low, start)
    role = _role(found[1], found[2]) if found is not None else 0
    if not role or not _MONEY.search(low):
        return False
    return role == QUOTA or _OF_A_PLAN.search(low) is not None


def _role(number: str, word: str) -> int:
    count = int("".join(filter(str.isdigit, number)))
    if not _is_round(count):
        return 0
    strong = word.startswith(_STRONG) or (word.startswith("download") and count >= _MANY)
    return QUOTA if strong else SMALL_QUOTA


def _is_round(count: int) -> bool:
    """Whether people would choose such a number."""
    if count <= 12:
        return count > 0
    return count % (5 if count < 100 else 50 if count < 1_000 else 500) == 0


def role_of_text(low: str) -> int:
    """Whether a short line, with its noise replaced, names a price or a plan's feature."""
    priced = _MONEY.search(low) is not None
    if _OF_A_PLAN.search(low) is not None:
        return PLAN if priced else FEATURE
    return PRICED if priced else 0


def allowed(roles: Sequence[int], index: int) -> bool:
    """Whether the line of that number, which may be an allowance, is one by the roles of the lines around it."""
    around = set(roles[max(0, index - _NEAR) : index + _NEAR + 1])
    if _PRICES.isdisjoint(around):
        return False
    return roles[index] == QUOTA or not _FEATURES.isdisjoint(around)
