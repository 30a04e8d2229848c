"""Who visits a site: counters of visitors, who is online, what members of a board wrote; in the words of the usual systems."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from driftline.core.later import later
from driftline.core.noise_rules import NUMBER, Rule, Span, spans_of

_LONGEST: Final = 200  # characters of a line that counts visitors

# Numbers behind these count visits; some of them only as a label, since "14 Beobachter" may be news.
COUNT_LABELS: Final = frozenset(
    "beobachter|watchers|watching now|obserwujący|obserwuje|sledujících|bevakar|seuraajat|takip edenler|наблюдают|в избранном|"
    "ウォッチ|ウォッチリスト|关注人数|관심|besucherzähler|visitor counter|hit counter|compteur de visites|contador de visitas|"
    "contatore visite|licznik odwiedzin|počítadlo|ziyaretçi sayacı|"
    "weekly downloads|monthly downloads|daily downloads|total downloads|downloads last month|weekly views|monthly views|"
    "アクセスカウンター|访问量|訪問人次|방문자 수|عدد الزوار|عدد الزيارات".split("|")
)
_VISITS: Final = (
    r"besucher(?:z(?:ahl|ähler))?|zugriffe|seitenzugriffe|visitantes?|visitas|contador(?: de visitas)?|visiteurs?|visites|"
    r"nombre de (?:visites|visiteurs)|compteur|visitatori|visite|contatore(?: visite)?|bezoekers(?:teller|aantal)?|"
    r"aantal bezoekers|"
    r"(?:licznik |liczba )?odwiedzin(?:y)?|(?:liczba )?wejść|odwiedziło nas|počet (?:návštěv(?:níků)?|přístupů)|"
    r"návštěv(?:nost|y|níků)?|"
    r"počítadlo|antal besök(?:are)?|besökare|besøg(?:ende)?|antal besøg|besøkende|kävijö?i?t?ä?|kävijälaskuri|"
    r"ziyaretçi(?: sayısı| sayacı)?|"
    r"ziyaret(?: sayısı)?|посетител(?:и|ей)|посещени(?:й|я)|визит(?:ов|ы)|уникальных|відвідувач(?:ів|і)|відвідувань|"
    r"(?:unique |total |page )?(?:visitors|visits|hits)|(?:visitor|hit|page) counter|total visits|عدد الزوار|عدد الزيارات|"
    r"الزوار|الزيارات|"
    r"عدد المشاهدات|アクセス(?:カウンター|数)?|累計アクセス数?|訪問者数?|来訪者数?|来場者数|本日のアクセス数?|(?:总|總|今日|"
    r"本站)?(?:访问|訪問|浏览|瀏覽)"
    r"(?:量|次数|次數|人数|人數|人次)|訪客人數|访客数|点击(?:量|次数)|(?:오늘 |전체 |총 |누적 )?방문자(?: ?수)?|방문(?: ?수)|"
    r"조회 ?수"
)
_AVERAGE: Final = later(r"(?<![\w.,])([0-5][.,]\d{1,2})\s?(?:out of|/|von|sur|de|su|van|av|af|z|из)\s?5(?![\w.,])")
_VERDICT: Final = later(
    r"(?<!\w)(?:our|my|editors?['’]?s?|editorial|experts?|verdict|hygiene|safety|inspection|unsere?|redaktion|testurteil|"
    r"testergebnis|fazit|notre|rédaction|nuestr[ao]|veredicto|redacción|nostr[ao]|redazione|noss[ao]|onze|oordeel|redactie|"
    r"nasza|redakcji|vårt|vores|наша|вердикт)(?!\w)"
)
_PERIODS: Final = (
    r"today|yesterday|this (?:week|month|year)|last (?:week|month)|total|all(?: days| time)?|online(?: now)?|heute|gestern|"
    r"(?:diese )?woche|(?:diesen )?monat|gesamt|insgesamt|alle|hoy|ayer|esta semana|este mes|semana|mes|aujourd['’]hui|hier|"
    r"semaine|mois|"
    r"oggi|ieri|settimana|mese|totale|hoje|ontem|esta semana|este mês|vandaag|gisteren|totaal|dziś|dzisiaj|wczoraj|razem|"
    r"łącznie|ogółem|"
    r"dnes|včera|celkem|týden|měsíc|idag|i dag|igår|totalt|tänään|yhteensä|bugün|dün|toplam|bu ay|сегодня|вчера|всего|"
    r"за (?:сутки|день|"
    r"неделю|месяц)|сьогодні|вчора|усього|всього|本日|今日|昨日|累計|合計|昨天|总计|總計|累计|오늘|어제|전체|누적|اليوم|أمس|"
    r"المجموع|الكلي"
)
_SINCE: Final = r"(?:seit|since|desde|depuis|dal|sinds|od|sedan|siden|с)\s(?:dem\s|le\s|el\s|il\s)?[\d./-]{4,10}"
_FIGURE: Final = r"(?P<count>\d[\d., ]{0,14}\d|\d)(?![\w%€$£]|[.,:–-]\s?\d)"
_COUNTED: Final = later(
    rf"(?<!\w)(?:(?P<day>{_PERIODS})\s)?(?P<visits>{_VISITS})(?:\s?\(?(?P<since>{_PERIODS}|{_SINCE})\)?)?\s?[:：]\s?{_FIGURE}"
)
_ALSO: Final = later(rf"(?<!\w)(?:{_PERIODS}|{_SINCE}|{_VISITS})\s?[:：]?\s?{_FIGURE}")
_SIGNS: Final = (":", "：")
# Without one of these a line counts nobody: finding a word is much quicker than trying an expression.
_VISIT_STEMS: Final = tuple(
    "visit besuch zugriff contador compt contat bezoek odwied wejść návštěv přístup počítadlo besök besøg besøk kävij ziyaret "
    "посет посещ визит уникальн відвід hits counter الزوار الزيارات المشاهدات アクセス 訪問 来訪 来場 访 訪 "
    "浏览 瀏覽 点击 방문 조회".split()
)
_GUEST_STEMS: Final = tuple(
    "guest gäst gast invit visit ospit convid goś host náv gæst gjest vieras misafir ziyaret гост bot spider".split()
)
_NAMED_STEMS: Final = (
    "this ", "diesem", "parcourant", "navegando", "visitano", "a ver este", "gebruikers", "przeglądając", "prohlíž",
    "просматривают", "registered users", "registrierte", "members online", "online users",
)  # fmt: skip
_POST_STEMS: Final = tuple("posts messages beiträge mensajes messaggi berichten сообщени threads themen topics likes".split())
_FEWEST: Final = 4  # digits of a number that counts visits in so many words and nothing else

_NONE: Final = (
    rf"(?:{NUMBER}|no|one|zero|an?|keine?[nr]?|eine?[nr]?|aucun|une?|ningún|ninguno|nessun|nenhum|geen|een|żadnych|žádn[ýé]|"
    rf"inga|ingen|"
    rf"ни одного|hiç)"
)
_GUESTS: Final = (
    r"(?:guests?|gäste?n?|gast|invités?|visiteurs?|invitados?|visitantes?|ospiti|ospite|visitator[ei]|convidados?|gasten|gości|gość|goście|"
    r"hosté|hostů|"
    r"návštěvník(?:ů|y)?|gäster|gæster|gjester|vierasta|misafir|ziyaretçi|гость|гостя|гостей|гості|visitors?|bots?|spiders?|"
    r"robots?)"
)
_MEMBERS: Final = (
    r"(?:(?:registered |hidden |invisible |active )?(?:members?|users?)|registered|hidden|mitglied(?:er|ern)?|benutzer|"
    r"registrierte[rn]?|"
    r"unsichtbare[rn]?|membres?|utilisateurs?|miembros?|usuarios?|membri|membro|utenti|utente|membros?|utilizador(?:es)?|"
    r"leden|lid|"
    r"użytkownik(?:ów|a|i)?|uživatel(?:é|ů)?|medlem(?:mar|mer|mar|s)?|jäsentä|üye|пользовател(?:ь|я|ей)|користувач(?:ів|і)?)"
)
_AND: Final = r"\s?(?:,\s?(?:and\s)?|and|&|und|et|y|e|en|oraz|i|a|och|og|ja|ve|и|та)\s?"
_BROWSING: Final = (
    r"(?:users|members|people) (?:currently )?(?:browsing|viewing|reading) this (?:forum|topic|thread|board)|"
    r"mitglieder in diesem (?:forum|"
    r"thema)|(?:utilisateurs?|membres) parcourant ce (?:forum|sujet)|usuarios navegando (?:por |en )?este (?:foro|tema)|"
    r"visitano il forum|"
    r"utilizadores a ver este (?:fórum|tópico)|gebruikers (?:op dit forum|die dit bekijken)|"
    r"użytkownicy przeglądający ten temat|"
    r"użytkownicy przeglądający to forum|uživatelé prohlížející (?:si )?toto fórum|(?:сейчас )?(?:этот форум|"
    r"эту тему) просматривают|"
    r"registered users|registrierte mitglieder|members online|online users"
)


def _averages(line: str) -> Iterator[Span]:
    """What all readers give together; what one who tested or inspected gave is content."""
    if len(line) <= _LONGEST and not _VERDICT.search(line):
        yield from ((found.start(1), found.end(1)) for found in _AVERAGE.finditer(line))


def _visits(line: str) -> Iterator[Span]:
    """Every number of a line that counts visitors, with the days that it counts them for."""
    if len(line) > _LONGEST or not any(sign in line for sign in _SIGNS):
        return
    first = _COUNTED.search(line)
    if first is None or not _is_counter(first):
        return
    yield first.span("count")
    for found in _ALSO.finditer(line):
        yield found.span("count")


def _is_counter(found: re.Match[str]) -> bool:
    """Whether a number is large, counts since some day, or is called a counter: "Visits: 3" may be what a pass is good for."""
    if found["day"] or found["since"] or not found["visits"].isascii():
        return True
    return "counter" in found["visits"] or sum(map(str.isdigit, found["count"])) >= _FEWEST


def _present(line: str) -> Iterator[Span]:
    """Who is there: guests and members together, or those who look at one topic by name."""
    if len(line) > _LONGEST:
        return
    if any(stem in line for stem in _GUEST_STEMS) and _HERE.search(line):
        for found in _TOGETHER.finditer(line):
            yield found.span()
    named = _NAMED.search(line) if any(stem in line for stem in _NAMED_STEMS) else None
    if named is not None:
        yield named.span(1)


_HERE: Final = later(
    r"online|browsing|viewing|active users|users active|en ligne|en línea|conectad|in linea|odwiedza|przegląda|přítomn|"
    r"připojen|çevrim|paikalla|сейчас|онлайн|на сайте|зараз"
)
_TOGETHER: Final = later(
    rf"(?<!\w)(?:{_NONE}\s{_GUESTS}{_AND}{_NONE}\s{_MEMBERS}|{_NONE}\s{_MEMBERS}{_AND}{_NONE}\s{_GUESTS}"
    rf"|{_GUESTS}\s?[:—–-]\s?{NUMBER}{_AND}{_MEMBERS}\s?[:—–-]\s?{NUMBER}|"
    rf"{_MEMBERS}\s?[:—–-]\s?{NUMBER}{_AND}{_GUESTS}\s?[:—–-]\s?{NUMBER}"
    rf"|{_NONE}\s{_GUESTS}(?=\sonline))(?:\sonline)?(?!\w)"
)
_NAMED: Final = later(rf"^\W{{0,3}}(?:{_BROWSING})\s?:\s?(\S.{{0,160}})$")
_POSTS: Final = later(
    rf"(?<!\w)(?:posts|messages|beiträge|mensajes|messaggi|berichten|сообщений|сообщения|threads|themen|topics|likes|"
    rf"reputation|"
    rf"reaction score|bewertungen|thanks)\s?:\s?({NUMBER})(?![\w%])"
)
_MEMBER_SINCE: Final = later(
    r"(?<!\w)(?:joined|join date|member since|registered|registriert|dabei seit|inscrit|registrado|iscritto|lid sinds|dołączył|"
    r"регистрация|зарегистрирован|rank|rang)(?!\w)"
)


def _profile(line: str) -> Iterator[Span]:
    """What a member of a board wrote so far, beside the day on which they joined."""
    if len(line) <= _LONGEST and _MEMBER_SINCE.search(line):
        for found in _POSTS.finditer(line):
            yield found.span(1)


_WHY: Final = "visits move it"
_THERE: Final = "who happens to be there"
VISITORS: Final[tuple[Rule, ...]] = (
    Rule("counter", _WHY, _visits, _VISIT_STEMS),
    Rule("counter", _WHY, _averages, (" 5", "/5")),
    Rule("online-now", _THERE, _present, (*_GUEST_STEMS, *_NAMED_STEMS)),
    Rule("board-statistics", "every visitor of a board moves them", _profile, _POST_STEMS),
    Rule(
        "visit-number",
        "counts the answers themselves",
        spans_of(
            rf"(?:visitante|visiteur|visitatore|besucher|bezoeker|ziyaretçi|посетитель|відвідувач)\s?(?:n\.?\s?[ºo°]|núm\.?|"
            rf"nummer|número|"
            rf"numero|numéro|nr\.?|№)\s?:?\s?({NUMBER})|({NUMBER})\s?人目の(?:訪問|来訪|お客|ご訪問|ご来|アクセス|閲覧)|"
            rf"第\s?({NUMBER})\s?(?:位|个|個)(?:访客|访问者|訪客|"
            rf"浏览者|瀏覽者|来访者|"
            rf"來訪者|贵宾)|({NUMBER})\s?번째\s?방문|(?:ste|eres el|sie sind|vous êtes le|sei il|you are)\s(?:der |the |"
            rf"our )?({NUMBER})\.?"
            rf"(?:st|nd|rd|th|e|ème|º)?\s(?:visit\w{{0,6}}|besucher|návštěvník)",
            needs=tuple("visit bezoek besucher ziyaretçi посетитель відвідувач 人目 第 번째 návštěvník".split()),
        ),
    ),
    Rule(
        "counter",
        _WHY,
        spans_of(
            rf"(?<![\w.,])({NUMBER})\scommits?\s(?:to\s\S{{1,60}}\s)?since\s(?:this|that|the)\s(?:release|tag|last release)",
            needs=("commit",),
        ),
    ),
    Rule(
        "online-now",
        _THERE,
        spans_of(
            rf"odwiedza nas\s(.{{1,60}}?użytkownik(?:ów|a|i)?)|({NUMBER})\s(?:personen|leute|besucher|kunden)\s(?:sehen|"
            rf"schauen|betrachten)\s"
            rf"(?:sich\s)?(?:gerade|aktuell|derzeit)|(?:users )?online\s?:\s?({NUMBER}\s(?:guests?|users?|members?))"
            rf"(?:,\s({NUMBER}\s(?:guests?|users?|members?)))?|most online (?:today|ever)\s?:\s?({NUMBER})|"
            rf"({NUMBER})\susers active in the (?:past|last)|active users\s?:\s?({NUMBER})\s?\(|"
            rf"total\s?:\s?({NUMBER})\s?\(members\s?:\s?({NUMBER}),\sguests\s?:\s?({NUMBER})",
            needs=tuple("odwiedza personen leute besucher kunden guest online active".split()),
        ),
    ),
    Rule(
        "board-statistics",
        "every visitor of a board moves them",
        spans_of(
            rf"made a total of ({NUMBER}) posts in ({NUMBER}) threads|currently have ({NUMBER}) members registered|"
            rf"^({NUMBER}) posts in "
            rf"({NUMBER}) topics(?: by ({NUMBER}) members)?|welcome (?:to )?our newest member,?\s(\S{{1,40}})|"
            rf"latest member\s?:\s?(\S{{1,40}})",
            needs=("total of", "currently have", "posts in", "newest member", "latest member"),
        ),
    ),
    Rule(
        "captcha",
        "another sum for every visitor",
        spans_of(
            r"(?:what is|how much is|was ist|wie ?viel ist|wieviel ergibt|combien font|cuánto es|quanto fa|quanto é|"
            r"hoeveel is|ile to|ile jest|"
            r"kolik je|сколько будет)\s"
            r"(\d{1,2}\s?(?:plus|minus|mal|times|und|et|y|più|mas|más|mais|fois|por|плюс|[-+×*x])\s?\d{1,2})",
            needs=tuple("what much was viel combien cuánto quanto hoeveel ile kolik сколько".split()),
        ),
    ),
)
