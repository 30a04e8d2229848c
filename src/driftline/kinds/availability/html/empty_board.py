"""Whether a page says in words that its board is empty: a short sentence of its own, and nothing of a failure beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from driftline.core.text.short_cache import short_cache
from driftline.kinds.availability.html.tree import MAX_TEXT, Element
from driftline.kinds.availability.state_words import AROUND, TAKEN

_FEW: Final = 400  # characters of a page that has hardly any content
_SMALL: Final = 2_000  # of one that is all about one thing; on larger ones only what is near counts
_SENTENCE: Final = re.compile(r"[^.!?;:。！？\n]{2,160}[?？]?")
_INLINE: Final = frozenset("b strong i em span a small mark u br font sup sub abbr wbr".split())
_TOKEN: Final = re.compile(r"[^\W_]+")


def _stems(text: str) -> re.Pattern[str]:
    """One expression for words that begin like these; those with a mark at their end are whole."""
    words = [re.escape(word[:-1]) if word.endswith("|") else rf"{re.escape(word)}\w{{0,12}}" for word in text.split()]
    return re.compile("|".join(words))


_NOT: Final = frozenset(
    """
no not none zero couldn didn don doesn isn aren haven any
without never nothing fully keine keinen keiner kein nicht aucun aucune aucuns pas plus
n rien ningún ninguna
ninguno ningun sin ya nessun nessuna nessuno non não nao nenhum nenhuma sem geen niet inga ingen inget ej inte ingen
ikke ei eivät
brak nie žádné žádný žiadne není nejsou nincs nincsenek nem niciun nicio nu nema няма нет немає нема жодного yok
bulunmamaktadır
bulunmuyor bulunamadı bulunamamıştır kalmadı değil δεν κανένα καμία لا ليس אין tidak không hiçbir keinerlei žádná žádných
""".split()
)
_SLOT: Final = _stems("""
appointment slot time| times| timeslot date| dates availabilit availability opening vacanc seat spot place| places space
table ticket
tee sessions| booking reservation site| sites| campsite court| courts| room| rooms| lane| lanes|
termin zeit| zeiten zeitfenster plätze platz| uhrzeit slots tisch
rendez rdv créneau creneau plage disponibilit place horaire date
cita| citas turno hora| horas horario plaza cupo disponib fecha mesa hueco
appuntament posti| posto| orari orario disponibil data| date|
horári horari vaga vagas data| datas consulta
afspra tijd tijdst plek plaats plaatsen tijdslot beschikbaarheid
tid| tider tiden plats platser bokningsbar pladser plasser time| timer ledighet
aika| aikoja aikaa paikkoja ajat
termin wizyt miejsc godzin wolnych
termín míst čas volných miest
időpont hely| helyek
programăr locuri interval
мест| места запис времен время слот окон| окошек дат| дати час| часове місць| термин| свободни
randevu saat seans yer| koltuk
ραντεβού ώρες θέσεις διαθεσιμότητα
مواعيد موعد أوقات أماكن תורים תור מקומות jadwal slot chỗ lịch
""")
_ROOM: Final = _stems("""
available availab left| remaining open| free| found bookable vacant currently now| moment offered upcoming further more|
other online
selected this| these your| today week month day
verfügbar frei freie freien freier buchbar vorhanden gefunden mehr| derzeit aktuell momentan weitere online übrig
disponible libre restant trouvé actuellement moment prochain ligne
disponib libre actual momento encontr queda hay|
disponibil liber trovat attual
disponí livre encontr momento
beschikba vrij gevonden momenteel meer|
ledig tillgänglig hittade tilgængelig tilgjengelig fundet funnet nuvarande
vapaa vapai saatavilla löytyn
woln dostępn obecnie
voln dostupn slobodn k| dispozici momentálně
szabad elérhető foglalható jelenleg
disponibil liber moment
свобод доступ налич найден сейчас вільн доступн знайден
uygun müsait boş mevcut şu| anda
διαθέσιμ ελεύθερ
متاح متوفر فارغة شاغرة פנוי זמינ tersedia trống còn
""")
_FILLER: Final = AROUND | frozenset(
    """
there we our us t it for on at in the a an of to and or with by that could find s here be were was will yet presently
es gibt haben wir für am im in den der die das dem und an zu diesem dieser gewählten bitte oh konnten werden noch uns
il y a y avons il n de d du des le la les pour ce cette en ces dans nous avons ont oh reste existe
el la los las de del en para este esta estos por se hay tenemos nos han
ci il lo la gli le di per in questo questa sono è al da abbiamo si c
há o os a as de do da em para este esta temos foram nós no na existem existe
er zijn op voor de het een deze dit in we hebben
det finns för på i den denna detta vi har er der for på finnes til de har valgt
ole tällä hetkellä ole
w na dla tym w tej chwili są tego dnia na v pro nejsou je jsou žádné sú
sincs erre a az jelenleg
există sunt pentru această acest
на в для этот эту дату нет данный у нас є цю
için bu tarih tarihte hiç
υπάρχουν για αυτή την
هناك توجد يوجد أي في هذا حاليا
""".split()
)
_FULL: Final = re.compile(
    r"(?:fully booked|booked out|booked up|sold out|ausgebucht|alle termine (?:sind )?(?:belegt|vergeben)|entièrement réservé|"
    r"tout est complet|volgeboekt|fullbokat|fuldt booket|fullbooket|täyteen varattu|loppuunvarattu|completamente reservado|"
    r"tutto esaurito|al completo|totalmente reservado|wszystkie terminy zajęte|obsazeno|minden időpont foglalt|всё занято|"
    r"все занято|мест нет|нет мест|tamamen dolu|agendas? complètes?|complet)"
)
# Languages that do not part their words: something to book, and that there is none of it.
_UNPARTED: Final = re.compile(
    r"(?:空き|空席|予約|枠|時間|日程|スロット)[^。\n]{0,20}(?:ありません|ございません|見つかりません|なし|無し)|満席(?:です|となりました)"
    r"|(?:暂无|暫無|没有|沒有|無|无|暂时没有)[^。\n]{0,12}(?:预约|預約|时段|時段|时间|時間|号源|名额|名額|空位|场次|場次|可约)"
    r"|(?:预约|預約|号源|名额|名額)(?:已满|已滿|已约满|已約滿)"
    r"|(?:예약|시간|자리|일정|좌석|빈)[^.\n]{0,20}(?:없습니다|없음|마감되었습니다)"
    r"|(?:ไม่มี|เต็ม)[^\n]{0,12}(?:คิว|เวลา|ที่ว่าง|นัด)"
)
_TROUBLE: Final = re.compile(
    r"\berrors?\b|went wrong|\bfailed\b|unhandled exception|(?:request|connection|gateway|session) time|timed out|"
    r"session (?:has )?expired|(?:under|down for|scheduled|undergoing) maintenance|access denied|403 forbidden|"
    r"not a robot|enable javascript|could(?: not|n.t) (?:load|connect|retrieve|be loaded)|"
    r"you are (?:now )?in (?:line|the queue)|estimated wait|virtual (?:queue|waiting room)|warteschlange|"
    r"unable to (?:load|connect|retrieve|process)|server (?:is )?(?:busy|down|overloaded)|too many requests|"
    r"\bfehler\b|fehlgeschlagen|schief ?gelaufen|wartungs(?:arbeit|modus)|\berreur\b|échoué|en maintenance|"
    r"ha ocurrido un|salió mal|\berrore\b|andato storto|\berro\b|deu errado|\bfout\b|misgegaan|\bfel uppstod|gick fel|"
    r"\bfejl\b|\bfeil\b|\bvirhe|błąd|\bchyb[au]\b|\bhiba\b|eroare|ошибк|помилк|\bhata\b|σφάλμα|エラー|失敗|错误|錯誤|"
    r"失败|오류|خطأ|שגיאה|メンテナンス中|维护中|維護中|점검 ?중",
    re.IGNORECASE,
)
_AGAIN: Final = re.compile(
    r"try again(?! (?:later|soon|tomorrow|another (?:day|date))| in a (?:few|day|week))|\b(?:sign|log) ?in\b|"
    r"\breload\b|^retry$|\bloading\b|versuchen sie es erneut|anmelden|wird geladen|réessaye[rz]|connectez-vous|"
    r"vous connecter|chargement|inténtelo de nuevo|inici[ea] sesión|cargando|riprova|accedi|tente novamente|opnieuw|"
    r"inloggen|logga in|zaloguj|войдите",
    re.IGNORECASE,
)
_NEEDED: Final = re.compile(
    r"need|necess|requir|nötig|erforderlich|notwendig|nécess|obligat|required|limit|fee|charge|walk|like|better|waste|lost|show|"
    r"cancel|change|chang|wait(?!list)|nodig|wymagan|potřeb|szükség|нужн|треб|necesari|problem|worr"
)


# A whole that is taken: "All appointments for this location are currently booked".
_ALL: Final = frozenset("all every alle sämtliche tous toutes todos todas tutti tutte wszystkie všechny все всі".split())
_NOTHING: Final = frozenset("nothing nichts rien nada nulla niente niets ingenting mitään nic nimic ничего нічого".split())
_EVENTS: Final = frozenset(
    "event class course tour show workshop kurs veranstaltung cours événement curso evento corso".split()
)
# Languages that say no at the end.
_LAST: Final = frozenset("нет немає нема yok bulunmamaktadır bulunmuyor bulunamadı bulunamamıştır kalmadı değil".split())
_IF: Final = frozenset(
    """if when whenever once unless should wenn falls sobald sollte sollten si lorsque quand sinon cuando se quando als indien
    mocht jeśli gdy kiedy если когда якщо коли eğer om när hvis jos ha dacă pokud když αν""".split()
)


def says_nothing(page: Element, cells: frozenset[Element] = frozenset()) -> bool:
    """Whether a page without slots says that there are none; `cells`: what speaks for itself alone."""
    texts = list(_texts(page, cells))
    said = [number for number, text in enumerate(texts) if any(is_nothing(found[0]) for found in _SENTENCE.finditer(text))]
    if page.chars <= _SMALL:
        return bool(said) and not any(_is_trouble(text, page) for text in texts)
    return any(not any(_is_trouble(text, page) for text in texts[max(at - 3, 0) : at + 4]) for at in said)


def is_said(text: str) -> bool:
    """Whether a text says that nothing is to be booked, and nothing of a failure."""
    return not _TROUBLE.search(text) and any(is_nothing(found[0]) for found in _SENTENCE.finditer(text))


def _is_trouble(text: str, page: Element) -> bool:
    return bool(_TROUBLE.search(text) or (page.chars <= _FEW and _AGAIN.search(text)))


def _texts(page: Element, cells: frozenset[Element]) -> Iterator[str]:
    """What the page says, one text for each element that holds no more than a few sentences; nothing hidden."""
    waiting = [page]
    while waiting:
        part = waiting.pop()
        if part.hidden or part in cells:
            continue
        if 0 < part.chars <= MAX_TEXT and all(child.tag in _INLINE for child in part.children):
            yield part.text
        else:
            waiting.extend(reversed(part.children))


@short_cache(1024)
def is_nothing(sentence: str) -> bool:
    """Whether a sentence is a statement that nothing is to be booked."""
    sentence = sentence.strip().lower().replace("rendez-vous", "rendezvous")
    if sentence.endswith(("?", "？")):
        return False
    if _UNPARTED.search(sentence):
        return True
    tokens = _TOKEN.findall(sentence)
    if not 1 <= len(tokens) <= 24:
        return False
    if (full := _FULL.search(sentence)) is not None:
        rest = _TOKEN.findall(sentence[: full.start()] + " " + sentence[full.end() :])
        return all(token in _EVENTS or _kind(token) in {"filler", "slot", "room"} for token in rest)
    return _denies(tokens) or _is_all_taken(tokens)


def _is_all_taken(tokens: list[str]) -> bool:
    """All of them, something to book, and at the end that it is taken."""
    if _ALL.isdisjoint(tokens[:2]) or not _IF.isdisjoint(tokens) or tokens[-1] not in TAKEN:
        return False
    kinds = [_kind(token) for token in tokens]
    return "slot" in kinds and "not" not in kinds and kinds[:-1].count("other") <= 2


def _denies(tokens: list[str]) -> bool:
    """A no, and soon after it something to book: with nothing else, or with a word that it is (not) to be had."""
    if any(_NEEDED.match(token) for token in tokens):
        return False
    if any(one in _NOT and other in _ALL for one, other in pairwise(tokens)):  # not all of them
        return False
    kinds = [_kind(token) for token in tokens]
    if not _NOTHING.isdisjoint(tokens):
        return "room" in kinds and all(kind != "other" or token in _NOTHING for kind, token in zip(kinds, tokens, strict=True))
    if "not" not in kinds or "slot" not in kinds:
        return False
    if "other" not in kinds:
        return True
    begins = kinds.index("not")
    behind = kinds[begins : begins + 7]
    if "slot" not in behind or "room" not in kinds:
        return tokens[-1] in _LAST and "slot" in kinds and "room" in kinds
    if "other" not in kinds[: begins + behind.index("slot")]:
        return True
    # For this or that, there are no slots available: the no stands beside them, and nothing makes it depend.
    at = begins + behind.index("slot")
    near = "other" not in kinds[begins:at] and at - begins <= 2 and "room" in kinds[at : at + 4]
    return near and _IF.isdisjoint(tokens) and kinds[:begins].count("other") <= 4


def _kind(token: str) -> str:
    if token in _NOT:
        return "not"
    if _SLOT.fullmatch(token):
        return "slot"
    return "room" if _ROOM.fullmatch(token) else "filler" if token in _FILLER or token.isdecimal() else "other"
