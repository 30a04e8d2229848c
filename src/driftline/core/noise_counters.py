"""Numbers that visitors move, as the languages of the web say it: how often something was read, liked, who is there."""

from __future__ import annotations

from typing import Final

from driftline.core.noise_rules import NUMBER, Rule, spans_of

COUNTERS: Final[tuple[Rule, ...]] = (
    Rule(
        "counter",
        "visits move it",
        spans_of(
            rf"(?<!\w)(?:liked|loved|shared|saved|followed)\sby\s({NUMBER})\s(?:people|others|users|members)"
            rf"|(?<!\w)(?:visto|vista|leído|leída|visitad[ao]|visualizad[ao]|lid[ao]|letto|letta|lu|lue|vu|vue|consultée?|bekeken|gelezen|"
            rf"gelesen|angesehen|aufgerufen|wyświetlono|odwiedzono|czytano|zobrazeno|přečteno|просмотрено|прочитано)\s?:?\s({NUMBER})\s"
            rf"(?:veces|vezes|volte|fois|keer|mal|razy|krát|раза?)(?!\w)"
            rf"|(?<![\w.,])({NUMBER})\s(?:kez|defa)\s(?:görüntülen|okun|izlen)|({NUMBER})\s(?:mal|fois|veces|vezes|volte|keer|razy|krát|раза?)\s"
            rf"(?:gelesen|angesehen|aufgerufen|angeklickt|lue?s?|vue?s?|leíd|vist|lett|bekeken|gelezen|obejrz|wyświetl|zobrazen|прочитан|просмотр)",
            needs=("by ", "veces", "vezes", "volte", "fois", "keer", "mal", "razy", "krát", "раз", "kez", "defa"),
        ),
    ),
    Rule(
        "online-now",
        "who happens to be there",
        spans_of(
            rf"(?<![\w.,])({NUMBER})\s(?:gäste?|besucher|benutzer|personas|personnes|persone|pessoas|osób|гостей|kişi|ziyaretçi)\s"
            rf"(?:(?:und|y|et|e|i|и|ve)\s\w+\s\w+\s)?(?:online|(?:están|sont|stanno|estão)\s"
            rf"(?:viendo|en train|guardando|vendo)|en ligne|sehen|ogląda|bakıyor|inceliyor|онлайн)"
            rf"|(?:сейчас на сайте|на сайте|сейчас онлайн|currently online|"
            rf"(?:aktuell|zurzeit|derzeit) online)\s?:?\s({NUMBER})",
            needs=tuple("online viendo ligne train guardando vendo sehen ogląda bakıyor inceliyor онлайн сайте".split()),
        ),
    ),
)
