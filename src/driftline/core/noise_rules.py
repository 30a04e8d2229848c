"""Shapes of noise that an expression can tell, each with the reason why nobody misses it. For lower-cased lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from driftline.core import dates
from driftline.core.later import later

Span = tuple[int, int]


class Rule(NamedTuple):
    """A shape of noise, with the reason why nobody misses it."""

    name: str
    reason: str
    spans: Callable[[str], Iterator[Span]]  # the noisy parts of a lower-cased line
    stems: tuple[str, ...] = ()  # of which such a line has at least one, where no shape says so

    @property
    def needs(self) -> tuple[str, ...]:
        """Without any of these in a line there is no try; none: always tried."""
        return self.spans.needs if isinstance(self.spans, Shape) else self.stems


NUMBER: Final = (
    r"(?:\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3}){1,4}|\d{1,12}(?:[.,]\d{1,2})?)(?:\s?(?:k|m|b|mio|mln|tsd|tys|тыс|万|萬|億|만|"
    r"천)(?!\w)\.?)?\+?"
)


class Shape:
    """A shape by expression: its groups are the noise, or the whole match where there is none."""

    __slots__ = ("_compiled", "needs")

    def __init__(self, needs: tuple[str, ...], pattern: str) -> None:
        self.needs = needs  # words of which a line has at least one; without, no try
        self._compiled = later(pattern)

    def __call__(self, line: str) -> Iterator[Span]:
        """The noisy parts of a line that has one of the words."""
        for found in self._compiled.finditer(line):
            yield from _noisy(found)


def spans_of(pattern: str, *, needs: tuple[str, ...]) -> Shape:
    """A rule by expression."""
    return Shape(needs, pattern)


def _whole(pattern: str) -> Callable[[str], Iterator[Span]]:
    """A rule for short lines that say nothing else; the groups are the noise."""
    compiled = later(pattern)

    def spans(line: str) -> Iterator[Span]:
        found = compiled.fullmatch(line) if len(line) <= _SHORT else None
        return _noisy(found) if found is not None else iter(())

    return spans


def _noisy(found: re.Match[str]) -> Iterator[Span]:
    if not found.re.groups:
        yield found.span()
    for group in range(1, found.re.groups + 1):
        if found.start(group) >= 0:
            yield found.span(group)


_HOW_MANY: Final = r"(?:number of|liczba|anzahl(?: der)?|nombre de|número de|numero di|aantal|počet|antal|количество|число)"
_SHORT: Final = 80  # characters of a line that says one thing
_ID: Final = r"[0-9a-z][0-9a-z_./+=:-]{5,127}"
_HEX: Final = r"(?=[0-9a-f]{0,40}\d)(?=\d{0,40}[a-f])[0-9a-f]{7,40}(?![0-9a-z])"
_SECONDS: Final = r"(?:ms|msec|milliseconds?|µs|s|sec|secs|seconds?|sek\.?|sekunden?|secondes?|segundos?|secondi|сек\w*)(?!\w)"
_MADE: Final = (
    "generated", "rendered", "loaded", "created in", "served in", "executed", "processed", "completed in", "built in",
    "took", "elapsed", "queries", "query time", "load time", "build time", "render time", "execution time", "generation time",
    "process time", "response time", "generiert", "erstellt in", "geladen", "généré", "chargé", "generad", "cargad", "generat",
    "gerad", "сгенерирован", "создан", "page créée", "creada en", "creata in", "gemaakt in", "wygenerowan", "oluşturuldu",
    "erzeugt",
)  # fmt: skip
_PEOPLE: Final = (
    r"(?:people|persons?|users?|visitors?|members?|guests?|shoppers?|customers|others|travelers|travellers|readers?)"
)
_DONE_BY_PEOPLE: Final = (
    r"(?:saved|favou?rited|bookmarked|wishlisted|viewing|watching|looking|browsing|online|viewed|reading|found this|"
    r"like this|liked this|love this|have this in|"
    r"bought this|(?:this|it) in their)"
)
_RUNS_OUT: Final = (
    r"(?:ends?|ending|starts?|starting|begins?|beginning|expires?|expiring|closes?|closing|over|left|remaining|countdown|"
    r"launches|due|"
    r"noch|endet|schließt|beginnt|startet|läuft ab|se termine|commence|termina|finaliza|cierra|comienza|empieza|scade|inizia|"
    r"encerra|começa|eindigt|sluit|begint|kończy się|заканчивается|истекает|осталось|"
    r"plus que|il reste|quedan|queda|faltan|mancano|nog|zostało|pozostało|zbývá)"
)
_RUNNING_OUT: Final = tuple(
    "que end start begin expir clos over left remain countdown noch termin final launch due schließt läuft commence cierra "
    "comienza empieza scade inizia encerra começa eindigt sluit begint kończy заканчивается истекает осталось "
    "reste queda faltan mancano nog zostało pozostało zbývá".split()
)
_ON_ITS_WAY: Final = tuple(
    "delivery arriv get receive lieferung livraison entrega consegna bezorg dostawa доставка levering llegará".split()
)
_TODAY: Final = tuple("today heute aujourd'hui hoy oggi hoje vandaag dziś dzisiaj сегодня bugün idag".split())
_LEFT_OVER: Final = (
    r"(?:\d{1,3}(?:\s?:\s?\d\d){2,3}|\d{1,3}\s?d(?:ays?)?[\s,]{0,2}\d{1,2}\s?h[\w\s,]{0,30}\d{1,2}\s?m[\w\s,]{0,20}|\d{1,3}\s?"
    r"(?:days?|weeks?|hours?|hrs?|minutes?|mins?|tage?n?|stunden?|minuten|jours?|heures?|días?|horas?|giorni|ore|dias?|"
    r"dagen|uur|"
    r"dni|godzin\w?|дн\w{1,2}|час\w{0,2}))(?!\w)"
)
_DURATION: Final = (
    r"\d{1,2}\s?(?:hours?|hrs?|h|std\.?|stunden?|heures?|horas?|ore)(?:[\s,]{0,2}(?:and\s)?\d{1,2}\s?(?:minutes?|mins?|min|m))?"
)
_DAY: Final = (
    rf"(?:(?:{dates.WEEKDAYS})\.?,?\s)?{dates.DATE}(?:\s?[-–—]\s?(?:(?:{dates.WEEKDAYS})\.?,?\s)?(?:{dates.DATE}|\d\d?))?"
)
_NO_LIMIT: Final = r"(?<!up to\s)(?<!most\s)(?<!maximum\s)(?<!maximal\s)(?<!max\s)(?<!max\.\s)(?<!limit\s)"
_NO_YEAR: Final = r"(?!.{0,24}(?:19|20)\d\d)"  # who writes the year of a delivery has set it; no shop does for tomorrow
_WEEKDAY_DATE: Final = rf"(?:{dates.WEEKDAYS})\.?,?\s{dates.DATE}(?:\s?[-–—]\s?(?:(?:{dates.WEEKDAYS})\.?,?\s)?{dates.DATE})?"

PATTERNS: Final[tuple[Rule, ...]] = (
    Rule(
        "updated-at",
        "says when the page was made or touched, not what it holds",
        spans_of(
            rf"(?<!\w)(?:{'|'.join(_TODAY)})(?:\s(?:is|ist|est|es|è|é))?\s?[:,]?\s((?:(?:{dates.WEEKDAYS})\.?,?\s)?{dates.DATE})",
            needs=_TODAY,
        ),
    ),
    Rule(
        "relative-time",
        "the distance from now grows by itself",
        spans_of(
            r"[·•]\s(\d{1,2}\s?(?:s|m|mins?|h|hrs?|d|w|wks?|mo|y|yrs?))(?=\s?(?:$|[·•|]))",
            needs=("·", "•"),
        ),
    ),
    Rule(
        "updated-at",
        "says when the page was made or touched, not what it holds",
        spans_of(
            rf"(?:generated|generiert|généré|generado|generato|gerado)\s[^\d\n].{{0,40}}?\s({dates.MOMENT})",
            needs=("generated", "generiert", "généré", "generado", "generato", "gerado"),
        ),
    ),
    Rule(
        "generation-time",
        "how long the server took, and what it took for that",
        spans_of(rf"(?<![\w.,])(\d{{1,6}}(?:[.,]\d{{1,9}})?\s?{_SECONDS})", needs=_MADE),
    ),
    Rule(
        "generation-time",
        "how long the server took, and what it took for that",
        spans_of(
            r"(?<![\w.,])(\d{1,5})\s(?:\w{2,8}\s)?queries|queries\s?:\s?(\d{1,5})|memory(?:\susage|"
            r"\sused)?\s?:\s?(\d[\d.,]*\s?[kmg]i?b)|(?<=queries,\s)(\d[\d.,]{0,9}\s?[kmg]i?b)",
            needs=("queries", "peak memory"),
        ),
    ),
    Rule(
        "counter",
        "visits move it",
        spans_of(
            rf"(?<!\w)(?:booked|saved|seen|viewed|read|visited|displayed|shown|watched|opened|downloaded|"
            rf"accessed)\s(?:by\s)?({NUMBER})\s(?:times?|people|users|visitors|x)(?!\w)",
            needs=("times", "time", "people", "users", "visitors", " x"),
        ),
    ),
    Rule(
        "counter",
        "visits move it",
        spans_of(rf"[♥♡❤👍👎👀💬🔁👁🗨🔥💖❣👏🙌😂😍]\ufe0f?\s?({NUMBER})(?![\w%])", needs=tuple("♥♡❤👍👎👀💬🔁👁🗨🔥💖❣👏🙌😂😍")),
    ),
    Rule(
        "counter",
        "visits move it",
        spans_of(
            rf"{_NO_LIMIT}(?<![\w.,])({NUMBER})\+?\s(?:sold|bought|purchased|views?|orders?|verkauft|vendus?|vendidos?|venduti|verkocht)\s"
            rf"(?:in\s(?:the\s)?(?:past|last)\s|today|heute|aujourd.hui|hoy|oggi|vandaag|hoje)",
            needs=(" in ", "today", "heute", "aujourd", "hoy", "oggi", "vandaag", "hoje"),
        ),
    ),
    Rule(
        "counter",
        "visits move it",
        spans_of(
            rf"(?<![\w.,])[0-5][.,]\d(?:\s?/\s?5)?\s?\(({NUMBER})\)|^({NUMBER}\spoints?)\sby\s(?=\S{{1,40}}\s(?:.{{0,30}}\sago|\|))",
            needs=("(", " by "),
        ),
    ),
    Rule(
        "counter",
        "visits move it",
        _whole(
            rf"\W*(?:{_HOW_MANY}\s)?(?:open issues(?:/prs)?|shares?|stars?(?!\s?:?\s[0-5]\W*$)|forks?|watch|unstar|sponsor|"
            rf"likes?|views?|hits|(?:weekly |total |monthly )?downloads|"
            rf"read|reads|gelesen|lu|leído|letto|lido|"
            rf"gelezen|czytano|прочитано|okunma|нравится|j['’]aime|me gusta|mi piace|gefällt mir|aufrufe|klicks|vues|visitas|"
            rf"visite|просмотр(?:ов|ы)?|wyświetle(?:ń|nia)|odsłony?|zobrazení|görüntülenme)\s?:?\s({NUMBER})\W*"
            rf"|\W*((?![0-5]\sstar){NUMBER}\s(?:members|stars?|forks?|watchers|watching|fans|installs|installations|students|learners|"
            rf"enrolled|interested|applicants|bewerber|posts))\W*"
        ),
    ),
    Rule(
        "counter",
        "visits move it",
        _whole(
            rf"(?:cart|basket|bag|wish ?list|compare|favou?rites|merkliste|wunschzettel|favoris|"
            rf"favoritos|warenkorb|panier|carrito|cesta|carrello|carrinho|winkelwagen|winkelmand|koszyk|"
            rf"košík|корзина|sepet|"
            rf"sepetim|カート|购物车|購物車|장바구니)\s?[:(\[]?\s?({NUMBER})\s?(?:items?|artikel|articles?|artículos)?\s?[)\]]?|"
            rf""
            rf"in ({NUMBER}) (?:carts|baskets|wishlists)"
        ),
    ),
    Rule(
        "captcha",
        "another sum for every visitor",
        spans_of(r"(?<![\w.,])(\d{1,2}\s?[+×*]\s?\d{1,2})\s?(?:=\s?\??|\?)$", needs=("+", "×", "*")),
    ),
    Rule(
        "online-now",
        "who happens to be there",
        spans_of(
            rf"(?<![\w.,])({NUMBER}\s(?:other\s)?{_PEOPLE})\s(?:(?:are|is|have|has|also)\s)?(?:\w+\s){{0,2}}?{_DONE_BY_PEOPLE}",
            needs=("people", "person", "user", "visitor", "member", "guest", "shopper", "customer", "other", "travel", "read"),
        ),
    ),
    Rule(
        "online-now",
        "who happens to be there",
        spans_of(
            rf"(?<![\w.,])({NUMBER})\s(?:registered|hidden|bots?|guests?)(?!\w)|online\s(?:was|"
            rf"is)\s({NUMBER})(?:\son\s({dates.MOMENT}))?",
            needs=("users online", "members online", "online was", "who is online"),
        ),
    ),
    Rule(
        "board-statistics",
        "every visitor of a board moves them",
        spans_of(
            rf"total\s(?:posts|topics|members|threads|users|replies|messages)\s?:?\s?({NUMBER})|"
            rf"newest\smember\s?:?\s(?:is\s)?(\S{{1,40}})",
            needs=("total ", "newest member"),
        ),
    ),
    Rule(
        "sales-rank",
        "moves by the hour with what others buy",
        spans_of(
            rf"(?:best[\s-]?sellers?[\s-]rank|sales\srank|bestseller-rang|"
            rf"classement des meilleures ventes)\D{{0,20}}#?({NUMBER})",
            needs=("rank", "rang", "classement"),
        ),
    ),
    Rule(
        "request-id",
        "made anew for every answer",
        spans_of(
            r"(?<!\w)(?:(?:request|trace|ray|session|correlation|transaction|visitor|incident|event|error|support|page|span|"
            r"csp|client)[\s_-]?"
            r"(?:id|identifier|key|nonce|ref(?:erence)?)|nonce|(?:csrf|xsrf|authenticity|form)[\s_-]?token|reference\s#|csrf)"
            rf"(?:\s?[:#=]\s?|\s)((?=\S{{0,60}}\d){_ID})",
            needs=("id", "key", "nonce", "ref", "token", "csrf"),
        ),
    ),
    Rule(
        "trace",
        "a request's trace, made anew for every answer",
        spans_of(
            r"(?<![\w-])(?:request|trace|session|correlation|ray|nonce|visit)[\s:#=_-]{1,3}"
            r"((?=[0-9a-f-]{0,40}\d)(?=[\d-]{0,40}[a-f])[0-9a-f-]{8,64}|\d{10,64})(?![\w-])",
            needs=("request", "trace", "session", "correlation", "ray", "nonce", "visit"),
        ),
    ),
    Rule(
        "build-hash",
        "which build answered; a version that people count is content",
        spans_of(
            rf"(?<!\w)(?:version|build|rev(?:ision)?|commit|release|deploy(?:ment|ed)?|"
            rf"bundle)\s?[:#]?\s?(?:[\d.]{{1,20}}[-+.])?v?({_HEX})",
            needs=("version", "build", "rev", "commit", "release", "deploy", "bundle"),
        ),
    ),
    Rule("build-hash", "which build answered; a version that people count is content", _whole(rf"v?({_HEX})")),
    Rule(
        "build-hash",
        "which build answered; a version that people count is content",
        spans_of(
            r"(?<!\w)(?:rev|revision|build)\s?:?\s?(20\d\d[.-]\d\d?[.-]\d\d?(?:[.-]\d{1,8})?)(?!\w)", needs=("rev", "build")
        ),
    ),
    Rule(
        "board-statistics",
        "every visitor of a board moves them",
        _whole(rf"(?:posts|messages|beiträge|mensajes|messaggi|berichten|сообщений|сообщения)\s?:\s({NUMBER})"),
    ),
    Rule(
        "build-hash",
        "which build answered; a version that people count is content",
        spans_of(rf"(?<!\w)build\s?:?\s?({dates.NUMERIC}[-+.]{_HEX})", needs=("build",)),
    ),
    Rule(
        "served-at",
        "a clock that shows seconds beside the word for answering",
        spans_of(
            r"(?<!\w)(?:served|delivered|produced|answered|responded)\s(?:at|on|in)\s(\d{1,2}:\d\d:\d\d(?:[.,]\d+)?)",
            needs=("served", "delivered", "produced", "answered", "responded"),
        ),
    ),
    Rule(
        "visit-number",
        "counts the answers themselves",
        spans_of(
            r"(?<!\w)(?:visitor|visit|hit|guest|page\s?view|pageview|answer|request|response|besucher|visiteur|visitante|"
            r"visitatore)"
            rf"\s?(?:number|no\.?|nr\.?|count(?:er)?|#|n°|№)\s?[:#]?\s?({NUMBER})|you are (?:our )?visitor\s({NUMBER})",
            needs=("number", "no", "nr", "count", "#", "n°", "№", "visitor"),
        ),
    ),
    Rule(
        "countdown",
        "the time that is left runs by itself; the end that it runs to is content",
        spans_of(
            rf"(?<!\w){_RUNS_OUT}\s?(?:in|dans|en|tra|em|over|za|через)?\s?:?\s?({_LEFT_OVER})",
            needs=_RUNNING_OUT,
        ),
    ),
    Rule(
        "countdown",
        "the time that is left runs by itself; the end that it runs to is content",
        spans_of(
            rf"(?<!\w)(?:order|buy|bestellen?(?: sie)?|bestelle|commandez|pide|ordina|compra)\s(?:within|in|innerhalb(?: von)?|"
            rf"dans|en|entro)(?: the next)?\s({_DURATION})"
            r"|(?<![\w.,])(\d{1,3}\s?days?\s\d{1,2}\s?(?:hours?|hrs?)\s\d{1,2}\s?(?:minutes?|"
            r"mins?)(?:\s\d{1,2}\s?(?:seconds?|secs?))?)",
            needs=("within ", " in ", "innerhalb", "dans ", " en ", "entro ", "day"),
        ),
    ),
    Rule(
        "delivery-day",
        "moves on with the day of the visit",
        spans_of(
            rf"(?:estimated delivery|estimated arrival|get it by|get it|arrives by|arrives|livraison estimée|"
            rf"voraussichtliche lieferung|entrega estimada|"
            rf"entrega prevista|consegna stimata|consegna prevista|verwachte levering)\s?:?\s?(?:between |zwischen |entre |"
            rf"entre le |il |el |le |am )?{_NO_YEAR}({_DAY})"
            rf"|(?:delivery|lieferung|livraison|entrega|llegará|consegna|bezorging|bezorgd|arriving|receive it|dostawa|"
            rf"доставка)\s(?:by |on |bis |am |le |el |op |für |voor )?"
            rf"{_NO_YEAR}({_WEEKDAY_DATE})",
            needs=_ON_ITS_WAY,
        ),
    ),
    Rule(
        "machine-field",
        "a field that machines fill anew for every answer",
        spans_of(
            r"^(?:[\w$@-]{1,60}(?:\[\])*\.){0,20}[\w$@-]{0,40}?(?:(?:request|trace|session|span|correlation|build|visitor|"
            r"render)_?-?id|nonce|(?:csrf|xsrf|access|auth|session|"
            r"request|form)_?-?token|timestamp|e_?tag|(?:server|response|processing|query|render|generation)_?-?time|"
            r"(?:generated|rendered|fetched|cached|crawled|"
            r"updated|modified|expires|refreshed)_?-?(?:at|on|date|time)|last_?-?(?:updated|modified|fetched|checked|"
            r"refreshed)|took(?:_?ms)?|elapsed(?:_?ms)?|\w{0,30}(?:time|duration)_?ms|cache_?key): (\S.*)$",
            needs=(": ",),
        ),
    ),
    Rule(
        "uuid",
        "made anew for every answer, and no reader's word",
        spans_of(
            r"(?<![0-9a-f-])[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?![0-9a-f-])",
            needs=("-1", "-3", "-4", "-5", "-6", "-7"),
        ),
    ),
    Rule(
        "reader-address",
        "the reader's own address",
        spans_of(
            r"(?:your ip(?: address)?(?: is)?|ihre ip(?:-adresse)?|votre (?:adresse )?ip|[st]u ip|il tuo ip|ваш ip)\s?:?\s?"
            r"(\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]{6,39})",
            needs=(" ip",),
        ),
    ),
    Rule(
        "served-by",
        "which of many machines answered",
        spans_of(
            r"(?<!\w)(?:served by|handled by|backend|pod|hostname|cache node)\s?[:=]?\s((?=\S{0,60}\d)[a-z][\w.-]{1,60})"
            r"|^server\s?:?\s([a-z]{2,12}[-.]?\d{1,4}[\w.-]{0,40})$",
            needs=("served by", "handled by", "backend", "pod", "hostname", "cache node", "server"),
        ),
    ),
)
