"""What a line says of the present moment: the day, whether a shop is open just now, how long until something."""

from __future__ import annotations

from typing import Final

from driftline.core import dates
from driftline.core.noise_rules import Rule, spans_of

# Lines that a clock turns over: hours that somebody set stand elsewhere.
OPEN_NOW: Final = frozenset(
    "open now|closed now|open right now|closed right now|jetzt geöffnet|jetzt geschlossen|derzeit geöffnet|derzeit geschlossen|"
    "aktuell geöffnet|aktuell geschlossen|ouvert actuellement|fermé actuellement|actuellement ouvert|actuellement fermé|"
    "ouvert maintenant|fermé maintenant|abierto ahora|cerrado ahora|ahora abierto|ahora cerrado|aperto ora|chiuso ora|"
    "ora aperto|ora chiuso|aberto agora|fechado agora|"
    "nu geopend|nu gesloten|teraz otwarte|teraz zamknięte|otwarte teraz|nyní otevřeno|"
    "nyní zavřeno|právě otevřeno|právě zavřeno|öppet nu|stängt nu|åbent nu|lukket nu|åpent nå|stengt nå|nyt auki|nyt suljettu|"
    "avoinna nyt|şu an açık|şu an kapalı|şimdi açık|şimdi kapalı|сейчас открыто|сейчас закрыто|открыто сейчас|закрыто сейчас|"
    "зараз відчинено|зараз зачинено|営業中|営業時間外|ただいま営業中|营业中|已打烊|"
    "영업 중|영업중|영업 종료|مفتوح الآن|مغلق الآن".split("|")
)
_STATES: Final = "|".join(sorted(OPEN_NOW, key=lambda phrase: (-len(phrase), phrase)))
_CHANGES: Final = (
    r"(?:closes|closing|opens|opening|reopens|until|schließt|öffnet|bis|ferme|ouvre|jusqu['’]à|cierra|abre|hasta|chiude|apre|"
    r"fecha|"
    r"até|sluit|tot|zamykamy|otwieramy|do|zavírá|otevírá|stänger|öppnar|lukker|åbner|stenger|åpner|sulkeutuu|aukeaa|kapanış|"
    r"açılış|"
    r"закроется|откроется|до)"
)
_AT: Final = (
    rf"(?:\s(?:soon|at|on|again|tomorrow|today|um|wieder|morgen|à|demain|a las|mañana|alle|domani|às|amanhã|om|o|v|kl\.?|klo|в|"
    rf"(?:{dates.WEEKDAYS})))*"
)
_BARE: Final = (
    "open|closed|geöffnet|geschlossen|ouvert|fermé|abierto|cerrado|aperto|chiuso|aberto|fechado|otwarte|zamknięte|otevřeno|zavřeno|"
    "öppet|stängt|åpent|stengt|открыто|закрыто"
)
_STATE_STEMS: Final = tuple(
    "open clos geöffnet geschlossen ouvert fermé abierto cerrado aperto chiuso aberto fechado geopend gesloten otwart zamkn "
    "otevř zavř öppet stängt åbent lukket åpent stengt auki suljettu avoinna açık kapalı открыт закрыт відчин зачин "
    "営業 营业 打烊 영업 مفتوح مغلق".split()
)
_UNTIL: Final = r"(?:until|till|to go until|to go before|bis|avant|hasta|até|do|tot|til|до)"
_MINUTES: Final = r"\d{1,3}\s?(?:min(?:ute|uten|utes|utos|uti|uut)?s?\.?|мин\.?|хв\.?|分|분|dk)"
_NEXT: Final = (
    r"(?:next|nächste[rs]?|prochaine?|próxim[oa]|prossim[oa]|volgende|następny|další|nästa|næste|neste|seuraava|sonraki|"
    r"следующий|"
    r"следующая|наступний)"
)
_DEPARTS: Final = (
    r"(?:departs|departure|leaves|abfahrt|départ|salida|sale|partenza|parte|vertrek|odjazd|odjezd|avgår|afgang|отправление)"
)
_WHY: Final = "a clock turns it over; the hours that somebody set are content"
_TODAY: Final = (
    r"nous sommes(?: le)?|dnes je|dziś jest|dziś mamy|dzisiaj jest|idag är det|i dag er det|tänään on|bugün günlerden|"
    r"vandaag is het|"
    r"сьогодні"
)

DAYS: Final[tuple[Rule, ...]] = (
    Rule(
        "open-now",
        _WHY,
        spans_of(
            rf"^\W{{0,3}}(?:{_STATES})(?:\s?[·•⋅|,.;:(–—-]{{1,2}}\s?{_CHANGES}{_AT}\s(?:{dates.CLOCK}|\d{{1,2}}(?:\suhr|\sh)?)"
            rf"(?:\s(?:{dates.WEEKDAYS}|uhr))?)?\W{{0,3}}$"
            rf"|^\W{{0,3}}(?:{_BARE})\s?[·•⋅|]\s?{_CHANGES}{_AT}\s(?:{dates.CLOCK}|\d{{1,2}}(?:\suhr|\sh)?)"
            rf"(?:\s(?:{dates.WEEKDAYS}|uhr))?\W{{0,3}}$",
            needs=_STATE_STEMS,
        ),
    ),
    Rule(
        "countdown",
        "the time that is left runs by itself; the end that it runs to is content",
        spans_of(
            rf"(?<!\w)(?:only|just|still|nur noch|noch|encore|ancora|nog|jeszcze|tylko|ještě|bara|kun|"
            rf"vain|осталось|ещё)\s"
            rf"(\d{{1,3}}\s(?:days?|weeks?|hours?|sleeps|tage?|wochen|jours?|semaines?|días|semanas|giorni|dias|dagen|dni|dní|"
            rf"dny|"
            rf"dnů|dagar|dage|"
            rf"päivää|дн\w{{1,2}}|день))\s(?:{_UNTIL}|left)"
            rf"|^\W{{0,3}}(\d{{1,3}}\s(?:days?|weeks?|sleeps))\s(?:until|to go)",
            needs=tuple("day week sleep hour tag woche jour semaine día semana giorn dia dag dn päiv дн день".split()),
        ),
    ),
    Rule(
        "countdown",
        "the time that is left runs by itself; the end that it runs to is content",
        spans_of(
            rf"(?<!\w)(?:{_NEXT}\s(?:\S{{1,20}}\s){{1,3}}?|{_DEPARTS}\s)(?:in|dans|en|tra|em|over|za|om|через|"
            rf"kuluttua)\s({_MINUTES})"
            rf"(?!\w)",
            needs=("min", "мин", "хв", "分", "분", "dk"),
        ),
    ),
    Rule(
        "updated-at",
        "says when the page was made or touched, not what it holds",
        spans_of(
            rf"(?<!\w)(?:{_TODAY})\s?[:,]?\s((?:(?:{dates.WEEKDAYS})\.?,?\s)?{dates.DATE})|(?:今天是|今日は|本日は|오늘은)\s?[:：]?\s?({dates.DATE})",
            needs=tuple(
                "nous sommes|dnes je|dziś|dzisiaj|idag är|i dag er|tänään on|bugün|vandaag is|сьогодні|"
                "今天是|今日は|本日は|오늘은".split("|")
            ),
        ),
    ),
)
