"""The shapes in which the world's pages write dates, times and distances from now. Patterns are for lower-cased text."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import Final


def _any(text: str) -> str:
    """An alternation of words, longest first, so that `march` wins over `mar`; by first letters: tried twice as fast."""
    words = sorted(set(text.split()), key=lambda word: (word[0], -len(word), word))
    grouped = ((letter, [word[1:] for word in found]) for letter, found in groupby(words, key=itemgetter(0)))
    return "|".join(letter + (ends[0] if len(ends) == 1 else f"(?:{'|'.join(ends)})") for letter, ends in grouped)


# Month names and their abbreviations: en de fr es it pt nl pl cs/sk sv da no fi hu ro ru uk el tr id vi ar he hi.
MONTHS: Final = _any("""
january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept
oct nov dec januar jänner februar märz mai juni juli oktober dezember mär okt dez janvier février mars avril juin juillet
août septembre octobre novembre décembre janv févr fév avr juil déc enero febrero marzo abril mayo junio julio agosto
septiembre setiembre octubre noviembre diciembre ene abr ago dic gennaio febbraio aprile maggio giugno luglio settembre
ottobre dicembre gen mag giu lug set ott janeiro fevereiro março maio junho julho setembro outubro novembro dezembro fev out
januari februari maart mei augustus mrt stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października
listopada grudnia styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień ledna
února března dubna května června července srpna září října listopadu prosince januára februára apríla mája júna júla augusta
septembra októbra novembra decembra augusti desember marts tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta
heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta január február március április május június július augusztus
szeptember október ianuarie februarie martie aprilie iunie iulie septembrie octombrie noiembrie decembrie января февраля
марта апреля мая июня июля августа сентября октября ноября декабря янв фев мар апр июн июл авг сен окт ноя дек січня лютого
березня квітня травня червня липня серпня вересня жовтня листопада грудня ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου
ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου ocak şubat mart nisan mayıs haziran temmuz ağustos
eylül ekim kasım aralık maret agustus يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر ינואר
פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר जनवरी फ़रवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर
अक्टूबर नवंबर दिसंबर
""")

WEEKDAYS: Final = _any("""
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun montag dienstag
mittwoch donnerstag freitag samstag sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes
miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica segunda-feira terça-feira
quarta-feira quinta-feira sexta-feira maandag dinsdag woensdag donderdag vrijdag zaterdag zondag poniedziałek wtorek środa
czwartek piątek sobota niedziela måndag tisdag onsdag torsdag fredag lördag söndag mandag tirsdag lørdag søndag maanantai
tiistai keskiviikko torstai perjantai lauantai sunnuntai понедельник вторник среда четверг пятница суббота воскресенье
pazartesi salı çarşamba perşembe cuma cumartesi pazar mo di mi do fr sa so lun mar mié jue vie sáb dom mer gio ven sab
السبت الأحد الاحد الاثنين الإثنين الثلاثاء الأربعاء الاربعاء الخميس الجمعة
pondělí úterý středa čtvrtek pátek neděle pondelok utorok streda štvrtok
piatok nedeľa hétfő kedd szerda csütörtök péntek szombat vasárnap luni marți miercuri joi vineri sâmbătă duminică δευτέρα
τρίτη τετάρτη πέμπτη παρασκευή σάββατο κυριακή понеділок вівторок середа четвер п'ятниця субота неділя понеделник вторник
сряда четвъртък петък събота неделя senin selasa rabu kamis jumat sabtu minggu ponedjeljak utorak srijeda četvrtak petak
""")

_ZONE: Final = (
    r"(?:utc|gmt|cest|cet|est|edt|pst|pdt|cst|cdt|mst|mdt|bst|ist|jst|kst|msk|eest|eet|aest|aedt|"
    r"z)(?:[+-]\d{1,2}(?::?\d\d)?)?|[+-]\d\d:?\d\d"
)
CLOCK: Final = (
    r"(?:[01]?\d|2[0-4])(?:[:.h]|\s?uhr\s?|時|时|點|点|시\s?)[0-5]\d(?:(?:[:.]|分|분\s?)[0-5]\d(?:[.,]\d{1,9})?)?(?:分|秒|"
    r"초)?(?:\s?uhr)?(?:\s?[ap]\.?m\.?(?![a-z]))?"
    rf"(?:\s?\(?(?:{_ZONE})(?![a-z])\)?)?|(?:1[0-2]|[1-9])\s?[ap]\.?m\.?(?![a-z])"
)
_ISO: Final = r"(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:[0-2]?\d|3[01])"
_SPACED_OUT: Final = r"(?:[0-2]?\d|3[01])\.\s(?:0?[1-9]|1[0-2])\.\s?(?:19|20)\d\d"  # 10. 3. 2026
NUMERIC: Final = rf"{_ISO}|{_SPACED_OUT}|(?:[0-2]?\d|3[01])[-/.](?:[0-2]?\d|3[01])[-/.](?:(?:19|20)\d\d|\d\d)"
_DAY: Final = r"(?:[0-2]?\d|3[01])(?:st|nd|rd|th|er|\.|º|ª)?"
_YEAR: Final = r"(?:19|20)\d\d"
_CJK: Final = (
    r"(?:(?:\d{4}|(?:令和|平成)\s?\d{1,2})\s?[年년]\s?)?\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일号號]?"
    r"(?:\s?[（(][日月火水木金土一二三四五六일월화수목금토](?:曜日?|요일)?[)）]|\s?(?:星期|周|週)[一二三四五六日天]|\s?[日月火水木金土]曜日?|"
    r"\s?[일월화수목금토]요일)?"
)
_GAP: Final = r"(?:,\s?|\.\s?|\s(?:de|of|del|d')\s|\s|-|/)"
_NAMED: Final = (
    rf"(?:(?:{WEEKDAYS})\.?,?\s(?:de[rn]\s|d\.\s?)?)?(?:{_DAY}{_GAP}(?:{MONTHS})(?!\w)\.?(?:{_GAP}{_YEAR})?(?:\sr\.|\sг\.?)?"
    rf"|(?:{MONTHS})(?!\w)\.?\s(?:{_DAY})(?!\d)(?:{_GAP}{_YEAR})?)(?:,?\s(?:{WEEKDAYS})(?!\w))?"
)
DATE: Final = rf"(?:{_CJK}|{NUMERIC}|{_NAMED})(?!\d)"
_JOIN: Final = (
    r"(?:,\s(?:at|um|à|a las|alle|às|om|kl\.?|o|в)\s|\s?[,@|·•–—-]\s?|\s?\(|t|"
    r"\s(?:at|um|à|a las|alle|alle ore|ore|às|om|kl\.?|klo|o|в|о|saat|lúc|pukul|den|the)\s|\s)"
)

# A date, a time, or both together in either order.
MOMENT: Final = rf"(?:{DATE})(?:{_JOIN}(?:{CLOCK}))?|(?:{CLOCK})(?:{_JOIN}(?:{DATE}))?"
_N: Final = r"(?:\d{1,3}(?:[.,]\d)?\+?|an?|one|few|a few|ein(?:er|em)?|une?|un|una|uno|uma?|een|en|et|ett)"
UNITS: Final = {
    "en": r"(?:s|secs?\.?|seconds?|m|mins?\.?|minutes?|h|hrs?\.?|hours?|d|days?|w|wks?|weeks?|mo|mos|months?|y|yrs?|years?)",
    "de": r"(?:sek(?:unden?|\.)?|min(?:uten?|\.)?|std\.?|stunden?|tag(?:en?)?|wochen?|monat(?:en?)?|jahr(?:en?)?)",
    "fr": r"(?:secondes?|sec|minutes?|min|heures?|h|jours?|j|semaines?|mois|ans?|années?)",
    "es": r"(?:segundos?|seg|minutos?|min|horas?|h|d[ií]as?|semanas?|mes(?:es)?|años?)",
    "it": r"(?:second[oi]|minut[oi]|min|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi])",
    "pt": r"(?:segundos?|minutos?|min|horas?|dias?|semanas?|m[eê]s(?:es)?|anos?)",
    "nl": r"(?:seconden?|minuten|minuut|min|uur|uren|dag(?:en)?|weken|week|maand(?:en)?|jaar)",
    "pl": r"(?:sekund\w{0,2}|minut\w{0,2}|min\.?|godzin\w{0,2}|godz\.?|dni|dzień|ty[dg]\w{2,5}|miesi\w{2,6}|lat\w?|rok\w?)",
    "north": r"(?:sekunder?|minutt?(?:er)?|min\.?|timm?[ae]r?|tim\.?|dag(?:ar?|er?)?|veck\w{1,2}|u[kg]er?|mån[ae]d\w{0,2}|år)",
    "fi": r"(?:sekuntia?|minuuttia?|min|tuntia?|t|päivää?|viikkoa?|kuukautta|vuotta)",
    "cs": r"(?:sekund\w{0,3}|vteřin\w{0,3}|minut\w{0,3}|hodin\w{0,3}|dny|dnem|dňami|týdn\w{1,3}|měsíc\w{0,2}|lety|rok\w{0,2})",
    "ru": r"(?:сек\w{0,6}|мин\w{0,4}|час\w{0,2}|дн\w{1,2}|день|недел\w{1,2}|месяц\w{0,2}|год\w{0,1}|лет)",
    "uk": r"(?:сек\w{0,6}|хв\w{0,6}|годин\w{0,1}|дні\w{0,1}|день|тиж\w{2,4}|місяц\w{0,2}|рок\w{0,2}|рік)",
    "tr": r"(?:saniye|dakika|dk|saat|gün|hafta|ay|yıl)",
    "hu": r"(?:másodperc\w{0,3}|perc\w{0,3}|órá\w{0,3}|nap\w{0,3}|het\w{0,3}|hónap\w{0,3}|év\w{0,3})",
    "ro": r"(?:secunde|secundă|minute?|min|ore|oră|zile|zi|săptămân\w{1,2}|lun[iă]|an[i]?)",
    "el": r"(?:δευτερόλεπτ\w{1,2}|λεπτ\w{1,2}|ώρ\w{1,3}|η?μέρ\w{1,3}|εβδομάδ\w{1,3}|μήν\w{1,3}|χρόνι\w{1,2}|έτ\w{1,2})",
}
_EN: Final = UNITS["en"]
_EN_SHORT: Final = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?)"
_DAYS: Final = rf"(?:days?|{_EN_SHORT})"
_LEFT: Final = rf"\d{{1,4}}\s{_DAYS}(?:\s\d{{1,2}}\s{_EN_SHORT}){{0,3}}\s(?:left|remaining|to go)(?!\s(?:of|for|per|in))"
# Distances from now, each with words without which it cannot be there: finding a word is much quicker than trying a pattern.
_SPACED: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    ((" ago",), rf"(?:(?:about|over|almost|less than|more than) )?{_N}\s?{_EN}(?:,?\s(?:and\s)?\d{{1,2}}\s?{_EN})?\sago"),
    ((" left", " remaining", " to go"), _LEFT),
    (("d ", "h "), r"\d{1,3}d\s\d{1,2}h(?:\s\d{1,2}m(?:\s\d{1,2}s)?)?|\d{1,2}h\s\d{1,2}m\s\d{1,2}s"),
    (("vor ",), rf"vor\s(?:etwa\s|ca\.\s|über\s)?{_N}\s{UNITS['de']}"),
    (("il y a ",), rf"il y a\s(?:environ\s)?{_N}\s?{UNITS['fr']}"),
    (("hace ",), rf"hace\s(?:unos\s|unas\s)?{_N}\s{UNITS['es']}"),
    ((" fa",), rf"(?:{_N}|un')\s?{UNITS['it']}\sfa"),
    (("há ",), rf"há\s(?:cerca de\s)?{_N}\s{UNITS['pt']}"),
    ((" atrás",), rf"{_N}\s{UNITS['pt']}\satrás"),
    ((" geleden",), rf"{_N}\s{UNITS['nl']}\sgeleden"),
    ((" temu",), rf"(?:\d{{1,3}}\s)?{UNITS['pl']}\stemu"),
    ((" sedan", " siden", " sen"), rf"(?:för\s|for\s)?{_N}\s{UNITS['north']}\s(?:sedan|siden|sen)"),
    ((" sitten",), rf"\d{{1,3}}\s{UNITS['fi']}\ssitten"),
    (("před ", "pred "), rf"(?:před|pred)\s(?:\d{{1,3}}\s)?{UNITS['cs']}"),
    ((" назад",), rf"(?:\d{{1,3}}\s)?{UNITS['ru']}\sназад"),
    ((" тому",), rf"(?:\d{{1,3}}\s)?{UNITS['uk']}\sтому"),
    ((" önce",), rf"\d{{1,3}}\s{UNITS['tr']}\sönce"),
    ((" ezelőtt",), rf"\d{{1,3}}\s{UNITS['hu']}\sezelőtt"),
    (("perce", "órája", "napja", "hete", "hónapja", "éve"), r"\d{1,3}\s(?:perce|órája|napja|hete|hónapja|éve)"),
    (("acum ",), rf"acum\s(?:\d{{1,3}}|o|un)\s(?:de\s)?{UNITS['ro']}"),
    (("πριν ",), rf"πριν\s(?:από\s)?(?:\d{{1,3}}\s|μία\s|ένα\s)?{UNITS['el']}"),
    ((" trước",), r"\d{1,3}\s(?:giây|phút|giờ|ngày|tuần|tháng|năm)\strước"),
    (("lalu",), r"\d{1,3}\s(?:detik|menit|jam|hari|minggu|bulan|tahun)\s(?:yang\s)?lalu"),
)  # fmt: skip
_SOLID: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (("前",), r"\d{1,3}\s?(?:秒|分|分钟|分鐘|時間|小时|小時|日|天|週間|周|週|か月|ヶ月|个月|個月|年)\s?(?:以前|之前|前)"),
    (("전",), r"\d{1,3}\s?(?:초|분|시간|일|주|개월|달|년)\s?전(?!\w)"),
    (
        ("منذ", "قبل"),
        (
            r"(?:منذ|قبل)\s(?:\d{1,3}\s)?(?:ثانية|ثوان|ثواني|دقيقة|دقيقتين|دقائق|ساعة|ساعتين|ساعات|يوم|يومين|أيام|أسبوع|أسبوعين|"
            r"أسابيع|شهر|شهرين|أشهر|سنة|سنتين|سنوات)"
        ),
    ),
    (("לפני",), r"לפני\s(?:\d{1,3}\s)?(?:שניות|דקות|דקה|שעות|שעה|ימים|יום|שבועות|שבוע|חודשים|חודש|שנים|שנה)"),
    (("पहले",), r"\d{1,3}\s(?:सेकंड|मिनट|घंटे|घंटा|दिन|सप्ताह|महीने|साल)\sपहले"),
    (("ที่",), r"\d{1,3}\s?(?:วินาที|นาที|ชั่วโมง|วัน|สัปดาห์|เดือน|ปี)\s?ที่(?:แล้ว|ผ่านมา)"),
)
RELATIVE: Final = (*((needs, rf"(?<!\w)(?:{pattern})(?!\w)") for needs, pattern in _SPACED), *_SOLID)

# Words for "now-ish" that are noise when they are the whole line.
NOW_WORDS: Final = (
    r"this week|last week|last month|last year|"
    r"the day before yesterday|just now|right now|moments? ago|a moment ago|seconds ago|"
    r"a few (?:seconds|moments|minutes) ago|today|yesterday|"
    r"gerade eben|soeben|heute|gestern|"
    r"à l['’]instant|aujourd['’]hui|hier|ahora mismo|hoy|ayer|proprio ora|adesso|oggi|ieri|agora mesmo|hoje|ontem|"
    r"zojuist|vandaag|gisteren|przed chwilą|"
    r"dzisiaj|dziś|wczoraj|just nu|idag|i dag|igår|i går|juuri nyt|tänään|eilen|právě teď|dnes|včera|только что|"
    r"сегодня|вчера|щойно|сьогодні|вчора|şimdi|"
    r"az önce|bugün|dün|たった今|今日|昨日|刚刚|剛剛|今天|昨天|前天|방금|오늘|어제"
)
