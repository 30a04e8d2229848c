"""The year in a notice of copyright, as pages write it; what speaks about copyright is content. For lower-cased lines."""

from __future__ import annotations

from typing import Final

from driftline.core.noise_rules import Rule, spans_of

_YEARS: Final = r"(?:19|20)\d\d(?:\s?[-–—/,]\s?(?:19|20)\d\d)?"
_RIGHTS: Final = (
    r"(?:all rights reserved|alle rechte vorbehalten|tous droits réservés|todos los derechos reservados|"
    r"tutti i diritti riservati|todos os direitos reservados)"
)
# Behind the word these say something about it; an owner's name makes it a notice.
_SPEAKS_OF_IT: Final = (
    r"(?:[^\s\d]{1,20}\s){0,5}(?:acts?|laws?|expir\w+|ends?|royalt\w+|reforms?|directives?|regulations?|rules?|terms?|office|fees?|"
    r"amendments?|bills?|code|in|on|until|till|from|before|after|for|registrations?|year|reports?|statistics|day|week|policy|"
    r"guidelines|convention|treaty|tribunal|case|and)\s"
)

RIGHTS: Final[tuple[Rule, ...]] = (
    Rule(
        "copyright-year",
        "turns with the calendar",
        spans_of(
            rf"(?:©|{_RIGHTS})[^\d\n]{{0,40}}?(?<!\d)({_YEARS})(?!\d)|(?<!\d)({_YEARS})\s?©"
            rf"|(?:copyright|^)\s?\(c\)\s?(?:[a-z][^\d\n.;:]{{0,40}}?\s|[\s,:]{{0,2}})({_YEARS})(?!\d)|(?<!\d)({_YEARS})\s?\(c\)\s?$"
            rf"|(?<!\w)copyright[\s,:|–-]{{1,3}}(?:by\s|©\s?)?({_YEARS})(?!\d|\s?:)"
            rf"|(?:^|[|·•.;–—-]\s?)copyright[\s,:]{{1,3}}(?!{_SPEAKS_OF_IT})(?:[^\s\d;:]{{1,30}}\s){{1,6}}({_YEARS})(?=\s?(?:$|[.|·•;,–—]))",
            needs=("©", "(c)", "copyright", "rights", "rechte", "droits", "derechos", "diritti", "direitos"),
        ),
    ),
)
