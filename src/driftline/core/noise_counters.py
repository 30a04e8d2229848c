"""Numbers that visitors move, as the languages of the web say it: how often something was read, liked, who is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from driftline.core.later import later
from driftline.core.noise_rules import NUMBER, Rule, Span, spans_of

_LONGEST: Final = 140  # characters of a line that says when a page was touched, and nothing else
_THE_PAGE: Final = later(
    r"(?<!\w)(?:page|article|site|seite|página|pagina|stronę|strona|stránka|stránky|страница|страницу|статья|сторінка|сторінку|"
    r"sayfa|sidan|siden|sivua?)(?!\w)|ページ|页面|頁面|문서|페이지|الصفحة|הדף"
)
_TOUCHED: Final = later(
    r"last\s(?:edited|modified|updated|changed|revised|reviewed)|zuletzt|dernière\s(?:modification|mise)|última\svez|ultima\s(?:volta|"
    r"oară)|l['’]ultima\svolta|ostatnio|laatst\s(?:bewerkt|gewijzigd|bijgewerkt)|naposled|в\sпоследний\sраз|востаннє|en\sson|senast\s(?:ändra|"
    r"redigera|uppdatera)|sist\s(?:endret|redigert|oppdatert)|(?:sidst|senest)\s(?:ændret|redigeret|opdateret)|viimeksi\s(?:muokattu|"
    r"päivitetty)|最終更新|最后(?:修订|编辑|更新)|最後(?:修訂|編輯|更新)|마지막으로\s(?:편집|수정)|آخر\sتعديل|(?:تم|آخر)\sتحديث|שונה\sלאחרונה|נערך\sלאחרונה"
)


def _page_touched(line: str) -> Iterator[Span]:
    """The whole line: what it says besides the date is that it is the date."""
    if len(line) <= _LONGEST and _THE_PAGE.search(line) and _TOUCHED.search(line):
        yield 0, len(line)


_SHARING: Final = (
    r"(?:shares?|tweets?|teilen|twittern|partager|compartir|condividi|compartilhar|udostępnij|sdílet|paylaş|поделиться)"
)
_NETWORKS: Final = r"(?:facebook|twitter|linkedin|pinterest|pin it|whatsapp|reddit|xing|telegram|flipboard|tumblr)"
_TIMES: Final = rf"\s?[:(]?\s?{NUMBER}\)?[\s|·,]{{0,3}}"
_SHARED: Final = later(rf"\W{{0,3}}(?:{_SHARING}{_TIMES}|(?:(?:{_SHARING}|{_NETWORKS}){_TIMES}){{2,8}})\W{{0,3}}")
_SHARE_STEMS: Final = tuple("shar tweet facebook twitter teilen partag compart condivid udost sdíl paylaş делит".split())
_FIGURE: Final = later(NUMBER)
_RATED: Final = later(
    rf"(?<![\w.,])([0-5][.,]\d{{1,2}}|[1-5])\s?(?:/|out of|von|sur|de|su|van|z|из)\s?5"
    rf"(?:\s(?:stars?|sterne\w?|étoiles|estrellas|stelle))?\s?[-–(,]{{0,2}}\s?({NUMBER})\s(?:votes?|stimmen|voti|votos|stemmen|głosów|hlasů|голос\w{{0,2}}|oy)(?!\w)"
)


def _shares(line: str) -> Iterator[Span]:
    """The numbers of a line that is nothing but names of networks, each with how often it was shared there."""
    if len(line) <= _LONGEST and any(stem in line for stem in _SHARE_STEMS) and _SHARED.fullmatch(line):
        for found in _FIGURE.finditer(line):
            yield found.span()


def _voted(line: str) -> Iterator[Span]:
    """The number of votes that stands behind a grade: alone it may be the result of an election."""
    for found in _RATED.finditer(line) if "5" in line else ():
        yield found.span(1)
        yield found.span(2)


COUNTERS: Final[tuple[Rule, ...]] = (
    Rule("updated-at", "says when the page was made or touched, not what it holds", _page_touched),
    Rule(
        "counter",
        "visits move it",
        spans_of(
            rf"(?<!\w)(?:liked|loved|shared|saved|followed)\sby\s({NUMBER})\s(?:people|others|users|members)"
            rf"|(?<!\w)(?:visto|vista|leído|leída|visitad[ao]|visualizad[ao]|lid[ao]|letto|letta|lu|lue|vu|vue|consultée?|bekeken|gelezen|"
            rf"gelesen|angesehen|aufgerufen|wyświetlono|odwiedzono|czytano|zobrazeno|přečteno|просмотрено|прочитано|dilihat|dibaca)\s?:?\s({NUMBER})\s?"
            rf"(?:veces|vezes|volte|fois|keer|mal|razy|krát|раза?|kali|[x×])(?!\w)"
            rf"|(?<![\w.,])({NUMBER})\s(?:kez|defa)\s(?:görüntülen|okun|izlen)|({NUMBER})\s(?:mal|fois|veces|vezes|volte|keer|razy|krát|раза?)\s"
            rf"(?:gelesen|angesehen|aufgerufen|angeklickt|lue?s?|vue?s?|leíd|vist|lett|bekeken|gelezen|obejrz|wyświetl|zobrazen|прочитан|просмотр)",
            needs=(
                "by ",
                "veces",
                "vezes",
                "volte",
                "fois",
                "keer",
                "mal",
                "razy",
                "krát",
                "раз",
                "kez",
                "defa",
                "kali",
                "zobrazeno",
            ),
        ),
    ),
    Rule(
        "counter",
        "visits move it",
        spans_of(
            rf"(?<![\w.,])({NUMBER})\s(?:out of|of|von|sur|de|su|van|z|из)\s({NUMBER})\s(?:\w{{2,14}}\s){{0,3}}?"
            rf"(?:found|fand|trouv|encontr|consider|riten|vond|uzna|сочли|посчитали)\w*\s.{{0,25}}?(?:helpful|useful|hilfreich|nützlich|"
            rf"utile|útil|nuttig|pomocn|przydatn|полезн)",
            needs=tuple("helpful useful hilfreich nützlich utile útil nuttig pomocn przydatn полезн".split()),
        ),
    ),
    Rule(
        "counter",
        "visits move it",
        spans_of(rf"[★☆⭐✩✮✰]\s?\(({NUMBER})\)", needs=tuple("★☆⭐✩✮✰")),
    ),
    Rule(
        "counter",
        "visits move it",
        spans_of(rf"(?<![\w.,])({NUMBER})\s?% of (?:the )?({NUMBER})\s(?:user |customer )?reviews", needs=("reviews",)),
    ),
    Rule("counter", "visits move it", _shares),
    Rule("counter", "visits move it", _voted),
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
